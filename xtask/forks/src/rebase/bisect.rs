//! The one commit of upstream's that a patch does not get past, found in the user's clone of upstream's repository. The
//! clone is only read.

use std::path::Path;

use serde::Deserialize;

use super::candidate;
use crate::git::Git;
use crate::layout::Layout;
use crate::pristine::Candidate;
use crate::store::{Change, Commit, Store};
use crate::{Error, Fork, Forks, Result};

/// A commit of upstream's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Culprit {
    /// The patch that lays out before it, and not from it on.
    pub patch: String,
    /// Id, author, date and subject, as `git log` shows them.
    pub shown: String,
    /// The files in conflict.
    pub files: Vec<String>,
    /// How many commits lie between the releases, and how many were tried.
    pub tried: (usize, usize),
}

/// What a release says of where it was made.
#[derive(Deserialize)]
struct VcsInfo {
    #[serde(default)]
    path_in_vcs: String,
}

/// The first commit between the pinned release and `version`, along first parents, from which on the patch `id` (else
/// the first that conflicts) cannot be carried. `None` if it can be carried to every commit: then the conflict comes from
/// what cargo changes in a release, such as its Cargo.toml.
pub fn bisect(forks: &Forks, fork: &Fork, version: &str, clone: &Path, id: Option<&str>) -> Result<Option<Culprit>> {
    let target = candidate(forks, fork, version)?;
    let store = Store::open(forks)?;
    let series = forks.series(fork)?;
    let mut layout = Layout::open(forks, &store, &series)?;
    let id = match id {
        Some(id) => series.patch(id)?.id.clone(),
        None => match super::verdicts(forks, fork, &target)?.into_iter().find(|(_, verdict)| verdict.stops()) {
            Some((id, _)) => id,
            None => return Ok(None),
        },
    };
    let upstream = Upstream::open(fork, clone, &target)?;
    let commits = upstream.between(&fork.commit, &target.fork.commit)?;
    let history = History { store: &store, upstream: &upstream, from: &fork.commit };
    let places = layout.at_home()?;
    let (.., commit) = places.iter().find(|(other, ..)| *other == id).expect("a patch with a file has a place");
    let change = Change {
        parent: layout.pristine.clone(),
        commit: commit.clone(),
        description: series.patch(&id)?.file.as_ref().expect("it has a file").description.clone(),
    };
    let mut tried = 0;
    // Invariant: every commit before `good` takes the patch, the one at `bad` does not.
    let (mut good, mut bad) = (0, commits.len());
    let mut files = Vec::new();
    while good < bad {
        let middle = good + (bad - good) / 2;
        tried += 1;
        match history.conflict(&layout.pristine, &change, &commits[middle])? {
            None => good = middle + 1,
            Some(found) => (bad, files) = (middle, found),
        }
    }
    let Some(culprit) = commits.get(bad) else {
        return Ok(None);
    };
    let shown = upstream.show(culprit)?;
    Ok(Some(Culprit { patch: id, shown, files, tried: (commits.len(), tried) }))
}

/// The user's clone.
struct Upstream {
    git: Git,
    /// The crate's folder in it, with a `/` at its end, or nothing.
    prefix: String,
}

impl Upstream {
    fn open(fork: &Fork, clone: &Path, Candidate { fork: target, release, .. }: &Candidate) -> Result<Self> {
        let wrong = |reason: &str, mend: String| Error::Rebase {
            fork: fork.name.clone(),
            reason: format!("{}: {reason}", clone.display()),
            mend,
        };
        let Some(git) = Git::around(clone)? else {
            let mend = format!("`git clone {}`, and name its folder", fork.repository);
            return Err(wrong("it is no clone of a git repository", mend));
        };
        if git.call(["rev-parse", "--is-shallow-repository"]).text()? == "true" {
            let mend = format!("`git -C {} fetch --unshallow`", clone.display());
            return Err(wrong("it is a shallow clone", mend));
        }
        for (version, commit) in [(&fork.version, &fork.commit), (&target.version, &target.commit)] {
            if commit.bytes().all(|byte| byte == b'0') {
                let mend = "find the commit yourself: `git bisect` in the clone".to_owned();
                return Err(wrong(&format!("release {version} does not name the commit that it was made from"), mend));
            }
            if !git.call(["cat-file", "-e", &format!("{commit}^{{commit}}")]).output()?.status.success() {
                let reason = format!("it lacks commit {commit}, which release {version} was made from");
                let mend = format!("`git -C {} fetch --tags {}`", clone.display(), fork.repository);
                return Err(wrong(&reason, mend));
            }
        }
        let info = release.files.get(".cargo_vcs_info.json");
        let info: Option<VcsInfo> = info.and_then(|file| serde_json::from_slice(&file.bytes).ok());
        let path = info.map(|info| info.path_in_vcs).unwrap_or_default();
        let prefix = if path.is_empty() { path } else { format!("{}/", path.trim_end_matches('/')) };
        Ok(Self { git, prefix })
    }

