//! cargo-semver-checks: where it is, and how to get it.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use super::compile::cargo;
use crate::cuda::Install;

const NAME: &str = "cargo-semver-checks";

/// Reads what rustdoc writes from Rust 1.93 on.
const VERSION: &str = "0.51.0";

/// The tool, as it can be run.
pub(super) struct Tool {
    program: PathBuf,
}

impl Tool {
    /// The one in `PATH`, else the one installed below `target/`, else a new one there.
    pub(super) fn find(root: &Path, install: Install) -> Result<Self> {
        let installed = root.join("target/tools/bin").join(NAME);
        for program in [PathBuf::from(NAME), installed.clone()] {
            if let Some(version) = version(&program) {
                eprintln!("{version} ({})", program.display());
                return Ok(Self { program });
            }
        }
        let args = ["install", "--locked", "--root", "target/tools", "--version", &format!("={VERSION}"), NAME];
        let by_hand = format!("cargo {}", args.join(" "));
        if install == Install::Refused {
            bail!(
                "no {NAME} in PATH or target/tools/bin: run `{by_hand}` at the root of the repository, or leave --no-install \
                 out and it is done for you"
            );
        }
        eprintln!("no {NAME} in PATH or target/tools/bin: running `{by_hand}` (some minutes)");
        let status =
            cargo().args(args).current_dir(root).stdout(std::io::stderr()).status().context("cannot run cargo")?;
        if !status.success() {
            bail!(
                "cargo could not install {NAME} {VERSION} (its message is above). It needs Rust 1.93 or later and a network; \
                 without these put any {NAME} that reads your rustdoc's format into PATH"
            );
        }
        Ok(Self { program: installed })
    }

    /// A call that compares two files of rustdoc's JSON and lets additions pass.
    pub(super) fn compare(&self, release: &Path, ours: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["semver-checks", "--color", "never", "--release-type", "minor"]);
        command.arg("--baseline-rustdoc").arg(release).arg("--current-rustdoc").arg(ours);
        command
    }
}

/// What the program says that it is; nothing if it does not run.
fn version(program: &Path) -> Option<String> {
    let output = Command::new(program).args(["semver-checks", "--version"]).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
