//! Every verb that changes something, killed before each of its changes in turn, or with the disk full there: what it
//! leaves is the old state or becomes the new one with the next call.

use std::collections::BTreeMap;

use crate::fixture::{CHECKSUM, FOLDER, Fixture, message};

type Files = BTreeMap<String, Vec<u8>>;

fn state(fixture: &Fixture) -> (Files, Files) {
    (fixture.files("patches"), fixture.files(FOLDER))
}

/// Kills `args` before its first change, its second, and so on, each time on a copy of `fixture`, until it comes to its
/// end. After each kill `recover` goes on as a user would, and the outcome must be the state before or after.
fn walk(fixture: &Fixture, args: &[&str], code: i32, recover: &dyn Fn(&Fixture)) {
    step_by_step("FORKS_TEST_DIE_AT_CHANGE", fixture, args, code, recover);
}

/// [`walk`] with an error in place of a kill: it is told, and ends the verb.
fn walk_on_a_full_disk(fixture: &Fixture, args: &[&str], recover: &dyn Fn(&Fixture)) {
    step_by_step("FORKS_TEST_FAIL_AT_CHANGE", fixture, args, 0, recover);
}

fn step_by_step(how: &str, fixture: &Fixture, args: &[&str], code: i32, recover: &dyn Fn(&Fixture)) {
    let finish = |fixture: &Fixture| {
        recover(fixture);
        state(fixture)
    };
    let before = finish(&fixture.copy());
    let done = fixture.copy();
    let said = done.xtask(args);
    assert_eq!(said.code, code, "{}", said.all());
    let after = finish(&done);
    for number in 0.. {
        let copy = fixture.copy();
        let mut command = copy.command(args);
        let output = command.env(how, number.to_string()).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_full = told.contains("no storage space");
        if output.status.code().is_some() && !is_full {
            assert_eq!(output.status.code(), Some(code), "change {number}: {told}");
            assert!(number > 2, "{args:?} made {number} changes: nothing was walked");
            return;
        }
        assert!(!is_full || told.starts_with("error: cannot ") || told.contains("error: git "), "{told}");
        let left = finish(&copy);
        if left != before && left != after {
            let differs = |(path, bytes): &(String, Vec<u8>)| after.0.get(path).or(after.1.get(path)) != Some(bytes);
            let paths = left.0.into_iter().chain(left.1).filter(differs).map(|(path, _)| path).collect::<Vec<_>>();
            panic!("{args:?}, killed before change {number}, left something else: {paths:?}");
        }
        assert!(!copy.root.join("patches/.unfinished.json").exists());
        let leftover = copy.files("patches").into_keys().find(|path| path.starts_with(".scratch"));
        assert_eq!(leftover, None, "change {number}");
    }
}

fn apply(fixture: &Fixture) {
    fixture.ok(&["apply"]);
    assert_eq!(fixture.git(&["status", "--short"]), "");
}

#[test]
fn apply_from_nothing() {
    let fixture = Fixture::ready();
    std::fs::remove_dir_all(fixture.root.join("extern")).unwrap();
    walk(&fixture, &["apply"], 0, &apply);
}

#[test]
fn apply_of_another_series() {
    let fixture = Fixture::ready();
    fixture.replace("patches/forks.toml", "short = \"a\", ships = true", "short = \"a\", ships = false");
    walk(&fixture, &["apply"], 0, &apply);
}

#[test]
fn edit_of_another_branch() {
    let fixture = Fixture::ready();
    fixture.ok(&["edit", "demo-core", "--patch", "b-fast"]);
    walk(&fixture, &["edit", "demo-core", "--patch", "a-fast"], 0, &|fixture| {
        fixture.ok(&["edit", "demo-core", "--patch", "a-fast"]);
    });
}

#[test]
fn export_of_two_patches() {
    let fixture = Fixture::ready();
    fixture.ok(&["edit", "demo-core"]);
    fixture.git(&["reset", "-q", "--hard", "HEAD~1"]);
    fixture.edit_file("src/lib.rs", "// log\n", "// log more\n");
    fixture.amend();
    fixture.git(&["cherry-pick", "refs/forks/main"]);
    walk(&fixture, &["export", "demo-core"], 0, &|fixture| {
        // The commits are there until they are in the files; then the folder is laid out from these.
        let said = fixture.xtask(&["export", "demo-core"]);
        assert!(said.code == 0 || said.err.contains("laying out extern/demo-core was interrupted"), "{}", said.all());
        apply(fixture);
    });
}

#[test]
fn new_patch() {
    let fixture = Fixture::ready();
    walk(&fixture, &["new", "demo-core", "c-fast"], 0, &|fixture| {
        fixture.ok(&["status"]);
        apply(fixture);
    });
}

#[test]
fn drop_of_what_others_lie_on() {
    let fixture = Fixture::ready();
    walk(&fixture, &["drop", "demo-core", "log", "--shipped"], 0, &apply);
}

