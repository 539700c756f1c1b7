//! `test`: the whole suite, from the tools to the proofs of every arm.

use std::{
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use anyhow::{Context, Result};
use forks::Forks;

use super::gpu_tests;
use crate::output::say;
use crate::{
    bench::{self, design},
    cuda::Arch,
    snapshots,
    suites::Suite,
    tally::{self, Tally},
};

/// Run the whole test suite; the last line counts what passed and failed
///
/// The tools' tests, the structure of the forks, the tests that live in the patches, the proving crates, and the proof
/// snapshots on every CPU arm, upstream included.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run upstream's own suites instead, on the releases and on the forks, and compare
    #[arg(long)]
    upstream_suites: bool,
    /// Run what needs a GPU instead: the tests in the patches on supraseal-c2
    #[arg(long, conflicts_with = "upstream_suites")]
    gpu: bool,
    /// GPU architectures, such as sm_90 [default: this machine's GPUs, else a list of common ones]
    #[arg(long, value_delimiter = ',', requires = "gpu")]
    arch: Vec<Arch>,
    /// Run nothing: write the GPU tests into a folder that runs on a GPU host without Rust
    #[arg(long, value_name = "DIR", requires = "gpu")]
    bundle: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let forks = super::open()?;
    if let Some(to) = &args.bundle {
        gpu_tests::bundle(&forks, &args.arch, to)?;
        say!("{}: run.sh in it runs the tests on a host with a GPU", to.display());
        return Ok(ExitCode::SUCCESS);
    }
    if args.gpu {
        let tally = gpu_tests::run(&forks, &args.arch)?;
        say!("{} passed, {} failed", tally.passed, tally.failed);
        return Ok(if tally.failed == 0 { ExitCode::SUCCESS } else { super::found() });
    }
    let steps: &[Step] = if args.upstream_suites { UPSTREAM_SUITES } else { ALL };
    let mut total = Tally::default();
    let mut failed = Vec::new();
    for step in steps {
        eprintln!("\n== {}", step.name);
        // A step that cannot run is a failure, and the others still run.
        let tally = (step.run)(&forks).unwrap_or_else(|error| {
            eprintln!("error: {error:#}");
            Tally::of_check(false)
        });
        if tally.failed > 0 {
            failed.push(step.name);
        }
        total += tally;
    }
    for name in &failed {
        say!("failed: {name}");
    }
    say!("{} passed, {} failed", total.passed, total.failed);
    Ok(if failed.is_empty() { ExitCode::SUCCESS } else { super::found() })
}

/// A part of the suite.
struct Step {
    name: &'static str,
    run: fn(&Forks) -> Result<Tally>,
}

const ALL: &[Step] = &[
    Step { name: "the tools", run: tools },
    Step { name: "the forks are what their pins and patches say, and the graph uses them", run: structure },
    Step { name: "the proving crates", run: crates },
    Step { name: "the tests in the patches", run: patches },
    Step { name: "the proofs of every CPU arm equal the snapshots", run: arms },
];

const UPSTREAM_SUITES: &[Step] = &[Step { name: "upstream's suites", run: super::upstream_suites::run }];

fn cargo(folder: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // Tests never write snapshots: what differs fails.
    command.current_dir(folder).env("INSTA_UPDATE", "no").env("INSTA_FORCE_PASS", "0");
    command
}

fn tools(forks: &Forks) -> Result<Tally> {
    with_snapshots(&forks.root.join("xtask"), |references| {
        tally::run(
            cargo(&forks.root)
                .args(["test", "--quiet", "--locked", "--manifest-path", "xtask/Cargo.toml", "--workspace"])
                .env("INSTA_SNAPSHOT_REFERENCES_FILE", references),
        )
    })
}

fn structure(forks: &Forks) -> Result<Tally> {
    for fork in &forks.pins.forks {
        forks::ensure_whole(forks, fork)?;
    }
    let findings = forks::verify::verify(forks, None)?;
    for finding in &findings {
        say!("{}: {}\n  fix: {}", finding.check, finding.message, finding.fix);
    }
    Ok(Tally::of_check(findings.is_empty()))
}

fn crates(forks: &Forks) -> Result<Tally> {
    with_snapshots(&forks.root.join("cuzk"), |references| {
        tally::run(
            cargo(&forks.root)
                .args(["test", "--quiet", "--release", "--locked", "--workspace"])
                .env("INSTA_SNAPSHOT_REFERENCES_FILE", references),
        )
    })
}

/// Runs tests and then looks for snapshots that none of them used.
fn with_snapshots(folder: &Path, tests: impl FnOnce(&Path) -> Result<Tally>) -> Result<Tally> {
    let references = tempfile::NamedTempFile::new().context("cannot make a temporary file")?;
    let mut tally = tests(references.path())?;
    let used = std::fs::read_to_string(references.path()).context("cannot read the list of used snapshots")?;
    let stray = snapshots::stray(folder, &used).with_context(|| format!("cannot look through {}", folder.display()))?;
    for file in &stray {
        say!("{}: pending, or used by no test; delete it, or accept it with care", file.display());
    }
    tally += Tally::of_check(stray.is_empty());
    Ok(tally)
}

/// Unit tests of the patched crates, and the integration tests that the patches bring.
fn patches(forks: &Forks) -> Result<Tally> {
    let pristine = Suite::pristine(forks)?;
    let patched = Suite::patched(forks, "all", &bench::arm_patches(forks, "all")?)?;
    let target = forks.root.join("target/suites/target");
    let mut tally = Tally::default();
    // supraseal-c2's need nvcc and a GPU: `bench --bundle` carries what a GPU host checks.
    for fork in forks.pins.forks.iter().filter(|fork| fork.krate != "supraseal-c2") {
        let upstream = pristine.integration_tests(&fork.folder);
        let mut args = vec!["--lib".to_owned()];
        let ours = patched.integration_tests(&fork.folder);
        args.extend(ours.into_iter().filter(|t| !upstream.contains(t)).flat_map(|t| ["--test".to_owned(), t]));
        tally += tally::run(&mut patched.cargo_test(forks, fork, &target, &args)?)?;
    }
    Ok(tally)
}

/// The snapshot tests once more for each arm, with that arm's binary.
fn arms(forks: &Forks) -> Result<Tally> {
    let mut tally = Tally::default();
    for (arm, binary) in cpu_arms(forks)? {
        eprintln!("-- {arm}");
        tally += tally::run(
            cargo(&forks.root)
                .args(["test", "--quiet", "--release", "--locked", "--package", "prove-once", "--test", "snapshots"])
                .env("PROVE_ONCE_BIN", &binary),
        )?;
    }
    Ok(tally)
}

/// Every arm of the quick benchmark with its binary: the same ones, from the same cache.
fn cpu_arms(forks: &Forks) -> Result<Vec<(String, PathBuf)>> {
    let choice = bench::Choice::of(design::named("quick")?);
    let plan = bench::plan(forks, &choice, bench::choose::choose(forks, &choice)?)?;
    let folder = bench::arms_folder(forks);
    let binary = |arm: &bench_core::arm::Arm| Some((arm.arm.clone(), folder.join(&arm.builds.get("cpu")?.binary)));
    Ok(plan.arms.iter().filter_map(binary).collect())
}
