//! Newer releases, and what would become of each patch on them.

use cargo_metadata::semver::Version;
use serde::Serialize;

use crate::port::Verdict;
use crate::requirements::{self, Refusal};
use crate::{Error, Fork, Forks, Result, pristine, rebase};

/// More releases than anybody reads about at once; the newest come first.
const MOST: usize = 20;

/// A release newer than a pin.
#[derive(Debug, Clone, Serialize)]
pub struct Newer {
    /// Its version.
    pub version: String,
    /// What would become of each patch, in the order of the series.
    pub patches: Vec<(String, Verdict)>,
    /// Requirements that it does not meet.
    pub refusals: Vec<Refusal>,
    /// Whether everything takes it, but for crates of the workspace, whose requirements are the user's to raise.
    pub is_admitted: bool,
}

/// The releases newer than the pin of `fork`, the newest first, as cargo's sources have them; yanked ones and
/// prereleases are left out, as cargo leaves them out.
pub fn outdated(forks: &Forks, fork: &Fork) -> Result<Vec<Newer>> {
    rebase::refuse_unfinished(forks, fork)?;
    let mut newer: Vec<Newer> = Vec::new();
    while newer.len() < MOST {
        let below = newer.last().map(|last| format!(", <{}", last.version)).unwrap_or_default();
        let candidate = match pristine::candidate(forks, fork, &format!(">{}{below}", fork.version)) {
            Ok(candidate) => candidate,
            Err(Error::Cargo { reason, .. }) if is_end(&reason) => break,
            Err(error) => return Err(error),
        };
        // A source that ignores the bound would have us ask for ever.
        let parsed =
            (candidate.fork.version.parse::<Version>(), newer.last().map(|last| last.version.parse::<Version>()));
        if matches!(&parsed, (Ok(found), Some(Ok(last))) if found >= last) {
            break;
        }
        let refusals = requirements::refusals(forks, &candidate, &[])?;
        newer.push(Newer {
            version: candidate.fork.version.clone(),
            patches: rebase::verdicts(forks, fork, &candidate)?,
            is_admitted: refusals.iter().all(|refusal| refusal.is_ours),
            refusals,
        });
    }
    Ok(newer)
}

/// Whether cargo found no release at all, as against one that it could not get.
fn is_end(reason: &str) -> bool {
    reason.contains("failed to select a version for the requirement") || reason.contains("no matching package")
}
