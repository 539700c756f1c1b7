//! `export`: the inverse of `apply`, and its refusals.

use std::fs;

use crate::fixture::{FOLDER, Fixture};

#[test]
fn export_then_apply_is_the_identity() {
    let fixture = Fixture::ready();
    let (patches, folder) = (fixture.files("patches"), fixture.files(FOLDER));
    fixture.ok(&["export", "--check"]);
    fixture.ok(&["export"]);
    assert_eq!(fixture.files("patches"), patches);
    fs::remove_dir_all(fixture.root.join("extern")).unwrap();
    fs::remove_dir_all(fixture.root.join("target")).unwrap();
    fixture.ok(&["apply"]);
    fixture.ok(&["export"]);
    assert_eq!(fixture.files("patches"), patches);
    assert_eq!(fixture.files(FOLDER), folder);
}

#[test]
fn a_patch_file_is_what_format_patch_writes() {
    let fixture = Fixture::ready();
    let args =
        ["format-patch", "--stdout", "-1", "--zero-commit", "--full-index", "--signature=end", "--no-stat", "-U1"];
    let more = ["--keep-subject", "--no-encode-email-headers", "patch/a-fast"];
    let text = fixture.git(&[&args[..], &more[..]].concat());
    assert_eq!(fixture.read("patches/demo-core/a-fast.patch"), text);
    // And git takes it back.
    fixture.git(&["switch", "-q", "--detach", "main~1"]);
    fixture.git(&[
        "am",
        "-q",
        "--keep-non-patch",
        &fixture.root.join("patches/demo-core/a-fast.patch").display().to_string(),
    ]);
    assert_eq!(fixture.git(&["diff", "main"]), "");
    assert_eq!(fixture.git(&["log", "-1", "--format=%B"]), fixture.git(&["log", "-1", "--format=%B", "main"]));
}

#[test]
fn check_never_writes_and_names_the_command_that_mends() {
    let fixture = Fixture::ready();
    fixture.ok(&["edit", "demo-core", "--patch", "b-fast"]);
    fixture.edit_file("src/lib.rs", "line 35\n", "line 35, too\n");
    fixture.amend();
    let patches = fixture.files("patches");
    fixture.fails(
        &["export", "--check"],
        1,
        &["b-fast.patch: differs from its commit", "cargo xtask export demo-core"],
    );
    assert_eq!(fixture.files("patches"), patches);
    fixture.ok(&["export"]);
    assert_ne!(fixture.files("patches"), patches);
    fixture.ok(&["export", "--check"]);
    assert_eq!(fixture.git(&["branch", "--show-current"]).trim(), "patch/b-fast");
    fixture.ok(&["apply"]);
    fixture.ok(&["verify"]);
}

#[test]
fn a_hand_edited_file_is_put_in_form() {
    let fixture = Fixture::ready();
    let path = "patches/demo-core/a-fast.patch";
    let good = fixture.read(path);
    fixture.write(path, &good.replace("Subject: Make", "X-Note: by hand\nSubject: Make"));
    fixture.fails(&["export", "--check"], 1, &["a-fast.patch: is not in the form that export writes"]);
    fixture.ok(&["export"]);
    assert_eq!(fixture.read(path), good);
}

#[test]
fn a_measured_patch_changed_on_main_is_taken_home() {
    let fixture = Fixture::ready();
    // Here `a` lies on another base than at home.
    fixture.replace("patches/forks.toml", "short = \"b\", ships = false", "short = \"b\", ships = true");
    fixture.ok(&["apply"]);
    fixture.edit_file("src/lib.rs", "line 30, faster\n", "line 30, fastest\n");
    fixture.amend();
    fixture.ok(&["export"]);
    let file = fixture.read("patches/demo-core/b-fast.patch");
    assert!(file.contains("+// line 30, fastest"), "{file}");
    assert!(fixture.git(&["show", "patch/b-fast:src/lib.rs"]).contains("// line 10\n"), "it lies at home");
    fixture.ok(&["export", "--check"]);
    fixture.ok(&["verify"]);
}

#[test]
fn a_changed_enabling_patch_takes_the_measured_ones_along() {
    let fixture = Fixture::ready();
    fixture.git(&["switch", "-q", "--detach", "main~1"]);
    fixture.edit_file("src/lib.rs", "// log\n", "// log\n// more\n");
    fixture.amend();
    fixture.git(&["cherry-pick", "main"]);
    fixture.git(&["branch", "-f", "main", "HEAD"]);
    fixture.git(&["switch", "-q", "main"]);
    let said = fixture.ok(&["export"]);
    assert_eq!(said.matches("written").count(), 3, "{said}");
    assert!(fixture.git(&["show", "patch/b-fast:src/lib.rs"]).contains("// more"));
    fixture.ok(&["apply"]);
    fixture.ok(&["verify"]);
}

