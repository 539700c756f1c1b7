//! Laying a fork out in its folder. The commits are made first, elsewhere; then the folder is changed under a journal,
//! so that a kill at any moment loses nothing and the next call finishes the work. Only files whose bytes change are
//! rewritten; branches and stashes of the user's own stay.

use std::fs;
use std::io;
use std::path::Path;

use crate::git::Git;
use crate::layout::Layout;
use crate::rebase::refuse_unfinished;
use crate::series::Series;
use crate::store::{self, Commit, Store};
use crate::tree::{self, Synced};
use crate::workdir::{Found, Head, Journal, Place, REBASING, State, Workdir};
use crate::{Error, Fork, Forks, Result, step};

/// What a call did to a fork's folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was as it should be.
    Unchanged,
    /// It was laid out: so many files written and removed.
    LaidOut {
        /// Files written.
        written: usize,
        /// Files removed.
        removed: usize,
    },
}

/// Lays `fork` out: its folder then holds exactly pin and patches, `main` checked out. Refuses to overwrite work unless
/// `discard` says that it may go.
pub fn apply(forks: &Forks, fork: &Fork, discard: bool) -> Result<Outcome> {
    let (_lock, forks) = &forks.lock()?;
    let fork = forks.fork(&fork.name)?;
    refuse_unfinished(forks, fork)?;
    let series = forks.series(fork)?;
    let workdir = Workdir::new(forks, fork);
    workdir.refuse_links()?;
    let place = workdir.inspect();
    // What git cannot read any more is thrown away whole.
    let place = if discard { place.unwrap_or(Place::Foreign) } else { place? };
    match place {
        Place::Ours(found) => {
            let work: Vec<String> = found.uncommitted.iter().chain(&found.unexported).cloned().collect();
            if !discard && !work.is_empty() {
                return Err(refusal(fork, &workdir, work));
            }
            let on_main = found.head == Head::Branch("main".into());
            let done = found.journal.is_none() && found.state.key == series.key();
            let in_place = found.state.branches.iter().all(|(name, id)| found.branches.get(name) == Some(id));
            if work.is_empty() && on_main && done && in_place {
                return Ok(Outcome::Unchanged);
            }
            let target = target(forks, &series)?;
            let synced = lay(&workdir, Some(&found), &target, Some("main"))?;
            Ok(Outcome::LaidOut { written: synced.written, removed: synced.removed })
        }
        Place::Foreign if !discard => Err(Error::Foreign { fork: fork.name.clone(), folder: workdir.shown }),
        Place::Foreign | Place::Empty => {
            if let Some(file) = workdir.tracked_around()? {
                let reason = format!("this repository tracks {file}: a fork is laid out in a folder of its own");
                return Err(Error::Pins { path: forks.root.join(crate::pins::PATH), reason });
            }
            let target = target(forks, &series)?;
            let synced = lay_first(&workdir, &target)?;
            Ok(Outcome::LaidOut { written: synced.written, removed: synced.removed })
        }
    }
}

/// For verbs that need the forks: lays out what is missing, outdated or unfinished, and leaves a folder that is up to
/// date alone, whatever its user is doing there.
pub fn ensure(forks: &Forks, fork: &Fork) -> Result<Outcome> {
    refuse_unfinished(forks, fork)?;
    let workdir = Workdir::new(forks, fork);
    let key = forks.series(fork)?.key();
    let is_current = !workdir.is_unfinished() && workdir.state().is_some_and(|state| state.key == key);
    if is_current { Ok(Outcome::Unchanged) } else { apply(forks, fork, false) }
}

/// [`ensure`] for what is built or shipped: a series entry without a file is an error.
pub fn ensure_whole(forks: &Forks, fork: &Fork) -> Result<Outcome> {
    match forks.series(fork)?.patches.iter().find(|patch| patch.file.is_none()) {
        Some(patch) => Err(Error::NoFile { fork: fork.name.clone(), patch: patch.id.clone() }),
        None => ensure(forks, fork),
    }
}

/// Refuses where the folder of `fork` holds work that laying it out anew would lose.
pub(crate) fn refuse_work(forks: &Forks, fork: &Fork) -> Result<()> {
    let workdir = Workdir::new(forks, fork);
    let work = match workdir.inspect()? {
        Place::Ours(found) => [found.uncommitted, found.unexported].concat(),
        Place::Foreign => return Err(Error::Foreign { fork: fork.name.clone(), folder: workdir.shown }),
        Place::Empty => Vec::new(),
    };
    if work.is_empty() { Ok(()) } else { Err(refusal(fork, &workdir, work)) }
}

fn refusal(fork: &Fork, workdir: &Workdir, what: Vec<String>) -> Error {
    Error::Work { fork: fork.name.clone(), folder: workdir.shown.clone(), what }
}

