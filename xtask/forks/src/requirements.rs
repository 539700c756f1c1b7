//! Who would not take another version of a fork's crate. Judges what cargo resolves today; changes nothing.

mod with;

use std::collections::BTreeSet;
use std::path::Path;

use cargo_metadata::{Dependency, DependencyKind, Metadata, Package};

use serde::{Deserialize, Serialize};

use crate::pristine::{self, Candidate};
use crate::rebase::refuse_unfinished;
use crate::{Error, Fork, Forks, Result, graph};
pub use with::With;

/// A requirement that the new version does not meet.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Refusal {
    /// Who requires it: crate and version.
    pub dependant: String,
    /// What it requires: crate and versions.
    pub requirement: String,
    /// Whether it is a crate of the workspace, whose requirement is the user's to raise; anybody else's stands in the
    /// way.
    pub is_ours: bool,
    /// What to do.
    pub fix: String,
}

/// Every requirement that stands against `candidate`: of what depends on it in the shipped builds, and of its own on the
/// other forks. The releases in `with` count in place of those that are in the graph, and of the forks' pins.
pub(crate) fn refusals(forks: &Forks, candidate: &Candidate, with: &[With]) -> Result<Vec<Refusal>> {
    let graphs = graphs(forks)?;
    with::check(forks, &candidate.fork, with, &graphs)?;
    let mut found = BTreeSet::new();
    for metadata in &graphs {
        for package in &metadata.packages {
            let is_ours = metadata.workspace_members.contains(&package.id);
            let moved = with.iter().find(|with| with.name == package.name.as_str());
            found.extend(of_dependant(forks, candidate, package, is_ours, moved)?);
        }
    }
    found.extend(of_candidate(forks, candidate, with));
    Ok(found.into_iter().collect())
}

/// What the builds resolve to. While a fork is in the middle of a rebase its folder is not what Cargo.lock says.
fn graphs(forks: &Forks) -> Result<Vec<Metadata>> {
    let graphs: Result<Vec<Metadata>> = graph::resolve_all(forks).into_iter().map(|(_, metadata)| metadata).collect();
    let is_unfinished = |error| match error {
        Error::Rebase { fork, reason, mend } => {
            Error::Rebase { fork, reason: format!("{reason}; until it ends, cargo cannot say who requires what"), mend }
        }
        other => other,
    };
    if graphs.is_err() {
        forks.pins.forks.iter().try_for_each(|fork| refuse_unfinished(forks, fork)).map_err(is_unfinished)?;
    }
    graphs
}

fn of_dependant(
    forks: &Forks,
    candidate: &Candidate,
    package: &Package,
    is_ours: bool,
    moved: Option<&With>,
) -> Result<Option<Refusal>> {
    let fork = &candidate.fork;
    let old = forks.fork(&fork.name)?;
    // Another fork of the same crate may be what it is about.
    if !package.dependencies.iter().any(|dependency| is_met(dependency, old)) {
        return Ok(None);
    }
    let (version, dependencies) = match moved {
        Some(with) => (&with.version, pristine::dependencies(forks, &with.name, &format!("={}", with.version))?),
        None => (&package.version, package.dependencies.clone()),
    };
    let refused = dependencies.into_iter().find(|dependency| {
        dependency.name == fork.krate && dependency.kind != DependencyKind::Development && !is_met(dependency, fork)
    });
    Ok(refused.map(|dependency| {
        let fix = match forks.pins.forks.iter().find(|other| other.krate == package.name.as_str()) {
            _ if is_ours => format!("raise it in {}, or in the workspace's Cargo.toml", relative(forks, package)),
            Some(other) => format!("say which release of it goes with this: `--with {}@<version>`", other.krate),
            None => format!("move to a release that takes it: `--with {}@<version>`", package.name),
        };
        Refusal {
            dependant: format!("{} {version}", package.name),
            requirement: format!("{} {}", fork.krate, dependency.req),
            is_ours,
            fix,
        }
    }))
}

/// What the new release requires of crates that are forks, too.
fn of_candidate(forks: &Forks, candidate: &Candidate, with: &[With]) -> Vec<Refusal> {
    let mut found = Vec::new();
    for other in forks.pins.forks.iter().filter(|other| other.krate != candidate.fork.krate) {
        let moved = with.iter().find(|with| with.name == other.krate);
        let version = moved.map_or_else(|| other.version.clone(), |with| with.version.to_string());
        let there = Fork { version, ..other.clone() };
        let normal = |dependency: &&Dependency| dependency.kind != DependencyKind::Development;
        let wanted = candidate.dependencies.iter().filter(normal).find(|dependency| dependency.name == other.krate);
        if let Some(dependency) = wanted.filter(|dependency| !is_met(dependency, &there)) {
            found.push(Refusal {
                dependant: format!("{} {}", candidate.fork.krate, candidate.fork.version),
                requirement: format!("{} {}", other.krate, dependency.req),
                is_ours: false,
                fix: format!(
                    "its fork is at {}: rebase that first, or name the release it will go to: `--with {}@<version>`",
                    there.version, other.krate
                ),
            });
        }
    }
    found
}

fn is_met(dependency: &Dependency, fork: &Fork) -> bool {
    dependency.name == fork.krate && fork.version.parse().is_ok_and(|version| dependency.req.matches(&version))
}

fn relative(forks: &Forks, package: &Package) -> String {
    let path: &Path = package.manifest_path.as_std_path();
    path.strip_prefix(&forks.root).unwrap_or(path).display().to_string()
}

/// The refusals that stand in the way, as an error.
pub(crate) fn refuse(fork: &Fork, refusals: &[Refusal]) -> Result<()> {
    let in_the_way: Vec<&Refusal> = refusals.iter().filter(|refusal| !refusal.is_ours).collect();
    if in_the_way.is_empty() {
        return Ok(());
    }
    let line =
        |refusal: &&Refusal| format!("{} requires {}\n      {}", refusal.dependant, refusal.requirement, refusal.fix);
    Err(Error::Required {
        fork: fork.name.clone(),
        version: fork.version.clone(),
        who: in_the_way.iter().map(line).collect(),
    })
}
