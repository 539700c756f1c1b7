//! `status`: the forks at a glance.

mod page;

use crate::output::say;
use std::process::ExitCode;

/// Show each fork: pin, patches, evidence, drift, use
#[derive(clap::Args)]
pub(crate) struct Args {
    /// As JSON, for programs; with every Upstream-Status whole
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let forks = forks::status::status(&super::open()?);
    if args.json {
        say!("{}", serde_json::to_string_pretty(&forks)?);
    } else {
        // Leaves colours out where they are not wanted: NO_COLOR, a pipe, a file.
        crate::output::write(format_args!("{}", page::page(&forks)));
    }
    Ok(ExitCode::SUCCESS)
}
