//! One case of a campaign put together: floor and control first, then each patch's effects, then verdicts.
//!
//! A case is a campaign of its own: its floor, its control and the families of its corrections stop at its border. Three
//! families are corrected apart, so that what is only reported takes no power from what gates: patches on their gating
//! metrics, patches on all others, and interactions on gating metrics.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::bootstrap::Bootstrap;
use super::control::Control;
use super::estimate::{Estimate, Samples, Weights};
use super::floor::{self, Floor};
use super::holm::holm;
use super::metrics::Metric;
use super::model::{self, LackOfFit, Model};
use super::verdict::{Verdict, judge};
use crate::arm::{Arm, UPSTREAM};
use crate::receipt::{Receipt, Run};
use crate::role;

/// What a campaign with twins and a control says of its patches.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Attribution {
    /// The floor of each metric that has one.
    pub floors: Vec<Floor>,
    /// The positive controls.
    pub controls: Vec<Control>,
    /// Why there is no verdict at all.
    pub withheld: Option<Withheld>,
    /// One entry for each patch that an arm asks for.
    pub patches: Vec<Patch>,
    /// Each two patches and metric where the arms identify how the two act together.
    pub interactions: Vec<Interaction>,
    /// How well the model fits, for each metric.
    pub fits: Vec<Fit>,
}

/// Why a case has no verdicts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Withheld {
    /// The roles of the arms contradict each other; a finding says how.
    Roles,
    /// No two arms of the same code ran in enough blocks.
    NoFloor,
    /// No arm was slowed on purpose.
    NoControl,
    /// A known slowdown was not found.
    ControlMissed {
        /// The arm.
        arm: String,
    },
}

/// One patch in one case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Patch {
    /// Its id.
    pub patch: String,
    /// Whether an arm's build has it: its fork may not be in builds of this kind.
    pub in_build: bool,
    /// Its effect on each metric; those that gate come first.
    pub figures: Vec<Figure>,
}

/// One patch's effect on one metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Of what.
    pub metric: Metric,
    /// Wall time, or the phase that the patch is said to act on.
    pub gating: bool,
    /// Given no other patch.
    pub alone: Option<Estimate>,
    /// Given all others.
    pub rest: Option<Estimate>,
    /// Its Shapley share of all against none.
    pub share: Option<Estimate>,
    /// Which of these the verdict is on.
    pub basis: Option<Basis>,
    /// The verdict; absent where verdicts are withheld, blocks too few, or the metric has no floor.
    pub verdict: Option<Verdict>,
}

/// What a verdict is on: the first of share, rest and alone that the arms identify, since it is the most precise. Where the
/// model does not fit, the pair of arms that differ by the patch given all others, else given none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The share of the total.
    Share,
    /// Given all others.
    Rest,
    /// Given no other.
    Alone,
}

/// By how much two patches together differ from the sum of each alone.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Interaction {
    /// The two.
    pub patches: (String, String),
    /// Of what.
    pub metric: Metric,
    /// The interaction as a ratio: above 1 they hurt each other.
    pub estimate: Estimate,
    /// Given on metrics that gate either of the two.
    pub verdict: Option<Verdict>,
}

/// The model of one metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fit {
    /// Of what.
    pub metric: Metric,
    /// All against none, from these two arms.
    pub total: Option<Estimate>,
    /// The same as the sum of the shares.
    pub shares: Option<Estimate>,
    /// What the model leaves unexplained; absent where the arms are no more than its parameters.
    pub lack_of_fit: Option<LackOfFit>,
}

impl Attribution {
    /// What patches are judged on.
    pub fn gating(&self) -> impl Iterator<Item = &Figure> {
        self.patches.iter().flat_map(|patch| &patch.figures).filter(|figure| figure.gating)
    }

    /// The floor of a metric.
    pub fn floor(&self, metric: &Metric) -> Option<&Floor> {
        self.floors.iter().find(|floor| floor.metric == *metric)
    }
}

impl Figure {
    /// The estimate that the verdict is on.
    pub fn judged(&self) -> Option<&Estimate> {
        match self.basis? {
            Basis::Share => self.share.as_ref(),
            Basis::Rest => self.rest.as_ref(),
            Basis::Alone => self.alone.as_ref(),
        }
    }
}

