//! `apply`: lays the forks out.

use std::process::ExitCode;

use crate::output::say;
use forks::Outcome;

/// Lay out the forks from pristine releases and patches; refuse to overwrite work
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The crates; all forks if none is named
    crates: Vec<String>,
    /// Throw away what is in no patch file: edits, untracked files, commits on main and patch/… (other branches stay)
    #[arg(long)]
    discard: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (forks, _held) = super::open_to_change()?;
    let mut status = ExitCode::SUCCESS;
    for fork in forks.select(&args.crates)? {
        for patch in forks.series(fork).iter().flat_map(|series| &series.patches).filter(|patch| patch.file.is_none()) {
            eprintln!("warning: {}: {} has no patch file; the fork is laid out without it", fork.name, patch.id);
        }
        match forks::apply(&forks, fork, args.discard) {
            Ok(Outcome::Unchanged) => {
                say!("{}: up to date in {}", fork.name, fork.folder.display())
            }
            Ok(Outcome::LaidOut { written, removed }) => say!(
                "{}: laid out in {} ({written} files written, {removed} removed)",
                fork.name,
                fork.folder.display()
            ),
            // The other forks are still laid out: each stands for itself.
            Err(error) => status = super::fail(&error.into()),
        }
    }
    Ok(status)
}
