//! Where a file went from one release to the next.

use std::collections::HashSet;

use crate::Result;
use crate::store::{Commit, Store};

/// The files that the second commit has under another name, as git sees it: from, to.
pub(super) fn renamed(store: &Store, from: &Commit, to: &Commit) -> Result<Vec<(String, String)>> {
    let args =
        ["diff-tree", "-r", "-z", "--find-renames=40%", "--diff-filter=R", "--name-status", &from.tree, &to.tree];
    let out = store.git().call(args).bytes()?;
    let text = String::from_utf8_lossy(&out).into_owned();
    let mut fields = text.split('\0');
    let mut pairs = Vec::new();
    while let (Some(_), Some(from), Some(to)) = (fields.next(), fields.next(), fields.next()) {
        pairs.push((from.to_owned(), to.to_owned()));
    }
    Ok(pairs)
}

/// The file of `to` that the lines of `path` in `from` are most likely in: what git takes for a rename, else the file
/// with the most of its lines, if that is a fifth of them.
pub(super) fn likely(store: &Store, from: &Commit, to: &Commit, path: &str) -> Result<Option<String>> {
    if let Some((_, name)) = renamed(store, from, to)?.into_iter().find(|(name, _)| name == path) {
        return Ok(Some(name));
    }
    let before = store.tree(&from.tree)?;
    let mut after = store.tree(&to.tree)?;
    // A file that is the same as before took nothing in.
    after.retain(|name, entry| before.get(name) != Some(entry));
    let Some(old) = before.get(path) else {
        return Ok(None);
    };
    let one = [(path.to_owned(), old.clone())].into_iter().collect();
    let bytes = store.blobs(&one)?.remove(&old.blob).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let wanted = telling(&text);
    let blobs = store.blobs(&after)?;
    let shared = |blob: &str| {
        let text = blobs.get(blob).map(|bytes| String::from_utf8_lossy(bytes)).unwrap_or_default();
        telling(&text).intersection(&wanted).count()
    };
    let best = after.iter().map(|(name, entry)| (shared(&entry.blob), name)).max_by_key(|(count, _)| *count);
    Ok(best.filter(|(count, _)| count * 5 >= wanted.len().max(1)).map(|(_, name)| name.clone()))
}

/// Lines long enough to tell one file from another.
fn telling(text: &str) -> HashSet<&str> {
    text.lines().map(str::trim).filter(|line| line.len() > 8).collect()
}
