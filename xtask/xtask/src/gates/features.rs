//! The feature sets that a fork is compiled with: its default, and those that the shipped builds resolve to.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use cargo_metadata::{Metadata, MetadataCommand, Node, Package};
use forks::{Fork, Forks, graph};

use super::Side;
use crate::bench;

/// Features to compile a crate with.
pub(super) struct FeatureSet {
    args: Vec<String>,
}

impl FeatureSet {
    fn default_one() -> Self {
        Self { args: Vec::new() }
    }

    fn exactly(features: &BTreeSet<String>) -> Self {
        let mut args = vec!["--no-default-features".to_owned()];
        if !features.is_empty() {
            args.extend(["--features".to_owned(), features.iter().cloned().collect::<Vec<_>>().join(",")]);
        }
        Self { args }
    }

    /// As arguments of cargo.
    pub(super) fn args(&self) -> &[String] {
        &self.args
    }

    /// What to put behind a crate's name: nothing for the default.
    pub(super) fn suffix(&self) -> String {
        if self.args.is_empty() { String::new() } else { format!(" ({})", self.args.join(" ")) }
    }

    /// A name for a file.
    pub(super) fn name(&self) -> String {
        if self.args.is_empty() { "default".to_owned() } else { self.args.join("").replace("--", "").replace(',', "+") }
    }
}

/// What the graphs of all builds say of features.
pub(super) struct Sets {
    graphs: Vec<Metadata>,
    /// The releases' own features. One that only the fork has can be compared with nothing.
    releases: Metadata,
    /// Whether there is a CUDA compiler for sets that need one.
    cuda: bool,
}

impl Sets {
    /// Resolves every build. Sets that pull in the GPU fork count only `with_cuda`.
    pub(super) fn read(forks: &Forks, release: &Side<'_>, with_cuda: bool) -> Result<Self> {
        let graphs = graph::resolve_all(forks).into_iter().map(|(_, graph)| graph).collect::<Result<_, _>>()?;
        let manifest = release.suite.folder.join("Cargo.toml");
        let mut command = MetadataCommand::new();
        let releases = command.manifest_path(manifest).current_dir(&release.suite.folder).no_deps().exec();
        Ok(Self { graphs, releases: releases.context("cannot read the releases' manifests")?, cuda: with_cuda })
    }

    /// The default, and what differs from it.
    pub(super) fn of(&self, fork: &Fork) -> Vec<FeatureSet> {
        let named = |package: &&Package| package.name.as_str() == fork.krate;
        let Some(release) = self.releases.packages.iter().find(named) else {
            return vec![FeatureSet::default_one()];
        };
        let mut known = BTreeSet::from([closure(&release.features, &["default".to_owned()])]);
        let mut sets = vec![FeatureSet::default_one()];
        for graph in &self.graphs {
            let package = graph.packages.iter().find(named);
            let nodes = graph.resolve.iter().flat_map(|resolve| &resolve.nodes);
            let node = package.and_then(|package| nodes.into_iter().find(|node| node.id == package.id));
            let Some(node) = node.filter(|node| self.cuda || !needs_cuda(graph, node)) else {
                continue;
            };
            let asked: Vec<String> = node.features.iter().map(ToString::to_string).collect();
            let features = closure(&release.features, &asked);
            if known.insert(features.clone()) {
                sets.push(FeatureSet::exactly(&features));
            }
        }
        sets
    }
}

/// Whether the crate depends on the GPU fork here.
fn needs_cuda(graph: &Metadata, node: &Node) -> bool {
    let is_gpu = |package: &&Package| package.name.as_str() == bench::GPU_FORK;
    graph.packages.iter().find(is_gpu).is_some_and(|gpu| node.dependencies.contains(&gpu.id))
}

/// These features and all that they switch on in the same crate, `default` itself left out.
fn closure(features: &BTreeMap<String, Vec<String>>, from: &[String]) -> BTreeSet<String> {
    let mut open: Vec<&String> = from.iter().collect();
    let mut found = BTreeSet::new();
    while let Some(name) = open.pop() {
        if let Some(more) = features.get(name)
            && found.insert(name.clone())
        {
            open.extend(more);
        }
    }
    found.remove("default");
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feature_brings_those_that_it_switches_on() {
        let table =
            [("default", vec!["std"]), ("std", vec!["alloc", "dep:x", "y/std"]), ("alloc", vec![]), ("gpu", vec![])];
        let table = table.map(|(name, more)| (name.to_owned(), more.into_iter().map(str::to_owned).collect()));
        let table: BTreeMap<String, Vec<String>> = table.into();
        let names = |from: &str| closure(&table, &[from.to_owned()]).into_iter().collect::<Vec<_>>().join(" ");
        assert_eq!(names("default"), "alloc std");
        assert_eq!(names("gpu"), "gpu");
        assert_eq!(names("only-the-fork-has-it"), "");
    }

    #[test]
    fn sets_are_spelt_for_cargo_for_people_and_for_files() {
        let set = FeatureSet::exactly(&["a".to_owned(), "b".to_owned()].into());
        assert_eq!(set.args(), ["--no-default-features", "--features", "a,b"]);
        assert_eq!(set.suffix(), " (--no-default-features --features a,b)");
        assert_eq!(FeatureSet::default_one().name(), "default");
        assert_ne!(set.name(), FeatureSet::exactly(&BTreeSet::new()).name());
    }
}
