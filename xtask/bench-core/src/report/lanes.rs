//! The phases of a proof by lane. Phases of one lane may overlap, as a phase does that contains others; a viewer needs rows
//! in which none do.

use crate::output::Phase;

/// A thread or a stream with its phases.
pub(super) struct Lane<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// Phases in the order of their start; within a row none overlap.
    pub(super) rows: Vec<Vec<&'a Phase>>,
}

/// The lanes in the order of their first phase. Of phases that start together the longest comes first, and so above.
pub(super) fn lanes(phases: &[Phase]) -> Vec<Lane<'_>> {
    let mut sorted: Vec<&Phase> = phases.iter().collect();
    sorted.sort_by(|a, b| a.start_s.total_cmp(&b.start_s).then(b.end_s.total_cmp(&a.end_s)));
    let mut lanes: Vec<Lane<'_>> = Vec::new();
    for phase in sorted {
        match lanes.iter_mut().find(|lane| lane.name == phase.lane) {
            Some(lane) => lane.add(phase),
            None => lanes.push(Lane { name: &phase.lane, rows: vec![vec![phase]] }),
        }
    }
    lanes
}

impl<'a> Lane<'a> {
    fn add(&mut self, phase: &'a Phase) {
        let free = |row: &&mut Vec<&Phase>| row.last().is_none_or(|last| last.end_s <= phase.start_s);
        match self.rows.iter_mut().find(free) {
            Some(row) => row.push(phase),
            None => self.rows.push(vec![phase]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_that_overlap_have_rows_of_their_own() {
        let phase = |name: &str, lane: &str, start_s, end_s| Phase {
            name: name.into(),
            circuit: 0,
            lane: lane.into(),
            start_s,
            end_s,
        };
        let phases = [
            phase("b", "host", 2.0, 3.0),
            phase("prover", "host", 1.0, 4.0),
            phase("a", "host", 1.0, 2.0),
            phase("copy", "gpu", 0.5, 9.0),
            phase("next copy", "gpu", 8.0, 11.0),
            phase("synthesis", "host", 0.0, 1.0),
        ];
        let shown = |lane: &Lane<'_>| {
            let row = |row: &Vec<&Phase>| row.iter().map(|phase| phase.name.as_str()).collect::<Vec<_>>().join(" ");
            format!("{}: {}", lane.name, lane.rows.iter().map(row).collect::<Vec<_>>().join(" | "))
        };
        let shown: Vec<String> = lanes(&phases).iter().map(shown).collect();
        assert_eq!(shown, ["host: synthesis prover | a b", "gpu: copy | next copy"]);
    }
}
