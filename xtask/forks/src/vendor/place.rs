//! Where the forks may not be vendored: at a place whose files are somebody else's to write and to remove.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::{Error, Forks, Result};

/// Refuses a folder in a `.git` or in `patches/`, and one that holds a fork's folder or lies in it.
pub(super) fn refuse(forks: &Forks, dir: &Path) -> Result<()> {
    let (place, root) = (resolved(dir), resolved(&forks.root));
    let is = |what: &str| Err(Error::Misplaced { path: dir.to_owned(), what: what.to_owned() });
    if place.components().any(|part| part.as_os_str() == ".git") {
        return is("it lies in a .git, which is git's own");
    }
    if place.starts_with(root.join("patches")) {
        return is("it lies in patches/, which holds pins and patches alone");
    }
    let overlaps = |folder: &Path| place.starts_with(folder) || folder.starts_with(&place);
    match forks.pins.forks.iter().find(|fork| overlaps(&root.join(&fork.folder))) {
        Some(fork) => is(&format!("{} is laid out in {}", fork.name, fork.folder.display())),
        None => Ok(()),
    }
}

/// The path without links and `..`, as far as it is there.
fn resolved(path: &Path) -> PathBuf {
    let mut resolved = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(resolved.pop()),
            part => resolved.push(part),
        }
        if let Ok(real) = fs::canonicalize(&resolved) {
            resolved = real;
        }
    }
    resolved
}
