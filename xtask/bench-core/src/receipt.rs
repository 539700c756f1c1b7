//! What was seen: every raw sample of a benchmark and all that is needed to repeat it. Never a host name.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::arm::Arm;
use crate::consistency;
use crate::output::{Failure, Proof, Synthesis};
use crate::plan::{Case, Plan, Toolchain};
use crate::schema::{self, SCHEMA, SchemaError};

/// A block that is disturbed so often is left out.
const MOST_TRIES: usize = 3;

/// The record of one benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// [`SCHEMA`].
    pub schema: u64,
    /// The plan's own part, without arms and checks.
    pub plan: Design,
    /// Where it ran.
    pub host: Host,
    /// Further hosts of the same model, from which blocks were merged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_hosts: Vec<Host>,
    /// What built the binaries.
    pub toolchain: Toolchain,
    /// What was compared.
    pub arms: Vec<Arm>,
    /// One for each process, in the order in which they ran.
    pub runs: Vec<Run>,
    /// The devices around each block, in the order in which they ran.
    #[serde(default)]
    pub blocks: Vec<BlockState>,
}

/// The plan without its arms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Design {
    /// The plan's name.
    pub name: String,
    /// Decides the order of the arms.
    pub seed: u64,
    /// Blocks asked for.
    pub blocks: usize,
    /// As in the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_precise: Option<f64>,
    /// As in the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate_s: Option<f64>,
    /// Longest time of one process.
    pub timeout_s: u64,
    /// What each arm proves.
    pub cases: Vec<Case>,
    /// Patch → the phase that it acts on, where it is one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub phases: BTreeMap<String, String>,
}

/// Where a benchmark ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// CPU model as the kernel names it.
    pub cpu: String,
    /// Cores that the process may use.
    pub cores: usize,
    /// Kernel release.
    pub kernel: String,
    /// Transparent huge pages: `always`, `madvise`, `never`.
    pub transparent_huge_pages: Option<String>,
    /// Frequency governor of the first core, where it can be read.
    pub governor: Option<String>,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// Limit on locked memory in bytes; absent when unlimited.
    pub memlock_bytes: Option<u64>,
    /// Devices, in the driver's order.
    #[serde(default)]
    pub gpus: Vec<Gpu>,
    /// How the peak of device memory was taken.
    pub vram_method: Option<String>,
    /// How the bytes over the bus were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bus_method: Option<String>,
}

/// One device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gpu {
    /// Model.
    pub name: String,
    /// The driver's id of the device.
    pub uuid: String,
    /// Driver release.
    pub driver: String,
    /// CUDA release that the driver supports.
    pub cuda: Option<String>,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// Highest clock of the multiprocessors.
    pub max_sm_clock_mhz: Option<u32>,
    /// Highest clock of the memory.
    pub max_memory_clock_mhz: Option<u32>,
    /// Error correction on.
    pub ecc: Option<bool>,
    /// Multi-instance mode on.
    pub mig: Option<bool>,
    /// Persistence mode on.
    pub persistence: Option<bool>,
}

/// One process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Arm that ran.
    pub arm: String,
    /// Index into the design's cases.
    pub case: usize,
    /// The case's workload.
    pub workload: String,
    /// The case's path.
    pub path: String,
    /// Prover used, as the process says.
    pub backend: Option<String>,
    /// The case's batch.
    pub batch: usize,
    /// Threads of the CPU pool, as the process says.
    pub threads: Option<usize>,
    /// Block, from 0.
    pub block: usize,
    /// Position in the block, from 0.
    pub slot: usize,
    /// User and system time of the timed part, as the process says; of the whole process where it says nothing.
    pub cpu_s: f64,
    /// Page faults served without the disk, likewise.
    pub minor_faults: u64,
    /// Page faults that read the disk, likewise.
    pub major_faults: u64,
    /// Most memory resident at once.
    pub peak_rss_bytes: u64,
    /// The whole process, from start to exit.
    pub process: Process,
    /// Most device memory in use at once; [`Host::vram_method`] says how it was taken.
    pub peak_vram_bytes: Option<u64>,
    /// Bytes over the bus; [`Host::bus_method`] says how they were counted.
    pub bytes_moved: Option<u64>,
    /// Why the run does not count, if it does not.
    pub excluded: Option<String>,
    /// How the process ended.
    pub outcome: Outcome,
    /// Stable hash of the circuit, as the process says.
    pub circuit_hash: Option<String>,
    /// SHA-256 of the process's snapshot text.
    pub snapshot_sha256: Option<String>,
    /// Synthesis alone.
    #[serde(default)]
    pub synthesis: Vec<Synthesis>,
    /// Proofs in order.
    #[serde(default)]
    pub proofs: Vec<Proof>,
}

