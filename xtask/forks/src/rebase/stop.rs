//! The fork's folder while a patch waits for somebody: on a branch of its own, in the middle of an ordinary cherry-pick.

use super::state::{State, Stopped};
use crate::apply::{self, Target, lay};
use crate::git::Git;
use crate::port::{Port, Verdict};
use crate::store::{Commit, Store, read_entries};
use crate::tree::Tree;
use crate::workdir::{Found, Head, Place, REBASING, Workdir};
use crate::{Error, Fork, Forks, Outcome, Result};

/// Makes the folder ready for somebody to merge the patch that the rebase stopped at.
pub(super) fn open(forks: &Forks, fork: &Fork, store: &Store, port: &Port, state: &mut State) -> Result<()> {
    let Some(stopped) = state.stopped.as_mut() else {
        return Ok(());
    };
    // What the release has already needs no merging: it is left out, or the rebase is given up.
    if stopped.verdict != Verdict::Upstream {
        let workdir = Workdir::new(forks, fork);
        let Place::Ours(found) = workdir.inspect()? else {
            return Err(lost(fork, "its folder is not laid out any more"));
        };
        let below = store.commit(&stopped.below)?;
        let target = Target::of_rebase(Store::open(forks)?, &found.state, &below);
        lay(&workdir, Some(&found), &target, Some(REBASING))?;
        let old = &port.old(&stopped.id).commit;
        store.send(std::slice::from_ref(&old.id), &workdir.git)?;
        let args = ["-c", "rerere.enabled=true", "cherry-pick", "--allow-empty", "--keep-redundant-commits", &old.id];
        let output = workdir.git.call(args).output()?;
        if !output.status.success() && !workdir.git.dir().join("CHERRY_PICK_HEAD").exists() {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(not_begun(fork, &workdir, &stopped.id, &format!(": {said}")));
        }
    }
    stopped.is_open = true;
    state.write(forks, fork)
}

/// The patch as somebody merged it, committed or staged in the cherry-pick: what it stands on, and its commit.
pub(super) fn resolved(
    forks: &Forks,
    fork: &Fork,
    store: &Store,
    state: &State,
    stopped: &Stopped,
) -> Result<(Commit, Commit)> {
    let workdir = Workdir::new(forks, fork);
    if stopped.verdict == Verdict::Upstream {
        let mend = format!("`cargo xtask rebase {} --skip` leaves it out, `--abort` gives the rebase up", fork.name);
        return Err(stuck(fork, format!("patch `{}` would change nothing on {}", stopped.id, state.to.version), mend));
    }
    let Place::Ours(found) = workdir.inspect()? else {
        return Err(lost(fork, "its folder is not laid out any more"));
    };
    if !stopped.is_open {
        return Err(not_begun(fork, &workdir, &stopped.id, "; the call that was to do it was interrupted"));
    }
    if found.head != Head::Branch(REBASING.into()) {
        let mend =
            format!("`git switch {REBASING}` in {}, or `cargo xtask rebase {} --abort`", workdir.shown, fork.name);
        return Err(stuck(fork, format!("branch {REBASING} is not checked out in {}", workdir.shown), mend));
    }
    refuse_unmerged(fork, &workdir)?;
    let tree = match below_and_tip(&workdir, fork, &stopped.below)? {
        Some(tree) => {
            refuse_loose(fork, &workdir, &found)?;
            tree
        }
        None => staged(fork, &workdir)?,
    };
    // Kept for the next time that the same conflict comes up.
    let _ = workdir.git.call(["-c", "rerere.enabled=true", "rerere"]).output();
    take(fork, store, &workdir.git, (state, stopped), &tree)
}

/// What is not the merge itself is nothing that a rebase may throw away: commits on other branches, and, where no merge
/// was asked for, anything in the folder.
pub(super) fn refuse_other_work(forks: &Forks, fork: &Fork, state: &State) -> Result<()> {
    let workdir = Workdir::new(forks, fork);
    let Place::Ours(found) = workdir.inspect()? else {
        return Ok(());
    };
    if ["rebase-merge", "rebase-apply"].iter().any(|mark| workdir.git.dir().join(mark).exists()) {
        let git = format!("git -C {} rebase", workdir.shown);
        let mend = format!("end it first: `{git} --continue`; what it did is discarded by `{git} --abort`");
        return Err(stuck(fork, format!("a `git rebase` is in progress in {}", workdir.shown), mend));
    }
    let merge = format!("commits on branch {REBASING}");
    let mut work: Vec<String> = found.unexported.into_iter().filter(|line| *line != merge).collect();
    if state.stopped.as_ref().is_some_and(|stopped| stopped.verdict == Verdict::Upstream) {
        work.extend(found.uncommitted);
    }
    if work.is_empty() {
        return Ok(());
    }
    let reason = format!("{} holds work that is no part of the rebase: {}", workdir.shown, work.join(", "));
    let mend = format!(
        "keep it: `git branch keep COMMIT` for commits, and `git -C {} branch -f BRANCH forks/BRANCH` then takes the branch \
         back; move files elsewhere or restore them",
        workdir.shown
    );
    Err(stuck(fork, reason, mend))
}

