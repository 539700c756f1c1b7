//! The state of each fork at a glance. Only looks: lays nothing out.

use serde::Serialize;

use crate::evidence::{self, Evidence, OfPatch};
use crate::graph;
use crate::rebase::refuse_unfinished;
use crate::series::{Kind, Series};
use crate::workdir::{Head, Place, Workdir};
use crate::{Error, Fork, Forks, Result};

/// The state of a fork.
#[derive(Debug, Clone, Serialize)]
pub struct ForkStatus {
    /// Its name.
    pub name: String,
    /// The crate.
    #[serde(rename = "crate")]
    pub krate: String,
    /// The pinned version.
    pub version: String,
    /// Where it is laid out.
    pub folder: String,
    /// How the folder differs from pin and patches; empty when it does not.
    pub drift: Vec<Drift>,
    /// The builds whose graph uses it.
    pub used_by: Vec<String>,
    /// The builds whose graph should and does not, or cannot be told.
    pub missing_in: Vec<String>,
    /// Its patches; none where a patch file cannot be read, which is told as drift.
    pub patches: Vec<PatchStatus>,
}

/// The state of a patch.
#[derive(Debug, Clone, Serialize)]
pub struct PatchStatus {
    /// Its id.
    pub id: String,
    /// `enabling`, `ships` or `measured`.
    pub kind: &'static str,
    /// Its name in the names of arms; absent for enabling patches.
    pub short: Option<String>,
    /// Its Upstream-Status trailer; absent without a file.
    pub upstream: Option<String>,
    /// Its evidence; absent for enabling patches, which claim no speed.
    pub evidence: Option<Evidence>,
}

/// A way in which a folder differs from pin and patches.
#[derive(Debug, Clone, Serialize)]
pub struct Drift {
    /// What differs.
    pub text: String,
    /// What mends it: first the way that keeps work, if there is any.
    pub fix: String,
}

/// The state of every fork, its evidence for builds by these compilers. What cannot be read of one is told as its drift.
pub fn status(forks: &Forks, toolchain: &[String]) -> Vec<ForkStatus> {
    let (evidence, _) = evidence::all(forks, toolchain);
    let graphs = graph::resolve_all(forks);
    forks.pins.forks.iter().map(|fork| of_fork(forks, fork, &graphs, &evidence)).collect()
}

type Graphs<'a> = Vec<(&'a crate::pins::Build, Result<cargo_metadata::Metadata>)>;

fn of_fork(forks: &Forks, fork: &Fork, graphs: &Graphs, evidence: &[OfPatch]) -> ForkStatus {
    let folder = forks.folder(fork);
    let (mut used_by, mut missing_in) = (Vec::new(), Vec::new());
    for (build, metadata) in graphs {
        if metadata.as_ref().is_ok_and(|metadata| graph::uses(metadata, build, fork, &folder)) {
            used_by.push(build.name.clone());
        } else if build.forks.contains(&fork.name) {
            missing_in.push(build.name.clone());
        }
    }
    let (drift, patches) = match forks.series(fork) {
        Ok(series) => (drift(forks, fork, &series), patches(&series, evidence)),
        Err(error) => {
            let text = error.to_string().replace(&format!("{}/", forks.root.display()), "");
            (vec![Drift { text, fix: "cargo xtask verify".into() }], Vec::new())
        }
    };
    ForkStatus {
        name: fork.name.clone(),
        krate: fork.krate.clone(),
        version: fork.version.clone(),
        folder: fork.folder.display().to_string(),
        drift,
        used_by,
        missing_in,
        patches,
    }
}

fn patches(series: &Series, evidence: &[OfPatch]) -> Vec<PatchStatus> {
    let evidence_of = |id: &str| {
        let found = evidence.iter().find(|one| one.fork == series.fork.name && one.patch == id)?;
        Some(found.evidence.clone())
    };
    let of = |patch: &crate::Patch| PatchStatus {
        id: patch.id.clone(),
        kind: match patch.kind {
            Kind::Enabling => "enabling",
            Kind::Measured { ships: true, .. } => "ships",
            Kind::Measured { .. } => "measured",
        },
        short: match &patch.kind {
            Kind::Enabling => None,
            Kind::Measured { short, .. } => Some(short.clone()),
        },
        upstream: patch
            .file
            .as_ref()
            .map(|file| file.description.trailer("Upstream-Status").unwrap_or_else(|| "no Upstream-Status".to_owned())),
        evidence: evidence_of(&patch.id),
    };
    series.patches.iter().map(of).collect()
}

