//! What goes wrong, in the form in which it is printed; panics of provers among it.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;

use serde::Serialize;

/// An error as the JSON shows it.
#[derive(Debug, Serialize)]
pub(crate) struct Failure {
    kind: Kind,
    message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// No such workload, or this binary was built without what it needs.
    Workload,
    /// A recording cannot be read, written or made.
    Recording,
    /// No parameters, or bad ones.
    Parameters,
    /// This machine lacks something.
    Environment,
    /// The prover returned an error.
    Prover,
    /// The prover panicked.
    Panic,
    /// The prover returned a proof that does not verify.
    InvalidProof,
    /// Proofs of the same circuit with the same randomness differ.
    ProofsDiffer,
}

impl Failure {
    pub(crate) fn new(kind: Kind, message: impl ToString) -> Self {
        Self { kind, message: message.to_string() }
    }

    /// For `map_err`.
    pub(crate) fn of<E: ToString>(kind: Kind) -> impl Fn(E) -> Self {
        move |error| Self::new(kind, error.to_string())
    }

    /// 2 when proving could not start, 1 when it failed.
    pub(crate) fn exit_code(&self) -> u8 {
        match self.kind {
            Kind::Workload | Kind::Recording | Kind::Parameters | Kind::Environment => 2,
            Kind::Prover | Kind::Panic | Kind::InvalidProof | Kind::ProofsDiffer => 1,
        }
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }
}

/// The first panic since the last [`catch`], with its place: the one that a pool's thread had comes before
/// those that follow from it.
static FIRST_PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Keeps panics for [`catch`] in place of printing them.
pub(crate) fn keep_panics() {
    panic::set_hook(Box::new(|info| {
        let mut first = FIRST_PANIC.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if first.is_none() {
            *first = Some(info.to_string().replace('\n', " "));
        }
    }));
}

/// Runs what may panic; upstream's provers assert where ours return errors.
pub(crate) fn catch<T>(run: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|payload| {
        let first = FIRST_PANIC.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        let message = first.unwrap_or_else(|| said(payload.as_ref()));
        Err(Failure::new(Kind::Panic, message))
    })
}

fn said(payload: &(dyn Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}
