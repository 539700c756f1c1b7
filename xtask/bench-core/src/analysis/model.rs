//! What each patch is worth, from arms that hold sets of patches.
//!
//! The model is factorial on log time: a main effect for each patch and one for each two of them, least squares over the
//! arms. Blocks need no parameter, since a contrast is formed within each and its weights add up to 0. A patch alone is
//! its main effect; given all others, that and all its interactions; its share of the total, that and half of each
//! (Shapley, "A value for n-person games", 1953: for a game without effects of three, the value is exactly this).
//! What the arms do not identify is absent.

use std::collections::BTreeSet;

use serde::Serialize;

use super::estimate::{Samples, Weights, pair};
use super::linear::LeastSquares;
use super::stats::{FEWEST_BLOCKS, mean};
use super::student;
use crate::arm::ALL;

/// Below this probability the model is taken not to fit, and pairs of arms stand in its place.
const MISFIT: f64 = 0.01;
/// A model that misses by less is good enough, however sure the miss: counts hardly vary.
const SMALL: f64 = 0.001;

/// An arm of the model: its name and its patches.
pub(super) type Cell<'a> = (&'a str, BTreeSet<&'a str>);

pub(super) struct Model<'a> {
    cells: Vec<Cell<'a>>,
    patches: Vec<&'a str>,
    /// The patches among which shares are taken.
    all: BTreeSet<&'a str>,
    fit: LeastSquares,
}

/// The patches among which shares are taken: those of the arm [`ALL`], else of the one arm that has most, since patches
/// that exclude each other are in no arm together; else every patch.
pub(super) fn all<'a>(cells: &[Cell<'a>]) -> BTreeSet<&'a str> {
    let most = cells.iter().map(|(_, patches)| patches.len()).max().unwrap_or_default();
    let mut largest = cells.iter().filter(|(_, patches)| patches.len() == most);
    let named = cells.iter().find(|(arm, _)| *arm == ALL);
    match (named, largest.next(), largest.next()) {
        (Some((_, all)), ..) | (None, Some((_, all)), None) => all.clone(),
        _ => cells.iter().flat_map(|(_, patches)| patches.iter().copied()).collect(),
    }
}

/// How far the arms are from what the model makes of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LackOfFit {
    /// Arms beyond the parameters that they identify.
    pub degrees: usize,
    /// Root mean square over the arms of the residual log ratio.
    pub residual: f64,
    /// How probable residuals as large are where the model holds.
    pub p_value: f64,
}

impl LackOfFit {
    /// Whether three patches or more must act together.
    pub fn is_misfit(self) -> bool {
        self.p_value < MISFIT && self.residual > SMALL
    }
}

