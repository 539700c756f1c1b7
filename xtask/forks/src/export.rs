//! Commits in a fork's folder, back to patch files. What is written depends on the commits alone; nothing is written
//! unless all of it can be laid out again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::apply::{lay, target};
use crate::header::{Description, PatchFile};
use crate::layout::Layout;
use crate::lines::{self, Branches, Sources};
use crate::rebase::refuse_unfinished;
use crate::series::{Patch, Series};
use crate::store::{Commit, Store};
use crate::workdir::{Found, Head, Place, State, Workdir, is_ours};
use crate::{Error, Fork, Forks, Result, rewrite};

/// A patch file that the commits would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The patch.
    pub patch: String,
    /// Its file.
    pub path: PathBuf,
    /// How.
    pub kind: ChangeKind,
}

/// How a patch file would change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// There is no file yet.
    New,
    /// The commit says something else.
    Changed,
    /// The same change in another form than `export` writes.
    Form,
}

/// What [`export`] would write; writes nothing.
pub fn check(forks: &Forks, fork: &Fork) -> Result<Vec<Change>> {
    let series = forks.series(fork)?;
    let store = Store::open(forks)?;
    let (workdir, found) = laid_out(forks, fork)?;
    let plan = plan(forks, &store, &series, &workdir, &found)?;
    if plan.changes.is_empty() && found.state.key != series.key() {
        let reason = format!("the patch files changed since {} was laid out", workdir.shown);
        return Err(stuck(fork, reason, format!("`cargo xtask apply {}`", fork.name)));
    }
    Ok(plan.changes.into_iter().map(|(change, _)| change).collect())
}

/// Writes the patch files that differ from the commits, then sets the folder's branches to what the files give; the
/// branch that is checked out stays so. Commits that are in no patch, or in two, are an error, and nothing is written.
pub fn export(forks: &Forks, fork: &Fork) -> Result<Vec<Change>> {
    let series = forks.series(fork)?;
    let store = Store::open(forks)?;
    let (workdir, found) = laid_out(forks, fork)?;
    let plan = plan(forks, &store, &series, &workdir, &found)?;
    let relative = |path: &Path| path.strip_prefix(&forks.root).unwrap_or(path).to_owned();
    let files = plan.changes.iter().map(|(change, bytes)| (relative(&change.path), Some(bytes.clone())));
    rewrite::all(&forks.root, files.collect())?;
    let series = forks.series(fork)?;
    let moved = found.state.branches.iter().any(|(name, id)| found.branches.get(name) != Some(id));
    if moved || found.state.key != series.key() {
        let checkout = match &found.head {
            Head::Branch(name) if is_ours(name) => Some(name.as_str()),
            _ => None,
        };
        lay(&workdir, Some(&found), &target(forks, &series)?, checkout)?;
    }
    Ok(plan.changes.into_iter().map(|(change, _)| change).collect())
}

fn laid_out(forks: &Forks, fork: &Fork) -> Result<(Workdir, Found)> {
    refuse_unfinished(forks, fork)?;
    let workdir = Workdir::new(forks, fork);
    let place = workdir.inspect()?;
    if let Place::Ours(found) = &place {
        refuse_elsewhere(fork, &workdir, found)?;
    }
    match place {
        Place::Ours(found) if found.journal.is_some() => {
            let reason = format!("laying out {} was interrupted", workdir.shown);
            let mend = "`cargo xtask apply {0}`, or, with commits to keep, `cargo xtask edit {0}`";
            Err(stuck(fork, reason, mend.replace("{0}", &fork.name)))
        }
        Place::Ours(found) if !found.uncommitted.is_empty() => {
            Err(Error::Work { fork: fork.name.clone(), folder: workdir.shown, what: found.uncommitted })
        }
        Place::Ours(found) => Ok((workdir, *found)),
        Place::Empty | Place::Foreign => {
            let reason = format!("{} is not laid out", workdir.shown);
            Err(stuck(fork, reason, format!("`cargo xtask apply {}`", fork.name)))
        }
    }
}

/// Commits that are checked out but on none of the branches that patches live on would be passed over in silence.
fn refuse_elsewhere(fork: &Fork, workdir: &Workdir, found: &Found) -> Result<()> {
    let (commit, place) = match &found.head {
        Head::Branch(name) if is_ours(name) => return Ok(()),
        Head::Branch(name) => (found.branches.get(name).cloned(), format!("branch {name}")),
        Head::Detached(id) => (Some(id.clone()), "a detached HEAD".to_owned()),
    };
    let Some(commit) = commit else {
        return Ok(());
    };
    let ours = found.branches.iter().filter(|(name, _)| is_ours(name)).map(|(_, id)| id.as_str());
    let laid = found.state.branches.values().map(String::as_str);
    let args = ["rev-list", "--max-count=1", &commit, "--not"].into_iter().chain(ours).chain(laid);
    let lacking = workdir.git.call(args).text()?;
    if lacking.is_empty() {
        return Ok(());
    }
    let reason = format!("{place} has commits that neither main nor a branch patch/… has: see {}", &lacking[..12]);
    let mend = format!(
        "in {}: `git branch keep`, `git switch main` (or the patch's branch), `git cherry-pick` them, export again",
        workdir.shown
    );
    Err(stuck(fork, reason, mend))
}

