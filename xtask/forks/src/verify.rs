//! Everything that must hold: pins, checksums, headers, series and folders agree both ways, every admissible set of
//! patches lays out, and each shipped build uses each fork exactly once.

mod manifest;
pub(crate) mod patches;

use std::fs;

use serde::Serialize;

use crate::evidence::{self, OfPatch, State};
use crate::graph::Fault;
use crate::series::Series;
use crate::status::Drift;
use crate::store::Store;
use crate::{Error, Fork, Forks, Outcome, Result, ensure, graph, pins, status};

/// Something that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Which check found it.
    pub check: &'static str,
    /// The crate, if it is about one.
    pub fork: Option<String>,
    /// The patch, if it is about one.
    pub patch: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What mends it.
    pub fix: String,
}

impl Finding {
    fn new(check: &'static str, fork: &Fork, patch: Option<&str>, message: String, fix: String) -> Self {
        Self { check, fork: Some(fork.name.clone()), patch: patch.map(str::to_owned), message, fix }
    }
}

/// Checks everything; lays forks out where they are missing or outdated, since the graph needs them. With
/// `need_evidence`, a measured patch without fresh evidence for builds by these compilers is a finding.
pub fn verify(forks: &Forks, need_evidence: Option<&[String]>) -> Result<Vec<Finding>> {
    let store = Store::open(forks)?;
    // Read again: whoever held the lock may have changed the pins.
    let forks = &Forks::open(&forks.root)?;
    let mut findings = strays(forks);
    let mut laid_out = true;
    for fork in &forks.pins.forks {
        findings.extend(files(forks, fork));
        match forks.series(fork) {
            Ok(series) => {
                let is_sound = patches::check(forks, &store, &series, &mut findings)?;
                laid_out &= folder(forks, fork, &series, is_sound, &mut findings);
            }
            Err(error) => {
                findings.push(broken_file(fork, &error)?);
                laid_out &= forks.folder(fork).is_dir();
            }
        }
    }
    if laid_out {
        findings.extend(graphs(forks));
    }
    if let Some(toolchain) = need_evidence {
        findings.extend(stale(forks, toolchain));
    }
    Ok(findings)
}

fn broken_file(fork: &Fork, error: &Error) -> Result<Finding, Error> {
    let Error::PatchFile { path, reason } = error else {
        return Err(Error::Release { path: fork.folder.clone(), reason: error.to_string() });
    };
    let id = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let fix = format!("git checkout -- {}", relative(fork, id.as_deref().unwrap_or_default()));
    Ok(Finding::new("header", fork, id.as_deref(), reason.clone(), fix))
}

fn relative(fork: &Fork, id: &str) -> String {
    format!("patches/{}/{id}.patch", fork.name)
}

/// Folders in `patches/` that belong to no fork.
fn strays(forks: &Forks) -> Vec<Finding> {
    let entries = fs::read_dir(forks.root.join("patches")).into_iter().flatten().flatten();
    let mut findings = Vec::new();
    for name in entries.filter(|entry| entry.path().is_dir()).map(|entry| entry.file_name()) {
        let name = name.to_string_lossy();
        // What a killed verb left lies in hidden folders, and the next removes it.
        if !name.starts_with('.') && !forks.pins.forks.iter().any(|fork| fork.name == name) {
            findings.push(Finding {
                check: "series",
                fork: None,
                patch: None,
                message: format!("patches/{name} belongs to no fork"),
                fix: format!("pin the crate in {}, or delete the folder", pins::PATH),
            });
        }
    }
    findings
}

/// Series and files agree both ways.
fn files(forks: &Forks, fork: &Fork) -> Vec<Finding> {
    let mut findings = Vec::new();
    for path in crate::export::orphans(forks, fork) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let id = name.strip_suffix(".patch").map(str::to_owned);
        let message = format!("patches/{}/{name} is in no series", fork.name);
        let fix = format!("add it to `enabling` or `measured` of {} in {}, or delete it", fork.name, pins::PATH);
        findings.push(Finding::new("series", fork, id.as_deref(), message, fix));
    }
    for id in fork.ids().filter(|id| !forks.patch_dir(fork).join(format!("{id}.patch")).is_file()) {
        let message = format!("the series names `{id}`, but there is no {}", relative(fork, id));
        let fix = format!(
            "commit it in {} and `cargo xtask export {1}`, or `cargo xtask drop {1} {id}`",
            fork.folder.display(),
            fork.name
        );
        findings.push(Finding::new("series", fork, Some(id), message, fix));
    }
    findings
}

