//! A circuit that takes longer than it must, by a known factor: what a benchmark has to find before its findings count.

use std::hint::spin_loop;
use std::time::Instant;

use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use cuzk_r1cs::Fr;

use crate::WorkloadCircuit;

/// A circuit whose synthesis takes `factor` times as long, on the thread that synthesises; 1 changes nothing.
#[derive(Clone, Debug)]
pub struct SlowCircuit {
    circuit: WorkloadCircuit,
    factor: f64,
}

impl SlowCircuit {
    /// `circuit`, slowed by `factor`.
    pub fn new(circuit: WorkloadCircuit, factor: f64) -> Self {
        Self { circuit, factor }
    }
}

impl Circuit<Fr> for SlowCircuit {
    fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let start = Instant::now();
        self.circuit.synthesize(cs)?;
        stretch(start, self.factor);
        Ok(())
    }
}

/// Makes what began at `start` take `factor` times as long. Keeps the core, as slower code would.
pub fn stretch(start: Instant, factor: f64) {
    if factor > 1.0 {
        let until = start.elapsed().mul_f64(factor);
        while start.elapsed() < until {
            spin_loop();
        }
    }
}
