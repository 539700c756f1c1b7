//! Whether a shipped feature set really uses each fork: exactly once, from its folder, and no copy from a registry.
//! Cargo may say nothing when it does not. Judges what `cargo metadata` and Cargo.lock say; runs cargo in one place.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use cargo_metadata::semver::VersionReq;
use cargo_metadata::{DependencyKind, Metadata, Package, PackageId};

use crate::cargo::{self, Request};
use crate::pins::Build;
use crate::{Fork, Forks, Result};

/// What is wrong with a fork in a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Its name.
    pub fork: String,
    /// What is wrong.
    pub message: String,
    /// Each dependant's requirement, a line each with its line end before it.
    pub requirements: String,
    /// What mends it, where the fault itself says.
    pub fix: Option<String>,
}

impl Fork {
    /// The line in `[patch.crates-io]` that has cargo use the fork.
    pub fn patch_line(&self) -> String {
        let Self { name, krate, folder, .. } = self;
        let package = if name == krate { String::new() } else { format!("package = {krate:?}, ") };
        format!("{name} = {{ {package}path = {folder:?} }}")
    }
}

/// The resolved graph of a build.
pub fn resolve(forks: &Forks, build: &Build) -> Result<Metadata> {
    let mut args = vec!["--locked".to_owned()];
    if !build.default_features {
        args.push("--no-default-features".into());
    }
    if !build.features.is_empty() {
        args.extend(["--features".to_owned(), build.features.join(",")]);
    }
    cargo::metadata(&Request {
        manifest: forks.root.join("Cargo.toml"),
        cwd: &forks.root,
        args,
        action: format!("resolve the build `{}`", build.name),
    })
}

/// The graphs of all builds, resolved side by side.
pub fn resolve_all(forks: &Forks) -> Vec<(&Build, Result<Metadata>)> {
    std::thread::scope(|scope| {
        let running: Vec<_> =
            forks.pins.builds.iter().map(|build| (build, scope.spawn(move || resolve(forks, build)))).collect();
        let done = running.into_iter();
        done.map(|(build, thread)| (build, thread.join().expect("resolving does not panic"))).collect()
    })
}

/// Whether the package that `build` ships reaches the laid-out fork.
pub fn uses(metadata: &Metadata, build: &Build, fork: &Fork, folder: &Path) -> bool {
    let reached = reachable(metadata, &build.package);
    metadata.packages.iter().any(|package| is_from(package, fork, folder) && reached.contains(&package.id))
}

/// Everything that is wrong with `fork` in the graph of `build`.
pub fn faults(forks: &Forks, metadata: &Metadata, build: &Build, fork: &Fork) -> Vec<Fault> {
    let folder = &forks.folder(fork);
    let is_its = |package: &&Package| forks.answers_for(fork, &package.name, &package.version.to_string());
    let named: Vec<&Package> = metadata.packages.iter().filter(is_its).collect();
    let mut lines = Vec::new();
    for package in named.iter().filter(|package| !is_from(package, fork, folder)) {
        let source = package.source.as_ref().map_or_else(|| package.manifest_path.to_string(), ToString::to_string);
        lines.push(format!(
            "a copy is in the graph that is not the fork: {} {} from {source}",
            package.name, package.version
        ));
    }
    let ours: Vec<&&Package> = named.iter().filter(|package| is_from(package, fork, folder)).collect();
    let expected = build.forks.contains(&fork.name);
    match ours.first() {
        None if expected => lines.push(format!("the fork in {} is not in the graph", fork.folder.display())),
        None => {}
        Some(_) if !expected && uses(metadata, build, fork, folder) => return vec![unnamed(build, fork)],
        Some(package) => lines.extend(faults_of(metadata, build, fork, package, expected)),
    }
    let requirements = if lines.is_empty() { String::new() } else { requirements(forks, metadata, fork) };
    lines
        .into_iter()
        .map(|message| Fault { fork: fork.name.clone(), message, requirements: requirements.clone(), fix: None })
        .collect()
}

/// The fingerprint of the build would leave the fork's patches out.
fn unnamed(build: &Build, fork: &Fork) -> Fault {
    let fix = format!("add `{}` to `forks` of the build `{}` in {}", fork.name, build.name, crate::pins::PATH);
    let message = "it uses the fork, but does not name it".to_owned();
    Fault { fork: fork.name.clone(), message, requirements: String::new(), fix: Some(fix) }
}

