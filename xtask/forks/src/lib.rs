//! The forks: pins, patch series, git, and the dependency graph that must use them.
//!
//! A fork is one upstream release plus an ordered series of patches. This crate lays a fork out as git commits on the
//! exact release, takes edits back to patch files, and checks that files, folder and graph agree. It alone knows git
//! and series; it knows nothing of benchmarks, builds or the provers.

mod apply;
pub mod arm;
mod cargo;
mod drop;
mod edit;
mod error;
pub mod evidence;
mod export;
pub mod fingerprint;
mod git;
pub mod graph;
mod header;
mod layout;
mod lines;
mod lock;
mod new;
mod outdated;
pub mod pins;
mod port;
mod pristine;
pub mod rebase;
mod requirements;
mod rewrite;
pub mod series;
pub mod status;
mod step;
mod store;
mod tree;
pub mod vendor;
pub mod verify;
mod workdir;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use apply::{Outcome, apply, ensure, ensure_whole};
pub use drop::{Dropped, Written, retire};
pub use edit::edit;
pub use error::{Error, Result};
pub use export::{Change, ChangeKind, check as export_check, export};
pub use header::{Description, PatchFile};
pub use new::{NewPatch, Started, start};
pub use outdated::{Newer, outdated};
pub use pins::{Fork, Measured, Pins};
pub use port::{LostHunk, Verdict};
pub use requirements::{Refusal, With};
pub use series::{Kind, Patch, Series, admissible_subsets};

/// Everything that these verbs generate for themselves, from the root.
const WORK_DIR: &str = "target/forks";

/// The repository that carries the forks: its root folder and its pins.
#[derive(Debug, Clone)]
pub struct Forks {
    /// The folder that holds `patches/forks.toml`.
    pub root: PathBuf,
    /// What `patches/forks.toml` says.
    pub pins: Pins,
}

/// Keeps other processes from changing the forks while it lives.
#[derive(Debug)]
pub struct Held {
    _lock: Arc<File>,
}

impl Forks {
    /// Opens the repository that `start` lies in: the nearest folder upwards with a `patches/forks.toml`.
    pub fn find(start: &Path) -> Result<Self> {
        Self::open(root_of(start)?)
    }

    /// [`Forks::find`], for a verb that changes something. Waits for a process that does, and reads the pins only then:
    /// what they said before is no longer so.
    pub fn find_to_change(start: &Path) -> Result<(Self, Held)> {
        let root = root_of(start)?;
        let held = Held { _lock: lock::take(&root.join(WORK_DIR))? };
        Ok((Self::open(root)?, held))
    }

    /// Opens the repository at `root`.
    pub fn open(root: &Path) -> Result<Self> {
        rewrite::finish(root)?;
        let pins = Pins::read(&root.join(pins::PATH))?;
        Ok(Self { root: root.to_owned(), pins })
    }

    /// The forks named, or all of them when `names` is empty.
    pub fn select(&self, names: &[String]) -> Result<Vec<&Fork>> {
        if names.is_empty() {
            return Ok(self.pins.forks.iter().collect());
        }
        names.iter().map(|name| self.fork(name)).collect()
    }

    /// The fork called `name`.
    pub fn fork(&self, name: &str) -> Result<&Fork> {
        self.pins.forks.iter().find(|fork| fork.name == name).ok_or_else(|| Error::UnknownFork {
            name: name.to_owned(),
            known: self.pins.forks.iter().map(|fork| fork.name.clone()).collect::<Vec<_>>().join(", "),
        })
    }

    /// Whether `fork` answers for a package in a graph: it is of its crate, and in no version that another fork of this
    /// crate stands for.
    pub fn answers_for(&self, fork: &Fork, krate: &str, version: &str) -> bool {
        let mut others = self.pins.forks.iter().filter(|other| other.name != fork.name);
        krate == fork.krate && !others.any(|other| other.covers(krate, version))
    }

    /// Where `fork` is laid out.
    pub fn folder(&self, fork: &Fork) -> PathBuf {
        self.root.join(&fork.folder)
    }

    /// Where the patch files of `fork` are.
    pub fn patch_dir(&self, fork: &Fork) -> PathBuf {
        self.root.join("patches").join(&fork.name)
    }

    /// The series of `fork`, with the patch files as they are on disk.
    pub fn series(&self, fork: &Fork) -> Result<Series> {
        Series::read(fork, &self.patch_dir(fork))
    }

    /// Takes the lock on the forks, and reads the pins anew, for callers that read them before: whoever held it may have
    /// changed them.
    fn lock(&self) -> Result<(Arc<File>, Self)> {
        Ok((lock::take(&self.work_dir())?, Self::open(&self.root)?))
    }

    /// Everything that these verbs generate for themselves; may be deleted at any time.
    fn work_dir(&self) -> PathBuf {
        self.root.join(WORK_DIR)
    }
}

fn root_of(start: &Path) -> Result<&Path> {
    let mut folders = start.ancestors();
    folders.find(|folder| folder.join(pins::PATH).is_file()).ok_or_else(|| Error::NoRoot { start: start.to_owned() })
}
