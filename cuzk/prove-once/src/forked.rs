//! The one place that knows whether the forks are there: what they add to bellperson's public face.

use cuzk_r1cs::R1cs;

/// Runs a prover that is told the circuit's sizes; what it makes of them is its patches' business.
#[cfg(feature = "forked")]
pub(crate) fn with_size_hint<T>(sizes: Sizes, prove: impl FnOnce() -> T) -> T {
    use bellperson::groth16::presize;
    let hint = presize::SizeHint { constraints: sizes.constraints, inputs: sizes.inputs, aux: sizes.aux };
    presize::with_size_hint(hint, prove)
}

/// Upstream cannot be told: the same run without the hint.
#[cfg(not(feature = "forked"))]
pub(crate) fn with_size_hint<T>(_sizes: Sizes, prove: impl FnOnce() -> T) -> T {
    prove()
}

/// A circuit's sizes, without the prover's own rows.
#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "forked"), expect(dead_code, reason = "upstream takes no hint"))]
pub(crate) struct Sizes {
    constraints: usize,
    inputs: usize,
    aux: usize,
}

impl Sizes {
    pub(crate) fn of(r1cs: &R1cs) -> Self {
        Self { constraints: r1cs.constraints(), inputs: r1cs.inputs(), aux: r1cs.aux() }
    }
}
