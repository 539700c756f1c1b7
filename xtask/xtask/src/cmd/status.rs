//! `status`: the forks at a glance.

mod page;

use std::process::ExitCode;

use crate::bench;
use crate::output::say;

/// Show each fork: pin, patches, evidence, drift, use
#[derive(clap::Args)]
pub(crate) struct Args {
    /// As JSON, for programs; with every Upstream-Status whole
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let forks = super::open()?;
    let forks = forks::status::status(&forks, &bench::toolchain(&forks.root));
    if args.json {
        say!("{}", serde_json::to_string_pretty(&forks)?);
    } else {
        // Leaves colours out where they are not wanted: NO_COLOR, a pipe, a file.
        crate::output::write(format_args!("{}", page::page(&forks)));
    }
    Ok(ExitCode::SUCCESS)
}