    /// The commits after `from` up to `to`, oldest first, that touch the crate.
    fn between(&self, from: &str, to: &str) -> Result<Vec<String>> {
        let range = format!("{from}..{to}");
        let path = format!(":(top){}", self.prefix);
        let args = ["rev-list", "--reverse", "--first-parent", &range, "--", &path];
        let out = self.git.call(args).text()?;
        Ok(out.lines().map(str::to_owned).collect())
    }

    fn show(&self, commit: &str) -> Result<String> {
        self.git.call(["log", "-1", "--date=short", "--format=%H%n  %an, %ad%n  %s", commit]).text()
    }
}

/// Upstream's sources at a commit in the form of a release, so that patches on releases can be tried on them.
struct History<'a> {
    store: &'a Store,
    upstream: &'a Upstream,
    from: &'a str,
}

impl History<'_> {
    /// The files in conflict when `change` is carried to `commit`, if there are any.
    fn conflict(&self, pristine: &Commit, change: &Change, commit: &str) -> Result<Option<Vec<String>>> {
        let tree = self.tree(pristine, commit)?;
        let onto = self.store.record(pristine, &tree, &change.description)?;
        Ok(self.store.place(change, &onto)?.err().map(|conflict| conflict.files))
    }

    /// The release's tree with every file that upstream changed between the release's commit and `commit` as it is there.
    /// Cargo.toml stays: cargo writes its own into a release.
    fn tree(&self, pristine: &Commit, commit: &str) -> Result<String> {
        let index = self.store.git().dir().join("index-for-bisect");
        let in_index = |args: &[&str]| self.store.git().call(args).env("GIT_INDEX_FILE", &index);
        in_index(&["read-tree", &pristine.tree]).run()?;
        let path = format!(":(top){}", self.upstream.prefix);
        let args = ["diff-tree", "-r", "-z", "--no-renames", self.from, commit, "--", &path];
        let raw = self.upstream.git.call(args).bytes()?;
        let raw = String::from_utf8_lossy(&raw);
        let mut fields = raw.split('\0');
        let mut orders = String::new();
        while let (Some(head), Some(path)) = (fields.next().filter(|head| !head.is_empty()), fields.next()) {
            let words: Vec<&str> = head.split(' ').collect();
            let path = path.strip_prefix(&self.upstream.prefix).unwrap_or(path);
            let is_plain = matches!(words[1], "100644" | "100755" | "000000");
            if is_plain && path != "Cargo.toml" {
                // The blob comes along, so that the tree is whole without the clone.
                let blob = if words[1] == "000000" { words[3].to_owned() } else { self.copy(words[3])? };
                let mode = if words[1] == "000000" { "0" } else { words[1] };
                orders += &format!("{mode} {blob}\t{path}\0");
            }
        }
        in_index(&["update-index", "-z", "--index-info"]).stdin(orders).run()?;
        in_index(&["write-tree"]).text()
    }

    fn copy(&self, blob: &str) -> Result<String> {
        let bytes = self.upstream.git.call(["cat-file", "blob", blob]).bytes()?;
        let call = self.store.git().call(["hash-object", "-w", "--stdin"]);
        call.stdin(bytes).text()
    }
}
