//! The positive control: a slowdown that is known, which the campaign must find before its verdicts mean anything.

use serde::Serialize;

use super::bootstrap::Bootstrap;
use super::estimate::{Estimate, Samples, pair};
use super::metrics::Metric;
use crate::arm::Arm;
use crate::role::Role;

/// A control and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Control {
    /// The arm that was slowed.
    pub arm: String,
    /// The arm that it is compared with.
    pub of: String,
    /// What was slowed.
    pub metric: Metric,
    /// By how much.
    pub factor: f64,
    /// What was measured; absent where no block has both arms.
    pub estimate: Option<Estimate>,
    /// Whether it would be called slower: its interval excludes no effect, and it is above the floor.
    pub found: bool,
}

impl Control {
    /// The metric that a control slows; absent for an arm that is none.
    pub(super) fn metric(arm: &Arm) -> Option<Metric> {
        match &arm.role {
            Role::Control { phase, .. } => Some(phase.clone().map_or(Metric::Wall, Metric::Phase)),
            _ => None,
        }
    }

    /// What became of the control `arm`, with the samples and the floor (as a log ratio) of its metric.
    pub(super) fn of(arm: &Arm, samples: &Samples<'_>, floor: Option<f64>, bootstrap: &mut Bootstrap) -> Option<Self> {
        let (Role::Control { of, factor, .. }, Some(metric)) = (&arm.role, Self::metric(arm)) else { return None };
        let estimate = Estimate::new(&samples.contrast(&pair(&arm.arm, of)), bootstrap);
        let above = |estimate: &Estimate| floor.is_some_and(|floor| estimate.log() > floor);
        let apart = |estimate: &Estimate| estimate.effect.interval.is_some_and(|(low, _)| low > 1.0);
        let found = estimate.as_ref().is_some_and(|one| one.effect.enough && apart(one) && above(one));
        Some(Self { arm: arm.arm.clone(), of: of.clone(), metric, factor: *factor, estimate, found })
    }
}
