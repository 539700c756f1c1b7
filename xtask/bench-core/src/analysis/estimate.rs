//! A contrast of arms: log ratios formed within blocks, so that what a block has in common cancels, and from their spread
//! over the blocks two intervals and a p-value. Every effect is one, from a pair of arms to a share of a fitted model.

use std::collections::BTreeMap;

use serde::Serialize;

use super::bootstrap::Bootstrap;
use super::metrics::Metric;
use super::stats::{self, Effect};
use super::student;
use crate::receipt::Run;

/// An effect with all that a verdict needs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The ratio and its t interval.
    #[serde(flatten)]
    pub effect: Effect,
    /// 95 % interval of the ratio from resampled blocks; absent with a single block.
    pub bootstrap: Option<(f64, f64)>,
    /// How probable a ratio as far from 1 is where there is no effect; absent with a single block.
    pub p_value: Option<f64>,
    /// Standard deviation over the blocks of the log ratio; absent with a single block.
    pub deviation: Option<f64>,
    /// What independent differences between binaries make of this contrast, against what they make of a pair: √(Σw²/2)
    /// over its weights. A share averages many binaries; an interaction adds up four.
    pub reach: f64,
}

impl Estimate {
    /// Of a contrast of arms.
    pub(super) fn of(samples: &Samples<'_>, weights: &[(&str, f64)], bootstrap: &mut Bootstrap) -> Option<Self> {
        let squares: f64 = weights.iter().map(|(_, weight)| weight * weight).sum();
        Some(Self { reach: (squares / 2.0).sqrt(), ..Self::new(&samples.contrast(weights), bootstrap)? })
    }

    /// From the log ratio of a pair in each block.
    pub(super) fn new(logs: &[f64], bootstrap: &mut Bootstrap) -> Option<Self> {
        let effect = stats::effect(logs)?;
        let deviation = stats::deviation(logs);
        let p_value = deviation.map(|deviation| match effect.ratio.ln() {
            0.0 => 1.0,
            log => student::two_sided(log.abs() * (logs.len() as f64).sqrt() / deviation, logs.len() - 1),
        });
        let bootstrap = bootstrap.interval(logs).map(|(low, high)| (low.exp(), high.exp()));
        Some(Self { effect, bootstrap, p_value, deviation, reach: 1.0 })
    }

    /// The log ratio.
    pub(super) fn log(&self) -> f64 {
        self.effect.ratio.ln()
    }

    /// Whether the two intervals say different things: one lies on one side of no effect and the other does not.
    pub fn intervals_disagree(&self) -> bool {
        let side = |(low, high): (f64, f64)| (low > 1.0, high < 1.0);
        self.effect.interval.map(side) != self.bootstrap.map(side)
    }
}

/// Counts that are the same in every run leave less than this, without spread: an infinite t for no difference at all.
const ROUNDING: f64 = 1e-12;

/// An arm's weight in a contrast; the weights of a contrast add up to 0.
pub(super) type Weights<'a> = Vec<(&'a str, f64)>;

/// The logarithms of one metric: arm → block → value.
#[derive(Default)]
pub(super) struct Samples<'a>(BTreeMap<&'a str, BTreeMap<usize, f64>>);

impl<'a> Samples<'a> {
    /// Values that have no logarithm are left out.
    pub(super) fn new(metric: &Metric, runs: &BTreeMap<&'a str, Vec<&Run>>) -> Self {
        let logs = |runs: &Vec<&Run>| {
            let values = metric.by_block(runs).into_iter().map(|(block, value)| (block, value.ln()));
            values.filter(|(_, log)| log.is_finite()).collect()
        };
        Self(runs.iter().map(|(arm, runs)| (*arm, logs(runs))).collect())
    }

    /// The contrast in each block that has all its arms.
    pub(super) fn contrast(&self, weights: &[(&str, f64)]) -> Vec<f64> {
        let weights: Vec<_> = weights.iter().copied().filter(|(_, weight)| weight.abs() > 1e-12).collect();
        self.contrast_in(&weights, &self.blocks(&weights))
    }

    /// The contrast in each of these blocks, which have all its arms.
    pub(super) fn contrast_in(&self, weights: &[(&str, f64)], blocks: &[usize]) -> Vec<f64> {
        let logs = weights.iter().map(|(arm, weight)| Some((self.0.get(arm)?, weight)));
        // An arm that has not run yet is in no block.
        let Some(logs) = logs.collect::<Option<Vec<_>>>() else { return Vec::new() };
        let in_block = |block| logs.iter().map(|(logs, weight)| *weight * logs[block]).sum::<f64>();
        blocks.iter().map(in_block).map(|log| if log.abs() < ROUNDING { 0.0 } else { log }).collect()
    }

    /// The blocks that have all the arms of a contrast.
    pub(super) fn blocks(&self, weights: &[(&str, f64)]) -> Vec<usize> {
        let has = |arm: &str, block: &usize| self.0.get(arm).is_some_and(|logs| logs.contains_key(block));
        let first = weights.first().and_then(|(arm, _)| self.0.get(arm));
        let blocks = first.into_iter().flat_map(BTreeMap::keys).copied();
        blocks.filter(|block| weights.iter().all(|(arm, _)| has(arm, block))).collect()
    }
}

/// `arm` over `base`.
pub(super) fn pair<'a>(arm: &'a str, base: &'a str) -> Weights<'a> {
    vec![(arm, 1.0), (base, -1.0)]
}
