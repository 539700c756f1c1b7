//! `status`: the forks at a glance.

mod page;

use std::process::ExitCode;

/// Show each fork: pin, patches, evidence, drift, use
#[derive(clap::Args)]
pub(crate) struct Args {
    /// As JSON, for programs
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let forks = forks::status::status(&super::open()?);
    if args.json {
        println!("{}", serde_json::to_string_pretty(&forks)?);
    } else {
        // Leaves colours out where they are not wanted: NO_COLOR, a pipe, a file.
        anstream::print!("{}", page::page(&forks));
    }
    Ok(ExitCode::SUCCESS)
}
