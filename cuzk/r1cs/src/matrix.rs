//! Sparse matrices by row, and the three that make a rank-1 constraint system.

use crate::{Column, Fr};

/// One matrix. Terms of a row stand in the order in which the circuit's linear combination lists
/// them: inputs, then auxiliaries, each by rising index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matrix {
    pub(crate) row_ends: Vec<u64>,
    pub(crate) columns: Vec<Column>,
    pub(crate) coefficients: Vec<u32>,
}

impl Matrix {
    /// Rows, empty ones included.
    pub fn rows(&self) -> usize {
        self.row_ends.len()
    }

    /// Terms in all rows; explicit zero coefficients count.
    pub fn terms(&self) -> usize {
        self.columns.len()
    }

    /// For each row the index after its last term.
    pub fn row_ends(&self) -> &[u64] {
        &self.row_ends
    }

    /// The variable of each term.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// For each term its coefficient's place in [`R1cs::coefficients`].
    pub fn coefficients(&self) -> &[u32] {
        &self.coefficients
    }

    /// The terms of a row: variable and place of the coefficient.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn row(&self, row: usize) -> impl ExactSizeIterator<Item = (Column, u32)> + '_ {
        let start = if row == 0 { 0 } else { self.row_ends[row - 1] as usize };
        let range = start..self.row_ends[row] as usize;
        self.columns[range.clone()].iter().copied().zip(self.coefficients[range].iter().copied())
    }

    pub(crate) fn push_term(&mut self, column: Column, coefficient: u32) {
        self.columns.push(column);
        self.coefficients.push(coefficient);
    }

    pub(crate) fn end_row(&mut self) {
        self.row_ends.push(self.columns.len() as u64);
    }
}

/// A rank-1 constraint system: `(A z) o (B z) = C z` for the witness `z`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct R1cs {
    pub(crate) inputs: usize,
    pub(crate) aux: usize,
    pub(crate) coefficients: Vec<Fr>,
    pub(crate) a: Matrix,
    pub(crate) b: Matrix,
    pub(crate) c: Matrix,
}

impl R1cs {
    /// Rows that the circuit enforces. The prover and the parameters have one more per input.
    pub fn constraints(&self) -> usize {
        self.a.rows()
    }

    /// Public inputs, the constant one included.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Auxiliary (private) variables.
    pub fn aux(&self) -> usize {
        self.aux
    }

    /// The distinct coefficients.
    pub fn coefficients(&self) -> &[Fr] {
        &self.coefficients
    }

    /// The left factor.
    pub fn a(&self) -> &Matrix {
        &self.a
    }

    /// The right factor.
    pub fn b(&self) -> &Matrix {
        &self.b
    }

    /// The product.
    pub fn c(&self) -> &Matrix {
        &self.c
    }
}