/// Attributes a case from the runs of its measured arms; absent where no arm has a role.
pub(super) fn attribute(receipt: &Receipt, case: usize, runs: &BTreeMap<&str, Vec<&Run>>) -> Option<Attribution> {
    let path = receipt.plan.cases[case].path.as_str();
    let arms = || receipt.arms.iter().filter(|arm| arm.builds.contains_key(path));
    if arms().all(|arm| arm.role.is_plain()) {
        return None;
    }
    let everything: Vec<&Run> = runs.values().flatten().copied().collect();
    let metrics = Metric::all(&everything);
    let samples: BTreeMap<Metric, Samples<'_>> =
        metrics.iter().map(|metric| (metric.clone(), Samples::new(metric, runs))).collect();
    let mut bootstrap = Bootstrap::default();
    let pairs = floor::pairs(&receipt.arms, runs);
    let floors: Vec<Floor> =
        metrics.iter().filter_map(|metric| floor::floor(metric, &samples[metric], &pairs, &mut bootstrap)).collect();
    let controls = arms().filter_map(|arm| {
        let metric = Control::metric(arm)?;
        let floor = floors.iter().find(|floor| floor.metric == metric).map(Floor::log);
        Control::of(arm, samples.get(&metric).unwrap_or(&Samples::default()), floor, &mut bootstrap)
    });
    let controls: Vec<Control> = controls.collect();
    let model = model(&receipt.arms, path, runs);
    let mut modelled = Modelled { model: &model, bootstrap: &mut bootstrap, phases: &receipt.plan.phases };
    let fits: Vec<Fit> = metrics.iter().filter_map(|metric| modelled.fit(metric, &samples[metric])).collect();
    let patches = patches(receipt, path).into_iter().map(|(patch, in_build)| Patch {
        patch: patch.to_owned(),
        in_build,
        figures: modelled.figures(patch, &fits, &samples),
    });
    let patches = patches.collect();
    let interactions = metrics.iter().flat_map(|metric| modelled.interactions(metric, &samples[metric])).collect();
    let withheld = withheld(&receipt.arms, &floors, &controls);
    let mut attribution = Attribution { floors, controls, withheld, patches, interactions, fits };
    if attribution.withheld.is_none() {
        give_verdicts(&mut attribution, &receipt.plan.phases);
    }
    Some(attribution)
}

/// The patches that plain arms ask for, in their order, and whether a build of this kind has them.
fn patches<'a>(receipt: &'a Receipt, path: &str) -> Vec<(&'a str, bool)> {
    let plain = || receipt.arms.iter().filter(|arm| arm.role.is_plain());
    let built: BTreeSet<&str> =
        plain().filter_map(|arm| arm.builds.get(path)).flat_map(|build| &build.patches).map(String::as_str).collect();
    let mut patches: Vec<(&str, bool)> = Vec::new();
    for patch in plain().flat_map(|arm| &arm.patches) {
        if !patches.iter().any(|(known, _)| known == patch) {
            patches.push((patch, built.contains(patch.as_str())));
        }
    }
    patches
}

/// Twins and controls are left out of the model, and `upstream`, which lacks more than patches.
fn model<'a>(arms: &'a [Arm], path: &str, runs: &BTreeMap<&str, Vec<&Run>>) -> Model<'a> {
    let plain = arms.iter().filter(|arm| arm.role.is_plain() && arm.arm != UPSTREAM);
    let built: Vec<(&str, BTreeSet<&str>)> = plain
        .filter_map(|arm| Some((arm.arm.as_str(), arm.builds.get(path)?.patches.iter().map(String::as_str).collect())))
        .collect();
    let all = model::all(&built);
    Model::new(built.into_iter().filter(|(arm, _)| runs.contains_key(arm)).collect(), all)
}

fn withheld(arms: &[Arm], floors: &[Floor], controls: &[Control]) -> Option<Withheld> {
    if !role::faults(arms).is_empty() {
        return Some(Withheld::Roles);
    }
    if floors.is_empty() {
        return Some(Withheld::NoFloor);
    }
    if controls.is_empty() {
        return Some(Withheld::NoControl);
    }
    let missed = controls.iter().find(|control| !control.found)?;
    Some(Withheld::ControlMissed { arm: missed.arm.clone() })
}

/// The model with what its figures need.
struct Modelled<'a, 'b> {
    model: &'b Model<'a>,
    bootstrap: &'b mut Bootstrap,
    phases: &'b BTreeMap<String, String>,
}

impl Modelled<'_, '_> {
    fn estimate(&mut self, weights: Option<Weights<'_>>, samples: &Samples<'_>) -> Option<Estimate> {
        Estimate::of(samples, &weights?, self.bootstrap)
    }

    fn fit(&mut self, metric: &Metric, samples: &Samples<'_>) -> Option<Fit> {
        let total = self.estimate(self.model.total_directly(), samples);
        let shares = self.estimate(self.model.total(), samples);
        let lack_of_fit = self.model.lack_of_fit(samples);
        let anything = total.is_some() || shares.is_some() || lack_of_fit.is_some();
        anything.then(|| Fit { metric: metric.clone(), total, shares, lack_of_fit })
    }

