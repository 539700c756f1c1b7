//! Looks for nvcc: `NVCC`, `CUDA_HOME`, `CUDA_PATH`, `PATH`, /usr/local/cuda, then what an earlier build installed.

use std::{
    env,
    ffi::OsStr,
    fmt,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

/// The places, in the order in which they are tried, for messages.
pub(super) const PLACES: &str = "NVCC, CUDA_HOME, CUDA_PATH, PATH, /usr/local/cuda, target/cuda";

/// Where a compiler came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Variable(&'static str),
    Path,
    UsrLocal,
    Installed,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => write!(f, "from {name}"),
            Self::Path => f.write_str("from PATH"),
            Self::UsrLocal => f.write_str("from /usr/local/cuda"),
            Self::Installed => f.write_str("from target/cuda"),
        }
    }
}

/// A CUDA compiler and the folder that holds its headers and libraries.
#[derive(Clone, Debug)]
pub(crate) struct Toolkit {
    pub(crate) nvcc: PathBuf,
    pub(crate) root: PathBuf,
    pub(crate) origin: Origin,
    /// "13.0", as the compiler says.
    pub(crate) release: String,
}

/// The first compiler there is. A variable that names one which does not run is an error, not a reason to go on:
/// building with another compiler than the one asked for helps nobody.
pub(crate) fn find(root: &Path) -> Result<Option<Toolkit>> {
    // "off" is sppark's own word for: use no CUDA compiler.
    if let Some(named) = non_empty("NVCC").filter(|v| v != "off") {
        let path = on_path(&named).with_context(|| format!("NVCC={} is not there", named.display()))?;
        return toolkit(path, Origin::Variable("NVCC")).map(Some);
    }
    for name in ["CUDA_HOME", "CUDA_PATH"] {
        if let Some(home) = non_empty(name) {
            let nvcc = Path::new(&home).join("bin/nvcc");
            if !nvcc.is_file() {
                bail!("{name}={} holds no bin/nvcc; mend or unset it", home.display());
            }
            return toolkit(nvcc, Origin::Variable(name)).map(Some);
        }
    }
    let installed = super::install::folder(root).join("bin/nvcc");
    let candidates = [
        (on_path(OsStr::new("nvcc")), Origin::Path),
        (Some(PathBuf::from("/usr/local/cuda/bin/nvcc")), Origin::UsrLocal),
        (Some(installed), Origin::Installed),
    ];
    for (path, origin) in candidates {
        if let Some(path) = path.filter(|p| p.is_file()) {
            return toolkit(path, origin).map(Some);
        }
    }
    Ok(None)
}

pub(super) fn toolkit(nvcc: PathBuf, origin: Origin) -> Result<Toolkit> {
    let nvcc = nvcc.canonicalize().with_context(|| format!("cannot read {}", nvcc.display()))?;
    let output =
        Command::new(&nvcc).arg("--version").output().with_context(|| format!("cannot run {}", nvcc.display()))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let release = release_of(&text)
        .with_context(|| format!("{} --version does not look like nvcc's: {text:?}", nvcc.display()))?;
    let root = nvcc.ancestors().nth(2).context("nvcc lies in no bin folder")?.to_path_buf();
    Ok(Toolkit { nvcc, root, origin, release })
}

/// "13.0" from "Cuda compilation tools, release 13.0, V13.0.88".
fn release_of(version: &str) -> Option<String> {
    let (_, rest) = version.split_once("release ")?;
    let (release, _) = rest.split_once(',')?;
    Some(release.to_owned())
}

fn non_empty(name: &str) -> Option<std::ffi::OsString> {
    env::var_os(name).filter(|v| !v.is_empty())
}

fn on_path(program: &OsStr) -> Option<PathBuf> {
    if Path::new(program).components().count() > 1 {
        return Some(PathBuf::from(program)).filter(|p| p.is_file());
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|dir| dir.join(program)).find(|p| p.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn release_is_read_from_the_version_text() {
        assert_eq!(release_of("Cuda compilation tools, release 13.0, V13.0.88\n").as_deref(), Some("13.0"));
        assert_eq!(release_of("gcc 12.2"), None);
    }
}
