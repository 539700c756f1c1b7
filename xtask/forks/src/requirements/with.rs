//! Releases that are to be assumed together with the one that a fork goes to.

use cargo_metadata::semver::Version;
use cargo_metadata::{Metadata, Package};

use crate::{Error, Fork, Forks, Result};

/// A release that is to be assumed in place of what the graph has: `name@version`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct With {
    /// The crate.
    pub name: String,
    /// Its version.
    pub version: Version,
}

impl std::str::FromStr for With {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, version) = text.split_once('@').ok_or("it must be <crate>@<version>")?;
        let version = version.parse().map_err(|error| format!("`{version}` is no exact version: {error}"))?;
        Ok(Self { name: name.to_owned(), version })
    }
}

/// Refuses what would be passed over: nobody would notice a name that was mistyped.
pub(super) fn check(forks: &Forks, fork: &Fork, with: &[With], graphs: &[Metadata]) -> Result<()> {
    for (at, one) in with.iter().enumerate() {
        let is_twice = with[..at].iter().any(|other| other.name == one.name);
        let fault = if is_twice {
            Some((format!("`--with` names `{}` twice", one.name), "name one release of it".to_owned()))
        } else {
            fault(forks, fork, &one.name, graphs)
        };
        if let Some((reason, mend)) = fault {
            return Err(Error::Usage { fork: fork.name.clone(), reason, mend });
        }
    }
    Ok(())
}

fn fault(forks: &Forks, fork: &Fork, name: &str, graphs: &[Metadata]) -> Option<(String, String)> {
    let krate = &fork.krate;
    if name == krate {
        return Some((format!("`--with` names `{name}` itself"), "`--to` alone says where it goes".into()));
    }
    let named = |graph: &'_ Metadata| {
        let is_named = |package: &&Package| package.name.as_str() == name;
        graph.packages.iter().filter(is_named).cloned().collect::<Vec<_>>()
    };
    let is_member = |graph: &Metadata| named(graph).iter().any(|package| graph.workspace_members.contains(&package.id));
    if graphs.iter().any(is_member) {
        let mend = "leave it out; raise what it requires in its Cargo.toml after the rebase";
        return Some((format!("`{name}` is a crate of this workspace, and has no releases"), mend.into()));
    }
    if forks.pins.forks.iter().any(|other| other.krate == name) {
        return None;
    }
    let packages: Vec<Package> = graphs.iter().flat_map(named).collect();
    let mend = format!("`cargo tree --invert {krate}` lists what requires it");
    if packages.is_empty() {
        return Some((format!("`--with` names `{name}`, which is in no build"), mend));
    }
    let requires = |package: &Package| package.dependencies.iter().any(|dependency| dependency.name == *krate);
    let reason = || format!("`--with` names `{name}`, which does not require {krate}");
    (!packages.iter().any(requires)).then(|| (reason(), mend))
}
