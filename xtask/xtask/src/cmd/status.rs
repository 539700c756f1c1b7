//! `status`: the forks at a glance.

use std::process::ExitCode;

use forks::evidence::Evidence;
use forks::status::{ForkStatus, PatchStatus};

/// Show each fork: pin, patches, evidence, drift, use
#[derive(clap::Args)]
pub(crate) struct Args {
    /// As JSON, for programs
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let forks = forks::status::status(&super::open()?)?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&forks)?);
    } else {
        forks.iter().for_each(print);
    }
    Ok(ExitCode::SUCCESS)
}

fn print(fork: &ForkStatus) {
    println!("{} {} in {}", fork.name, fork.version, fork.folder);
    let list = |names: &[String]| {
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    print!("  used by builds: {}", list(&fork.used_by));
    match fork.missing_in.as_slice() {
        [] => println!(),
        missing => println!("; missing in: {}", missing.join(", ")),
    }
    match fork.drift.as_slice() {
        [] => println!("  folder: equals pin and patches"),
        drift => drift.iter().for_each(|line| println!("  drift: {line}")),
    }
    let width = fork.patches.iter().map(|patch| patch.id.len()).max().unwrap_or(0);
    for patch in &fork.patches {
        let upstream = patch.upstream.as_deref().unwrap_or("no file yet");
        println!("  {:width$}  {:8}  {:22}  {upstream}", patch.id, patch.kind, evidence(patch));
    }
}

fn evidence(patch: &PatchStatus) -> String {
    match &patch.evidence {
        None => String::new(),
        Some(Evidence::Fresh) => "evidence: fresh".into(),
        Some(Evidence::None) => "evidence: none".into(),
        Some(Evidence::Stale { changed }) => format!("evidence: stale ({})", changed.join(", ")),
    }
}
