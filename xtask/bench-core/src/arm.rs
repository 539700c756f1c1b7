//! An arm: a set of patches and the binaries built from it, each with the components of its fingerprint.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::role::Role;

/// The arm that every other is compared with: the crates as their authors released them.
pub const UPSTREAM: &str = "upstream";
/// The arm with all enabling patches and no measured one.
pub const NONE: &str = "none";
/// The arm with every patch that the plan admits.
pub const ALL: &str = "all";

/// A set of patches under one name, with the binaries that hold it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arm {
    /// Its name in tables: `upstream`, `none`, `+a1`, `all`.
    pub arm: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Role::is_plain")]
    pub role: Role,
    /// Ids of the measured patches that the arm asks for, in all forks.
    pub patches: Vec<String>,
    /// Over the fingerprints of its builds.
    pub fingerprint: String,
    /// One binary for each kind of build: `cpu`, `cuda`, `stock`. A path without an entry is not built for this arm.
    pub builds: BTreeMap<String, Build>,
}

/// One binary of an arm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// Where it lies, relative to the plan's folder.
    pub binary: String,
    /// The measured patches of the forks that are in this build: an arm's patches without those of forks it does not use.
    pub patches: Vec<String>,
    /// [`Components::fingerprint`]; the binary prints it too.
    pub fingerprint: String,
    /// What the fingerprint is over.
    pub components: Components,
    /// SHA-256 of the file.
    pub binary_sha256: String,
    /// SHA-256 of the file with the fingerprint's own text blanked: equal for two builds whose code is the same.
    pub code_sha256: String,
}

/// All that decides what a binary is, kept apart so that a stale receipt can say what changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Components {
    /// Kind of build and its cargo features.
    pub build: String,
    /// Fork → version and checksum of the release; only forks that are in this build.
    pub pins: BTreeMap<String, String>,
    /// Patch → `git patch-id --stable`; enabling and measured patches of the forks in this build. Empty for `upstream`.
    pub patches: BTreeMap<String, String>,
    /// SHA-256 of the arm's lock file.
    pub lock_sha256: String,
    /// `rustc` and, in CUDA builds, `nvcc`.
    pub toolchain: Vec<String>,
    /// GPU architectures of CUDA builds.
    pub architectures: Vec<String>,
    /// SHA-256 over the sources of this workspace that are in the build.
    pub sources_sha256: String,
    /// The seed by which the linker shuffled the functions; absent where it left them as they came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<u64>,
}

impl Components {
    /// SHA-256, in hex, of the components as JSON.
    pub fn fingerprint(&self) -> String {
        let text = serde_json::to_vec(self).expect("these fields have string keys only");
        hex(&Sha256::digest(text))
    }
}

impl Arm {
    /// The arm's own fingerprint: over kind and fingerprint of each build.
    pub fn fingerprint_of(builds: &BTreeMap<String, Build>) -> String {
        let mut hash = Sha256::new();
        for (kind, build) in builds {
            hash.update(format!("{kind} {}\n", build.fingerprint));
        }
        hex(&hash.finalize())
    }
}

/// The arms with something of their own to run on `path`, in the plan's order. Of arms that share a fingerprint there
/// (their patches differ in forks that the build does not use) only the first runs; a control runs its original's binary.
pub(crate) fn with_own_binary<'a>(arms: &'a [Arm], path: &str) -> Vec<&'a Arm> {
    let mut seen = BTreeSet::new();
    let mut own = Vec::new();
    for (arm, build) in arms.iter().filter_map(|arm| Some((arm, arm.builds.get(path)?))) {
        if matches!(arm.role, Role::Control { .. }) || seen.insert(build.fingerprint.as_str()) {
            own.push(arm);
        }
    }
    own
}

/// SHA-256 of `bytes` in hex.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
