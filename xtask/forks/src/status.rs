//! The state of each fork at a glance. Only looks: lays nothing out.

use serde::Serialize;

use crate::evidence::{self, Evidence, Today};
use crate::graph;
use crate::series::{Kind, Series};
use crate::workdir::{Head, Place, Workdir};
use crate::{Fork, Forks, Result, fingerprint};

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
    pub drift: Vec<String>,
    /// The builds whose graph uses it.
    pub used_by: Vec<String>,
    /// The builds whose graph should and does not, or cannot be told.
    pub missing_in: Vec<String>,
    /// Its patches.
    pub patches: Vec<PatchStatus>,
}

/// The state of a patch.
#[derive(Debug, Clone, Serialize)]
pub struct PatchStatus {
    /// Its id.
    pub id: String,
    /// `enabling`, `ships` or `measured`.
    pub kind: &'static str,
    /// Its Upstream-Status trailer; absent without a file.
    pub upstream: Option<String>,
    /// Its evidence; absent for enabling patches, which claim no speed.
    pub evidence: Option<Evidence>,
}

/// The state of every fork.
pub fn status(forks: &Forks) -> Result<Vec<ForkStatus>> {
    let evidence = patch_evidence(forks)?;
    let graphs = graph::resolve_all(forks);
    forks.pins.forks.iter().map(|fork| of_fork(forks, fork, &graphs, &evidence)).collect()
}

type Graphs<'a> = Vec<(&'a crate::pins::Build, Result<cargo_metadata::Metadata>)>;

fn of_fork(forks: &Forks, fork: &Fork, graphs: &Graphs, evidence: &impl Fn(&str) -> Evidence) -> Result<ForkStatus> {
    let series = forks.series(fork)?;
    let folder = forks.folder(fork);
    let (mut used_by, mut missing_in) = (Vec::new(), Vec::new());
    for (build, metadata) in graphs {
        if metadata.as_ref().is_ok_and(|metadata| graph::uses(metadata, build, fork, &folder)) {
            used_by.push(build.name.clone());
        } else if build.forks.contains(&fork.name) {
            missing_in.push(build.name.clone());
        }
    }
    Ok(ForkStatus {
        name: fork.name.clone(),
        krate: fork.krate.clone(),
        version: fork.version.clone(),
        folder: fork.folder.display().to_string(),
        drift: drift(forks, fork, &series)?.into_iter().map(|drift| drift.text).collect(),
        used_by,
        missing_in,
        patches: patches(&series, evidence),
    })
}

fn patches(series: &Series, evidence: &impl Fn(&str) -> Evidence) -> Vec<PatchStatus> {
    let of = |patch: &crate::Patch| PatchStatus {
        id: patch.id.clone(),
        kind: match patch.kind {
            Kind::Enabling => "enabling",
            Kind::Measured { ships: true, .. } => "ships",
            Kind::Measured { .. } => "measured",
        },
        upstream: patch
            .file
            .as_ref()
            .map(|file| file.description.trailer("Upstream-Status").unwrap_or_else(|| "no Upstream-Status".to_owned())),
        evidence: patch.is_measured().then(|| evidence(&fingerprint::patch_name(&series.fork, &patch.id))),
    };
    series.patches.iter().map(of).collect()
}

/// A way in which a folder differs from pin and patches.
pub(crate) struct Drift {
    pub(crate) text: String,
    /// Whether there is work that `apply` would refuse to overwrite.
    pub(crate) is_work: bool,
}

/// How the folder of `fork` differs from pin and patches.
pub(crate) fn drift(forks: &Forks, fork: &Fork, series: &Series) -> Result<Vec<Drift>> {
    let drift = |text: String, is_work: bool| Drift { text, is_work };
    let found = match Workdir::new(forks, fork).inspect()? {
        Place::Empty => return Ok(vec![drift("not laid out".into(), false)]),
        Place::Foreign => {
            return Ok(vec![drift("not laid out by `cargo xtask apply`".into(), true)]);
        }
        Place::Ours(found) => found,
    };
    let mut lines = Vec::new();
    if found.journal.is_some() {
        lines.push(drift("laying it out was interrupted".to_owned(), false));
    } else if found.state.key != series.key() {
        lines.push(drift("pin or patches changed since it was laid out".to_owned(), false));
    }
    match &found.head {
        Head::Branch(name) if name == "main" => {}
        Head::Branch(name) => lines.push(drift(format!("branch {name} is checked out"), false)),
        Head::Detached(id) => lines.push(drift(format!("commit {} is checked out", &id[..12]), false)),
    }
    lines.extend(found.uncommitted.into_iter().chain(found.unexported).map(|text| drift(text, true)));
    Ok(lines)
}

/// The evidence of each measured patch by its name, from the receipts in `evidence/`.
pub(crate) fn patch_evidence(forks: &Forks) -> Result<impl Fn(&str) -> Evidence> {
    let (receipts, _) = evidence::read(&forks.root.join("evidence"));
    let mut today = Today::default();
    for fork in &forks.pins.forks {
        today.pins.insert(fork.name.clone(), fingerprint::pin(fork));
        today.enabling.extend(fork.enabling.iter().map(|id| fingerprint::patch_name(fork, id)));
        if !receipts.is_empty() {
            today.patches.extend(fingerprint::of_series(forks, &forks.series(fork)?)?);
        }
    }
    Ok(move |name: &str| evidence::evidence(name, &receipts, &today))
}
