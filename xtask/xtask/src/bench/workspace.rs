//! The generated workspace of an arm: this repository's crates, the forks with the arm's patches at the same relative
//! places, and a lock file that follows the main one. Upstream's has no `[patch]` and no fork.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use bench_core::arm::{NONE, UPSTREAM, sha256_hex};
use forks::Forks;

use super::arms::ArmSpec;
use super::lock::Lock;

/// Where arms are generated and built, from the root.
pub(crate) const ARMS: &str = "target/arms";

/// An arm's workspace on disk.
pub(crate) struct Workspace {
    pub(crate) folder: PathBuf,
    pub(crate) lock: Lock,
}

/// Writes the arm's workspace, or brings it up to date.
pub(crate) fn generate(forks: &Forks, arm: &ArmSpec) -> Result<Workspace> {
    let folder = forks.root.join(ARMS).join("workspaces").join(key(arm));
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    mirror(&forks.root.join("cuzk"), &folder.join("cuzk"))?;
    if !arm.is_upstream() {
        forks::arm::materialize(forks, &arm.patches, &folder)?;
    }
    write_if_changed(&folder.join("Cargo.toml"), manifest(forks, arm)?.as_bytes())?;
    let lock = lock(forks, &folder)?;
    Ok(Workspace { folder, lock })
}

/// `upstream`, `none`, or the patches: the same for two names of one set, and for an arm and its twins.
fn key(arm: &ArmSpec) -> String {
    match arm.patches.as_slice() {
        [] if arm.is_upstream() => UPSTREAM.to_owned(),
        [] => NONE.to_owned(),
        patches => format!(
            "{}-{}",
            arm.role.of().unwrap_or(&arm.name).replace('+', "_"),
            &sha256_hex(patches.join(" ").as_bytes())[..8]
        ),
    }
}

fn manifest(forks: &Forks, arm: &ArmSpec) -> Result<String> {
    let path = forks.root.join("Cargo.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    if !arm.is_upstream() {
        return Ok(text);
    }
    let mut table: toml::Table = text.parse().with_context(|| format!("{} is not TOML", path.display()))?;
    table.remove("patch");
    Ok(table.to_string())
}

/// Starts from the main lock file and lets cargo change what it must: sources of the forks, and what patches add or drop.
pub(crate) fn lock(forks: &Forks, folder: &Path) -> Result<Lock> {
    let main = forks.root.join("Cargo.lock");
    let ours = folder.join("Cargo.lock");
    let seed = folder.join("Cargo.lock.main");
    let text = fs::read(&main).with_context(|| format!("cannot read {}", main.display()))?;
    if fs::read(&seed).ok().as_deref() != Some(&text) || !ours.exists() {
        fs::write(&ours, &text).with_context(|| format!("cannot write {}", ours.display()))?;
    }
    let settle = |offline: bool| {
        let mut command = Command::new(env!("CARGO"));
        command.args(["metadata", "--format-version", "1", "--quiet"]).current_dir(folder);
        command.args(offline.then_some("--offline")).output().context("cannot run cargo")
    };
    let mut output = settle(true)?;
    if !output.status.success() {
        output = settle(false)?;
    }
    if !output.status.success() {
        bail!("cargo cannot resolve {}:\n{}", folder.display(), String::from_utf8_lossy(&output.stderr));
    }
    write_if_changed(&seed, &text)?;
    Lock::parse(&fs::read_to_string(&ours)?).with_context(|| ours.display().to_string())
}

/// Makes `to` hold what `from` holds, without build outputs; files whose bytes are the same stay untouched.
fn mirror(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    let mut kept = BTreeSet::new();
    for entry in fs::read_dir(from).with_context(|| format!("cannot list {}", from.display()))? {
        let entry = entry?;
        if entry.file_name() == "target" {
            continue;
        }
        kept.insert(entry.file_name());
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            mirror(&entry.path(), &target)?;
        } else {
            let bytes = fs::read(entry.path()).with_context(|| format!("cannot read {}", entry.path().display()))?;
            write_if_changed(&target, &bytes)?;
        }
    }
    for entry in fs::read_dir(to)? {
        let entry = entry?;
        if !kept.contains(&entry.file_name()) {
            let path = entry.path();
            if entry.file_type()?.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) }
                .with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

fn write_if_changed(path: &Path, bytes: &[u8]) -> Result<()> {
    if fs::read(path).ok().as_deref() == Some(bytes) {
        return Ok(());
    }
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// SHA-256 over names and bytes of this repository's crates, and the root manifest.
pub(crate) fn sources_sha256(root: &Path) -> Result<String> {
    let mut listing = String::new();
    let mut open = vec![root.join("cuzk"), root.join("Cargo.toml")];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
            open.extend(entries.into_iter().filter(|entry| !entry.ends_with("target") && !entry.ends_with("tests")));
            continue;
        }
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        listing.push_str(&format!("{} {}\n", sha256_hex(&bytes), path.strip_prefix(root)?.display()));
    }
    let mut lines: Vec<&str> = listing.lines().collect();
    lines.sort_unstable_by_key(|line| line.split_once(' ').map(|(_, path)| path));
    Ok(sha256_hex(lines.join("\n").as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirrors_follow_and_leave_equal_files_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::create_dir_all(from.join("a/target")).unwrap();
        for (file, text) in [("a/one", "1"), ("a/target/built", "x"), ("two", "2")] {
            fs::write(from.join(file), text).unwrap();
        }
        mirror(&from, &to).unwrap();
        assert!(to.join("a/one").exists() && !to.join("a/target").exists());
        let before = fs::metadata(to.join("two")).unwrap().modified().unwrap();
        fs::remove_dir_all(from.join("a")).unwrap();
        fs::write(from.join("three"), "3").unwrap();
        mirror(&from, &to).unwrap();
        assert!(!to.join("a").exists() && to.join("three").exists());
        assert_eq!(fs::metadata(to.join("two")).unwrap().modified().unwrap(), before);
    }

    #[test]
    fn sources_are_hashed_with_their_names() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("cuzk/a/src")).unwrap();
        fs::write(folder.path().join("Cargo.toml"), "").unwrap();
        fs::write(folder.path().join("cuzk/a/src/lib.rs"), "x").unwrap();
        let before = sources_sha256(folder.path()).unwrap();
        fs::rename(folder.path().join("cuzk/a/src/lib.rs"), folder.path().join("cuzk/a/src/bin.rs")).unwrap();
        assert_ne!(sources_sha256(folder.path()).unwrap(), before);
    }
}
