//! From a benchmark's name to a plan whose arms are built: what the verb `bench` does before anything runs.

mod arms;
mod build;
pub(crate) mod bundle;
mod campaign;
mod checks;
pub(crate) mod choose;
pub(crate) mod design;
mod files;
mod freshness;
mod lock;
mod schemes;
mod workspace;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use bench_core::analysis::power;
use bench_core::arm::{self, Arm, Build};
use bench_core::plan::{Case, Plan, Toolchain};
use bench_core::schema::SCHEMA;
use forks::{Fork, Forks};

use crate::cuda::{self, Arch, CudaBuild, Install};
use arms::ArmSpec;
use build::Builder;
use choose::Chosen;
use design::{Blocks, Design};
use workspace::Workspace;

pub(crate) use build::GPU_FORK;
pub(crate) use lock::Lock;
pub(crate) use workspace::lock as settle_lock;

/// Where precision is asked for and does not come.
const MOST_BLOCKS: usize = 60;

/// The seed of the shuffled order; part of the plan.
const SEED: u64 = 1;

/// What the user changes in a design.
pub(crate) struct Choice<'a> {
    pub(crate) design: &'static Design,
    pub(crate) arms: &'a [String],
    /// The patches that a scheme of arms varies.
    pub(crate) patches: &'a [String],
    pub(crate) blocks: Option<usize>,
    pub(crate) until_precise: Option<f64>,
    pub(crate) archs: &'a [Arch],
    pub(crate) install: Install,
    /// Add the checks that a bundle carries.
    pub(crate) checks: bool,
}

impl Choice<'_> {
    /// The design as it is, with the CUDA compiler installed if it needs one.
    pub(crate) fn of(design: &'static Design) -> Self {
        Self {
            design,
            arms: &[],
            patches: &[],
            blocks: None,
            until_precise: None,
            archs: &[],
            install: Install::Allowed,
            checks: false,
        }
    }
}

/// Builds one arm as one kind, from the same cache as the benchmarks; gives the binary.
pub(crate) fn binary(forks: &Forks, arm: &str, kind: &str, archs: &[Arch], install: Install) -> Result<PathBuf> {
    let spec = arms::parse(arm, &forks.pins)?;
    let builder = builder(forks, archs, install, &BTreeSet::from([kind]))?;
    let build = builder.build(&spec, kind, &workspace::generate(forks, &spec)?)?;
    Ok(arms_folder(forks).join(build.binary))
}

/// The fingerprint of one arm built as one kind, without building it.
pub(crate) fn fingerprint(forks: &Forks, arm: &str, kind: &str, archs: &[Arch], install: Install) -> Result<String> {
    let spec = arms::parse(arm, &forks.pins)?;
    let builder = builder(forks, archs, install, &BTreeSet::from([kind]))?;
    builder.fingerprint(&spec, kind, &workspace::generate(forks, &spec)?)
}

/// Ids of the measured patches that the arm of this name has.
pub(crate) fn arm_patches(forks: &Forks, name: &str) -> Result<Vec<String>> {
    Ok(arms::parse(name, &forks.pins)?.patches)
}

/// The folder that a plan's paths are relative to.
pub(crate) fn arms_folder(forks: &Forks) -> PathBuf {
    forks.root.join(workspace::ARMS)
}

/// Builds what the benchmark compares, and says what to run.
pub(crate) fn plan(forks: &Forks, choice: &Choice<'_>, chosen: Chosen) -> Result<Plan> {
    let design = choice.design;
    let kinds: BTreeSet<&str> = design.cases.iter().map(|case| case.path).collect();
    let builder = builder(forks, choice.archs, choice.install, &kinds)?;
    let mut plan = Plan {
        schema: SCHEMA,
        name: design.name.to_owned(),
        seed: SEED,
        blocks: blocks(choice, &chosen.specs),
        until_precise: choice.until_precise,
        estimate_s: None,
        timeout_s: design.timeout_s,
        toolchain: builder.toolchain.clone(),
        arms: build_arms(&builder, &chosen.specs, &kinds)?,
        cases: design.cases.iter().map(|case| without_files(forks, case)).collect(),
        checks: Vec::new(),
        phases: chosen.phases,
    };
    add_files(forks, choice, &builder, &mut plan)?;
    let block_s: f64 = design.cases.iter().map(|case| plan.arms_of(case.path).len() as f64 * case.run_s).sum();
    plan.estimate_s = Some(plan.blocks as f64 * block_s);
    plan.check()?;
    Ok(plan)
}

fn builder<'a>(forks: &'a Forks, archs: &[Arch], install: Install, kinds: &BTreeSet<&str>) -> Result<Builder<'a>> {
    let mut toolchain = Toolchain { rustc: rustc()?, ..Toolchain::default() };
    let mut cuda = Vec::new();
    if kinds.iter().any(|kind| *kind != "cpu") {
        let build = CudaBuild::prepare(&forks.root, archs, install)?;
        toolchain.nvcc = Some(nvcc(&build.toolkit.release));
        toolchain.architectures = build.archs.iter().map(ToString::to_string).collect();
        cuda = build.environment();
    }
    Ok(Builder { forks, toolchain, sources_sha256: workspace::sources_sha256(&forks.root)?, cuda })
}

/// `rustc 1.95.0 (59807616e 2026-04-14) x86_64-unknown-linux-gnu`.
pub(crate) fn rustc() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("cannot run rustc")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or("unknown host");
    Ok(format!("{} {host}", text.lines().next().context("rustc says nothing")?))
}

