//! A bare repository of the tool's own, in which commits are made and merged without touching a fork's folder: no
//! local configuration, attributes or half-done work of the user's can reach it. Knows commits, trees and diffs.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::{self, File};
use std::sync::Arc;

use crate::git::Git;
use crate::header::{Description, PatchFile, SIGNATURE};
use crate::pristine::Release;
use crate::tree::{Entry, Tree};
use crate::{Error, Fork, Forks, Result, lock};

/// A commit and its tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Commit {
    pub(crate) id: String,
    pub(crate) tree: String,
}

/// A commit with its parent and what it says of itself.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    pub(crate) parent: Commit,
    pub(crate) commit: Commit,
    pub(crate) description: Description,
}

/// A file that two trees have differently: before, after. Modes and blobs are zeros where there is no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Changed {
    pub(crate) path: String,
    pub(crate) modes: [String; 2],
    pub(crate) blobs: [String; 2],
}

/// Why a merge was not made.
pub(crate) struct Conflict {
    pub(crate) files: Vec<String>,
}

/// The bare repository. Holds the lock on the forks while it lives.
pub(crate) struct Store {
    git: Git,
    _lock: Arc<File>,
}

impl Store {
    /// Opens it, making it if need be.
    pub(crate) fn open(forks: &Forks) -> Result<Self> {
        let lock = lock::take(&forks.work_dir())?;
        let dir = forks.work_dir().join(lock::STORE);
        let git = Git::bare(&dir);
        if !dir.join("ready").is_file() {
            if dir.exists() {
                fs::remove_dir_all(&dir).map_err(Error::io("remove", &dir))?;
            }
            git.init()?;
            let mark = dir.join("ready");
            fs::write(&mark, "").map_err(Error::io("write", &mark))?;
        }
        Ok(Self { git, _lock: lock })
    }

    /// The repository, for calls that are its user's own.
    pub(crate) fn git(&self) -> &Git {
        &self.git
    }

    /// The commit of a release: fixed author and date, so that it has the same id on every machine.
    pub(crate) fn pristine(&self, fork: &Fork, release: &Release) -> Result<Commit> {
        let name = format!("refs/pristine/{}/{}", fork.krate, fork.sha256);
        let message = format!("{} {}, as released\n\nsha256 {}\n", fork.krate, fork.version, fork.sha256);
        let mut stream = format!(
            "commit {name}\nauthor upstream <upstream@localhost> 946684800 +0000\n\
             committer upstream <upstream@localhost> 946684800 +0000\ndata {}\n{message}\n",
            message.len()
        )
        .into_bytes();
        for (path, file) in &release.files {
            let mode = if file.executable { "100755" } else { "100644" };
            let path = path.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            stream.extend_from_slice(format!("M {mode} inline \"{path}\"\ndata {}\n", file.bytes.len()).as_bytes());
            stream.extend_from_slice(&file.bytes);
            stream.push(b'\n');
        }
        self.git.call(["fast-import", "--quiet", "--force"]).stdin(stream).run()?;
        self.commit(&name)
    }

    /// The commit that `name` names.
    pub(crate) fn commit(&self, name: &str) -> Result<Commit> {
        let text = self.git.call(["rev-parse", &format!("{name}^{{commit}}"), &format!("{name}^{{tree}}")]).text()?;
        let (id, tree) = text.split_once('\n').unwrap_or((&text, ""));
        Ok(Commit { id: id.to_owned(), tree: tree.to_owned() })
    }

    /// A new commit of `tree` on `parent`. Author and committer are the patch's author, so the id depends on it alone.
    pub(crate) fn record(&self, parent: &Commit, tree: &str, said: &Description) -> Result<Commit> {
        let mut call = self.git.call(["commit-tree", tree, "-p", &parent.id]).stdin(said.message());
        for role in ["AUTHOR", "COMMITTER"] {
            call = call
                .env(&format!("GIT_{role}_NAME"), &said.name)
                .env(&format!("GIT_{role}_EMAIL"), &said.email)
                .env(&format!("GIT_{role}_DATE"), &said.date);
        }
        Ok(Commit { id: call.text()?, tree: tree.to_owned() })
    }

