//! Whether a receipt still speaks for a patch. A pure comparison of what was measured with what would be built today;
//! knows nothing of samples and verdicts.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// What a receipt says of what it measured; the rest of it is not read.
#[derive(Debug, Clone, Deserialize)]
pub struct Receipt {
    /// Its arms.
    pub arms: Vec<Arm>,
}

/// An arm of a receipt.
#[derive(Debug, Clone, Deserialize)]
pub struct Arm {
    /// Its binaries, by kind of build.
    #[serde(default)]
    pub builds: BTreeMap<String, Built>,
}

/// A binary of an arm.
#[derive(Debug, Clone, Deserialize)]
pub struct Built {
    /// What it was built from.
    pub components: Components,
}

/// What the forks gave to a binary.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Components {
    /// The pin of each fork in it, by crate.
    pub pins: BTreeMap<String, String>,
    /// The patch-id of each patch in it, by `<crate>/<id>`.
    pub patches: BTreeMap<String, String>,
}

/// What would be built today.
#[derive(Debug, Clone, Default)]
pub struct Today {
    /// The pin of each fork.
    pub pins: BTreeMap<String, String>,
    /// The patch-id of each patch.
    pub patches: BTreeMap<String, String>,
    /// The enabling patches: in every arm but `upstream`.
    pub enabling: Vec<String>,
}

/// Whether a patch has evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum Evidence {
    /// A receipt has two arms that differ by the patch alone, and both are what would be built today.
    Fresh,
    /// There is a receipt, but something changed since.
    Stale {
        /// What changed.
        changed: Vec<String>,
    },
    /// No receipt has two arms that differ by the patch alone.
    None,
}

/// The evidence that `receipts` hold for `patch` (`<crate>/<id>`).
pub fn evidence(patch: &str, receipts: &[Receipt], today: &Today) -> Evidence {
    let mut nearest: Option<Vec<String>> = None;
    for (without, with) in receipts.iter().flat_map(|receipt| pairs(patch, receipt)) {
        let mut changed = differences(without, today);
        changed.extend(differences(with, today));
        changed.sort();
        changed.dedup();
        if changed.is_empty() {
            return Evidence::Fresh;
        }
        if nearest.as_ref().is_none_or(|nearest| nearest.len() > changed.len()) {
            nearest = Some(changed);
        }
    }
    nearest.map_or(Evidence::None, |changed| Evidence::Stale { changed })
}

/// Builds of one kind in one receipt that differ by `patch` alone.
fn pairs<'a>(patch: &'a str, receipt: &'a Receipt) -> Vec<(&'a Components, &'a Components)> {
    let builds =
        || receipt.arms.iter().flat_map(|arm| arm.builds.iter().map(|(kind, built)| (kind, &built.components)));
    let mut found = Vec::new();
    for (kind, with) in builds().filter(|(_, with)| with.patches.contains_key(patch)) {
        let mut rest = with.patches.clone();
        rest.remove(patch);
        found.extend(
            builds()
                .filter(|(other, without)| *other == kind && without.patches == rest && without.pins == with.pins)
                .map(|(_, without)| (without, with)),
        );
    }
    found
}

fn differences(built: &Components, today: &Today) -> Vec<String> {
    let mut changed = Vec::new();
    for (fork, pin) in &built.pins {
        if today.pins.get(fork) != Some(pin) {
            changed.push(format!("the pin of {fork}"));
        }
    }
    for (name, id) in &built.patches {
        if today.patches.get(name) != Some(id) {
            changed.push(name.clone());
        }
    }
    let of_these = today.enabling.iter().filter(|name| {
        name.split_once('/').is_some_and(|(fork, _)| built.pins.contains_key(fork))
            && !built.patches.contains_key(*name)
    });
    changed.extend(of_these.cloned());
    changed
}

/// The receipts below `folder`, with the files that are none.
pub(crate) fn read(folder: &Path) -> (Vec<Receipt>, Vec<PathBuf>) {
    let (mut receipts, mut wrong) = (Vec::new(), Vec::new());
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "json") {
                match fs::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
                    Some(receipt) => receipts.push(receipt),
                    None => wrong.push(path),
                }
            }
        }
    }
    (receipts, wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    fn receipt(arms: &[&[(&str, &str)]]) -> Receipt {
        let arm = |patches: &&[(&str, &str)]| {
            let components = Components { pins: map(&[("demo", "1")]), patches: map(patches) };
            Arm { builds: [("cpu".to_owned(), Built { components })].into() }
        };
        Receipt { arms: arms.iter().map(arm).collect() }
    }

    fn today() -> Today {
        Today {
            pins: map(&[("demo", "1")]),
            patches: map(&[("demo/log", "l"), ("demo/a", "1"), ("demo/b", "2")]),
            enabling: vec!["demo/log".into()],
        }
    }

    #[test]
    fn two_arms_that_differ_by_the_patch_alone_are_evidence() {
        let receipts = [receipt(&[&[("demo/log", "l")], &[("demo/log", "l"), ("demo/a", "1")]])];
        assert_eq!(evidence("demo/a", &receipts, &today()), Evidence::Fresh);
        assert_eq!(evidence("demo/b", &receipts, &today()), Evidence::None);
        assert_eq!(evidence("demo/a", &[], &today()), Evidence::None);
    }

    #[test]
    fn arms_that_differ_by_more_are_none() {
        let receipts = [receipt(&[&[("demo/log", "l")], &[("demo/log", "l"), ("demo/a", "1"), ("demo/b", "2")]])];
        assert_eq!(evidence("demo/a", &receipts, &today()), Evidence::None);
    }

    #[test]
    fn stale_says_what_changed() {
        let receipts = [receipt(&[&[("demo/log", "old")], &[("demo/log", "old"), ("demo/a", "1")]])];
        let Evidence::Stale { changed } = evidence("demo/a", &receipts, &today()) else { panic!("not stale") };
        assert_eq!(changed, ["demo/log"]);
        let mut later = today();
        later.pins = map(&[("demo", "2")]);
        later.enabling.push("demo/new".into());
        let receipts = [receipt(&[&[("demo/log", "l")], &[("demo/log", "l"), ("demo/a", "1")]])];
        let Evidence::Stale { changed } = evidence("demo/a", &receipts, &later) else { panic!("not stale") };
        assert_eq!(changed, ["demo/new", "the pin of demo"]);
    }
}
