//! `new`: starts a patch.

use std::process::ExitCode;

use forks::{Kind, NewPatch};

/// Start a patch: its entry in the series, its branch checked out, its commit message ready
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The crate
    #[arg(value_name = "CRATE")]
    name: String,
    /// The patch's stable name, such as a1-smallvec-lc-indexer
    #[arg(value_name = "PATCH_ID")]
    id: String,
    /// It claims speed, and does not ship until evidence says so [default]
    #[arg(long, conflicts_with = "enabling")]
    measured: bool,
    /// It adds what others need, and claims no speed
    #[arg(long, conflicts_with_all = ["short", "prediction"])]
    enabling: bool,
    /// A measured patch's name in the names of arms [default: the id's part before its first `-`]
    #[arg(long, value_name = "NAME")]
    short: Option<String>,
    /// First line of the commit's message
    #[arg(long, value_name = "TEXT")]
    subject: Option<String>,
    /// Pending, Submitted LINK, Backport RELEASE, Denied REASON, Inappropriate REASON, Inactive-Upstream
    #[arg(long, value_name = "TEXT")]
    upstream_status: Option<String>,
    /// What a measured patch should move, and by how much
    #[arg(long, value_name = "TEXT")]
    prediction: Option<String>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (forks, _held) = super::open_to_change()?;
    let kind = if args.enabling {
        Kind::Enabling
    } else {
        let first = args.id.split('-').next().unwrap_or(&args.id);
        Kind::Measured { short: args.short.as_deref().unwrap_or(first).to_owned(), ships: false }
    };
    let patch = NewPatch {
        id: args.id.clone(),
        kind,
        subject: args.subject.clone(),
        upstream_status: args.upstream_status.clone(),
        prediction: args.prediction.clone(),
    };
    let started = forks::start(&forks, &args.name, &patch)?;
    crate::output::write(format_args!("{}", started.message));
    eprintln!(
        "\n{} is on branch {}, and the next `git commit` there starts from the message above: fill in what is open, \
         say why in a paragraph before the trailers\n  then: change files, `git add -A`, `git commit`, \
         `cargo xtask export {}`",
        forks.folder(forks.fork(&args.name)?).display(),
        started.branch,
        args.name
    );
    Ok(ExitCode::SUCCESS)
}
