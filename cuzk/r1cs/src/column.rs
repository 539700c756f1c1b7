//! Which variable a matrix column stands for, in 32 bits.

use bellpepper_core::{Index, Variable};

/// A variable: the top bit tells an input from an auxiliary one, the rest is its index. Inputs and
/// auxiliaries are allocated in any order, so their numbers are not known while rows are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Column(u32);

impl Column {
    /// Set in the columns of inputs.
    pub const INPUT_BIT: u32 = 1 << 31;

    /// `None` when the index needs more than 31 bits.
    pub fn new(index: Index) -> Option<Self> {
        let (index, tag) = match index {
            Index::Input(i) => (i, Self::INPUT_BIT),
            Index::Aux(i) => (i, 0),
        };
        let index = u32::try_from(index).ok().filter(|i| *i < Self::INPUT_BIT)?;
        Some(Self(index | tag))
    }

    /// From the bits that [`Column::bits`] gave.
    pub fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// Tag and index as they stand in a recording file.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// The variable's kind and index.
    pub fn index(self) -> Index {
        let index = (self.0 & !Self::INPUT_BIT) as usize;
        if self.0 & Self::INPUT_BIT == 0 { Index::Aux(index) } else { Index::Input(index) }
    }

    /// The variable as circuits name it.
    pub fn variable(self) -> Variable {
        Variable::new_unchecked(self.index())
    }
}
