//! What must be so before the first timed process: the binaries are the plan's, and the parameters are there.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use bench_core::arm::sha256_hex;
use bench_core::plan::Plan;

use crate::error::{Context, RunnerError};
use crate::progress::Progress;
use crate::session::Session;

/// Checks the SHA-256 of every binary of the plan.
pub(crate) fn check_binaries(plan: &Plan, folder: &Path) -> Result<(), RunnerError> {
    for arm in &plan.arms {
        for build in arm.builds.values() {
            let path = folder.join(&build.binary);
            let found = sha256_hex(&fs::read(&path).context("read", &path)?);
            if found != build.binary_sha256 {
                let (arm, expected) = (arm.arm.clone(), build.binary_sha256.clone());
                return Err(RunnerError::OtherBinary { path, arm, found, expected });
            }
        }
    }
    Ok(())
}

/// Has the parameters of every workload made, so that no timed process makes them. Cached ones are kept.
pub(crate) fn make_parameters(plan: &Plan, session: &Session, progress: &mut Progress) -> Result<(), RunnerError> {
    let mut made = BTreeSet::new();
    for case in &plan.cases {
        if !made.insert((&case.workload, &case.recording)) {
            continue;
        }
        let arm = plan.arms_of(&case.path)[0];
        progress.say(&format!("parameters of {}", case.workload));
        parameters(session, &arm.builds[&case.path].binary, &case.workload, case.recording.as_ref())?;
    }
    Ok(())
}

/// Has one workload's parameters made; gives what `prove-once params` prints.
pub(crate) fn parameters(
    session: &Session,
    binary: &str,
    workload: &str,
    recording: Option<&String>,
) -> Result<String, RunnerError> {
    let mut args = vec!["params".into()];
    args.extend(session.workload_args(workload, recording));
    let ended = session.start(&format!("parameters of {workload}"), binary, args)?;
    if ended.status.success() {
        return Ok(ended.stdout);
    }
    Err(RunnerError::Parameters {
        binary: session.folder.join(binary),
        workload: workload.to_owned(),
        reason: if ended.timed_out { "too slow".into() } else { ended.status.to_string() },
        log: session.log.clone(),
    })
}
