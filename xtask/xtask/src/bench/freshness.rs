//! Which sources the artifacts in the shared target folder were compiled from, and hence what must be compiled again.
//!
//! Arms have one relative layout, so cargo gives their crates the same names in the shared target folder, and judges
//! what lies there by time alone: an arm could be handed the fork that another arm compiled. So the content of each
//! crate that was last compiled is kept here, and a crate whose content differs gets the present time. A crate that is
//! the same as in the arm before is not compiled again: five arms take less than twice the time of one.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};
use bench_core::arm::sha256_hex;
use serde::{Deserialize, Serialize};

/// What the record says while a build is under way or after it failed: equal to no content.
const UNKNOWN: &str = "unknown";

/// The record of one target folder; it lies inside, so that it goes when the folder goes.
pub(crate) struct Freshness {
    path: PathBuf,
    compiled: Compiled,
}

/// Kind of build → crate's folder → content compiled. Kinds share some artifacts and not others, so a crate counts as
/// compiled only where no kind has seen it otherwise.
#[derive(Default, Serialize, Deserialize)]
struct Compiled(BTreeMap<String, BTreeMap<PathBuf, String>>);

impl Freshness {
    pub(crate) fn open(target: &Path) -> Self {
        let path = target.join("compiled-sources.json");
        let compiled = fs::read(&path).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default();
        Self { path, compiled }
    }

    /// Runs a build of `kind` in `workspace`, whose crates of changing content are `crates`.
    pub(crate) fn during<T>(
        &mut self,
        kind: &str,
        workspace: &Path,
        crates: &[PathBuf],
        build: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let mut contents = BTreeMap::new();
        for folder in crates {
            let content = content(&workspace.join(folder))?;
            if !self.compiled.is_only(folder, &content) {
                touch(&workspace.join(folder))?;
            }
            contents.insert(folder.clone(), content);
        }
        self.record(kind, contents.keys().map(|folder| (folder.clone(), UNKNOWN.to_owned())))?;
        let built = build()?;
        self.record(kind, contents)?;
        Ok(built)
    }

    fn record(&mut self, kind: &str, contents: impl IntoIterator<Item = (PathBuf, String)>) -> Result<()> {
        self.compiled.0.entry(kind.to_owned()).or_default().extend(contents);
        let folder = self.path.parent().context("the record lies in the target folder")?;
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let partial = self.path.with_extension("partial");
        fs::write(&partial, serde_json::to_vec(&self.compiled)?)?;
        fs::rename(&partial, &self.path).with_context(|| format!("cannot write {}", self.path.display()))
    }
}

impl Compiled {
    /// Whether every kind that has compiled the crate compiled this content, and one has.
    fn is_only(&self, folder: &Path, content: &str) -> bool {
        let mut seen = self.0.values().filter_map(|crates| crates.get(folder)).peekable();
        seen.peek().is_some() && seen.all(|compiled| compiled == content)
    }
}

/// SHA-256 over names and bytes of a crate's files.
fn content(folder: &Path) -> Result<String> {
    let mut lines = Vec::new();
    for path in files(folder)? {
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        lines.push(format!("{} {}\n", path.strip_prefix(folder)?.display(), sha256_hex(&bytes)));
    }
    lines.sort_unstable();
    Ok(sha256_hex(lines.concat().as_bytes()))
}

