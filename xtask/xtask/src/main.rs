//! The verbs of the workspace: `cargo xtask <verb>`. One file a verb in `cmd/`; the work is in the libraries beside it.

#![deny(clippy::print_stdout)]

mod bench;
mod cargo_build;
mod cmd;
mod cuda;
mod gates;
mod gpus;
mod output;
mod pages;
mod snapshots;
mod suites;
mod tally;
mod verdicts;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::cmd::{
    apply, bench as bench_verb, build, doctor, drop, edit, export, new, outdated, rebase, report, status, test, vendor,
    verify,
};

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
    Bench(bench_verb::Args),
    Build(build::Args),
    Doctor(doctor::Args),
    Drop(drop::Args),
    Edit(edit::Args),
    Export(export::Args),
    New(new::Args),
    Outdated(outdated::Args),
    Rebase(rebase::Args),
    Report(report::Args),
    Status(status::Args),
    Test(test::Args),
    Vendor(vendor::Args),
    Verify(verify::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().verb {
        Verb::Apply(args) => apply::run(&args),
        Verb::Bench(args) => bench_verb::run(&args),
        Verb::Build(args) => build::run(&args),
        Verb::Doctor(args) => doctor::run(&args),
        Verb::Drop(args) => drop::run(&args),
        Verb::Edit(args) => edit::run(&args),
        Verb::Export(args) => export::run(&args),
        Verb::New(args) => new::run(&args),
        Verb::Outdated(args) => outdated::run(&args),
        Verb::Rebase(args) => rebase::run(&args),
        Verb::Report(args) => report::run(&args),
        Verb::Status(args) => status::run(&args),
        Verb::Test(args) => test::run(&args),
        Verb::Vendor(args) => vendor::run(&args),
        Verb::Verify(args) => verify::run(&args),
    };
    result.unwrap_or_else(|error| cmd::fail(&error))
}

/// The repository's root: two folders above this crate.
fn root() -> std::path::PathBuf {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}
