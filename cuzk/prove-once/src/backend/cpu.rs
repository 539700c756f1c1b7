//! bellperson's native prover.

use bellperson::groth16::{Parameters, Proof, VerifyingKey};
use blstrs::Bls12;
use cuzk_circuits::insecure_fixed_randomness::insecure_prove_batch;
use cuzk_circuits::slow::SlowCircuit;
use cuzk_circuits::{Key, is_synthesis_alone};
use cuzk_srs::TestParameters;

use super::{Backend, Job, no_parameters};
use crate::failure::{Failure, Kind};
use crate::insecure_randomness::InsecureRandomness;
use crate::subject::Subject;

/// A circuit and its parameters in memory.
pub(super) struct Cpu {
    circuit: SlowCircuit,
    parameters: Option<Parameters<Bls12>>,
}

impl Cpu {
    pub(super) fn open(subject: &Subject, slowed: f64, parameters: Option<&TestParameters>) -> Result<Self, Failure> {
        let parameters = parameters.map(TestParameters::load).transpose();
        let parameters = parameters.map_err(Failure::of(Kind::Parameters))?;
        Ok(Self { circuit: SlowCircuit::new(subject.circuit.clone(), slowed), parameters })
    }

    fn parameters(&self) -> Result<&Parameters<Bls12>, Failure> {
        self.parameters.as_ref().ok_or_else(no_parameters)
    }
}

impl Backend for Cpu {
    fn verifying_key(&self) -> Result<VerifyingKey<Bls12>, Failure> {
        Ok(self.parameters()?.vk.clone())
    }

    fn synthesis(&self, batch: usize) -> Job<'_, ()> {
        let circuits = vec![self.circuit.clone(); batch];
        Box::new(move || match insecure_prove_batch(circuits, Key::Absent, vec![], vec![]) {
            Err(error) if is_synthesis_alone(&error) => Ok(()),
            Err(error) => Err(Failure::new(Kind::Prover, error)),
            Ok(_) => Err(Failure::new(Kind::Prover, "a proof without parameters")),
        })
    }

    fn proofs(&self, batch: usize, randomness: InsecureRandomness) -> Job<'_, Vec<Proof<Bls12>>> {
        let circuits = vec![self.circuit.clone(); batch];
        let (r, s) = randomness.of_batch(batch);
        Box::new(move || {
            let key = Key::Parameters(self.parameters()?);
            insecure_prove_batch(circuits, key, r, s).map_err(Failure::of(Kind::Prover))
        })
    }
}
