//! Whether a receipt still speaks for a patch. A pure comparison of what was measured with what would be built today;
//! knows nothing of samples and verdicts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{Fork, Forks, Measured, fingerprint};

/// Where receipts are kept, from the root.
pub const FOLDER: &str = "evidence";

/// What a receipt says of what it measured and where; the rest of it is not read.
#[derive(Debug, Clone, Deserialize)]
struct Receipt {
    #[serde(skip)]
    path: PathBuf,
    plan: Plan,
    host: Host,
    arms: Vec<Arm>,
}

#[derive(Debug, Clone, Deserialize)]
struct Plan {
    cases: Vec<Case>,
}

#[derive(Debug, Clone, Deserialize)]
struct Case {
    workload: String,
    /// The kind of build, too.
    path: String,
}

#[derive(Debug, Clone, Deserialize)]
struct Host {
    cpu: String,
    cores: usize,
    #[serde(default)]
    gpus: Vec<Gpu>,
}

#[derive(Debug, Clone, Deserialize)]
struct Gpu {
    name: String,
}

#[derive(Debug, Clone, Deserialize)]
struct Arm {
    /// Its binaries, by kind of build.
    #[serde(default)]
    builds: BTreeMap<String, Built>,
}

#[derive(Debug, Clone, Deserialize)]
struct Built {
    components: Components,
}

/// What the forks and compilers gave to a binary.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
struct Components {
    /// The pin of each fork in it, by name.
    pins: BTreeMap<String, String>,
    /// The patch-id of each patch in it, by `<fork>/<id>`.
    patches: BTreeMap<String, String>,
    #[serde(default)]
    toolchain: Vec<String>,
}

/// What would be built today.
#[derive(Debug, Clone, Default)]
struct Today {
    /// The pin of each fork.
    pins: BTreeMap<String, String>,
    /// The patch-id of each patch.
    patches: BTreeMap<String, String>,
    /// The enabling patches: in every arm but `upstream`.
    enabling: Vec<String>,
    /// The compilers.
    toolchain: Vec<String>,
}

/// Whether a patch has evidence, and on what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// The best state that a receipt gives it.
    #[serde(flatten)]
    pub state: State,
    /// The receipts that do.
    pub on: Vec<Place>,
}

/// Whether what was measured is what would be built today.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum State {
    /// A receipt has two arms that differ by the patch alone, and both are what would be built today.
    Fresh,
    /// The same, but for the compilers.
    OtherToolchain {
        /// Those that are not today's.
        toolchain: Vec<String>,
    },
    /// There is a receipt, but something else changed since.
    Stale {
        /// What changed.
        changed: Vec<String>,
    },
    /// No receipt has two arms that differ by the patch alone.
    None,
}

/// A receipt, and on what it measured a patch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Its path from the root.
    pub receipt: PathBuf,
    /// The GPU, or for builds that use none the CPU with its cores.
    pub device: String,
    /// The workloads of the builds that differ by the patch.
    pub workloads: Vec<String>,
}

/// The evidence of one measured patch.
#[derive(Debug, Clone, Serialize)]
pub struct OfPatch {
    /// The fork.
    pub fork: String,
    /// The patch's id.
    pub patch: String,
    /// Its name in the names of arms.
    pub short: String,
    /// Its evidence.
    #[serde(flatten)]
    pub evidence: Evidence,
}

/// The evidence of every measured patch, in the order of forks and series, for builds by these compilers (as a receipt
/// names them); and the files among the receipts that are none.
pub fn all(forks: &Forks, toolchain: &[String]) -> (Vec<OfPatch>, Vec<PathBuf>) {
    let (receipts, wrong) = read(&forks.root);
    let today = Today::of(forks, toolchain, receipts.is_empty());
    let of = |(fork, patch): (&Fork, &Measured)| OfPatch {
        fork: fork.name.clone(),
        patch: patch.id.clone(),
        short: patch.short.clone(),
        evidence: evidence(&fingerprint::patch_name(fork, &patch.id), &receipts, &today),
    };
    let measured = forks.pins.forks.iter().flat_map(|fork| fork.measured.iter().map(move |patch| (fork, patch)));
    (measured.map(of).collect(), wrong)
}

