//! A circuit's matrices and one witness.

use ff::Field;

use crate::{Fr, R1cs};

/// A workload as numbers: everything that a prover needs of a circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    pub(crate) name: String,
    pub(crate) r1cs: R1cs,
    pub(crate) inputs: Vec<Fr>,
    pub(crate) aux: Vec<Fr>,
}

impl Recording {
    /// The workload's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sizes and matrices.
    pub fn r1cs(&self) -> &R1cs {
        &self.r1cs
    }

    /// The inputs' values; the first is the constant one.
    pub fn inputs(&self) -> &[Fr] {
        &self.inputs
    }

    /// The auxiliaries' values.
    pub fn aux(&self) -> &[Fr] {
        &self.aux
    }

    /// What a verifier is given: the inputs without the constant one.
    pub fn public_inputs(&self) -> &[Fr] {
        &self.inputs[1..]
    }

    /// Adds one to an auxiliary value, so that tests have a witness that satisfies nothing. `None` when
    /// there is no such variable.
    pub fn with_flipped_witness(mut self, index: usize) -> Option<Self> {
        *self.aux.get_mut(index)? += Fr::ONE;
        Some(self)
    }
}
