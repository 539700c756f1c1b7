//! A recording as an ordinary circuit.

use std::sync::Arc;

use bellpepper_core::{Circuit, ConstraintSystem, LinearCombination, SynthesisError};

use crate::{Fr, Matrix, Recording};

/// Allocates the recorded variables, then enforces the recorded rows. Parameters and proofs made from
/// it are the same bytes as those of the circuit that was recorded.
#[derive(Clone, Debug)]
pub struct Replay {
    recording: Arc<Recording>,
}

impl Replay {
    /// Shares the recording, so clones for a batch cost nothing.
    pub fn new(recording: Arc<Recording>) -> Self {
        Self { recording }
    }

    fn row(&self, matrix: &Matrix, row: usize, sum: LinearCombination<Fr>) -> LinearCombination<Fr> {
        matrix
            .row(row)
            .fold(sum, |sum, (column, place)| sum + (*self.recording.r1cs.coefficient(place), column.variable()))
    }
}

impl Circuit<Fr> for Replay {
    fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        for value in self.recording.public_inputs() {
            cs.alloc_input(|| "input", || Ok(*value))?;
        }
        for value in self.recording.aux() {
            cs.alloc(|| "aux", || Ok(*value))?;
        }
        let r1cs = self.recording.r1cs();
        for row in 0..r1cs.constraints() {
            cs.enforce(
                || "row",
                |sum| self.row(&r1cs.a, row, sum),
                |sum| self.row(&r1cs.b, row, sum),
                |sum| self.row(&r1cs.c, row, sum),
            );
        }
        Ok(())
    }
}
