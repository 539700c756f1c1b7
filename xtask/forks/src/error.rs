//! What can go wrong, each with its state, its likely cause and the next step.

use std::io;
use std::path::{Path, PathBuf};

/// The result of this crate's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong. `Display` says what to do next.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Files of the repository that change together, when only some could be written.
    #[error(
        "cannot {action} {}: {reason}\n  the change is kept whole in {} and half done: make the file writable (a read-only folder, \
         `chattr +i` or a full disk is in the way), and the next `cargo xtask` finishes it\n  \
         to give it up instead: delete {}, and restore patches/ from version control",
        path.display(),
        crate::rewrite::JOURNAL,
        crate::rewrite::JOURNAL
    )]
    Unfinished {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// No `patches/forks.toml` upwards.
    #[error("no {} in {} or a folder above it: run this inside the repository", crate::pins::PATH, start.display())]
    NoRoot {
        /// Where the search began.
        start: PathBuf,
    },
    /// `forks.toml` is wrong.
    #[error("{}: {reason}", path.display())]
    Pins {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A crate that is no fork.
    #[error("`{name}` is no fork; there are: {known}")]
    UnknownFork {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A patch that the series lacks.
    #[error("`{id}` is no patch of {fork}; its series has: {known}")]
    UnknownPatch {
        /// The crate.
        fork: String,
        /// The id asked for.
        id: String,
        /// The ids there are.
        known: String,
    },
    /// git could not be run, or failed where it should not.
    #[error("git {args} failed: {reason}")]
    Git {
        /// Its command line.
        args: String,
        /// What it said.
        reason: String,
    },
    /// git is too old.
    #[error("git {found} is too old: merging without a working tree needs 2.40 or later")]
    GitVersion {
        /// The version found.
        found: String,
    },
    /// cargo failed.
    #[error("cargo could not {action}: {reason}")]
    Cargo {
        /// What it was asked for.
        action: String,
        /// What it said.
        reason: String,
    },
    /// A release that is not the one pinned.
    #[error(
        "{}: wrong checksum\n  expected {expected} (the pin in {})\n  actual   {actual}\n  {remedy}",
        file.display(),
        crate::pins::PATH
    )]
    Checksum {
        /// The file.
        file: PathBuf,
        /// The pin.
        expected: String,
        /// What the file has.
        actual: String,
        /// What to do.
        remedy: String,
    },
    /// A release that cannot be used as it is.
    #[error("{}: {reason}", path.display())]
    Release {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A patch file that cannot be read.
    #[error("{}: {reason}", path.display())]
    PatchFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A patch without a file.
    #[error(
        "patch `{patch}` of {fork} has no file yet: commit it (`cargo xtask edit {fork}`), then `cargo xtask export {fork}`"
    )]
    NoFile {
        /// The crate.
        fork: String,
        /// The patch.
        patch: String,
    },
    /// A patch that does not fit the commit below it exactly.
    #[error(
        "patch `{patch}` of {fork} does not apply exactly: {reason}\n  likely cause: the pin or a patch below it changed without this one\n  \
         mend: restore the files below patches/{fork} from version control, or `cargo xtask edit {fork}`, commit the patch anew, `cargo xtask export {fork}`"
    )]
    Inexact {
        /// The crate.
        fork: String,
        /// The patch.
        patch: String,
        /// What does not fit.
        reason: String,
    },
    /// Patches that do not go together.
    #[error("patch `{patch}` of {fork} conflicts with what lies below it ({below}) in {files}")]
    Conflict {
        /// The crate.
        fork: String,
        /// The patch being placed.
        patch: String,
        /// The patches below it.
        below: String,
        /// The files in conflict.
        files: String,
    },
    /// A set of patches that its trailers rule out.
    #[error("{fork}: {reason}")]
    Inadmissible {
        /// The crate.
        fork: String,
        /// Which trailer rules it out.
        reason: String,
    },
    /// Work in a fork's folder that would be lost.
    #[error(
        "{folder} holds work that is in no patch file:\n{}\n  keep it:    commit it there (each commit with its Patch-Id trailer), then `cargo xtask export {fork}`\n  \
         discard it: `cargo xtask apply --discard {fork}`",
        what.iter().map(|line| format!("  - {line}")).collect::<Vec<_>>().join("\n")
    )]
    Work {
        /// The crate.
        fork: String,
        /// Its folder.
        folder: String,
        /// What would be lost.
        what: Vec<String>,
    },
    /// Something else at a fork's place.
    #[error(
        "{folder} holds files that were not laid out by `cargo xtask apply`\n  keep them:   move the folder elsewhere, then \
         `cargo xtask apply {fork}`\n  discard them: `cargo xtask apply --discard {fork}`"
    )]
    Foreign {
        /// The crate.
        fork: String,
        /// Its folder.
        folder: String,
    },
    /// Dependants that would not take a new version.
    #[error(
        "{fork}: not everything takes {version}:\n{}",
        who.iter().map(|line| format!("  - {line}")).collect::<Vec<_>>().join("\n")
    )]
    Required {
        /// The fork.
        fork: String,
        /// The version.
        version: String,
        /// Who requires what, and what can be done.
        who: Vec<String>,
    },
    /// A call of `rebase` that makes no sense now.
    #[error("{fork}: {reason}\n  mend: {mend}")]
    Usage {
        /// The fork.
        fork: String,
        /// What is wrong with it.
        reason: String,
        /// What to do.
        mend: String,
    },
    /// A rebase that cannot go on as asked, or that something else has to wait for.
    #[error("{fork}: {reason}\n  mend: {mend}")]
    Rebase {
        /// The fork.
        fork: String,
        /// What stands in the way.
        reason: String,
        /// What to do.
        mend: String,
    },
    /// Commits that cannot be taken back to patch files.
    #[error("{fork}: {reason}\n  mend: {mend}")]
    Export {
        /// The crate.
        fork: String,
        /// What stands in the way.
        reason: String,
        /// What to do.
        mend: String,
    },
    /// A patch that cannot be started as asked.
    #[error("{fork}: `{patch}` was not started: {reason}\n  mend: {mend}")]
    NotStarted {
        /// The crate.
        fork: String,
        /// The patch.
        patch: String,
        /// What stands in the way.
        reason: String,
        /// What to do.
        mend: String,
    },
    /// A patch that cannot be retired.
    #[error("{fork}: `{patch}` was not dropped: {reason}\n  mend: {mend}")]
    NotDropped {
        /// The crate.
        fork: String,
        /// The patch.
        patch: String,
        /// What stands in the way.
        reason: String,
        /// What to do.
        mend: String,
    },
    /// A folder for generated files that holds others.
    #[error(
        "{} holds files, and `cargo xtask vendor` did not write them\n  \
         mend: name a new or an empty folder, or one that it wrote", path.display()
    )]
    Occupied {
        /// The folder.
        path: PathBuf,
    },
    /// A folder for generated files at a place of something else.
    #[error("{}: {what}\n  mend: name a folder outside, such as target/vendored", path.display())]
    Misplaced {
        /// The folder.
        path: PathBuf,
        /// What the place is for.
        what: String,
    },
}

impl Error {
    /// For `map_err`: an input or output error on `path`.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }

    /// The exit status of a verb that ends with this: 1 when a check found something, 2 for usage and environment.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Checksum { .. }
            | Self::PatchFile { .. }
            | Self::NoFile { .. }
            | Self::Inexact { .. }
            | Self::Conflict { .. }
            | Self::Inadmissible { .. }
            | Self::Work { .. }
            | Self::Foreign { .. }
            | Self::Export { .. }
            | Self::NotDropped { .. }
            | Self::Required { .. }
            | Self::Rebase { .. } => 1,
            _ => 2,
        }
    }
}
