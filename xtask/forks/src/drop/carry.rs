//! What a series' other patches are without one of them. Writes nothing.

use std::collections::BTreeMap;

use super::{refused, with_rendered};
use crate::header::PatchFile;
use crate::layout::Layout;
use crate::series::{Patch, Series};
use crate::store::{Change, Commit, Store};
use crate::{Forks, Result};

/// The files of `rest`, which is `series` without the patch `id`, by id. Each stays as it is where it still applies
/// exactly; else it is placed by three-way merge from where it was. One that cannot be placed is an error.
pub(super) fn without(forks: &Forks, series: &Series, rest: &Series, id: &str) -> Result<BTreeMap<String, Vec<u8>>> {
    let store = Store::open(forks)?;
    let mut old = Layout::open(forks, &store, series)?;
    // Enabling patches join one by one, each to what lies below it.
    let measured = rest.measured().filter_map(|patch| Some((patch.id.clone(), patch.bytes.clone()?)));
    let mut files: BTreeMap<String, Vec<u8>> = measured.collect();
    for patch in &rest.patches {
        let (Some(file), Some(bytes)) = (&patch.file, &patch.bytes) else {
            continue;
        };
        let partial = with_rendered(rest, &files)?;
        let mut layout = Layout::on(&store, &partial, old.pristine.clone());
        let below = if patch.is_measured() { layout.subset(&rest.requires(&patch.id)?)? } else { layout.enabling()? };
        files.insert(patch.id.clone(), bytes.clone());
        let description = file.description.without_id("Excludes", id);
        let said = PatchFile { description, diff: file.diff.clone() };
        let commit = match store.apply_exactly(&below, &said)? {
            Ok(_) if said == *file => continue,
            Ok(commit) => commit,
            Err(_) => merge(&store, &mut old, patch, said, &below, id)?,
        };
        files.insert(patch.id.clone(), store.render(&commit)?);
    }
    // The branches, as they will be laid out.
    Layout::on(&store, &with_rendered(rest, &files)?, old.pristine.clone()).branches()?;
    Ok(files)
}

/// Places `patch` on `below`, from where it lies in the old layout.
fn merge(store: &Store, old: &mut Layout, patch: &Patch, said: PatchFile, below: &Commit, id: &str) -> Result<Commit> {
    let fork = &old.series.fork.clone();
    let place = old.at_home()?.into_iter().find(|(other, ..)| *other == patch.id);
    let (_, parent, commit) = place.expect("a patch with a file has a place");
    let change = Change { parent, commit, description: said.description };
    let mend = format!(
        "`cargo xtask edit {} --patch {}`, make it do without `{id}` there, `cargo xtask export {0}`, then drop again; \
         or drop that patch first",
        fork.name, patch.id
    );
    match store.place(&change, below)? {
        Err(conflict) => {
            let reason = format!(
                "patch `{}` does not lay out without it: it builds on it in {}",
                patch.id,
                conflict.files.join(", ")
            );
            Err(refused(fork, id, reason, mend))
        }
        Ok(commit) if commit.tree == below.tree => {
            let reason = format!("patch `{}` changes nothing without it", patch.id);
            Err(refused(fork, id, reason, format!("drop `{}` first", patch.id)))
        }
        Ok(commit) => Ok(commit),
    }
}
