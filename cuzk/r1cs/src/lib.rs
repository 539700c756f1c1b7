//! Recordings of a circuit: matrices, witness, products, replay.
//!
//! A recording is what a prover needs to know of a circuit, without the crates that the circuit
//! came from. This crate knows rank-1 constraint systems and nothing of provers, parameters, GPUs
//! or Filecoin.

mod coefficients;
mod column;
mod density;
mod file;
mod file_error;
mod hash;
mod matrix;
mod products;
mod record;
mod recording;
mod replay;

pub use column::Column;
pub use density::{Densities, Density};
pub use file_error::RecordingFileError;
pub use matrix::{Matrix, R1cs};
pub use products::Abc;
pub use record::RecordError;
pub use recording::Recording;
pub use replay::Replay;

/// The scalar field of BLS12-381, in Montgomery form in memory.
pub type Fr = blstrs::Scalar;