/// The folder holds exactly pin and patches. Gives whether there is something for the graph to use.
fn folder(forks: &Forks, fork: &Fork, series: &Series, is_sound: bool, findings: &mut Vec<Finding>) -> bool {
    let laid_out = if is_sound { ensure(forks, fork) } else { Ok(Outcome::Unchanged) };
    if let Ok(Outcome::LaidOut { .. }) = laid_out {
        eprintln!("{}: laid out in {}", fork.name, fork.folder.display());
    }
    let drift = match laid_out {
        // What stands in the way is told as drift.
        Ok(_)
        | Err(
            Error::Work { .. }
            | Error::Foreign { .. }
            | Error::Rebase { .. }
            | Error::Inadmissible { .. }
            | Error::Conflict { .. }
            | Error::NoFile { .. },
        ) => status::drift(forks, fork, series),
        Err(error) => vec![status::unreadable(fork, &error)],
    };
    for Drift { text, fix } in drift {
        let message = format!("{}: {text}", fork.folder.display());
        findings.push(Finding::new("folder", fork, None, message, fix));
    }
    forks.folder(fork).join("Cargo.toml").is_file()
}

/// Each shipped build uses each fork exactly once, and cargo used every `[patch]`.
fn graphs(forks: &Forks) -> Vec<Finding> {
    let mut findings = Vec::new();
    let lock = fs::read_to_string(forks.root.join("Cargo.lock")).unwrap_or_default();
    for name in graph::unused_patches(&lock) {
        let (krate, version) = name.split_once(' ').unwrap_or((&name, ""));
        let fork = forks.pins.forks.iter().find(|fork| forks.answers_for(fork, krate, version));
        findings.push(Finding {
            check: "graph",
            fork: fork.map(|fork| fork.name.clone()),
            patch: None,
            message: format!("Cargo.lock has [[patch.unused]] {name}: cargo does not use this `[patch]`"),
            fix: format!(
                "make the dependants' requirements admit the fork's version, then `cargo metadata > /dev/null` to renew \
                 Cargo.lock; if they do, `cargo update --package {krate} --precise {version}`"
            ),
        });
    }
    let mut faults = Vec::new();
    for (build, metadata) in graph::resolve_all(forks) {
        match metadata {
            Ok(metadata) => {
                let of = |fork| graph::faults(forks, &metadata, build, fork).into_iter();
                faults.extend(forks.pins.forks.iter().flat_map(of).map(|fault| (build.name.as_str(), fault)));
            }
            Err(error) => findings.push(Finding {
                check: "graph",
                fork: None,
                patch: None,
                message: error.to_string(),
                fix: "mend what cargo says; `cargo metadata > /dev/null` renews Cargo.lock".into(),
            }),
        }
    }
    findings.extend(told(forks, &faults));
    findings
}

/// Faults as findings: what several builds have in common once, and a fork's requirements with the first that has them.
fn told(forks: &Forks, faults: &[(&str, Fault)]) -> Vec<Finding> {
    let patches = manifest::patches(forks);
    let mut findings = Vec::new();
    for fork in &forks.pins.forks {
        let of_fork: Vec<&(&str, Fault)> = faults.iter().filter(|(_, fault)| fault.fork == fork.name).collect();
        for (at, (_, fault)) in of_fork.iter().enumerate() {
            let before = || of_fork[..at].iter().map(|(_, other)| other);
            if before().any(|other| other == fault) {
                continue;
            }
            let builds: Vec<String> =
                of_fork.iter().filter(|(_, other)| other == fault).map(|(build, _)| format!("`{build}`")).collect();
            let word = if builds.len() == 1 { "build" } else { "builds" };
            let mut message = format!("{word} {}: {}", builds.join(", "), fault.message);
            if !before().any(|other| other.requirements == fault.requirements) {
                message += &fault.requirements;
            }
            let fix = fault.fix.clone().unwrap_or_else(|| manifest::fix(fork, &patches));
            findings.push(Finding::new("graph", fork, None, message, fix));
        }
    }
    findings
}

/// Measured patches without fresh evidence, and receipts that cannot be read.
fn stale(forks: &Forks, toolchain: &[String]) -> Vec<Finding> {
    let (evidence, wrong) = evidence::all(forks, toolchain);
    let mut findings = Vec::new();
    for OfPatch { fork, patch, short, evidence } in evidence {
        let message = match evidence.state {
            State::Fresh => continue,
            State::OtherToolchain { toolchain } => {
                format!("its evidence is of another toolchain: {}", toolchain.join(", "))
            }
            State::Stale { changed } => format!("its evidence is stale; changed since: {}", changed.join(", ")),
            State::None => "it has no evidence".to_owned(),
        };
        let fix = format!("cargo xtask bench --plan PLAN --arms upstream,none,+{short} --out {}", evidence::FOLDER);
        findings.push(Finding { check: "evidence", fork: Some(fork), patch: Some(patch), message, fix });
    }
    findings.extend(wrong.into_iter().map(|path| Finding {
        check: "evidence",
        fork: None,
        patch: None,
        message: format!("{} is no receipt", path.display()),
        fix: "restore it from version control, or delete it".into(),
    }));
    findings
}
