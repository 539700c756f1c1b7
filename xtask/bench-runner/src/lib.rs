//! Runs a benchmark plan: what a bundle carries.
//!
//! It knows plans and binaries. It does not know cargo, git, patches, or any particular arm; what a receipt means is
//! `bench-core`'s to say. Nothing is printed while a process is timed.

pub mod check;
mod error;
mod gpu;
mod host;
mod prepare;
mod process;
mod run;
mod session;
mod store;

pub use error::RunnerError;
pub use run::{Finished, Interrupted, Options, check_folders, read_plan, run};
