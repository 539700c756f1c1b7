//! The verbs of the workspace: `cargo xtask <verb>`. One file a verb in `cmd/`; the work is in the libraries beside it.

mod cmd;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Carries performance patches on Filecoin's Groth16 stack: lays the forks out, checks them, builds, tests, measures.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli.verb {}
}