impl<'a> Model<'a> {
    pub(super) fn new(cells: Vec<Cell<'a>>, all: BTreeSet<&'a str>) -> Self {
        let patches: BTreeSet<&str> = cells.iter().flat_map(|(_, patches)| patches.iter().copied()).collect();
        let patches: Vec<&str> = patches.into_iter().collect();
        let has = |set: &BTreeSet<&str>, at: usize| f64::from(set.contains(patches[at]));
        let row = |(_, set): &Cell<'a>| {
            let main = (0..patches.len()).map(|at| has(set, at));
            let two = pairs(patches.len()).map(|(a, b)| has(set, a) * has(set, b));
            [1.0].into_iter().chain(main).chain(two).collect()
        };
        let fit = LeastSquares::new(cells.iter().map(row).collect());
        Self { cells, patches, all, fit }
    }

    /// The patches that some arm has.
    pub(super) fn patches(&self) -> &[&'a str] {
        &self.patches
    }

    /// A patch given no other.
    pub(super) fn alone(&self, patch: &str) -> Option<Weights<'a>> {
        self.with_interactions(patch, 0.0)
    }

    /// A patch given all others.
    pub(super) fn rest(&self, patch: &str) -> Option<Weights<'a>> {
        self.all.contains(patch).then(|| self.with_interactions(patch, 1.0))?
    }

    /// A patch's share of all against none.
    pub(super) fn share(&self, patch: &str) -> Option<Weights<'a>> {
        self.all.contains(patch).then(|| self.with_interactions(patch, 0.5))?
    }

    /// By how much two patches together differ from the sum of each alone.
    pub(super) fn interaction(&self, a: &str, b: &str) -> Option<Weights<'a>> {
        self.weights(|set| f64::from(set == [a, b] || set == [b, a]))
    }

    /// All against none: the sum of the shares.
    pub(super) fn total(&self) -> Option<Weights<'a>> {
        self.weights(|set| f64::from(!set.is_empty() && set.iter().all(|patch| self.all.contains(patch))))
    }

    /// The same as [`Self::alone`] from the two arms that differ by it.
    pub(super) fn alone_directly(&self, patch: &str) -> Option<Weights<'a>> {
        Some(pair(self.arm(&[patch].into())?, self.arm(&BTreeSet::new())?))
    }

    /// The same as [`Self::rest`] from the two arms that differ by it.
    pub(super) fn rest_directly(&self, patch: &str) -> Option<Weights<'a>> {
        let mut rest = self.all.clone();
        rest.remove(patch).then(|| Some(pair(self.arm(&self.all)?, self.arm(&rest)?)))?
    }

    /// The same as [`Self::total`] from the two arms.
    pub(super) fn total_directly(&self) -> Option<Weights<'a>> {
        let none = BTreeSet::new();
        (self.all != none).then(|| Some(pair(self.arm(&self.all)?, self.arm(&none)?)))?
    }

    /// An F test of the arms' mean residuals against how they vary over the blocks (Scheffé, "The Analysis of Variance",
    /// 1959); absent where the arms are no more than the parameters.
    pub(super) fn lack_of_fit(&self, samples: &Samples<'_>) -> Option<LackOfFit> {
        let degrees = self.cells.len() - self.fit.rank();
        let named = |weights: Vec<f64>| -> Vec<(&str, f64)> { self.names().zip(weights).collect() };
        if degrees == 0 {
            return None;
        }
        // Only blocks with every arm: a residual that is no contrast of all would not be comparable.
        let every: Vec<(&str, f64)> = self.names().map(|arm| (arm, 1.0)).collect();
        let whole = samples.blocks(&every);
        let residuals: Vec<Vec<f64>> =
            self.fit.residuals().into_iter().map(|weights| samples.contrast_in(&named(weights), &whole)).collect();
        let blocks = whole.len();
        if blocks < FEWEST_BLOCKS {
            return None;
        }
        let means: Vec<f64> = residuals.iter().filter_map(|logs| mean(logs.iter().copied())).collect();
        let between: f64 = means.iter().map(|mean| mean * mean).sum();
        let spread = |(logs, mean): (&Vec<f64>, &f64)| logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>();
        let within: f64 = residuals.iter().zip(&means).map(spread).sum();
        let f = between * (blocks * (blocks - 1)) as f64 / within;
        let p_value = if between == 0.0 { 1.0 } else { student::f_exceeds(f, degrees, degrees * (blocks - 1)) };
        Some(LackOfFit { degrees, residual: (between / means.len() as f64).sqrt(), p_value })
    }

    fn with_interactions(&self, patch: &str, factor: f64) -> Option<Weights<'a>> {
        self.weights(|set| match set {
            [main] => f64::from(*main == patch),
            [a, b] if *a == patch && self.all.contains(b) || *b == patch && self.all.contains(a) => factor,
            _ => 0.0,
        })
    }

    /// The weights of the arms for a combination of parameters, each named by its patches: none, one or two.
    fn weights(&self, coefficient: impl Fn(&[&str]) -> f64) -> Option<Weights<'a>> {
        let main = self.patches.iter().map(|patch| coefficient(&[patch]));
        let two = pairs(self.patches.len()).map(|(a, b)| coefficient(&[self.patches[a], self.patches[b]]));
        let combination: Vec<f64> = [coefficient(&[])].into_iter().chain(main).chain(two).collect();
        Some(self.names().zip(self.fit.weights(&combination)?).collect())
    }

    fn names(&self) -> impl Iterator<Item = &'a str> {
        self.cells.iter().map(|(arm, _)| *arm)
    }

    fn arm(&self, set: &BTreeSet<&str>) -> Option<&'a str> {
        self.cells.iter().find(|(_, patches)| patches == set).map(|(arm, _)| *arm)
    }
}

