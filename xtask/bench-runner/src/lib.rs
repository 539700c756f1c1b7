//! Runs a benchmark plan: what a bundle carries.
//!
//! It knows plans and binaries. It does not know cargo, git, patches, or any particular arm; what a receipt means is
//! `bench-core`'s to say. Nothing is printed while a process is timed.

mod block;
pub mod check;
mod disturbed;
mod error;
mod gpu;
mod host;
mod outcome;
mod prepare;
mod process;
mod progress;
mod run;
mod session;
mod store;

pub use error::RunnerError;
pub use progress::Progress;
pub use run::{Finished, Interrupted, Options, check_folders, read_plan, run};
