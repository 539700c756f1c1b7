//! Temporary files, `target/` and the output on file systems of their own: nothing is renamed from one to another.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

use crate::fixture::{FOLDER, Fixture};

/// A folder on another file system than the repository's, if this machine has one.
fn elsewhere(fixture: &Fixture) -> Option<tempfile::TempDir> {
    let other = Path::new("/dev/shm");
    let device = |path: &Path| fs::metadata(path).map(|metadata| metadata.dev()).ok();
    if device(other).is_none_or(|other| Some(other) == device(&fixture.root)) {
        eprintln!("skipped: /dev/shm is no file system of its own");
        return None;
    }
    tempfile::tempdir_in(other).ok()
}

#[test]
fn every_verb_works_across_file_systems() {
    let plain = Fixture::ready();
    let mut fixture = Fixture::bare();
    let Some(dir) = elsewhere(&fixture) else { return };
    for name in ["tmp", "target"] {
        fs::create_dir(dir.path().join(name)).unwrap();
    }
    symlink(dir.path().join("target"), fixture.root.join("target")).unwrap();
    fixture.env.push(("TMPDIR".into(), dir.path().join("tmp").display().to_string()));
    fixture.write_patches();
    fixture.lock();
    assert_eq!(fixture.files("patches"), plain.files("patches"));
    assert_eq!(fixture.files(FOLDER), plain.files(FOLDER));
    let out = dir.path().join("out").display().to_string();
    fixture.ok(&["vendor", "--to", &out]);
    fixture.ok(&["vendor", "--to", &out, "--check"]);
    fixture.ok(&["new", "demo-core", "c-fast"]);
    fixture.ok(&["drop", "demo-core", "c-fast"]);
    fixture.ok(&["apply"]);
    fixture.ok(&["verify"]);
    assert_eq!(fixture.files("patches"), plain.files("patches"));
}
