//! One module a verb: `Args` is its command line, `run` does it and gives the exit status.

pub(crate) mod apply;
pub(crate) mod bench;
pub(crate) mod build;
pub(crate) mod doctor;
pub(crate) mod drop;
pub(crate) mod edit;
pub(crate) mod export;
mod gpu_tests;
pub(crate) mod new;
pub(crate) mod outdated;
pub(crate) mod rebase;
pub(crate) mod report;
pub(crate) mod status;
pub(crate) mod test;
mod upstream_suites;
pub(crate) mod vendor;
pub(crate) mod verify;

use std::env;
use std::process::ExitCode;

use anyhow::Context;
use forks::{Forks, Held};

/// The repository that the verb runs in.
fn open() -> anyhow::Result<Forks> {
    let here = env::current_dir().context("cannot tell the current folder")?;
    Ok(Forks::find(&here)?)
}

/// [`open`] for a verb that changes the forks or their folders: nobody else does while the second value lives.
fn open_to_change() -> anyhow::Result<(Forks, Held)> {
    let here = env::current_dir().context("cannot tell the current folder")?;
    Ok(Forks::find_to_change(&here)?)
}

/// A check found something.
fn found() -> ExitCode {
    ExitCode::from(1)
}

/// Reports an error and gives the status that goes with it.
pub(crate) fn fail(error: &anyhow::Error) -> ExitCode {
    eprintln!("error: {error:#}");
    ExitCode::from(error.downcast_ref::<forks::Error>().map_or(2, forks::Error::exit_code))
}
