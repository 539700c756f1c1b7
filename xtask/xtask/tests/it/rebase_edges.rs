//! Rebases at their edges: branches in the way, modes, binary files, other forks, strange arguments.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::fixture::{CHECKSUM, FOLDER, Fixture};
use crate::rebasing::{STOPPED, conflicting, lib, locked_and_verified, state, with_release};

const TO: [&str; 4] = ["rebase", "demo-core", "--to", "1.1.0"];

#[test]
fn a_branch_of_the_users_own_where_ours_is_to_be_is_kept() {
    let fixture = conflicting();
    for branch in ["rebasing", "rebasing/x"] {
        fixture.git(&["branch", branch]);
        fixture.ok(&["verify"]);
        let (before, refs) = (state(&fixture), fixture.git(&["for-each-ref"]));
        let way = format!("git -C {FOLDER} branch -m {branch} NEW-NAME");
        fixture.fails(&TO, 1, &[&format!("has a branch `{branch}`"), &way, "branch -D"]);
        assert_eq!(state(&fixture), before);
        assert_eq!(fixture.git(&["for-each-ref"]), refs);
        fixture.fails(&["rebase", "demo-core", "--abort"], 2, &["no rebase is in progress"]);
        // It is the user's when another series is laid out, too.
        fixture.replace("patches/forks.toml", "ships = true", "ships = false");
        fixture.ok(&["apply"]);
        assert!(fixture.git(&["for-each-ref"]).contains(&format!("refs/heads/{branch}\n")));
        fixture.git(&["branch", "-m", branch, "kept"]);
        fixture.replace(
            "patches/forks.toml",
            "id = \"a-fast\", short = \"a\", ships = false",
            "id = \"a-fast\", short = \"a\", ships = true",
        );
        fixture.ok(&["apply"]);
        fixture.fails(&TO, 1, STOPPED);
        fixture.ok(&["rebase", "demo-core", "--abort"]);
        assert_eq!(fixture.git(&["branch", "--list", "rebasing"]), "");
        fixture.git(&["branch", "-D", "kept"]);
    }
}

#[test]
fn a_branch_that_comes_in_the_way_meanwhile_is_kept_too() {
    // The first patch that stops is in the release: nothing is merged, so there is no branch of ours yet.
    let lines = lib(&[("// line 2\n", "// line 2\n// log\n"), ("// line 10\n", "// line ten\n")]);
    let fixture = with_release("1.1.0", &lines, &[]);
    fixture.fails(&TO, 1, &["already upstream"]);
    fixture.git(&["branch", "rebasing"]);
    fixture.fails(&["rebase", "demo-core", "--skip"], 1, &["has a branch `rebasing`"]);
    fixture.git(&["branch", "-m", "rebasing", "kept"]);
    fixture.fails(&["rebase", "demo-core", "--continue"], 1, &["conflict in src/lib.rs"]);
    fixture.ok(&["rebase", "demo-core", "--abort"]);
    fixture.ok(&["verify"]);
}

#[test]
fn giving_up_comes_back_to_what_was_checked_out() {
    let fixture = conflicting();
    fixture.git(&["branch", "mine", "patch/b-fast"]);
    let tip = fixture.git(&["rev-parse", "patch/b-fast"]).trim().to_owned();
    for (how, head) in [("patch/b-fast", "refs/heads/patch/b-fast\n"), ("mine", "refs/heads/mine\n"), (&tip, "")] {
        fixture.git(&["checkout", "-q", how]);
        let before = state(&fixture);
        fixture.fails(&TO, 1, STOPPED);
        fixture.ok(&["rebase", "demo-core", "--abort"]);
        let full = fixture.git(&["rev-parse", "--symbolic-full-name", "HEAD"]);
        assert_eq!(if head.is_empty() { full.replace("HEAD\n", "") } else { full }, head);
        assert_eq!((state(&fixture), fixture.git(&["status", "--short"])), (before, String::new()));
    }
    // A branch that has gone meanwhile cannot be come back to.
    fixture.git(&["checkout", "-q", "mine"]);
    fixture.fails(&TO, 1, STOPPED);
    fixture.git(&["branch", "-D", "mine"]);
    fixture.ok(&["rebase", "demo-core", "--abort"]);
    assert_eq!(fixture.git(&["branch", "--show-current"]), "main\n");
}

#[test]
fn commits_on_a_detached_head_are_kept() {
    let fixture = conflicting();
    fixture.fails(&TO, 1, STOPPED);
    fixture.git(&["cherry-pick", "--abort"]);
    fixture.git(&["checkout", "-q", "--detach"]);
    fixture.write(&format!("{FOLDER}/src/mine.rs"), "// mine\n");
    fixture.commit("mine", "Mine");
    let mine = fixture.git(&["rev-parse", "HEAD"]).trim().to_owned();
    for way in ["--abort", "--skip", "--continue"] {
        let words = ["commits on a detached HEAD", &mine[..12], "git branch keep"];
        fixture.fails(&["rebase", "demo-core", way], 1, &words);
    }
    fixture.git(&["branch", "keep", &mine]);
    fixture.ok(&["rebase", "demo-core", "--abort"]);
    assert_eq!(fixture.git(&["rev-parse", "keep"]).trim(), mine);
    assert!(!fixture.root.join(FOLDER).join("src/mine.rs").exists());
    fixture.ok(&["verify"]);
}

