//! supraseal-c2 by its own API: proves the recording, without a circuit.

use std::sync::Arc;
use std::time::Instant;

use bellperson::groth16::{Proof, VerifyingKey};
use blstrs::Bls12;
use cuzk_cuda::{Assigned, CudaError, Srs};
use cuzk_r1cs::{Abc, Densities, Recording};
use cuzk_srs::TestParameters;

use super::{Backend, Job, no_parameters};
use crate::failure::{Failure, Kind};
use crate::insecure_randomness::InsecureRandomness;
use crate::phases;
use crate::subject::Subject;

/// A recording, and its parameters where supraseal-c2 holds them.
pub(super) struct Cuda {
    recording: Arc<Recording>,
    densities: Densities,
    parameters: Option<(Srs, VerifyingKey<Bls12>)>,
}

impl Cuda {
    pub(super) fn open(subject: &Subject, parameters: Option<&TestParameters>) -> Result<Self, Failure> {
        let load = |parameters: &TestParameters| {
            let key = parameters.verifying_key().map_err(Failure::of(Kind::Parameters))?;
            Ok((Srs::load(parameters.path()).map_err(failure)?, key))
        };
        Ok(Self {
            recording: subject.recording.clone(),
            densities: subject.recording.r1cs().densities(),
            parameters: parameters.map(load).transpose()?,
        })
    }

    /// Each circuit of the batch has products of its own, as different witnesses would.
    fn products(&self, batch: usize) -> Vec<Abc> {
        let start = Instant::now();
        let products = (0..batch).map(|_| self.recording.products()).collect();
        phases::note("matrices", start);
        products
    }
}

impl Backend for Cuda {
    fn verifying_key(&self) -> Result<VerifyingKey<Bls12>, Failure> {
        let (_, key) = self.parameters.as_ref().ok_or_else(no_parameters)?;
        Ok(key.clone())
    }

    fn synthesis(&self, batch: usize) -> Job<'_, ()> {
        Box::new(move || {
            drop(self.products(batch));
            Ok(())
        })
    }

    fn proofs(&self, batch: usize, randomness: InsecureRandomness) -> Job<'_, Vec<Proof<Bls12>>> {
        let (r, s) = randomness.of_batch(batch);
        Box::new(move || {
            let (srs, _) = self.parameters.as_ref().ok_or_else(no_parameters)?;
            let products = self.products(batch);
            let circuits: Vec<Assigned<'_>> = products
                .iter()
                .map(|abc| Assigned { recording: &self.recording, abc, densities: &self.densities })
                .collect();
            let proofs = cuzk_cuda::prove(srs, &circuits, &r, &s).map_err(failure);
            let freeing = Instant::now();
            drop(products);
            phases::note("dealloc", freeing);
            proofs
        })
    }
}

fn failure(error: CudaError) -> Failure {
    let kind = match &error {
        CudaError::NoDevice(_) | CudaError::UnusableDevices { .. } => Kind::Environment,
        CudaError::Parameters { .. } => Kind::Parameters,
        CudaError::Batch(_) | CudaError::Device { .. } | CudaError::Host { .. } => Kind::Prover,
    };
    Failure::new(kind, error)
}
