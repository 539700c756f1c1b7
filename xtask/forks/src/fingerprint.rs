//! What a fork adds to the fingerprint of a build: its pin, and what each of its patches changes, wherever its lines
//! stand.

use std::collections::BTreeMap;

use crate::series::Series;
use crate::store::Store;
use crate::{Error, Fork, Forks, Result};

/// The pin of a fork: version and checksum.
pub fn pin(fork: &Fork) -> String {
    format!("{} {}", fork.version, fork.sha256)
}

/// The name of a patch among those of all forks: `<crate>/<id>`.
pub fn patch_name(fork: &Fork, id: &str) -> String {
    format!("{}/{id}", fork.name)
}

/// `git patch-id --stable` of the enabling patches of `fork` and of the measured ones `subset`, by [`patch_name`].
pub fn patch_ids(forks: &Forks, fork: &Fork, subset: &[String]) -> Result<BTreeMap<String, String>> {
    let series = forks.series(fork)?;
    let measured = series.subset(subset)?;
    let mut ids = of_series(forks, &series)?;
    let enabling = series.enabling().map(|patch| patch.id.clone());
    let wanted: Vec<String> = enabling.chain(measured).map(|id| patch_name(fork, &id)).collect();
    ids.retain(|name, _| wanted.contains(name));
    Ok(ids)
}

/// `git patch-id --stable` of every patch of a series that has a file, by [`patch_name`].
pub(crate) fn of_series(forks: &Forks, series: &Series) -> Result<BTreeMap<String, String>> {
    let store = Store::open(forks)?;
    let mut text = Vec::new();
    let mut names = Vec::new();
    for patch in &series.patches {
        let Some(file) = patch.file.as_ref().filter(|file| !file.diff.is_empty()) else {
            continue;
        };
        // The number stands where git expects a commit's id, and comes back beside the patch's.
        text.extend_from_slice(format!("From {:040x} Mon Sep 17 00:00:00 2001\n\n", names.len() + 1).as_bytes());
        text.extend_from_slice(&file.diff);
        names.push(patch_name(&series.fork, &patch.id));
    }
    if names.is_empty() {
        return Ok(BTreeMap::new());
    }
    let out = store.git().call(["patch-id", "--stable"]).stdin(text).text()?;
    let ids: Vec<&str> = out.lines().filter_map(|line| line.split(' ').next()).collect();
    if ids.len() != names.len() {
        let reason = format!("{} patches gave {} ids", names.len(), ids.len());
        return Err(Error::Git { args: "patch-id --stable".into(), reason });
    }
    Ok(names.into_iter().zip(ids.into_iter().map(str::to_owned)).collect())
}
