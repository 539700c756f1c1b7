//! Rebases at their edges: branches in the way, modes, binary files, other forks, strange arguments.

use crate::fixture::FOLDER;
use crate::rebasing::{STOPPED, conflicting, lib, state, with_release};

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
