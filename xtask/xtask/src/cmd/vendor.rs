//! `vendor`: the forks for somebody else's workspace.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::output::say;
use anyhow::Context;

/// Write the forks, with licences, notices and a `[patch]` snippet, for use in another workspace
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder: new, empty, or written by this verb
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// Write nothing; exit 1 where the folder differs
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (forks, _held) = super::open_to_change()?;
    let dir = std::path::absolute(&args.to).context("cannot tell the current folder")?;
    let shown = args.to.display();
    if args.check {
        let found = forks::vendor::check(&forks, &dir)?;
        for file in &found {
            say!("{shown}/{}: {}", file.path, file.what);
        }
        if found.is_empty() {
            say!("{shown}: up to date");
            return Ok(ExitCode::SUCCESS);
        }
        say!("mend: cargo xtask vendor --to {shown}");
        return Ok(super::found());
    }
    match forks::vendor::vendor(&forks, &dir)?.len() {
        0 => say!("{shown}: up to date"),
        changed => say!("{shown}: {changed} files written or removed"),
    }
    eprintln!("{shown}/README.md says how to use it");
    Ok(ExitCode::SUCCESS)
}
