//! An arithmetic chain: as many rows as asked for, a chosen share of boolean variables, a chosen share
//! of variables in B.
//!
//! Two sequences are woven together. Bits: each is the XOR of the two before it, or the NOT of the one
//! before where the second last is to stay out of B. Numbers: each is the product of the two before it,
//! shifted by small constants, or of the one before and a constant. Every variable stands in C of its own
//! row and in A of the next of its kind, so A is dense but for the last two.

use bellperson::{Circuit, ConstraintSystem, LinearCombination, SynthesisError, Variable};
use cuzk_r1cs::Fr;
use ff::Field;

/// One, the start and the end.
const INPUTS: usize = 3;
const START: u64 = 0x5eed;

/// What a chain looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainShape {
    /// Rows, the prover's own row per input included: 2^k of them fill a domain of 2^k.
    pub rows: usize,
    /// Boolean variables in a hundred.
    pub booleans: u8,
    /// Variables that stand in B in a hundred, among bits and among numbers alike.
    pub b_density: u8,
}

impl ChainShape {
    /// Rows that make a chain at all.
    pub const MIN_ROWS: usize = 8;
    /// Rows that a recording can number.
    pub const MAX_ROWS: usize = 1 << 30;

    /// Variables of the chain itself; one row more says that the last number is the end.
    fn links(&self) -> usize {
        self.rows - INPUTS - 1
    }
}

/// The circuit and its witness.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    shape: ChainShape,
    end: Fr,
}

impl Chain {
    /// # Panics
    /// When the shape has fewer than [`ChainShape::MIN_ROWS`] rows.
    pub fn new(shape: ChainShape) -> Self {
        assert!(shape.rows >= ChainShape::MIN_ROWS, "a chain of {} rows", shape.rows);
        let mut chain = Links::new(shape, ((), ()), Fr::from(START));
        for _ in 0..shape.links() {
            chain.step(|_, _| Ok(())).expect("links without a constraint system do not fail");
        }
        let end = chain.numbers.last.1;
        Self { shape, end }
    }

    /// Start and end.
    pub fn public_inputs(&self) -> Vec<Fr> {
        vec![Fr::from(START), self.end]
    }
}

impl Circuit<Fr> for Chain {
    fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let start = Fr::from(START);
        let start_variable = cs.alloc_input(|| "start", || Ok(start))?;
        let mut chain = Links::new(self.shape, (CS::one(), start_variable), start);
        for _ in 0..self.shape.links() {
            chain.step(|link, value| {
                let new = cs.alloc(|| "link", || Ok(value))?;
                enforce(cs, link, new);
                Ok(new)
            })?;
        }
        let end = cs.alloc_input(|| "end", || Ok(self.end))?;
        let last = chain.numbers.last.0;
        cs.enforce(|| "end", |lc| lc + last, |lc| lc + CS::one(), |lc| lc + end);
        Ok(())
    }
}

fn enforce<CS: ConstraintSystem<Fr>>(cs: &mut CS, link: Link<Variable>, new: Variable) {
    let one = CS::one();
    match link {
        // 2 x * y = x + y - new
        Link::Xor(x, y) => cs.enforce(|| "xor", |lc| lc + (Fr::from(2), x), |lc| lc + y, |lc| lc + x + y - new),
        // x * 1 = 1 - new
        Link::Not(x) => cs.enforce(|| "not", |lc| lc + x, |lc| lc + one, |lc| lc + one - new),
        Link::Product(x, y, shift) => {
            cs.enforce(|| "product", |lc| shifted(lc, x, one, shift), |lc| shifted(lc, y, one, shift), |lc| lc + new)
        }
        Link::Scaled(x, shift) => {
            cs.enforce(|| "scaled", |lc| shifted(lc, x, one, shift), |lc| lc + (shift, one), |lc| lc + new)
        }
    }
}

fn shifted(lc: LinearCombination<Fr>, x: Variable, one: Variable, shift: Fr) -> LinearCombination<Fr> {
    lc + x + (shift, one)
}

/// How a new variable follows from those before it.
enum Link<V> {
    Xor(V, V),
    Not(V),
    Product(V, V, Fr),
    Scaled(V, Fr),
}

/// The last two of a sequence, and how many there were.
struct Sequence<V> {
    before: (V, Fr),
    last: (V, Fr),
    count: usize,
}

impl<V: Copy> Sequence<V> {
    fn starting(value: (V, Fr)) -> Self {
        Self { before: value, last: value, count: 0 }
    }

    fn push(&mut self, new: (V, Fr)) {
        self.before = self.last;
        self.last = new;
        self.count += 1;
    }
}

/// Bits and numbers; `V` is how the constraint system names a variable.
struct Links<V> {
    shape: ChainShape,
    step: usize,
    bits: Sequence<V>,
    numbers: Sequence<V>,
}

impl<V: Copy> Links<V> {
    /// Bits start from the constant one, numbers from the start.
    fn new(shape: ChainShape, (one, start): (V, V), value: Fr) -> Self {
        Self { shape, step: 0, bits: Sequence::starting((one, Fr::ONE)), numbers: Sequence::starting((start, value)) }
    }

    fn step(&mut self, make: impl FnOnce(Link<V>, Fr) -> Result<V, SynthesisError>) -> Result<(), SynthesisError> {
        let is_bit = falls_on(self.step, self.shape.booleans);
        self.step += 1;
        let (link, value) = if is_bit { self.bit() } else { self.number() };
        let new = (make(link, value)?, value);
        if is_bit {
            self.bits.push(new);
        } else {
            self.numbers.push(new);
        }
        Ok(())
    }

    fn bit(&self) -> (Link<V>, Fr) {
        let Sequence { before: (y, y_value), last: (x, x_value), count } = self.bits;
        if falls_on(count, self.shape.b_density) {
            (Link::Xor(x, y), x_value + y_value - (x_value * y_value).double())
        } else {
            (Link::Not(x), Fr::ONE - x_value)
        }
    }

    fn number(&self) -> (Link<V>, Fr) {
        let Sequence { before: (y, y_value), last: (x, x_value), count } = self.numbers;
        let shift = Fr::from(2 + count as u64 % 7);
        if falls_on(count, self.shape.b_density) {
            (Link::Product(x, y, shift), (x_value + shift) * (y_value + shift))
        } else {
            (Link::Scaled(x, shift), (x_value + shift) * shift)
        }
    }
}

/// Spreads `percent` of a hundred evenly over the numbers.
fn falls_on(number: usize, percent: u8) -> bool {
    let before = number * usize::from(percent) / 100;
    (number + 1) * usize::from(percent) / 100 > before
}
