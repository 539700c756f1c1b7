//! A recording says what the circuit says, and its replay proves the same bytes.

use std::sync::Arc;

use crate::random_circuit::{RandomCircuit, circuits};
use bellperson::groth16::{Parameters, create_proof, generate_random_parameters};
use blstrs::Bls12;
use cuzk_r1cs::{Density, Fr, Recording, Replay};
use ff::Field;
use proptest::prelude::*;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

fn parameters(circuit: impl bellpepper_core::Circuit<Fr>) -> Parameters<Bls12> {
    generate_random_parameters(circuit, &mut ChaCha20Rng::seed_from_u64(7)).expect("parameters")
}

fn proof(circuit: impl bellpepper_core::Circuit<Fr> + Send, parameters: &Parameters<Bls12>) -> Vec<u8> {
    let proof = create_proof(circuit, parameters, Fr::from(5), Fr::from(6)).expect("a proof");
    let mut bytes = Vec::new();
    proof.write(&mut bytes).expect("a write to memory");
    bytes
}

fn bits(density: &Density) -> Vec<usize> {
    (0..density.len()).filter(|i| density.get(*i)).collect()
}

fn dense(circuit: &RandomCircuit, side: usize, inputs: bool) -> Vec<usize> {
    let dense = circuit.dense(side);
    dense.into_iter().filter(|(input, _)| *input == inputs).map(|(_, i)| i).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn replay_gives_the_parameters_and_proof_of_the_original(circuit in circuits()) {
        let recording = Recording::record("random", circuit.clone()).expect("a recording");
        let replay = Replay::new(Arc::new(recording));
        let (ours, theirs) = (parameters(replay.clone()), parameters(circuit.clone()));
        let mut bytes = (Vec::new(), Vec::new());
        ours.write(&mut bytes.0).expect("a write to memory");
        theirs.write(&mut bytes.1).expect("a write to memory");
        prop_assert!(bytes.0 == bytes.1);
        prop_assert_eq!(proof(replay, &theirs), proof(circuit, &theirs));
    }

    #[test]
    fn products_are_the_rows_and_one_row_per_input(circuit in circuits()) {
        let recording = Recording::record("random", circuit.clone()).expect("a recording");
        let products = recording.products();
        let (inputs, aux) = circuit.values();
        let extended = |side, extra: Vec<Fr>| [circuit.evaluate(side), extra].concat();
        let zeros = vec![Fr::ZERO; inputs.len()];
        prop_assert_eq!(&products.a, &extended(0, inputs.clone()));
        prop_assert_eq!(&products.b, &extended(1, zeros.clone()));
        prop_assert_eq!(&products.c, &extended(2, zeros));
        prop_assert_eq!(recording.inputs(), &inputs[..]);
        prop_assert_eq!(recording.aux(), &aux[..]);
        let first = (0..products.a.len()).find(|i| products.a[*i] * products.b[*i] != products.c[*i]);
        prop_assert_eq!(products.first_unsatisfied(), first);
    }

    #[test]
    fn densities_skip_explicit_zeros(circuit in circuits()) {
        let recording = Recording::record("random", circuit.clone()).expect("a recording");
        let densities = recording.r1cs().densities();
        prop_assert_eq!(bits(&densities.a_aux), dense(&circuit, 0, false));
        prop_assert_eq!(bits(&densities.b_aux), dense(&circuit, 1, false));
        prop_assert_eq!(bits(&densities.b_inputs), dense(&circuit, 1, true));
        prop_assert_eq!(densities.b_aux.count(), dense(&circuit, 1, false).len());
        prop_assert_eq!(densities.a_aux.words().len(), circuit.aux.len().div_ceil(64));
    }

    #[test]
    fn hash_is_of_the_matrices_alone(circuit in circuits()) {
        let hash = |c: &RandomCircuit, name| Recording::record(name, c.clone()).expect("a recording").r1cs().circuit_hash();
        let mut other_witness = circuit.clone();
        other_witness.aux[0] = other_witness.aux[0].wrapping_add(1);
        prop_assert_eq!(hash(&circuit, "one"), hash(&other_witness, "two"));
        let mut other_row = circuit.clone();
        other_row.rows.insert(0, [vec![(false, 0, 3)], vec![], vec![]]);
        prop_assert_ne!(hash(&circuit, "one"), hash(&other_row, "one"));
        let mut other_coefficient = other_row.clone();
        other_coefficient.rows[0][0][0].2 = 2;
        prop_assert_ne!(hash(&other_row, "one"), hash(&other_coefficient, "one"));
    }
}

#[test]
fn a_flipped_witness_satisfies_no_longer() {
    // 3 * 5 = 15
    let circuit = RandomCircuit {
        inputs: vec![15],
        aux: vec![3, 5],
        rows: vec![[vec![(false, 0, 1)], vec![(false, 1, 1)], vec![(true, 1, 1)]]],
    };
    let recording = Recording::record("product", circuit).expect("a recording");
    assert_eq!(recording.products().first_unsatisfied(), None);
    let flipped = recording.clone().with_flipped_witness(1).expect("a variable");
    assert_eq!(flipped.products().first_unsatisfied(), Some(0));
    assert_eq!(recording.with_flipped_witness(2), None);
}

#[test]
fn a_circuit_without_witness_is_an_error() {
    struct Blank;
    impl bellpepper_core::Circuit<Fr> for Blank {
        fn synthesize<CS: bellpepper_core::ConstraintSystem<Fr>>(
            self,
            cs: &mut CS,
        ) -> Result<(), bellpepper_core::SynthesisError> {
            cs.alloc(|| "x", || Err(bellpepper_core::SynthesisError::AssignmentMissing))?;
            Ok(())
        }
    }
    let error = Recording::record("blank", Blank).expect_err("no witness");
    assert_eq!(
        error.to_string(),
        "the circuit of blank did not synthesise: an assignment for a variable could not be computed; record it with a complete witness"
    );
}
