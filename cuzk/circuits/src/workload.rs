//! Workloads by name.

use std::fmt;
use std::str::FromStr;

use cuzk_r1cs::Fr;

use crate::{Chain, ChainShape, Sha256Chain, WorkloadCircuit};

/// A name for each kind of workload, as examples.
pub const KNOWN_WORKLOADS: &[&str] =
    &["chain/2^19", "chain/2^19,booleans=75,b-density=100", "sha256/1", "winning-post-2KiB"];

/// What is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Workload {
    /// `chain/<rows>[,booleans=<percent>][,b-density=<percent>]`; rows may be written `2^k`.
    Chain(ChainShape),
    /// `sha256/<blocks>`
    Sha256 {
        /// Blocks of 64 bytes, padding included.
        blocks: usize,
    },
    /// `winning-post-2KiB`; known in every build, built only with the feature `filecoin`.
    WinningPost2KiB,
}

pub(crate) const WINNING_POST_2KIB: &str = "winning-post-2KiB";

const DEFAULT_BOOLEANS: u8 = 75;
const DEFAULT_B_DENSITY: u8 = 100;

/// Why there is no such workload.
#[derive(Debug, thiserror::Error)]
pub enum WorkloadError {
    /// No kind has that name.
    #[error("no workload is named {name}: known are {}", KNOWN_WORKLOADS.join(", "))]
    Unknown {
        /// As given.
        name: String,
    },
    /// The kind is known, a number in the name is not possible.
    #[error("{name} is no workload: {what}")]
    Malformed {
        /// As given.
        name: String,
        /// What is wrong.
        what: String,
    },
    /// The circuit could not be built.
    #[error("{name} was not built: {what}")]
    Build {
        /// The workload.
        name: String,
        /// What is wrong.
        what: String,
    },
    /// storage-proofs' settings.
    #[error("{what}")]
    Settings {
        /// What is wrong, and the remedy.
        what: String,
    },
}

impl Workload {
    /// Builds the circuit with its witness, and the public inputs that a verifier is given, which do not
    /// come from the circuit.
    ///
    /// # Errors
    /// When a Filecoin circuit's vanilla proof cannot be made, or this build has none.
    pub fn build(&self) -> Result<(WorkloadCircuit, Vec<Fr>), WorkloadError> {
        Ok(match *self {
            Self::Chain(shape) => {
                let chain = Chain::new(shape);
                (WorkloadCircuit::Chain(chain), chain.public_inputs())
            }
            Self::Sha256 { blocks } => {
                let circuit = Sha256Chain::new(blocks);
                (WorkloadCircuit::Sha256(circuit), circuit.public_inputs())
            }
            Self::WinningPost2KiB => return winning_post(),
        })
    }
}

#[cfg(feature = "filecoin")]
fn winning_post() -> Result<(WorkloadCircuit, Vec<Fr>), WorkloadError> {
    let (circuit, public_inputs) = crate::WinningPost::build()?;
    Ok((WorkloadCircuit::WinningPost(circuit), public_inputs))
}

#[cfg(not(feature = "filecoin"))]
fn winning_post() -> Result<(WorkloadCircuit, Vec<Fr>), WorkloadError> {
    Err(WorkloadError::Build {
        name: WINNING_POST_2KIB.to_owned(),
        what: "this build has no Filecoin circuits (feature filecoin): prove a recording of it".to_owned(),
    })
}

impl FromStr for Workload {
    type Err = WorkloadError;

    fn from_str(name: &str) -> Result<Self, WorkloadError> {
        let malformed = |what: String| WorkloadError::Malformed { name: name.to_owned(), what };
        let mut parts = name.split(',');
        let kind = parts.next().unwrap_or_default();
        if let Some(rows) = kind.strip_prefix("chain/") {
            let rows = number(rows, ChainShape::MIN_ROWS, ChainShape::MAX_ROWS).map_err(malformed)?;
            let shape = ChainShape { rows, booleans: DEFAULT_BOOLEANS, b_density: DEFAULT_B_DENSITY };
            return parts.try_fold(shape, chain_option).map(Self::Chain).map_err(malformed);
        }
        if let Some(blocks) = kind.strip_prefix("sha256/") {
            if let Some(option) = parts.next() {
                return Err(malformed(format!("sha256 has no option {option}")));
            }
            let blocks = number(blocks, 1, Sha256Chain::MAX_BLOCKS).map_err(malformed)?;
            return Ok(Self::Sha256 { blocks });
        }
        if name == WINNING_POST_2KIB {
            return Ok(Self::WinningPost2KiB);
        }
        Err(WorkloadError::Unknown { name: name.to_owned() })
    }
}

fn chain_option(shape: ChainShape, option: &str) -> Result<ChainShape, String> {
    let percent = |value: &str| number(value, 0, 100).map(|percent| percent as u8);
    match option.split_once('=') {
        Some(("booleans", value)) => Ok(ChainShape { booleans: percent(value)?, ..shape }),
        Some(("b-density", value)) => Ok(ChainShape { b_density: percent(value)?, ..shape }),
        _ => Err(format!("chain has options booleans=<percent> and b-density=<percent>, not {option}")),
    }
}

/// A decimal number, or a power of two as `2^k`.
fn number(text: &str, least: usize, most: usize) -> Result<usize, String> {
    let value = match text.strip_prefix("2^") {
        Some(power) => power.parse().ok().and_then(|power| 1usize.checked_shl(power)),
        None => text.parse().ok(),
    };
    value
        .filter(|value| (least..=most).contains(value))
        .ok_or_else(|| format!("{text} is no number from {least} to {most}"))
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chain(shape) => chain_name(shape, f),
            Self::Sha256 { blocks } => write!(f, "sha256/{blocks}"),
            Self::WinningPost2KiB => f.write_str(WINNING_POST_2KIB),
        }
    }
}

fn chain_name(shape: &ChainShape, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if shape.rows.is_power_of_two() {
        write!(f, "chain/2^{}", shape.rows.trailing_zeros())?;
    } else {
        write!(f, "chain/{}", shape.rows)?;
    }
    if shape.booleans != DEFAULT_BOOLEANS {
        write!(f, ",booleans={}", shape.booleans)?;
    }
    if shape.b_density != DEFAULT_B_DENSITY {
        write!(f, ",b-density={}", shape.b_density)?;
    }
    Ok(())
}
