//! A fork's folder as an ordinary git tree to work in: lays it out if need be and checks a branch out.

use crate::workdir::{Head, Place, Workdir};
use crate::{Error, Fork, Forks, Result, ensure};

/// Checks out the home branch of the patch `id` in the folder of `fork` (`main` for an enabling patch or for none), and
/// gives the branch's name. Work that is there stays: git refuses to switch where it would be lost.
pub fn edit(forks: &Forks, fork: &Fork, id: Option<&str>) -> Result<String> {
    ensure(forks, fork)?;
    let branch = match id {
        Some(id) if forks.series(fork)?.patch(id)?.is_measured() => format!("patch/{id}"),
        _ => "main".to_owned(),
    };
    let workdir = Workdir::new(forks, fork);
    if let Place::Ours(found) = workdir.inspect()?
        && found.head != Head::Branch(branch.clone())
    {
        if !found.uncommitted.is_empty() {
            return Err(Error::Work { fork: fork.name.clone(), folder: workdir.shown, what: found.uncommitted });
        }
        workdir.git.call(["checkout", "--quiet", &branch, "--"]).run()?;
    }
    Ok(branch)
}
