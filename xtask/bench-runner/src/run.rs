//! Blocks in shuffled order, one process after another, and a receipt that grows by whole blocks.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bench_core::analysis::analyse;
use bench_core::name::receipt_path;
use bench_core::plan::Plan;
use bench_core::receipt::Receipt;

use crate::block::Bench;
use crate::error::{Context, RunnerError};
use crate::gpu::Gpus;
use crate::progress::Progress;
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
    /// The kernel's accounts of the whole machine: `/proc`.
    pub proc: PathBuf,
    /// An unfinished benchmark of the same plan.
    pub interrupted: Interrupted,
    /// Start no block that would end after this time, as far as those before it tell: as on a host that is lent for so
    /// long. Time says nothing of the figures, so stopping by it biases none.
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

/// Runs a plan. `progress` is told between processes, never during one.
pub fn run(plan: &Plan, options: &Options, progress: &mut Progress) -> Result<Finished, RunnerError> {
    check_folders(&plan.name, options)?;
    prepare::check_binaries(plan, &options.folder)?;
    let gpus = Gpus::find();
    let partial = store::partial_path(&options.scratch, &plan.name);
    let (mut receipt, host) = store::open(&partial, Receipt::new(plan, host::describe(&gpus)), options.interrupted)?;
    let session = Session {
        folder: options.folder.clone(),
        params_dir: options.params_dir.clone(),
        timeout: Duration::from_secs(plan.timeout_s),
        log: options.scratch.join(format!("{}.log", plan.name)),
        proc: options.proc.clone(),
    };
    if receipt.blocks.is_empty() {
        store::remove(&session.log)?;
    }
    progress.announce(plan, receipt.runs.iter().filter(|run| run.excluded.is_none()).count());
    prepare::make_parameters(plan, &session, progress)?;
    let bench = Bench { plan, session: &session, gpus: &gpus, host };
    let complete = blocks(&bench, options, &partial, &mut receipt, progress)?;
    progress.finish();
    let path = options.out.join(receipt_path(&receipt));
    store::write(&path, &receipt.to_text())?;
    if complete {
        store::remove(&partial)?;
    }
    Ok(Finished { receipt, path, complete })
}

/// Runs what blocks are left, until they are enough or time is up; whether they are enough.
fn blocks(
    bench: &Bench<'_>,
    options: &Options,
    partial: &Path,
    receipt: &mut Receipt,
    progress: &mut Progress,
) -> Result<bool, RunnerError> {
    let started = Instant::now();
    let mut longest = Duration::ZERO;
    for block in 0..bench.plan.blocks {
        if is_precise(bench.plan, receipt) {
            break;
        }
        for case in 0..bench.plan.cases.len() {
            while !receipt.has_block(case, block) {
                let began = started.elapsed();
                if options.within.is_some_and(|limit| began + longest >= limit) {
                    return Ok(false);
                }
                bench.run_block(case, block, receipt, progress)?;
                store::write(partial, &receipt.to_text())?;
                longest = longest.max(started.elapsed() - began);
            }
        }
    }
    Ok(true)
}

/// Whether the intervals are as narrow as the plan asks for. Their width says nothing of which side they lie on, so
/// stopping by it biases no verdict.
fn is_precise(plan: &Plan, receipt: &Receipt) -> bool {
    let reached = |width: f64| analyse(receipt).half_width().is_some_and(|widest| widest <= width);
    plan.until_precise.is_some_and(reached)
}

/// Reads the plan at `path` and checks it.
pub fn read_plan(path: &Path) -> Result<Plan, RunnerError> {
    let text = std::fs::read_to_string(path).context("read", path)?;
    Plan::parse(&text).map_err(|source| RunnerError::Plan { path: path.to_owned(), source })
}
