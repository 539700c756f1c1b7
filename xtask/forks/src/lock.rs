//! One process at a time works on the forks of a repository; within a process the lock is shared.

use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::apply::remove_locks;
use crate::{Error, Result};

/// The tool's own repository, in the locked folder.
pub(crate) const STORE: &str = "store.git";

static HELD: Mutex<Option<HashMap<PathBuf, Weak<File>>>> = Mutex::new(None);

/// A link to a folder that is not there, as `target` often is one, hides behind "file exists".
fn refuse_dangling(folder: &Path) -> Result<()> {
    let Some(link) = folder.ancestors().find(|path| path.is_symlink() && !path.exists()) else {
        return Ok(());
    };
    let to = fs::read_link(link).unwrap_or_default();
    let reason =
        format!("it is a symbolic link to {}, which is not there: make that folder, or remove the link", to.display());
    Err(Error::Release { path: link.to_owned(), reason })
}

/// Takes the lock file in `folder`, waiting for another process that holds it; released when the last clone drops.
pub(crate) fn take(folder: &Path) -> Result<Arc<File>> {
    refuse_dangling(folder)?;
    fs::create_dir_all(folder).map_err(Error::io("make", folder))?;
    let path = folder.join("lock");
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    let held = held.get_or_insert_with(HashMap::new);
    if let Some(file) = held.get(&path).and_then(Weak::upgrade) {
        return Ok(file);
    }
    let file = File::create(&path).map_err(Error::io("open", &path))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            eprintln!("waiting for another `cargo xtask` to let go of the forks");
            file.lock().map_err(Error::io("lock", &path))?;
        }
        Err(TryLockError::Error(error)) => return Err(Error::io("lock", &path)(error)),
    }
    // No git of ours runs in the store now: what is locked there was left by one that was killed.
    remove_locks(&folder.join(STORE))?;
    let file = Arc::new(file);
    held.insert(path, Arc::downgrade(&file));
    Ok(file)
}
