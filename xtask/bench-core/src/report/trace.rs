//! One run as a timeline that Perfetto and Chrome read (the "Trace Event Format"): the process is the run, its threads are
//! the lanes, and every phase is a complete event.
//!
//! A receipt has the time of each phase since its proof's start and not what lay between two proofs, so proofs follow each
//! other without a gap, the untimed one first.

use serde_json::{Value, json};
use thiserror::Error;

use super::lanes::lanes;
use crate::output::Phase;
use crate::receipt::{Outcome, Receipt, Run};

/// Which run.
#[derive(Clone, Copy, Debug)]
pub struct Selector<'a> {
    /// The arm.
    pub arm: &'a str,
    /// Index into the plan's cases.
    pub case: usize,
    /// The block; the first that has a run that counts where there is none.
    pub block: Option<usize>,
}

/// Why there is no timeline.
#[derive(Debug, Error)]
#[error("no run of {arm} that counts in {place}; the runs there that do are {runs}")]
pub struct NoSuchRun {
    arm: String,
    place: String,
    runs: String,
}

/// The lane of the proofs themselves, above the others.
const PROOFS: &str = "proofs";

/// The timeline of one run as JSON.
pub fn trace(receipt: &Receipt, wanted: Selector<'_>) -> Result<String, NoSuchRun> {
    let run = selected(receipt, wanted)?;
    let place = format!("{}, block {}", receipt.plan.cases[run.case].title(), run.block);
    let mut timeline = Timeline::default();
    timeline.named("process_name", 0, &format!("{} in {place}", run.arm));
    timeline.lane(PROOFS);
    for (index, synthesis) in run.synthesis.iter().enumerate() {
        timeline.add(&format!("synthesis alone {}", index + 1), synthesis.wall_s, &synthesis.phases);
    }
    let mut timed = 0;
    for proof in &run.proofs {
        timed += usize::from(!proof.warmup);
        let name = if proof.warmup { "untimed proof".to_owned() } else { format!("proof {timed}") };
        timeline.add(&name, proof.wall_s, &proof.phases);
    }
    let about = json!({ "arm": run.arm, "case": place, "plan": receipt.plan.name, "seed": receipt.plan.seed });
    let document = json!({ "displayTimeUnit": "ms", "otherData": about, "traceEvents": timeline.events });
    Ok(format!("{document}\n"))
}

fn selected<'a>(receipt: &'a Receipt, wanted: Selector<'_>) -> Result<&'a Run, NoSuchRun> {
    let of_case = || {
        let of_case = receipt.runs.iter().filter(|run| run.case == wanted.case);
        of_case.filter(|run| run.outcome == Outcome::Proved && run.excluded.is_none())
    };
    let fits = |run: &&Run| run.arm == wanted.arm && wanted.block.is_none_or(|block| block == run.block);
    of_case().find(fits).ok_or_else(|| {
        let case = receipt.plan.cases.get(wanted.case).map(|case| format!(", {}", case.title()));
        let block = wanted.block.map(|block| format!(", block {block}"));
        let mut runs: Vec<String> = receipt
            .arms
            .iter()
            .filter_map(|arm| {
                let blocks: Vec<String> =
                    of_case().filter(|run| run.arm == arm.arm).map(|run| run.block.to_string()).collect();
                (!blocks.is_empty()).then(|| format!("{} in blocks {}", arm.arm, blocks.join(" ")))
            })
            .collect();
        if runs.is_empty() {
            runs.push("none".into());
        }
        NoSuchRun {
            arm: wanted.arm.to_owned(),
            place: format!("case {}{}{}", wanted.case, case.unwrap_or_default(), block.unwrap_or_default()),
            runs: runs.join("; "),
        }
    })
}

/// Events so far, and where the next proof starts.
#[derive(Default)]
struct Timeline {
    events: Vec<Value>,
    lanes: Vec<String>,
    start_s: f64,
}

impl Timeline {
    fn add(&mut self, name: &str, wall_s: f64, phases: &[Phase]) {
        self.event(PROOFS, name, (0.0, wall_s), json!({}));
        for lane in lanes(phases) {
            for (index, row) in lane.rows.iter().enumerate() {
                let lane = if index == 0 { lane.name.to_owned() } else { format!("{} ({})", lane.name, index + 1) };
                for phase in row {
                    self.event(&lane, &phase.name, (phase.start_s, phase.end_s), json!({ "circuit": phase.circuit }));
                }
            }
        }
        // A proof is verified after its time has been taken.
        self.start_s += phases.iter().map(|phase| phase.end_s).fold(wall_s, f64::max);
    }

    fn event(&mut self, lane: &str, name: &str, (start_s, end_s): (f64, f64), args: Value) {
        let thread = self.lane(lane);
        let start = microseconds(self.start_s + start_s);
        let length = microseconds(self.start_s + end_s) - start;
        self.events.push(json!({
            "ph": "X", "pid": 1, "tid": thread, "name": name, "cat": lane, "ts": start, "dur": rounded(length), "args": args,
        }));
    }

    /// The thread of a lane, named when it is first seen.
    fn lane(&mut self, name: &str) -> usize {
        if let Some(at) = self.lanes.iter().position(|lane| lane == name) {
            return at + 1;
        }
        self.lanes.push(name.to_owned());
        let thread = self.lanes.len();
        self.named("thread_name", thread, name);
        let order = json!({ "sort_index": thread });
        self.events.push(json!({ "ph": "M", "pid": 1, "tid": thread, "name": "thread_sort_index", "args": order }));
        thread
    }

    fn named(&mut self, what: &str, thread: usize, name: &str) {
        self.events.push(json!({ "ph": "M", "pid": 1, "tid": thread, "name": what, "args": { "name": name } }));
    }
}

fn microseconds(seconds: f64) -> f64 {
    rounded(seconds * 1e6)
}

/// To a nanosecond: a sum of two times has more digits than either.
fn rounded(microseconds: f64) -> f64 {
    (microseconds * 1e3).round() / 1e3
}
