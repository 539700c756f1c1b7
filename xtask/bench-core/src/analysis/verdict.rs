//! An effect in words. Nothing within the floor is faster or slower; `no difference` is a claim of its own, which needs
//! an interval within narrow bounds, and what is neither says how many more blocks would settle it.

use serde::Serialize;

use super::estimate::Estimate;
use super::holm::Decision;
use super::stats::FEWEST_BLOCKS;
use super::student::quantile;

/// No difference below this is of interest.
const OF_INTEREST: f64 = 1.01;
/// The probability with which the blocks that are asked for settle the question.
const POWER: f64 = 0.9;
/// Beyond so many more blocks, another number says nothing more.
const MOST_BLOCKS: usize = 999;

/// What a campaign says of one effect.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Verdict {
    /// Less than without, beyond noise and floor.
    Faster,
    /// More than without, beyond noise and floor.
    Slower,
    /// Any difference is smaller than this.
    NoDifference {
        /// The bound as a ratio above 1.
        bound: f64,
    },
    /// Neither an effect nor the absence of one is shown.
    Inconclusive {
        /// Blocks that would settle it, with a probability of 90 %, if effect, noise and floor are what they seem; absent
        /// when more than 999.
        more_blocks: Option<usize>,
    },
}

impl Verdict {
    /// Whether it is an effect.
    pub fn is_effect(self) -> bool {
        matches!(self, Self::Faster | Self::Slower)
    }
}

/// Judges an effect against the floor of pairs, both as log ratios; absent with too few blocks.
pub(super) fn judge(estimate: &Estimate, floor: f64, decision: Decision) -> Option<Verdict> {
    let floor = floor * estimate.reach;
    let (low, high) = estimate.effect.interval.filter(|_| estimate.effect.enough)?;
    let log = estimate.log();
    if decision.effect && log.abs() > floor {
        return Some(if log < 0.0 { Verdict::Faster } else { Verdict::Slower });
    }
    let bound = OF_INTEREST.ln().max(floor);
    if low.ln() > -bound && high.ln() < bound {
        return Some(Verdict::NoDifference { bound: bound.exp() });
    }
    let settled = Settled { log: log.abs(), deviation: estimate.deviation?, floor, bound, level: decision.level };
    Some(Verdict::Inconclusive { more_blocks: settled.after(estimate.effect.blocks) })
}

/// What decides how many blocks settle a question: an estimate misses by up to t × deviation / √blocks.
struct Settled {
    log: f64,
    deviation: f64,
    floor: f64,
    bound: f64,
    level: f64,
}

impl Settled {
    /// The fewest blocks more.
    fn after(&self, blocks: usize) -> Option<usize> {
        let (mut too_few, mut enough) = (0, MOST_BLOCKS);
        if !self.by(blocks + enough) {
            return None;
        }
        while enough - too_few > 1 {
            let middle = too_few.midpoint(enough);
            if self.by(blocks + middle) { enough = middle } else { too_few = middle }
        }
        Some(enough)
    }

    fn by(&self, blocks: usize) -> bool {
        let unit = self.deviation / (blocks as f64).sqrt();
        let miss = quantile(POWER, blocks - 1) * unit;
        let half = |level: f64| quantile(1.0 - level / 2.0, blocks - 1) * unit;
        let is_none = self.log + miss + half(0.05) < self.bound;
        let is_effect = self.log - miss > half(self.level).max(self.floor);
        blocks >= FEWEST_BLOCKS && (is_none || is_effect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::bootstrap::Bootstrap;

    /// An effect around which eight blocks scatter with this standard deviation.
    fn estimate(log: f64, deviation: f64) -> Estimate {
        let unit = deviation * (7.0_f64 / 8.0).sqrt();
        let logs: Vec<f64> = (0..8).map(|block| log + if block % 2 == 0 { unit } else { -unit }).collect();
        Estimate::new(&logs, &mut Bootstrap::default()).unwrap()
    }

    fn verdict(log: f64, deviation: f64, floor: f64) -> Verdict {
        let estimate = estimate(log, deviation);
        let effect = estimate.p_value.unwrap() <= 0.05;
        judge(&estimate, floor, Decision { effect, level: 0.05 }).unwrap()
    }

    #[test]
    fn within_the_floor_nothing_is_faster() {
        assert_eq!((verdict(-0.02, 0.005, 0.01), verdict(0.02, 0.005, 0.01)), (Verdict::Faster, Verdict::Slower));
        assert_eq!(verdict(0.02, 0.005, 0.03), Verdict::NoDifference { bound: 0.03_f64.exp() });
        assert_eq!(verdict(0.005, 0.004, 0.006), Verdict::NoDifference { bound: 1.01 });
        assert!(matches!(verdict(0.02, 0.02, 0.021), Verdict::Inconclusive { .. }));
        assert!(matches!(verdict(0.003, 0.012, 0.004), Verdict::Inconclusive { .. }));
    }

    #[test]
    fn the_blocks_asked_for_are_those_of_the_power_formula() {
        // ((1.960 + 1.282) × 0.012 / ln 1.01)² is 15.3; with t in place of the normal it is 18.
        assert_eq!(verdict(0.0, 0.012, 0.0), Verdict::Inconclusive { more_blocks: Some(10) });
        assert_eq!(verdict(0.0, 0.5, 0.0), Verdict::Inconclusive { more_blocks: None });
    }
}
