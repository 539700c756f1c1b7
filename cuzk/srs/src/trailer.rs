//! The end of a test parameter file.
//!
//! It stands at the end because provers read the points from byte 0 (supraseal-c2 has no offset) and
//! ignore what follows.

use sha2::{Digest, Sha256};

/// The secret from which all test parameters come, as a seed of ChaCha20.
pub const SEED: u64 = 0x1dea_0f7e_57ed;

const MARK: &[u8; 32] = b"cuzk INSECURE TEST PARAMETERS\n\0\0";
const VERSION: u32 = 1;

/// What the trailer says of the bytes before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trailer {
    pub(crate) circuit_hash: [u8; 32],
    pub(crate) body_bytes: u64,
    pub(crate) body_sha256: [u8; 32],
}

impl Trailer {
    /// Mark, version, seed, circuit hash, length and SHA-256 of the points, SHA-256 of all this.
    pub(crate) const BYTES: usize = 32 + 4 + 8 + 32 + 8 + 32 + 32;

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MARK.to_vec();
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&SEED.to_le_bytes());
        bytes.extend_from_slice(&self.circuit_hash);
        bytes.extend_from_slice(&self.body_bytes.to_le_bytes());
        bytes.extend_from_slice(&self.body_sha256);
        let sum = Sha256::digest(&bytes);
        bytes.extend_from_slice(&sum);
        bytes
    }

    /// `None` without the mark, otherwise the trailer or what is wrong with it.
    pub(crate) fn parse(bytes: &[u8; Self::BYTES]) -> Option<Result<Self, String>> {
        let (said, sum) = bytes.split_at(Self::BYTES - 32);
        let (mark, said) = said.split_at(32);
        if mark != MARK {
            return None;
        }
        if Sha256::digest(&bytes[..Self::BYTES - 32]).as_slice() != sum {
            return Some(Err("is damaged".to_owned()));
        }
        let (version, said) = said.split_at(4);
        let (seed, said) = said.split_at(8);
        let (circuit_hash, said) = said.split_at(32);
        let (body_bytes, body_sha256) = said.split_at(8);
        if version != VERSION.to_le_bytes() {
            return Some(Err(format!("is not of version {VERSION}")));
        }
        if seed != SEED.to_le_bytes() {
            return Some(Err("names another seed".to_owned()));
        }
        Some(Ok(Self {
            circuit_hash: array(circuit_hash),
            body_bytes: u64::from_le_bytes(array(body_bytes)),
            body_sha256: array(body_sha256),
        }))
    }
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().expect("the layout's length")
}
