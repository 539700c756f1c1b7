//! `verify`: everything that must hold of the forks.

use std::process::ExitCode;

use forks::verify::Finding;
use serde::Serialize;

/// Check pins, series, folders, headers and the dependency graph
#[derive(clap::Args)]
pub(crate) struct Args {
    /// As JSON, for programs: {"ok", "findings": [{"check", "fork", "patch", "message", "fix"}]}
    #[arg(long)]
    json: bool,
    /// Fail on measured patches without fresh evidence, too
    #[arg(long)]
    evidence: bool,
}

#[derive(Serialize)]
struct Report {
    ok: bool,
    findings: Vec<Finding>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let found = super::open().and_then(|forks| Ok(forks::verify::verify(&forks, args.evidence)?));
    let (findings, code) = match found {
        Ok(findings) if findings.is_empty() => (findings, ExitCode::SUCCESS),
        Ok(findings) => (findings, super::found()),
        // A program that reads JSON gets the reason in the same form.
        Err(error) if args.json => (vec![stopped(&error)], super::fail(&error)),
        Err(error) => return Err(error),
    };
    let report = Report { ok: findings.is_empty(), findings };
    if args.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        report.findings.iter().for_each(print);
        if report.ok {
            println!("all is well");
        }
    }
    Ok(code)
}

/// Why there is no verdict.
fn stopped(error: &anyhow::Error) -> Finding {
    let fix = "mend what the message says, then verify again".to_owned();
    Finding { check: "stopped", fork: None, patch: None, message: format!("{error:#}"), fix }
}

fn print(finding: &Finding) {
    let about: Vec<&str> =
        [Some(finding.check), finding.fork.as_deref(), finding.patch.as_deref()].into_iter().flatten().collect();
    println!("{}: {}\n  fix: {}", about.join(" "), finding.message, finding.fix);
}
