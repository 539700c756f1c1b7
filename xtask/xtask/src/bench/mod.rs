//! From a benchmark's name to a plan whose arms are built: what the verb `bench` does before anything runs.

mod arms;
mod build;
pub(crate) mod bundle;
mod checks;
pub(crate) mod design;
mod files;
mod freshness;
mod lock;
mod workspace;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use bench_core::arm::{self, Arm, Build};
use bench_core::plan::{Case, Plan, Toolchain};
use bench_core::role::Role;
use bench_core::schema::SCHEMA;
use forks::Forks;

use crate::cuda::{Arch, CudaBuild, Install};
use arms::ArmSpec;
use build::Builder;
use design::Design;
use workspace::Workspace;

pub(crate) use build::GPU_FORK;
pub(crate) use lock::Lock;
pub(crate) use workspace::lock as settle_lock;

/// The seed of the shuffled order; part of the plan.
const SEED: u64 = 1;

/// What the user changes in a design.
pub(crate) struct Choice<'a> {
    pub(crate) design: &'static Design,
    pub(crate) arms: &'a [String],
    pub(crate) blocks: Option<usize>,
    pub(crate) archs: &'a [Arch],
    pub(crate) install: Install,
    /// Add the checks that a bundle carries.
    pub(crate) checks: bool,
}

impl Choice<'_> {
    /// The design as it is, with the CUDA compiler installed if it needs one.
    pub(crate) fn of(design: &'static Design) -> Self {
        Self { design, arms: &[], blocks: None, archs: &[], install: Install::Allowed, checks: false }
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
pub(crate) fn plan(forks: &Forks, choice: &Choice<'_>, specs: &[ArmSpec]) -> Result<Plan> {
    let design = choice.design;
    let kinds: BTreeSet<&str> = design.cases.iter().map(|case| case.path).collect();
    let builder = builder(forks, choice.archs, choice.install, &kinds)?;
    let workspaces = workspaces(forks, specs)?;
    let arms = specs.iter().zip(&workspaces).map(|(spec, workspace)| build_arm(&builder, spec, &kinds, workspace));
    let arms = arms.collect::<Result<Vec<Arm>>>()?;
    let mut plan = Plan {
        schema: SCHEMA,
        name: design.name.to_owned(),
        seed: SEED,
        blocks: choice.blocks.unwrap_or(design.blocks),
        timeout_s: design.timeout_s,
        toolchain: builder.toolchain.clone(),
        arms,
        cases: design.cases.iter().map(|case| without_files(forks, case)).collect(),
        checks: Vec::new(),
        phases: BTreeMap::new(),
    };
    add_files(forks, choice, &builder, &mut plan)?;
    plan.check()?;
    Ok(plan)
}

/// The arms that are asked for, before anything is built: known, admissible, upstream among them, none twice.
pub(crate) fn specs(forks: &Forks, choice: &Choice<'_>) -> Result<Vec<ArmSpec>> {
    let asked = choice.arms.iter().map(String::as_str);
    let names: Vec<&str> = if choice.arms.is_empty() { choice.design.arms.to_vec() } else { asked.collect() };
    let specs = names.iter().map(|name| Ok(arms::parse(name, &forks.pins)?)).collect::<Result<Vec<_>>>()?;
    for (at, spec) in specs.iter().enumerate() {
        let same = |other: &&ArmSpec| other.is_upstream() == spec.is_upstream() && other.patches == spec.patches;
        if let Some(other) = specs[..at].iter().find(same) {
            bail!("the arms {} and {} are the same: leave one out of --arms", other.name, spec.name);
        }
        check_admissible(forks, spec)?;
    }
    if !specs.iter().any(ArmSpec::is_upstream) {
        bail!("a comparison needs the arm upstream: its proofs are what the others' must be; add it to --arms");
    }
    Ok(specs)
}

/// Patches that do not go together are found before anything is built.
fn check_admissible(forks: &Forks, spec: &ArmSpec) -> Result<()> {
    for fork in &forks.pins.forks {
        let own = |id: &&String| fork.measured.iter().any(|patch| patch.id == **id);
        let patches: Vec<String> = spec.patches.iter().filter(own).cloned().collect();
        if let Err(error) = forks.series(fork)?.subset(&patches) {
            bail!("the arm {}: {error}", spec.name);
        }
    }
    Ok(())
}

fn builder<'a>(forks: &'a Forks, archs: &[Arch], install: Install, kinds: &BTreeSet<&str>) -> Result<Builder<'a>> {
    let mut toolchain = Toolchain { rustc: rustc()?, ..Toolchain::default() };
    let mut cuda = Vec::new();
    if kinds.iter().any(|kind| *kind != "cpu") {
        let build = CudaBuild::prepare(&forks.root, archs, install)?;
        toolchain.nvcc = Some(format!("nvcc {}", build.toolkit.release));
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

fn build_arm(builder: &Builder<'_>, spec: &ArmSpec, kinds: &BTreeSet<&str>, workspace: &Workspace) -> Result<Arm> {
    let mut builds: BTreeMap<String, Build> = BTreeMap::new();
    for kind in kinds {
        // That path calls what the forks add.
        if !(spec.is_upstream() && *kind == "cuda") {
            builds.insert((*kind).to_owned(), builder.build(spec, kind, workspace)?);
        }
    }
    let fingerprint = Arm::fingerprint_of(&builds);
    Ok(Arm { arm: spec.name.clone(), role: Role::Plain, patches: spec.patches.clone(), fingerprint, builds })
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
