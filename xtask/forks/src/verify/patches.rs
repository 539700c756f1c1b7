//! What must hold of a fork's patches: headers, release, exact application, and every admissible set.

use std::sync::Arc;

use super::{Finding, relative};
use crate::layout::Layout;
use crate::pristine::{self, Release};
use crate::series::{Patch, Series, admissible_subsets};
use crate::store::Store;
use crate::{Error, Fork, Forks, Result, pins};

/// The words that may begin an Upstream-Status; whether a reason or a link must follow.
const UPSTREAM: &[(&str, bool)] = &[
    ("Pending", false),
    ("Submitted", true),
    ("Backport", true),
    ("Denied", true),
    ("Inappropriate", true),
    ("Inactive-Upstream", false),
];

/// What is wrong with an Upstream-Status.
pub(crate) fn upstream_status(value: &str) -> Option<String> {
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
}

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
    need("Upstream-Status", &upstream_status);
    need("Proof", &|value| (value != "bit-identical").then(|| format!("its Proof is `{value}`, not `bit-identical`")));
    if patch.is_measured() {
        need("Prediction", &|_| None);
    }
    for (key, id) in unknown(series, patch) {
        lines.push(format!("its {key} names `{id}`, which is not in the series"));
    }
    lines
}

/// Headers, release, exact application, form, and every admissible set. Gives whether the fork can be laid out.
pub(super) fn check(forks: &Forks, store: &Store, series: &Series, findings: &mut Vec<Finding>) -> Result<bool> {
    if !headers(series, findings) {
        return Ok(false);
    }
    let Some(release) = release(forks, &series.fork, findings)? else {
        return Ok(false);
    };
    let mut layout = Layout::on(store, series, store.pristine(&series.fork, &release)?);
    if let Err(error) = homes(store, series, &mut layout, findings) {
        findings.push(of_error("layout", &series.fork, error)?);
        return Ok(false);
    }
    subsets(series, &mut layout, findings)?;
    Ok(true)
}

/// What the patches' headers lack. Gives whether every patch that they name is known.
fn headers(series: &Series, findings: &mut Vec<Finding>) -> bool {
    let fork = &series.fork;
    for patch in &series.patches {
        for line in header(series, patch) {
            let fix = format!(
                "`cargo xtask edit {} --patch {}`, reword the commit, `cargo xtask export {0}`",
                fork.name, patch.id
            );
            findings.push(Finding::new("header", fork, Some(&patch.id), line, fix));
        }
    }
    series.patches.iter().all(|patch| unknown(series, patch).is_empty())
}

/// The patches that a patch's trailers name and the series lacks, with the trailer.
fn unknown(series: &Series, patch: &Patch) -> Vec<(&'static str, String)> {
    let Some(file) = &patch.file else {
        return Vec::new();
    };
    let named = ["Requires", "Excludes"]
        .into_iter()
        .flat_map(|key| file.description.ids(key).into_iter().map(move |id| (key, id)));
    named.filter(|(_, id)| series.patch(id).is_err()).collect()
}

/// The release, if it is the one pinned.
fn release(forks: &Forks, fork: &Fork, findings: &mut Vec<Finding>) -> Result<Option<Arc<Release>>> {
    let release = match pristine::release(forks, fork) {
        Ok(release) => release,
        Err(error @ (Error::Checksum { .. } | Error::Release { .. } | Error::Cargo { .. })) => {
            let fix = format!("mend the pin in {}, or the release that cargo gives", pins::PATH);
            findings.push(Finding::new("checksum", fork, None, error.to_string(), fix));
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    if let Some(commit) = pristine::upstream_commit(&release).filter(|commit| *commit != fork.commit) {
        let message = format!("the pin says commit {}, the release says {commit}", fork.commit);
        let fix = format!("put the release's commit into {}", pins::PATH);
        findings.push(Finding::new("pin", fork, None, message, fix));
    }
    Ok(Some(release))
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
            let shipped = if series.patch(&id)?.on_main() { " --shipped" } else { "" };
            let fix = format!("cargo xtask drop {} {id}{shipped}", fork.name);
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
