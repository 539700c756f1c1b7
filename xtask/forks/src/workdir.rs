//! A fork's folder as it is: what was laid out there, which branch is checked out, and what work would be lost. Only
//! looks; changes nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::git::Git;
use crate::store::read_entries;
use crate::tree::{self, Difference, Tree};
use crate::{Error, Fork, Forks, Result};

/// What was last laid out in a folder; kept in its `.git`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    /// The key of the series.
    pub(crate) key: String,
    /// Each branch with its commit.
    pub(crate) branches: BTreeMap<String, String>,
    /// The release's commit.
    pub(crate) pristine: String,
    /// SHA-256 of each patch file, by id.
    pub(crate) files: BTreeMap<String, String>,
}

/// Written before the first change of a folder and removed after the last: says what an interrupted one was doing.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Journal {
    /// The trees that a file may be of: what was checked out before, and what is being checked out.
    pub(crate) trees: Vec<String>,
    /// What is laid out at the end.
    pub(crate) state: State,
}

/// What is checked out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Head {
    /// A branch by its name.
    Branch(String),
    /// A commit that no branch was checked out for.
    Detached(String),
}

/// A fork's folder.
pub(crate) struct Workdir {
    pub(crate) root: PathBuf,
    pub(crate) folder: PathBuf,
    pub(crate) shown: String,
    pub(crate) git: Git,
}

/// What was found in a folder that was laid out.
pub(crate) struct Found {
    pub(crate) state: State,
    pub(crate) journal: Option<Journal>,
    pub(crate) head: Head,
    /// The tree checked out; `None` before the first commit.
    pub(crate) head_tree: Option<String>,
    /// All branches.
    pub(crate) branches: BTreeMap<String, String>,
    /// Paths of files that belong to nothing.
    pub(crate) untracked: Vec<String>,
    /// What differs from what was laid out and is in no commit.
    pub(crate) uncommitted: Vec<String>,
    /// Commits that are in no patch file as far as the last layout knows.
    pub(crate) unexported: Vec<String>,
}

/// What is at a fork's place.
pub(crate) enum Place {
    /// Nothing, or an empty folder.
    Empty,
    /// Something that was not laid out here.
    Foreign,
    /// A laid-out fork.
    Ours(Box<Found>),
}

impl Found {
    /// The trees whose files may lie in the folder.
    pub(crate) fn trees(&self) -> Vec<String> {
        let unfinished = self.journal.iter().flat_map(|journal| journal.trees.iter());
        let mut trees: Vec<String> = unfinished.chain(&self.head_tree).cloned().collect();
        trees.sort();
        trees.dedup();
        trees
    }

    /// Whether verbs made the branch, so that they may move and remove it.
    pub(crate) fn owns(&self, branch: &str) -> bool {
        let has = |state: &State| state.branches.contains_key(branch);
        is_ours(branch) || has(&self.state) || self.journal.as_ref().is_some_and(|journal| has(&journal.state))
    }
}

impl Workdir {
    pub(crate) fn new(forks: &Forks, fork: &Fork) -> Self {
        let folder = forks.folder(fork);
        let (root, shown) = (forks.root.clone(), fork.folder.display().to_string());
        Self { git: Git::folder(&folder), root, shown, folder }
    }

    pub(crate) fn state_file(&self) -> PathBuf {
        self.git.dir().join("forks.json")
    }

    pub(crate) fn journal_file(&self) -> PathBuf {
        self.git.dir().join("forks-unfinished.json")
    }

