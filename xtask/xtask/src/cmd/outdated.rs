//! `outdated`: newer releases, and whether the patches would go along.

use std::process::ExitCode;

use forks::{Newer, Refusal};
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
    let Report { fork, version, newer } = report;
    if newer.is_empty() {
        say!("{fork} {version}: the newest");
    }
    let (admitted, refused): (Vec<&Newer>, Vec<&Newer>) = newer.iter().partition(|newer| newer.is_admitted);
    if admitted.is_empty() && !refused.is_empty() {
        say!("{fork} {version}: every newer release is refused");
    }
    for (at, newer) in admitted.iter().enumerate() {
        let newest = if at == 0 { ", the newest to go to" } else { "" };
        say!("{fork} {version} -> {}{newest}", newer.version);
        verdicts::print(&newer.patches);
    }
    for newer in refused {
        say!("{fork} {version} -> {}, refused", newer.version);
        verdicts::print(&newer.patches);
    }
    print_refusals(fork, newer);
}

/// One line for each requirement, with the releases that do not meet it.
fn print_refusals(fork: &str, newer: &[Newer]) {
    let mut folded: Vec<(&Refusal, Vec<&str>)> = Vec::new();
    for newer in newer {
        for refusal in &newer.refusals {
            match folded.iter_mut().find(|(known, _)| *known == refusal) {
                Some((_, versions)) => versions.push(&newer.version),
                None => folded.push((refusal, vec![&newer.version])),
            }
        }
    }
    if !folded.is_empty() {
        say!("{fork}: who requires another version");
    }
    for (Refusal { dependant, requirement, fix, .. }, versions) in folded {
        say!("  {dependant} requires {requirement}, so not {}: {fix}", versions.join(", "));
    }
}
