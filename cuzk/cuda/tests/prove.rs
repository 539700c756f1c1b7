//! From a recording to verified proofs on a device, and the errors on the way. What needs a device is
//! skipped where there is none, aloud.
#![cfg(feature = "cuda-supraseal")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use bellperson::groth16::{prepare_verifying_key, verify_proof};
use cuzk_circuits::Workload;
use cuzk_cuda::{Assigned, CudaError, MemoryPeak, Srs, devices, prove};
use cuzk_r1cs::{Abc, Fr, Recording};
use cuzk_srs::TestParameters;

struct Case {
    recording: Arc<Recording>,
    public_inputs: Vec<Fr>,
    parameters: TestParameters,
}

fn case(dir: &Path) -> Case {
    let workload: Workload = "chain/1000".parse().expect("a known workload");
    let (circuit, public_inputs) = workload.build().expect("a chain");
    let recording = Arc::new(circuit.record("chain/1000").expect("a recording"));
    let parameters = cuzk_srs::obtain(dir, &recording).expect("test parameters").parameters;
    Case { recording, public_inputs, parameters }
}

fn on_a_device() -> bool {
    devices().map_err(|error| eprintln!("skipped: {error}")).is_ok()
}

fn fails(path: &Path) -> CudaError {
    match Srs::load(path) {
        Ok(_) => panic!("{} was taken", path.display()),
        Err(error) => error,
    }
}

#[test]
fn a_file_that_holds_no_parameters_is_named() {
    let dir = tempfile::tempdir().expect("a folder");
    let missing = dir.path().join("missing.params");
    let error = fails(&missing);
    assert!(matches!(error, CudaError::Parameters { .. }), "{error}");
    assert!(error.to_string().contains("missing.params"), "{error}");

    let short = dir.path().join("short.params");
    fs::write(&short, [0; 100]).expect("a file");
    let error = fails(&short).to_string();
    assert!(error.contains("truncated") && error.contains("short.params"), "{error}");
}

#[test]
fn without_a_device_the_state_of_the_driver_is_said() {
    let Err(state) = devices() else {
        eprintln!("skipped: there is a device");
        return;
    };
    let dir = tempfile::tempdir().expect("a folder");
    let error = fails(case(dir.path()).parameters.path());
    assert!(matches!(&error, CudaError::NoDevice(found) if *found == state), "{error}");
    assert!(MemoryPeak::start().is_err());
}

#[test]
fn proofs_verify_and_what_does_not_fit_is_refused() {
    if !on_a_device() {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let case = case(dir.path());
    let srs = Srs::load(case.parameters.path()).unwrap_or_else(|error| panic!("{error}"));
    let key = prepare_verifying_key(&case.parameters.verifying_key().expect("a key"));
    let (abc, densities) = (case.recording.products(), case.recording.r1cs().densities());
    let circuit = Assigned { recording: &case.recording, abc: &abc, densities: &densities };
    let numbers = |first: u64| (first..first + 3).map(Fr::from).collect::<Vec<_>>();
    let (r, s) = (numbers(5), numbers(7));

    let peak = MemoryPeak::start().expect("a device to watch");
    let proofs = prove(&srs, &[circuit; 3], &r, &s).unwrap_or_else(|error| panic!("{error}"));
    assert!(peak.stop() > 0);
    assert_eq!(proofs.len(), 3);
    for proof in &proofs {
        assert!(verify_proof(&key, proof, &case.public_inputs).expect("a verifiable proof"));
        let mut others = case.public_inputs.clone();
        others[0] += Fr::from(1);
        assert!(!verify_proof(&key, proof, &others).expect("a verifiable proof"));
    }
    assert_ne!(proofs[0].a, proofs[1].a, "another r gives another proof");

    let refused = |circuits: &[Assigned<'_>], r: &[Fr]| match prove(&srs, circuits, r, &s) {
        Err(CudaError::Batch(message)) => message,
        Err(error) => panic!("another error: {error}"),
        Ok(_) => panic!("a proof"),
    };
    assert!(refused(&[], &r).contains("no circuit"));
    assert!(refused(&[circuit; 3], &r[1..]).contains("2 values of r"));
    let short = Abc { a: abc.a[1..].to_vec(), ..abc.clone() };
    assert!(refused(&[circuit, Assigned { abc: &short, ..circuit }], &r).contains("circuit 1"));
    assert_eq!(prove(&srs, &[circuit], &r[..1], &s[..1]).expect("a proof")[0].a, proofs[0].a);
}
