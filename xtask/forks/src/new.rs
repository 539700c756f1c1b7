//! Starting a patch: its entry in the series, its branch checked out, and the message that its commit needs. The entry
//! is written last of what can fail, by one rename; a call that was killed after it is taken up by the same call again.

use std::fs;

use crate::apply::{refuse_work, target};
use crate::edit::edit;
use crate::rebase::refuse_unfinished;
use crate::series::{Kind, Patch, Series};
use crate::verify::patches::upstream_status;
use crate::workdir::Workdir;
use crate::{Error, Fork, Forks, Pins, Result, lock, pins, rewrite};

/// A patch to be started.
#[derive(Debug, Clone)]
pub struct NewPatch {
    /// Its stable name.
    pub id: String,
    /// Whether it claims speed.
    pub kind: Kind,
    /// The first line of its message; left to its author otherwise.
    pub subject: Option<String>,
    /// Its Upstream-Status; `Pending` otherwise.
    pub upstream_status: Option<String>,
    /// What a measured patch should move, and by how much; left to its author otherwise.
    pub prediction: Option<String>,
}

/// A patch that was started.
#[derive(Debug, Clone)]
pub struct Started {
    /// The branch that is checked out.
    pub branch: String,
    /// The message that its commit starts from.
    pub message: String,
}

/// Starts `patch` on the fork called `name`. The next `git commit` in its folder finds the message ready. An
/// entry of the same kind that has no file yet is taken up; anything else that stands in the way is an error, and
/// nothing is changed.
pub fn start(forks: &Forks, name: &str, patch: &NewPatch) -> Result<Started> {
    let _lock = lock::take(&forks.work_dir())?;
    let mut forks = Forks::open(&forks.root)?;
    let fork = forks.fork(name)?.clone();
    refuse_unfinished(&forks, &fork)?;
    check_words(&fork, patch)?;
    refuse_work(&forks, &fork)?;
    if !is_begun(&forks.series(&fork)?, patch) {
        refuse_taken(&forks, &fork, patch)?;
        forks = enter(&forks, &fork, patch)?;
    }
    let fork = forks.fork(name)?;
    let branch = edit(&forks, fork, Some(&patch.id))?;
    let message = message(patch);
    // Not `commit.template`: git refuses a message that equals its template, keeps that for every later commit, and
    // prefers whatever else is there. This it takes for the next commit, and drops with the branch.
    let file = Workdir::new(&forks, fork).git.dir().join("MERGE_MSG");
    fs::write(&file, &message).map_err(Error::io("write", &file))?;
    Ok(Started { branch, message })
}

fn refuse<T>(fork: &Fork, patch: &NewPatch, reason: impl Into<String>, mend: impl Into<String>) -> Result<T> {
    let (reason, mend) = (reason.into(), mend.into());
    Err(Error::NotStarted { fork: fork.name.clone(), patch: patch.id.clone(), reason, mend })
}

/// Names and lines that a series or a message cannot hold.
fn check_words(fork: &Fork, patch: &NewPatch) -> Result<()> {
    let short = match &patch.kind {
        Kind::Measured { short, .. } => Some(short),
        Kind::Enabling => None,
    };
    if let Some(name) = [Some(&patch.id), short].into_iter().flatten().find(|name| !pins::is_name(name)) {
        let reason = format!("`{name}` is no name: it may hold letters, digits, `-` and `_`, and not begin with `-`");
        return refuse(fork, patch, reason, "another PATCH_ID or `--short NAME`");
    }
    let lines =
        [("subject", &patch.subject), ("upstream-status", &patch.upstream_status), ("prediction", &patch.prediction)];
    for (what, line) in lines {
        if line.as_ref().is_some_and(|line| line.trim().is_empty() || line.contains(char::is_control)) {
            return refuse(
                fork,
                patch,
                format!("its {what} is empty or not one line"),
                "say it in one line, or not at all",
            );
        }
    }
    match patch.upstream_status.as_deref().and_then(upstream_status) {
        Some(reason) => refuse(fork, patch, reason, "such as `--upstream-status 'Submitted LINK'`"),
        None => Ok(()),
    }
}

