//! CUDA devices, and proofs on them by the supraseal-c2 fork.
//!
//! The only crate outside the fork that touches CUDA. Devices are listed through the driver, found
//! when the program runs, so this builds and starts where there is none. The prover comes with the
//! feature `cuda-supraseal`. It proves recordings and knows of no circuit, and it takes parameter
//! files as they are: whoever calls it checks where they came from, and verifies the proofs.

mod device;
#[cfg(feature = "cuda-supraseal")]
mod error;
mod memory;
#[cfg(feature = "cuda-supraseal")]
mod prove;

pub use device::{Device, DriverError, devices};
#[cfg(feature = "cuda-supraseal")]
pub use error::CudaError;
pub use memory::MemoryPeak;
#[cfg(feature = "cuda-supraseal")]
pub use prove::{Assigned, Srs, prove};
