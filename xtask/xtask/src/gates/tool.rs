//! cargo-semver-checks: where it is, and how to get it.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use super::compile::cargo;
use crate::cuda::Install;

const NAME: &str = "cargo-semver-checks";

/// How it is installed. This version reads what rustdoc writes from Rust [`LEAST_RUST`] on.
pub(crate) const INSTALL: &str = "cargo install --locked --root target/tools --version =0.51.0 cargo-semver-checks";
pub(crate) const LEAST_RUST: (u32, u32) = (1, 93);

/// The tool, as it can be run.
pub(super) struct Tool {
    program: PathBuf,
}

impl Tool {
    /// The one in `PATH`, else the one installed below `target/`, else a new one there.
    pub(super) fn find(root: &Path, install: Install) -> Result<Self> {
        if let Some((program, version)) = look(root) {
            eprintln!("{version} ({})", program.display());
            return Ok(Self { program });
        }
        if install == Install::Refused {
            bail!(
                "no {NAME} in PATH or target/tools/bin: run `{INSTALL}` at the root of the repository, or leave --no-install \
                 out and it is done for you"
            );
        }
        eprintln!("no {NAME} in PATH or target/tools/bin: running `{INSTALL}` (some minutes)");
        let args = INSTALL.split(' ').skip(1);
        let status =
            cargo().args(args).current_dir(root).stdout(std::io::stderr()).status().context("cannot run cargo")?;
        if !status.success() {
            bail!(
                "cargo could not do that (its message is above). It needs Rust {}.{} or later and a network; \
                 without these put any {NAME} that reads your rustdoc's format into PATH",
                LEAST_RUST.0,
                LEAST_RUST.1
            );
        }
        Ok(Self { program: installed(root) })
    }

    /// A call that compares two files of rustdoc's JSON and lets additions pass.
    pub(super) fn compare(&self, release: &Path, ours: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["semver-checks", "--color", "never", "--release-type", "minor"]);
        command.arg("--baseline-rustdoc").arg(release).arg("--current-rustdoc").arg(ours);
        command
    }
}

/// The one in `PATH`, else the one installed below `target/`, with what it says that it is.
pub(crate) fn look(root: &Path) -> Option<(PathBuf, String)> {
    let mut programs = [PathBuf::from(NAME), installed(root)].into_iter();
    programs.find_map(|program| version(&program).map(|version| (program, version)))
}

fn installed(root: &Path) -> PathBuf {
    root.join("target/tools/bin").join(NAME)
}

/// What the program says that it is; nothing if it does not run.
fn version(program: &Path) -> Option<String> {
    let output = Command::new(program).args(["semver-checks", "--version"]).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