fn make_executable(fixture: &Fixture, path: &str) {
    fs::set_permissions(fixture.root.join(path), fs::Permissions::from_mode(0o755)).unwrap();
}

/// A repository whose patch `b-fast` is what `edit` makes of the folder.
fn with_patch(edit: impl Fn(&Fixture)) -> Fixture {
    let fixture = Fixture::ready();
    fixture.ok(&["edit", "demo-core", "--patch", "b-fast"]);
    fixture.git(&["reset", "-q", "--hard", "HEAD~1"]);
    edit(&fixture);
    fixture.commit("b-fast", "Make b fast");
    fixture.ok(&["export", "demo-core"]);
    fixture.ok(&["apply"]);
    fixture
}

fn release(fixture: &Fixture, manifest: &str, files: &[(&str, &str)]) {
    fixture.release("demo-core", "1.1.0", manifest, &CHECKSUM.replace("aa", "dd"), files);
}

#[test]
fn a_merge_by_hand_may_change_a_mode_alone() {
    let fixture = conflicting();
    fixture.fails(&TO, 1, STOPPED);
    fixture.git(&["checkout", "-q", "HEAD", "--", "."]);
    fixture.git(&["rm", "-qf", "src/fast/new.rs"]);
    fixture.fails(&["rebase", "demo-core", "--continue"], 1, &["as merged, changes nothing"]);
    make_executable(&fixture, &format!("{FOLDER}/README.md"));
    fixture.git(&["add", "-A"]);
    fixture.ok(&["rebase", "demo-core", "--continue"]);
    assert!(fixture.read("patches/demo-core/a-fast.patch").contains("old mode 100644\nnew mode 100755\n"));
    locked_and_verified(&fixture);
}

#[test]
fn a_mode_goes_along_with_a_file_that_was_renamed() {
    let fixture = with_patch(|fixture| make_executable(fixture, &format!("{FOLDER}/src/lib.rs")));
    release(&fixture, "[lib]\npath = \"src/core.rs\"\n", &[("src/core.rs", &lib(&[]))]);
    let said = fixture.ok(&TO);
    assert!(said.contains("| `b-fast` | merged; src/lib.rs is now src/core.rs |"), "{said}");
    assert!(
        fixture.read("patches/demo-core/b-fast.patch").contains("diff --git a/src/core.rs b/src/core.rs\nold mode")
    );
    locked_and_verified(&fixture);
}

#[test]
fn a_mode_that_the_release_has_already_is_told() {
    let fixture = with_patch(|fixture| {
        make_executable(fixture, &format!("{FOLDER}/src/lib.rs"));
        fixture.edit_file("src/lib.rs", "line 30\n", "line 30, faster\n");
    });
    release(&fixture, "", &[("src/lib.rs", &lib(&[]))]);
    make_executable(&fixture, "vendor/demo-core-1.1.0/src/lib.rs");
    let said = fixture.ok(&[&TO[..], &["--dry-run"]].concat());
    for line in ["b-fast  merged, with lines lost", "not in the result: src/lib.rs new mode 100755"] {
        assert!(said.contains(line), "no `{line}` in {said}");
    }
    assert!(fixture.ok(&TO).contains("\n- src/lib.rs new mode 100755\n"));
    locked_and_verified(&fixture);
}

#[test]
fn a_binary_file_that_is_not_in_the_result_is_told() {
    let fixture = with_patch(|fixture| {
        fixture.write(&format!("{FOLDER}/src/table.bin"), "a\0b");
        fixture.write(&format!("{FOLDER}/src/other.bin"), "c\0d");
    });
    release(&fixture, "", &[("src/lib.rs", &lib(&[])), ("src/table.bin", "a\0b")]);
    let said = fixture.ok(&[&TO[..], &["--dry-run"]].concat());
    assert!(said.contains("not in the result: src/table.bin (binary)"), "{said}");
    assert!(!said.contains("other.bin"), "{said}");
    let said = fixture.ok(&TO);
    assert!(said.contains("| `b-fast` | merged; lines were lost, see below |"), "{said}");
    assert!(said.contains("\n- src/table.bin (binary)\n"), "{said}");
    locked_and_verified(&fixture);
}

#[test]
fn what_is_left_out_by_hand_is_told() {
    let fixture = conflicting();
    fixture.fails(&TO, 1, STOPPED);
    fixture.git(&["rm", "-qf", "src/fast/new.rs"]);
    let merged = lib(&[("// line 2\n", "// line 2\n// log\n"), ("// line 10\n", "// line 10, fast\n")]);
    fixture.write(&format!("{FOLDER}/src/lib.rs"), &merged);
    fixture.git(&["add", "-A"]);
    let said = fixture.ok(&["rebase", "demo-core", "--continue"]);
    assert!(said.contains("| `a-fast` | merged by hand; lines were lost, see below |"), "{said}");
    assert!(said.contains("- src/fast/new.rs @@ -0,0 +1 @@\n  ```diff\n  +// new\n  ```\n"), "{said}");
    assert!(!said.contains("\n  +// line 10, fast"), "{said}");
    locked_and_verified(&fixture);
}
