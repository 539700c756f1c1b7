//! Runs cargo and reads its artifact messages: what was built, and from where.
//!
//! A graph check says what cargo means to build; only the artifact messages say what it built.

use std::{
    io::BufReader,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};
use cargo_metadata::{Artifact, Message};
use forks::{Fork, Forks};

/// One run of cargo: its arguments after `cargo`, and variables on top of the caller's.
pub(crate) struct CargoBuild<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) args: &'a [&'a str],
    pub(crate) environment: &'a [(String, String)],
}

/// What cargo said it built (or found fresh).
pub(crate) struct Built {
    artifacts: Vec<Artifact>,
}

impl CargoBuild<'_> {
    /// Runs cargo with progress on stderr.
    ///
    /// # Errors
    /// When cargo cannot be run or the build fails; the compiler's messages have then been shown.
    pub(crate) fn run(&self) -> Result<Built> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let (verb, rest) = self.args.split_at(1);
        let mut child = Command::new(cargo)
            .args(verb)
            // Before what is meant for the compiler.
            .arg("--message-format=json-render-diagnostics")
            .args(rest)
            .envs(self.environment.iter().map(|(k, v)| (k, v)))
            .current_dir(self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot run cargo")?;
        let stdout = child.stdout.take().context("cargo has no output")?;
        let mut artifacts = Vec::new();
        for message in Message::parse_stream(BufReader::new(stdout)) {
            if let Message::CompilerArtifact(artifact) = message.context("cargo's messages broke off")? {
                artifacts.push(artifact);
            }
        }
        if !child.wait().context("cargo was lost")?.success() {
            bail!("cargo {} failed in {}", self.args.join(" "), self.folder.display());
        }
        Ok(Built { artifacts })
    }
}

impl Built {
    /// The executable of the binary target of this name.
    pub(crate) fn executable(&self, name: &str) -> Result<PathBuf> {
        self.artifacts
            .iter()
            .filter(|a| a.target.name == name && a.target.is_bin())
            .find_map(|a| a.executable.clone())
            .map(Into::into)
            .with_context(|| format!("cargo built no binary {name}"))
    }

    /// Name and executable of every test that was built.
    pub(crate) fn tests(&self) -> impl Iterator<Item = (String, PathBuf)> {
        let tests = self.artifacts.iter().filter(|artifact| artifact.profile.test);
        tests.filter_map(|artifact| Some((artifact.target.name.clone(), artifact.executable.clone()?.into())))
    }

    /// Fails unless the fork's crate was compiled, and every time from the fork's folder below `root`.
    pub(crate) fn check_fork(&self, forks: &Forks, fork: &Fork, root: &Path) -> Result<()> {
        let folder = root.join(&fork.folder);
        let folder = folder.canonicalize().with_context(|| format!("cannot read {}", folder.display()))?;
        for from in self.compiled_from(forks, fork)? {
            if from.canonicalize().ok().as_deref() != Some(&folder) {
                bail!(
                    "{} was compiled from {}, not from its fork in {}; run `cargo xtask verify`",
                    fork.krate,
                    from.display(),
                    folder.display()
                );
            }
        }
        Ok(())
    }

    /// Fails unless the fork's crate was compiled, and not from below `root`: the release, not a fork.
    pub(crate) fn check_release(&self, forks: &Forks, fork: &Fork, root: &Path) -> Result<()> {
        match self.compiled_from(forks, fork)?.into_iter().find(|from| from.starts_with(root)) {
            Some(ours) => bail!("{} was compiled from {}, not from its release", fork.krate, ours.display()),
            None => Ok(()),
        }
    }

    /// The folders that the crate of `fork` was compiled from; an error where it was not compiled at all.
    fn compiled_from(&self, forks: &Forks, fork: &Fork) -> Result<Vec<&Path>> {
        let its = self.artifacts.iter().filter(|artifact| {
            let (name, version) = name_and_version(&artifact.package_id.repr);
            forks.answers_for(fork, name, version)
        });
        let from: Vec<&Path> =
            its.filter_map(|artifact| Some(artifact.manifest_path.parent()?.as_std_path())).collect();
        if from.is_empty() {
            bail!(
                "{} {} was not compiled at all: the build does not use it; run `cargo xtask verify`",
                fork.krate,
                fork.version
            );
        }
        Ok(from)
    }
}

/// What a package's id says: `…#name@version`, or `…/name#version` where a folder is called like its package.
fn name_and_version(id: &str) -> (&str, &str) {
    let (place, package) = id.rsplit_once('#').unwrap_or(("", id));
    package.split_once('@').unwrap_or_else(|| (place.rsplit('/').next().unwrap_or(place), package))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_say_name_and_version() {
        for id in ["path+file:///r/extern/demo#1.0.0", "registry+https://example.com/index#demo@1.0.0"] {
            assert_eq!(name_and_version(id), ("demo", "1.0.0"));
        }
    }
}
