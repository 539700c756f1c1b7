//! A fork's folder as an ordinary git tree to work in: lays it out if need be and checks a branch out.

use crate::apply::{ensure, switch};
use crate::new::remind;
use crate::rebase::refuse_unfinished;
use crate::workdir::{Head, Place, Workdir};
use crate::{Error, Fork, Forks, Result, lock};

/// Checks out the home branch of the patch `id` in the folder of `fork` (`main` for an enabling patch or for none), and
/// gives the branch's name. A patch that is begun finds its commit's message ready. Commits stay; uncommitted work on
/// another branch is an error. Finishes what an interrupted call began.
pub fn edit(forks: &Forks, fork: &Fork, id: Option<&str>) -> Result<String> {
    let _lock = lock::take(&forks.work_dir())?;
    refuse_unfinished(forks, fork)?;
    let series = forks.series(fork)?;
    let branch = match id {
        Some(id) if series.patch(id)?.is_measured() => format!("patch/{id}"),
        _ => "main".to_owned(),
    };
    let workdir = Workdir::new(forks, fork);
    if workdir.state().is_none_or(|state| state.key != series.key()) {
        ensure(forks, fork)?;
    }
    let Place::Ours(found) = workdir.inspect()? else {
        return Ok(branch);
    };
    let head = Head::Branch(branch.clone());
    if found.journal.is_some() || found.head != head {
        if !found.uncommitted.is_empty() {
            let folder = workdir.shown;
            return Err(Error::Work { fork: fork.name.clone(), folder, what: found.uncommitted });
        }
        switch(&workdir, &found, &head)?;
    }
    match id.map(|id| series.patch(id)).transpose()? {
        Some(patch) if patch.file.is_none() => remind(&workdir, patch)?,
        _ => {}
    }
    Ok(branch)
}
