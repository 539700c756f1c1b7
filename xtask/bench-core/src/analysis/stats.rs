//! Paired log ratios and their t interval.

use std::collections::BTreeMap;

use serde::Serialize;

use super::student::quantile;

/// With fewer paired blocks than this an interval is shown and called too small.
pub const FEWEST_BLOCKS: usize = 6;

/// The ratio of an arm to another, from pairs within blocks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Effect {
    /// Paired blocks.
    pub blocks: usize,
    /// Geometric mean of the ratios: 0.9 is a tenth less.
    pub ratio: f64,
    /// 95 % t interval of the ratio; absent with a single block.
    pub interval: Option<(f64, f64)>,
    /// At least [`FEWEST_BLOCKS`] blocks.
    pub enough: bool,
}

/// Pairs two arms' values by block. Blocks that one of them lacks, and values that have no logarithm, are left out.
pub(super) fn paired(arm: &BTreeMap<usize, f64>, other: &BTreeMap<usize, f64>) -> Option<Effect> {
    let logs: Vec<f64> = arm
        .iter()
        .filter_map(|(block, value)| other.get(block).map(|base| (value / base).ln()))
        .filter(|log| log.is_finite())
        .collect();
    effect(&logs)
}

/// The effect whose log ratio in each block is given.
pub(super) fn effect(logs: &[f64]) -> Option<Effect> {
    let centre = mean(logs.iter().copied())?;
    let blocks = logs.len();
    let interval = deviation(logs).map(|deviation| {
        let half = quantile(0.975, blocks - 1) * deviation / (blocks as f64).sqrt();
        ((centre - half).exp(), (centre + half).exp())
    });
    Some(Effect { blocks, ratio: centre.exp(), interval, enough: blocks >= FEWEST_BLOCKS })
}

/// Standard deviation of a sample; absent with a single value.
pub(super) fn deviation(values: &[f64]) -> Option<f64> {
    let centre = mean(values.iter().copied())?;
    let squares = values.iter().map(|value| (value - centre).powi(2)).sum::<f64>();
    (values.len() > 1).then(|| (squares / (values.len() - 1) as f64).sqrt())
}

pub(super) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (n, sum) = values.fold((0_usize, 0.0), |(n, sum), value| (n + 1, sum + value));
    (n > 0).then(|| sum / n as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(values: &[f64]) -> BTreeMap<usize, f64> {
        values.iter().copied().enumerate().collect()
    }

    #[test]
    fn pairing_removes_what_a_block_has_in_common() {
        // The host gets 40 % slower from block to block; the arm is always 2 % slower than the base.
        let base = blocks(&[1.0, 1.4, 1.96, 2.744]);
        let arm = base.iter().map(|(&block, value)| (block, value * 1.02)).collect();
        let effect = paired(&arm, &base).unwrap();
        let (low, high) = effect.interval.unwrap();
        assert!((effect.ratio - 1.02).abs() < 1e-12 && high - low < 1e-9);
        assert!(!effect.enough);
    }

    #[test]
    fn the_interval_is_students() {
        // Log ratios -0.1, 0, 0.1: mean 0, standard error 0.1/sqrt(3), t = 4.3027.
        let base = blocks(&[1.0, 1.0, 1.0]);
        let arm = blocks(&[(-0.1_f64).exp(), 1.0, 0.1_f64.exp()]);
        let (low, high) = paired(&arm, &base).unwrap().interval.unwrap();
        assert!((high.ln() - 4.302_653 * 0.1 / 3.0_f64.sqrt()).abs() < 1e-7);
        assert!((low.ln() + high.ln()).abs() < 1e-9);
    }

    #[test]
    fn unpaired_blocks_and_zeros_are_left_out() {
        let base = BTreeMap::from([(0, 1.0), (2, 2.0), (3, 0.0)]);
        let arm = BTreeMap::from([(1, 9.0), (2, 3.0), (3, 1.0)]);
        let effect = paired(&arm, &base).unwrap();
        assert_eq!((effect.blocks, effect.ratio, effect.interval), (1, 1.5, None));
        assert_eq!(paired(&BTreeMap::from([(5, 1.0)]), &base), None);
    }
}
