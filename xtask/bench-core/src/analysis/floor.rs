//! The noise floor: how far apart arms come out whose code is the same.
//!
//! For each metric it is the larger absolute end of the 95 % t interval of the log ratio, of whichever pair among an arm
//! and its twins gives most. The end and not the middle: three binaries are too few to say how much layout does, and a
//! campaign too short to measure its floor must call less for it, never more. Chance alone needs no floor, since Holm's
//! correction already holds false alarms to 5 %; what a floor is for is that which every block repeats, and averaging
//! does not remove. So it can only take verdicts away.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::bootstrap::Bootstrap;
use super::estimate::{Estimate, Samples, pair};
use super::metrics::Metric;
use crate::arm::Arm;
use crate::role::Role;

/// No floor is lower: a tenth of a per cent is the last digit that a report shows.
const LOWEST: f64 = 0.001;

/// The noise floor of one metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Floor {
    /// Of what.
    pub metric: Metric,
    /// No effect nearer to 1 than this ratio (or its inverse) is called one.
    pub ratio: f64,
    /// The pair that gave it.
    pub pair: (String, String),
    /// That pair's ratio.
    pub estimate: Estimate,
}

impl Floor {
    pub(super) fn log(&self) -> f64 {
        self.ratio.ln()
    }
}

/// Pairs of arms with the same code, of those that `ran`.
pub(super) fn pairs<'a>(arms: &'a [Arm], ran: &BTreeMap<&str, impl Sized>) -> Vec<(&'a str, &'a str)> {
    let mut alike: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for arm in arms {
        if let Role::Twin { of } = &arm.role {
            let both = [of.as_str(), &arm.arm].into_iter().filter(|name| ran.contains_key(name));
            alike.entry(of).or_default().extend(both);
        }
    }
    let mut pairs = Vec::new();
    for group in alike.values() {
        let group: Vec<&str> = group.iter().copied().collect();
        for (at, first) in group.iter().enumerate() {
            pairs.extend(group[at + 1..].iter().map(|second| (*second, *first)));
        }
    }
    pairs
}

/// The floor of `metric`; absent where no pair has enough blocks.
pub(super) fn floor(
    metric: &Metric,
    samples: &Samples<'_>,
    pairs: &[(&str, &str)],
    bootstrap: &mut Bootstrap,
) -> Option<Floor> {
    let mut worst: Option<Floor> = None;
    for &(arm, base) in pairs {
        let Some(estimate) = Estimate::new(&samples.contrast(&pair(arm, base)), bootstrap) else { continue };
        let Some((low, high)) = estimate.effect.interval.filter(|_| estimate.effect.enough) else { continue };
        let ratio = (1.0 / low).max(high).max(LOWEST.exp());
        if worst.as_ref().is_none_or(|worst| ratio > worst.ratio) {
            worst = Some(Floor { metric: metric.clone(), ratio, pair: (arm.to_owned(), base.to_owned()), estimate });
        }
    }
    worst
}
