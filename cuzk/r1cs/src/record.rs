//! The constraint system that writes down what a circuit does.

use bellpepper_core::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use ff::Field;

use crate::coefficients::CoefficientTable;
use crate::{Column, Fr, Matrix, R1cs, Recording};

/// Why a circuit could not be recorded.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The circuit's own error.
    #[error("the circuit of {name} did not synthesise: {source}; record it with a complete witness")]
    Synthesis {
        /// The recording's name.
        name: String,
        /// What the circuit said.
        source: SynthesisError,
    },
    /// A variable or a coefficient whose number does not fit the recording's 32-bit columns.
    #[error("the circuit of {name} has more than 2^31 variables or 2^32 distinct coefficients: record its parts apart")]
    TooLarge {
        /// The recording's name.
        name: String,
    },
}

impl Recording {
    /// Synthesises the circuit once, serially, and keeps matrices and witness.
    ///
    /// # Errors
    /// When the circuit has no complete witness, or is too large for 32-bit columns.
    pub fn record(name: &str, circuit: impl Circuit<Fr>) -> Result<Self, RecordError> {
        let mut recorder = Recorder::new();
        circuit.synthesize(&mut recorder).map_err(|source| RecordError::Synthesis { name: name.to_owned(), source })?;
        recorder.finish(name).ok_or_else(|| RecordError::TooLarge { name: name.to_owned() })
    }
}

struct Recorder {
    inputs: Vec<Fr>,
    aux: Vec<Fr>,
    coefficients: CoefficientTable,
    a: Matrix,
    b: Matrix,
    c: Matrix,
    too_large: bool,
}

impl Recorder {
    fn new() -> Self {
        Self {
            inputs: vec![Fr::ONE],
            aux: Vec::new(),
            coefficients: CoefficientTable::new(),
            a: Matrix::default(),
            b: Matrix::default(),
            c: Matrix::default(),
            too_large: false,
        }
    }

    fn finish(self, name: &str) -> Option<Recording> {
        let limit = Column::INPUT_BIT as usize;
        if self.too_large || self.inputs.len() > limit || self.aux.len() > limit {
            return None;
        }
        let r1cs = R1cs {
            inputs: self.inputs.len(),
            aux: self.aux.len(),
            coefficients: self.coefficients.into_values(),
            a: self.a,
            b: self.b,
            c: self.c,
        };
        Some(Recording { name: name.to_owned(), r1cs, inputs: self.inputs, aux: self.aux })
    }
}

/// Appends a row; false when a number does not fit.
fn push_row(matrix: &mut Matrix, coefficients: &mut CoefficientTable, row: &LinearCombination<Fr>) -> bool {
    for (variable, coefficient) in row.iter() {
        let column = Column::new(variable.get_unchecked());
        let (Some(column), Some(place)) = (column, coefficients.place(coefficient)) else {
            return false;
        };
        matrix.push_term(column, place);
    }
    matrix.end_row();
    true
}

impl ConstraintSystem<Fr> for Recorder {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.aux.push(value()?);
        Ok(Variable::new_unchecked(Index::Aux(self.aux.len() - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs.push(value()?);
        Ok(Variable::new_unchecked(Index::Input(self.inputs.len() - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>,
        LB: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>,
        LC: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>,
    {
        let table = &mut self.coefficients;
        let fits = push_row(&mut self.a, table, &a(LinearCombination::zero()))
            & push_row(&mut self.b, table, &b(LinearCombination::zero()))
            & push_row(&mut self.c, table, &c(LinearCombination::zero()));
        self.too_large |= !fits;
    }

    fn get_root(&mut self) -> &mut Self {
        self
    }

    // Names are for people who debug a circuit; a recording has none.
    fn push_namespace<Name, Namer>(&mut self, _: Namer)
    where
        Name: Into<String>,
        Namer: FnOnce() -> Name,
    {
    }

    fn pop_namespace(&mut self) {}
}
