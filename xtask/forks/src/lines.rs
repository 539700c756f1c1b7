//! The branches of a fork's folder as lines of patches, and which commit speaks for each patch. Knows no files.

mod trailers;

use std::collections::BTreeMap;

use crate::export::stuck;
use crate::header::Description;
use crate::series::Series;
use crate::store::{Change, Commit, Store};
use crate::{Fork, Result};

/// A commit on a branch, with the patch that it is.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) id: String,
    pub(crate) change: Change,
}

/// The patches of each branch, the lowest first.
pub(crate) type Branches = BTreeMap<String, Vec<Step>>;

/// The commit that speaks for a patch.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) branch: String,
    pub(crate) change: Change,
    /// Changed on its home branch.
    pub(crate) from_home: bool,
    /// Another branch on which it was changed too: there it must say the same.
    pub(crate) other: Option<(String, Change)>,
}

/// The speaking commit of each patch.
pub(crate) type Sources = BTreeMap<String, Source>;

/// How to carry commits over to a fork that must be laid out anew.
pub(crate) fn start_over(fork: &Fork) -> String {
    let folder = fork.folder.display();
    format!(
        "keep the commits: `git -C {folder} branch keep`, then `cargo xtask apply --discard {name}` (which leaves that \
         branch), cherry-pick from it, `cargo xtask export {name}`; or discard them with the second command alone",
        name = fork.name
    )
}

/// Reads `branches` from the store, each from the release up.
pub(crate) fn read(
    store: &Store,
    series: &Series,
    pristine: &str,
    branches: &BTreeMap<String, String>,
) -> Result<Branches> {
    branches.iter().map(|(name, tip)| Ok((name.clone(), line(store, series, pristine, name, tip)?))).collect()
}

fn line(store: &Store, series: &Series, pristine: &str, branch: &str, tip: &str) -> Result<Vec<Step>> {
    let fork = &series.fork;
    let log = ["log", "-z", "--reverse", "--topo-order", "--format=%H%n%T%n%P%n%an%n%ae%n%aD%n%B"];
    let range = format!("{pristine}..{tip}");
    let out = store.git().call(log.into_iter().chain([range.as_str()])).bytes()?;
    let out = String::from_utf8_lossy(&out);
    let mut below = store.commit(pristine)?;
    let mut changes: Vec<Change> = Vec::new();
    for record in out.split('\0').filter(|record| !record.is_empty()) {
        let mut fields = record.splitn(7, '\n');
        let mut next = || fields.next().unwrap_or_default();
        let (id, tree, parent) = (next(), next(), next());
        let description = Description::new(next(), next(), next(), next());
        if parent != below.id {
            let reason = format!("branch {branch} is no straight line from the release: see commit {}", &id[..12]);
            let mend = format!("make it one with `git rebase {}`", &pristine[..12]);
            return Err(stuck(fork, reason, mend));
        }
        let commit = Commit { id: id.to_owned(), tree: tree.to_owned() };
        changes.push(Change { parent: below, commit: commit.clone(), description });
        below = commit;
    }
    let named: Vec<String> = changes.iter().filter_map(|change| change.description.trailer("Patch-Id")).collect();
    let mut steps: Vec<Step> = Vec::new();
    for change in changes {
        let patch = patch_id(series, branch, &change, &named)?;
        if steps.iter().any(|step| step.id == patch) {
            let reason = format!("branch {branch} has two commits of patch `{patch}`");
            return Err(stuck(fork, reason, "squash them: `git rebase -i`, a patch is one commit".into()));
        }
        steps.push(Step { id: patch, change });
    }
    Ok(steps)
}

fn patch_id(series: &Series, branch: &str, change: &Change, named: &[String]) -> Result<String> {
    let fork = &series.fork;
    let said = &change.description;
    let commit = format!("commit {} (\"{}\") on branch {branch}", &change.commit.id[..12], said.subject);
    if let Some(line) = said.ambiguous_line() {
        let reason = format!("{commit} has a line `{line}` in its message, which mail takes for the start of the diff");
        return Err(stuck(fork, reason, "reword it: `git commit --amend` or `git rebase -i`".into()));
    }
    let Some(id) = said.trailer("Patch-Id") else {
        let mend = trailers::mend(series, branch, named);
        return Err(stuck(fork, format!("{commit} has no Patch-Id trailer"), mend));
    };
    if !fork.ids().any(|known| known == id) {
        let mend = format!("add it to `enabling` or `measured` of {} in patches/forks.toml", fork.name);
        return Err(stuck(fork, format!("{commit} is of patch `{id}`, which is not in the series"), mend));
    }
    Ok(id)
}

