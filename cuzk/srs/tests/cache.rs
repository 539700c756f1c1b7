//! Test parameters: made once, checked each time, refused when anything about them is wrong.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use cuzk_r1cs::{Fr, Recording};
use cuzk_srs::{TestParameters, obtain, path_in};
use tempfile::TempDir;

/// `x` to the power of `power`.
struct Power(usize);

impl Circuit<Fr> for Power {
    fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let x_value = Fr::from(3);
        let x = cs.alloc(|| "x", || Ok(x_value))?;
        let (mut last, mut value) = (x, x_value);
        for _ in 1..self.0 {
            value *= x_value;
            let new = cs.alloc(|| "power", || Ok(value))?;
            cs.enforce(|| "power", |lc| lc + last, |lc| lc + x, |lc| lc + new);
            last = new;
        }
        let public = cs.alloc_input(|| "public", || Ok(value))?;
        cs.enforce(|| "public", |lc| lc + last, |lc| lc + CS::one(), |lc| lc + public);
        Ok(())
    }
}

fn recording(power: usize) -> Arc<Recording> {
    Arc::new(Recording::record("power", Power(power)).expect("a recording"))
}

fn hash(power: usize) -> [u8; 32] {
    recording(power).r1cs().circuit_hash()
}

/// A folder with the parameters of the fifth power, and their bytes.
fn made() -> (TempDir, Vec<u8>) {
    let dir = tempfile::tempdir().expect("a folder");
    let obtained = obtain(dir.path(), &recording(5)).expect("parameters");
    assert!(obtained.made);
    let bytes = fs::read(obtained.parameters.path()).expect("the file");
    (dir, bytes)
}

/// The message about these bytes, without the folder's name.
fn refused(dir: &Path, bytes: &[u8]) -> String {
    let path = dir.join("bad.params");
    fs::write(&path, bytes).expect("a written file");
    let error = TestParameters::check(&path, &hash(5)).expect_err("bad parameters");
    error.to_string().replace(&format!("{}/", dir.display()), "")
}

#[test]
fn made_once_and_the_same_everywhere() {
    let (dir, bytes) = made();
    let again = obtain(dir.path(), &recording(5)).expect("parameters");
    assert!(!again.made);
    let name = again.parameters.path().file_name().expect("a name").to_string_lossy().into_owned();
    assert!(name.starts_with("INSECURE-TEST-") && name.ends_with(".params"), "{name}");
    assert_eq!(fs::read_dir(dir.path()).expect("the folder").count(), 1);
    assert_eq!(made().1, bytes);
    let mark = b"INSECURE TEST PARAMETERS";
    assert!(bytes.windows(mark.len()).any(|window| window == mark));
    let loaded = again.parameters.load().expect("points");
    assert!(loaded.vk == again.parameters.verifying_key().expect("a key"));
    assert_eq!(loaded.vk.ic.len(), 2);
}

#[test]
fn many_processes_may_make_them_at_once() {
    let dir = tempfile::tempdir().expect("a folder");
    std::thread::scope(|scope| {
        let asked: Vec<_> = (0..4).map(|_| scope.spawn(|| obtain(dir.path(), &recording(5)))).collect();
        for one in asked {
            one.join().expect("no panic").expect("parameters");
        }
    });
}

#[test]
fn truncated() {
    let (dir, bytes) = made();
    let half = bytes.len() / 2;
    assert_eq!(
        refused(dir.path(), &bytes[..half]),
        format!(
            "bad.params has no mark of test parameters at byte {} of {half}: it is truncated, or not made by `prove-once params`; remove it and make it again",
            half - 148
        )
    );
    for length in (0..bytes.len()).step_by(31) {
        refused(dir.path(), &bytes[..length]);
    }
    assert!(refused(dir.path(), b"").contains("at byte 0 of 0"));
    let tail = &bytes[100..];
    assert_eq!(
        refused(dir.path(), tail),
        format!(
            "bad.params: the trailer at byte {} is for {} bytes of points; remove the file and make it again with `prove-once params`",
            tail.len() - 148,
            bytes.len() - 148
        )
    );
}

#[test]
fn altered() {
    let (dir, bytes) = made();
    let body = bytes.len() - 148;
    let mut bad = bytes.clone();
    bad[1000] ^= 1;
    assert_eq!(
        refused(dir.path(), &bad),
        format!(
            "bad.params is damaged between bytes 0 and {body}: their SHA-256 is not the one in the trailer; remove the file and make it again with `prove-once params`"
        )
    );
    let mut bad = bytes.clone();
    bad[body + 40] ^= 1;
    assert_eq!(
        refused(dir.path(), &bad),
        format!(
            "bad.params: the trailer at byte {body} is damaged; remove the file and make it again with `prove-once params`"
        )
    );
    for at in (0..bytes.len()).step_by(61) {
        let mut bad = bytes.clone();
        bad[at] ^= 0x80;
        refused(dir.path(), &bad);
    }
}

#[test]
fn of_another_circuit() {
    let (dir, _) = made();
    let path = path_in(dir.path(), &hash(5));
    let error = TestParameters::check(&path, &hash(6)).expect_err("another circuit's").to_string();
    let hex = |hash: [u8; 32]| hash.iter().map(|b| format!("{b:02x}")).collect::<String>();
    assert!(
        error.ends_with(&format!(
            " is for the circuit {}, not for {}: name the parameters of this circuit, or let `prove-once params` make them",
            hex(hash(5)),
            hex(hash(6))
        )),
        "{error}"
    );
    // Under the other circuit's name it is refused, not replaced.
    fs::copy(&path, path_in(dir.path(), &hash(6))).expect("a copy");
    obtain(dir.path(), &recording(6)).expect_err("another circuit's");
}

#[test]
fn unchecked_bytes_reach_bellperson() {
    let (dir, bytes) = made();
    let path = dir.path().join("bad.params");
    fs::write(&path, &bytes[..bytes.len() / 2]).expect("a written file");
    let error = TestParameters::insecure_unchecked(&path).load().err().expect("half a file");
    assert!(error.to_string().ends_with("bad.params: failed to fill whole buffer"), "{error}");
}
