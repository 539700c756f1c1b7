//! Blocks in shuffled order, one process after another, and a receipt that grows by whole blocks.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bench_core::arm::{Arm, Build, sha256_hex};
use bench_core::name::receipt_path;
use bench_core::order::order;
use bench_core::output::{Failure, Output};
use bench_core::plan::{Case, Plan};
use bench_core::receipt::{BlockState, Outcome, Process, Receipt, Run};

use crate::error::{Context, RunnerError};
use crate::gpu::Gpus;
use crate::process::Ended;
use crate::session::Session;
pub use crate::store::Interrupted;
use crate::{host, prepare, store};

/// Where things lie, and what to do with an interrupted benchmark.
#[derive(Clone, Debug)]
pub struct Options {
    /// The plan's folder.
    pub folder: PathBuf,
    /// Receipts go below it.
    pub out: PathBuf,
    /// Logs and the receipt of an unfinished benchmark go here.
    pub scratch: PathBuf,
    /// Cache of test parameters.
    pub params_dir: PathBuf,
    /// An unfinished benchmark of the same plan.
    pub interrupted: Interrupted,
    /// Start no block after this time, as on a host that is lent for so long. Time says nothing of the figures, so
    /// stopping by it biases none.
    pub within: Option<Duration>,
}

/// A benchmark that has run to its end.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The record.
    pub receipt: Receipt,
    /// Where it was written.
    pub path: PathBuf,
    /// Whether every block has run; if not, it can be resumed.
    pub complete: bool,
}

/// What would stop [`run`] whatever the plan's binaries are, so that it can be told before they are built.
pub fn check_folders(plan: &str, options: &Options) -> Result<(), RunnerError> {
    store::check_writable(&options.out)?;
    store::check_writable(&options.scratch)?;
    store::check_interrupted(&store::partial_path(&options.scratch, plan), options.interrupted)
}

/// Runs a plan. `say` gets a line between processes, never during one.
pub fn run(plan: &Plan, options: &Options, say: &mut dyn FnMut(&str)) -> Result<Finished, RunnerError> {
    check_folders(&plan.name, options)?;
    prepare::check_binaries(plan, &options.folder)?;
    let gpus = Gpus::find();
    let partial = store::partial_path(&options.scratch, &plan.name);
    let mut receipt = store::open(&partial, Receipt::new(plan, host::describe(&gpus)), options.interrupted)?;
    let session = Session {
        folder: options.folder.clone(),
        params_dir: options.params_dir.clone(),
        timeout: Duration::from_secs(plan.timeout_s),
        log: options.scratch.join(format!("{}.log", plan.name)),
    };
    if receipt.blocks.is_empty() {
        store::remove(&session.log)?;
    }
    prepare::make_parameters(plan, &session, say)?;
    let started = Instant::now();
    let out_of_time = || options.within.is_some_and(|limit| started.elapsed() >= limit);
    let places = (0..plan.blocks).flat_map(|block| (0..plan.cases.len()).map(move |case| (case, block)));
    let mut complete = true;
    for (case, block) in places.filter(|&(case, block)| !receipt.has_block(case, block)).collect::<Vec<_>>() {
        if out_of_time() {
            complete = false;
            break;
        }
        run_block(plan, &session, &gpus, (case, block), &mut receipt, say)?;
        store::write(&partial, &receipt.to_text())?;
    }
    let path = options.out.join(receipt_path(&receipt));
    store::write(&path, &receipt.to_text())?;
    if complete {
        store::remove(&partial)?;
    }
    Ok(Finished { receipt, path, complete })
}

fn run_block(
    plan: &Plan,
    session: &Session,
    gpus: &Gpus,
    (index, block): (usize, usize),
    receipt: &mut Receipt,
    say: &mut dyn FnMut(&str),
) -> Result<(), RunnerError> {
    let case = &plan.cases[index];
    let arms = plan.arms_of(&case.path);
    let before = gpus.state();
    for (slot, chosen) in order(plan.seed, index, block, arms.len()).into_iter().enumerate() {
        let arm = arms[chosen];
        let run = run_process(session, gpus, arm, case, (index, block, slot))?;
        let place = format!("block {}/{} {}", block + 1, plan.blocks, case.title());
        say(&format!("{place} {}: {} in {:.1} s", arm.arm, run.outcome.describe(), run.process.wall_s));
        receipt.runs.push(run);
    }
    receipt.blocks.push(BlockState { case: index, block, before, after: gpus.state() });
    Ok(())
}

fn run_process(
    session: &Session,
    gpus: &Gpus,
    arm: &Arm,
    case: &Case,
    (index, block, slot): (usize, usize, usize),
) -> Result<Run, RunnerError> {
    let build = &arm.builds[&case.path];
    let mut args = vec!["prove".into()];
    args.extend(session.workload_args(&case.workload, case.recording.as_ref()));
    args.extend(["--path", &case.path, "--batch", &case.batch.to_string()].map(Into::into));
    args.extend(case.args.iter().map(Into::into));
    let title = format!("{} in {}, block {block}", arm.arm, case.title());
    let start = || session.start(&title, &build.binary, args);
    let (ended, vram) = if case.path == "cpu" { (start(), None) } else { gpus.peak_during(start) };
    let ended = ended?;
    let (outcome, output) = outcome(&ended, session, build, &case.path, Some(case.batch));
    let process = Process {
        wall_s: ended.wall.as_secs_f64(),
        cpu_s: ended.usage.cpu.as_secs_f64(),
        minor_faults: ended.usage.minor_faults,
        major_faults: ended.usage.major_faults,
        peak_rss_bytes: ended.usage.peak_rss_bytes,
    };
    Ok(Run {
        arm: arm.arm.clone(),
        case: index,
        workload: case.workload.clone(),
        path: case.path.clone(),
        backend: output.backend,
        batch: case.batch,
        threads: output.threads,
        block,
        slot,
        cpu_s: output.cpu_s.unwrap_or(process.cpu_s),
        minor_faults: output.minor_faults.unwrap_or(process.minor_faults),
        major_faults: output.major_faults.unwrap_or(process.major_faults),
        // Some sandboxes account no peak to the parent; then the process's own word stands.
        peak_rss_bytes: process.peak_rss_bytes.max(output.peak_rss_bytes.unwrap_or_default()),
        process,
        peak_vram_bytes: output.peak_vram_bytes.or(vram),
        bytes_moved: output.bytes_moved,
        excluded: None,
        outcome,
        circuit_hash: output.circuit_hash,
        snapshot_sha256: output.snapshot.map(|text| sha256_hex(text.trim().as_bytes())),
        synthesis: output.synthesis,
        proofs: output.proofs,
    })
}

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

/// Reads the plan at `path` and checks it.
pub fn read_plan(path: &Path) -> Result<Plan, RunnerError> {
    let text = std::fs::read_to_string(path).context("read", path)?;
    Plan::parse(&text).map_err(|source| RunnerError::Plan { path: path.to_owned(), source })
}