/// The kernel's account of a process to its parent: loading parameters and exit included.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Process {
    /// Seconds from start to exit.
    pub wall_s: f64,
    /// User and system time.
    pub cpu_s: f64,
    /// Page faults served without the disk.
    pub minor_faults: u64,
    /// Page faults that read the disk.
    pub major_faults: u64,
    /// Most memory resident at once.
    pub peak_rss_bytes: u64,
}

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Outcome {
    /// It proved what was asked.
    Proved,
    /// It says that it could not, or that a proof does not verify.
    Failed {
        /// Exit status.
        exit: i32,
        /// What it says.
        error: Failure,
    },
    /// A signal ended it.
    Crashed {
        /// Number of the signal; 6 is an abort.
        signal: i32,
    },
    /// It was killed for taking too long.
    TimedOut {
        /// After so many seconds.
        after_s: u64,
    },
    /// It ended, and what it printed is not what was asked for.
    Unreadable {
        /// Exit status.
        exit: i32,
        /// What is wrong.
        message: String,
    },
}

/// The devices before and after one block of one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockState {
    /// Index into the design's cases.
    pub case: usize,
    /// Block, from 0.
    pub block: usize,
    /// Before the first process.
    pub before: Vec<GpuState>,
    /// After the last one.
    pub after: Vec<GpuState>,
    /// Which host it ran on: 0 for [`Receipt::host`], then those of [`Receipt::other_hosts`].
    #[serde(default, skip_serializing_if = "is_first")]
    pub host: usize,
    /// What disturbed it; its runs are excluded, and it is run again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturbed: Option<String>,
}

/// A device at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GpuState {
    /// Clock of the multiprocessors.
    pub sm_clock_mhz: Option<u32>,
    /// Clock of the memory.
    pub memory_clock_mhz: Option<u32>,
    /// Temperature of the chip.
    pub temperature_c: Option<u32>,
    /// Power drawn.
    pub power_w: Option<f64>,
    /// Reasons for reduced clocks, the driver's bit mask.
    pub throttle_reasons: Option<u64>,
}

impl Receipt {
    /// A receipt without runs yet.
    pub fn new(plan: &Plan, host: Host) -> Self {
        Self {
            schema: SCHEMA,
            plan: Design {
                name: plan.name.clone(),
                seed: plan.seed,
                blocks: plan.blocks,
                until_precise: plan.until_precise,
                estimate_s: plan.estimate_s,
                timeout_s: plan.timeout_s,
                cases: plan.cases.clone(),
                phases: plan.phases.clone(),
            },
            host,
            other_hosts: Vec::new(),
            toolchain: plan.toolchain.clone(),
            arms: plan.arms.clone(),
            runs: Vec::new(),
            blocks: Vec::new(),
        }
    }

    /// Reads a receipt, and refuses one whose parts contradict each other.
    pub fn parse(text: &str) -> Result<Self, SchemaError> {
        let receipt: Self = schema::parse("receipt", text)?;
        match consistency::contradiction(&receipt) {
            None => Ok(receipt),
            Some(reason) => Err(SchemaError::Contradictory { what: "receipt", reason }),
        }
    }

    /// The receipt as text.
    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string(self).expect("a receipt is plain data");
        text.push('\n');
        text
    }

    /// Whether the block of the case has been run undisturbed, or so often in vain that it is left out.
    pub fn has_block(&self, case: usize, block: usize) -> bool {
        let tries = || self.blocks.iter().filter(|state| state.case == case && state.block == block);
        tries().any(|state| state.disturbed.is_none()) || tries().count() >= MOST_TRIES
    }
}

impl Outcome {
    /// One line for a table or a log.
    pub fn describe(&self) -> String {
        match self {
            Self::Proved => "proved".into(),
            Self::Failed { error, .. } => format!("failed: {}: {}", error.kind, error.message),
            Self::Crashed { signal } => {
                format!("crashed by signal {signal}{}", signal_name(*signal))
            }
            Self::TimedOut { after_s } => format!("killed after {after_s} s"),
            Self::Unreadable { exit, message } => format!("exit {exit}, unreadable: {message}"),
        }
    }
}

fn is_first(host: &usize) -> bool {
    *host == 0
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        4 => " (illegal instruction)",
        6 => " (abort)",
        7 => " (bus error)",
        8 => " (arithmetic)",
        9 => " (killed, often for memory)",
        11 => " (segmentation fault)",
        _ => "",
    }
}
