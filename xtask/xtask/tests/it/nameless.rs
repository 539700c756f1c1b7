//! Commits whose message lost its trailers, as `git commit -m` leaves them: `export` gives them back, ready to paste.

use crate::fixture::{Fixture, message};

/// What `export` says, from the first trailer on.
fn pasted(fixture: &Fixture) -> String {
    let said = fixture.xtask(&["export"]);
    assert!(said.code == 1 && said.err.contains("has no Patch-Id trailer"), "{}", said.all());
    let at = said.err.find("\n\nPatch-Id: ").unwrap_or_else(|| panic!("{}", said.all()));
    said.err[at..].trim_end().to_owned()
}

fn commits_again(fixture: &Fixture, trailers: &str) {
    fixture.git(&["commit", "-q", "--amend", "-m", &format!("Say it otherwise{trailers}")]);
    fixture.ok(&["export"]);
    assert!(fixture.read("patches/demo-core/a-fast.patch").contains("Say it otherwise"));
    fixture.ok(&["apply"]);
    fixture.ok(&["verify"]);
}

#[test]
fn the_trailers_of_the_patch_that_vanished_are_given_back() {
    let fixture = Fixture::ready();
    let all = message("a-fast", "").split_once("Because.").unwrap().1.to_owned();
    for branch in ["main", "patch/a-fast"] {
        fixture.git(&["switch", "-q", branch]);
        fixture.edit_file("src/lib.rs", "line 20\n", "line 20, mine\n");
        fixture.git(&["commit", "-q", "--all", "--amend", "-m", "Say it otherwise"]);
        let trailers = pasted(&fixture);
        assert_eq!(trailers, all, "on {branch}");
        commits_again(&fixture.copy(), &trailers);
        fixture.ok(&["apply", "--discard"]);
    }
}

#[test]
fn of_two_that_vanished_both_are_told() {
    let fixture = Fixture::ready();
    fixture.git(&["reset", "-q", "--soft", "main~2"]);
    fixture.git(&["commit", "-q", "-m", "Both in one"]);
    let said = pasted(&fixture);
    assert!(said.contains("Patch-Id: log\n") && said.contains("\n\nPatch-Id: a-fast\n"), "{said}");
}

#[test]
fn a_patch_that_was_begun_has_its_trailers_from_the_start() {
    let fixture = Fixture::ready();
    fixture.ok(&["new", "demo-core", "c-fast"]);
    fixture.edit_file("src/lib.rs", "line 20\n", "line 20, mine\n");
    fixture.git(&["commit", "-q", "-a", "-m", "Make c fast"]);
    let trailers = pasted(&fixture);
    assert_eq!(trailers, "\n\nPatch-Id: c-fast\nUpstream-Status: Pending\nProof: bit-identical\nPrediction:");
    fixture.git(&["commit", "-q", "--amend", "-m", &format!("Make c fast{trailers} wall time -1 %")]);
    fixture.ok(&["export"]);
    fixture.ok(&["apply"]);
    fixture.ok(&["verify"]);
}

#[test]
fn one_commit_too_many_is_to_be_squashed() {
    let fixture = Fixture::ready();
    fixture.edit_file("src/lib.rs", "line 20\n", "line 20, mine\n");
    fixture.git(&["commit", "-q", "-a", "-m", "More"]);
    fixture.fails(&["export"], 1, &["squash it into its patch", "cargo xtask new demo-core PATCH_ID"]);
}
