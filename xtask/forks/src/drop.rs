//! Retiring a patch. All that can fail is found out before anything changes; then its file, its entry and what it
//! carried change as one, and the fork is laid out without it.

mod carry;

use std::fs;
use std::path::PathBuf;

use crate::apply::{apply, refuse_work};
use crate::export::with_rendered;
use crate::rebase::refuse_unfinished;
use crate::rewrite::{self, Files};
use crate::series::Series;
use crate::{Error, Fork, Forks, Outcome, Pins, Result, lock, pins};

/// What dropping a patch did.
#[derive(Debug, Clone)]
pub struct Dropped {
    /// The files removed and written, from the root of the repository.
    pub files: Vec<(PathBuf, Written)>,
    /// What was done to the fork's folder.
    pub outcome: Outcome,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// It is gone.
    Removed,
    /// It was written anew.
    Changed,
}

/// Drops the patch `id` of the fork `name`: its file and its entry in the pins. Patches that lay on it are written anew
/// without it, where a three-way merge can do that. Refuses to drop one that others require, one that is on
/// the main line unless `shipped`, and where the fork's folder holds work.
pub fn retire(forks: &Forks, name: &str, id: &str, shipped: bool) -> Result<Dropped> {
    let _lock = lock::take(&forks.work_dir())?;
    let forks = Forks::open(&forks.root)?;
    let fork = forks.fork(name)?;
    refuse_unfinished(&forks, fork)?;
    let files = plan(&forks, fork, id, shipped)?;
    let told = |(path, after): (&PathBuf, &Option<Vec<u8>>)| {
        (path.clone(), if after.is_some() { Written::Changed } else { Written::Removed })
    };
    let told = files.iter().map(told).collect();
    rewrite::all(&forks.root, files)?;
    let forks = Forks::open(&forks.root)?;
    Ok(Dropped { files: told, outcome: apply(&forks, forks.fork(name)?, false)? })
}

/// The files as they are without the patch; those that stay as they are are left out.
fn plan(forks: &Forks, fork: &Fork, id: &str, shipped: bool) -> Result<Files> {
    let series = forks.series(fork)?;
    refuse_wanted(&series, id, shipped)?;
    refuse_work(forks, fork)?;
    let path = forks.root.join(pins::PATH);
    let wrong = |reason: String| Error::Pins { path: path.clone(), reason };
    let text = fs::read_to_string(&path).map_err(Error::io("read", &path))?;
    let new = pins::edit::remove(&text, &fork.name, id).map_err(wrong)?;
    let after = Forks { root: forks.root.clone(), pins: Pins::parse(&new).map_err(wrong)? };
    let rest = after.series(after.fork(&fork.name)?)?;
    let carried = carry::without(forks, &series, &rest, id)?;
    let file = |id: &str| PathBuf::from(format!("patches/{}/{id}.patch", fork.name));
    let changed = rest.patches.iter().filter_map(|patch| {
        let bytes = carried.get(&patch.id).filter(|new| Some(*new) != patch.bytes.as_ref())?;
        Some((file(&patch.id), Some(bytes.clone())))
    });
    let mut files: Files = changed.collect();
    files.insert(pins::PATH.into(), Some(new.into_bytes()));
    if series.patch(id)?.bytes.is_some() {
        files.insert(file(id), None);
    }
    Ok(files)
}

fn refused(fork: &Fork, id: &str, reason: String, mend: String) -> Error {
    Error::NotDropped { fork: fork.name.clone(), patch: id.to_owned(), reason, mend }
}

/// What others require stays; what ships goes only on purpose.
fn refuse_wanted(series: &Series, id: &str, shipped: bool) -> Result<()> {
    let (fork, patch) = (&series.fork, series.patch(id)?);
    let requiring: Vec<String> = series.requiring(id).map(|other| format!("`{}`", other.id)).collect();
    if !requiring.is_empty() {
        let reason = format!("it is required by {}", requiring.join(", "));
        let mend = "drop that first, or take its `Requires:` trailer out: `cargo xtask edit {0} --patch …`, reword, \
                    `cargo xtask export {0}`";
        return Err(refused(fork, id, reason, mend.replace("{0}", &fork.name)));
    }
    if patch.on_main() && patch.file.is_some() && !shipped {
        let what = if patch.is_measured() { "it ships" } else { "it is an enabling patch, so it ships" };
        let mend = format!("if that is meant: `cargo xtask drop {} {id} --shipped`", fork.name);
        return Err(refused(fork, id, what.into(), mend));
    }
    Ok(())
}
