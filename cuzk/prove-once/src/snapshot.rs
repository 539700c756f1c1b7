//! Sizes and proof of a workload as text, the same for every arm, path, batch and thread count.

use std::fmt::Write;

use crate::report::{CircuitFacts, hex};

/// A 192-byte proof is A (48 bytes), B (96), C (48).
const B_AT: usize = 48;
const C_AT: usize = 144;

pub(crate) fn text(workload: &str, circuit: &CircuitFacts, proof: &[u8]) -> String {
    let mut text = String::new();
    let lines: [(&str, String); 11] = [
        ("workload", workload.to_owned()),
        ("circuit", hex(&circuit.hash)),
        ("constraints", circuit.constraints.to_string()),
        ("inputs", circuit.inputs.to_string()),
        ("aux", circuit.aux.to_string()),
        ("dense in a over aux", circuit.densities.a_aux.to_string()),
        ("dense in b over inputs", circuit.densities.b_inputs.to_string()),
        ("dense in b over aux", circuit.densities.b_aux.to_string()),
        ("proof a", hex(&proof[..B_AT])),
        ("proof b", hex(&proof[B_AT..C_AT])),
        ("proof c", hex(&proof[C_AT..])),
    ];
    for (name, value) in lines {
        writeln!(text, "{name}: {value}").expect("a write to memory does not fail");
    }
    text
}