/// A branch of the user's own where the one to merge on is to be, or below it.
pub(super) fn refuse_in_the_way(forks: &Forks, fork: &Fork) -> Result<()> {
    let workdir = Workdir::new(forks, fork);
    let Place::Ours(found) = workdir.inspect()? else {
        return Ok(());
    };
    let below = format!("{REBASING}/");
    let is_in_the_way = |name: &&String| (*name == REBASING || name.starts_with(&below)) && !found.owns(name);
    let Some(branch) = found.branches.keys().find(is_in_the_way) else {
        return Ok(());
    };
    let reason = format!("patches are merged on a branch `{REBASING}`, and {} has a branch `{branch}`", workdir.shown);
    let git = format!("git -C {} branch", workdir.shown);
    Err(stuck(fork, reason, format!("keep it: `{git} -m {branch} NEW-NAME`; discard it: `{git} -D {branch}`")))
}

/// The tree of the one commit on top of `below`; `None` if there is none yet.
fn below_and_tip(workdir: &Workdir, fork: &Fork, below: &str) -> Result<Option<String>> {
    let range = format!("{below}..HEAD");
    let commits = workdir.git.call(["rev-list", "--parents", &range]).text()?;
    match commits.lines().collect::<Vec<_>>().as_slice() {
        [] if workdir.git.call(["rev-parse", "HEAD"]).text()? == below => Ok(None),
        [one] if one.split(' ').nth(1) == Some(below) => {
            workdir.git.call(["rev-parse", "HEAD^{tree}"]).text().map(Some)
        }
        _ => {
            let reason = format!("branch {REBASING} is not {} with at most one commit on top", &below[..12]);
            Err(stuck(fork, reason, "a patch is one commit: squash what is there (`git rebase -i`)".into()))
        }
    }
}

/// The tree in the index, if the files are the same.
fn staged(fork: &Fork, workdir: &Workdir) -> Result<String> {
    let (tree, loose) = workdir.staged()?;
    if !loose.is_empty() {
        let reason = format!("{} holds changes that are not staged: {}", workdir.shown, loose.join(", "));
        return Err(stuck(fork, reason, "`git add` what belongs to the patch, and restore or delete the rest".into()));
    }
    Ok(tree)
}

fn refuse_unmerged(fork: &Fork, workdir: &Workdir) -> Result<()> {
    let unmerged = workdir.git.call(["diff", "--name-only", "--diff-filter=U"]).text()?;
    if unmerged.is_empty() {
        return Ok(());
    }
    let files = unmerged.lines().collect::<Vec<_>>().join(", ");
    let mend = format!("merge them in {}, `git add` them, then `--continue`", workdir.shown);
    Err(stuck(fork, format!("files are still in conflict: {files}"), mend))
}

fn refuse_loose(fork: &Fork, workdir: &Workdir, found: &Found) -> Result<()> {
    if found.uncommitted.is_empty() {
        return Ok(());
    }
    let reason = format!("{} holds more than the commit: {}", workdir.shown, found.uncommitted.join(", "));
    Err(stuck(fork, reason, "amend the commit with it (`git commit --amend`), or restore it".into()))
}

