//! The one primitive: a fork and a set of its measured patches become a chain of commits on the exact release.
//!
//! A patch file is relative to its *home*: the enabling patches and what it requires. There it applies exactly. In any
//! other set it is placed by three-way merge from its home, never by offset or fuzz.

use std::collections::HashMap;

use crate::pristine;
use crate::series::{Patch, Series};
use crate::store::{Change, Commit, Store};
use crate::{Error, Forks, Result};

/// The chains of one fork, each made once.
pub(crate) struct Layout<'a> {
    pub(crate) store: &'a Store,
    pub(crate) series: &'a Series,
    pub(crate) pristine: Commit,
    enabling: Option<Commit>,
    homes: HashMap<String, Change>,
    chains: HashMap<Vec<String>, Commit>,
}

impl<'a> Layout<'a> {
    /// Starts from the release that the series' fork pins.
    pub(crate) fn open(forks: &Forks, store: &'a Store, series: &'a Series) -> Result<Self> {
        let release = pristine::release(forks, &series.fork)?;
        let pristine = store.pristine(&series.fork, &release)?;
        Ok(Self::on(store, series, pristine))
    }

    /// Starts from a release that is in the store.
    pub(crate) fn on(store: &'a Store, series: &'a Series, pristine: Commit) -> Self {
        Self { store, series, pristine, enabling: None, homes: HashMap::new(), chains: HashMap::new() }
    }

    /// The release with all enabling patches that have a file.
    pub(crate) fn enabling(&mut self) -> Result<Commit> {
        if let Some(commit) = &self.enabling {
            return Ok(commit.clone());
        }
        let mut commit = self.pristine.clone();
        for patch in self.series.enabling().filter(|patch| patch.file.is_some()) {
            commit = self.apply(patch, &commit)?;
        }
        self.enabling = Some(commit.clone());
        Ok(commit)
    }

    /// The measured patch `id` at home.
    pub(crate) fn home(&mut self, id: &str) -> Result<Change> {
        if let Some(change) = self.homes.get(id) {
            return Ok(change.clone());
        }
        let patch = self.series.patch(id)?;
        let required = self.series.requires(id)?;
        let parent = self.subset(&required)?;
        let commit = self.apply(patch, &parent)?;
        let file = patch.file.as_ref().expect("what was applied has a file");
        let change = Change { parent, commit, description: file.description.clone() };
        self.homes.insert(id.to_owned(), change.clone());
        Ok(change)
    }

    /// The enabling patches and the measured ones `ids`, which must be in order and admissible.
    pub(crate) fn subset(&mut self, ids: &[String]) -> Result<Commit> {
        let Some((last, below)) = ids.split_last() else {
            return self.enabling();
        };
        if let Some(commit) = self.chains.get(ids) {
            return Ok(commit.clone());
        }
        let onto = self.subset(below)?;
        let home = self.home(last)?;
        let placed = self.store.place(&home, &onto)?;
        let commit = placed.map_err(|conflict| self.conflict(last, below, &conflict.files))?;
        self.chains.insert(ids.to_vec(), commit.clone());
        Ok(commit)
    }

    /// The main line: enabling patches and those that ship.
    pub(crate) fn main(&mut self) -> Result<Commit> {
        let shipped = self.series.subset(&self.series.shipped())?;
        self.subset(&shipped)
    }

    /// Every branch of the fork's repository with its commit: `main`, and `patch/<id>` for each measured patch.
    pub(crate) fn branches(&mut self) -> Result<Vec<(String, Commit)>> {
        let mut branches = vec![("main".to_owned(), self.main()?)];
        for patch in self.series.measured() {
            let commit = if patch.file.is_some() { self.home(&patch.id)?.commit } else { self.enabling()? };
            branches.push((format!("patch/{}", patch.id), commit));
        }
        Ok(branches)
    }

    /// Every patch with a file at its place on its home branch, in order: the commit below it and its own.
    pub(crate) fn at_home(&mut self) -> Result<Vec<(String, Commit, Commit)>> {
        let mut below = self.pristine.clone();
        let mut places = Vec::new();
        for patch in self.series.enabling().filter(|patch| patch.file.is_some()) {
            let commit = self.apply(patch, &below)?;
            places.push((patch.id.clone(), std::mem::replace(&mut below, commit.clone()), commit));
        }
        for patch in self.series.measured().filter(|patch| patch.file.is_some()) {
            let home = self.home(&patch.id)?;
            places.push((patch.id.clone(), home.parent, home.commit));
        }
        Ok(places)
    }

    fn apply(&self, patch: &Patch, base: &Commit) -> Result<Commit> {
        let fork = &self.series.fork.name;
        let file = patch.file.as_ref();
        let file = file.ok_or_else(|| Error::NoFile { fork: fork.clone(), patch: patch.id.clone() })?;
        let applied = self.store.apply_exactly(base, file)?;
        applied.map_err(|reason| Error::Inexact { fork: fork.clone(), patch: patch.id.clone(), reason })
    }

    fn conflict(&self, patch: &str, below: &[String], files: &[String]) -> Error {
        let below = if below.is_empty() { "the enabling patches".to_owned() } else { below.join(", ") };
        Error::Conflict { fork: self.series.fork.name.clone(), patch: patch.to_owned(), below, files: files.join(", ") }
    }
}