#[test]
fn commits_that_fit_no_patch_are_refused() {
    let fixture = Fixture::ready();
    let patches = fixture.files("patches");
    let refuse = |words: &[&str]| {
        fixture.fails(&["export"], 1, words);
        assert_eq!(fixture.files("patches"), patches);
        fixture.git(&["reset", "-q", "--hard", "refs/forks/main"]);
    };
    fixture.edit_file("src/lib.rs", "line 3\n", "mine\n");
    refuse(&["modified: src/lib.rs", "keep it:"]);
    fixture.edit_file("src/lib.rs", "line 3\n", "mine\n");
    fixture.git(&["commit", "-qam", "No trailer"]);
    refuse(&["No trailer", "has no Patch-Id trailer", "squash"]);
    fixture.edit_file("src/lib.rs", "line 3\n", "mine\n");
    fixture.commit("unheard-of", "New");
    refuse(&["`unheard-of`", "not in the series", "patches/forks.toml"]);
    fixture.edit_file("src/lib.rs", "line 3\n", "mine\n");
    fixture.commit("a-fast", "Again");
    refuse(&["two commits of patch `a-fast`", "squash"]);
    fixture.git(&["reset", "-q", "--hard", "main~1"]);
    refuse(&["main has lost patch `a-fast`", "restore"]);
    fixture.git(&["commit", "-q", "--amend", "--allow-empty", "-m", "A\n\ndiff --git a b\n\nPatch-Id: a-fast"]);
    refuse(&["mail takes for the start of the diff"]);
}

#[test]
fn commits_on_no_branch_of_a_patch_are_not_passed_over() {
    for place in [&["switch", "-q", "--detach"][..], &["switch", "-q", "-c", "mine"]] {
        let fixture = Fixture::ready();
        fixture.git(place);
        // As long as there is nothing of its own, where HEAD points is nobody's business.
        fixture.ok(&["export", "--check"]);
        fixture.edit_file("src/lib.rs", "line 10, fast\n", "line 10, faster\n");
        fixture.amend();
        for args in [&["export"][..], &["export", "--check"]] {
            fixture.fails(args, 1, &["has commits that neither main nor a branch patch/", "git cherry-pick"]);
        }
        assert!(fixture.git(&["show", "HEAD"]).contains("line 10, faster"));
    }
}

#[test]
fn a_patch_changed_in_two_places_is_refused_unless_both_say_the_same() {
    let fixture = Fixture::ready();
    for (branch, text) in [("main", "quick\n"), ("patch/a-fast", "quicker\n")] {
        fixture.git(&["switch", "-q", branch]);
        fixture.edit_file("src/lib.rs", "fast\n", text);
        fixture.amend();
    }
    fixture.fails(&["export"], 1, &["`a-fast` was changed on branch patch/a-fast and differently on branch main"]);
    fixture.edit_file("src/lib.rs", "quicker\n", "quick\n");
    fixture.amend();
    fixture.ok(&["export"]);
    fixture.ok(&["apply"]);
    fixture.ok(&["verify"]);
}

#[test]
fn files_and_commits_that_both_changed_are_refused() {
    let fixture = Fixture::ready();
    fixture.git(&["switch", "-q", "patch/b-fast"]);
    fixture.edit_file("src/lib.rs", "faster\n", "fastest\n");
    fixture.amend();
    fixture.replace("patches/demo-core/a-fast.patch", "Because.", "For another reason.");
    let patches = fixture.files("patches");
    fixture.fails(&["export"], 1, &["patch files changed since", "a-fast", "branch keep"]);
    assert_eq!(fixture.files("patches"), patches);
    // The way out that it names.
    fixture.git(&["branch", "keep"]);
    fixture.ok(&["apply", "--discard", "demo-core"]);
    fixture.ok(&["edit", "demo-core", "--patch", "b-fast"]);
    fixture.git(&["reset", "-q", "--hard", "HEAD~1"]);
    fixture.git(&["cherry-pick", "keep"]);
    fixture.ok(&["export"]);
    assert!(fixture.read("patches/demo-core/b-fast.patch").contains("fastest"));
    assert!(fixture.read("patches/demo-core/a-fast.patch").contains("For another reason."));
}