impl Today {
    fn of(forks: &Forks, toolchain: &[String], no_receipts: bool) -> Self {
        let mut today = Self { toolchain: toolchain.to_vec(), ..Self::default() };
        for fork in &forks.pins.forks {
            today.pins.insert(fork.name.clone(), fingerprint::pin(fork));
            today.enabling.extend(fork.enabling.iter().map(|id| fingerprint::patch_name(fork, id)));
            if !no_receipts {
                // A patch that cannot be read has changed.
                let ids = forks.series(fork).and_then(|series| fingerprint::of_series(forks, &series));
                today.patches.extend(ids.unwrap_or_default());
            }
        }
        today
    }
}

impl Evidence {
    /// Whether it speaks for what would be built today.
    pub fn is_fresh(&self) -> bool {
        self.state == State::Fresh
    }
}

/// The evidence that `receipts` hold for `patch` (`<fork>/<id>`).
fn evidence(patch: &str, receipts: &[Receipt], today: &Today) -> Evidence {
    let mut best = Evidence { state: State::None, on: Vec::new() };
    for receipt in receipts {
        let pairs = pairs(patch, receipt);
        let states = pairs.iter().map(|(kind, without, with)| (state(without, with, today), *kind));
        let Some((state, _)) = states.clone().min_by_key(|(state, _)| rank(state)) else { continue };
        let kinds: BTreeSet<&str> =
            states.filter(|(other, _)| rank(other) == rank(&state)).map(|(_, kind)| kind).collect();
        let place = receipt.place(&kinds);
        match rank(&state).cmp(&rank(&best.state)) {
            std::cmp::Ordering::Less => best = Evidence { state, on: vec![place] },
            std::cmp::Ordering::Equal if state != State::None => best.on.push(place),
            _ => {}
        }
    }
    best
}

/// Lower is better; of stale ones that with fewer changes.
fn rank(state: &State) -> usize {
    match state {
        State::Fresh => 0,
        State::OtherToolchain { .. } => 1,
        State::Stale { changed } => 1 + changed.len(),
        State::None => usize::MAX,
    }
}

fn state(without: &Components, with: &Components, today: &Today) -> State {
    let mut changed = differences(without, today);
    changed.extend(differences(with, today));
    changed.sort();
    changed.dedup();
    let mut others: Vec<String> = with.toolchain.iter().filter(|one| !today.toolchain.contains(one)).cloned().collect();
    others.sort();
    match (changed.is_empty(), others.is_empty()) {
        (false, _) => State::Stale { changed },
        (true, false) => State::OtherToolchain { toolchain: others },
        (true, true) => State::Fresh,
    }
}

/// Builds of one kind in one receipt that differ by `patch` alone: the kind, that without it, that with it.
fn pairs<'a>(patch: &str, receipt: &'a Receipt) -> Vec<(&'a str, &'a Components, &'a Components)> {
    let builds =
        || receipt.arms.iter().flat_map(|arm| arm.builds.iter().map(|(kind, built)| (kind, &built.components)));
    let mut found = Vec::new();
    for (kind, with) in builds().filter(|(_, with)| with.patches.contains_key(patch)) {
        let mut rest = with.patches.clone();
        rest.remove(patch);
        let without =
            builds().filter(|(other, without)| *other == kind && without.patches == rest && without.pins == with.pins);
        found.extend(without.map(|(_, without)| (kind.as_str(), without, with)));
    }
    found
}

