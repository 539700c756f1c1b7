//! INSECURE: proofs whose randomness the caller chooses.
//!
//! Such proofs are the same bytes each time, which tests and benchmarks need, and they give the witness
//! away to whoever knows the randomness. Never use them where the witness is worth anything.

use bellperson::SynthesisError;
use bellperson::groth16::{Proof, create_proof_batch};
use blstrs::Bls12;
use cuzk_r1cs::Fr;

use crate::{Key, WorkloadCircuit};

/// Proves the circuits as one batch with bellperson, compiled here once for all workloads.
///
/// # Errors
/// As bellperson's prover; it can also panic, on parameters of another circuit for instance.
pub fn insecure_prove_batch(
    circuits: Vec<WorkloadCircuit>,
    key: Key<'_>,
    r: Vec<Fr>,
    s: Vec<Fr>,
) -> Result<Vec<Proof<Bls12>>, SynthesisError> {
    create_proof_batch(circuits, key, r, s)
}
