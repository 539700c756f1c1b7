//! The receipt on disk: replaced as a whole after every block, so that a kill at any moment loses no finished block.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use bench_core::receipt::Receipt;

use crate::error::{Context, RunnerError};

/// Where the receipt of an unfinished benchmark lies.
pub(crate) fn partial_path(scratch: &Path, plan: &str) -> PathBuf {
    scratch.join(format!("{plan}.partial.json"))
}

/// Writes `text` to `path` at once: whoever reads sees the old file or the new one.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), RunnerError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).context("create", folder)?;
    // As any other file: what the user's umask leaves, not what a temporary file has.
    let permissions = fs::Permissions::from_mode(0o666);
    let mut file =
        tempfile::Builder::new().permissions(permissions).tempfile_in(folder).context("create a file in", folder)?;
    file.write_all(text.as_bytes()).context("write", path)?;
    file.as_file().sync_all().context("write", path)?;
    file.persist(path).map_err(|error| error.error).context("write", path)?;
    Ok(())
}

/// A folder that can be made and written to.
pub(crate) fn check_writable(folder: &Path) -> Result<(), RunnerError> {
    fs::create_dir_all(folder).context("create", folder)?;
    tempfile::NamedTempFile::new_in(folder).context("create a file in", folder).map(drop)
}

/// An unfinished benchmark at `path` is there if it is to be resumed, and not there if it is to be refused.
pub(crate) fn check_interrupted(path: &Path, interrupted: Interrupted) -> Result<(), RunnerError> {
    match (path.exists(), interrupted) {
        (false, Interrupted::Resume) => Err(RunnerError::NotInterrupted { path: path.to_owned() }),
        (true, Interrupted::Refuse) => {
            let found = parse(path, &fs::read_to_string(path).context("read", path)?)?;
            Err(RunnerError::Interrupted { path: path.to_owned(), blocks: found.blocks.len() })
        }
        _ => Ok(()),
    }
}

/// Removes a file that may not be there.
pub(crate) fn remove(path: &Path) -> Result<(), RunnerError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        removed => removed.context("remove", path),
    }
}

/// What to do with an unfinished benchmark of the same plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interrupted {
    /// Refuse, and say what can be done.
    #[default]
    Refuse,
    /// Go on with its blocks.
    Resume,
    /// Throw them away.
    Discard,
}

fn parse(path: &Path, text: &str) -> Result<Receipt, RunnerError> {
    Receipt::parse(text).map_err(|source| RunnerError::Receipt { path: path.to_owned(), source })
}

/// After [`check_interrupted`], the receipt to go on with, and which of its hosts this is: `fresh`, or an unfinished one
/// of the same benchmark on hosts of the same model.
pub(crate) fn open(path: &Path, fresh: Receipt, interrupted: Interrupted) -> Result<(Receipt, usize), RunnerError> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok((fresh, 0)),
        read => read.context("read", path)?,
    };
    if interrupted == Interrupted::Discard {
        remove(path)?;
        return Ok((fresh, 0));
    }
    let mut found = parse(path, &text)?;
    let blocks = found.blocks.len();
    let differs = |what| Err(RunnerError::OtherBenchmark { path: path.to_owned(), what, blocks });
    match () {
        () if found.plan != fresh.plan => differs("the plan"),
        () if found.arms != fresh.arms => differs("an arm's binary"),
        () if found.toolchain != fresh.toolchain => differs("the toolchain"),
        () => match found.join(fresh.host) {
            Ok(host) => Ok((found, host)),
            Err(what) => differs(what),
        },
    }
}
