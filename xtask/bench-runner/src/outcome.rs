//! What a process of `prove-once` made of its task: from its exit status and output to an outcome.

use std::os::unix::process::ExitStatusExt;

use bench_core::arm::Build;
use bench_core::output::{Failure, Output};
use bench_core::receipt::Outcome;

use crate::process::Ended;
use crate::session::Session;

/// How the process ended, with what it printed as far as that can be read. It must name the build's fingerprint, the path
/// and, where given, the batch.
pub(crate) fn outcome(
    ended: &Ended,
    session: &Session,
    build: &Build,
    path: &str,
    batch: Option<usize>,
) -> (Outcome, Output) {
    if ended.timed_out {
        return (Outcome::TimedOut { after_s: session.timeout.as_secs() }, Output::default());
    }
    let exit = match (ended.status.code(), ended.status.signal()) {
        (Some(exit), _) => exit,
        (None, signal) => {
            return (Outcome::Crashed { signal: signal.unwrap_or_default() }, Output::default());
        }
    };
    let output = match Output::parse(&ended.stdout) {
        Ok(output) => output,
        Err(error) => {
            return (Outcome::Unreadable { exit, message: error.to_string() }, Output::default());
        }
    };
    let could_not_start = output.error.is_some() && output.fingerprint.is_none();
    let outcome = match mismatch(&output, build, path, batch) {
        Some(message) if !could_not_start => Outcome::Unreadable { exit, message },
        _ => proved_or_failed(exit, &output),
    };
    (outcome, output)
}

fn proved_or_failed(exit: i32, output: &Output) -> Outcome {
    let error = match &output.error {
        Some(error) => Some(error.clone()),
        None if output.proofs.iter().any(|proof| !proof.valid) => {
            Some(Failure { kind: "invalid-proof".into(), message: "a proof does not verify".into() })
        }
        None if exit != 0 => {
            Some(Failure { kind: "exit".into(), message: format!("exit status {exit} without an error") })
        }
        None => None,
    };
    error.map_or(Outcome::Proved, |error| Outcome::Failed { exit, error })
}

/// Why the output is not that of the binary and case asked for.
fn mismatch(output: &Output, build: &Build, path: &str, batch: Option<usize>) -> Option<String> {
    let batch = batch.unwrap_or(output.batch);
    let fingerprint = output.fingerprint.as_deref().unwrap_or_default();
    let differs = |what: &str, found: &str, wanted: &str| Some(format!("{what} \"{found}\" instead of \"{wanted}\""));
    match () {
        () if fingerprint != build.fingerprint => differs("fingerprint", fingerprint, &build.fingerprint),
        () if output.path != path => differs("path", &output.path, path),
        () if output.batch != batch => differs("batch", &output.batch.to_string(), &batch.to_string()),
        () => None,
    }
}
