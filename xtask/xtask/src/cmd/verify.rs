//! `verify`: everything that must hold of the forks.

use std::process::ExitCode;

use crate::output::say;
use clap::ArgGroup;
use forks::evidence::{self, OfPatch, State};
use forks::{Forks, verify::Finding};
use serde::Serialize;

use crate::{
    bench,
    cuda::{Arch, Install},
    gates::{self, Gates, Setting},
};

/// Check pins, series, folders, headers and the dependency graph; lays out forks that are missing
///
/// Without --gates and --subsets nothing is compiled. What these generate and remember lies below target/ and may be
/// deleted.
#[derive(clap::Args)]
#[command(group(ArgGroup::new("compiling").args(["gates", "subsets"]).multiple(true)))]
pub(crate) struct Args {
    /// As JSON, for programs: {"ok", "findings": [{"check", "fork", "patch", "message", "fix"}], "evidence"}
    #[arg(long)]
    json: bool,
    /// Fail on measured patches without fresh evidence, too
    #[arg(long)]
    evidence: bool,
    /// Compare the forks named (else all) with their releases, too: no new warnings, also of patches that do not ship,
    /// and nothing gone from the public API
    #[arg(long, value_name = "CRATE", num_args = 0..)]
    gates: Option<Vec<String>>,
    /// Compile every admissible set of measured patches of the forks named (else all), too; once for the same inputs
    #[arg(long, value_name = "CRATE", num_args = 0..)]
    subsets: Option<Vec<String>>,
    /// GPU architectures, such as sm_90 or sm_80,sm_90 [default: this machine's GPUs, else a list of common ones]
    #[arg(long, value_delimiter = ',', requires = "compiling")]
    arch: Vec<Arch>,
    /// Fail when cargo-semver-checks or the CUDA compiler is missing, instead of installing it below target/
    #[arg(long, requires = "compiling")]
    no_install: bool,
}

#[derive(Serialize)]
struct Report {
    ok: bool,
    findings: Vec<Finding>,
    /// Told whatever it is; a finding with `--evidence` alone.
    evidence: Vec<OfPatch>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let found = super::open().and_then(|forks| {
        let toolchain = bench::toolchain(&forks.root);
        Ok((findings(args, &forks, &toolchain)?, evidence::all(&forks, &toolchain).0))
    });
    let (findings, evidence, code) = match found {
        Ok((findings, evidence)) if findings.is_empty() => (findings, evidence, ExitCode::SUCCESS),
        Ok((findings, evidence)) => (findings, evidence, super::found()),
        // A program that reads JSON gets the reason in the same form.
        Err(error) if args.json => (vec![stopped(&error)], Vec::new(), super::fail(&error)),
        Err(error) => return Err(error),
    };
    let report = Report { ok: findings.is_empty(), findings, evidence };
    if args.json {
        say!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        report.findings.iter().for_each(print);
        if !args.evidence {
            report.evidence.iter().for_each(tell);
        }
        if report.ok {
            say!("all is well");
        }
    }
    Ok(code)
}

/// Why there is no verdict.
fn stopped(error: &anyhow::Error) -> Finding {
    let fix = "mend what the message says, then verify again".to_owned();
    Finding { check: "stopped", fork: None, patch: None, message: format!("{error:#}"), fix }
}

fn findings(args: &Args, forks: &Forks, toolchain: &[String]) -> anyhow::Result<Vec<Finding>> {
    let install = if args.no_install { Install::Refused } else { Install::Allowed };
    let setting = Setting { forks, archs: &args.arch, install };
    let gates = args.gates.as_ref().map(|names| Gates::prepare(&setting, names)).transpose()?;
    let mut findings = forks::verify::verify(forks, args.evidence.then_some(toolchain))?;
    // Without evidence a fork compiles all the same; with any other fault there may be nothing to compile.
    if findings.iter().any(|finding| finding.check != "evidence") {
        if gates.is_some() || args.subsets.is_some() {
            eprintln!("nothing was compiled: mend the findings first");
        }
        return Ok(findings);
    }
    if let Some(gates) = gates {
        findings.extend(gates.run()?);
    }
    if let Some(names) = &args.subsets {
        findings.extend(gates::subsets(&setting, names)?);
    }
    Ok(findings)
}

fn print(finding: &Finding) {
    let about: Vec<&str> =
        [Some(finding.check), finding.fork.as_deref(), finding.patch.as_deref()].into_iter().flatten().collect();
    say!("{}: {}\n  fix: {}", about.join(" "), finding.message, finding.fix);
}

/// The evidence of a patch in one line.
fn tell(OfPatch { fork, patch, evidence, .. }: &OfPatch) {
    let state = match &evidence.state {
        State::Fresh => "fresh".to_owned(),
        State::OtherToolchain { toolchain } => format!("of another toolchain ({})", toolchain.join(", ")),
        State::Stale { changed } => format!("stale ({} changed since)", changed.join(", ")),
        State::None => "none".to_owned(),
    };
    let places = evidence.on.iter().map(|place| format!("{}: {}", place.device, place.workloads.join(", ")));
    let places: Vec<String> = places.collect();
    let on = if places.is_empty() { String::new() } else { format!(", on {}", places.join("; ")) };
    say!("evidence {fork} {patch}: {state}{on}");
}
