//! How many blocks a campaign needs, before it runs.

use std::collections::BTreeSet;

use super::model::{self, Model};
use super::stats::FEWEST_BLOCKS;
use crate::arm::UPSTREAM;

/// Quantiles of the normal distribution for 95 % confidence on two sides and a power of 90 %.
const QUANTILES: f64 = 1.96 + 1.28;

/// What is asked of a campaign: to find this difference with a probability of 90 %, where a run varies by so much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question {
    /// The difference, as a part of 1.
    pub difference: f64,
    /// Standard deviation of the logarithm of a run's time, for what blocks do not have in common.
    pub deviation: f64,
}

/// The blocks that answer `question` for every patch of these arms (names and patches), by the contrast that its verdict
/// is on: the sum of its squared weights times (1.96 + 1.28)² (deviation / difference)², and never fewer than six. For two
/// arms that differ by a patch the sum is 2.
pub fn blocks(arms: &[(&str, &[String])], question: Question) -> usize {
    let plain = arms.iter().filter(|(name, _)| *name != UPSTREAM);
    let cells: Vec<(&str, BTreeSet<&str>)> =
        plain.map(|(name, patches)| (*name, patches.iter().map(String::as_str).collect())).collect();
    let all = model::all(&cells);
    let model = Model::new(cells, all);
    let contrasts = model.patches().iter().filter_map(|patch| {
        let contrast = model.share(patch).or_else(|| model.rest(patch)).or_else(|| model.alone(patch))?;
        Some(contrast.iter().map(|(_, weight)| weight * weight).sum::<f64>())
    });
    let ratio = QUANTILES * question.deviation / question.difference;
    let needed = contrasts.reduce(f64::max).unwrap_or_default() * ratio * ratio;
    (needed.ceil() as usize).max(FEWEST_BLOCKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(arms: &[&str], deviation: f64) -> usize {
        let patches: Vec<Vec<String>> = arms.iter().map(|arm| arm.chars().map(String::from).collect()).collect();
        let arms: Vec<(&str, &[String])> =
            arms.iter().zip(&patches).map(|(name, set)| (*name, set.as_slice())).collect();
        blocks(&arms, Question { difference: 0.01, deviation })
    }

    #[test]
    fn two_arms_need_what_the_formula_says() {
        // 2 × 3.24² × 0.8² is 13.4.
        assert_eq!(of(&["", "a"], 0.008), 14);
        assert_eq!(of(&["", "a"], 0.001), FEWEST_BLOCKS);
    }

    #[test]
    fn more_arms_need_fewer_blocks_for_a_share() {
        let seventeen = [
            "", "ab", "ac", "ad", "ae", "bc", "bd", "be", "cd", "ce", "de", "bcde", "acde", "abde", "abce", "abcd",
            "abcde",
        ];
        // 4.1 / 17 in place of 2.
        assert_eq!(of(&seventeen, 0.02), 11);
        assert_eq!(of(&["", "a"], 0.02), 84);
    }
}
