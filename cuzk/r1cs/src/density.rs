//! Which variables the A and B queries of the parameters hold points for.
//!
//! A variable is dense in a matrix when a non-zero coefficient of it stands there. An explicit zero
//! does not count, as in bellperson's prover; the generator then omits the point.

use bellpepper_core::Index;
use ff::Field;

use crate::{Fr, Matrix, R1cs};

/// One bit per variable, lowest bit of the first word first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Density {
    words: Vec<u64>,
    len: usize,
    count: usize,
}

impl Density {
    fn new(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)], len, count: 0 }
    }

    fn set(&mut self, index: usize) {
        let (word, bit) = (index / 64, 1u64 << (index % 64));
        if self.words[word] & bit == 0 {
            self.words[word] |= bit;
            self.count += 1;
        }
    }

    /// The bits, 64 to a word; those past [`Density::len`] are zero.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Variables, dense or not.
    pub fn len(&self) -> usize {
        self.len
    }

    /// No variable at all.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Dense variables.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Is this variable dense?
    pub fn get(&self, index: usize) -> bool {
        index < self.len && self.words[index / 64] >> (index % 64) & 1 == 1
    }
}

/// The three densities that the prover tracks. A over inputs is full, because of the prover's row
/// per input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Densities {
    /// A over auxiliaries.
    pub a_aux: Density,
    /// B over inputs.
    pub b_inputs: Density,
    /// B over auxiliaries.
    pub b_aux: Density,
}

impl R1cs {
    /// The densities, from the matrices alone.
    pub fn densities(&self) -> Densities {
        let zeros: Vec<bool> = self.coefficients.iter().map(|c| c.is_zero_vartime()).collect();
        let mut densities = Densities {
            a_aux: Density::new(self.aux),
            b_inputs: Density::new(self.inputs),
            b_aux: Density::new(self.aux),
        };
        for index in dense_variables(&self.a, &zeros) {
            if let Index::Aux(i) = index {
                densities.a_aux.set(i);
            }
        }
        for index in dense_variables(&self.b, &zeros) {
            match index {
                Index::Input(i) => densities.b_inputs.set(i),
                Index::Aux(i) => densities.b_aux.set(i),
            }
        }
        densities
    }

    /// A coefficient by its place in the table.
    pub(crate) fn coefficient(&self, place: u32) -> &Fr {
        &self.coefficients[place as usize]
    }
}

fn dense_variables<'a>(matrix: &'a Matrix, zeros: &'a [bool]) -> impl Iterator<Item = Index> + 'a {
    matrix
        .columns
        .iter()
        .zip(&matrix.coefficients)
        .filter(|(_, place)| !zeros[**place as usize])
        .map(|(column, _)| column.index())
}
