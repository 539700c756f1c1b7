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
        let mut child = Command::new(cargo)
            .args(self.args)
            .arg("--message-format=json-render-diagnostics")
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

    /// Fails unless every artifact of the crate was compiled from `folder`, and there was at least one when the crate
    /// is `expected`.
    pub(crate) fn check_fork(&self, name: &str, folder: &Path, expected: bool) -> Result<()> {
        let library = name.replace('-', "_");
        let folder = folder.canonicalize().with_context(|| format!("cannot read {}", folder.display()))?;
        let mut seen = 0;
        for artifact in self.artifacts.iter().filter(|a| a.target.name.replace('-', "_") == library) {
            let from = artifact.manifest_path.parent().context("a manifest without a folder")?;
            if from.as_std_path().canonicalize().ok().as_deref() != Some(&folder) {
                bail!(
                    "{name} was compiled from {from}, not from its fork in {}; run `cargo xtask verify`",
                    folder.display()
                );
            }
            seen += 1;
        }
        if expected && seen == 0 {
            bail!("{name} was not compiled at all: the build does not use its fork; run `cargo xtask verify`");
        }
        Ok(())
    }

    /// Fails unless the crate was compiled, and not from below `folder`: the release, not a fork.
    pub(crate) fn check_release(&self, name: &str, folder: &Path) -> Result<()> {
        let library = name.replace('-', "_");
        let mut found = self.artifacts.iter().filter(|a| a.target.name.replace('-', "_") == library).peekable();
        if found.peek().is_none() {
            bail!("{name} was not compiled at all: the build does not use it; run `cargo xtask verify`");
        }
        match found.find(|a| a.manifest_path.starts_with(folder)) {
            Some(ours) => bail!("{name} was compiled from {}, not from its release", ours.manifest_path),
            None => Ok(()),
        }
    }
}
