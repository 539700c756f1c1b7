//! What only a compiler can tell of the forks: which warnings they have that the releases lack, whether their public API
//! still holds what the releases' has, and whether every admissible set of patches compiles.
//!
//! Release and fork are compiled as members of generated workspaces, with the same dependencies, flags and features.

mod arms;
mod blame;
mod compile;
mod features;
mod native;
mod semver;
mod subsets;
pub(crate) mod tool;
mod warnings;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context, Result, bail};
use forks::{Fork, Forks, verify::Finding};

use crate::{
    bench,
    cuda::{Arch, CudaBuild, Install},
    suites::Suite,
};
use compile::{Check, Checked};
use features::FeatureSet;
use subsets::Compiler;
use tool::Tool;

pub(crate) use subsets::run as subsets;

/// What the checks that compile have in common.
pub(crate) struct Setting<'a> {
    pub(crate) forks: &'a Forks,
    /// The GPU architectures asked for.
    pub(crate) archs: &'a [Arch],
    /// Whether a tool that is missing may be installed below `target/`.
    pub(crate) install: Install,
}

impl Setting<'_> {
    /// The CUDA compiler, if one of these forks needs it.
    fn cuda(&self, chosen: &[&Fork]) -> Result<Option<CudaBuild>> {
        if !chosen.iter().any(|fork| is_gpu(fork)) {
            return Ok(None);
        }
        let cuda = CudaBuild::prepare(&self.forks.root, self.archs, self.install)?;
        eprintln!("{}", cuda.describe());
        Ok(Some(cuda))
    }

    /// Variables for every call of cargo.
    fn environment(&self, cuda: Option<&CudaBuild>) -> Vec<(String, String)> {
        let crates: Vec<String> = self.forks.pins.forks.iter().map(library).collect();
        let mut environment: Vec<(String, String)> = [
            // In place of the user's flags. What upstream denies is a warning here, as for anybody who depends on it.
            ("RUSTFLAGS", "--cap-lints warn".to_owned()),
            ("CARGO_INCREMENTAL", "0".to_owned()),
            // rustdoc's JSON is unstable. For these crates alone, since others would switch to unstable features; and
            // for every call, since build scripts run again when it changes.
            ("RUSTC_BOOTSTRAP", crates.join(",")),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        environment.extend(cuda.iter().flat_map(|cuda| cuda.environment()));
        environment
    }
}

/// Compares each fork's main line with its release, and the warnings of each measured patch that does not ship. Prepared first, so that a tool that is missing is told before
/// anything runs.
pub(crate) struct Gates<'a> {
    setting: &'a Setting<'a>,
    chosen: Vec<&'a Fork>,
    tool: Tool,
    cuda: Option<CudaBuild>,
}

/// A release or a fork, where it is compiled.
struct Side<'a> {
    forks: &'a Forks,
    suite: Suite,
    /// cargo names members by their place in the workspace, so two workspaces in one target folder would be taken for
    /// each other.
    target: PathBuf,
    environment: &'a [(String, String)],
}

impl<'a> Gates<'a> {
    /// Checks the names and finds (or installs) what the checks need.
    pub(crate) fn prepare(setting: &'a Setting<'a>, names: &[String]) -> Result<Self> {
        let chosen = setting.forks.select(names)?;
        let tool = Tool::find(&setting.forks.root, setting.install)?;
        let cuda = setting.cuda(&chosen)?;
        Ok(Self { setting, chosen, tool, cuda })
    }

