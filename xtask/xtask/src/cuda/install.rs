//! Installs a pinned CUDA compiler from Python wheels, checked by hash, below `target/cuda`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use super::find::{Origin, Toolkit, toolkit};

/// The release that the requirements pin.
pub(crate) const RELEASE: &str = "13.0";

/// Exact versions with their SHA-256, in pip's format: pip itself refuses a wheel that differs.
const REQUIREMENTS: &str = include_str!("requirements.txt");

/// Where the wheels unpack to.
pub(super) fn folder(root: &Path) -> PathBuf {
    home(root).join("nvidia/cu13")
}

fn home(root: &Path) -> PathBuf {
    root.join("target/cuda").join(RELEASE)
}

/// About 100 MB to fetch and 300 MB on disk. Unpacked beside its place and renamed when whole, so that an interrupted
/// install leaves nothing that looks finished.
pub(super) fn install(root: &Path) -> Result<Toolkit> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        bail!("the pinned CUDA wheels are for Linux on x86-64; install CUDA yourself and set CUDA_HOME");
    }
    let home = home(root);
    let parent = home.parent().context("target/cuda has no parent")?;
    fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
    let partial = tempfile::Builder::new()
        .prefix("installing-")
        .tempdir_in(parent)
        .with_context(|| format!("cannot write in {}", parent.display()))?;
    let requirements = partial.path().join("requirements.txt");
    fs::write(&requirements, REQUIREMENTS)?;
    eprintln!("installing CUDA {RELEASE}'s compiler from Python wheels into {} (about 100 MB)", home.display());
    let whole = partial.path().join("whole");
    pip_install(&requirements, &whole)?;
    // nvcc's profile looks for libraries in lib64.
    std::os::unix::fs::symlink("lib", whole.join("nvidia/cu13/lib64")).context("cannot link lib64")?;
    toolkit(whole.join("nvidia/cu13/bin/nvcc"), Origin::Installed)?;
    if home.exists() {
        fs::remove_dir_all(&home).with_context(|| format!("cannot replace {}", home.display()))?;
    }
    fs::rename(&whole, &home).with_context(|| format!("cannot move the compiler to {}", home.display()))?;
    toolkit(folder(root).join("bin/nvcc"), Origin::Installed)
}

fn pip_install(requirements: &Path, to: &Path) -> Result<()> {
    let status = Command::new("python3")
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-compile"])
        .env("PIP_ROOT_USER_ACTION", "ignore")
        .args(["--only-binary=:all:", "--require-hashes", "--requirement"])
        .arg(requirements)
        .arg("--target")
        .arg(to)
        .stdout(std::io::stderr())
        .status()
        .context("cannot run python3, which fetches the CUDA wheels; install Python 3, or CUDA yourself")?;
    if !status.success() {
        bail!(
            "pip could not install CUDA's wheels (its message is above). Without pip: apt-get install python3-pip. \
             Without network: install CUDA yourself and set CUDA_HOME"
        );
    }
    Ok(())
}
