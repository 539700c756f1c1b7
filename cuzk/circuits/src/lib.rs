//! Workloads: circuits with valid witnesses, real Filecoin ones among them.
//!
//! A workload has a name, from which its circuit and witness follow, always the same. This crate knows
//! circuits and where they come from, not how they are measured. It is also where bellperson's generic
//! prover meets the circuits' types, so that the heavy ones are compiled once, here.

mod chain;
mod circuit;
pub mod insecure_fixed_randomness;
#[cfg(not(feature = "stock-prover"))]
mod key;
mod settings;
mod sha256;
pub mod slow;
#[cfg(feature = "filecoin")]
mod winning_post;
mod workload;

pub use chain::{Chain, ChainShape};
pub use circuit::WorkloadCircuit;
#[cfg(not(feature = "stock-prover"))]
pub use key::{Key, is_synthesis_alone};
pub use settings::pin_settings;
pub use sha256::Sha256Chain;
#[cfg(feature = "filecoin")]
pub use winning_post::WinningPost;
pub use workload::{KNOWN_WORKLOADS, Workload, WorkloadError};
