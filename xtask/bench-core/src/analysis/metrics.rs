//! The figures of a run, each reduced to one number per process: proofs within a process are averaged.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::output::Phase;
use crate::receipt::Run;

use super::stats::mean;

/// What can be compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Seconds of a timed proof.
    Wall,
    /// Seconds of a synthesis without a proof.
    SynthesisAlone,
    /// Seconds of a proof during which at least one lane was in this phase.
    Phase(String),
    /// User and system seconds of the timed part of the process.
    Cpu,
    /// Page faults of the timed part served without the disk.
    MinorFaults,
    /// Bytes resident at once.
    PeakRss,
    /// Bytes of device memory in use at once.
    PeakVram,
    /// Bytes over the bus.
    BytesMoved,
}

impl Metric {
    /// The metrics that these runs have, in the order of a report.
    pub(super) fn all(runs: &[&Run]) -> Vec<Self> {
        let mut seen = BTreeSet::new();
        let phases = timed(runs)
            .flat_map(|proof| &proof.phases)
            .filter(|phase| seen.insert(phase.name.as_str()))
            .map(|phase| Self::Phase(phase.name.clone()));
        let mut all = vec![Self::Wall, Self::SynthesisAlone];
        all.extend(phases);
        all.extend([Self::Cpu, Self::MinorFaults, Self::PeakRss, Self::PeakVram, Self::BytesMoved]);
        all
    }

    /// Block → value, for the runs that have it.
    pub(super) fn by_block(&self, runs: &[&Run]) -> BTreeMap<usize, f64> {
        runs.iter().filter_map(|run| Some((run.block, self.of(run)?))).collect()
    }

    fn of(&self, run: &Run) -> Option<f64> {
        let timed = run.proofs.iter().filter(|proof| !proof.warmup);
        match self {
            Self::Wall => mean(timed.map(|proof| proof.wall_s)),
            Self::SynthesisAlone => mean(run.synthesis.iter().map(|synthesis| synthesis.wall_s)),
            Self::Phase(name) => mean(timed.filter_map(|proof| covered_s(&proof.phases, name))),
            Self::Cpu => Some(run.cpu_s),
            Self::MinorFaults => Some(run.minor_faults as f64),
            Self::PeakRss => Some(run.peak_rss_bytes as f64),
            Self::PeakVram => run.peak_vram_bytes.map(|bytes| bytes as f64),
            Self::BytesMoved => run.bytes_moved.map(|bytes| bytes as f64),
        }
    }
}

fn timed<'a>(runs: &'a [&Run]) -> impl Iterator<Item = &'a crate::output::Proof> {
    runs.iter().flat_map(|run| &run.proofs).filter(|proof| !proof.warmup)
}

/// Length of the union of the intervals named `name`; circuits of a batch and lanes overlap.
fn covered_s(phases: &[Phase], name: &str) -> Option<f64> {
    let mut intervals: Vec<(f64, f64)> =
        phases.iter().filter(|phase| phase.name == name).map(|phase| (phase.start_s, phase.end_s)).collect();
    intervals.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut covered = 0.0;
    let mut reached = f64::NEG_INFINITY;
    for &(start, end) in &intervals {
        covered += (end - start.max(reached)).max(0.0);
        reached = reached.max(end);
    }
    (!intervals.is_empty()).then_some(covered)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase(name: &str, start_s: f64, end_s: f64) -> Phase {
        Phase { name: name.into(), circuit: 0, lane: "host".into(), start_s, end_s }
    }

    #[test]
    fn overlapping_lanes_count_once() {
        let phases = [
            phase("h", 4.0, 5.0),
            phase("h", 0.0, 2.0),
            phase("h", 1.0, 3.0),
            phase("h", 1.5, 1.75),
            phase("l", 0.0, 9.0),
        ];
        assert_eq!(covered_s(&phases, "h"), Some(4.0));
        assert_eq!(covered_s(&phases, "absent"), None);
    }
}
