//! The provers behind one face: jobs that are made ready first and timed then.

#[cfg(not(feature = "stock-path"))]
mod cpu;
#[cfg(feature = "cuda-supraseal")]
mod cuda;
#[cfg(feature = "stock-path")]
mod stock;

use bellperson::groth16::{Proof, VerifyingKey};
use blstrs::Bls12;
use cuzk_srs::TestParameters;

use crate::cli::{Path, ProveArgs};
use crate::failure::{Failure, Kind};
use crate::insecure_randomness::InsecureRandomness;
use crate::subject::Subject;

/// Work that is timed as a whole.
pub(crate) type Job<'a, T> = Box<dyn FnOnce() -> Result<T, Failure> + 'a>;

pub(crate) trait Backend {
    /// What verifies this prover's proofs.
    fn verifying_key(&self) -> Result<VerifyingKey<Bls12>, Failure>;

    /// Synthesis of a batch, and nothing else.
    fn synthesis(&self, batch: usize) -> Job<'_, ()>;

    /// A batch of proofs.
    fn proofs(&self, batch: usize, randomness: InsecureRandomness) -> Job<'_, Vec<Proof<Bls12>>>;
}

/// Makes the prover ready; without parameters it can only synthesise.
pub(crate) fn open(
    args: &ProveArgs,
    subject: &Subject,
    parameters: Option<&TestParameters>,
) -> Result<Box<dyn Backend>, Failure> {
    let path = args.path;
    let slowed = args.slowed.unwrap_or_default().synthesis;
    if path == Path::Cuda && slowed > 1.0 {
        let message = "the path cuda has no synthesis to slow: slow wall, or prove on another path";
        return Err(Failure::new(Kind::Environment, message));
    }
    match path {
        #[cfg(not(feature = "stock-path"))]
        Path::Cpu => Ok(Box::new(cpu::Cpu::open(subject, slowed, parameters)?)),
        #[cfg(feature = "cuda-supraseal")]
        Path::Cuda => Ok(Box::new(cuda::Cuda::open(subject, parameters)?)),
        #[cfg(feature = "stock-path")]
        Path::Stock => Ok(Box::new(stock::Stock::open(subject, slowed, parameters)?)),
        _ => Err(Failure::new(
            Kind::Environment,
            format!("this binary was built without the path {0}: {1}", path.name(), remedy(path)),
        )),
    }
}

fn remedy(path: Path) -> &'static str {
    match path {
        Path::Cpu => "build it without the feature stock-path",
        Path::Cuda => "build it with the feature cuda-supraseal",
        Path::Stock => "build it with the feature stock-path and without default features",
    }
}

fn no_parameters() -> Failure {
    Failure::new(Kind::Parameters, "a proof needs parameters")
}