/// Whether the branch is that of a patch without a file.
fn is_begun(series: &Series, branch: &str) -> bool {
    branch.strip_prefix("patch/").is_some_and(|id| series.patch(id).is_ok_and(|patch| patch.file.is_none()))
}

/// How the folder of `fork` differs from pin and patches.
pub(crate) fn drift(forks: &Forks, fork: &Fork, series: &Series) -> Vec<Drift> {
    if let Err(error @ Error::Rebase { .. }) = refuse_unfinished(forks, fork) {
        return vec![rebasing(error)];
    }
    let apply = |text: String| Drift { text, fix: format!("cargo xtask apply {}", fork.name) };
    let work = |text: String, keep: &str| Drift { text, fix: keep_or_discard(fork, keep) };
    let found = match Workdir::new(forks, fork).inspect() {
        Ok(Place::Empty) => return vec![apply("not laid out".into())],
        Ok(Place::Foreign) => {
            return vec![work("not laid out by `cargo xtask apply`".into(), "move the folder elsewhere")];
        }
        Ok(Place::Ours(found)) => found,
        Err(error) => return vec![unreadable(fork, &error)],
    };
    let mut lines = Vec::new();
    if found.journal.is_some() {
        lines.push(apply("laying it out was interrupted".to_owned()));
    } else if found.state.key != series.key() {
        lines.push(apply("pin or patches changed since it was laid out".to_owned()));
    }
    match &found.head {
        Head::Branch(name) if name == "main" => {}
        Head::Branch(name) if is_begun(series, name) => {
            let (folder, name) = (fork.folder.display(), name.trim_start_matches("patch/"));
            let text = format!("patch `{name}` is begun and has no file yet");
            lines.push(Drift { text, fix: format!("commit it in {folder}, then `cargo xtask export {}`", fork.name) });
        }
        Head::Branch(name) => lines.push(apply(format!("branch {name} is checked out"))),
        Head::Detached(id) => lines.push(apply(format!("commit {} is checked out", &id[..12]))),
    }
    let export = format!("`cargo xtask export {}`", fork.name);
    let folder = fork.folder.display();
    let commit = format!("commit in {folder} and {export}");
    let take = match &found.head {
        Head::Branch(_) => export,
        Head::Detached(_) => format!("take the commits to main or patch/… with your own git in {folder} and {export}"),
    };
    lines.extend(found.uncommitted.into_iter().map(|text| work(text, &commit)));
    lines.extend(found.unexported.into_iter().map(|text| work(text, &take)));
    lines
}

/// A rebase that is not done: everything else in the folder is part of it.
fn rebasing(error: Error) -> Drift {
    match error {
        Error::Rebase { reason, mend, .. } => Drift { text: reason, fix: mend },
        other => Drift { text: other.to_string(), fix: String::new() },
    }
}

/// A folder or its `.git` that cannot be read, as drift: the other forks can still be told of.
pub(crate) fn unreadable(fork: &Fork, error: &Error) -> Drift {
    let mut text = format!("cannot be read: {error}");
    if let Some(source) = std::error::Error::source(error) {
        text += &format!(": {source}");
    }
    let fix = match error {
        // A link on the way there, say: what is in the way says itself how it goes.
        Error::Release { .. } | Error::Pins { .. } => {
            format!("mend what it says, then `cargo xtask apply {}`", fork.name)
        }
        _ => {
            let keep = format!("mend it with your own git (`git -C {} fsck` helps)", fork.folder.display());
            keep_or_discard(fork, &keep)
        }
    };
    Drift { text: text.replace('\n', " "), fix }
}

fn keep_or_discard(fork: &Fork, keep: &str) -> String {
    format!("{keep}; or discard it: `cargo xtask apply --discard {}`", fork.name)
}