/// Whether the series has the very entry, still without a file.
fn is_begun(series: &Series, patch: &NewPatch) -> bool {
    series.patch(&patch.id).is_ok_and(|entry| entry.kind == patch.kind && entry.file.is_none())
}

/// An id must be new in its fork. Names of measured patches must be new among those of all forks, since arms are named
/// by either.
fn refuse_taken(forks: &Forks, fork: &Fork, patch: &NewPatch) -> Result<()> {
    if fork.ids().any(|id| id == patch.id) {
        let mend = format!("another id, or `cargo xtask edit {} --patch {}` to work on that one", fork.name, patch.id);
        return refuse(fork, patch, "a patch of that id is in the series", mend);
    }
    let file = format!("patches/{}/{}.patch", fork.name, patch.id);
    if forks.root.join(&file).exists() {
        let mend = format!("delete it, or put its entry into {} and `cargo xtask apply {}`", pins::PATH, fork.name);
        return refuse(fork, patch, format!("{file} is there, and in no series"), mend);
    }
    let Kind::Measured { short, .. } = &patch.kind else {
        return Ok(());
    };
    for (owner, other) in forks.pins.forks.iter().flat_map(|fork| fork.measured.iter().map(move |other| (fork, other)))
    {
        let taken = [&patch.id, short].into_iter().find(|name| [&other.id, &other.short].contains(name));
        if let Some(name) = taken {
            let reason = format!("`{name}` is a name of patch `{}` of {}", other.id, owner.name);
            let mend = if name == short { "`--short NAME` with another name" } else { "another id" };
            return refuse(fork, patch, reason, mend);
        }
    }
    Ok(())
}

/// Writes the entry, once it is sure that the fork lays out with it.
fn enter(forks: &Forks, fork: &Fork, patch: &NewPatch) -> Result<Forks> {
    let path = forks.root.join(pins::PATH);
    let wrong = |reason: String| Error::Pins { path: path.clone(), reason };
    let text = fs::read_to_string(&path).map_err(Error::io("read", &path))?;
    let text = pins::edit::add(&text, &fork.name, &patch.id, &patch.kind).map_err(wrong)?;
    let after = Forks { root: forks.root.clone(), pins: Pins::parse(&text).map_err(wrong)? };
    target(&after, &after.series(after.fork(&fork.name)?)?)?;
    rewrite::all(&forks.root, [(pins::PATH.into(), Some(text.into_bytes()))].into())?;
    Ok(after)
}

/// Puts the message of a patch that is begun where the next `git commit` finds it, unless there is one.
pub(crate) fn remind(workdir: &Workdir, patch: &Patch) -> Result<()> {
    let file = workdir.git.dir().join("MERGE_MSG");
    if file.exists() {
        return Ok(());
    }
    fs::write(&file, blank(patch)).map_err(Error::io("write", &file))
}

/// The message of a patch of which nothing was said yet.
pub(crate) fn blank(patch: &Patch) -> String {
    let (id, kind) = (patch.id.clone(), patch.kind.clone());
    message(&NewPatch { id, kind, subject: None, upstream_status: None, prediction: None })
}

/// The message with every trailer that `verify` demands; what was not said is left open.
fn message(patch: &NewPatch) -> String {
    let subject = patch.subject.as_deref().unwrap_or_default();
    let upstream = patch.upstream_status.as_deref().unwrap_or("Pending");
    let mut text = format!("{subject}\n\nPatch-Id: {}\nUpstream-Status: {upstream}\nProof: bit-identical\n", patch.id);
    if matches!(patch.kind, Kind::Measured { .. }) {
        let prediction = format!("Prediction: {}", patch.prediction.as_deref().unwrap_or_default());
        text += &format!("{}\n", prediction.trim_end());
    }
    text
}