pub(crate) fn stuck(fork: &Fork, reason: String, mend: String) -> Error {
    Error::Export { fork: fork.name.clone(), reason, mend }
}

struct Plan {
    changes: Vec<(Change, Vec<u8>)>,
}

fn plan(forks: &Forks, store: &Store, series: &Series, workdir: &Workdir, found: &Found) -> Result<Plan> {
    let ours = |branches: &BTreeMap<String, String>| -> BTreeMap<String, String> {
        branches.iter().filter(|(name, _)| is_ours(name)).map(|(a, b)| (a.clone(), b.clone())).collect()
    };
    let (laid, now) = (ours(&found.state.branches), ours(&found.branches));
    let rendered = if laid == now {
        let mut layout = Layout::open(forks, store, series)?;
        let places = layout.at_home()?;
        places.into_iter().map(|(id, _, commit)| Ok((id, store.render(&commit)?))).collect::<Result<_>>()?
    } else {
        let tips: Vec<String> = laid.values().chain(now.values()).cloned().collect();
        store.receive(&tips, &workdir.git)?;
        let read = |branches| lines::read(store, series, &found.state.pristine, branches);
        let (laid, now) = (read(&laid)?, read(&now)?);
        let sources = lines::decide(store, series, &laid, &now)?;
        let rendered = render_all(forks, store, series, &found.state, &sources)?;
        refuse_overlap(series, &found.state, &rendered)?;
        check_main(forks, store, series, &rendered, &now, &sources)?;
        rendered
    };
    Ok(Plan { changes: changes(series, rendered) })
}

fn changes(series: &Series, rendered: BTreeMap<String, Vec<u8>>) -> Vec<(Change, Vec<u8>)> {
    let mut changes = Vec::new();
    for patch in &series.patches {
        let Some(bytes) = rendered.get(&patch.id).filter(|bytes| Some(*bytes) != patch.bytes.as_ref()) else {
            continue;
        };
        let kind = match &patch.file {
            None => ChangeKind::New,
            Some(file) => {
                let same = PatchFile::parse(&patch.path, bytes).is_ok_and(|new| {
                    new.description == file.description && sorted(new.blobs()) == sorted(file.blobs())
                });
                if same { ChangeKind::Form } else { ChangeKind::Changed }
            }
        };
        changes.push((Change { patch: patch.id.clone(), path: patch.path.clone(), kind }, bytes.clone()));
    }
    changes
}

fn sorted(mut blobs: Vec<(String, String)>) -> Vec<(String, String)> {
    blobs.sort();
    blobs
}

/// The patch files of all sources, each on its home: enabling patches in order, then each measured one on these and on
/// what it requires.
fn render_all(
    forks: &Forks,
    store: &Store,
    series: &Series,
    state: &State,
    sources: &Sources,
) -> Result<BTreeMap<String, Vec<u8>>> {
    let fork = &series.fork;
    let pristine = store.commit(&state.pristine)?;
    if Layout::open(forks, store, series)?.pristine != pristine {
        let reason =
            "the pin changed since the folder was laid out, and the folder has commits that are in no patch file";
        return Err(stuck(fork, reason.into(), lines::start_over(fork)));
    }
    let mut rendered = BTreeMap::new();
    for patch in &series.patches {
        let Some(source) = sources.get(&patch.id) else {
            continue;
        };
        let below = below(store, series, &rendered, &pristine, (patch, &source.change.description))?;
        let commit = place(store, fork, &patch.id, source, &below)?;
        rendered.insert(patch.id.clone(), store.render(&commit)?);
    }
    Ok(rendered)
}

/// What the patch, which says this of itself, stands on at home, when the patches before it have the files `rendered`.
pub(crate) fn below(
    store: &Store,
    series: &Series,
    rendered: &BTreeMap<String, Vec<u8>>,
    pristine: &Commit,
    (patch, said): (&Patch, &Description),
) -> Result<Commit> {
    let mut partial = with_rendered(series, rendered)?;
    if !patch.is_measured() {
        return Layout::on(store, &partial, pristine.clone()).enabling();
    }
    declare(&mut partial, &patch.id, said.clone());
    let required = partial.requires(&patch.id)?;
    Layout::on(store, &partial, pristine.clone()).subset(&required)
}

