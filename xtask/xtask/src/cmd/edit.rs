//! `edit`: a fork's folder as an ordinary git tree.

use crate::output::say;
use std::process::ExitCode;

/// Check out a fork to work on: one commit for upstream, one for each patch
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The crate
    #[arg(value_name = "CRATE")]
    name: String,
    /// Check out this patch's branch; `main` otherwise (the enabling patches and those that ship)
    #[arg(long)]
    patch: Option<String>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (forks, _held) = super::open_to_change()?;
    let fork = forks.fork(&args.name)?;
    let branch = forks::edit(&forks, fork, args.patch.as_deref())?;
    say!("{}", forks.folder(fork).display());
    eprintln!(
        "on branch {branch}: one commit a patch, each with its Patch-Id trailer; amend, rebase or add commits with your \
         own git, then `cargo xtask export {}`",
        fork.name
    );
    Ok(ExitCode::SUCCESS)
}
