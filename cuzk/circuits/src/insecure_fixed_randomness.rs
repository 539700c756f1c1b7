//! INSECURE: proofs whose randomness the caller chooses.
//!
//! Such proofs are the same bytes each time, which tests and benchmarks need, and they give the witness
//! away to whoever knows the randomness. Never use them where the witness is worth anything.

use bellperson::SynthesisError;
#[cfg(feature = "stock-prover")]
use bellperson::groth16::SuprasealParameters;
use bellperson::groth16::{Proof, create_proof_batch};
use blstrs::Bls12;
use cuzk_r1cs::Fr;

#[cfg(not(feature = "stock-prover"))]
use crate::Key;
use crate::slow::SlowCircuit;

/// What the prover of this build takes for parameters.
#[cfg(not(feature = "stock-prover"))]
pub type ProverKey<'a> = Key<'a>;
/// What the prover of this build takes for parameters.
#[cfg(feature = "stock-prover")]
pub type ProverKey<'a> = &'a SuprasealParameters<Bls12>;

/// Proves the circuits as one batch with bellperson, compiled here once for all workloads.
///
/// # Errors
/// As bellperson's prover; it can also panic, when the circuits differ in size for instance.
pub fn insecure_prove_batch(
    circuits: Vec<SlowCircuit>,
    key: ProverKey<'_>,
    r: Vec<Fr>,
    s: Vec<Fr>,
) -> Result<Vec<Proof<Bls12>>, SynthesisError> {
    create_proof_batch(circuits, key, r, s)
}
