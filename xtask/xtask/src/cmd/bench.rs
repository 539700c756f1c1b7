//! `bench`: builds arms, runs them against upstream in shuffled blocks, prints the table, writes the receipt.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use bench_core::analysis::power::Question;
use bench_core::analysis::{Analysis, analyse, gate};
use bench_core::report::Style;
use bench_core::schema;
use bench_runner::{Finished, Interrupted, Options, Progress};
use forks::Forks;
use serde::Serialize;

use crate::bench::choose::choose;
use crate::bench::design::Blocks;
use crate::bench::{self, Choice, bundle, design};
use crate::cuda::{Arch, Install};
use crate::output::say;

/// Compare arms with upstream on the same proofs: one table, one receipt
///
/// Exit status: 0 done, 1 a run failed, 2 wrong usage or environment, 4 a proof differs from upstream's; with --gate 3,
/// too.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The real WinningPoSt circuit on the CPU; the same as `--plan quick`
    #[arg(long, conflicts_with = "plan")]
    quick: bool,
    /// Which benchmark: quick, synthesis, h200, founding, tail
    #[arg(long, value_name = "NAME")]
    plan: Option<String>,
    /// Arms in place of the plan's: upstream,none,ship,all,+a1,all-a1,a1+d4; or one scheme over the patches: single,
    /// leave-one-out, pairs, full
    #[arg(long, value_delimiter = ',')]
    arms: Vec<String>,
    /// The patches that a scheme varies, in place of the plan's: a1,a2,b1
    #[arg(long, value_delimiter = ',')]
    patches: Vec<String>,
    /// Blocks in place of the plan's: how often each comparison is repeated
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    blocks: Option<u16>,
    /// Stop once every interval that a verdict is on is this narrow to either side; --blocks is then the most
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    until_precise: Option<f64>,
    /// GPU architectures; default: this machine's, else a sensible list
    #[arg(long, value_delimiter = ',')]
    arch: Vec<Arch>,
    /// Refuse to install a CUDA compiler
    #[arg(long)]
    no_install: bool,
    /// Run nothing: write a folder that runs this benchmark on a host without Rust and network
    #[arg(long, value_name = "DIR")]
    bundle: Option<PathBuf>,
    /// The receipt goes below this folder, as `--out evidence` to keep it [default: target/bench, where the log goes]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on with an interrupted benchmark
    #[arg(long)]
    resume: bool,
    /// Throw an interrupted benchmark away
    #[arg(long, conflicts_with = "resume")]
    restart: bool,
    /// Start no block that would end after so many seconds, as far as earlier ones tell
    #[arg(long, value_name = "SECONDS")]
    within: Option<u64>,
    /// A column more: against the arm `none`
    #[arg(long)]
    vs_none: bool,
    /// Judge the patches that ship: exit 1 when one is slower, 3 when one has no verdict or an inconclusive one
    #[arg(long, conflicts_with = "bundle")]
    gate: bool,
    /// Print the analysis as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let forks = super::open()?;
    let choice = Choice {
        design: design::named(args.plan.as_deref().unwrap_or(if args.quick { "quick" } else { "" }))?,
        arms: &args.arms,
        patches: &args.patches,
        blocks: args.blocks.map(usize::from),
        until_precise: args.until_precise,
        archs: &args.arch,
        install: if args.no_install { Install::Refused } else { Install::Allowed },
        checks: args.bundle.is_some(),
    };
    let chosen = choose(&forks, &choice)?;
    chosen.left_out.iter().for_each(|note| eprintln!("note: {note}"));
    warn_of_unexported(&forks);
    if let Some(to) = &args.bundle {
        bundle::check_folder(to)?;
        let plan = bench::plan(&forks, &choice, chosen)?;
        bundle::write(&forks.root, &bench::arms_folder(&forks), &plan, to)?;
        say!("{}: run.sh in it runs {} on a host with a GPU", to.display(), plan.name);
        return Ok(ExitCode::SUCCESS);
    }
    let options = options(&forks, args);
    bench_runner::check_folders(choice.design.name, &options)?;
    let plan = bench::plan(&forks, &choice, chosen)?;
    std::fs::write(options.folder.join(format!("{}.plan.json", plan.name)), schema::to_text(&plan))
        .context("cannot write the plan")?;
    if args.blocks.is_none() && args.until_precise.is_none() {
        reason(&choice).iter().for_each(|reason| eprintln!("{reason}"));
    }
    let finished = bench_runner::run(&plan, &options, &mut Progress::new())?;
    show(&forks, args, &finished)
}

/// `1%` or `1` as a part of 1.
fn percent(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').trim().parse::<f64>() {
        Ok(percent) if percent > 0.0 && percent < 100.0 => Ok(percent / 100.0),
        _ => Err("a width in per cent, between 0 and 100: 1%".to_owned()),
    }
}

fn options(forks: &Forks, args: &Args) -> Options {
    let scratch = forks.root.join("target/bench");
    Options {
        folder: bench::arms_folder(forks),
        out: args.out.clone().unwrap_or_else(|| scratch.clone()),
        scratch,
        params_dir: forks.root.join("target/test-params"),
        proc: "/proc".into(),
        interrupted: match (args.resume, args.restart) {
            (true, _) => Interrupted::Resume,
            (_, true) => Interrupted::Discard,
            _ => Interrupted::Refuse,
        },
        within: args.within.map(Duration::from_secs),
    }
}

/// Arms are made of patch files: work that is only in a fork's folder is not measured.
fn warn_of_unexported(forks: &Forks) {
    for fork in forks.pins.forks.iter().filter(|fork| forks.folder(fork).join(".git").exists()) {
        if forks::export_check(forks, fork).is_ok_and(|changes| !changes.is_empty()) {
            let (name, folder) = (&fork.name, fork.folder.display());
            eprintln!(
                "note: {folder} has commits that are in no patch file and in no arm; `cargo xtask export {name}` first"
            );
        }
    }
}

/// Why the design has as many blocks as it has.
fn reason(choice: &Choice<'_>) -> Option<String> {
    let Blocks::ToFind(Question { difference, deviation }) = choice.design.blocks else { return None };
    let (difference, deviation) = (difference * 100.0, deviation * 100.0);
    Some(format!(
        "as many blocks as find a difference of {difference:.0} % with a probability of 90 %, if runs vary by {deviation:.0} %; --blocks and --until-precise ask for others"
    ))
}

/// Ids of the patches that ship.
fn shipped(forks: &Forks) -> BTreeSet<String> {
    let measured = forks.pins.forks.iter().flat_map(|fork| &fork.measured);
    measured.filter(|patch| patch.ships).map(|patch| patch.id.clone()).collect()
}

#[derive(Serialize)]
struct Shown<'a> {
    receipt: &'a std::path::Path,
    complete: bool,
    exit_code: u8,
    analysis: &'a Analysis,
}

fn show(forks: &Forks, args: &Args, finished: &Finished) -> Result<ExitCode> {
    let analysis = analyse(&finished.receipt);
    let code = if args.gate { gate(&analysis, &shipped(forks)) } else { analysis.exit_code() };
    let (receipt, complete) = (finished.path.as_path(), finished.complete);
    if args.json {
        say!("{}", serde_json::to_string_pretty(&Shown { receipt, complete, exit_code: code, analysis: &analysis })?);
        return Ok(ExitCode::from(code));
    }
    super::report::show(&analysis, Style { markdown: false, vs_none: args.vs_none });
    let rest = if complete { "" } else { " (not all blocks: --resume goes on)" };
    say!("receipt: {}{rest}", receipt.display());
    Ok(ExitCode::from(code))
}
