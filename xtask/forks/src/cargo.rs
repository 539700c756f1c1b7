//! Calls of cargo: what it resolves, from the sources, mirrors and offline mode that the user set up. Knows no git.

use std::path::{Path, PathBuf};

use cargo_metadata::{Metadata, MetadataCommand};

use crate::{Error, Result};

/// What to resolve.
pub(crate) struct Request<'a> {
    /// The manifest.
    pub(crate) manifest: PathBuf,
    /// Where cargo runs: its configuration is looked up from there.
    pub(crate) cwd: &'a Path,
    /// Further arguments.
    pub(crate) args: Vec<String>,
    /// What this is for, in an error: "could not …".
    pub(crate) action: String,
}

/// The resolved graph. What is at hand already is tried first, so that nothing is fetched without need.
pub(crate) fn metadata(request: &Request) -> Result<Metadata> {
    let refetch = |error: cargo_metadata::Error| {
        // A lock file that does not fit is no want of a network.
        if error.to_string().contains("--locked") { Err(error) } else { run(request, &[]) }
    };
    run(request, &["--offline"]).or_else(refetch).map_err(|error| told(request, error))
}

/// The resolved graph, as the sources are now.
pub(crate) fn metadata_fresh(request: &Request) -> Result<Metadata> {
    run(request, &[]).map_err(|error| told(request, error))
}

fn run(request: &Request, more: &[&str]) -> Result<Metadata, cargo_metadata::Error> {
    let args = request.args.iter().cloned().chain(more.iter().map(|arg| (*arg).to_owned()));
    let mut command = MetadataCommand::new();
    command.manifest_path(&request.manifest).current_dir(request.cwd).other_options(args.collect::<Vec<_>>());
    command.exec()
}

fn told(request: &Request, error: cargo_metadata::Error) -> Error {
    let reason = match error {
        cargo_metadata::Error::CargoMetadata { stderr } => from_error(&stderr).to_owned(),
        other => other.to_string(),
    };
    Error::Cargo { action: request.action.clone(), reason }
}

/// What cargo said, without progress and warnings before the error.
fn from_error(stderr: &str) -> &str {
    let error = stderr.find("error:").map_or(stderr, |at| &stderr[at + "error:".len()..]);
    // Its advice is about the arguments that we gave it.
    error.split("\nhelp: ").next().unwrap_or(error).trim()
}
