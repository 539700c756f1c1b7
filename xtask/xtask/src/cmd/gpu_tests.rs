//! `test --gpu`: the tests that live in the patches on supraseal-c2, here or as a folder for a GPU host without Rust.
//!
//! Proof snapshots on a GPU are part of every benchmark bundle: `bench --plan h200 --bundle DIR` checks them first.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};
use forks::Forks;

use crate::{
    bench,
    cargo_build::CargoBuild,
    cuda::{Arch, CudaBuild, Install},
    gpus,
    suites::Suite,
    tally::{self, Tally},
};

const FORK: &str = "supraseal-c2";

/// The release's only test, which panics always.
const UPSTREAMS: &str = "c2";

/// The tests look at the device's free memory, so one runs at a time.
const ONE_AT_A_TIME: &str = "--test-threads=1";

const RUN: &str = "#!/bin/sh
# Runs every test beside this file on the host's GPUs. Exit 0: all passed; 1: one failed; 2: no GPU.
here=$(cd \"$(dirname \"$0\")\" && pwd) || exit 2
nvidia-smi -L || { echo 'no GPU: nvidia-smi shows none' >&2; exit 2; }
status=0
for test in \"$here\"/tests/*; do
    echo \"== ${test##*/}\"
    \"$test\" --test-threads=1 || status=1
done
exit $status
";

/// Builds the tests with the measured patches of the arm `all` and runs them on this machine's GPUs.
pub(super) fn run(forks: &Forks, archs: &[Arch]) -> Result<Tally> {
    if let Err(why) = gpus::list() {
        bail!("{why}; `cargo xtask test --gpu --bundle DIR` writes the tests for a host that has one");
    }
    let mut tally = Tally::default();
    for (name, test) in build(forks, archs)? {
        eprintln!("-- {name}");
        tally += tally::run(Command::new(&test).arg(ONE_AT_A_TIME))?;
    }
    Ok(tally)
}

/// Builds the tests and writes them, with a script that runs them, into a folder.
pub(super) fn bundle(forks: &Forks, archs: &[Arch], to: &Path) -> Result<()> {
    let tests = to.join("tests");
    if to.exists() && fs::read_dir(to)?.next().is_some() && !tests.is_dir() {
        bail!("{} is not empty and holds no tests: name another folder", to.display());
    }
    fs::create_dir_all(&tests).with_context(|| format!("cannot make {}", tests.display()))?;
    for (name, test) in build(forks, archs)? {
        fs::copy(&test, tests.join(&name)).with_context(|| format!("cannot copy {}", test.display()))?;
    }
    let script = to.join("run.sh");
    fs::write(&script, RUN).with_context(|| format!("cannot write {}", script.display()))?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).context("cannot make run.sh executable")
}

fn build(forks: &Forks, archs: &[Arch]) -> Result<Vec<(String, PathBuf)>> {
    let cuda = CudaBuild::prepare(&forks.root, archs, Install::Allowed)?;
    eprintln!("{}", cuda.describe());
    let suite = Suite::patched(forks, "all", &bench::arm_patches(forks, "all")?)?;
    let mut environment = cuda.environment();
    environment.push(("CARGO_TARGET_DIR".into(), forks.root.join("target/suites/target").display().to_string()));
    environment.push(("CARGO_PROFILE_RELEASE_STRIP".into(), "symbols".into()));
    let args = ["test", "--release", "--no-run", "--package", FORK, "--tests", "--features", "fault-injection"];
    let built = CargoBuild { folder: &suite.folder, args: &args, environment: &environment }.run()?;
    let tests: Vec<(String, PathBuf)> = built.tests().filter(|(name, _)| name != UPSTREAMS).collect();
    if tests.is_empty() {
        bail!("{FORK} has no tests; are its patches in place? `cargo xtask verify`");
    }
    Ok(tests)
}
