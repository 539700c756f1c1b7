//! One block: every arm of a case once, in shuffled order, and what disturbed it.

use bench_core::arm::{Arm, sha256_hex};
use bench_core::order::order;
use bench_core::plan::{Case, Plan};
use bench_core::receipt::{BlockState, Process, Receipt, Run};
use bench_core::role::Role;

use crate::disturbed::Watch;
use crate::error::RunnerError;
use crate::gpu::{Gpus, Seen};
use crate::outcome::outcome;
use crate::progress::Progress;
use crate::session::Session;

/// Where a run stands.
#[derive(Clone, Copy)]
struct Place {
    case: usize,
    block: usize,
    slot: usize,
}

/// What blocks are run with.
pub(crate) struct Bench<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) session: &'a Session,
    pub(crate) gpus: &'a Gpus,
    /// Which of the receipt's hosts this is.
    pub(crate) host: usize,
}

impl Bench<'_> {
    /// Runs a block and adds it to the receipt; of a disturbed one, all runs are excluded.
    pub(crate) fn run_block(
        &self,
        case: usize,
        block: usize,
        receipt: &mut Receipt,
        progress: &mut Progress,
    ) -> Result<(), RunnerError> {
        let arms = self.plan.arms_of(&self.plan.cases[case].path);
        let before = self.gpus.state();
        let watch = Watch::start(&self.session.proc, self.gpus);
        let mut throttled = 0;
        let mut runs = Vec::new();
        for (slot, chosen) in order(self.plan.seed, case, block, arms.len()).into_iter().enumerate() {
            let (run, seen) = self.run_process(arms[chosen], Place { case, block, slot })?;
            throttled |= seen.throttle_reasons;
            let place = format!("block {}/{} {}", block + 1, self.plan.blocks, self.plan.cases[case].title());
            let ended = run.outcome.describe();
            progress.step(&format!("{place} {}: {ended} in {:.1} s", run.arm, run.process.wall_s));
            runs.push(run);
        }
        let disturbed = watch.cause(self.gpus, throttled);
        if let Some(cause) = &disturbed {
            progress.say(&format!("block {} does not count: {cause}", block + 1));
            runs.iter_mut().for_each(|run| run.excluded = Some(cause.clone()));
        }
        receipt.runs.append(&mut runs);
        receipt.blocks.push(BlockState { case, block, before, after: self.gpus.state(), host: self.host, disturbed });
        Ok(())
    }

    fn run_process(&self, arm: &Arm, place: Place) -> Result<(Run, Seen), RunnerError> {
        let case = &self.plan.cases[place.case];
        let build = &arm.builds[&case.path];
        let title = format!("{} in {}, block {}", arm.arm, case.title(), place.block);
        let start = || self.session.start(&title, &build.binary, self.args(arm, case));
        let (ended, seen) = if case.path == "cpu" { (start(), Seen::default()) } else { self.gpus.watch_during(start) };
        let ended = ended?;
        let (outcome, output) = outcome(&ended, self.session, build, &case.path, Some(case.batch));
        let process = Process {
            wall_s: ended.wall.as_secs_f64(),
            cpu_s: ended.usage.cpu.as_secs_f64(),
            minor_faults: ended.usage.minor_faults,
            major_faults: ended.usage.major_faults,
            peak_rss_bytes: ended.usage.peak_rss_bytes,
        };
        let run = Run {
            arm: arm.arm.clone(),
            case: place.case,
            workload: case.workload.clone(),
            path: case.path.clone(),
            backend: output.backend,
            batch: case.batch,
            threads: output.threads,
            block: place.block,
            slot: place.slot,
            cpu_s: output.cpu_s.unwrap_or(process.cpu_s),
            minor_faults: output.minor_faults.unwrap_or(process.minor_faults),
            major_faults: output.major_faults.unwrap_or(process.major_faults),
            // Some sandboxes account no peak to the parent; then the process's own word stands.
            peak_rss_bytes: process.peak_rss_bytes.max(output.peak_rss_bytes.unwrap_or_default()),
            process,
            peak_vram_bytes: output.peak_vram_bytes.or(seen.peak_vram_bytes),
            bytes_moved: output.bytes_moved.or(seen.bus_bytes),
            excluded: None,
            outcome,
            circuit_hash: output.circuit_hash,
            snapshot_sha256: output.snapshot.map(|text| sha256_hex(text.trim().as_bytes())),
            synthesis: output.synthesis,
            proofs: output.proofs,
        };
        Ok((run, seen))
    }

    fn args(&self, arm: &Arm, case: &Case) -> Vec<std::ffi::OsString> {
        let mut args = vec!["prove".into()];
        args.extend(self.session.workload_args(&case.workload, case.recording.as_ref()));
        args.extend(["--path", &case.path, "--batch", &case.batch.to_string()].map(Into::into));
        args.extend(case.args.iter().map(Into::into));
        if let Role::Control { phase, factor, .. } = &arm.role {
            args.extend(["--slowed".into(), format!("{}={factor}", phase.as_deref().unwrap_or("wall")).into()]);
        }
        args
    }
}
