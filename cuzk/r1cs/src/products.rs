//! The matrices times the witness, as the prover's polynomials need them.

use bellpepper_core::Index;
use ff::Field;
use rayon::prelude::*;

use crate::{Fr, Matrix, R1cs, Recording};

/// A, B and C times the witness: one value per row, then one per input. The rows that the prover
/// adds for the inputs say `input * 0 = 0`, so `b` and `c` are zero there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abc {
    /// A times the witness.
    pub a: Vec<Fr>,
    /// B times the witness.
    pub b: Vec<Fr>,
    /// C times the witness.
    pub c: Vec<Fr>,
}

impl Abc {
    /// The first row where `a * b` is not `c`; `None` when the witness satisfies the circuit.
    pub fn first_unsatisfied(&self) -> Option<usize> {
        (0..self.a.len()).into_par_iter().find_first(|&i| self.a[i] * self.b[i] != self.c[i])
    }
}

impl Recording {
    /// Computes the products on rayon's current pool.
    pub fn products(&self) -> Abc {
        let padding = self.r1cs.inputs();
        Abc {
            a: self.product(&self.r1cs.a, &self.inputs),
            b: self.product(&self.r1cs.b, &vec![Fr::ZERO; padding]),
            c: self.product(&self.r1cs.c, &vec![Fr::ZERO; padding]),
        }
    }

    fn product(&self, matrix: &Matrix, input_rows: &[Fr]) -> Vec<Fr> {
        let mut values = Vec::with_capacity(matrix.rows() + input_rows.len());
        (0..matrix.rows())
            .into_par_iter()
            .with_min_len(1024)
            .map(|row| self.evaluate(&self.r1cs, matrix, row))
            .collect_into_vec(&mut values);
        values.extend_from_slice(input_rows);
        values
    }

    fn evaluate(&self, r1cs: &R1cs, matrix: &Matrix, row: usize) -> Fr {
        matrix.row(row).fold(Fr::ZERO, |sum, (column, place)| {
            let value = match column.index() {
                Index::Input(i) => self.inputs[i],
                Index::Aux(i) => self.aux[i],
            };
            sum + value * r1cs.coefficient(place)
        })
    }
}
