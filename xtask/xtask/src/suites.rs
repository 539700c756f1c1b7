//! Workspaces in which the forks are tested as themselves: the crates are members, resolved among each other.
//!
//! In the root workspace they are dependencies, and cargo runs no tests of dependencies. A suite lies below `target/`,
//! with the forks at the places that they have in the repository. Of two forks of one crate, one at a time is a member,
//! since cargo wants the names of members to differ.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};
use forks::{Fork, Forks};

/// A generated workspace with the forks' crates as its members.
pub(crate) struct Suite {
    pub(crate) folder: PathBuf,
}

impl Suite {
    /// The releases as they are, for comparison.
    pub(crate) fn pristine(forks: &Forks) -> Result<Self> {
        let suite = Self::folder(forks, "pristine")?;
        forks::arm::pristine(forks, &suite.folder)?;
        suite.manifest(forks)
    }

    /// The forks with these measured patches on top of the enabling ones.
    pub(crate) fn patched(forks: &Forks, name: &str, measured: &[String]) -> Result<Self> {
        let suite = Self::folder(forks, name)?;
        forks::arm::materialize(forks, measured, &suite.folder)?;
        suite.manifest(forks)
    }

    fn folder(forks: &Forks, name: &str) -> Result<Self> {
        let folder = forks.root.join("target/suites").join(name);
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Self { folder })
    }

    fn manifest(self, forks: &Forks) -> Result<Self> {
        self.write_manifest(forks, None)?;
        // The releases bring toolchain files, which would make rustup demand the versions that upstream used.
        for fork in &forks.pins.forks {
            for name in ["rust-toolchain", "rust-toolchain.toml"] {
                let _ = fs::remove_file(self.folder.join(&fork.folder).join(name));
            }
        }
        Ok(self)
    }

    /// Makes `first`, or else the first fork of each crate, a member.
    fn write_manifest(&self, forks: &Forks, first: Option<&Fork>) -> Result<()> {
        let mut members: Vec<&Fork> = first.into_iter().collect();
        for fork in &forks.pins.forks {
            if !members.iter().any(|member| member.krate == fork.krate) {
                members.push(fork);
            }
        }
        let (members, excluded): (Vec<&Fork>, Vec<&Fork>) =
            forks.pins.forks.iter().partition(|fork| members.iter().any(|member| member.name == fork.name));
        let list = |forks: &[&Fork]| forks.iter().map(|f| format!("{:?}", f.folder)).collect::<Vec<_>>().join(", ");
        let mut text = format!("[workspace]\nresolver = \"2\"\nmembers = [{}]\n", list(&members));
        if !excluded.is_empty() {
            text += &format!("exclude = [{}]\n", list(&excluded));
        }
        text += "\n[patch.crates-io]\n";
        for fork in &forks.pins.forks {
            text += &(fork.patch_line() + "\n");
        }
        let path = self.folder.join("Cargo.toml");
        if fs::read_to_string(&path).ok().as_deref() != Some(&text) {
            fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }

    /// `cargo test --release` on the fork's crate, with `args` after it; to be run before the next one is asked for.
    pub(crate) fn cargo_test(&self, forks: &Forks, fork: &Fork, target: &Path, args: &[String]) -> Result<Command> {
        self.write_manifest(forks, Some(fork))?;
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command
            .args(["test", "--quiet", "--release", "--no-fail-fast", "--package"])
            .arg(format!("{}@{}", fork.krate, fork.version))
            .args(args)
            .env("CARGO_TARGET_DIR", target)
            .current_dir(&self.folder);
        Ok(command)
    }

    /// Integration tests of the crate, by name.
    pub(crate) fn integration_tests(&self, crate_folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(self.folder.join(crate_folder).join("tests")).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|ext| ext == "rs"))
            .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
            .collect();
        names.sort();
        names
    }
}