    /// Applies a patch file to `base`, exactly: every blob before and after must be the one that the file names, so
    /// neither offset nor fuzz can place a hunk. The error says what does not fit.
    pub(crate) fn apply_exactly(&self, base: &Commit, patch: &PatchFile) -> Result<Result<Commit, String>> {
        if patch.diff.is_empty() {
            return Ok(Ok(self.record(base, &base.tree, &patch.description)?));
        }
        let index = self.git.dir().join("index-for-apply");
        let in_index = |args: &[&str]| self.git.call(args).env("GIT_INDEX_FILE", &index);
        in_index(&["read-tree", &base.tree]).run()?;
        let output = in_index(&["apply", "--cached", "--whitespace=nowarn", "-"]).stdin(patch.diff.clone()).output()?;
        if !output.status.success() {
            let reason = String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; ");
            return Ok(Err(reason));
        }
        let tree = in_index(&["write-tree"]).text()?;
        if let Err(Error::Release { path, reason }) = self.tree(&tree) {
            return Ok(Err(format!("{}: {reason}", path.display())));
        }
        let changed = self.changed_blobs(&base.tree, &tree)?;
        let mut named = patch.blobs();
        let mut found: Vec<_> = changed.iter().map(|(_, before, after)| (before.clone(), after.clone())).collect();
        named.sort();
        found.sort();
        if named != found {
            let file = changed.iter().find(|(_, before, after)| !named.contains(&(before.clone(), after.clone())));
            let file = file.map_or_else(|| "a file".to_owned(), |(path, ..)| path.clone());
            return Ok(Err(format!("{file}: the bytes before or after are not those that its `index` line names")));
        }
        Ok(Ok(self.record(base, &tree, &patch.description)?))
    }

    /// The files whose bytes differ between two trees: path, blob before, blob after. Changes of mode alone are left out.
    pub(crate) fn changed_blobs(&self, from: &str, to: &str) -> Result<Vec<(String, String, String)>> {
        let changed = self.changed(from, to)?.into_iter().filter(|file| file.blobs[0] != file.blobs[1]);
        Ok(changed.map(|Changed { path, blobs: [before, after], .. }| (path, before, after)).collect())
    }

    /// The files that differ between two trees, in bytes or in mode.
    pub(crate) fn changed(&self, from: &str, to: &str) -> Result<Vec<Changed>> {
        let raw = self.git.call(["diff-tree", "-r", "-z", "--no-renames", from, to]).bytes()?;
        let raw = String::from_utf8_lossy(&raw);
        let mut fields = raw.split('\0');
        let mut changed = Vec::new();
        while let (Some(head), Some(path)) = (fields.next().filter(|head| !head.is_empty()), fields.next()) {
            let words: Vec<&str> = head.trim_start_matches(':').split(' ').collect();
            if let [from, to, before, after, ..] = words[..] {
                let [modes, blobs] = [[from, to], [before, after]].map(|pair| pair.map(str::to_owned));
                changed.push(Changed { path: path.to_owned(), modes, blobs });
            }
        }
        Ok(changed)
    }

    /// Makes `change` anew on `onto`: as it is where the tree below is the same, else by three-way merge.
    pub(crate) fn place(&self, change: &Change, onto: &Commit) -> Result<Result<Commit, Conflict>> {
        if change.parent.tree == onto.tree {
            return Ok(Ok(self.record(onto, &change.commit.tree, &change.description)?));
        }
        let base = format!("--merge-base={}", change.parent.id);
        let args =
            ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", &base, &onto.id, &change.commit.id];
        let call = self.git.call(args);
        let output = call.output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut fields = text.split('\0').filter(|field| !field.is_empty());
        let tree = fields.next().unwrap_or_default().trim().to_owned();
        match output.status.code() {
            Some(0) => Ok(Ok(self.record(onto, &tree, &change.description)?)),
            Some(1) => {
                let mut files: Vec<String> = fields.map(str::to_owned).collect();
                files.dedup();
                Ok(Err(Conflict { files }))
            }
            _ => Err(Error::Git {
                args: args.join(" "),
                reason: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
            }),
        }
    }

