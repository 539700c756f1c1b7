//! A kill at any moment of `apply` loses nothing, and the next call finishes the work.

use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::fixture::{FOLDER, Fixture};

fn ships(fixture: &Fixture, value: bool) {
    let entry = |value: bool| format!("short = \"a\", ships = {value}");
    fixture.replace("patches/forks.toml", &entry(!value), &entry(value));
}

/// Runs `apply` and kills it after `after`; whether it was still running.
fn killed(fixture: &Fixture, after: Duration) -> bool {
    let mut command = fixture.command(&["apply"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    sleep(after);
    let running = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    running
}

#[test]
fn a_killed_apply_is_finished_by_the_next() {
    let fixture = Fixture::ready();
    fixture.git(&["branch", "keep"]);
    fixture.edit_file("README.md", "demo", "stashed");
    fixture.git(&["stash", "-q"]);
    let with = fixture.files(FOLDER);
    ships(&fixture, false);
    let start = Instant::now();
    fixture.ok(&["apply"]);
    let whole = start.elapsed();
    let without = fixture.files(FOLDER);
    assert_ne!(with, without);
    let (mut caught, rounds) = (0, 12);
    for round in 0..rounds {
        let to_ships = round % 2 == 0;
        ships(&fixture, to_ships);
        caught += u32::from(killed(&fixture, whole * round / rounds));
        fixture.ok(&["apply"]);
        assert_eq!(&fixture.files(FOLDER), if to_ships { &with } else { &without }, "round {round}");
        assert_eq!(fixture.git(&["status", "--short"]), "");
    }
    assert!(caught > 0, "no apply was caught running");
    assert!(fixture.git(&["branch", "--list", "keep"]).contains("keep"));
    assert!(fixture.git(&["stash", "show", "-p"]).contains("stashed"));
    fixture.ok(&["verify"]);
}

#[test]
fn a_killed_first_apply_is_finished_by_the_next() {
    let fixture = Fixture::ready();
    let expected = fixture.files(FOLDER);
    for round in 0..6 {
        fs::remove_dir_all(fixture.root.join("extern")).unwrap();
        fs::remove_dir_all(fixture.root.join("target")).unwrap();
        killed(&fixture, Duration::from_millis(30 * round));
        fixture.ok(&["apply"]);
        assert_eq!(fixture.files(FOLDER), expected);
        let names: Vec<_> =
            fs::read_dir(fixture.root.join("extern")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["demo-core"]);
    }
}

#[test]
fn a_half_changed_folder_is_finished_but_work_in_it_is_not_overwritten() {
    // As a kill between two files leaves it: the journal is there, one file is new, one is old, nothing else moved.
    let fixture = Fixture::ready();
    let expected = fixture.files(FOLDER);
    let git = fixture.root.join(FOLDER).join(".git");
    let state = fs::read_to_string(git.join("forks.json")).unwrap();
    let tree = |branch: &str| fixture.git(&["rev-parse", &format!("{branch}^{{tree}}")]).trim().to_owned();
    let trees = serde_json::json!([tree("main"), tree("patch/b-fast")]);
    let journal = format!("{{\"trees\": {trees}, \"state\": {state}}}");
    fs::write(git.join("forks-unfinished.json"), &journal).unwrap();
    fs::write(git.join("index.lock"), "").unwrap();
    fixture.write(&format!("{FOLDER}/src/lib.rs"), &fixture.git(&["show", "patch/b-fast:src/lib.rs"]));
    fs::remove_file(fixture.root.join(FOLDER).join("src/fast/new.rs")).unwrap();
    fixture.fails(&["export"], 1, &["interrupted", "cargo xtask apply demo-core"]);
    let half = fixture.copy();
    fixture.ok(&["apply"]);
    assert_eq!(fixture.files(FOLDER), expected);
    assert_eq!(fixture.git(&["status", "--short"]), "");
    half.edit_file("src/lib.rs", "line 3\n", "mine\n");
    half.fails(&["apply"], 1, &["modified: src/lib.rs"]);
    assert!(half.read(&format!("{FOLDER}/src/lib.rs")).contains("mine"));
}

#[test]
fn a_killed_edit_keeps_commits_and_is_finished_by_the_next() {
    let fixture = Fixture::ready();
    fixture.edit_file("src/lib.rs", "line 20\n", "mine\n");
    fixture.amend();
    let tree = |branch: &str| fixture.git(&["rev-parse", &format!("{branch}^{{tree}}")]).trim().to_owned();
    let git = fixture.root.join(FOLDER).join(".git");
    let state = fs::read_to_string(git.join("forks.json")).unwrap();
    let trees = serde_json::json!([tree("main"), tree("patch/b-fast")]);
    fs::write(git.join("forks-unfinished.json"), format!("{{\"trees\": {trees}, \"state\": {state}}}")).unwrap();
    fixture.write(&format!("{FOLDER}/src/lib.rs"), &fixture.git(&["show", "patch/b-fast:src/lib.rs"]));
    fixture.fails(&["apply"], 1, &["commits on branch main"]);
    fixture.fails(&["export"], 1, &["cargo xtask edit demo-core"]);
    fixture.ok(&["edit", "demo-core"]);
    assert!(fixture.read(&format!("{FOLDER}/src/lib.rs")).contains("mine"));
    assert_eq!(fixture.git(&["status", "--short"]), "");
    fixture.ok(&["export"]);
    fixture.ok(&["verify"]);
}

#[test]
fn a_lock_that_a_killed_git_left_is_cleared() {
    let fixture = Fixture::ready();
    let expected = fixture.files(FOLDER);
    fs::write(fixture.root.join("target/forks/store.git/index-for-apply.lock"), "").unwrap();
    fs::remove_dir_all(fixture.root.join(FOLDER)).unwrap();
    fixture.ok(&["apply"]);
    assert_eq!(fixture.files(FOLDER), expected);
}