    /// The figures of a patch, gating ones first.
    fn figures(&mut self, patch: &str, fits: &[Fit], samples: &BTreeMap<Metric, Samples<'_>>) -> Vec<Figure> {
        if !self.model.patches().contains(&patch) {
            return Vec::new();
        }
        let misfit = |metric: &Metric| {
            fits.iter().any(|fit| fit.metric == *metric && fit.lack_of_fit.is_some_and(LackOfFit::is_misfit))
        };
        let figures = samples.iter().map(|(metric, samples)| self.figure(patch, metric, samples, misfit(metric)));
        let mut figures: Vec<Figure> = figures.collect();
        figures.retain(|figure| figure.alone.is_some() || figure.rest.is_some() || figure.share.is_some());
        figures.sort_by_key(|figure| !figure.gating);
        figures
    }

    fn figure(&mut self, patch: &str, metric: &Metric, samples: &Samples<'_>, misfit: bool) -> Figure {
        let model = self.model;
        let (alone, rest) = match misfit {
            true => (model.alone_directly(patch), model.rest_directly(patch)),
            false => (model.alone(patch), model.rest(patch)),
        };
        let [alone, rest, share] = [alone, rest, model.share(patch)].map(|weights| self.estimate(weights, samples));
        let identified =
            [share.filter(|_| !misfit).map(|_| Basis::Share), rest.map(|_| Basis::Rest), alone.map(|_| Basis::Alone)];
        let basis = identified.into_iter().flatten().next();
        Figure {
            metric: metric.clone(),
            gating: gates(metric, patch, self.phases),
            alone,
            rest,
            share,
            basis,
            verdict: None,
        }
    }

    fn interactions(&mut self, metric: &Metric, samples: &Samples<'_>) -> Vec<Interaction> {
        let patches = self.model.patches();
        let two = (0..patches.len()).flat_map(|a| (a + 1..patches.len()).map(move |b| (patches[a], patches[b])));
        two.filter_map(|(a, b)| {
            let estimate = self.estimate(self.model.interaction(a, b), samples)?;
            Some(Interaction { patches: (a.into(), b.into()), metric: metric.clone(), estimate, verdict: None })
        })
        .collect()
    }
}

/// Whether a patch is judged on this metric.
fn gates(metric: &Metric, patch: &str, phases: &BTreeMap<String, String>) -> bool {
    match metric {
        Metric::Wall => true,
        Metric::Phase(name) => phases.get(patch) == Some(name),
        _ => false,
    }
}

/// An effect of a family, and where its verdict goes.
type Claim<'a> = (Metric, Estimate, &'a mut Option<Verdict>);

fn give_verdicts(attribution: &mut Attribution, phases: &BTreeMap<String, String>) {
    let floors: BTreeMap<Metric, f64> =
        attribution.floors.iter().map(|floor| (floor.metric.clone(), floor.log())).collect();
    let figures = attribution.patches.iter_mut().flat_map(|patch| &mut patch.figures);
    let (gating, reported): (Vec<_>, Vec<_>) = figures.partition(|figure| figure.gating);
    for family in [gating, reported] {
        let claims = family.into_iter().filter_map(|figure| {
            let estimate = *figure.judged()?;
            Some((figure.metric.clone(), estimate, &mut figure.verdict))
        });
        settle(claims.collect(), &floors);
    }
    let gating = attribution.interactions.iter_mut().filter(|interaction| {
        let (a, b) = &interaction.patches;
        gates(&interaction.metric, a, phases) || gates(&interaction.metric, b, phases)
    });
    settle(gating.map(|one| (one.metric.clone(), one.estimate, &mut one.verdict)).collect(), &floors);
}

/// Corrects a family for its number and judges it. Effects without a floor or with too few blocks are no part of it.
fn settle(claims: Vec<Claim<'_>>, floors: &BTreeMap<Metric, f64>) {
    let claims: Vec<_> = claims
        .into_iter()
        .filter_map(|(metric, estimate, verdict)| Some((*floors.get(&metric)?, estimate, estimate.p_value?, verdict)))
        .filter(|(_, estimate, ..)| estimate.effect.enough)
        .collect();
    let p_values: Vec<f64> = claims.iter().map(|(_, _, p_value, _)| *p_value).collect();
    for ((floor, estimate, _, verdict), decision) in claims.into_iter().zip(holm(&p_values)) {
        *verdict = judge(&estimate, floor, decision);
    }
}
