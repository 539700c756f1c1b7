//! What can be wrong with a recording file, and what to do about it.

use std::io;
use std::path::PathBuf;

/// Why a recording file was not read or written.
#[derive(Debug, thiserror::Error)]
pub enum RecordingFileError {
    /// The file system's error.
    #[error("cannot {action} the recording {}: {source}", path.display())]
    Io {
        /// `read` or `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The first bytes are not a recording's.
    #[error("{} is no recording: it does not start with the mark CUZKR1CS; make one with `prove-once record`", path.display())]
    NotARecording {
        /// The file.
        path: PathBuf,
    },
    /// Written by another version of this program.
    #[error("{} is a recording of version {found}, this program reads version {expected}: record it again", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// In the file.
        found: u32,
        /// Read by this program.
        expected: u32,
    },
    /// Shorter or longer than its header says, or a header no file could follow.
    #[error("{} has {actual} bytes, its header says {}: the copy is incomplete or damaged, copy or record it again", path.display(), describe(*.expected))]
    Length {
        /// The file.
        path: PathBuf,
        /// From the header; `None` when that is more than 2^64.
        expected: Option<u64>,
        /// On disk.
        actual: u64,
    },
    /// A byte is not what was written.
    #[error("{} is damaged: its SHA-256 does not match the one at its end (byte {at}); copy or record it again", path.display())]
    Checksum {
        /// The file.
        path: PathBuf,
        /// Where the checksum stands.
        at: u64,
    },
    /// Whole, yet nothing that the recorder writes.
    #[error("{}: {what} (before byte {at}); the program that wrote it is at fault, record it again", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
        /// How far the file was read.
        at: u64,
    },
}

fn describe(expected: Option<u64>) -> String {
    match expected {
        Some(bytes) => bytes.to_string(),
        None => "more than any file".to_owned(),
    }
}
