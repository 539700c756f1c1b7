//! Workspaces in which the forks are tested as themselves: the crates are members, resolved among each other.
//!
//! In the root workspace they are dependencies, and cargo runs no tests of dependencies. A suite lies below `target/`,
//! with the forks at the places that they have in the repository.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};
use forks::Forks;

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
        let folders: Vec<String> = forks.pins.forks.iter().map(|f| format!("{:?}", f.folder)).collect();
        let mut text =
            format!("[workspace]\nresolver = \"2\"\nmembers = [{}]\n\n[patch.crates-io]\n", folders.join(", "));
        for (fork, folder) in forks.pins.forks.iter().zip(&folders) {
            text += &format!("{} = {{ path = {folder} }}\n", fork.name);
        }
        let path = self.folder.join("Cargo.toml");
        if fs::read_to_string(&path).ok().as_deref() != Some(&text) {
            fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
        // The releases bring toolchain files, which would make rustup demand the versions that upstream used.
        for fork in &forks.pins.forks {
            for name in ["rust-toolchain", "rust-toolchain.toml"] {
                let _ = fs::remove_file(self.folder.join(&fork.folder).join(name));
            }
        }
        Ok(self)
    }

    /// `cargo test --release` on the crate, with `args` after it.
    pub(crate) fn cargo_test(&self, target: &Path, package: &str, args: &[String]) -> Command {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command
            .args(["test", "--quiet", "--release", "--no-fail-fast", "--package", package])
            .args(args)
            .env("CARGO_TARGET_DIR", target)
            .current_dir(&self.folder);
        command
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
