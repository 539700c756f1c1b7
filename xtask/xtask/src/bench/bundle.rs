//! A folder for a GPU host without Rust and network: binaries, plan, recordings, snapshots and the runner.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bench_core::plan::{Expect, Parameters, Plan};
use bench_core::schema;

use crate::cargo_build::CargoBuild;

const README: &str = "\
A benchmark of proofs on this host's GPU. It needs the NVIDIA driver, and nothing else: no Rust, no network.

    ./run.sh [--within SECONDS] [--resume]

first runs the checks (proofs and refusals that must come out exactly), then the benchmark, and prints a table. Test
parameters are made once, in `params`; the receipt, the logs and what an interrupted run has done so far are in `out`.
Exit status: 0 done, 1 a check or a run failed, 2 wrong usage or environment, 4 proofs differ.

    ./bench-runner check | run | report RECEIPT [--markdown]   the parts by themselves
";

const RUN: &str = "\
#!/bin/sh
# Checks, then the benchmark; arguments go to `bench-runner run`.
here=$(cd \"$(dirname \"$0\")\" && pwd) || exit 2
\"$here/bench-runner\" check \"$here/plan.json\" --out \"$here/out\" || exit
exec \"$here/bench-runner\" run \"$here/plan.json\" --out \"$here/out\" \"$@\"
";

/// Makes the folder; refuses one that holds something else than a bundle.
pub(crate) fn check_folder(to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    if fs::read_dir(to)?.next().is_some() && !to.join("plan.json").exists() {
        bail!("{} is not empty and no bundle: name another folder", to.display());
    }
    Ok(())
}

/// Writes the bundle of a plan whose files are relative to `arms`.
pub(crate) fn write(root: &Path, arms: &Path, plan: &Plan, to: &Path) -> Result<()> {
    for file in files(plan) {
        copy(&arms.join(&file), &to.join(&file))?;
    }
    copy(&runner(root)?, &to.join("bench-runner"))?;
    fs::write(to.join("plan.json"), schema::to_text(plan))?;
    fs::write(to.join("README.md"), README)?;
    fs::write(to.join("run.sh"), RUN)?;
    executable(&to.join("run.sh"))
}

/// Every file that the plan names.
fn files(plan: &Plan) -> BTreeSet<String> {
    let binaries = plan.arms.iter().flat_map(|arm| arm.builds.values()).map(|build| build.binary.clone());
    let recordings = plan.cases.iter().filter_map(|case| case.recording.clone());
    let mut files: BTreeSet<String> = binaries.chain(recordings).collect();
    for check in &plan.checks {
        files.extend(check.recording.clone());
        if let Some(Parameters::Of { recording, .. }) = &check.parameters {
            files.extend(recording.clone());
        }
        if let Expect::Snapshot(file) | Expect::NotSnapshot(file) = &check.expect {
            files.insert(file.clone());
        }
    }
    files
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let folder = to.parent().context("a file lies in a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

fn executable(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(0o755))?)
}

/// Builds the runner for release and gives its place.
fn runner(root: &Path) -> Result<PathBuf> {
    let args = ["build", "--release", "--locked", "--package", "bench-runner"];
    let environment = [("CARGO_PROFILE_RELEASE_STRIP".to_owned(), "symbols".to_owned())];
    let built = CargoBuild { folder: &root.join("xtask"), args: &args, environment: &environment }.run()?;
    built.executable("bench-runner")
}