/// The compilers that a build would use today, as receipts name them: none of a kind that does not run, and where no CUDA
/// compiler is found, the one that would be installed.
pub(crate) fn toolchain(root: &Path) -> Vec<String> {
    let found = cuda::find(root).ok().flatten();
    let release = found.map_or_else(|| cuda::RELEASE.to_owned(), |toolkit| toolkit.release);
    rustc().into_iter().chain([nvcc(&release)]).collect()
}

fn nvcc(release: &str) -> String {
    format!("nvcc {release}")
}

/// Generates every arm's workspace; all must take the same versions from outside the forks.
fn workspaces(forks: &Forks, specs: &[ArmSpec]) -> Result<Vec<Workspace>> {
    let workspaces = specs.iter().map(|spec| workspace::generate(forks, spec)).collect::<Result<Vec<_>>>()?;
    let upstream = specs.iter().position(ArmSpec::is_upstream).context("upstream is among the arms")?;
    let names: Vec<&str> = forks.pins.forks.iter().map(|fork| fork.krate.as_str()).collect();
    for (spec, workspace) in specs.iter().zip(&workspaces) {
        let agrees = workspace.lock.agrees_with(&workspaces[upstream].lock, &names);
        agrees.with_context(|| format!("the arm {}", spec.name))?;
    }
    Ok(workspaces)
}

/// The blocks asked for, else those of the design; where precision decides, the most that are worth waiting for.
fn blocks(choice: &Choice<'_>, specs: &[ArmSpec]) -> usize {
    let plain = specs.iter().filter(|spec| spec.role.is_plain());
    let arms: Vec<(&str, &[String])> = plain.map(|spec| (spec.name.as_str(), spec.patches.as_slice())).collect();
    match (choice.blocks, &choice.design.blocks) {
        (Some(blocks), _) => blocks,
        (None, _) if choice.until_precise.is_some() => MOST_BLOCKS,
        (None, Blocks::Fixed(blocks)) => *blocks,
        (None, Blocks::ToFind(question)) => power::blocks(&arms, *question),
    }
}

/// Builds the arms, those with the same content of the last fork one after another: that is the slowest to compile, and
/// in the shared target folder it is compiled again only where its content changes.
fn build_arms(builder: &Builder<'_>, specs: &[ArmSpec], kinds: &BTreeSet<&str>) -> Result<Vec<Arm>> {
    let workspaces = workspaces(builder.forks, specs)?;
    let in_fork = |spec: &ArmSpec, fork: &Fork| -> Vec<usize> {
        (0..fork.measured.len()).filter(|&at| spec.patches.contains(&fork.measured[at].id)).collect()
    };
    let content = |spec: &ArmSpec| -> (bool, Vec<Vec<usize>>) {
        (!spec.is_upstream(), builder.forks.pins.forks.iter().rev().map(|fork| in_fork(spec, fork)).collect())
    };
    let mut order: Vec<usize> = (0..specs.len()).collect();
    order.sort_by_key(|&at| content(&specs[at]));
    let mut arms = BTreeMap::new();
    for at in order {
        arms.insert(at, build_arm(builder, &specs[at], kinds, &workspaces[at])?);
    }
    Ok(arms.into_values().collect())
}

fn build_arm(builder: &Builder<'_>, spec: &ArmSpec, kinds: &BTreeSet<&str>, workspace: &Workspace) -> Result<Arm> {
    let mut builds: BTreeMap<String, Build> = BTreeMap::new();
    for kind in kinds {
        // That path calls what the forks add.
        if !(spec.is_upstream() && *kind == "cuda") {
            builds.insert((*kind).to_owned(), builder.build(spec, kind, workspace)?);
        }
    }
    let fingerprint = Arm::fingerprint_of(&builds);
    Ok(Arm { arm: spec.name.clone(), role: spec.role.clone(), patches: spec.patches.clone(), fingerprint, builds })
}

fn without_files(forks: &Forks, case: &design::CaseSpec) -> Case {
    Case {
        workload: case.workload.to_owned(),
        path: case.path.to_owned(),
        batch: case.batch,
        args: case.args.iter().map(|arg| (*arg).to_owned()).collect(),
        recording: None,
        snapshot_sha256: files::snapshot_sha256(&forks.root, case.workload),
    }
}

/// Recordings, made by a CPU build of the forks without measured patches, and the checks with their snapshots.
fn add_files(forks: &Forks, choice: &Choice<'_>, builder: &Builder<'_>, plan: &mut Plan) -> Result<()> {
    let recorded = choice.design.cases.iter().any(|case| case.recorded);
    if !recorded && !choice.checks {
        return Ok(());
    }
    let none = arms::parse(arm::NONE, &forks.pins)?;
    let cpu = builder.build(&none, "cpu", &workspace::generate(forks, &none)?)?;
    let folder = arms_folder(forks);
    for (case, spec) in plan.cases.iter_mut().zip(choice.design.cases) {
        if spec.recorded {
            case.recording = Some(files::record(&folder, &cpu, spec.workload)?);
        }
    }
    if !choice.checks {
        return Ok(());
    }
    let mut recordings = BTreeMap::new();
    let mut snapshots = BTreeMap::new();
    for workload in checks::workloads() {
        recordings.insert(workload, files::record(&folder, &cpu, workload)?);
        snapshots.insert(workload, files::snapshot(&forks.root, &folder, workload)?);
    }
    let paths: BTreeSet<&str> = choice.design.cases.iter().map(|case| case.path).collect();
    for path in paths {
        plan.checks.extend(checks::on_path(path, &|workload| recordings[workload].clone(), &|workload| {
            snapshots[workload].clone()
        }));
    }
    Ok(())
}
