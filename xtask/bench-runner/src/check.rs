//! Proofs and refusals that must come out exactly: every check of a plan in every arm that has a build for its path.

use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bench_core::arm::{Arm, Build};
use bench_core::output::Output;
use bench_core::plan::{Check, Expect, Parameters, Plan};
use bench_core::receipt::Outcome;

use crate::error::{Context, RunnerError};
use crate::outcome::outcome;
use crate::prepare;
use crate::progress::Progress;
use crate::run::Options;
use crate::session::Session;

/// What the checks gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// As expected.
    pub passed: usize,
    /// Otherwise.
    pub failed: usize,
    /// Listed and not judged.
    pub recorded: usize,
}

/// Runs every check; `progress` gets a line for each.
pub fn check(plan: &Plan, options: &Options, progress: &mut Progress) -> Result<Tally, RunnerError> {
    prepare::check_binaries(plan, &options.folder)?;
    let session = Session {
        folder: options.folder.clone(),
        params_dir: options.params_dir.clone(),
        timeout: Duration::from_secs(plan.timeout_s),
        log: options.scratch.join(format!("{}-check.log", plan.name)),
        proc: options.proc.clone(),
    };
    let mut tally = Tally::default();
    for check in &plan.checks {
        for arm in plan.arms_of(&check.path) {
            let (outcome, output) = prove(plan, &session, check, &arm.builds[&check.path], arm)?;
            let judged = judge(check, &outcome, &output, &session)?;
            let word = match &judged {
                _ if check.recorded_only.contains(&arm.arm) => {
                    tally.recorded += 1;
                    "recorded"
                }
                Ok(()) => {
                    tally.passed += 1;
                    "ok"
                }
                Err(_) => {
                    tally.failed += 1;
                    "FAILED"
                }
            };
            let detail = judged.err().map(|reason| format!(": {reason}")).unwrap_or_default();
            progress.say(&format!("{word} {} ({}, {}){detail}", check.name, arm.arm, check.path));
        }
    }
    Ok(tally)
}

fn prove(
    plan: &Plan,
    session: &Session,
    check: &Check,
    build: &Build,
    arm: &Arm,
) -> Result<(Outcome, Output), RunnerError> {
    let mut args: Vec<OsString> = vec!["prove".into()];
    args.extend(session.workload_args(&check.workload, check.recording.as_ref()));
    args.extend(["--path".into(), OsString::from(&check.path)]);
    args.extend(check.args.iter().map(Into::into));
    if let Some(parameters) = &check.parameters {
        let maker = &plan.arms_of(&check.path)[0].builds[&check.path].binary;
        args.extend(["--params".into(), other_parameters(session, maker, check, parameters)?.into_os_string()]);
    }
    let ended = session.start(&format!("{} in {}", check.name, arm.arm), &build.binary, args)?;
    Ok(outcome(&ended, session, build, &check.path, None))
}

/// Writes the parameters that the check asks for and gives their place.
fn other_parameters(
    session: &Session,
    maker: &str,
    check: &Check,
    wanted: &Parameters,
) -> Result<PathBuf, RunnerError> {
    if let Parameters::Of { workload, recording } = wanted {
        return parameter_file(session, maker, workload, recording.as_ref());
    }
    fs::create_dir_all(&session.params_dir).context("create", &session.params_dir)?;
    let right = parameter_file(session, maker, &check.workload, check.recording.as_ref())?;
    let damaged = session.params_dir.join(format!("damaged-{}.params", std::process::id()));
    fs::copy(&right, &damaged).context("copy", &right)?;
    damage(&damaged, wanted).context("damage", &damaged)?;
    Ok(damaged)
}

fn damage(path: &Path, how: &Parameters) -> std::io::Result<()> {
    let file = File::options().read(true).write(true).open(path)?;
    match *how {
        Parameters::CutTo(bytes) => file.set_len(bytes),
        Parameters::FlipBitAt(offset) => {
            let mut byte = [0];
            file.read_exact_at(&mut byte, offset)?;
            file.write_all_at(&[byte[0] ^ 1], offset)
        }
        Parameters::Of { .. } => Ok(()),
    }
}

fn parameter_file(
    session: &Session,
    maker: &str,
    workload: &str,
    recording: Option<&String>,
) -> Result<PathBuf, RunnerError> {
    let printed = prepare::parameters(session, maker, workload, recording)?;
    let value: serde_json::Value = serde_json::from_str(&printed).unwrap_or_default();
    match value["params"].as_str() {
        Some(path) => Ok(PathBuf::from(path)),
        None => Err(RunnerError::Parameters {
            binary: session.folder.join(maker),
            workload: workload.to_owned(),
            reason: "it names no \"params\" on stdout".into(),
            log: session.log.clone(),
        }),
    }
}

/// Ok, or why the outcome is not the expected one.
fn judge(
    check: &Check,
    outcome: &Outcome,
    output: &Output,
    session: &Session,
) -> Result<Result<(), String>, RunnerError> {
    let snapshot = |file: &String| {
        let path = session.folder.join(file);
        fs::read_to_string(&path).context("read", &path)
    };
    let seen = output.snapshot.as_deref().unwrap_or_default().trim();
    let proved = *outcome == Outcome::Proved && !output.proofs.is_empty();
    Ok(match &check.expect {
        _ if !proved && !matches!(check.expect, Expect::Error { .. }) => Err(outcome.describe()),
        Expect::Snapshot(file) => match snapshot(file)?.trim() == seen {
            true => Ok(()),
            false => Err(format!("the proof is not that of {file}; it is\n{seen}")),
        },
        Expect::NotSnapshot(file) => match snapshot(file)?.trim() != seen {
            true => Ok(()),
            false => Err(format!("the proof is that of {file}, which it must not be")),
        },
        Expect::Error { kind, message } => match outcome {
            Outcome::Failed { error, .. } if error.kind == *kind && error.message.contains(message) => Ok(()),
            other => Err(format!("expected the error {kind} with \"{message}\", got: {}", other.describe())),
        },
    })
}
