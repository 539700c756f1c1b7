//! `outdated`: newer releases, and whether the patches would go along.

use std::process::ExitCode;

use forks::Newer;
use serde::Serialize;

use crate::output::say;
use crate::verdicts;

/// List newer upstream releases, and for each patch whether it would apply; exit 1 where there are some
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The forks; all if none is named
    crates: Vec<String>,
    /// As JSON, for programs
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    fork: &'a str,
    version: &'a str,
    newer: Vec<Newer>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let forks = super::open()?;
    let mut reports = Vec::new();
    for fork in forks.select(&args.crates)? {
        eprintln!("{}: asking cargo's sources", fork.name);
        reports.push(Report { fork: &fork.name, version: &fork.version, newer: forks::outdated(&forks, fork)? });
    }
    if args.json {
        say!("{}", serde_json::to_string_pretty(&reports)?);
    } else {
        reports.iter().for_each(print);
    }
    let is_found = reports.iter().any(|report| !report.newer.is_empty());
    Ok(if is_found { super::found() } else { ExitCode::SUCCESS })
}

fn print(report: &Report) {
    if report.newer.is_empty() {
        say!("{} {}: the newest", report.fork, report.version);
    }
    for newer in &report.newer {
        say!("{} {} -> {}", report.fork, report.version, newer.version);
        verdicts::print(&newer.patches);
        verdicts::print_refusals(&newer.refusals);
    }
}
