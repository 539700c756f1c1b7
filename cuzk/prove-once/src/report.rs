//! The JSON that a run prints.

use bellperson::groth16::Proof;
use blstrs::Bls12;
use cuzk_r1cs::R1cs;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::cli::ProveArgs;
use crate::failure::Failure;
use crate::phases::Phase;
use crate::usage::Usage;

/// Raised when a field's meaning changes.
const SCHEMA: u32 = 1;
/// The build names the patches that it was made from.
const ARM: Option<&str> = option_env!("CUZK_ARM");
const FINGERPRINT: Option<&str> = option_env!("CUZK_FORKS_FINGERPRINT");
const UNMANAGED: &str = "unmanaged";

/// One run. Fields that were not reached are null; times in seconds, sizes in bytes.
#[derive(Serialize)]
pub(crate) struct Report {
    schema: u32,
    arm: &'static str,
    fingerprint: &'static str,
    workload: Option<String>,
    path: &'static str,
    backend: &'static str,
    batch: usize,
    threads: usize,
    circuit_hash: Option<String>,
    /// Without the prover's own rows, one per input.
    constraints: Option<usize>,
    inputs: Option<usize>,
    aux: Option<usize>,
    densities: Option<DensityCounts>,
    pub(crate) synthesis: Vec<SynthesisRun>,
    pub(crate) proofs: Vec<ProofRun>,
    cpu_s: Option<f64>,
    minor_faults: Option<u64>,
    major_faults: Option<u64>,
    peak_rss_bytes: Option<u64>,
    /// Device memory at its highest during a warm-up; what is timed is not watched.
    pub(crate) peak_vram_bytes: Option<u64>,
    bytes_moved: Option<u64>,
    pub(crate) snapshot: Option<String>,
    pub(crate) error: Option<Failure>,
}

#[derive(Clone, Copy, Serialize)]
pub(crate) struct DensityCounts {
    pub(crate) a_aux: usize,
    pub(crate) b_inputs: usize,
    pub(crate) b_aux: usize,
}

#[derive(Serialize)]
pub(crate) struct SynthesisRun {
    pub(crate) wall_s: f64,
    pub(crate) phases: Vec<Phase>,
}

/// A batch of proofs. `wall_s` ends when the prover returns; `verify` comes after it.
#[derive(Serialize)]
pub(crate) struct ProofRun {
    pub(crate) warmup: bool,
    pub(crate) wall_s: f64,
    pub(crate) phases: Vec<Phase>,
    pub(crate) proof_sha256: String,
    pub(crate) valid: bool,
    pub(crate) proof_hex: Vec<String>,
}

impl Report {
    pub(crate) fn new(args: &ProveArgs) -> Self {
        Self {
            schema: SCHEMA,
            arm: ARM.unwrap_or(UNMANAGED),
            fingerprint: FINGERPRINT.unwrap_or(UNMANAGED),
            workload: args.subject.workload.clone(),
            path: args.path.name(),
            backend: args.path.backend(),
            batch: args.batch,
            threads: crate::process::threads(args.threads),
            circuit_hash: None,
            constraints: None,
            inputs: None,
            aux: None,
            densities: None,
            synthesis: Vec::new(),
            proofs: Vec::new(),
            cpu_s: None,
            minor_faults: None,
            major_faults: None,
            peak_rss_bytes: None,
            peak_vram_bytes: None,
            bytes_moved: None,
            snapshot: None,
            error: None,
        }
    }

    pub(crate) fn describe(&mut self, name: &str, circuit: &CircuitFacts) {
        self.workload = Some(name.to_owned());
        self.circuit_hash = Some(hex(&circuit.hash));
        self.constraints = Some(circuit.constraints);
        self.inputs = Some(circuit.inputs);
        self.aux = Some(circuit.aux);
        self.densities = Some(circuit.densities);
    }

    pub(crate) fn spend(&mut self, usage: Usage) {
        self.cpu_s = Some(usage.cpu_s);
        self.minor_faults = Some(usage.minor_faults);
        self.major_faults = Some(usage.major_faults);
        self.peak_rss_bytes = Some(usage.peak_rss_bytes);
    }
}

/// What is known of a circuit before it is proved.
pub(crate) struct CircuitFacts {
    pub(crate) hash: [u8; 32],
    pub(crate) constraints: usize,
    pub(crate) inputs: usize,
    pub(crate) aux: usize,
    pub(crate) densities: DensityCounts,
}

impl CircuitFacts {
    pub(crate) fn of(r1cs: &R1cs) -> Self {
        let densities = r1cs.densities();
        Self {
            hash: r1cs.circuit_hash(),
            constraints: r1cs.constraints(),
            inputs: r1cs.inputs(),
            aux: r1cs.aux(),
            densities: DensityCounts {
                a_aux: densities.a_aux.count(),
                b_inputs: densities.b_inputs.count(),
                b_aux: densities.b_aux.count(),
            },
        }
    }
}

/// A proof as it leaves: A, B, C compressed, 192 bytes.
pub(crate) fn proof_bytes(proof: &Proof<Bls12>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(192);
    proof.write(&mut bytes).expect("a write to memory does not fail");
    bytes
}

pub(crate) fn sha256_hex(proofs: &[Vec<u8>]) -> String {
    let mut hash = Sha256::new();
    for proof in proofs {
        hash.update(proof);
    }
    hex(&hash.finalize())
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
