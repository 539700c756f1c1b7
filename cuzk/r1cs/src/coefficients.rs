//! The table of a circuit's distinct coefficients, in order of first use.

use std::collections::HashMap;

use ff::{Field, PrimeField};

use crate::Fr;

/// Circuits repeat few coefficients (some thousands in a PoRep of 7 M rows), so rows name them by
/// place.
pub(crate) struct CoefficientTable {
    values: Vec<Fr>,
    places: HashMap<[u8; 32], u32>,
    one: Option<u32>,
}

impl CoefficientTable {
    pub(crate) fn new() -> Self {
        Self { values: Vec::new(), places: HashMap::new(), one: None }
    }

    /// The coefficient's place; `None` when 2^32 distinct ones stand there already.
    pub(crate) fn place(&mut self, value: &Fr) -> Option<u32> {
        if *value == Fr::ONE {
            if self.one.is_none() {
                self.one = Some(self.look_up(value)?);
            }
            return self.one;
        }
        self.look_up(value)
    }

    pub(crate) fn into_values(self) -> Vec<Fr> {
        self.values
    }

    fn look_up(&mut self, value: &Fr) -> Option<u32> {
        let next = u32::try_from(self.values.len()).ok()?;
        let place = *self.places.entry(value.to_repr()).or_insert(next);
        if place == next {
            self.values.push(*value);
        }
        Some(place)
    }
}
