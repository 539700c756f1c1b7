//! What `prove-once` prints: one JSON object for each process.

use serde::{Deserialize, Serialize};

use crate::schema::{self, SchemaError};

/// The output of one process. Fields that the benchmark has no use for are left out here.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// [`schema::SCHEMA`].
    pub schema: u64,
    /// What the build handed to the binary: must be the plan's. Absent when the process could not start its work.
    #[serde(default)]
    pub fingerprint: Option<String>,
    /// Workload proved.
    #[serde(default)]
    pub workload: Option<String>,
    /// Path taken.
    #[serde(default)]
    pub path: String,
    /// Prover used.
    #[serde(default)]
    pub backend: Option<String>,
    /// Circuits in one call.
    #[serde(default)]
    pub batch: usize,
    /// Threads of the CPU pool.
    #[serde(default)]
    pub threads: Option<usize>,
    /// Stable hash of the circuit's matrices.
    #[serde(default)]
    pub circuit_hash: Option<String>,
    /// Synthesis alone, before any proof.
    #[serde(default)]
    pub synthesis: Vec<Synthesis>,
    /// Proofs in order, warm-up ones first.
    #[serde(default)]
    pub proofs: Vec<Proof>,
    /// User and system time of the process.
    #[serde(default)]
    pub cpu_s: Option<f64>,
    /// Page faults served without the disk.
    #[serde(default)]
    pub minor_faults: Option<u64>,
    /// Page faults that read the disk.
    #[serde(default)]
    pub major_faults: Option<u64>,
    /// Most memory resident at once.
    #[serde(default)]
    pub peak_rss_bytes: Option<u64>,
    /// Most device memory in use at once.
    #[serde(default)]
    pub peak_vram_bytes: Option<u64>,
    /// Bytes over the bus to the device and back.
    #[serde(default)]
    pub bytes_moved: Option<u64>,
    /// The text that snapshot files hold.
    #[serde(default)]
    pub snapshot: Option<String>,
    /// Why there is no proof.
    #[serde(default)]
    pub error: Option<Failure>,
}

/// An interval of a proof on a lane, in seconds from the proof's start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// `synthesis`, `h_ntt`, …
    pub name: String,
    /// Circuit within the batch; -1 for the whole batch.
    pub circuit: i64,
    /// A thread or a stream.
    pub lane: String,
    /// Start.
    pub start_s: f64,
    /// End.
    pub end_s: f64,
}

/// One synthesis without a proof.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Synthesis {
    /// Seconds, as the caller sees it.
    pub wall_s: f64,
    /// Its phases.
    #[serde(default)]
    pub phases: Vec<Phase>,
}

/// One proof of a batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proof {
    /// True for an untimed first proof.
    pub warmup: bool,
    /// Seconds, as the caller sees it.
    pub wall_s: f64,
    /// Its phases.
    #[serde(default)]
    pub phases: Vec<Phase>,
    /// Over the batch's proofs in order.
    pub proof_sha256: String,
    /// Whether every proof of the batch verifies.
    pub valid: bool,
}

/// A failure as `prove-once` names it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// A stable word.
    pub kind: String,
    /// For a person.
    pub message: String,
}

impl Output {
    /// Reads the output of one process.
    pub fn parse(text: &str) -> Result<Self, SchemaError> {
        schema::parse("output of prove-once", text)
    }
}
