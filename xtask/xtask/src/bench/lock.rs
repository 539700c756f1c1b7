//! Lock files of arms: which packages a build takes from one, and whether two agree outside the forks. Text in, text out.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// A `Cargo.lock`.
#[derive(Deserialize)]
pub(crate) struct Lock {
    package: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    source: Option<String>,
    checksum: Option<String>,
    #[serde(default)]
    dependencies: Vec<String>,
}

impl Lock {
    pub(crate) fn parse(text: &str) -> Result<Self> {
        toml::from_str(text).context("this is no Cargo.lock")
    }

    /// The packages that `root` can reach without going through one that `except` names (by name and version), one line each, sorted. Packages behind
    /// a feature count as reached, in every arm alike.
    pub(crate) fn reachable(&self, root: &str, except: &dyn Fn(&str, &str) -> bool) -> String {
        let mut lines = BTreeSet::new();
        let mut open: Vec<&Package> = self.package.iter().filter(|package| package.name == root).collect();
        while let Some(package) = open.pop() {
            let checksum = package.checksum.as_deref().unwrap_or("path");
            if except(&package.name, &package.version)
                || !lines.insert(format!("{} {} {checksum}\n", package.name, package.version))
            {
                continue;
            }
            open.extend(package.dependencies.iter().flat_map(|dependency| self.find(dependency)));
        }
        lines.into_iter().collect()
    }

    /// A dependency is `name`, or `name version` where there are several.
    fn find(&self, dependency: &str) -> impl Iterator<Item = &Package> {
        let mut words = dependency.split(' ');
        let (name, version) = (words.next().unwrap_or_default().to_owned(), words.next().map(str::to_owned));
        self.package.iter().filter(move |package| {
            package.name == name && version.as_ref().is_none_or(|version| *version == package.version)
        })
    }

    /// Fails where a package that both have lacks a version of upstream's, unless it is one of `forks`. What only this one
    /// has is a dependency that a patch adds.
    pub(crate) fn agrees_with(&self, upstream: &Self, forks: &[&str]) -> Result<()> {
        let (ours, theirs) = (self.versions(forks), upstream.versions(forks));
        for (name, versions) in &ours {
            let other = theirs.get(name).unwrap_or(versions);
            if !other.is_subset(versions) {
                bail!(
                    "the lock files differ outside the forks: {name} is {versions:?} here and {other:?} for upstream; \
                     `cargo update -p {name} --precise …` in the main workspace, so that all arms can have the same"
                );
            }
        }
        Ok(())
    }

    fn versions<'a>(&'a self, forks: &[&str]) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
        let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let from_outside = |package: &&Package| package.source.is_some() && !forks.contains(&package.name.as_str());
        for package in self.package.iter().filter(from_outside) {
            versions.entry(&package.name).or_default().insert(&package.version);
        }
        versions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
version = 4
[[package]]
name = "app"
version = "0.1.0"
dependencies = ["fork", "gpu", "rand 0.8.5"]
[[package]]
name = "fork"
version = "1.0.0"
dependencies = ["small"]
[[package]]
name = "gpu"
version = "2.0.0"
dependencies = ["only-gpu"]
[[package]]
name = "only-gpu"
version = "3.0.0"
source = "registry+x"
checksum = "33"
[[package]]
name = "rand"
version = "0.8.5"
source = "registry+x"
checksum = "88"
[[package]]
name = "rand"
version = "0.9.0"
source = "registry+x"
checksum = "99"
[[package]]
name = "small"
version = "1.1.0"
source = "registry+x"
checksum = "11"
"#;

    #[test]
    fn what_a_build_does_not_use_is_left_out() {
        let lock = Lock::parse(TEXT).unwrap();
        let all = lock.reachable("app", &|_, _| false);
        assert_eq!(
            all,
            "app 0.1.0 path\nfork 1.0.0 path\ngpu 2.0.0 path\nonly-gpu 3.0.0 33\nrand 0.8.5 88\nsmall 1.1.0 11\n"
        );
        assert_eq!(
            lock.reachable("app", &|name, _| name == "gpu"),
            all.replace("gpu 2.0.0 path\nonly-gpu 3.0.0 33\n", "")
        );
    }

    #[test]
    fn versions_outside_the_forks_must_agree() {
        let ours = Lock::parse(TEXT).unwrap();
        // Upstream lacks what the patch adds, and has the fork from the registry.
        let upstream = TEXT.replace("name = \"small\"", "name = \"other\"");
        ours.agrees_with(&Lock::parse(&upstream).unwrap(), &["fork", "gpu"]).unwrap();
        let newer = TEXT.replace("version = \"3.0.0\"", "version = \"3.0.1\"");
        let error = ours.agrees_with(&Lock::parse(&newer).unwrap(), &["fork", "gpu"]).unwrap_err().to_string();
        assert!(error.contains("only-gpu is {\"3.0.0\"} here and {\"3.0.1\"} for upstream"), "{error}");
    }
}
