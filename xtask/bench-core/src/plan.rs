//! What to run: arms, cases, checks, number of blocks, seed. Paths are relative to the plan's folder.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::arm::{self, Arm};
use crate::role;
use crate::schema::{self, SCHEMA, SchemaError};

/// A benchmark before it is run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// [`SCHEMA`].
    pub schema: u64,
    /// Its name, part of the receipt's file name.
    pub name: String,
    /// Decides the order of the arms in every block.
    pub seed: u64,
    /// How often each comparison is repeated, fixed beforehand; with `until_precise` the most.
    pub blocks: usize,
    /// Stop once every interval that a verdict is on is no wider than this to either side, as a part of 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_precise: Option<f64>,
    /// About how long all blocks take on the kind of host that the plan is made for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate_s: Option<f64>,
    /// A run that takes longer is killed and recorded as such.
    pub timeout_s: u64,
    /// What built the binaries.
    pub toolchain: Toolchain,
    /// What is compared.
    pub arms: Vec<Arm>,
    /// What each arm proves.
    pub cases: Vec<Case>,
    /// Proofs and refusals that must come out exactly; run by `check`, never timed.
    #[serde(default)]
    pub checks: Vec<Check>,
    /// Patch → the phase that it acts on, where it is one: it is judged on that phase and on wall time.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub phases: BTreeMap<String, String>,
}

/// What built the binaries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Toolchain {
    /// First line of `rustc -vV` and the host triple.
    pub rustc: String,
    /// The release of nvcc, where there is a CUDA build.
    pub nvcc: Option<String>,
    /// GPU architectures compiled for.
    pub architectures: Vec<String>,
}

/// One workload on one path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The workload's name.
    pub workload: String,
    /// `cpu`, `cuda` or `stock`; also the kind of build that it takes.
    pub path: String,
    /// Circuits in one call of the prover.
    pub batch: usize,
    /// Further arguments of `prove-once prove`.
    pub args: Vec<String>,
    /// The workload as a recording, for binaries that lack its circuit.
    #[serde(default)]
    pub recording: Option<String>,
    /// SHA-256 of the workload's snapshot text: every proof must be the committed one.
    #[serde(default)]
    pub snapshot_sha256: Option<String>,
}

/// One proof or refusal that must come out exactly, in every arm that has a build for the path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// What it shows, for the listing.
    pub name: String,
    /// The workload's name.
    pub workload: String,
    /// `cpu`, `cuda` or `stock`.
    pub path: String,
    /// Further arguments of `prove-once prove`.
    pub args: Vec<String>,
    /// The workload as a recording.
    #[serde(default)]
    pub recording: Option<String>,
    /// Prove with a damaged copy of the parameters, or another workload's.
    #[serde(default)]
    pub parameters: Option<Parameters>,
    /// What must come out.
    pub expect: Expect,
    /// Arms for which the outcome is listed and not judged.
    #[serde(default)]
    pub recorded_only: Vec<String>,
}

/// Parameters other than the right ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Parameters {
    /// The right file, cut to this many bytes.
    CutTo(u64),
    /// The right file with the lowest bit of this byte flipped.
    FlipBitAt(u64),
    /// The parameters of another workload.
    Of {
        /// Its name.
        workload: String,
        /// Its recording, if any.
        #[serde(default)]
        recording: Option<String>,
    },
}

/// What a check must give.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Expect {
    /// A valid proof whose snapshot text equals this file of the bundle.
    Snapshot(String),
    /// A valid proof whose snapshot text differs from this file of the bundle.
    NotSnapshot(String),
    /// An error of this kind whose message holds this text; no proof.
    Error {
        /// `error.kind`.
        kind: String,
        /// Part of `error.message`.
        message: String,
    },
}

/// What is wrong with a plan.
#[derive(Debug, Error)]
pub enum PlanError {
    /// It cannot be read.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// It can be read and makes no sense.
    #[error("the plan {name} is wrong: {what}")]
    Wrong {
        /// The plan's name.
        name: String,
        /// Which part, and why.
        what: String,
    },
}

impl Plan {
    /// Reads a plan and checks it.
    pub fn parse(text: &str) -> Result<Self, PlanError> {
        let plan: Self = schema::parse("plan", text)?;
        plan.check()?;
        Ok(plan)
    }

    /// Refuses what could not be run or would not be a comparison.
    pub fn check(&self) -> Result<(), PlanError> {
        let wrong = |what: String| Err(PlanError::Wrong { name: self.name.clone(), what });
        if self.schema != SCHEMA {
            return wrong(format!("schema {} instead of {SCHEMA}", self.schema));
        }
        if self.blocks == 0 || self.arms.is_empty() || self.cases.is_empty() {
            return wrong("it needs at least one block, one arm and one case".into());
        }
        let mut names = BTreeSet::new();
        if let Some(twice) = self.arms.iter().find(|arm| !names.insert(&arm.arm)) {
            return wrong(format!("the arm {} is there twice", twice.arm));
        }
        if let Some(fault) = role::faults(&self.arms).into_iter().next() {
            return wrong(fault);
        }
        if let Some(idle) = self.cases.iter().find(|case| self.arms_of(&case.path).is_empty()) {
            return wrong(format!("no arm has a build for the path {} of {}", idle.path, idle.workload));
        }
        if let Some(width) = self.until_precise.filter(|width| !(*width > 0.0 && *width < 1.0)) {
            return wrong(format!("it stops at a precision of {width}, which lies not between 0 and 1"));
        }
        if let Some(empty) = self.cases.iter().find(|case| case.batch == 0) {
            return wrong(format!("{} has a batch of 0", empty.workload));
        }
        Ok(())
    }

    /// Runs in all blocks of all cases.
    pub fn runs(&self) -> usize {
        self.blocks * self.cases.iter().map(|case| self.arms_of(&case.path).len()).sum::<usize>()
    }

    /// The arms that run on `path`, in the plan's order: those whose binary is not an earlier arm's, and controls.
    pub fn arms_of(&self, path: &str) -> Vec<&Arm> {
        arm::with_own_binary(&self.arms, path)
    }
}

impl Case {
    /// Workload, path and batch in one line.
    pub fn title(&self) -> String {
        let batch = if self.batch == 1 { String::new() } else { format!(" × {}", self.batch) };
        format!("{}{batch} ({})", self.workload, self.path)
    }
}