/// What is to be laid out: the commits, ready in the store.
pub(crate) struct Target {
    store: Store,
    branches: Vec<(String, Commit)>,
    state: State,
}

impl Target {
    /// What is laid out already, with `below` on a branch of its own to merge a patch on.
    pub(crate) fn of_rebase(store: Store, state: &State, below: &Commit) -> Self {
        let mut state = state.clone();
        state.branches.insert(REBASING.into(), below.id.clone());
        Self { store, branches: vec![(REBASING.into(), below.clone())], state }
    }
}

pub(crate) fn target(forks: &Forks, series: &Series) -> Result<Target> {
    let store = Store::open(forks)?;
    let mut layout = Layout::open(forks, &store, series)?;
    let (pristine, branches) = (layout.pristine.id.clone(), layout.branches()?);
    let state = State {
        key: series.key(),
        branches: branches.iter().map(|(name, commit)| (name.clone(), commit.id.clone())).collect(),
        pristine,
        files: series.checksums(),
    };
    Ok(Target { store, branches, state })
}

/// Lays a fork out where there is nothing, or nothing to be kept: made beside its place, then renamed.
fn lay_first(workdir: &Workdir, target: &Target) -> Result<Synced> {
    let name = workdir.folder.file_name().expect("a fork's folder has a name").to_string_lossy().into_owned();
    let parent = workdir.folder.parent().expect("a fork's folder lies below the root");
    let beside = parent.join(format!(".laying-out-{name}"));
    remove_all(&beside)?;
    fs::create_dir_all(&beside).map_err(Error::io("make", &beside))?;
    let new = Workdir {
        root: workdir.root.clone(),
        folder: beside.clone(),
        shown: workdir.shown.clone(),
        git: Git::folder(&beside),
    };
    new.git.init()?;
    configure(&new)?;
    let synced = lay(&new, None, target, Some("main"))?;
    remove_all(&workdir.folder)?;
    step::before_change()
        .and_then(|()| fs::rename(&beside, &workdir.folder))
        .map_err(Error::io("make", &workdir.folder))?;
    Ok(synced)
}

/// What a release's `.gitattributes` asks the user's git to do to files on their way in and out: nothing of it.
const ATTRIBUTES: &str = "* -text -ident !filter !working-tree-encoding\n";

/// The user's own git, run in the folder, must not change a byte.
fn configure(workdir: &Workdir) -> Result<()> {
    workdir.git.call(["config", "core.autocrlf", "false"]).run()?;
    let info = workdir.git.dir().join("info");
    fs::create_dir_all(&info).map_err(Error::io("make", &info))?;
    let attributes = info.join("attributes");
    fs::write(&attributes, ATTRIBUTES).map_err(Error::io("write", &attributes))
}

/// Makes the folder's branches those of `target`, and its files those of the branch `checkout`; with `None`, the files
/// and HEAD stay. What `found` calls work is overwritten: the caller has asked.
pub(crate) fn lay(workdir: &Workdir, found: Option<&Found>, target: &Target, checkout: Option<&str>) -> Result<Synced> {
    let commit = checkout.and_then(|name| target.branches.iter().find(|(branch, _)| branch == name));
    let state = &target.state;
    let ids: Vec<String> = target.branches.iter().map(|(_, commit)| commit.id.clone()).collect();
    target.store.send(&ids, &workdir.git)?;
    let mut trees = found.map(Found::trees).unwrap_or_default();
    let stale = paths(workdir, &trees)?;
    trees.extend(commit.map(|(_, commit)| commit.tree.clone()));
    let journal = Journal { trees, state: state.clone() };
    write_json(&workdir.journal_file(), &workdir.scratch(), &journal)?;
    remove_locks(workdir.git.dir())?;
    let mut synced = Synced::default();
    if let Some((_, commit)) = commit {
        synced = sync_files(workdir, found, target, stale, commit)?;
    }
    move_branches(workdir, found, state, checkout)?;
    if let Some((_, commit)) = commit {
        settle_index(workdir, &commit.tree)?;
    }
    write_json(&workdir.state_file(), &workdir.scratch(), state)?;
    remove_all(&workdir.journal_file())?;
    remove_all(&workdir.scratch())?;
    Ok(synced)
}

fn paths(workdir: &Workdir, trees: &[String]) -> Result<Vec<String>> {
    let mut paths = Vec::new();
    for tree in trees {
        let (files, other) = store::read_entries(&workdir.git, tree)?;
        paths.extend(files.into_keys().chain(other));
    }
    Ok(paths)
}

