//! Each workload is satisfied by its witness, has the public inputs that it says, and the sizes that
//! its name promises.

use cuzk_circuits::{Workload, WorkloadError};
use cuzk_r1cs::Recording;

fn recorded(name: &str) -> Recording {
    let workload: Workload = name.parse().expect("a workload");
    let (circuit, public_inputs) = workload.build().expect("a circuit");
    let recording = circuit.record(name).expect("a recording");
    assert_eq!(recording.public_inputs(), public_inputs, "{name}");
    assert_eq!(recording.products().first_unsatisfied(), None, "{name}");
    let again = workload.build().expect("a circuit").0.record(name).expect("a recording");
    assert!(again == recording, "{name} is not the same each time");
    recording
}

#[test]
fn a_chain_fills_its_domain() {
    for (name, rows) in [("chain/8", 8), ("chain/2^10", 1024), ("chain/1000,booleans=0", 1000)] {
        let recording = recorded(name);
        let r1cs = recording.r1cs();
        assert_eq!(r1cs.constraints() + r1cs.inputs(), rows, "{name}");
        assert_eq!(r1cs.inputs(), 3, "{name}");
        assert_eq!(r1cs.aux(), rows - 4, "{name}");
    }
}

#[test]
fn a_chain_has_the_share_of_booleans_and_of_b_that_was_asked_for() {
    use ff::Field;
    for (booleans, b_density) in [(75, 100), (75, 25), (0, 50), (100, 100), (30, 0)] {
        let recording = recorded(&format!("chain/10004,booleans={booleans},b-density={b_density}"));
        let densities = recording.r1cs().densities();
        let small = |v: &&cuzk_r1cs::Fr| **v == cuzk_r1cs::Fr::ZERO || **v == cuzk_r1cs::Fr::ONE;
        let bits = recording.aux().iter().filter(small).count();
        assert_eq!(bits, booleans * 100, "booleans={booleans}");
        let b = densities.b_aux.count();
        assert!(b.abs_diff(b_density * 100) <= 4, "{b} for b-density={b_density}");
        assert!(densities.a_aux.count() >= 9_998, "{}", densities.a_aux.count());
    }
}

#[test]
fn sha256_grows_by_the_block() {
    let [one, two, three] = [1, 2, 3].map(|n| recorded(&format!("sha256/{n}")).r1cs().constraints());
    assert!(20_000 < one && one < 30_000, "{one}");
    assert!(20_000 < two - one && two - one < 30_000, "{one} {two}");
    assert!((three - two).abs_diff(two - one) < 2_000, "{one} {two} {three}");
}

#[test]
fn names_round_trip() {
    for name in ["chain/2^19", "chain/1000", "chain/2^12,booleans=10,b-density=25", "sha256/3"] {
        assert_eq!(name.parse::<Workload>().expect("a workload").to_string(), name);
    }
    let default: Workload = "chain/4096,booleans=75,b-density=100".parse().expect("a workload");
    assert_eq!(default.to_string(), "chain/2^12");
}

#[test]
fn wrong_names_say_what_is_wrong() {
    let error = |name: &str| name.parse::<Workload>().expect_err("no workload").to_string();
    assert!(error("porep").starts_with("no workload is named porep: known are chain/2^19, "));
    assert_eq!(error("chain/7"), "chain/7 is no workload: 7 is no number from 8 to 1073741824");
    assert_eq!(error("chain/2^99"), "chain/2^99 is no workload: 2^99 is no number from 8 to 1073741824");
    assert_eq!(
        error("chain/2^9,booleans=101"),
        "chain/2^9,booleans=101 is no workload: 101 is no number from 0 to 100"
    );
    assert_eq!(
        error("chain/2^9,colour=1"),
        "chain/2^9,colour=1 is no workload: chain has options booleans=<percent> and b-density=<percent>, not colour=1"
    );
    assert_eq!(error("sha256/0"), "sha256/0 is no workload: 0 is no number from 1 to 65536");
    assert!(matches!("".parse::<Workload>(), Err(WorkloadError::Unknown { .. })));
}

#[cfg(feature = "filecoin")]
#[test]
fn winning_post_is_the_real_circuit() {
    let recording = recorded("winning-post-2KiB");
    let r1cs = recording.r1cs();
    assert_eq!((r1cs.constraints(), r1cs.aux(), r1cs.inputs()), (90_750, 91_674, 133));
    let densities = r1cs.densities();
    assert_eq!(densities.b_aux.count(), 66_792);
    // Building it leaves the process where it was.
    assert!(std::env::current_dir().expect("a folder").join("Cargo.toml").exists());
}

#[cfg(not(feature = "filecoin"))]
#[test]
fn winning_post_says_that_this_build_lacks_it() {
    let workload: Workload = "winning-post-2KiB".parse().expect("a workload");
    assert_eq!(
        workload.build().expect_err("not in this build").to_string(),
        "winning-post-2KiB was not built: this build has no Filecoin circuits (feature filecoin): prove a recording of it"
    );
}
