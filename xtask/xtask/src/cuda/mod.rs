//! The CUDA compiler: where it is, how to get one, and which GPUs it shall build for.
//!
//! Knows nothing of forks or arms: it gives an environment to whoever runs cargo. The stock build scripts choose GPU
//! architectures themselves, so the environment names a wrapper that replaces their choice, for every arm alike.

mod arch;
mod find;
mod install;
mod wrapper;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

pub(crate) use arch::Arch;
pub(crate) use find::{Toolkit, find};
pub(crate) use install::RELEASE;

/// What a build may do when no compiler is found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Install {
    /// Install the pinned compiler below `target/`.
    Allowed,
    /// Refuse, naming the places looked at.
    Refused,
}

/// The compiler and the architectures of one build.
pub(crate) struct CudaBuild {
    pub(crate) toolkit: Toolkit,
    pub(crate) archs: Vec<Arch>,
    wrapper: PathBuf,
}

impl CudaBuild {
    /// Finds (or installs) the compiler and settles the architectures: those asked for, else this machine's, else a
    /// list that covers the cards in use. An architecture that the compiler does not know is an error that lists
    /// those it does.
    pub(crate) fn prepare(root: &Path, asked: &[Arch], install: Install) -> Result<Self> {
        let toolkit = match find(root)? {
            Some(toolkit) => toolkit,
            None if install == Install::Allowed => {
                eprintln!("no CUDA compiler in {}", find::PLACES);
                install::install(root)?
            }
            None => bail!(
                "no CUDA compiler in {}; set NVCC or CUDA_HOME, or leave --no-install out to get CUDA {} below target/",
                find::PLACES,
                install::RELEASE
            ),
        };
        let known = arch::known(&toolkit.nvcc)?;
        let archs = arch::choose(asked, &arch::local(), &known)?;
        let wrapper =
            wrapper::write(root, &toolkit.nvcc, &archs).context("cannot write the compiler's wrapper below target/")?;
        Ok(Self { toolkit, archs, wrapper })
    }

    /// Variables that make every build script use this compiler, these architectures and the static runtime.
    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        let root = &self.toolkit.root;
        let mut library_path = vec![root.join("lib64"), root.join("lib")];
        if let Some(old) = std::env::var_os("LIBRARY_PATH") {
            library_path.extend(std::env::split_paths(&old));
        }
        let library_path = std::env::join_paths(library_path).unwrap_or_default();
        vec![
            ("NVCC".into(), self.wrapper.display().to_string()),
            ("CUDA_PATH".into(), root.display().to_string()),
            ("LIBRARY_PATH".into(), library_path.to_string_lossy().into_owned()),
        ]
    }

    /// One line for people: release, origin, architectures.
    pub(crate) fn describe(&self) -> String {
        let archs: Vec<String> = self.archs.iter().map(ToString::to_string).collect();
        format!("CUDA {} ({}), for {}", self.toolkit.release, self.toolkit.origin, archs.join(", "))
    }
}
