//! `export`: commits back to patch files.

use std::process::ExitCode;

use crate::output::say;
use forks::{ChangeKind, Forks};

/// Write commits back to patch files
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The crates; all forks if none is named
    crates: Vec<String>,
    /// Write nothing; exit 1 where commits and files differ
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (forks, _held) = super::open_to_change()?;
    let mut status = ExitCode::SUCCESS;
    for fork in forks.select(&args.crates)? {
        for patch in forks.series(fork)?.patches.iter().filter(|patch| patch.file.is_none()) {
            eprintln!("note: {}: `{}` has neither a file nor, unless it is told below, a commit", fork.name, patch.id);
        }
        let changes = if args.check { forks::export_check(&forks, fork) } else { forks::export(&forks, fork) };
        match changes {
            Ok(changes) if changes.is_empty() => {
                say!("{}: patch files equal the commits", fork.name)
            }
            Ok(changes) => {
                print(&forks, &changes, args.check);
                if args.check {
                    say!("mend: cargo xtask export {}", fork.name);
                    status = super::found();
                }
            }
            Err(error) => status = super::fail(&error.into()),
        }
    }
    Ok(status)
}

fn print(forks: &Forks, changes: &[forks::Change], check: bool) {
    for change in changes {
        let path = change.path.strip_prefix(&forks.root).unwrap_or(&change.path).display();
        let word = match (change.kind, check) {
            (ChangeKind::New, true) => "has no file yet",
            (ChangeKind::Changed, true) => "differs from its commit",
            (ChangeKind::Form, true) => "is not in the form that export writes",
            (_, false) => "written",
        };
        say!("{path}: {word}");
    }
}