    /// The patch file of a commit, as `git format-patch` writes it: full ids, one line of context, nothing that depends
    /// on the machine.
    pub(crate) fn render(&self, commit: &Commit) -> Result<Vec<u8>> {
        let args = [
            "format-patch",
            "--stdout",
            "-1",
            "--zero-commit",
            "--full-index",
            "--binary",
            "--unified=1",
            &format!("--signature={SIGNATURE}"),
            "--no-stat",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--keep-subject",
            "--no-encode-email-headers",
            &commit.id,
        ];
        self.git.call(args).bytes()
    }

    /// The files of a tree.
    pub(crate) fn tree(&self, tree: &str) -> Result<Tree> {
        read_tree(&self.git, tree)
    }

    /// The bytes of the files of a tree, by blob id.
    pub(crate) fn blobs(&self, tree: &Tree) -> Result<HashMap<String, Vec<u8>>> {
        read_blobs(&self.git, tree)
    }

    /// Copies the commits `ids`, and all below them, between this repository and `other`.
    pub(crate) fn send(&self, ids: &[String], other: &Git) -> Result<()> {
        transfer(&self.git, other, ids)
    }

    /// The other way round.
    pub(crate) fn receive(&self, ids: &[String], other: &Git) -> Result<()> {
        transfer(other, &self.git, ids)
    }
}

fn transfer(from: &Git, to: &Git, ids: &[String]) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let pack = from.call(["pack-objects", "--revs", "--stdout", "-q"]).stdin(ids.join("\n") + "\n").bytes()?;
    to.call(["unpack-objects", "-q"]).stdin(pack).run()
}

/// The files of a tree in `git`; anything but plain files is an error.
pub(crate) fn read_tree(git: &Git, tree: &str) -> Result<Tree> {
    let (files, other) = read_entries(git, tree)?;
    match other.into_iter().next() {
        None => Ok(files),
        Some(path) => Err(Error::Release {
            path: path.into(),
            reason: "a fork may hold plain files with UTF-8 names only".into(),
        }),
    }
}

/// The plain files of a tree in `git`, and the paths of all else in it: links, submodules, names that are not UTF-8.
pub(crate) fn read_entries(git: &Git, tree: &str) -> Result<(Tree, Vec<String>)> {
    let raw = git.call(["ls-tree", "-r", "-z", tree]).bytes()?;
    let (mut files, mut other) = (Tree::new(), Vec::new());
    for line in raw.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
        let text = String::from_utf8_lossy(line);
        let (head, path) = text.split_once('\t').unwrap_or((&text, &text));
        match head.split(' ').collect::<Vec<_>>().as_slice() {
            &[mode @ ("100644" | "100755"), "blob", blob] if matches!(text, Cow::Borrowed(_)) => {
                files.insert(path.to_owned(), Entry { executable: mode == "100755", blob: blob.to_owned() });
            }
            _ => other.push(path.to_owned()),
        }
    }
    Ok((files, other))
}

/// The bytes of the files of a tree in `git`, by blob id.
pub(crate) fn read_blobs(git: &Git, tree: &Tree) -> Result<HashMap<String, Vec<u8>>> {
    let mut ids: Vec<&str> = tree.values().map(|entry| entry.blob.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let out = git.call(["cat-file", "--batch"]).stdin(ids.join("\n") + "\n").bytes()?;
    split_batch(&out).ok_or_else(|| Error::Git {
        args: "cat-file --batch".into(),
        reason: format!(
            "a file is missing in {}; if that is below target/, delete it and run this again",
            git.dir().display()
        ),
    })
}

/// Splits what `cat-file --batch` writes; `None` if a blob is missing.
fn split_batch(mut out: &[u8]) -> Option<HashMap<String, Vec<u8>>> {
    let mut blobs = HashMap::new();
    while !out.is_empty() {
        let end = out.iter().position(|byte| *byte == b'\n')?;
        let head = std::str::from_utf8(&out[..end]).ok()?;
        let mut words = head.split(' ');
        let (id, kind, size) = (words.next()?, words.next()?, words.next()?);
        if kind != "blob" {
            return None;
        }
        let body = &out[end + 1..];
        let size: usize = size.parse().ok()?;
        blobs.insert(id.to_owned(), body.get(..size)?.to_vec());
        out = body.get(size + 1..)?;
    }
    Some(blobs)
}
