//! What the prover asks for the parameters.

use std::io;
use std::sync::Arc;

use bellperson::SynthesisError;
use bellperson::groth16::{ParameterSource, Parameters, VerifyingKey};
use blstrs::{Bls12, G1Affine, G2Affine};

/// Parameters, or none: the native prover synthesises before it asks, so a key that fails there times
/// synthesis alone, with any release of bellperson.
#[derive(Clone, Copy)]
pub enum Key<'a> {
    /// Synthesis alone.
    Absent,
    /// Parameters in memory.
    Parameters(&'a Parameters<Bls12>),
}

const SYNTHESIS_ALONE: &str = "synthesis alone was asked for";

/// Is this the error with which a prover stops at [`Key::Absent`]?
pub fn is_synthesis_alone(error: &SynthesisError) -> bool {
    match error {
        SynthesisError::IoError(error) => error.get_ref().is_some_and(|inner| inner.to_string() == SYNTHESIS_ALONE),
        _ => false,
    }
}

impl<'a> Key<'a> {
    fn parameters(&self) -> Result<&'a Parameters<Bls12>, SynthesisError> {
        match self {
            Self::Absent => Err(io::Error::other(SYNTHESIS_ALONE).into()),
            Self::Parameters(parameters) => Ok(parameters),
        }
    }
}

type G1Builder = (Arc<Vec<G1Affine>>, usize);
type G2Builder = (Arc<Vec<G2Affine>>, usize);

impl ParameterSource<Bls12> for Key<'_> {
    type G1Builder = G1Builder;
    type G2Builder = G2Builder;

    fn get_vk(&self, num_ic: usize) -> Result<&VerifyingKey<Bls12>, SynthesisError> {
        let _ = num_ic;
        Ok(&self.parameters()?.vk)
    }

    fn get_h(&self, num_h: usize) -> Result<G1Builder, SynthesisError> {
        self.parameters()?.get_h(num_h)
    }

    fn get_l(&self, num_l: usize) -> Result<G1Builder, SynthesisError> {
        self.parameters()?.get_l(num_l)
    }

    fn get_a(&self, inputs: usize, aux: usize) -> Result<(G1Builder, G1Builder), SynthesisError> {
        self.parameters()?.get_a(inputs, aux)
    }

    fn get_b_g1(&self, inputs: usize, aux: usize) -> Result<(G1Builder, G1Builder), SynthesisError> {
        self.parameters()?.get_b_g1(inputs, aux)
    }

    fn get_b_g2(&self, inputs: usize, aux: usize) -> Result<(G2Builder, G2Builder), SynthesisError> {
        self.parameters()?.get_b_g2(inputs, aux)
    }
}
