//! Groth16 proofs of recordings by supraseal-c2.

use std::path::Path;

use bellperson::groth16::Proof;
use blstrs::{Bls12, G1Affine, G2Affine};
use cuzk_r1cs::{Abc, Densities, Density, Fr, Recording};
use supraseal_c2::{Assignment, SRS, try_generate_groth16_proofs};

use crate::CudaError;
use crate::error::{of_loading, of_prover};

/// Parameters in page-locked host memory, every point checked to lie on its curve. Clones share it.
#[derive(Clone)]
pub struct Srs {
    srs: SRS,
}

impl Srs {
    /// Reads a file in bellperson's format; what follows the parameters in it does not matter.
    ///
    /// The points are not checked to lie in the prime-order subgroup: check the file's digest.
    ///
    /// # Errors
    /// No device, a file that cannot be read, is cut short or holds a bad point (section, index and
    /// offset are named), or too little memory.
    pub fn load(path: &Path) -> Result<Self, CudaError> {
        match SRS::try_new(path.to_owned(), false) {
            Ok(srs) => Ok(Self { srs }),
            Err(error) => Err(of_loading(path, error.code, String::from(&error))),
        }
    }
}

/// A circuit with its witness, ready to be proved.
#[derive(Clone, Copy)]
pub struct Assigned<'a> {
    /// Whose inputs and auxiliaries are the witness.
    pub recording: &'a Recording,
    /// The recording's products, the prover's rows for the inputs included.
    pub abc: &'a Abc,
    /// The recording's densities.
    pub densities: &'a Densities,
}

/// Proves a batch: circuits of one shape, that of the parameters, with one `r` and `s` each.
///
/// Proofs come in the circuits' order. They are as good as the witness: verify them.
///
/// # Errors
/// Sizes that do not fit, and whatever CUDA or the host says. Nothing is left behind.
pub fn prove(srs: &Srs, circuits: &[Assigned<'_>], r: &[Fr], s: &[Fr]) -> Result<Vec<Proof<Bls12>>, CudaError> {
    let provers =
        circuits.iter().enumerate().map(|(i, circuit)| circuit.assignment(i)).collect::<Result<Vec<_>, _>>()?;
    let blank = RawProof { a: G1Affine::default(), b: G2Affine::default(), c: G1Affine::default() };
    let mut proofs = vec![blank; circuits.len()];
    try_generate_groth16_proofs(&provers, r, s, &mut proofs, &srs.srs)
        .map_err(|error| of_prover("proving", error.code, error.to_string()))?;
    Ok(proofs.into_iter().map(Proof::from).collect())
}

/// A proof as the prover writes it: affine coordinates in Montgomery form. The point types are
/// transparent wrappers of blst's.
#[derive(Clone, Copy)]
#[repr(C)]
struct RawProof {
    a: G1Affine,
    b: G2Affine,
    c: G1Affine,
}

const _: () = assert!(size_of::<RawProof>() == 384 && size_of::<Fr>() == 32);
// Densities are read as usize by Rust and as 64-bit words by C++.
const _: () = assert!(size_of::<usize>() == size_of::<u64>());

impl From<RawProof> for Proof<Bls12> {
    fn from(raw: RawProof) -> Self {
        Proof { a: raw.a, b: raw.b, c: raw.c }
    }
}

impl Assigned<'_> {
    /// Pointers into this circuit, which outlives them: the prover is called while it is borrowed.
    fn assignment(&self, circuit: usize) -> Result<Assignment<Fr>, CudaError> {
        let (inputs, aux) = (self.recording.inputs(), self.recording.aux());
        let Densities { a_aux, b_inputs, b_aux } = self.densities;
        let rows = self.recording.r1cs().constraints() + inputs.len();
        for (what, have, want) in [
            ("rows of A", self.abc.a.len(), rows),
            ("rows of B", self.abc.b.len(), rows),
            ("rows of C", self.abc.c.len(), rows),
            ("bits of A's density", a_aux.len(), aux.len()),
            ("bits of B's density over inputs", b_inputs.len(), inputs.len()),
            ("bits of B's density", b_aux.len(), aux.len()),
        ] {
            if have != want {
                return Err(CudaError::Batch(format!(
                    "circuit {circuit}: {have} {what} belong to another recording, which has {want}"
                )));
            }
        }
        let words = |density: &Density| density.words().as_ptr().cast::<usize>();
        Ok(Assignment {
            a_aux_density: words(a_aux),
            a_aux_bit_len: a_aux.len(),
            a_aux_popcount: a_aux.count(),
            b_inp_density: words(b_inputs),
            b_inp_bit_len: b_inputs.len(),
            b_inp_popcount: b_inputs.count(),
            b_aux_density: words(b_aux),
            b_aux_bit_len: b_aux.len(),
            b_aux_popcount: b_aux.count(),
            a: self.abc.a.as_ptr(),
            b: self.abc.b.as_ptr(),
            c: self.abc.c.as_ptr(),
            abc_size: rows,
            inp_assignment_data: inputs.as_ptr(),
            inp_assignment_size: inputs.len(),
            aux_assignment_data: aux.as_ptr(),
            aux_assignment_size: aux.len(),
        })
    }
}