fn touch(folder: &Path) -> Result<()> {
    let now = SystemTime::now();
    for path in files(folder)? {
        let touched = File::options().append(true).open(&path).and_then(|file| file.set_modified(now));
        touched.with_context(|| format!("cannot touch {}", path.display()))?;
    }
    Ok(())
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))? {
            let entry = entry?;
            let kind = entry.file_type()?;
            match kind.is_dir() {
                true if entry.file_name() == "target" => {}
                true => open.push(entry.path()),
                false if kind.is_file() => files.push(entry.path()),
                false => {}
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    struct Arms(tempfile::TempDir);

    impl Arms {
        /// A workspace whose program prints what its fork holds.
        fn write(&self, name: &str, text: &str) -> PathBuf {
            let root = self.0.path().join(name);
            let app =
                "[workspace]\n[package]\nname = \"app\"\nedition = \"2021\"\n[dependencies]\nfork.path = \"fork\"\n";
            for (file, content) in [
                ("Cargo.toml", app),
                ("src/main.rs", "fn main() { println!(\"{}\", fork::TEXT) }"),
                ("fork/Cargo.toml", "[package]\nname = \"fork\"\nedition = \"2021\"\n"),
                ("fork/src/lib.rs", &format!("pub const TEXT: &str = \"{text}\";")),
            ] {
                let path = root.join(file);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, content).unwrap();
            }
            root
        }

        fn cargo(&self, root: &Path, release: bool) -> (String, bool) {
            let mut cargo = Command::new(env!("CARGO"));
            cargo.args(["run", "--offline"]).args(release.then_some("--release"));
            let output =
                cargo.env("CARGO_TARGET_DIR", self.0.path().join("target")).current_dir(root).output().unwrap();
            let compiled = String::from_utf8_lossy(&output.stderr).contains("Compiling fork");
            (String::from_utf8_lossy(&output.stdout).trim().to_owned(), compiled)
        }

        /// What the arm prints, and whether its fork was compiled for that.
        fn run(&self, kind: &str, root: &Path) -> (String, bool) {
            let mut freshness = Freshness::open(&self.0.path().join("target"));
            let crates = [PathBuf::from("fork"), PathBuf::from("src")];
            freshness.during(kind, root, &crates, || Ok(self.cargo(root, kind == "release"))).unwrap()
        }
    }

    fn printed(text: &str, compiled: bool) -> (String, bool) {
        (text.to_owned(), compiled)
    }

    #[test]
    fn an_arm_is_not_handed_the_fork_of_another() {
        let arms = Arms(tempfile::tempdir().unwrap());
        // All are written before any is built, so that cargo takes what it finds for fresh.
        let [one, other, like_one] =
            [("one", "1"), ("other", "2"), ("like-one", "1")].map(|(name, text)| arms.write(name, text));
        assert_eq!(arms.cargo(&one, false), printed("1", true));
        assert_eq!(arms.cargo(&other, false), printed("1", false), "the trap: the other arm's fork");
        assert_eq!(arms.run("debug", &one), printed("1", true));
        assert_eq!(arms.run("debug", &like_one), printed("1", false), "the same sources need no second compilation");
        assert_eq!(arms.run("debug", &other), printed("2", true));
        assert_eq!(arms.run("debug", &like_one), printed("1", true));
    }

    #[test]
    fn what_one_kind_compiled_says_nothing_of_another() {
        let arms = Arms(tempfile::tempdir().unwrap());
        let [one, other, like_one] =
            [("one", "1"), ("other", "2"), ("like-one", "1")].map(|(name, text)| arms.write(name, text));
        assert_eq!(arms.run("debug", &other), printed("2", true));
        assert_eq!(arms.run("release", &one), printed("1", true));
        assert_eq!(arms.run("debug", &like_one), printed("1", true));
    }

    #[test]
    fn a_failed_build_leaves_nothing_known() {
        let arms = Arms(tempfile::tempdir().unwrap());
        let [one, like_one] = [("one", "1"), ("like-one", "1")].map(|(name, text)| arms.write(name, text));
        assert_eq!(arms.run("debug", &one), printed("1", true));
        let mut freshness = Freshness::open(&arms.0.path().join("target"));
        let crates = [PathBuf::from("fork")];
        let failed: Result<()> = freshness.during("debug", &one, &crates, || anyhow::bail!("no"));
        assert!(failed.is_err());
        assert_eq!(arms.run("debug", &like_one), printed("1", true));
    }
}