/// Checks out a branch or a commit that is there, as it is, under a journal of its own. What `found` calls uncommitted
/// must be nothing.
pub(crate) fn switch(workdir: &Workdir, found: &Found, head: &Head) -> Result<()> {
    let (tip, move_head) = match head {
        Head::Branch(name) => (format!("refs/heads/{name}"), ["symbolic-ref", "HEAD"].as_slice()),
        Head::Detached(id) => (id.clone(), ["update-ref", "--no-deref", "HEAD"].as_slice()),
    };
    let tree = workdir.git.call(["rev-parse", &format!("{tip}^{{tree}}")]).text()?;
    let to = store::read_tree(&workdir.git, &tree)?;
    let mut trees = found.trees();
    let stale = paths(workdir, &trees)?;
    trees.push(tree.clone());
    let journal = Journal { trees, state: found.state.clone() };
    write_json(&workdir.journal_file(), &workdir.scratch(), &journal)?;
    remove_locks(workdir.git.dir())?;
    let blobs = store::read_blobs(&workdir.git, &to)?;
    tree::sync(&workdir.folder, &workdir.scratch(), &stale, &to, &blobs)?;
    workdir.git.call(move_head.iter().copied().chain([tip.as_str()])).run()?;
    settle_index(workdir, &tree)?;
    remove_all(&workdir.journal_file())?;
    remove_all(&workdir.scratch())
}

fn sync_files(
    workdir: &Workdir,
    found: Option<&Found>,
    target: &Target,
    mut stale: Vec<String>,
    commit: &Commit,
) -> Result<Synced> {
    if let Some(found) = found {
        stale.extend(found.untracked.iter().cloned());
    }
    stale.sort();
    stale.dedup();
    let to = target.store.tree(&commit.tree)?;
    let blobs = target.store.blobs(&to)?;
    tree::sync(&workdir.folder, &workdir.scratch(), &stale, &to, &blobs)
}

/// Moves all branches at once. `refs/forks/…` hold what was laid out, for comparison, whatever the user does to the
/// branches.
fn move_branches(workdir: &Workdir, found: Option<&Found>, state: &State, checkout: Option<&str>) -> Result<()> {
    if let Some(name) = checkout {
        let head = format!("refs/heads/{name}");
        workdir.git.call(["symbolic-ref", "HEAD", &head]).run()?;
    }
    let mut orders = String::new();
    for (name, id) in &state.branches {
        for space in ["heads", "forks"] {
            orders += &format!("update refs/{space}/{name} {id}\n");
        }
    }
    if let Some(found) = found {
        let gone = found.branches.keys().filter(|name| found.owns(name) && !state.branches.contains_key(*name));
        for name in gone.filter(|name| checkout.is_some() || found.head != Head::Branch((*name).clone())) {
            orders += &format!("delete refs/heads/{name}\ndelete refs/forks/{name}\n");
        }
    }
    workdir.git.call(["update-ref", "--stdin"]).stdin(orders).run()
}

/// Makes the index that of `tree`, with the files' times, so that the user's `git status` is clean and quick; ends
/// what git was in the middle of.
fn settle_index(workdir: &Workdir, tree: &str) -> Result<()> {
    let fresh = workdir.scratch().join("index");
    fs::create_dir_all(workdir.scratch()).map_err(Error::io("make", &workdir.scratch()))?;
    workdir.git.call(["read-tree", tree]).env("GIT_INDEX_FILE", &fresh).run()?;
    workdir.git.call(["update-index", "-q", "--refresh"]).env("GIT_INDEX_FILE", &fresh).run()?;
    let index = workdir.git.dir().join("index");
    step::before_change().and_then(|()| fs::rename(&fresh, &index)).map_err(Error::io("write", &index))?;
    for mark in [
        "MERGE_HEAD",
        "MERGE_MSG",
        "CHERRY_PICK_HEAD",
        "REVERT_HEAD",
        "rebase-merge",
        "rebase-apply",
        "sequencer",
        "BISECT_LOG",
        "BISECT_START",
        "BISECT_NAMES",
        "BISECT_TERMS",
        "BISECT_ANCESTORS_OK",
        "BISECT_EXPECTED_REV",
    ] {
        remove_all(&workdir.git.dir().join(mark))?;
    }
    Ok(())
}

/// Removes lock files that a killed git left. For a folder: its journal is written, so it is ours to finish.
pub(crate) fn remove_locks(git_dir: &Path) -> Result<()> {
    let mut open = vec![git_dir.join("refs")];
    let entries = fs::read_dir(git_dir).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "lock")) {
        remove_all(&path)?;
    }
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "lock") {
                remove_all(&path)?;
            }
        }
    }
    Ok(())
}

fn write_json(path: &Path, scratch: &Path, value: &impl serde::Serialize) -> Result<()> {
    let text = serde_json::to_vec_pretty(value).expect("plain data");
    tree::write(path, scratch, &text, false)
}

fn remove_all(path: &Path) -> Result<()> {
    let removed = step::before_change().and_then(|()| match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    });
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io("remove", path)(error)),
        _ => Ok(()),
    }
}
