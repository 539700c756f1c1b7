//! INSECURE: r and s from a seed, so that every run gives the same proof.

use cuzk_r1cs::Fr;
use ff::Field;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

/// Randomness that anybody can repeat; proofs made with it give their witness away.
#[derive(Clone, Copy)]
pub(crate) struct InsecureRandomness {
    r: Fr,
    s: Fr,
}

impl InsecureRandomness {
    pub(crate) fn from_seed(seed: u64) -> Self {
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        Self { r: Fr::random(&mut rng), s: Fr::random(&mut rng) }
    }

    /// The same r and s for each circuit.
    pub(crate) fn of_batch(self, batch: usize) -> (Vec<Fr>, Vec<Fr>) {
        (vec![self.r; batch], vec![self.s; batch])
    }
}