impl Receipt {
    /// The receipt as evidence for builds of these kinds.
    fn place(&self, kinds: &BTreeSet<&str>) -> Place {
        let mut workloads: Vec<String> = Vec::new();
        for case in self.plan.cases.iter().filter(|case| kinds.contains(case.path.as_str())) {
            if !workloads.contains(&case.workload) {
                workloads.push(case.workload.clone());
            }
        }
        let on_cpu = kinds.iter().all(|kind| *kind == "cpu");
        let device = match self.host.gpus.first().filter(|_| !on_cpu) {
            Some(gpu) => gpu.name.clone(),
            None => format!("{}, {} cores", self.host.cpu, self.host.cores),
        };
        Place { receipt: self.path.clone(), device, workloads }
    }
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

/// The receipts below the root, and the files that are none.
fn read(root: &Path) -> (Vec<Receipt>, Vec<PathBuf>) {
    let (mut receipts, mut wrong) = (Vec::new(), Vec::new());
    for path in files(&root.join(FOLDER)) {
        let from_root = path.strip_prefix(root).unwrap_or(&path).to_owned();
        match fs::read(&path).ok().and_then(|bytes| serde_json::from_slice::<Receipt>(&bytes).ok()) {
            Some(receipt) => receipts.push(Receipt { path: from_root, ..receipt }),
            None => wrong.push(from_root),
        }
    }
    (receipts, wrong)
}

/// Every JSON file below `folder`, in order.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "json") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    fn receipt(arms: &[&[(&str, &str)]]) -> Receipt {
        let arm = |patches: &&[(&str, &str)]| {
            let toolchain = vec!["rustc 1".to_owned()];
            let components = Components { pins: map(&[("demo", "1")]), patches: map(patches), toolchain };
            Arm { builds: [("cpu".to_owned(), Built { components })].into() }
        };
        let case = |workload: &str, path: &str| Case { workload: workload.into(), path: path.into() };
        Receipt {
            path: "evidence/one.json".into(),
            plan: Plan { cases: vec![case("w", "cpu"), case("v", "stock"), case("w", "cpu")] },
            host: Host { cpu: "C".into(), cores: 2, gpus: vec![Gpu { name: "G".into() }] },
            arms: arms.iter().map(arm).collect(),
        }
    }

    fn today() -> Today {
        Today {
            pins: map(&[("demo", "1")]),
            patches: map(&[("demo/log", "l"), ("demo/a", "1"), ("demo/b", "2")]),
            enabling: vec!["demo/log".into()],
            toolchain: vec!["rustc 1".into(), "nvcc 1".into()],
        }
    }

    #[test]
    fn two_arms_that_differ_by_the_patch_alone_are_evidence() {
        let receipts = [receipt(&[&[("demo/log", "l")], &[("demo/log", "l"), ("demo/a", "1")]])];
        let place =
            Place { receipt: "evidence/one.json".into(), device: "C, 2 cores".into(), workloads: vec!["w".into()] };
        assert_eq!(evidence("demo/a", &receipts, &today()), Evidence { state: State::Fresh, on: vec![place] });
        let none = Evidence { state: State::None, on: vec![] };
        assert_eq!(evidence("demo/b", &receipts, &today()), none);
        assert_eq!(evidence("demo/a", &[], &today()), none);
    }

    #[test]
    fn arms_that_differ_by_more_are_none() {
        let receipts = [receipt(&[&[("demo/log", "l")], &[("demo/log", "l"), ("demo/a", "1"), ("demo/b", "2")]])];
        assert_eq!(evidence("demo/a", &receipts, &today()).state, State::None);
    }

    #[test]
    fn stale_says_what_changed() {
        let changed = |receipt: Receipt, today: &Today| match evidence("demo/a", &[receipt], today).state {
            State::Stale { changed } => changed,
            other => panic!("{other:?}"),
        };
        let old = || receipt(&[&[("demo/log", "old")], &[("demo/log", "old"), ("demo/a", "1")]]);
        assert_eq!(changed(old(), &today()), ["demo/log"]);
        let mut later = today();
        later.pins = map(&[("demo", "2")]);
        later.enabling.push("demo/new".into());
        let new = receipt(&[&[("demo/log", "l")], &[("demo/log", "l"), ("demo/a", "1")]]);
        assert_eq!(changed(new.clone(), &later), ["demo/new", "the pin of demo"]);
        // The better of two receipts speaks.
        assert!(evidence("demo/a", &[old(), new], &today()).is_fresh());
    }

    #[test]
    fn other_compilers_are_told_apart_from_other_code() {
        let receipts = [receipt(&[&[("demo/log", "l")], &[("demo/log", "l"), ("demo/a", "1")]])];
        let later = Today { toolchain: vec!["rustc 2".into()], ..today() };
        let state = evidence("demo/a", &receipts, &later).state;
        assert_eq!(state, State::OtherToolchain { toolchain: vec!["rustc 1".into()] });
    }
}
