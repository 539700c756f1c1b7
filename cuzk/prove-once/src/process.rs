//! The process that the provers find themselves in: size of thread pools, settings from the environment.
//!
//! Pools and settings are read once, from the environment, by libraries that offer no other way. So the
//! program sets the environment right and runs itself anew, before any thread exists.

use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::failure::{Failure, Kind};

/// Set in the second run.
const MARK: &str = "PROVE_ONCE_SETTLED";
/// rayon's pool and ec-gpu-gen's.
const POOLS: [&str; 2] = ["RAYON_NUM_THREADS", "EC_GPU_NUM_THREADS"];
/// storage-proofs reads its settings from variables that start so.
const FILECOIN_SETTINGS: &str = "FIL_PROOFS_";
/// Into how many parts storage-proofs cuts a PoSt circuit; no part of the result.
const FILECOIN_POOL: &str = "FIL_PROOFS_WINDOW_POST_SYNTHESIS_NUM_CPUS";

/// Returns in a process whose pools have `threads` threads each, and that no setting of storage-proofs
/// reaches. Replaces the running program if need be.
pub(crate) fn settle(threads: Option<u16>) -> Result<(), Failure> {
    let stray = |name: &OsString| name.to_string_lossy().starts_with(FILECOIN_SETTINGS);
    let strays: Vec<OsString> = env::vars_os().map(|(name, _)| name).filter(stray).collect();
    if env::var_os(MARK).is_some() || (threads.is_none() && strays.is_empty()) {
        return Ok(());
    }
    let itself = env::current_exe().map_err(Failure::of(Kind::Environment))?;
    let mut command = Command::new(itself);
    command.args(env::args_os().skip(1)).env(MARK, "1");
    for name in strays {
        command.env_remove(name);
    }
    if let Some(threads) = threads {
        for name in POOLS.into_iter().chain([FILECOIN_POOL]) {
            command.env(name, threads.to_string());
        }
    }
    // Comes back only when it failed.
    Err(Failure::new(Kind::Environment, command.exec()))
}

/// Threads of each pool.
pub(crate) fn threads(asked: Option<u16>) -> usize {
    asked.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
}
