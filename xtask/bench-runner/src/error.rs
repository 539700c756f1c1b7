//! Why a plan could not be run. A proof that fails is no such error: it is recorded.

use std::io;
use std::path::{Path, PathBuf};

use bench_core::plan::PlanError;
use bench_core::schema::SchemaError;
use thiserror::Error;

/// Why a plan could not be run.
#[derive(Debug, Error)]
pub enum RunnerError {
    /// A file could not be read or written.
    #[error("cannot {action} {path}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The plan is no plan.
    #[error("{path}")]
    Plan {
        /// The plan's file.
        path: PathBuf,
        /// What is wrong with it.
        source: PlanError,
    },
    /// The receipt to go on with cannot be read.
    #[error("{path}")]
    Receipt {
        /// The receipt's file.
        path: PathBuf,
        /// What is wrong with it.
        source: SchemaError,
    },
    /// A binary is not the one that the plan names.
    #[error(
        "{path} is not the plan's binary of {arm}: SHA-256 {found} instead of {expected}; write the bundle or build the arm again"
    )]
    OtherBinary {
        /// The file.
        path: PathBuf,
        /// Whose it should be.
        arm: String,
        /// Of the file.
        found: String,
        /// Of the plan.
        expected: String,
    },
    /// An earlier benchmark of this plan was cut short.
    #[error(
        "{path} holds {blocks} finished blocks of an interrupted benchmark: --resume goes on with them, --restart throws them away"
    )]
    Interrupted {
        /// The unfinished receipt.
        path: PathBuf,
        /// Blocks in it.
        blocks: usize,
    },
    /// There is nothing to go on with.
    #[error("there is no interrupted benchmark to resume: {path} does not exist; leave --resume out")]
    NotInterrupted {
        /// Where an unfinished receipt would be.
        path: PathBuf,
    },
    /// An unfinished receipt is of another plan or host.
    #[error("{path} cannot be resumed: {what} is not what it was; --restart throws its {blocks} blocks away")]
    OtherBenchmark {
        /// The unfinished receipt.
        path: PathBuf,
        /// What differs.
        what: &'static str,
        /// Blocks in it.
        blocks: usize,
    },
    /// Parameters could not be made.
    #[error("{binary} could not make the parameters of {workload}: {reason}; its messages are in {log}")]
    Parameters {
        /// Who was asked.
        binary: PathBuf,
        /// For what.
        workload: String,
        /// How it ended.
        reason: String,
        /// Where its messages are.
        log: PathBuf,
    },
}

/// Attaches what was tried, and on which file, to an I/O error.
pub(crate) trait Context<T> {
    /// Names the action and the file.
    fn context(self, action: &'static str, path: &Path) -> Result<T, RunnerError>;
}

impl<T> Context<T> for io::Result<T> {
    fn context(self, action: &'static str, path: &Path) -> Result<T, RunnerError> {
        self.map_err(|source| RunnerError::Io { action, path: path.to_owned(), source })
    }
}