/// Which commit speaks for each patch, from the branches as they were laid out and as they are now.
pub(crate) fn decide(store: &Store, series: &Series, laid: &Branches, now: &Branches) -> Result<Sources> {
    let mut sources = Sources::new();
    for patch in &series.patches {
        let id = &patch.id;
        let home = if patch.is_measured() { format!("patch/{id}") } else { "main".to_owned() };
        let mut changed = Vec::new();
        let mut unchanged = Vec::new();
        for (branch, line) in now {
            let Some(step) = line.iter().find(|step| step.id == *id) else {
                continue;
            };
            let before = laid.get(branch).and_then(|line| line.iter().find(|step| step.id == *id));
            let is_same = before.is_some_and(|before| before.change.commit.id == step.change.commit.id)
                || before.map(|before| content(store, &before.change)).transpose()?
                    == Some(content(store, &step.change)?);
            let list = if is_same { &mut unchanged } else { &mut changed };
            list.push((branch.clone(), step.change.clone()));
        }
        refuse_lost(series, patch.on_main(), id, laid, now)?;
        if let Some(source) = choose(store, series, id, &home, changed, unchanged)? {
            sources.insert(id.clone(), source);
        }
    }
    Ok(sources)
}

/// Home speaks, unless the patch was changed on `main` alone; anywhere else a patch may only follow.
fn choose(
    store: &Store,
    series: &Series,
    id: &str,
    home: &str,
    mut changed: Vec<(String, Change)>,
    mut unchanged: Vec<(String, Change)>,
) -> Result<Option<Source>> {
    let take = |list: &mut Vec<(String, Change)>, branch: &str| {
        list.iter().position(|(name, _)| name == branch).map(|at| list.remove(at))
    };
    let (at_home, on_main) = (take(&mut changed, home), take(&mut changed, "main"));
    let from_home = at_home.is_some() && home != "main";
    let (speaker, other) = match (at_home, on_main) {
        (Some(home), main) => (Some(home), main),
        (None, Some(main)) => (Some(main), None),
        (None, None) => (take(&mut unchanged, home).or_else(|| take(&mut unchanged, "main")), None),
    };
    for (branch, change) in changed {
        let follows = match &speaker {
            Some((_, speaker)) => content(store, speaker)? == content(store, &change)?,
            None => false,
        };
        if !follows {
            let reason = format!("patch `{id}` was changed on branch {branch}, where it does not live");
            let mend = format!("change it on branch {home}, then `git rebase` {branch} onto that");
            return Err(stuck(&series.fork, reason, mend));
        }
    }
    Ok(speaker.map(|(branch, change)| Source { branch, change, from_home, other }))
}

/// A patch that was on `main` and should be, but is there no more.
fn refuse_lost(series: &Series, belongs: bool, id: &str, laid: &Branches, now: &Branches) -> Result<()> {
    let has = |branches: &Branches| branches.get("main").is_some_and(|line| line.iter().any(|step| step.id == id));
    if belongs && has(laid) && !has(now) {
        let reason = format!("branch main has lost patch `{id}`");
        let mend = format!(
            "to restore it, `git cherry-pick` it from forks/main; to retire it, `cargo xtask apply --discard {0}`, \
             then `cargo xtask drop {0} {id} --shipped` (a measured patch may also be set to `ships = false`)",
            series.fork.name
        );
        return Err(stuck(&series.fork, reason, mend));
    }
    Ok(())
}

/// What a change does and says, wherever it stands: its patch file without blob ids and line numbers.
fn content(store: &Store, change: &Change) -> Result<Vec<u8>> {
    let bytes = store.render(&change.commit)?;
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.starts_with(b"index "));
    let plain = lines.map(|line| {
        let is_position = line.starts_with(b"@@ -");
        let after = line.windows(3).skip(1).position(|window| window == b" @@").map(|at| at + 4);
        if is_position { after.map_or(line, |at| &line[at..]) } else { line }
    });
    Ok(plain.collect::<Vec<_>>().join(&b'\n'))
}