    /// Where unfinished files lie: on the folder's file system, out of sight.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.git.dir().join("forks-scratch")
    }

    /// What was last laid out, without looking at the files.
    pub(crate) fn state(&self) -> Option<State> {
        read_json(&self.state_file())
    }

    /// Whether a change of the folder was interrupted.
    pub(crate) fn is_unfinished(&self) -> bool {
        self.journal_file().is_file()
    }

    /// Looks at the folder.
    pub(crate) fn inspect(&self) -> Result<Place> {
        self.refuse_links()?;
        let is_empty = match fs::read_dir(&self.folder) {
            Ok(mut entries) => entries.next().is_none(),
            Err(_) => !self.folder.exists(),
        };
        if is_empty {
            return Ok(Place::Empty);
        }
        let (journal, state) = (read_json::<Journal>(&self.journal_file()), self.state());
        // A layout leaves refs of its own: where its state is lost, the branches are still the user's to keep.
        let is_ours = || journal.is_some() || self.has_laid_refs();
        let Some(state) = state.or_else(|| is_ours().then(State::default)) else {
            return Ok(Place::Foreign);
        };
        self.look(state, journal).map(|found| Place::Ours(Box::new(found)))
    }

    /// A link on the way would have verbs write, and remove, somewhere else.
    pub(crate) fn refuse_links(&self) -> Result<()> {
        let mut path = self.root.clone();
        for part in Path::new(&self.shown) {
            path.push(part);
            if fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink()) {
                let reason = "a fork is not laid out through a symbolic link; remove the link, or name another folder \
                              in patches/forks.toml";
                return Err(Error::Release { path, reason: reason.into() });
            }
        }
        Ok(())
    }

    fn has_laid_refs(&self) -> bool {
        let refs = self.git.call(["for-each-ref", "--count=1", "refs/forks/"]).text();
        self.git.dir().is_dir() && refs.is_ok_and(|refs| !refs.is_empty())
    }

    /// Files below the folder that the repository around it keeps: whatever lies there was never laid out.
    pub(crate) fn tracked_around(&self) -> Result<Option<String>> {
        let around = Git::folder(&self.root);
        if !around.dir().exists() {
            return Ok(None);
        }
        let files = around.call(["ls-files", "-z", "--", &self.shown]).bytes()?;
        Ok(split_paths(&files).next())
    }

    fn look(&self, state: State, journal: Option<Journal>) -> Result<Found> {
        let head = self.head()?;
        let branches = self.branches()?;
        let commit = match &head {
            Head::Branch(name) => branches.get(name).cloned(),
            Head::Detached(id) => Some(id.clone()),
        };
        let head_tree = match &commit {
            Some(id) => Some(self.git.call(["rev-parse", &format!("{id}^{{tree}}")]).text()?),
            None => None,
        };
        let (uncommitted, untracked) = match &journal {
            Some(journal) => self.unfinished_files(journal)?,
            None => self.files(head_tree.as_deref())?,
        };
        let mut uncommitted = uncommitted;
        uncommitted.extend(untracked.iter().map(|path| format!("untracked: {path}")));
        uncommitted.extend(self.operations());
        let unexported = self.moved(&state, journal.as_ref(), &branches, &head)?;
        Ok(Found { state, journal, head, head_tree, branches, untracked, uncommitted, unexported })
    }

    pub(crate) fn head(&self) -> Result<Head> {
        let output = self.git.call(["symbolic-ref", "--quiet", "HEAD"]).output()?;
        let name = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        match name.strip_prefix("refs/heads/") {
            Some(branch) => Ok(Head::Branch(branch.to_owned())),
            None => Ok(Head::Detached(self.git.call(["rev-parse", "HEAD"]).text()?)),
        }
    }

    fn branches(&self) -> Result<BTreeMap<String, String>> {
        let args = ["for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/heads/"];
        let text = self.git.call(args).text()?;
        Ok(text.lines().filter_map(|line| line.split_once(' ')).map(|(a, b)| (a.to_owned(), b.to_owned())).collect())
    }

    /// What differs from `tree`, and the files that it lacks.
    fn files(&self, tree: Option<&str>) -> Result<(Vec<String>, Vec<String>)> {
        let files = match tree {
            Some(tree) => read_entries(&self.git, tree)?.0,
            None => Tree::new(),
        };
        let differences = tree::differences(&self.folder, &files)?;
        let mut lines: Vec<String> =
            differences.iter().map(|(path, difference)| format!("{}: {path}", difference.word())).collect();
        if let Some(tree) = tree {
            let staged = self.git.call(["diff-index", "--cached", "--name-only", "-z", tree]).bytes()?;
            lines.extend(
                split_paths(&staged)
                    .filter(|path| !differences.iter().any(|(changed, _)| changed == path))
                    .map(|path| format!("staged: {path}")),
            );
        }
        Ok((lines, self.untracked(tree)?))
    }

    /// The files in an interrupted layout that are neither what was there before nor what was being laid out.
    fn unfinished_files(&self, journal: &Journal) -> Result<(Vec<String>, Vec<String>)> {
        let trees = journal.trees.iter().map(|tree| Ok(read_entries(&self.git, tree)?.0));
        let trees = trees.collect::<Result<Vec<Tree>>>()?;
        let mut lines = Vec::new();
        for path in trees.iter().flat_map(Tree::keys) {
            let mut is_known = !self.folder.join(path).exists();
            for entry in trees.iter().filter_map(|tree| tree.get(path)) {
                is_known |= tree::difference(&self.folder.join(path), entry)? != Some(Difference::Modified);
            }
            if !is_known {
                lines.push(format!("modified: {path}"));
            }
        }
        lines.sort();
        lines.dedup();
        let mut untracked = self.untracked(None)?;
        untracked.retain(|path| !trees.iter().any(|tree| tree.contains_key(path)));
        Ok((lines, untracked))
    }

    /// The tree that is staged, and what differs from it: changed files, and those that it lacks. Leaves the index and
    /// its lock alone, which the user's own git may hold, or have left when it was killed.
    pub(crate) fn staged(&self) -> Result<(String, Vec<String>)> {
        fs::create_dir_all(self.scratch()).map_err(Error::io("make", &self.scratch()))?;
        let own = tempfile::tempdir_in(self.scratch()).map_err(Error::io("make a folder in", &self.scratch()))?;
        let index = own.path().join("index");
        let from = self.git.dir().join("index");
        fs::copy(&from, &index).map_err(Error::io("read", &from))?;
        let tree = self.git.call(["write-tree"]).env("GIT_INDEX_FILE", &index).text()?;
        // Byte for byte, whatever the user's git is told to pass over.
        let differences = tree::differences(&self.folder, &read_entries(&self.git, &tree)?.0)?;
        let mut loose: Vec<String> = differences.into_iter().map(|(path, _)| path).collect();
        loose.extend(self.untracked(Some(&tree))?);
        Ok((tree, loose))
    }

    /// Files that `tree` lacks and that upstream's `.gitignore` does not name; what cargo makes is no work.
    fn untracked(&self, tree: Option<&str>) -> Result<Vec<String>> {
        fs::create_dir_all(self.scratch()).map_err(Error::io("make", &self.scratch()))?;
        // A folder of its own: neither another process nor the lock of a killed one is in the way.
        let own = tempfile::tempdir_in(self.scratch()).map_err(Error::io("make a folder in", &self.scratch()))?;
        let index = own.path().join("index");
        let read = match tree {
            Some(tree) => self.git.call(["read-tree", tree]),
            None => self.git.call(["read-tree", "--empty"]),
        };
        read.env("GIT_INDEX_FILE", &index).run()?;
        let args = ["ls-files", "--others", "-z", "--exclude-per-directory=.gitignore"];
        let call = self.git.call(args.into_iter().chain(["--exclude=/target/", "--exclude=/Cargo.lock"]));
        let out = call.env("GIT_INDEX_FILE", &index).bytes()?;
        Ok(split_paths(&out).collect())
    }

    /// What git was in the middle of.
    fn operations(&self) -> Vec<String> {
        let marks = [
            ("MERGE_HEAD", "merge"),
            ("CHERRY_PICK_HEAD", "cherry-pick"),
            ("REVERT_HEAD", "revert"),
            ("sequencer", "sequence of cherry-picks or reverts"),
            ("rebase-merge", "rebase"),
            ("rebase-apply", "rebase or am"),
            ("BISECT_LOG", "bisect"),
        ];
        let begun = marks.iter().filter(|(mark, _)| self.git.dir().join(mark).exists());
        begun.map(|(_, word)| format!("a {word} is in progress")).collect()
    }

    /// Branches of ours that are not where they were laid out, and a detached HEAD that no branch holds.
    fn moved(
        &self,
        state: &State,
        journal: Option<&Journal>,
        branches: &BTreeMap<String, String>,
        head: &Head,
    ) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        let pristine = [Some(&state.pristine), journal.map(|journal| &journal.state.pristine)];
        for (name, id) in branches {
            let expected = [state.branches.get(name), journal.and_then(|journal| journal.state.branches.get(name))];
            let is_a_users = !is_ours(name) && expected == [None, None];
            if is_a_users || expected.contains(&Some(id)) {
                continue;
            }
            let mut is_same = false;
            for (laid, pristine) in expected.into_iter().zip(pristine).filter_map(|(laid, from)| Some((laid?, from?))) {
                is_same |= self.content(pristine, laid)? == self.content(pristine, id)?;
            }
            if !is_same {
                lines.push(format!("commits on branch {name}"));
            }
        }
        if let Head::Detached(id) = head {
            let holders = self.git.call(["for-each-ref", "--contains", id, "--format=%(refname)"]).text()?;
            if holders.is_empty() {
                lines.push(format!("commits on a detached HEAD ({})", &id[..12]));
            }
        }
        Ok(lines)
    }

    /// What the commits of a branch are, whoever committed them and when.
    fn content(&self, pristine: &str, tip: &str) -> Result<Vec<u8>> {
        self.git.call(["log", "-z", "--format=%T%n%an%n%ae%n%aD%n%B", &format!("{pristine}..{tip}")]).bytes()
    }
}

/// The branch on which a patch is merged by hand.
pub(crate) const REBASING: &str = "rebasing";

/// Whether a branch is one that patches live on. [`REBASING`] is ours only where it was laid out: see [`Found::owns`].
pub(crate) fn is_ours(branch: &str) -> bool {
    branch == "main" || branch.starts_with("patch/")
}

fn split_paths(out: &[u8]) -> impl Iterator<Item = String> {
    out.split(|byte| *byte == 0).filter(|path| !path.is_empty()).map(|path| String::from_utf8_lossy(path).into_owned())
}

fn read_json<T: for<'a> Deserialize<'a>>(path: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}
