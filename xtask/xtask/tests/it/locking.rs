//! Two verbs at once: the second waits, and acts on what the first left.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use crate::fixture::{FOLDER, Fixture};

/// Runs `args` while somebody else works on the forks, who does `meanwhile` once it waits; gives exit status and output.
fn waits(fixture: &Fixture, args: &[&str], meanwhile: &dyn Fn()) -> (Option<i32>, String) {
    let lock = File::create(fixture.root.join("target/forks/lock")).unwrap();
    lock.lock().unwrap();
    let mut child = fixture.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    stderr.read_line(&mut said).unwrap();
    assert!(said.contains("waiting for another `cargo xtask`"), "{args:?}: {said}");
    meanwhile();
    drop(lock);
    stderr.read_to_string(&mut said).unwrap();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    (child.wait().unwrap().code(), said)
}

/// Takes `a-fast` out of the main line, as another verb would.
fn unship(fixture: &Fixture) {
    fixture.replace("patches/forks.toml", "short = \"a\", ships = true", "short = \"a\", ships = false");
}

#[test]
fn apply_lays_out_what_the_pins_say_when_it_is_its_turn() {
    let fixture = Fixture::ready();
    let (code, said) = waits(&fixture, &["apply"], &|| unship(&fixture));
    assert_eq!(code, Some(0), "{said}");
    assert!(!fixture.root.join(FOLDER).join("src/fast/new.rs").exists(), "{said}");
    fixture.ok(&["verify"]);
}

#[test]
fn verify_judges_the_pins_that_are_there_when_it_is_its_turn() {
    let fixture = Fixture::ready();
    let (code, said) = waits(&fixture, &["verify"], &|| unship(&fixture));
    assert_eq!(code, Some(0), "{said}");
    assert!(!fixture.root.join(FOLDER).join("src/fast/new.rs").exists(), "{said}");
}

#[test]
fn vendor_ships_what_the_pins_say_when_it_is_its_turn() {
    let fixture = Fixture::ready();
    let (code, said) = waits(&fixture, &["vendor", "--to", "out"], &|| unship(&fixture));
    assert_eq!(code, Some(0), "{said}");
    assert!(!fixture.root.join("out/demo-core/src/fast/new.rs").exists(), "{said}");
}

#[test]
fn a_patch_that_went_meanwhile_is_not_exported() {
    let fixture = Fixture::ready();
    fixture.git(&["switch", "-q", "patch/b-fast"]);
    fixture.edit_file("src/lib.rs", "line 20\n", "line 20, mine\n");
    fixture.amend();
    let gone = || {
        fixture.replace("patches/forks.toml", "    { id = \"b-fast\", short = \"b\", ships = false },\n", "");
        fs::remove_file(fixture.root.join("patches/demo-core/b-fast.patch")).unwrap();
    };
    let (code, said) = waits(&fixture, &["export"], &gone);
    assert!(code == Some(1) && !fixture.root.join("patches/demo-core/b-fast.patch").exists(), "{said}");
}

#[test]
fn a_patch_that_went_meanwhile_is_not_edited() {
    let fixture = Fixture::ready();
    let gone = || {
        fixture.replace("patches/forks.toml", "    { id = \"b-fast\", short = \"b\", ships = false },\n", "");
        fs::remove_file(fixture.root.join("patches/demo-core/b-fast.patch")).unwrap();
    };
    let (code, said) = waits(&fixture, &["edit", "demo-core", "--patch", "b-fast"], &gone);
    assert!(code == Some(2) && said.contains("`b-fast` is no patch of demo-core"), "{said}");
}

#[test]
fn two_verbs_that_both_change_the_series_both_do() {
    let fixture = Fixture::ready();
    for round in 0..4 {
        let ids = [format!("c{round}-fast"), format!("d{round}-fast")];
        let started = ids.each_ref().map(|id| fixture.command(&["new", "demo-core", id]).output_later());
        for (id, child) in ids.iter().zip(started) {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{id}: {}", String::from_utf8_lossy(&output.stderr));
        }
        let pins = fixture.read("patches/forks.toml");
        assert!(ids.iter().all(|id| pins.contains(id.as_str())), "{pins}");
    }
}

/// A verb that runs beside another.
trait Later {
    fn output_later(&mut self) -> std::process::Child;
}

impl Later for std::process::Command {
    fn output_later(&mut self) -> std::process::Child {
        self.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }
}
