//! `drop`: retires a patch.

use std::process::ExitCode;

use crate::output::say;
use forks::{Outcome, Written};

/// Retire a patch: its file and its entry in the series; receipts in evidence/ stay
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The crate
    #[arg(value_name = "CRATE")]
    name: String,
    /// The patch
    #[arg(value_name = "PATCH_ID")]
    id: String,
    /// Drop it though it ships (enabling patches do, too)
    #[arg(long)]
    shipped: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (forks, _held) = super::open_to_change()?;
    let dropped = forks::retire(&forks, &args.name, &args.id, args.shipped)?;
    for (path, written) in &dropped.files {
        let word = match written {
            Written::Removed => "removed",
            Written::Changed => "written without it",
        };
        say!("{}: {word}", path.display());
    }
    if let Outcome::LaidOut { written, removed } = dropped.outcome {
        say!("{}: laid out without it ({written} files written, {removed} removed)", args.name);
    }
    eprintln!("every other patch lays out as before; whether what is left compiles, `cargo xtask build` says");
    Ok(ExitCode::SUCCESS)
}