fn faults_of(metadata: &Metadata, build: &Build, fork: &Fork, package: &Package, expected: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if package.version.to_string() != fork.version {
        lines.push(format!("the fork has version {}, its pin says {}", package.version, fork.version));
    }
    if metadata.workspace_members.contains(&package.id) {
        lines.push("the fork is a member of the workspace, so cargo would not say if nothing used it".to_owned());
    }
    if expected && !reachable(metadata, &build.package).contains(&package.id) {
        lines.push(format!("no normal dependency leads from {} to the fork", build.package));
    }
    lines
}

fn is_from(package: &Package, fork: &Fork, folder: &Path) -> bool {
    let parent = package.manifest_path.parent().map(|parent| parent.as_std_path());
    let same = parent.is_some_and(|parent| {
        parent == folder || matches!((fs::canonicalize(parent), fs::canonicalize(folder)), (Ok(a), Ok(b)) if a == b)
    });
    package.name.as_str() == fork.krate && package.source.is_none() && same
}

/// What the package `root` reaches by normal dependencies.
fn reachable<'a>(metadata: &'a Metadata, root: &str) -> BTreeSet<&'a PackageId> {
    let nodes: BTreeMap<&PackageId, _> =
        metadata.resolve.iter().flat_map(|resolve| &resolve.nodes).map(|node| (&node.id, node)).collect();
    let members = metadata.packages.iter().filter(|package| metadata.workspace_members.contains(&package.id));
    let mut open: Vec<&PackageId> =
        members.filter(|package| package.name.as_str() == root).map(|package| &package.id).collect();
    let mut found = BTreeSet::new();
    while let Some(id) = open.pop() {
        let Some(node) = nodes.get(id) else { continue };
        for dependency in &node.deps {
            let is_normal = dependency.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal);
            if is_normal && found.insert(&dependency.pkg) {
                open.push(&dependency.pkg);
            }
        }
    }
    found
}

/// Which dependant requires what, and whether the pin would do. What another fork of the crate is for is left out.
fn requirements(forks: &Forks, metadata: &Metadata, fork: &Fork) -> String {
    let meets = |fork: &Fork, req: &VersionReq| fork.version.parse().is_ok_and(|version| req.matches(&version));
    let others = || forks.pins.forks.iter().filter(|other| other.krate == fork.krate && other.name != fork.name);
    let mut lines = BTreeSet::new();
    for package in &metadata.packages {
        for dependency in package.dependencies.iter().filter(|dependency| dependency.name == fork.krate) {
            let fits = meets(fork, &dependency.req);
            if !fits && others().any(|other| meets(other, &dependency.req)) {
                continue;
            }
            let word = if fits { "which it meets" } else { "which it does not meet" };
            let optional = if dependency.optional { " (optional)" } else { "" };
            lines.insert(format!(
                "\n    {} {} requires {}{optional}; the pin is {}, {word}",
                package.name, package.version, dependency.req, fork.version
            ));
        }
    }
    if lines.is_empty() { "\n    nothing in the graph requires it".to_owned() } else { lines.into_iter().collect() }
}

/// The names of `[[patch.unused]]` in the text of a Cargo.lock.
pub fn unused_patches(lock: &str) -> Vec<String> {
    #[derive(serde::Deserialize)]
    struct Lock {
        #[serde(default)]
        patch: Patch,
    }
    #[derive(Default, serde::Deserialize)]
    struct Patch {
        #[serde(default)]
        unused: Vec<Unused>,
    }
    #[derive(serde::Deserialize)]
    struct Unused {
        name: String,
        version: String,
    }
    let lock = toml::from_str::<Lock>(lock).map(|lock| lock.patch.unused).unwrap_or_default();
    lock.into_iter().map(|unused| format!("{} {}", unused.name, unused.version)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_patches_are_read_from_the_lock_file() {
        let lock = "version = 4\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n";
        assert!(unused_patches(lock).is_empty());
        let lock = format!("{lock}[[patch.unused]]\nname = \"demo\"\nversion = \"2.0.0\"\n");
        assert_eq!(unused_patches(&lock), ["demo 2.0.0"]);
    }
}
