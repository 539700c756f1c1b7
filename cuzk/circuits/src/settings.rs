//! The settings of storage-proofs, which it reads once, from the environment and from a file in the current
//! folder.

use crate::WorkloadError;

/// Has storage-proofs read its settings in an empty folder, so that no `rust-fil-proofs.config.toml`
/// decides how a workload is built. Changes the process's current folder for that moment: call it before
/// other threads exist. The environment is the caller's to clear. Does nothing the second time, or in a
/// build without Filecoin's circuits.
///
/// # Errors
/// When the environment holds settings that storage-proofs does not understand, or folders cannot be used.
#[cfg(feature = "filecoin")]
pub fn pin_settings() -> Result<(), WorkloadError> {
    use std::sync::OnceLock;
    static PINNED: OnceLock<Result<(), String>> = OnceLock::new();
    let pinned = PINNED.get_or_init(|| read_in_empty_folder().map_err(|error| error.to_string()));
    pinned.clone().map_err(|what| WorkloadError::Settings { what })
}

/// Nothing to pin in this build.
///
/// # Errors
/// None.
#[cfg(not(feature = "filecoin"))]
pub fn pin_settings() -> Result<(), WorkloadError> {
    Ok(())
}

#[cfg(feature = "filecoin")]
fn read_in_empty_folder() -> std::io::Result<()> {
    use std::{env, io, panic};
    use storage_proofs_core::settings::SETTINGS;

    let here = env::current_dir()?;
    let empty = tempfile::tempdir()?;
    env::set_current_dir(empty.path())?;
    let parts = panic::catch_unwind(|| SETTINGS.window_post_synthesis_num_cpus);
    env::set_current_dir(here)?;
    match parts {
        Ok(0) => Err(io::Error::other("FIL_PROOFS_WINDOW_POST_SYNTHESIS_NUM_CPUS is 0: unset it")),
        Ok(_) => Ok(()),
        Err(_) => Err(io::Error::other("storage-proofs refuses its settings: unset the variables FIL_PROOFS_*")),
    }
}
