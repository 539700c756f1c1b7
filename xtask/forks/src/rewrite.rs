//! Several files of the repository changed as one. A journal with every file's new bytes is put in place by one rename:
//! before it nothing has changed, from then on all of it will. A call that is killed in between is finished by whatever
//! opens the repository next.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::series::hex;
use crate::{Error, Result, lock, step, tree};

/// Beside the files that it is about, not in `target/`, which may be deleted at any time.
pub(crate) const JOURNAL: &str = "patches/.unfinished.json";
/// On the same file system as these files, so that a finished one can be renamed into place.
const SCRATCH: &str = "patches/.scratch";

/// The new bytes of files, by path from the root; `None` for a file that goes.
pub(crate) type Files = BTreeMap<PathBuf, Option<Vec<u8>>>;

#[derive(Serialize, Deserialize)]
struct Step {
    path: PathBuf,
    /// SHA-256 of the bytes that may be replaced; none where there was no file.
    before: Option<String>,
    after: Option<Vec<u8>>,
}

/// Makes the files below `root` what `files` says: all of them, or none. The caller holds the lock on the forks.
pub(crate) fn all(root: &Path, files: Files) -> Result<()> {
    let mut steps = Vec::new();
    for (path, after) in files {
        let before = read(&root.join(&path))?;
        if before != after {
            steps.push(Step { path, before: before.as_deref().map(sha256), after });
        }
    }
    if steps.is_empty() {
        return Ok(());
    }
    let text = serde_json::to_vec(&steps).expect("plain data");
    tree::write(&root.join(JOURNAL), &root.join(SCRATCH), &text, false)?;
    take(root, &steps)
}

/// Finishes what a killed call began, if one did.
pub(crate) fn finish(root: &Path) -> Result<()> {
    let path = root.join(JOURNAL);
    if !path.exists() && !root.join(SCRATCH).exists() {
        return Ok(());
    }
    // Whoever is in the middle of it holds the lock.
    let _lock = lock::take(&root.join(crate::WORK_DIR))?;
    let Some(bytes) = read(&path)? else {
        return clean(root);
    };
    let steps: Vec<Step> = serde_json::from_slice(&bytes).map_err(|error| Error::Release {
        path,
        reason: format!("it is no journal of a verb ({error}); delete it, and restore patches/ from version control"),
    })?;
    eprintln!("finishing what a killed `cargo xtask` began: {} files in patches/", steps.len());
    take(root, &steps)
}

fn take(root: &Path, steps: &[Step]) -> Result<()> {
    // Nothing is touched unless all of it can be.
    for step in steps {
        step.check(root)?;
    }
    write(root, steps).map_err(unfinished)?;
    clean(root)
}

fn write(root: &Path, steps: &[Step]) -> Result<()> {
    for step in steps {
        let path = root.join(&step.path);
        match &step.after {
            Some(bytes) => tree::write(&path, &root.join(SCRATCH), bytes, false)?,
            None => remove(&path)?,
        }
    }
    remove(&root.join(JOURNAL))
}

/// What could not be written stays in the journal: says so.
fn unfinished(error: Error) -> Error {
    match error {
        Error::Io { action, path, source } => Error::Unfinished { action, path, reason: source.to_string() },
        other => other,
    }
}

fn clean(root: &Path) -> Result<()> {
    fs::remove_dir_all(root.join(SCRATCH)).or_else(ignore_missing).map_err(Error::io("remove", &root.join(SCRATCH)))
}

impl Step {
    /// Somebody may have changed the file between the kill and now.
    fn check(&self, root: &Path) -> Result<()> {
        let path = root.join(&self.path);
        let now = read(&path)?;
        if now == self.after || now.as_deref().map(sha256) == self.before {
            return Ok(());
        }
        let reason = format!(
            "it was changed after a `cargo xtask` that was replacing it was killed; to keep the files as they are, delete \
             {JOURNAL}; to let it finish, restore patches/ from version control"
        );
        Err(Error::PatchFile { path, reason })
    }
}

fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("read", path)(error)),
    }
}

fn remove(path: &Path) -> Result<()> {
    step::before_change()
        .and_then(|()| fs::remove_file(path))
        .or_else(ignore_missing)
        .map_err(Error::io("remove", path))
}

fn ignore_missing(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}
