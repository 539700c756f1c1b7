//! supraseal-c2 through bellperson, which replaces its native prover by it.

use bellperson::groth16::{Proof, SuprasealParameters, VerifyingKey};
use blstrs::Bls12;
use cuzk_circuits::insecure_fixed_randomness::insecure_prove_batch;
use cuzk_circuits::slow::SlowCircuit;
use cuzk_srs::TestParameters;

use super::{Backend, Job, no_parameters};
use crate::failure::{Failure, Kind, catch};
use crate::insecure_randomness::InsecureRandomness;
use crate::subject::Subject;

/// A circuit, and its parameters where supraseal-c2 holds them.
pub(super) struct Stock {
    circuit: SlowCircuit,
    parameters: Option<(SuprasealParameters<Bls12>, VerifyingKey<Bls12>)>,
}

impl Stock {
    pub(super) fn open(subject: &Subject, slowed: f64, parameters: Option<&TestParameters>) -> Result<Self, Failure> {
        let load = |parameters: &TestParameters| {
            // supraseal-c2 would say less, and call it the file's fault.
            cuzk_cuda::devices().map_err(Failure::of(Kind::Environment))?;
            let bad = Failure::of(Kind::Parameters);
            let key = parameters.verifying_key().map_err(Failure::of(Kind::Parameters))?;
            let srs = catch(|| SuprasealParameters::new(parameters.path().to_owned()).map_err(bad))?;
            Ok((srs, key))
        };
        let circuit = SlowCircuit::new(subject.circuit.clone(), slowed);
        Ok(Self { circuit, parameters: parameters.map(load).transpose()? })
    }
}

impl Backend for Stock {
    fn verifying_key(&self) -> Result<VerifyingKey<Bls12>, Failure> {
        let (_, key) = self.parameters.as_ref().ok_or_else(no_parameters)?;
        Ok(key.clone())
    }

    /// This prover takes its own parameters alone, so nothing stops it after synthesis.
    fn synthesis(&self, _batch: usize) -> Job<'_, ()> {
        let message = "the path stock does not stop after synthesis: time it in a build with the path cpu, which synthesises the same";
        Box::new(move || Err(Failure::new(Kind::Environment, message)))
    }

    fn proofs(&self, batch: usize, randomness: InsecureRandomness) -> Job<'_, Vec<Proof<Bls12>>> {
        let circuits = vec![self.circuit.clone(); batch];
        let (r, s) = randomness.of_batch(batch);
        Box::new(move || {
            let (srs, _) = self.parameters.as_ref().ok_or_else(no_parameters)?;
            insecure_prove_batch(circuits, srs, r, s).map_err(Failure::of(Kind::Prover))
        })
    }
}
