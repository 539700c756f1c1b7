//! The verbs of the workspace: `cargo xtask <verb>`. One file a verb in `cmd/`; the work is in the libraries beside it.

mod cmd;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::cmd::{apply, edit, export};

/// Carries performance patches on Filecoin's Groth16 stack: lays the forks out, checks them, builds, tests, measures.
///
/// Exit status: 0 done, 1 a check found something, 2 wrong usage or environment. Results go to stdout, progress to
/// stderr.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Apply(apply::Args),
    Edit(edit::Args),
    Export(export::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().verb {
        Verb::Apply(args) => apply::run(&args),
        Verb::Edit(args) => edit::run(&args),
        Verb::Export(args) => export::run(&args),
    };
    result.unwrap_or_else(|error| cmd::fail(&error))
}
