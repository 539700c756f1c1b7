//! SHA-256 of a message of so many blocks, padding included, with bellperson's gadgets.

use bellperson::gadgets::boolean::{AllocatedBit, Boolean};
use bellperson::gadgets::multipack::{bytes_to_bits, compute_multipacking, pack_into_inputs};
use bellperson::gadgets::sha256::sha256;
use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use cuzk_r1cs::Fr;
use sha2::{Digest, Sha256};

/// The circuit; its public inputs are the digest's bits.
#[derive(Clone, Copy, Debug)]
pub struct Sha256Chain {
    blocks: usize,
}

impl Sha256Chain {
    /// A block is 64 bytes, of which the last holds mark and length in 9 of its own.
    const BLOCK_BYTES: usize = 64;
    const PADDING_BYTES: usize = 9;
    /// A recording numbers 2^31 variables, a block has some 27,000.
    pub(crate) const MAX_BLOCKS: usize = 1 << 16;

    /// # Panics
    /// When there is no block.
    pub fn new(blocks: usize) -> Self {
        assert!(blocks > 0, "SHA-256 of no block");
        Self { blocks }
    }

    fn message(&self) -> Vec<u8> {
        let bytes = self.blocks * Self::BLOCK_BYTES - Self::PADDING_BYTES;
        (0..bytes).map(|i| (i * 167 + 13) as u8).collect()
    }

    /// The digest, packed.
    pub fn public_inputs(&self) -> Vec<Fr> {
        compute_multipacking(&bytes_to_bits(&Sha256::digest(self.message())))
    }
}

impl Circuit<Fr> for Sha256Chain {
    fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let message = bytes_to_bits(&self.message())
            .into_iter()
            .enumerate()
            .map(|(i, bit)| {
                let cs = cs.namespace(|| format!("message bit {i}"));
                AllocatedBit::alloc(cs, Some(bit)).map(Boolean::from)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let digest = sha256(cs.namespace(|| "sha256"), &message)?;
        pack_into_inputs(cs.namespace(|| "digest"), &digest)
    }
}
