//! Paired log ratios and their t interval.

use std::collections::BTreeMap;

use serde::Serialize;

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
    let centre = mean(logs.iter().copied())?;
    let blocks = logs.len();
    let interval = (blocks > 1).then(|| {
        let variance = logs.iter().map(|log| (log - centre).powi(2)).sum::<f64>() / (blocks - 1) as f64;
        let half = student_t_975(blocks - 1) * (variance / blocks as f64).sqrt();
        ((centre - half).exp(), (centre + half).exp())
    });
    Some(Effect { blocks, ratio: centre.exp(), interval, enough: blocks >= FEWEST_BLOCKS })
}

pub(super) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (n, sum) = values.fold((0_usize, 0.0), |(n, sum), value| (n + 1, sum + value));
    (n > 0).then(|| sum / n as f64)
}

/// The 97.5 % point of Student's t: the first ten from the table, then the Cornish-Fisher expansion from the normal
/// (Abramowitz and Stegun 26.7.5), which is right to 0.0002 from 11 degrees on.
fn student_t_975(degrees: usize) -> f64 {
    const FIRST: [f64; 10] = [12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281];
    if let Some(&exact) = FIRST.get(degrees.wrapping_sub(1)) {
        return exact;
    }
    let n = degrees as f64;
    let z: f64 = 1.959_963_985;
    let g1 = (z.powi(3) + z) / 4.0;
    let g2 = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    let g3 = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0;
    z + g1 / n + g2 / n.powi(2) + g3 / n.powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(values: &[f64]) -> BTreeMap<usize, f64> {
        values.iter().copied().enumerate().collect()
    }

    #[test]
    fn t_agrees_with_the_tables() {
        for (degrees, table) in
            [(1, 12.7062), (5, 2.5706), (11, 2.2010), (15, 2.1314), (30, 2.0423), (60, 2.0003), (120, 1.9799)]
        {
            assert!((student_t_975(degrees) - table).abs() < 2e-4, "{degrees}: {}", student_t_975(degrees));
        }
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
        assert!((high.ln() - 4.3027 * 0.1 / 3.0_f64.sqrt()).abs() < 1e-9);
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
