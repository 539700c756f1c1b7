//! Which arms a benchmark has, from what was asked for: known, admissible, none twice, and in a campaign with twins and
//! controls. Builds nothing.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};
use bench_core::arm::UPSTREAM;
use forks::{Forks, Measured};

use super::arms::{self, ArmSpec};
use super::design::Campaign;
use super::schemes::{MOST_IN_FULL, NAMES, Scheme};
use super::{Choice, campaign};

/// The arms of a benchmark before they are built.
pub(crate) struct Chosen {
    pub(crate) specs: Vec<ArmSpec>,
    /// Patch → the phase that it is judged on.
    pub(crate) phases: BTreeMap<String, String>,
    /// Arms that the scheme asks for and the patches do not admit, each with the reason.
    pub(crate) left_out: Vec<String>,
}

/// Settles the arms of `choice`.
pub(crate) fn choose(forks: &Forks, choice: &Choice<'_>) -> Result<Chosen> {
    let (names, left_out) = names(forks, choice)?;
    let mut specs = names.iter().map(|name| Ok(arms::parse(name, &forks.pins)?)).collect::<Result<Vec<_>>>()?;
    check(forks, &specs)?;
    let phases = phases(forks, &specs);
    if let Some(Campaign { of, control }) = choice.design.campaign {
        let Some(of) = specs.iter().find(|spec| spec.name == of).cloned() else {
            bail!("this campaign needs the arm {of}: its twins give the noise floor; add it to --arms");
        };
        specs = campaign::with_roles(specs, &of, control, &phases.values().map(String::as_str).collect());
    }
    Ok(Chosen { specs, phases, left_out })
}

/// The names of the arms, and what a scheme had to leave out.
fn names(forks: &Forks, choice: &Choice<'_>) -> Result<(Vec<String>, Vec<String>)> {
    let asked: Vec<String> = match choice.arms {
        [] => choice.design.arms.iter().map(|name| (*name).to_owned()).collect(),
        arms => arms.to_vec(),
    };
    let scheme = match asked.as_slice() {
        [name] => Scheme::named(name),
        _ => None,
    };
    match scheme {
        Some(scheme) => of_scheme(forks, scheme, &patches(forks, choice)?),
        None if choice.patches.is_empty() => Ok((asked, Vec::new())),
        None => {
            let known = NAMES.map(|(name, _)| name).join(", ");
            bail!("--patches says which patches a scheme varies: name one by --arms ({known}), or leave --patches out")
        }
    }
}

/// The patches that a scheme varies: those named, else those of the design, else all that go together.
fn patches(forks: &Forks, choice: &Choice<'_>) -> Result<Vec<String>> {
    let named: Vec<String> = match (choice.patches, choice.design.patches) {
        ([], []) => return Ok(arms::parse("all", &forks.pins)?.patches),
        ([], design) => design.iter().map(|patch| (*patch).to_owned()).collect(),
        (named, _) => named.to_vec(),
    };
    Ok(arms::parse(&format!("+{}", named.join("+")), &forks.pins)?.patches)
}

fn of_scheme(forks: &Forks, scheme: Scheme, patches: &[String]) -> Result<(Vec<String>, Vec<String>)> {
    if scheme == Scheme::Full && patches.len() > MOST_IN_FULL {
        bail!(
            "the full factorial of {} patches has {} arms: take pairs",
            patches.len(),
            1_u64 << patches.len().min(63)
        );
    }
    let mut names = vec![UPSTREAM.to_owned()];
    let mut left_out = Vec::new();
    for set in scheme.sets(patches) {
        let name = arms::name_of(&set, &forks.pins);
        match inadmissible(forks, &set) {
            None => names.push(name),
            Some(reason) => left_out.push(format!("the arm {name} is left out: {reason}")),
        }
    }
    Ok((names, left_out))
}

fn check(forks: &Forks, specs: &[ArmSpec]) -> Result<()> {
    for (at, spec) in specs.iter().enumerate() {
        let same = |other: &&ArmSpec| other.is_upstream() == spec.is_upstream() && other.patches == spec.patches;
        if let Some(other) = specs[..at].iter().find(same) {
            bail!("the arms {} and {} are the same: leave one out of --arms", other.name, spec.name);
        }
        if let Some(reason) = inadmissible(forks, &spec.patches) {
            bail!("the arm {}: {reason}", spec.name);
        }
    }
    if !specs.iter().any(ArmSpec::is_upstream) {
        bail!("a comparison needs the arm upstream: its proofs are what the others' must be; add it to --arms");
    }
    Ok(())
}

/// Why these patches do not go together, if they do not.
fn inadmissible(forks: &Forks, patches: &[String]) -> Option<String> {
    forks.pins.forks.iter().find_map(|fork| {
        let own = |id: &&String| fork.measured.iter().any(|patch| patch.id == **id);
        let own: Vec<String> = patches.iter().filter(own).cloned().collect();
        forks.series(fork).and_then(|series| series.subset(&own)).err().map(|error| error.to_string())
    })
}

fn phases(forks: &Forks, specs: &[ArmSpec]) -> BTreeMap<String, String> {
    let varied: BTreeSet<&String> = specs.iter().flat_map(|spec| &spec.patches).collect();
    let measured = forks.pins.forks.iter().flat_map(|fork| &fork.measured);
    let judged = measured.filter(|patch| varied.contains(&patch.id));
    judged.filter_map(|Measured { id, phase, .. }| Some((id.clone(), phase.clone()?))).collect()
}
