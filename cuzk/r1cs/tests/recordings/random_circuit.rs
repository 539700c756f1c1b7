//! Small circuits of any shape, and what a plain reading of them says.

use std::collections::BTreeSet;

use bellpepper_core::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use cuzk_r1cs::Fr;
use ff::Field;
use proptest::prelude::*;

/// A term: input or auxiliary, its number (taken modulo what there is), the coefficient.
pub(crate) type Term = (bool, usize, i64);

/// Rows of random terms, explicit zeros among them. Each auxiliary stands in A of a row of its own, so
/// that parameters exist. The witness need not satisfy the rows: proofs are then invalid, but equal.
#[derive(Clone, Debug)]
pub(crate) struct RandomCircuit {
    pub(crate) inputs: Vec<u64>,
    pub(crate) aux: Vec<u64>,
    pub(crate) rows: Vec<[Vec<Term>; 3]>,
}

pub(crate) fn circuits() -> impl Strategy<Value = RandomCircuit> {
    let term = (any::<bool>(), 0usize..16, -2i64..4);
    let side = || prop::collection::vec(term.clone(), 0..5);
    let row = (side(), side(), side()).prop_map(|(a, b, c)| [a, b, c]);
    (
        prop::collection::vec(any::<u64>(), 0..4),
        prop::collection::vec(any::<u64>(), 1..9),
        prop::collection::vec(row, 0..9),
    )
        .prop_map(|(inputs, aux, rows)| RandomCircuit { inputs, aux, rows })
}

fn coefficient(value: i64) -> Fr {
    let magnitude = Fr::from(value.unsigned_abs());
    if value < 0 { -magnitude } else { magnitude }
}

impl RandomCircuit {
    /// The values of all variables, the constant one first among the inputs.
    pub(crate) fn values(&self) -> (Vec<Fr>, Vec<Fr>) {
        let inputs = std::iter::once(Fr::ONE).chain(self.inputs.iter().map(|v| Fr::from(*v))).collect();
        (inputs, self.aux.iter().map(|v| Fr::from(*v)).collect())
    }

    fn all_rows(&self) -> Vec<[Vec<Term>; 3]> {
        let own = (0..self.aux.len()).map(|i| [vec![(false, i, 1)], vec![], vec![]]);
        self.rows.iter().cloned().chain(own).collect()
    }

    fn variable(&self, (input, number, _): Term) -> Index {
        if input { Index::Input(number % (self.inputs.len() + 1)) } else { Index::Aux(number % self.aux.len()) }
    }

    /// Row by row, what side `side` comes to.
    pub(crate) fn evaluate(&self, side: usize) -> Vec<Fr> {
        let (inputs, aux) = self.values();
        let value = |term| match self.variable(term) {
            Index::Input(i) => inputs[i],
            Index::Aux(i) => aux[i],
        };
        self.all_rows().iter().map(|row| row[side].iter().map(|t| value(*t) * coefficient(t.2)).sum()).collect()
    }

    /// The variables of side `side` that have a coefficient other than zero in some row.
    pub(crate) fn dense(&self, side: usize) -> BTreeSet<(bool, usize)> {
        let mut dense = BTreeSet::new();
        for row in self.all_rows() {
            let mut sums = std::collections::BTreeMap::new();
            for term in &row[side] {
                let key = match self.variable(*term) {
                    Index::Input(i) => (true, i),
                    Index::Aux(i) => (false, i),
                };
                *sums.entry(key).or_insert(Fr::ZERO) += coefficient(term.2);
            }
            dense.extend(sums.into_iter().filter(|(_, sum)| *sum != Fr::ZERO).map(|(key, _)| key));
        }
        dense
    }
}

impl Circuit<Fr> for RandomCircuit {
    fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        // Auxiliaries first: a recording must not depend on the order between the two kinds.
        for value in &self.aux {
            cs.alloc(|| "aux", || Ok(Fr::from(*value)))?;
        }
        for value in &self.inputs {
            cs.alloc_input(|| "input", || Ok(Fr::from(*value)))?;
        }
        let sum = |lc: LinearCombination<Fr>, terms: &[Term]| {
            terms.iter().fold(lc, |lc, term| lc + (coefficient(term.2), Variable::new_unchecked(self.variable(*term))))
        };
        for [a, b, c] in self.all_rows() {
            cs.enforce(|| "row", |lc| sum(lc, &a), |lc| sum(lc, &b), |lc| sum(lc, &c));
        }
        Ok(())
    }
}