/// Each two of `0..n`.
fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |a| (a + 1..n).map(move |b| (a, b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arms written as their patches, one letter each.
    fn model<'a>(arms: &[&'a str]) -> Model<'a> {
        let cells: Vec<Cell<'a>> = arms.iter().map(|arm| (*arm, set(arm))).collect();
        Model::new(cells, set("abcde"))
    }

    fn set(letters: &str) -> BTreeSet<&str> {
        letters.split("").filter(|letter| !letter.is_empty()).collect()
    }

    /// Sum of squared weights: the variance in units of a single arm's.
    fn variance(weights: Option<Weights<'_>>) -> f64 {
        weights.unwrap().iter().map(|(_, weight)| weight * weight).sum()
    }

    const SEVENTEEN: [&str; 17] = [
        "", "ab", "ac", "ad", "ae", "bc", "bd", "be", "cd", "ce", "de", "bcde", "acde", "abde", "abce", "abcd", "abcde",
    ];

    #[test]
    fn the_seventeen_arms_give_everything_with_the_known_variances() {
        let model = model(&SEVENTEEN);
        assert_eq!(model.cells.len() - model.fit.rank(), 1);
        // From exact least squares on this plan: 20, 17.9, 4.1 and 16.5, over 17 runs.
        assert!((variance(model.alone("a")) * 17.0 - 20.0).abs() < 0.1, "{}", variance(model.alone("a")) * 17.0);
        assert!((variance(model.rest("a")) * 17.0 - 17.9).abs() < 0.1, "{}", variance(model.rest("a")) * 17.0);
        assert!((variance(model.share("a")) * 17.0 - 4.1).abs() < 0.1, "{}", variance(model.share("a")) * 17.0);
        assert!((variance(model.interaction("a", "b")) * 17.0 - 16.5).abs() < 0.1);
        assert!(model.alone_directly("a").is_none() && model.rest_directly("a").is_some());
    }

    #[test]
    fn shares_add_up_to_the_total_for_any_effects() {
        let model = model(&SEVENTEEN);
        let mut sum = [0.0; 17];
        for patch in ["a", "b", "c", "d", "e"] {
            for (at, (_, weight)) in model.share(patch).unwrap().iter().enumerate() {
                sum[at] += weight;
            }
        }
        let total = model.total().unwrap();
        assert!(sum.iter().zip(total).all(|(sum, (_, weight))| (sum - weight).abs() < 1e-12));
    }

    #[test]
    fn shares_are_taken_among_patches_that_go_together() {
        let all = |arms: &[&'static str]| {
            let cells: Vec<Cell<'static>> = arms.iter().map(|arm| (*arm, set(arm))).collect();
            super::all(&cells).into_iter().collect::<String>()
        };
        // `d` is in no arm with the others.
        assert_eq!(all(&["", "a", "b", "c", "ab", "ac", "bc", "abc", "d"]), "abc");
        assert_eq!(all(&["", "a", "b"]), "ab");
        assert_eq!(all(&["", "ab", "cd"]), "abcd");
        let cells = ["", "a", "b", "ab", "d"].map(|arm| (arm, set(arm)));
        let model = Model::new(cells.to_vec(), super::all(&cells));
        assert!(model.share("a").is_some() && model.share("d").is_none() && model.alone("d").is_some());
    }

    #[test]
    fn what_a_plan_does_not_identify_is_absent() {
        let single = model(&["", "a", "b", "c", "d", "e"]);
        assert!(single.alone("a").is_some() && single.rest("a").is_none() && single.share("a").is_none());
        assert!(single.interaction("a", "b").is_none() && single.total().is_none());

        let leave_one_out = model(&["abcde", "bcde", "acde", "abde", "abce", "abcd", ""]);
        assert!(leave_one_out.rest("a").is_some() && leave_one_out.alone("a").is_none());
        assert!(leave_one_out.share("a").is_none() && leave_one_out.total().is_some());

        let all: Vec<String> = (0..32_u8)
            .map(|bits| "abcde".chars().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, c)| c).collect())
            .collect();
        let full = model(&all.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(full.cells.len() - full.fit.rank(), 16);
        assert!((variance(full.share("a")) * 32.0 - 4.0).abs() < 1e-9);
    }
}
