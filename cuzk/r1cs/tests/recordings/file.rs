//! Recording files: what is written is read, what is damaged is refused without costing memory.

use std::fs;
use std::path::Path;

use crate::random_circuit::{RandomCircuit, circuits};
use cuzk_r1cs::{Recording, RecordingFileError};
use proptest::prelude::*;
use sha2::{Digest, Sha256};

fn small() -> Recording {
    let circuit = RandomCircuit {
        inputs: vec![15],
        aux: vec![3, 5],
        rows: vec![[vec![(false, 0, 1)], vec![(false, 1, 1)], vec![(true, 1, 1)]]],
    };
    Recording::record("small", circuit).expect("a recording")
}

fn written(recording: &Recording, dir: &Path) -> Vec<u8> {
    let path = dir.join("good");
    recording.write(&path).expect("a written file");
    fs::read(path).expect("the file")
}

fn read(bytes: &[u8], dir: &Path) -> Result<Recording, RecordingFileError> {
    let path = dir.join("r1cs");
    fs::write(&path, bytes).expect("a written file");
    Recording::read(&path)
}

/// The message, without the folder's name.
fn refused(bytes: &[u8], dir: &Path) -> String {
    let error = read(bytes, dir).expect_err("a bad file").to_string();
    error.replace(&format!("{}/", dir.display()), "")
}

/// Bytes changed and the checksum made right again.
fn forged(bytes: &[u8], at: usize, new: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + new.len()].copy_from_slice(new);
    let body = bytes.len() - 32;
    let sum = Sha256::digest(&bytes[..body]);
    bytes[body..].copy_from_slice(&sum);
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read(circuit in circuits()) {
        let dir = tempfile::tempdir().expect("a folder");
        let recording = Recording::record("random", circuit).expect("a recording");
        let bytes = written(&recording, dir.path());
        prop_assert_eq!(read(&bytes, dir.path()).expect("a good file"), recording);
        prop_assert_eq!(fs::read_dir(dir.path()).expect("the folder").count(), 2);
    }

    #[test]
    fn random_bytes_after_a_good_start_are_refused(tail in prop::collection::vec(any::<u8>(), 0..400)) {
        let dir = tempfile::tempdir().expect("a folder");
        let mut bytes = b"CUZKR1CS\x01\0\0\0".to_vec();
        bytes.extend(tail);
        prop_assert!(read(&bytes, dir.path()).is_err());
    }
}

#[test]
fn every_truncation_is_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let bytes = written(&small(), dir.path());
    for length in 0..bytes.len() {
        assert!(read(&bytes[..length], dir.path()).is_err(), "{length} bytes were read");
    }
    let missing = refused(&bytes[..bytes.len() - 1], dir.path());
    assert_eq!(
        missing,
        format!(
            "r1cs has {} bytes, its header says {}: the copy is incomplete or damaged, copy or record it again",
            bytes.len() - 1,
            bytes.len()
        )
    );
    let longer = [&bytes[..], &[0]].concat();
    assert!(refused(&longer, dir.path()).starts_with(&format!("r1cs has {} bytes", longer.len())));
}

#[test]
fn every_flipped_byte_is_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let bytes = written(&small(), dir.path());
    for at in 0..bytes.len() {
        let mut bad = bytes.clone();
        bad[at] ^= 1;
        assert!(read(&bad, dir.path()).is_err(), "byte {at} flipped was read");
    }
    let mut bad = bytes.clone();
    bad[100] ^= 1;
    assert_eq!(
        refused(&bad, dir.path()),
        format!(
            "r1cs is damaged: its SHA-256 does not match the one at its end (byte {}); copy or record it again",
            bytes.len() - 32
        )
    );
}

#[test]
fn absurd_sizes_are_refused_before_anything_is_allocated() {
    let dir = tempfile::tempdir().expect("a folder");
    let bytes = written(&small(), dir.path());
    for field in 0..7 {
        for size in [u64::MAX, u64::MAX / 4, 1 << 40] {
            let error = refused(&forged(&bytes, 16 + 8 * field, &size.to_le_bytes()), dir.path());
            assert!(error.contains("its header says"), "{error}");
        }
    }
    let error = refused(&forged(&bytes, 12, &u32::MAX.to_le_bytes()), dir.path());
    assert!(error.contains("its header says"), "{error}");
}

#[test]
fn other_files_and_versions_are_named() {
    let dir = tempfile::tempdir().expect("a folder");
    let bytes = written(&small(), dir.path());
    assert_eq!(
        refused(b"hello", dir.path()),
        "r1cs is no recording: it does not start with the mark CUZKR1CS; make one with `prove-once record`"
    );
    assert_eq!(
        refused(&forged(&bytes, 8, &2u32.to_le_bytes()), dir.path()),
        "r1cs is a recording of version 2, this program reads version 1: record it again"
    );
    let absent = Recording::read(&dir.path().join("absent")).expect_err("no file");
    assert!(absent.to_string().starts_with("cannot read the recording "));
}

#[test]
fn a_right_checksum_over_wrong_content_is_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let bytes = written(&small(), dir.path());
    let scalars = 72 + "small".len(); // one coefficient, then two inputs, then two auxiliaries
    let a = scalars + 5 * 32; // 3 row lengths, 3 columns, 3 places
    let cases: [(usize, Vec<u8>, &str); 5] = [
        (72, vec![0xff], "the name is not UTF-8"),
        (scalars, vec![0xff; 32], "a number is not below the field's modulus"),
        (scalars + 32, vec![2], "the first input is not the constant one"),
        (a, vec![2], "rows of 4 terms in a matrix of 3"),
        (a + 12, vec![2], "a row names the variable Aux(2), which does not exist"),
    ];
    for (at, new, what) in cases {
        let error = refused(&forged(&bytes, at, &new), dir.path());
        assert!(error.starts_with(&format!("r1cs: {what} (before byte ")), "{error}");
    }
    let error = refused(&forged(&bytes, a + 24, &[9]), dir.path());
    assert!(error.starts_with("r1cs: a row names coefficient 9 of 1 "), "{error}");
}