    /// Everything that a fork has and its release lacks, or the other way round.
    pub(crate) fn run(&self) -> Result<Vec<Finding>> {
        let forks = self.setting.forks;
        let compiler = Compiler::new(self.setting, self.cuda.as_ref())?;
        let environment = &compiler.environment;
        let release = Side::new(forks, Suite::pristine(forks)?, "release", environment)?;
        let ships = bench::arm_patches(forks, "ship")?;
        let ours = Side::new(forks, Suite::patched(forks, "ship", &ships)?, "ship", environment)?;
        let sets = features::Sets::read(forks, &release, self.cuda.is_some())?;
        let mut findings = Vec::new();
        for fork in &self.chosen {
            let sets = sets.of(fork);
            let mut found = Vec::new();
            for set in &sets {
                found.extend(self.compare(fork, set, &release, &ours)?.into_iter().map(|finding| (set, finding)));
            }
            found.extend(arms::check(&compiler, fork, &sets, &release)?);
            let mut told = BTreeSet::new();
            let new = found.into_iter().filter(|(_, finding)| told.insert(finding.message.clone()));
            findings.extend(
                new.map(|(set, finding)| Finding {
                    message: format!("{}{}", finding.message, set.suffix()),
                    ..finding
                }),
            );
        }
        Ok(findings)
    }

    fn compare(&self, fork: &Fork, set: &FeatureSet, release: &Side<'_>, ours: &Side<'_>) -> Result<Vec<Finding>> {
        let started = Instant::now();
        let forks = self.setting.forks;
        eprintln!("{}{}: warnings and public API against the release", fork.name, set.suffix());
        let before = release.check(fork, set)?;
        if let Some(error) = before.error {
            bail!(
                "the release of {} does not compile{}, so that there is nothing to compare with: {error}\n  likely cause: this \
                 toolchain, or something that the build needs; `cargo xtask doctor` says what is missing",
                fork.name,
                set.suffix()
            );
        }
        let after = ours.check(fork, set)?;
        if let Some(error) = after.error {
            let fix = format!("{}, mend it, `cargo xtask export {}`", edit(fork, None), fork.name);
            return Ok(vec![finding(warnings::CHECK, fork, None, format!("it does not compile: {error}"), fix)]);
        }
        let series = forks.series(fork)?;
        let main_line = blame::main_line(&series);
        let mut findings = warnings::findings(&series, &main_line, before.warnings, after.warnings);
        findings.extend(semver::check(&self.tool, fork, set, release, ours)?);
        eprintln!("{}{}: {:.0} s", fork.name, set.suffix(), started.elapsed().as_secs_f64());
        Ok(findings)
    }
}

impl<'a> Side<'a> {
    fn new(forks: &'a Forks, suite: Suite, name: &str, environment: &'a [(String, String)]) -> Result<Self> {
        bench::settle_lock(forks, &suite.folder)?;
        Ok(Self { forks, suite, target: folder(forks).join(name), environment })
    }

    fn check(&self, fork: &Fork, set: &FeatureSet) -> Result<Checked> {
        Check {
            workspace: &self.suite.folder,
            target: &self.target,
            package: &fork.krate,
            sources: &self.suite.folder.join(&fork.folder),
            features: set.args(),
            environment: self.environment,
        }
        .run()
    }
}

/// What these checks write, but for the generated workspaces.
fn folder(forks: &Forks) -> PathBuf {
    forks.root.join("target/gates")
}

/// Whether the crate's build script runs nvcc.
fn is_gpu(fork: &Fork) -> bool {
    fork.krate == bench::GPU_FORK
}

/// The name of the crate's library.
fn library(fork: &Fork) -> String {
    fork.krate.replace('-', "_")
}

fn finding(check: &'static str, fork: &Fork, patch: Option<String>, message: String, fix: String) -> Finding {
    Finding { check, fork: Some(fork.name.clone()), patch, message, fix }
}

/// How to take up the patch that a finding is about, or the fork where it is not known.
fn edit(fork: &Fork, patch: Option<&str>) -> String {
    match patch {
        Some(id) => format!("`cargo xtask edit {} --patch {id}`", fork.name),
        None => format!("`cargo xtask edit {}`", fork.name),
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    let parent = path.parent().context("a file lies in a folder")?;
    std::fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
