//! Parameter files: test parameters, their cache and their checks.
//!
//! Test parameters come from a known secret: whoever knows the seed can prove anything under them. They
//! say so in their file's name and in a trailer, and nothing here accepts other parameters. This crate
//! knows files and bellperson's parameter format, no prover and no GPU.

mod cache;
mod error;
mod file;
mod trailer;

pub use cache::{Obtained, obtain, path_in};
pub use error::ParametersError;
pub use file::TestParameters;
pub use trailer::SEED;
