//! The binaries of an arm: built in its workspace, checked to hold its forks, and cached by fingerprint.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use bench_core::arm::{Build, Components, sha256_hex};
use bench_core::plan::Toolchain;
use cargo_metadata::MetadataCommand;
use forks::{Fork, Forks, fingerprint, pins};

use super::arms::ArmSpec;
use super::freshness::Freshness;
use super::workspace::{ARMS, Workspace};
use crate::cargo_build::CargoBuild;

/// Builds with this fork need nvcc and name GPU architectures.
pub(crate) const GPU_FORK: &str = "supraseal-c2";

/// What all builds of a benchmark have in common.
pub(crate) struct Builder<'a> {
    pub(crate) forks: &'a Forks,
    pub(crate) toolchain: Toolchain,
    pub(crate) sources_sha256: String,
    /// Environment of CUDA builds.
    pub(crate) cuda: Vec<(String, String)>,
}

impl Builder<'_> {
    /// Builds `kind` of the arm unless it is there; the binary's path is relative to [`ARMS`].
    pub(crate) fn build(&self, arm: &ArmSpec, kind: &str, workspace: &Workspace) -> Result<Build> {
        let build = self.pinned_build(kind)?;
        let features = self.features(arm, build)?;
        let components = self.components(arm, build, &features, workspace)?;
        let fingerprint = components.fingerprint();
        let binary = format!("bin/{}/{kind}/prove-once", &fingerprint[..16]);
        let path = self.forks.root.join(ARMS).join(&binary);
        if !path.exists() {
            eprintln!("building {} ({kind})", arm.name);
            self.compile(arm, build, &features, workspace, &fingerprint, &path)?;
        }
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Build {
            binary,
            patches: self.forks_in(build).iter().flat_map(|fork| measured_in(arm, fork)).collect(),
            binary_sha256: sha256_hex(&bytes),
            code_sha256: code_sha256(bytes, &fingerprint),
            fingerprint,
            components,
        })
    }

    /// What [`Self::build`] would give as the build's fingerprint.
    pub(crate) fn fingerprint(&self, arm: &ArmSpec, kind: &str, workspace: &Workspace) -> Result<String> {
        let build = self.pinned_build(kind)?;
        Ok(self.components(arm, build, &self.features(arm, build)?, workspace)?.fingerprint())
    }

    fn pinned_build(&self, kind: &str) -> Result<&pins::Build> {
        let builds = &self.forks.pins.builds;
        builds
            .iter()
            .find(|build| build.name == kind)
            .with_context(|| format!("{} names no build `{kind}`", pins::PATH))
    }

    fn forks_in(&self, build: &pins::Build) -> Vec<&Fork> {
        self.forks.pins.forks.iter().filter(|fork| build.forks.contains(&fork.name)).collect()
    }

    /// The features to ask for, all spelt out: upstream lacks `forked`, which what a package has by default holds.
    fn features(&self, arm: &ArmSpec, build: &pins::Build) -> Result<Vec<String>> {
        let mut features = build.features.clone();
        if build.default_features {
            features.extend(default_features(&self.forks.root, &build.package)?);
        }
        features.sort();
        features.dedup();
        if arm.is_upstream() {
            features.retain(|feature| feature != "forked");
        }
        if build.name == "cuda" {
            // It proves recordings; storage-proofs would be compiled once more for every arm.
            features.retain(|feature| feature != "filecoin");
        }
        Ok(features)
    }

    fn components(
        &self,
        arm: &ArmSpec,
        build: &pins::Build,
        features: &[String],
        workspace: &Workspace,
    ) -> Result<Components> {
        let forks = self.forks_in(build);
        let unused: Vec<&Fork> =
            self.forks.pins.forks.iter().filter(|fork| !build.forks.contains(&fork.name)).collect();
        let is_unused =
            |krate: &str, version: &str| unused.iter().any(|fork| self.forks.answers_for(fork, krate, version));
        let gpu = forks.iter().any(|fork| fork.krate == GPU_FORK);
        let mut toolchain = vec![self.toolchain.rustc.clone()];
        toolchain.extend(self.toolchain.nvcc.clone().filter(|_| gpu));
        let mut patches = BTreeMap::new();
        if !arm.is_upstream() {
            for fork in &forks {
                patches.extend(fingerprint::patch_ids(self.forks, fork, &measured_in(arm, fork))?);
            }
        }
        Ok(Components {
            build: format!("{} [{}]", build.name, features.join(" ")),
            pins: forks.iter().map(|fork| (fork.name.clone(), fingerprint::pin(fork))).collect(),
            patches,
            lock_sha256: sha256_hex(workspace.lock.reachable(&build.package, &is_unused).as_bytes()),
            toolchain,
            architectures: if gpu { self.toolchain.architectures.clone() } else { Vec::new() },
            sources_sha256: self.sources_sha256.clone(),
            layout: arm.layout,
        })
    }

    fn compile(
        &self,
        arm: &ArmSpec,
        build: &pins::Build,
        features: &[String],
        workspace: &Workspace,
        fingerprint: &str,
        to: &Path,
    ) -> Result<()> {
        let target = self.forks.root.join(ARMS).join("target");
        let mut environment: Vec<(String, String)> = [
            ("CARGO_TARGET_DIR", target.display().to_string()),
            ("CARGO_PROFILE_RELEASE_STRIP", "symbols".into()),
            // In place of the user's flags. A build id would differ where the code does not.
            ("RUSTFLAGS", "-C link-arg=-Wl,--build-id=none".into()),
            // The same for all arms, so that equal code gives equal binaries; the receipt knows the arm.
            ("CUZK_ARM", "bench".into()),
            ("CUZK_FORKS_FINGERPRINT", fingerprint.into()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        if self.forks_in(build).iter().any(|fork| fork.krate == GPU_FORK) {
            environment.extend(self.cuda.iter().cloned());
        }
        let features = features.join(",");
        let mut args = vec!["rustc", "--release", "--locked", "--package", &build.package, "--bin", &build.package];
        args.extend(["--no-default-features", "--features", &features]);
        // To the last step alone, so that a twin costs no more than its linking.
        let shuffle = arm.layout.map(|seed| format!("link-arg=-Wl,--shuffle-sections=.text*={seed}"));
        args.extend(shuffle.iter().flat_map(|shuffle| ["--", "-C", shuffle]));
        let cargo = CargoBuild { folder: &workspace.folder, args: &args, environment: &environment };
        let crates = self.changing_crates(arm, build)?;
        let built = Freshness::open(&target).during(&build.name, &workspace.folder, &crates, || cargo.run());
        let linker = if arm.layout.is_some() { "; a twin needs lld as linker, which shuffles functions" } else { "" };
        let built = built.with_context(|| format!("the arm {} does not build as {}{linker}", arm.name, build.name))?;
        for fork in self.forks_in(build) {
            match arm.is_upstream() {
                true => built.check_release(self.forks, fork, &workspace.folder)?,
                false => built.check_fork(self.forks, fork, &workspace.folder)?,
            }
        }
        install(&built.executable(&build.package)?, to)
    }

    /// The crates whose sources may differ from one build to the next: this repository's, and the forks in the build.
    fn changing_crates(&self, arm: &ArmSpec, build: &pins::Build) -> Result<Vec<PathBuf>> {
        let mut crates = Vec::new();
        for entry in fs::read_dir(self.forks.root.join("cuzk")).context("cannot list cuzk")? {
            crates.push(Path::new("cuzk").join(entry?.file_name()));
        }
        if !arm.is_upstream() {
            crates.extend(self.forks_in(build).into_iter().map(|fork| fork.folder.clone()));
        }
        Ok(crates)
    }
}

fn measured_in(arm: &ArmSpec, fork: &Fork) -> Vec<String> {
    let ids = fork.measured.iter().map(|patch| &patch.id);
    ids.filter(|id| arm.patches.contains(id)).cloned().collect()
}

/// Copies at once, so that a binary in the cache is whole.
fn install(binary: &Path, to: &Path) -> Result<()> {
    let folder = to.parent().context("a binary lies in a folder")?;
    fs::create_dir_all(folder)?;
    let partial = to.with_extension("partial");
    fs::copy(binary, &partial).with_context(|| format!("cannot copy {}", binary.display()))?;
    fs::rename(&partial, to).with_context(|| format!("cannot write {}", to.display()))
}

fn default_features(root: &Path, package: &str) -> Result<Vec<String>> {
    let manifest = root.join("Cargo.toml");
    let metadata =
        MetadataCommand::new().manifest_path(&manifest).no_deps().exec().context("cannot read the workspace")?;
    let package = metadata.packages.iter().find(|found| found.name.as_str() == package);
    let package = package.with_context(|| format!("{} has no package {package:?}", manifest.display()))?;
    Ok(package.features.get("default").cloned().unwrap_or_default())
}

/// SHA-256 of a binary with its fingerprint blanked.
fn code_sha256(mut bytes: Vec<u8>, fingerprint: &str) -> String {
    let needle = fingerprint.as_bytes();
    for at in 0..bytes.len().saturating_sub(needle.len() - 1) {
        // The first byte settles nearly all: binaries are tens of MB, and this runs unoptimised.
        if bytes[at] == needle[0] && bytes[at..].starts_with(needle) {
            bytes[at..at + needle.len()].fill(0);
        }
    }
    sha256_hex(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fingerprint_alone_does_not_make_code_differ() {
        let code = |fingerprint: &str, rest: &str| {
            code_sha256(format!("..{fingerprint}{rest}{fingerprint}").into_bytes(), fingerprint)
        };
        assert_eq!(code("aaaa", "code"), code("bbbb", "code"));
        assert_ne!(code("aaaa", "code"), code("bbbb", "cods"));
    }
}
