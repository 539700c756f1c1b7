//! Snapshot files that nothing refers to, or that wait for a decision: both mean that a golden value guards nothing.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

/// Pending (`*.snap.new`, `.pending-snap`) and unreferenced (`*.snap`) files below `folder`, given the list that insta
/// wrote of those that the tests used.
pub(crate) fn stray(folder: &Path, references: &str) -> io::Result<Vec<PathBuf>> {
    let used: BTreeSet<PathBuf> =
        references.lines().filter_map(|line| Path::new(line.trim()).canonicalize().ok()).collect();
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    files.retain(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let pending = name.ends_with(".snap.new") || name.ends_with(".pending-snap");
        let unreferenced = name.ends_with(".snap") && file.canonicalize().is_ok_and(|f| !used.contains(&f));
        pending || unreferenced
    });
    files.sort();
    Ok(files)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if !entry.file_type()?.is_dir() {
            files.push(path);
        } else if !["target", ".git"].iter().any(|skipped| path.ends_with(skipped)) {
            collect(&path, files)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pending_and_unreferenced_snapshots_are_found() {
        let dir = tempfile::tempdir().expect("a folder");
        for name in ["used.snap", "stray.snap", "used.snap.new", ".x.pending-snap", "other.txt"] {
            fs::write(dir.path().join(name), "x").expect("written");
        }
        let references = format!("{}\n", dir.path().join("used.snap").display());
        let found = stray(dir.path(), &references).expect("read");
        let names: Vec<_> = found.iter().filter_map(|f| f.file_name()?.to_str()).collect();
        assert_eq!(names, [".x.pending-snap", "stray.snap", "used.snap.new"]);
    }
}
