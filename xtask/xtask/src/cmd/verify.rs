//! `verify`: everything that must hold of the forks.

use std::process::ExitCode;

use crate::output::say;
use clap::ArgGroup;
use forks::{Forks, verify::Finding};
use serde::Serialize;

use crate::{
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
    /// As JSON, for programs: {"ok", "findings": [{"check", "fork", "patch", "message", "fix"}]}
    #[arg(long)]
    json: bool,
    /// Fail on measured patches without fresh evidence, too
    #[arg(long)]
    evidence: bool,
    /// Compare the forks named (else all) with their releases, too: no new warnings, nothing gone from the public API
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
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let found = super::open().and_then(|forks| findings(args, &forks));
    let (findings, code) = match found {
        Ok(findings) if findings.is_empty() => (findings, ExitCode::SUCCESS),
        Ok(findings) => (findings, super::found()),
        // A program that reads JSON gets the reason in the same form.
        Err(error) if args.json => (vec![stopped(&error)], super::fail(&error)),
        Err(error) => return Err(error),
    };
    let report = Report { ok: findings.is_empty(), findings };
    if args.json {
        say!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        report.findings.iter().for_each(print);
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

fn findings(args: &Args, forks: &Forks) -> anyhow::Result<Vec<Finding>> {
    let install = if args.no_install { Install::Refused } else { Install::Allowed };
    let setting = Setting { forks, archs: &args.arch, install };
    let gates = args.gates.as_ref().map(|names| Gates::prepare(&setting, names)).transpose()?;
    let mut findings = forks::verify::verify(forks, args.evidence)?;
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
