//! One workload proved once: the process that a benchmark runs.
//!
//! It knows nothing of arms and patches but the two strings that its build hands it. Standard output gets
//! one JSON object; proofs have INSECURE fixed randomness and test parameters, and are good for nothing
//! but comparison.

mod backend;
mod cli;
mod failure;
mod forked;
mod insecure_randomness;
mod phases;
mod process;
mod report;
mod run;
mod slow_down;
mod snapshot;
mod subject;
mod usage;

#[cfg(all(feature = "filecoin", feature = "stock-path"))]
compile_error!(
    "features filecoin and stock-path exclude each other: stock-path replaces bellperson's native prover, against which storage-proofs does not compile; use --no-default-features"
);

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use serde_json::{Value, json};

use cli::{Cli, Verb};
use failure::{Failure, Kind};
use subject::Subject;

fn main() -> anyhow::Result<ExitCode> {
    let verb = Cli::parse().verb;
    let (threads, verbose) = match &verb {
        Verb::Prove(args) => (args.threads, args.verbose),
        _ => (None, false),
    };
    let settled =
        process::settle(threads).and_then(|()| cuzk_circuits::pin_settings().map_err(Failure::of(Kind::Environment)));
    let (object, code) = match settled {
        Ok(()) => {
            failure::keep_panics();
            phases::listen(verbose);
            perform(&verb)?
        }
        Err(failure) => failed(failure),
    };
    match writeln!(std::io::stdout(), "{object}") {
        Ok(()) => Ok(ExitCode::from(code)),
        // Whoever would have read it has gone.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(ExitCode::from(code)),
        Err(error) => Err(error).context("cannot write to standard output"),
    }
}

/// The JSON to print and the exit code.
fn perform(verb: &Verb) -> anyhow::Result<(String, u8)> {
    let outcome = match verb {
        Verb::Prove(args) => {
            let report = run::prove(args);
            let code = report.error.as_ref().map_or(0, |error| {
                eprintln!("prove-once: {}", error.message());
                error.exit_code()
            });
            return Ok((serde_json::to_string(&report).context("the report as JSON")?, code));
        }
        Verb::Record { workload, to } => record(workload, to),
        Verb::Params { subject, folder } => params(subject, folder),
        Verb::Devices => devices(),
        Verb::Workloads => Ok(json!({ "schema": 1, "workloads": cuzk_circuits::KNOWN_WORKLOADS })),
    };
    Ok(outcome.map_or_else(failed, |object| (object.to_string(), 0)))
}

fn failed(failure: Failure) -> (String, u8) {
    eprintln!("prove-once: {}", failure.message());
    let code = failure.exit_code();
    (json!({ "schema": 1, "error": failure }).to_string(), code)
}

fn record(workload: &str, to: &std::path::Path) -> Result<Value, Failure> {
    let subject = Subject::from_workload(workload)?;
    subject.recording.write(to).map_err(Failure::of(Kind::Recording))?;
    let hash = report::hex(&subject.recording.r1cs().circuit_hash());
    Ok(json!({ "schema": 1, "workload": subject.name, "circuit_hash": hash, "recording": to }))
}

fn devices() -> Result<Value, Failure> {
    let devices = cuzk_cuda::devices().map_err(Failure::of(Kind::Environment))?;
    let shown: Vec<Value> = devices
        .iter()
        .map(|device| {
            let (major, minor) = device.compute_capability;
            json!({
                "index": device.index,
                "name": device.name,
                "architecture": format!("sm_{major}{minor}"),
                "memory_bytes": device.memory_bytes,
            })
        })
        .collect();
    Ok(json!({ "schema": 1, "devices": shown }))
}

fn params(asked: &cli::Subject, folder: &cli::ParamsDir) -> Result<Value, Failure> {
    let subject = Subject::build(asked)?;
    let obtained = cuzk_srs::obtain(&folder.params_dir, &subject.recording).map_err(Failure::of(Kind::Parameters))?;
    let hash = report::hex(&subject.recording.r1cs().circuit_hash());
    Ok(json!({
        "schema": 1,
        "workload": subject.name,
        "circuit_hash": hash,
        "params": obtained.parameters.path(),
        "made": obtained.made,
    }))
}
