//! supraseal-c2 through bellperson, which replaces its native prover by it.

use bellperson::groth16::{Proof, SuprasealParameters, VerifyingKey, create_proof_batch};
use blstrs::Bls12;
use cuzk_circuits::insecure_fixed_randomness::insecure_prove_batch;
use cuzk_circuits::{Key, WorkloadCircuit, is_synthesis_alone};
use cuzk_srs::TestParameters;

use super::{Backend, Job, no_parameters};
use crate::failure::{Failure, Kind, catch};
use crate::insecure_randomness::InsecureRandomness;
use crate::subject::Subject;

/// A circuit, and its parameters where supraseal-c2 holds them.
pub(super) struct Stock {
    circuit: WorkloadCircuit,
    parameters: Option<(SuprasealParameters<Bls12>, VerifyingKey<Bls12>)>,
}

impl Stock {
    pub(super) fn open(subject: &Subject, parameters: Option<&TestParameters>) -> Result<Self, Failure> {
        let load = |parameters: &TestParameters| {
            let bad = Failure::of(Kind::Parameters);
            let key = parameters.verifying_key().map_err(Failure::of(Kind::Parameters))?;
            let srs = catch(|| SuprasealParameters::new(parameters.path().to_owned()).map_err(bad))?;
            Ok((srs, key))
        };
        Ok(Self { circuit: subject.circuit.clone(), parameters: parameters.map(load).transpose()? })
    }
}

impl Backend for Stock {
    fn verifying_key(&self) -> Result<VerifyingKey<Bls12>, Failure> {
        let (_, key) = self.parameters.as_ref().ok_or_else(no_parameters)?;
        Ok(key.clone())
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
            let (srs, _) = self.parameters.as_ref().ok_or_else(no_parameters)?;
            create_proof_batch(circuits, srs, r, s).map_err(Failure::of(Kind::Prover))
        })
    }
}
