//! The forks of an arm: plain files, without git, for a generated workspace.

use std::fs;
use std::path::Path;

use crate::layout::Layout;
use crate::store::{Commit, Store};
use crate::tree::{self, Tree};
use crate::{Error, Fork, Forks, Result};

/// Writes each fork's files for the measured patches `ids` (of all forks together) into `dest`, at the same relative
/// places as in the repository. Rewrites only what differs; files that are not the fork's are removed, cargo's `target`
/// excepted.
pub fn materialize(forks: &Forks, ids: &[String], dest: &Path) -> Result<()> {
    let store = Store::open(forks)?;
    refuse_unknown(forks, ids)?;
    for fork in &forks.pins.forks {
        let series = forks.series(fork)?;
        let own: Vec<String> =
            fork.measured.iter().filter(|patch| ids.contains(&patch.id)).map(|patch| patch.id.clone()).collect();
        let subset = series.subset(&own)?;
        if let Some(patch) = series.enabling().find(|patch| patch.file.is_none()) {
            return Err(Error::NoFile { fork: fork.name.clone(), patch: patch.id.clone() });
        }
        let commit = Layout::open(forks, &store, &series)?.subset(&subset)?;
        write(&store, &commit, fork, dest)?;
    }
    Ok(())
}

/// Writes the releases as they are, without any patch, at the forks' places in `dest`.
pub fn pristine(forks: &Forks, dest: &Path) -> Result<()> {
    let store = Store::open(forks)?;
    for fork in &forks.pins.forks {
        let series = forks.series(fork)?;
        write(&store, &Layout::open(forks, &store, &series)?.pristine, fork, dest)?;
    }
    Ok(())
}

fn write(store: &Store, commit: &Commit, fork: &Fork, dest: &Path) -> Result<()> {
    let files = store.tree(&commit.tree)?;
    let folder = dest.join(&fork.folder);
    let mut stale = Vec::new();
    foreign(&folder, &folder, &files, &mut stale)?;
    let scratch = dest.join(".forks-scratch");
    tree::sync(&folder, &scratch, &stale, &files, &store.blobs(&files)?)?;
    if scratch.exists() {
        fs::remove_dir_all(&scratch).map_err(Error::io("remove", &scratch))?;
    }
    Ok(())
}

fn refuse_unknown(forks: &Forks, ids: &[String]) -> Result<()> {
    let known: Vec<&str> =
        forks.pins.forks.iter().flat_map(|fork| &fork.measured).map(|patch| patch.id.as_str()).collect();
    match ids.iter().find(|id| !known.contains(&id.as_str())) {
        Some(id) => Err(Error::UnknownPatch { fork: "the forks".into(), id: id.clone(), known: known.join(", ") }),
        None => Ok(()),
    }
}

/// Collects the files below `folder` that `files` lacks; what cargo and git keep there is left alone.
pub(crate) fn foreign(top: &Path, folder: &Path, files: &Tree, found: &mut Vec<String>) -> Result<()> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(());
    };
    for entry in entries {
        let path = entry.map_err(Error::io("read", folder))?.path();
        let inside = path.strip_prefix(top).unwrap_or(&path).to_string_lossy().into_owned();
        if path.ends_with(".git") {
            continue;
        }
        if path.is_dir() && !path.is_symlink() {
            if inside != "target" {
                foreign(top, &path, files, found)?;
            }
        } else if !files.contains_key(&inside) {
            found.push(inside);
        }
    }
    Ok(())
}
