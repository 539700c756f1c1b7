//! `rebase`: a fork on another release.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use forks::rebase::{self, Progress, bisect};
use forks::{Fork, Forks, Refusal, Verdict, With};

use crate::output::say;
use crate::verdicts;

/// Carry a fork's patches to another upstream release
///
/// Each patch is merged from its place on the old release to the same place on the new one. Where somebody has to look,
/// the fork's folder is left in the middle of an ordinary cherry-pick: merge and `git add` (or commit) there, then
/// `--continue`. patches/ changes once, when all are carried. Prints the text for a pull request at the end.
#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("act").required(true).args(["to", "resume", "skip", "abort"]))]
pub(crate) struct Args {
    /// The fork
    #[arg(value_name = "CRATE")]
    name: String,
    /// The release to go to, exact
    #[arg(long, value_name = "VERSION")]
    to: Option<String>,
    /// Take the patch as it was merged in the fork's folder, and go on
    #[arg(long = "continue")]
    resume: bool,
    /// Leave the patch out of the series, and go on
    #[arg(long)]
    skip: bool,
    /// Give up: everything is as before
    #[arg(long)]
    abort: bool,
    /// Say what would become of each patch, and change nothing; exit 1 where somebody would have to look
    #[arg(long, requires = "to", conflicts_with_all = ["resume", "skip", "abort"])]
    dry_run: bool,
    /// Releases that go with it: their requirements count in place of today's
    #[arg(long, value_name = "CRATE@VERSION", conflicts_with_all = ["resume", "skip", "abort"], value_delimiter = ',')]
    with: Vec<With>,
    /// Find the upstream commit that a patch does not get past, in this clone of upstream's repository; changes nothing
    #[arg(long, value_name = "CLONE", conflicts_with_all = ["dry_run", "with", "resume", "skip", "abort"])]
    bisect: Option<PathBuf>,
    /// The patch to bisect; the first that conflicts otherwise
    #[arg(long, requires = "bisect")]
    patch: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let (forks, _held) = super::open_to_change()?;
    let fork = forks.fork(&args.name)?;
    if let Some(version) = args.to.as_ref().filter(|version| rebase::is_downgrade(fork, version)) {
        eprintln!("{}: {version} is older than {}: a downgrade", fork.name, fork.version);
    }
    let progress = match &args.to {
        Some(version) if args.dry_run => return dry_run(&forks, fork, version, &args.with),
        Some(version) if args.bisect.is_some() => return bisected(&forks, fork, version, args),
        Some(version) => rebase::start(&forks, fork, version, &args.with)?,
        None if args.resume => rebase::resume(&forks, fork)?,
        None if args.skip => rebase::skip(&forks, fork)?,
        None => {
            rebase::abort(&forks, fork)?;
            say!("{}: as it was, on {}", fork.name, fork.version);
            return Ok(ExitCode::SUCCESS);
        }
    };
    match progress {
        Progress::Done(finished) => {
            crate::output::write(format_args!("{}", finished.pull_request));
            print_next(fork, &finished);
            Ok(ExitCode::SUCCESS)
        }
        Progress::Stopped { verdicts } => {
            verdicts::print(&verdicts);
            let Some((patch, verdict)) = verdicts.last() else { bail!("it stopped at no patch") };
            eprintln!("{}", how_to_go_on(&forks, fork, patch, verdict));
            Ok(super::found())
        }
    }
}

fn dry_run(forks: &Forks, fork: &Fork, version: &str, with: &[With]) -> Result<ExitCode> {
    let (found, refusals) = rebase::trial(forks, fork, version, with)?;
    let downgrade = if rebase::is_downgrade(fork, version) { ", a downgrade" } else { "" };
    say!("{} {} to {version}{downgrade}", fork.name, fork.version);
    verdicts::print(&found);
    verdicts::print_refusals(&refusals);
    let in_the_way =
        refusals.iter().any(|refusal| !refusal.is_ours) || found.iter().any(|(_, verdict)| verdict.stops());
    Ok(if in_the_way { super::found() } else { ExitCode::SUCCESS })
}

fn bisected(forks: &Forks, fork: &Fork, version: &str, args: &Args) -> Result<ExitCode> {
    let clone = args.bisect.as_deref().unwrap_or(".".as_ref());
    match bisect::bisect(forks, fork, version, clone, args.patch.as_deref())? {
        None => {
            say!("no commit between {} and {version} stands in the way of a patch", fork.version);
            Ok(ExitCode::SUCCESS)
        }
        Some(culprit) => {
            say!("{}: conflicts in {} since\n{}", culprit.patch, culprit.files.join(", "), culprit.shown);
            let (all, tried) = culprit.tried;
            eprintln!("tried {tried} of the {all} commits between the releases");
            Ok(super::found())
        }
    }
}

fn how_to_go_on(forks: &Forks, fork: &Fork, patch: &str, verdict: &Verdict) -> String {
    let (name, folder) = (&fork.name, forks.folder(fork));
    let folder = folder.strip_prefix(&forks.root).unwrap_or(&folder).display();
    let on = match verdict {
        Verdict::Upstream => format!("`{patch}` is in the release already"),
        _ => format!(
            "merge `{patch}` in {folder}, `git add` the files, then\n  take it:      cargo xtask rebase {name} --continue"
        ),
    };
    format!("{on}\n  leave it out: cargo xtask rebase {name} --skip\n  give up:      cargo xtask rebase {name} --abort")
}

fn print_next(fork: &Fork, finished: &rebase::Finished) {
    for set in &finished.broken_sets {
        eprintln!("a set of patches lays out no more: {set}");
    }
    for Refusal { dependant, requirement, fix, .. } in &finished.to_raise {
        eprintln!("{dependant} requires {requirement}: {fix}");
    }
    eprintln!(
        "{} is laid out anew; next: `cargo metadata > /dev/null` (renews Cargo.lock), `cargo xtask verify`, `cargo xtask test`, \
         and `cargo xtask bench`, since evidence is for a release",
        fork.name
    );
}