/// The release 1.1.0 changed line 10, which `a-fast` changes, too.
fn conflicting() -> Fixture {
    let fixture = Fixture::ready();
    let lib: String = (1..=40).map(|number| format!("// line {number}\n")).collect();
    let lib = lib.replace("line 10\n", "line ten\n");
    fixture.release("demo-core", "1.1.0", "", &CHECKSUM.replace("aa", "dd"), &[("src/lib.rs", &lib)]);
    fixture
}

const TO: [&str; 4] = ["rebase", "demo-core", "--to", "1.1.0"];

fn stopped() -> Fixture {
    let fixture = conflicting();
    assert_eq!(fixture.xtask(&TO).code, 1);
    fixture
}

/// Gives a rebase up if there is one.
fn abort(fixture: &Fixture) {
    let said = fixture.xtask(&["rebase", "demo-core", "--abort"]);
    assert!(said.code == 0 || said.err.contains("no rebase is in progress"), "{}", said.all());
    apply(fixture);
}

/// Goes on with a rebase if there is one.
fn go_on(fixture: &Fixture) {
    let said = fixture.xtask(&["rebase", "demo-core", "--continue"]);
    assert!(said.code == 0 || said.err.contains("no rebase is in progress"), "{}", said.all());
    apply(fixture);
}

#[test]
fn rebase_without_a_conflict() {
    let fixture = Fixture::ready();
    let lib: String = (0..=40).map(|number| format!("// line {number}\n")).collect();
    fixture.release("demo-core", "1.1.0", "", &CHECKSUM.replace("aa", "dd"), &[("src/lib.rs", &lib)]);
    walk(&fixture, &TO, 0, &go_on);
}

#[test]
fn rebase_to_a_conflict_can_be_given_up() {
    walk(&conflicting(), &TO, 1, &abort);
}

#[test]
fn rebase_to_a_conflict_can_be_gone_on_with() {
    walk(&conflicting(), &TO, 1, &|fixture| {
        let said = fixture.xtask(&["rebase", "demo-core", "--skip"]);
        assert!(said.code == 0 || said.err.contains("no rebase is in progress"), "{}", said.all());
        apply(fixture);
    });
}

#[test]
fn rebase_that_is_gone_on_with() {
    let fixture = stopped();
    let text = fixture.read(&format!("{FOLDER}/src/lib.rs"));
    let merged: String = text.lines().filter(|line| line.starts_with("//")).map(|line| format!("{line}\n")).collect();
    fixture.write(&format!("{FOLDER}/src/lib.rs"), &merged);
    fixture.git(&["add", "-A"]);
    walk(&fixture, &["rebase", "demo-core", "--continue"], 0, &go_on);
}

#[test]
fn rebase_with_a_patch_left_out() {
    walk(&stopped(), &["rebase", "demo-core", "--skip"], 0, &|fixture| {
        let said = fixture.xtask(&["rebase", "demo-core", "--skip"]);
        assert!(said.code == 0 || said.err.contains("no rebase is in progress"), "{}", said.all());
        apply(fixture);
    });
}

#[test]
fn rebase_that_is_given_up() {
    walk(&stopped(), &["rebase", "demo-core", "--abort"], 0, &abort);
}

#[test]
fn apply_on_a_full_disk() {
    let fixture = Fixture::ready();
    fixture.replace("patches/forks.toml", "short = \"a\", ships = true", "short = \"a\", ships = false");
    walk_on_a_full_disk(&fixture, &["apply"], &apply);
}

#[test]
fn drop_on_a_full_disk() {
    let fixture = Fixture::ready();
    walk_on_a_full_disk(&fixture, &["drop", "demo-core", "log", "--shipped"], &apply);
}

#[test]
fn rebase_on_a_full_disk() {
    let fixture = Fixture::ready();
    let lib: String = (0..=40).map(|number| format!("// line {number}\n")).collect();
    fixture.release("demo-core", "1.1.0", "", &CHECKSUM.replace("aa", "dd"), &[("src/lib.rs", &lib)]);
    walk_on_a_full_disk(&fixture, &TO, &go_on);
}

#[test]
fn rebase_with_a_patch_left_out_that_another_requires() {
    let fixture = Fixture::ready();
    fixture.ok(&["edit", "demo-core", "--patch", "b-fast"]);
    let said = message("b-fast", "Make b fast").replace("Proof:", "Requires: a-fast\nProof:");
    fixture.git(&["commit", "-q", "--amend", "-m", &said]);
    fixture.ok(&["export", "demo-core"]);
    fixture.ok(&["apply"]);
    let lib: String = (1..=40).map(|number| format!("// line {number}\n")).collect();
    let lib = lib.replace("line 10\n", "line 10, fast\n");
    let files = [("src/lib.rs", lib.as_str()), ("src/fast/new.rs", "// new\n")];
    fixture.release("demo-core", "1.1.0", "", &CHECKSUM.replace("aa", "dd"), &files);
    assert_eq!(fixture.xtask(&TO).code, 1);
    walk(&fixture, &["rebase", "demo-core", "--skip"], 0, &|fixture| {
        let said = fixture.xtask(&["rebase", "demo-core", "--skip"]);
        assert!(said.code == 0 || said.err.contains("no rebase is in progress"), "{}", said.all());
        apply(fixture);
    });
}
