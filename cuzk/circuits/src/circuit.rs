//! One type for all workloads' circuits, so that the prover is compiled for one.

use std::sync::Arc;

use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use cuzk_r1cs::{Fr, RecordError, Recording, Replay};

#[cfg(feature = "filecoin")]
use crate::WinningPost;
use crate::{Chain, Sha256Chain};

/// A circuit with its witness.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum WorkloadCircuit {
    /// An arithmetic chain.
    Chain(Chain),
    /// SHA-256 of some blocks.
    Sha256(Sha256Chain),
    /// A real WinningPoSt.
    #[cfg(feature = "filecoin")]
    WinningPost(WinningPost),
    /// A recording of any circuit.
    Replay(Replay),
}

impl WorkloadCircuit {
    /// Shares the recording.
    pub fn replay(recording: Arc<Recording>) -> Self {
        Self::Replay(Replay::new(recording))
    }

    /// Writes down matrices and witness.
    ///
    /// # Errors
    /// As [`Recording::record`].
    pub fn record(&self, name: &str) -> Result<Recording, RecordError> {
        Recording::record(name, self.clone())
    }
}

impl Circuit<Fr> for WorkloadCircuit {
    fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        match self {
            Self::Chain(circuit) => circuit.synthesize(cs),
            Self::Sha256(circuit) => circuit.synthesize(cs),
            #[cfg(feature = "filecoin")]
            Self::WinningPost(circuit) => circuit.synthesize(cs),
            Self::Replay(circuit) => circuit.synthesize(cs),
        }
    }
}
