//! Everything that must hold: pins, checksums, headers, series and folders agree both ways, every admissible set of
//! patches lays out, and each shipped build uses each fork exactly once.

use std::fs;

use serde::Serialize;

use crate::evidence::{self, Evidence};
use crate::layout::Layout;
use crate::series::{Patch, Series, admissible_subsets};
use crate::store::Store;
use crate::{Error, Fork, Forks, Outcome, Result, ensure, fingerprint, graph, pins, pristine, status};

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
/// `need_evidence`, a measured patch without fresh evidence is a finding.
pub fn verify(forks: &Forks, need_evidence: bool) -> Result<Vec<Finding>> {
    let store = Store::open(forks)?;
    let mut findings = strays(forks);
    let mut laid_out = true;
    for fork in &forks.pins.forks {
        findings.extend(files(forks, fork));
        match forks.series(fork) {
            Ok(series) => {
                let found = chains(forks, &store, &series)?;
                let is_sound = !found.iter().any(|finding| matches!(finding.check, "checksum" | "layout" | "pin"));
                findings.extend(found);
                laid_out &= folder(forks, fork, &series, is_sound, &mut findings)?;
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
    if need_evidence {
        findings.extend(stale(forks)?);
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
        if !forks.pins.forks.iter().any(|fork| fork.name == name) {
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
            "commit it in {} and `cargo xtask export {}`, or take it out of {}",
            fork.folder.display(),
            fork.name,
            pins::PATH
        );
        findings.push(Finding::new("series", fork, Some(id), message, fix));
    }
    findings
}

/// The words that may begin an Upstream-Status; whether a reason or a link must follow.
const UPSTREAM: &[(&str, bool)] = &[
    ("Pending", false),
    ("Submitted", true),
    ("Backport", true),
    ("Denied", true),
    ("Inappropriate", true),
    ("Inactive-Upstream", false),
];

/// What a patch's header lacks.
fn header(series: &Series, patch: &Patch) -> Vec<String> {
    let Some(file) = &patch.file else {
        return Vec::new();
    };
    let said = &file.description;
    let mut lines = Vec::new();
    let mut need = |key: &str, judge: &dyn Fn(&str) -> Option<String>| match said.trailer(key) {
        None => lines.push(format!("it lacks the trailer {key}")),
        Some(value) if value.is_empty() => lines.push(format!("its trailer {key} is empty")),
        Some(value) => lines.extend(judge(&value)),
    };
    need("Patch-Id", &|id| (id != patch.id).then(|| format!("its Patch-Id is `{id}`, its file is {}.patch", patch.id)));
    need("Upstream-Status", &|value| {
        let (word, reason) = value.split_once([' ', '\t']).unwrap_or((value, ""));
        match UPSTREAM.iter().find(|(known, _)| *known == word) {
            None => Some(format!(
                "its Upstream-Status `{word}` is none of Pending, Submitted, Backport, Denied, Inappropriate, Inactive-Upstream"
            )),
            Some((_, true)) if reason.trim().is_empty() => {
                Some(format!("its Upstream-Status `{word}` needs a reason or a link"))
            }
            Some(_) => None,
        }
    });
    need("Proof", &|value| (value != "bit-identical").then(|| format!("its Proof is `{value}`, not `bit-identical`")));
    if patch.is_measured() {
        need("Prediction", &|_| None);
    }
    for key in ["Requires", "Excludes"] {
        for id in said.ids(key).iter().filter(|id| series.patch(id).is_err()) {
            lines.push(format!("its {key} names `{id}`, which is not in the series"));
        }
    }
    lines
}

/// Release, headers, exact application, form, and every admissible set.
fn chains(forks: &Forks, store: &Store, series: &Series) -> Result<Vec<Finding>> {
    let fork = &series.fork;
    let mut findings = Vec::new();
    for patch in &series.patches {
        for line in header(series, patch) {
            let fix = format!(
                "`cargo xtask edit {} --patch {}`, reword the commit, `cargo xtask export {0}`",
                fork.name, patch.id
            );
            findings.push(Finding::new("header", fork, Some(&patch.id), line, fix));
        }
    }
    if findings.iter().any(|finding| finding.message.contains("not in the series")) {
        return Ok(findings);
    }
    let release = match pristine::release(forks, fork) {
        Ok(release) => release,
        Err(error @ (Error::Checksum { .. } | Error::Release { .. } | Error::Cargo { .. })) => {
            let fix = format!("mend the pin in {}, or the release that cargo gives", pins::PATH);
            findings.push(Finding::new("checksum", fork, None, error.to_string(), fix));
            return Ok(findings);
        }
        Err(error) => return Err(error),
    };
    if let Some(commit) = pristine::upstream_commit(&release).filter(|commit| *commit != fork.commit) {
        let message = format!("the pin says commit {}, the release says {commit}", fork.commit);
        findings.push(Finding::new(
            "pin",
            fork,
            None,
            message,
            format!("put the release's commit into {}", pins::PATH),
        ));
    }
    let mut layout = Layout::on(store, series, store.pristine(fork, &release)?);
    if let Err(error) = homes(store, series, &mut layout, &mut findings) {
        findings.push(of_error("layout", fork, error)?);
        return Ok(findings);
    }
    subsets(series, &mut layout, &mut findings)?;
    Ok(findings)
}

/// Turns an error about a patch into a finding; any other stays one.
fn of_error(check: &'static str, fork: &Fork, error: Error) -> Result<Finding> {
    let message = error.to_string();
    let patch = match &error {
        Error::Inexact { patch, .. } | Error::Conflict { patch, .. } | Error::NoFile { patch, .. } => {
            Some(patch.as_str())
        }
        Error::Inadmissible { .. } => None,
        _ => return Err(error),
    };
    let fix = match (&error, patch) {
        (Error::Conflict { .. }, Some(id)) => format!(
            "if they cannot go together, add `Excludes:` to one; if one builds on the other, `Requires:`; else make their \
             hunks meet less (`cargo xtask edit {} --patch {id}`)",
            fork.name
        ),
        (_, Some(id)) => {
            format!("git checkout -- {}, or `cargo xtask edit {}` and commit it anew", relative(fork, id), fork.name)
        }
        (_, None) => format!("mend the `Requires` and `Excludes` trailers, or what ships in {}", pins::PATH),
    };
    Ok(Finding::new(check, fork, patch, message, fix))
}

/// Each patch at home: it changes something, and its file is in the form that `export` writes.
fn homes(store: &Store, series: &Series, layout: &mut Layout, findings: &mut Vec<Finding>) -> Result<()> {
    let fork = &series.fork;
    for (id, below, commit) in layout.at_home()? {
        if below.tree == commit.tree {
            let fix = format!("delete {} and take `{id}` out of {}", relative(fork, &id), pins::PATH);
            findings.push(Finding::new("empty", fork, Some(&id), "it changes nothing".into(), fix));
        } else if series.patch(&id)?.bytes.as_ref() != Some(&store.render(&commit)?) {
            let message = format!("{} is not in the form that `export` writes", relative(fork, &id));
            findings.push(Finding::new("form", fork, Some(&id), message, format!("cargo xtask export {}", fork.name)));
        }
    }
    Ok(())
}

/// Every admissible set lays out, and every patch in it still changes something. A conflict is told once, for the
/// smallest set that has it.
fn subsets(series: &Series, layout: &mut Layout, findings: &mut Vec<Finding>) -> Result<()> {
    let mut failed: Vec<Vec<String>> = Vec::new();
    for set in admissible_subsets(series) {
        if failed.iter().any(|bad| bad.iter().all(|id| set.contains(id))) {
            continue;
        }
        match layout.subset(&set) {
            Ok(commit) => {
                let Some((last, below)) = set.split_last() else {
                    continue;
                };
                if !below.is_empty() && layout.subset(below)?.tree == commit.tree {
                    let message = format!("it changes nothing on top of {}", below.join(", "));
                    let fix = "if one contains the other, add `Excludes:` or `Requires:`".to_owned();
                    findings.push(Finding::new("empty", &series.fork, Some(last), message, fix));
                }
            }
            Err(error) => {
                let mut finding = of_error("subset", &series.fork, error)?;
                finding.message = format!("the set {} does not lay out: {}", set.join(" + "), finding.message);
                findings.push(finding);
                failed.push(set);
            }
        }
    }
    if let Err(error) = layout.main()
        && failed.is_empty()
    {
        findings.push(of_error("subset", &series.fork, error)?);
    }
    Ok(())
}

/// The folder holds exactly pin and patches. Gives whether there is something for the graph to use.
fn folder(forks: &Forks, fork: &Fork, series: &Series, is_sound: bool, findings: &mut Vec<Finding>) -> Result<bool> {
    if is_sound {
        match ensure(forks, fork) {
            Ok(Outcome::LaidOut { .. }) => {
                eprintln!("{}: laid out in {}", fork.name, fork.folder.display())
            }
            // What stands in the way is told below.
            Ok(Outcome::Unchanged) | Err(Error::Work { .. } | Error::Inadmissible { .. } | Error::Conflict { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    for line in status::drift(forks, fork, series)? {
        let message = format!("{}: {line}", fork.folder.display());
        let fix = format!(
            "keep it: commit there and `cargo xtask export {0}`; discard it: `cargo xtask apply --discard {0}`",
            fork.name
        );
        findings.push(Finding::new("folder", fork, None, message, fix));
    }
    Ok(forks.folder(fork).join("Cargo.toml").is_file())
}

/// Each shipped build uses each fork exactly once, and cargo used every `[patch]`.
fn graphs(forks: &Forks) -> Vec<Finding> {
    let mut findings = Vec::new();
    let lock = fs::read_to_string(forks.root.join("Cargo.lock")).unwrap_or_default();
    for name in graph::unused_patches(&lock) {
        let fork = forks.pins.forks.iter().find(|fork| name.split(' ').next() == Some(&fork.name));
        findings.push(Finding {
            check: "graph",
            fork: fork.map(|fork| fork.name.clone()),
            patch: None,
            message: format!("Cargo.lock has [[patch.unused]] {name}: cargo does not use this `[patch]`"),
            fix: "make the dependants' requirements admit the fork's version, then `cargo metadata > /dev/null` to renew \
                  Cargo.lock"
                .into(),
        });
    }
    for (build, metadata) in graph::resolve_all(forks) {
        match metadata {
            Ok(metadata) => {
                for fork in &forks.pins.forks {
                    let faults = graph::faults(&metadata, build, fork, &forks.folder(fork));
                    findings.extend(faults.into_iter().map(|fault| {
                        let fix =
                            "see to `[patch.crates-io]`, `exclude` and the requirements in the Cargo.toml files".into();
                        Finding::new("graph", fork, None, fault.message, fix)
                    }));
                }
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
    findings
}

/// Measured patches that ship without fresh evidence, and receipts that cannot be read.
fn stale(forks: &Forks) -> Result<Vec<Finding>> {
    let evidence = status::patch_evidence(forks)?;
    let mut findings = Vec::new();
    for fork in &forks.pins.forks {
        for patch in &fork.measured {
            let message = match evidence(&fingerprint::patch_name(fork, &patch.id)) {
                Evidence::Fresh => continue,
                Evidence::Stale { changed } => format!("its evidence is stale; changed since: {}", changed.join(", ")),
                Evidence::None => "it has no evidence".to_owned(),
            };
            let fix = format!("cargo xtask bench --arms none,+{}", patch.short);
            findings.push(Finding::new("evidence", fork, Some(&patch.id), message, fix));
        }
    }
    let (_, wrong) = evidence::read(&forks.root.join("evidence"));
    findings.extend(wrong.into_iter().map(|path| Finding {
        check: "evidence",
        fork: None,
        patch: None,
        message: format!("{} is no receipt", path.display()),
        fix: "restore it from version control, or delete it".into(),
    }));
    Ok(findings)
}
