//! What can be wrong with a parameter file, and what to do about it.

use std::io;
use std::path::PathBuf;

use bellperson::SynthesisError;

/// Why there are no parameters.
#[derive(Debug, thiserror::Error)]
pub enum ParametersError {
    /// The file system's error.
    #[error("cannot {action} the parameters {}: {source}", path.display())]
    Io {
        /// `read`, `write` or `replace`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// No trailer of ours where it should be.
    #[error("{} has no mark of test parameters at byte {at} of {length}: it is truncated, or not made by `prove-once params`; remove it and make it again", path.display())]
    NoTrailer {
        /// The file.
        path: PathBuf,
        /// Where the trailer should start.
        at: u64,
        /// Bytes in the file.
        length: u64,
    },
    /// The trailer is damaged, or of another version.
    #[error("{}: the trailer at byte {at} {what}; remove the file and make it again with `prove-once params`", path.display())]
    Trailer {
        /// The file.
        path: PathBuf,
        /// Where the trailer starts.
        at: u64,
        /// What is wrong.
        what: String,
    },
    /// Good parameters, of another circuit.
    #[error("{} is for the circuit {found}, not for {expected}: name the parameters of this circuit, or let `prove-once params` make them", path.display())]
    OtherCircuit {
        /// The file.
        path: PathBuf,
        /// The circuit asked for.
        expected: String,
        /// The circuit in the trailer.
        found: String,
    },
    /// The points are not those that were written.
    #[error("{} is damaged between bytes 0 and {length}: their SHA-256 is not the one in the trailer; remove the file and make it again with `prove-once params`", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Bytes that the checksum covers.
        length: u64,
    },
    /// bellperson cannot make parameters for the circuit.
    #[error("no parameters for {circuit}: {source}")]
    Generate {
        /// The recording's name.
        circuit: String,
        /// What bellperson said.
        source: SynthesisError,
    },
}