fn take(
    fork: &Fork,
    store: &Store,
    git: &Git,
    (state, stopped): (&State, &Stopped),
    tree: &str,
) -> Result<(Commit, Commit)> {
    let (files, other) = read_entries(git, tree)?;
    if let Some(path) = other.first() {
        let mend = "take it out of the commit or the index".to_owned();
        return Err(stuck(fork, format!("{path}: a fork may hold plain files with UTF-8 names only"), mend));
    }
    // A commit carries the tree into the store, with what it stands on: the store may have been deleted meanwhile.
    let carrier = git.call(["commit-tree", tree, "-p", &stopped.below, "-m", "merged by hand"]).text()?;
    store.receive(std::slice::from_ref(&carrier), git)?;
    let below = store.commit(&stopped.below)?;
    let changed = store.changed(&below.tree, tree)?;
    if changed.is_empty() {
        let mend = format!(
            "to merge it once more: `cargo xtask rebase {0} --abort`, and begin anew; `cargo xtask rebase {0} --skip` \
             leaves it out of the series",
            fork.name
        );
        return Err(stuck(fork, format!("patch `{}`, as merged, changes nothing", stopped.id), mend));
    }
    let touched: Tree = files.into_iter().filter(|(path, _)| changed.iter().any(|file| file.path == *path)).collect();
    refuse_gits_names(fork, stopped, &touched)?;
    let blobs = store.blobs(&touched)?;
    let (before, _) = read_entries(git, &below.tree)?;
    let before = store.blobs(&before.into_iter().filter(|(path, _)| touched.contains_key(path)).collect())?;
    let mut known = std::collections::HashSet::new();
    before.values().for_each(|bytes| known.extend(bytes.split(|byte| *byte == b'\n')));
    for (path, entry) in &touched {
        let text = String::from_utf8_lossy(&blobs[&entry.blob]);
        let is_marker = |line: &str| line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ");
        // What the release has is its own.
        if text.lines().any(|line| is_marker(line) && !known.contains(line.as_bytes())) {
            let mend = "merge what stands between them, `git add` or amend, then `--continue`".to_owned();
            return Err(stuck(fork, format!("{path} still has conflict markers"), mend));
        }
    }
    let said = state.description(&stopped.id)?;
    let commit = store.record(&below, tree, &said)?;
    Ok((below, commit))
}

/// A file that a folder was in the way of must not go into the patch under the name that git gave it.
fn refuse_gits_names(fork: &Fork, stopped: &Stopped, touched: &Tree) -> Result<()> {
    let Verdict::Conflict { clashes, .. } = &stopped.verdict else {
        return Ok(());
    };
    let is_gits = |path: &&String| clashes.iter().any(|clash| path.starts_with(&format!("{clash}~")));
    let Some(path) = touched.keys().find(is_gits) else {
        return Ok(());
    };
    let reason = format!("`{path}` is the name that git gave to a file that a folder is in the way of");
    Err(stuck(fork, reason, "`git mv` it to the name that it is to have, or `git rm` it, then `--continue`".into()))
}

/// The folder as its pin and patches say, with nothing of a rebase left in it.
pub(super) fn lay_back(forks: &Forks, fork: &Fork) -> Result<Outcome> {
    let workdir = Workdir::new(forks, fork);
    let Place::Ours(found) = workdir.inspect()? else {
        return Err(lost(fork, "its folder is not laid out any more"));
    };
    let synced = lay(&workdir, Some(&found), &apply::target(forks, &forks.series(fork)?)?, Some("main"))?;
    Ok(Outcome::LaidOut { written: synced.written, removed: synced.removed })
}

/// Checks out what was checked out before the rebase, if it is still there.
pub(super) fn come_back(forks: &Forks, fork: &Fork, head: Option<&Head>) -> Result<()> {
    let workdir = Workdir::new(forks, fork);
    let (Some(head), Place::Ours(found)) = (head, workdir.inspect()?) else {
        return Ok(());
    };
    let is_there = match head {
        Head::Branch(name) => found.branches.contains_key(name),
        Head::Detached(id) => {
            workdir.git.call(["cat-file", "-e", &format!("{id}^{{commit}}")]).output()?.status.success()
        }
    };
    if is_there && found.head != *head { apply::switch(&workdir, &found, head) } else { Ok(()) }
}

fn not_begun(fork: &Fork, workdir: &Workdir, id: &str, why: &str) -> Error {
    let mend = format!(
        "`cargo xtask rebase {} --abort`, and begin anew; git's settings for the folder are in {1}/.git/config and \
         {1}/.git/info/attributes",
        fork.name, workdir.shown
    );
    stuck(fork, format!("the merge of `{id}` in {} was not begun{why}", workdir.shown), mend)
}

fn lost(fork: &Fork, reason: &str) -> Error {
    stuck(fork, reason.into(), format!("`cargo xtask apply --discard {}`, then begin anew", fork.name))
}

fn stuck(fork: &Fork, reason: String, mend: String) -> Error {
    Error::Rebase { fork: fork.name.clone(), reason, mend }
}
