//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::slow_down::SlowDown;

/// Proves one workload in one process and prints what that took, as one JSON object.
#[derive(Parser)]
#[command(version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Subcommand)]
pub(crate) enum Verb {
    /// Prove a workload: exit 0 for valid proofs, 1 when proving failed, 2 when it could not start
    Prove(ProveArgs),
    /// Write a workload's matrices and witness to a file
    Record {
        /// The workload's name
        #[arg(long)]
        workload: String,
        /// The recording to write
        #[arg(long)]
        to: PathBuf,
    },
    /// Make a circuit's test parameters, unless they are there
    Params {
        #[command(flatten)]
        subject: Subject,
        #[command(flatten)]
        folder: ParamsDir,
    },
    /// List the CUDA devices, or say why there are none
    Devices,
    /// List the workloads
    Workloads,
}

/// What is proved.
#[derive(Args, Clone)]
#[group(required = true, multiple = true)]
pub(crate) struct Subject {
    /// The workload's name
    #[arg(long)]
    pub(crate) workload: Option<String>,
    /// A recording to prove in place of the circuit itself
    #[arg(long)]
    pub(crate) recording: Option<PathBuf>,
}

#[derive(Args, Clone)]
pub(crate) struct ParamsDir {
    /// Where test parameters are kept
    #[arg(long, default_value = "target/test-params")]
    pub(crate) params_dir: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Path {
    /// bellperson's native prover
    Cpu,
    /// supraseal-c2 by its own API, from recordings
    Cuda,
    /// supraseal-c2 through bellperson
    Stock,
}

#[derive(Args, Clone)]
pub(crate) struct ProveArgs {
    #[command(flatten)]
    pub(crate) subject: Subject,
    /// Which prover
    #[arg(long, default_value = "cpu")]
    pub(crate) path: Path,
    /// Circuits in a proof, all with the same witness and randomness
    #[arg(long, default_value_t = 1, value_parser = batch_size)]
    pub(crate) batch: usize,
    /// Proofs before those that count
    #[arg(long, default_value_t = 1)]
    pub(crate) warmups: usize,
    /// Proofs that count
    #[arg(long, default_value_t = 1)]
    pub(crate) proofs: usize,
    /// Synthesise so often before proving, and time each
    #[arg(long, default_value_t = 0)]
    pub(crate) synthesis_only: usize,
    /// Threads of each pool; default: one per CPU
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    #[command(flatten)]
    pub(crate) folder: ParamsDir,
    /// INSECURE: the seed of r and s
    #[arg(long, default_value_t = 1)]
    pub(crate) randomness: u64,
    /// Tell the prover the circuit's sizes beforehand (what that does depends on the forks)
    #[arg(long)]
    pub(crate) presize: bool,
    /// Write sizes and proof as text to this file
    #[arg(long)]
    pub(crate) snapshot: Option<PathBuf>,
    /// Print the provers' log to stderr
    #[arg(long)]
    pub(crate) verbose: bool,
    /// Fault: add one to this auxiliary value of the witness
    #[arg(long, value_name = "INDEX", help_heading = "Faults, for tests")]
    pub(crate) flip_witness: Option<usize>,
    /// Use these parameters in place of the circuit's own from the folder
    #[arg(long, value_name = "FILE", help_heading = "Faults, for tests")]
    pub(crate) params: Option<PathBuf>,
    /// Fault: hand the parameters to the prover unchecked
    #[arg(long, requires = "params", help_heading = "Faults, for tests")]
    pub(crate) unchecked_params: bool,
    /// Make this take so many times as long: wall=1.05 or synthesis=1.05
    #[arg(long, value_name = "PHASE=FACTOR", help_heading = "Faults, for tests")]
    pub(crate) slowed: Option<SlowDown>,
}

impl Path {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
            Self::Stock => "stock",
        }
    }

    /// What computes.
    pub(crate) fn backend(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Cuda | Self::Stock => "cuda",
        }
    }
}

/// Upstream's provers fall over an empty batch; no host has memory for the assignments of more than these.
fn batch_size(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(size @ 1..=1024) => Ok(size),
        _ => Err("a batch has 1 to 1024 circuits".to_owned()),
    }
}