fn declare(series: &mut Series, id: &str, description: Description) {
    for patch in series.patches.iter_mut().filter(|patch| patch.id == id) {
        patch.file = Some(PatchFile { description: description.clone(), diff: Vec::new() });
    }
}

pub(crate) fn with_rendered(series: &Series, rendered: &BTreeMap<String, Vec<u8>>) -> Result<Series> {
    let dir = series.patches.first().and_then(|patch| patch.path.parent()).unwrap_or_else(|| "".as_ref());
    Series::with_files(&series.fork, dir, |path| {
        Ok(path.file_stem().and_then(|id| rendered.get(&*id.to_string_lossy())).cloned())
    })
}

fn place(store: &Store, fork: &Fork, id: &str, source: &lines::Source, below: &Commit) -> Result<Commit> {
    let put = |change| -> Result<Commit> {
        store.place(change, below)?.map_err(|conflict| {
            let reason = format!(
                "patch `{id}`, as on branch {}, conflicts with what lies below it at home in {}",
                source.branch,
                conflict.files.join(", ")
            );
            let mend = format!(
                "`git switch patch/{id}` in {}, make it fit there, commit, export again",
                fork.folder.display()
            );
            stuck(fork, reason, mend)
        })
    };
    let commit = put(&source.change)?;
    if let Err(Error::Release { path, reason }) = store.tree(&commit.tree) {
        let reason = format!("patch `{id}`, as on branch {}: {}: {reason}", source.branch, path.display());
        return Err(stuck(fork, reason, "amend or rebase the commit, export again".into()));
    }
    if commit.tree == below.tree {
        let reason = format!("patch `{id}`, as on branch {}, changes nothing", source.branch);
        let mend = "drop its commit, its file and its entry in patches/forks.toml, or make it change something";
        return Err(stuck(fork, reason, mend.into()));
    }
    if let Some((branch, other)) = &source.other
        && put(other)?.tree != commit.tree
    {
        let reason = format!("patch `{id}` was changed on branch {} and differently on branch {branch}", source.branch);
        let mend = format!(
            "make the two the same, or take one back: `git cherry-pick`, or `git branch -f {branch} forks/{branch}`"
        );
        return Err(stuck(fork, reason, mend));
    }
    Ok(commit)
}

/// Both the folder and the files changed: neither may silently win.
fn refuse_overlap(series: &Series, state: &State, rendered: &BTreeMap<String, Vec<u8>>) -> Result<()> {
    let now = series.checksums();
    let changed: Vec<&str> = series
        .patches
        .iter()
        .filter(|patch| {
            now.get(&patch.id) != state.files.get(&patch.id) && patch.bytes.as_ref() != rendered.get(&patch.id)
        })
        .filter(|patch| patch.bytes.is_some())
        .map(|patch| patch.id.as_str())
        .collect();
    if changed.is_empty() {
        return Ok(());
    }
    let reason = format!(
        "patch files changed since {} was laid out ({}), and its commits changed too",
        series.fork.folder.display(),
        changed.join(", ")
    );
    Err(stuck(&series.fork, reason, lines::start_over(&series.fork)))
}

/// Where only `main` was edited, the files must give `main` back.
fn check_main(
    forks: &Forks,
    store: &Store,
    series: &Series,
    rendered: &BTreeMap<String, Vec<u8>>,
    now: &Branches,
    sources: &Sources,
) -> Result<()> {
    let series = with_rendered(series, rendered)?;
    let mut layout = Layout::open(forks, store, &series)?;
    let main = layout.main()?;
    let Some(line) = now.get("main") else {
        return Ok(());
    };
    let on_main: Vec<&String> = line.iter().map(|change| &change.id).collect();
    let complete = series.patches.iter().filter(|patch| patch.on_main() && patch.file.is_some());
    let is_plain = complete.map(|patch| &patch.id).eq(on_main) && sources.values().all(|source| !source.from_home);
    let tip = line.last().map(|change| &change.change.commit);
    if let Some(tip) = tip.filter(|tip| is_plain && tip.tree != main.tree) {
        let files = store.changed_blobs(&tip.tree, &main.tree)?;
        let files: Vec<String> = files.into_iter().map(|(path, ..)| path).collect();
        let reason =
            format!("the patches, each at home, would not give branch main back: {} differs", files.join(", "));
        let mend =
            "a patch uses another's change: add a `Requires:` trailer, or move the change to the patch that needs it";
        return Err(stuck(&series.fork, reason, mend.into()));
    }
    Ok(())
}

/// Patch files in the folder of `fork` that its series does not name.
pub(crate) fn orphans(forks: &Forks, fork: &Fork) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(forks.patch_dir(fork)) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let is_patch = path.extension().is_some_and(|extension| extension == "patch");
        !(is_patch && stem.is_some_and(|stem| fork.ids().any(|id| id == stem)))
    });
    files.sort();
    files
}
