//! A tree of files: as git has it, as it lies on disk, and how the one is made to match the other. Rewrites only what
//! differs. Knows no git but the form of a blob's id.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, Metadata};
use std::io;
use std::path::Path;

use sha1::{Digest, Sha1};

use crate::series::hex;
use crate::{Error, Result, step};

/// One file of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Whether it may be run.
    pub(crate) executable: bool,
    /// Its blob id.
    pub(crate) blob: String,
}

/// The files of a tree by path, `/` between folders.
pub(crate) type Tree = BTreeMap<String, Entry>;

/// How a file on disk differs from a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Difference {
    Missing,
    Modified,
    Mode,
}

impl Difference {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Missing => "deleted",
            Self::Modified => "modified",
            Self::Mode => "mode changed",
        }
    }
}

/// The id that git gives to a file with these bytes.
pub(crate) fn blob_id(bytes: &[u8]) -> String {
    let mut hash = Sha1::new();
    hash.update(format!("blob {}\0", bytes.len()));
    hash.update(bytes);
    hex(&hash.finalize())
}

/// How the file at `path` differs from `entry`.
pub(crate) fn difference(path: &Path, entry: &Entry) -> Result<Option<Difference>> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Some(Difference::Missing));
        }
        Err(error) => return Err(Error::io("read", path)(error)),
    };
    if !metadata.is_file() {
        return Ok(Some(Difference::Modified));
    }
    let bytes = fs::read(path).map_err(Error::io("read", path))?;
    if blob_id(&bytes) != entry.blob {
        return Ok(Some(Difference::Modified));
    }
    Ok((is_executable(&metadata) != entry.executable).then_some(Difference::Mode))
}

/// Where the files in `folder` differ from `tree`; files that the tree lacks are not looked at.
pub(crate) fn differences(folder: &Path, tree: &Tree) -> Result<Vec<(String, Difference)>> {
    let mut found = Vec::new();
    for (path, entry) in tree {
        if let Some(difference) = difference(&folder.join(path), entry)? {
            found.push((path.clone(), difference));
        }
    }
    Ok(found)
}

/// What [`sync`] did.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Synced {
    pub(crate) written: usize,
    pub(crate) removed: usize,
}

/// Makes the files in `folder` those of `to`: writes what differs, each file by renaming a finished one from `scratch`
/// (on the same file system) into place, and removes what `stale` names and `to` lacks.
pub(crate) fn sync(
    folder: &Path,
    scratch: &Path,
    stale: &[String],
    to: &Tree,
    blobs: &HashMap<String, Vec<u8>>,
) -> Result<Synced> {
    let mut synced = Synced::default();
    for path in stale.iter().filter(|path| !to.contains_key(*path)) {
        remove(folder, path)?;
        synced.removed += 1;
    }
    for (path, _) in differences(folder, to)? {
        let entry = &to[&path];
        let bytes = blobs.get(&entry.blob).expect("the blobs of every file of the tree are given");
        write(&folder.join(&path), scratch, bytes, entry.executable)?;
        synced.written += 1;
    }
    Ok(synced)
}

/// Writes a file by way of a finished one in `scratch`, so that it is never seen half written.
pub(crate) fn write(path: &Path, scratch: &Path, bytes: &[u8], executable: bool) -> Result<()> {
    let parent = path.parent().expect("a file lies in a folder");
    fs::create_dir_all(scratch).map_err(Error::io("make", scratch))?;
    fs::create_dir_all(parent).map_err(Error::io("make", parent))?;
    let finished = scratch.join(format!("new-{}", std::process::id()));
    fs::write(&finished, bytes).map_err(Error::io("write", &finished))?;
    set_executable(&finished, executable)?;
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir()) {
        fs::remove_dir_all(path).map_err(Error::io("remove", path))?;
    }
    step::before_change().and_then(|()| fs::rename(&finished, path)).map_err(Error::io("write", path))
}

fn remove(folder: &Path, path: &str) -> Result<()> {
    let file = folder.join(path);
    // git names a repository in the folder as a folder, with the `/`.
    let take_away = |()| if path.ends_with('/') { fs::remove_dir_all(&file) } else { fs::remove_file(&file) };
    match step::before_change().and_then(take_away) {
        Ok(()) => {}
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
        Err(error) => return Err(Error::io("remove", &file)(error)),
    }
    for parent in Path::new(path).ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty()) {
        // A folder that still holds something stays.
        if fs::remove_dir(folder.join(parent)).is_err() {
            break;
        }
    }
    Ok(())
}

#[cfg(unix)]
pub(crate) fn is_executable(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o100 != 0
}

#[cfg(unix)]
fn set_executable(path: &Path, executable: bool) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = if executable { 0o755 } else { 0o644 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(Error::io("change the mode of", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> (Tree, HashMap<String, Vec<u8>>) {
        let entry = |text: &str| Entry { executable: false, blob: blob_id(text.as_bytes()) };
        let tree = files.iter().map(|(path, text)| ((*path).to_owned(), entry(text))).collect();
        (tree, files.iter().map(|(_, text)| (blob_id(text.as_bytes()), text.as_bytes().to_vec())).collect())
    }

    #[test]
    fn a_blob_has_gits_id() {
        assert_eq!(blob_id(b""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
    }

    #[test]
    fn sync_writes_only_what_differs_and_removes_what_is_stale() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, scratch) = (dir.path().join("f"), dir.path().join("s"));
        let (old, blobs) = tree(&[("a", "1"), ("sub/deep/b", "2"), ("c", "3")]);
        assert_eq!(sync(&folder, &scratch, &[], &old, &blobs).unwrap(), Synced { written: 3, removed: 0 });
        fs::write(folder.join("mine"), "kept").unwrap();
        let (new, blobs) = tree(&[("a", "1"), ("c", "4")]);
        let stale: Vec<String> = old.into_keys().collect();
        assert_eq!(sync(&folder, &scratch, &stale, &new, &blobs).unwrap(), Synced { written: 1, removed: 1 });
        assert!(!folder.join("sub").exists());
        assert!(folder.join("mine").exists());
        assert_eq!(differences(&folder, &new).unwrap(), []);
        fs::write(folder.join("a"), "x").unwrap();
        fs::remove_file(folder.join("c")).unwrap();
        let found = differences(&folder, &new).unwrap();
        assert_eq!(found, [("a".into(), Difference::Modified), ("c".into(), Difference::Missing)]);
    }
}
