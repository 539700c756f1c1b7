//! A name for a circuit that depends on its sizes and matrices alone.

use ff::PrimeField;
use sha2::{Digest, Sha256};

use crate::{Matrix, R1cs};

const DOMAIN: &[u8] = b"cuzk circuit, version 1\0";
const FLUSH_BYTES: usize = 1 << 16;

impl R1cs {
    /// SHA-256 over inputs, auxiliaries, rows (64-bit little endian) and, row by row, the terms of A,
    /// B and C: their number, then for each the column and the coefficient's number in order of first
    /// use, with its 32 bytes where it is first used (32-bit little endian, canonical bytes). Neither
    /// witness nor the order of the coefficient table matters.
    pub fn circuit_hash(&self) -> [u8; 32] {
        let mut writer = Writer::new(self.coefficients.len());
        for size in [self.inputs, self.aux, self.constraints()] {
            writer.buffer.extend_from_slice(&(size as u64).to_le_bytes());
        }
        for row in 0..self.constraints() {
            for matrix in [&self.a, &self.b, &self.c] {
                writer.row(self, matrix, row);
            }
        }
        writer.finish()
    }
}

struct Writer {
    hash: Sha256,
    buffer: Vec<u8>,
    numbers: Vec<Option<u32>>,
    next: u32,
}

impl Writer {
    fn new(coefficients: usize) -> Self {
        Self {
            hash: Sha256::new_with_prefix(DOMAIN),
            buffer: Vec::with_capacity(FLUSH_BYTES * 2),
            numbers: vec![None; coefficients],
            next: 0,
        }
    }

    fn row(&mut self, r1cs: &R1cs, matrix: &Matrix, row: usize) {
        let terms = matrix.row(row);
        self.u32(terms.len() as u32);
        for (column, place) in terms {
            self.u32(column.bits());
            match self.numbers[place as usize] {
                Some(number) => self.u32(number),
                None => {
                    self.numbers[place as usize] = Some(self.next);
                    self.u32(self.next);
                    self.next += 1;
                    self.buffer.extend_from_slice(&r1cs.coefficient(place).to_repr());
                }
            }
            if self.buffer.len() >= FLUSH_BYTES {
                self.flush();
            }
        }
    }

    fn u32(&mut self, value: u32) {
        self.buffer.extend_from_slice(&value.to_le_bytes());
    }

    fn flush(&mut self) {
        self.hash.update(&self.buffer);
        self.buffer.clear();
    }

    fn finish(mut self) -> [u8; 32] {
        self.flush();
        self.hash.finalize().into()
    }
}
