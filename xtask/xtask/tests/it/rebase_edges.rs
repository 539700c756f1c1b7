//! Rebases at their edges: branches in the way, modes, binary files, other forks, strange arguments.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;

use crate::family;
use crate::fixture::{CHECKSUM, FOLDER, Fixture};
use crate::rebasing::{STOPPED, conflicting, lib, locked_and_verified, state, with_clone, with_release};

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

#[test]
fn a_file_that_a_folder_is_in_the_way_of_is_told_by_its_own_name() {
    let fixture = with_patch(|fixture| fixture.write(&format!("{FOLDER}/extra"), "// extra\n"));
    release(&fixture, "", &[("src/lib.rs", &lib(&[])), ("extra/more.rs", "// more\n")]);
    let words = ["b-fast  conflict in extra\n", "extra is a file on one side and a folder on the other", "`git mv`"];
    fixture.fails(&[&TO[..], &["--dry-run"]].concat(), 1, &words);
    fixture.fails(&TO, 1, &words);
    fixture.git(&["add", "-A"]);
    fixture.fails(&["rebase", "demo-core", "--continue"], 1, &["`extra~", "the name that git gave", "`git mv`"]);
    let names = fixture.git(&["ls-files", "-z", "extra~*"]);
    fixture.git(&["mv", names.trim_end_matches('\0'), "extra/extra.rs"]);
    fixture.ok(&["rebase", "demo-core", "--continue"]);
    assert!(fixture.read("patches/demo-core/b-fast.patch").contains("+++ b/extra/extra.rs\n"));
    locked_and_verified(&fixture);
}

#[test]
fn while_a_fork_is_stopped_the_others_say_what_they_wait_for() {
    let fixture = family::ready();
    let lines: String = (1..=20).map(|number| format!("// line {number}\n")).collect();
    let changed = lines.replace("// line 2\n", "// line two\n");
    let files = [("src/lib.rs", changed.as_str())];
    release(&fixture, "", &files);
    fixture.release("demo-core", "2.1.0", "", &CHECKSUM.replace("aa", "ee"), &files);
    fixture.fails(&TO, 1, &["log  conflict in src/lib.rs"]);
    let words = ["demo-core: a rebase to 1.1.0 is in progress; it stopped at patch `log`", "--continue", "--abort"];
    for args in [&["rebase", "demo-two", "--to", "2.1.0"][..], &["outdated", "demo-two"]] {
        fixture.fails(args, 1, &words);
        fixture.fails(args, 1, &["until it ends, cargo cannot say who requires what"]);
    }
    fixture.fails(&["rebase", "demo-two", "--to", "2.1.0", "--dry-run"], 1, &words);
    fixture.ok(&["rebase", "demo-core", "--abort"]);
    fixture.fails(&["rebase", "demo-two", "--to", "2.1.0"], 1, &["log  conflict in src/lib.rs"]);
}

#[test]
fn a_clone_without_the_commits_is_told_what_it_lacks() {
    let (fixture, ids) = with_clone();
    let git = |args: &[&str]| fixture.git(&[&["-C", "../..", "-c", "protocol.file.allow=always"], args].concat());
    git(&["-C", "clone", "branch", "early", &ids[2]]);
    git(&["clone", "-q", "--single-branch", "--branch", "early", "clone", "old"]);
    git(&["-C", "old", "gc", "-q", "--prune=now"]);
    let lacks = format!("it lacks commit {}, which release 1.1.0 was made from", ids[4]);
    fixture.fails(
        &[&TO[..], &["--bisect", "old"]].concat(),
        1,
        &[&lacks, "git -C old fetch --tags https://example.com/demo"],
    );
}

#[test]
fn a_clone_may_be_named_by_any_of_its_folders() {
    let (fixture, ids) = with_clone();
    let git = |args: &[&str]| fixture.git(&[&["-C", "../..", "-c", "protocol.file.allow=always"], args].concat());
    git(&["-C", "clone", "worktree", "add", "-q", "../linked", &ids[1]]);
    git(&["init", "-q", "around"]);
    let url = format!("file://{}/clone", fixture.root.display());
    git(&["-C", "around", "submodule", "add", "-q", &url, "inner"]);
    git(&["clone", "-q", "--bare", "clone", "bare.git"]);
    for clone in ["clone/core/src", "clone/.git", "linked", "linked/core", "around/inner", "bare.git"] {
        let args = ["rebase", "demo-core", "--to", "1.1.0", "--bisect", clone];
        fixture.fails(&args, 1, &["a-fast: conflicts in src/lib.rs since", &ids[3], "of the 4 commits"]);
    }
    git(&["clone", "-q", "--depth=1", &url, "shallow"]);
    let args = ["rebase", "demo-core", "--to", "1.1.0", "--bisect", "shallow"];
    fixture.fails(&args, 1, &["shallow clone", "git -C shallow fetch --unshallow"]);
    fixture.fails(&[&args[..], &["--with", "a@1.0.0"]].concat(), 2, &["cannot be used with"]);
}

#[test]
fn names_that_say_nothing_are_refused() {
    let fixture = conflicting();
    let before = state(&fixture);
    for (with, words) in [
        ("demo-users@1.0.0", &["names `demo-users`, which is in no build", "cargo tree --invert demo-core"][..]),
        ("demo-core@1.0.0", &["names `demo-core` itself", "--to"]),
        ("demo-user@0.1.0,demo-user@0.2.0", &["names `demo-user` twice"]),
        ("app@0.2.0", &["`app` is a crate of this workspace", "Cargo.toml"]),
    ] {
        fixture.fails(&[&TO[..], &["--with", with]].concat(), 2, words);
        fixture.fails(&[&TO[..], &["--dry-run", "--with", with]].concat(), 2, words);
    }
    assert_eq!(state(&fixture), before);
    fixture.fails(&[&TO[..], &["--with", "demo-user@0.1.0"]].concat(), 1, STOPPED);
}

#[test]
fn a_version_is_taken_with_its_build_metadata() {
    let fixture = with_release("1.2.0+one", &lib(&[]), &[]);
    let to = |version: &'static str| ["rebase", "demo-core", "--to", version, "--dry-run"];
    fixture.fails(&to("1.2.0+other"), 2, &["there is no 1.2.0+other; the release is 1.2.0+one", "outdated"]);
    fixture.ok(&to("1.2.0"));
    fixture.ok(&["rebase", "demo-core", "--to", "1.2.0+one"]);
    locked_and_verified(&fixture);
}

#[test]
fn a_downgrade_is_called_one() {
    let fixture = with_release("1.1.0", &lib(&[]), &[]);
    let said = fixture.xtask(&TO);
    assert!(said.code == 0 && !said.all().contains("downgrade"), "{}", said.all());
    fixture.lock();
    let back = ["rebase", "demo-core", "--to", "1.0.0"];
    fixture.fails(&[&back[..], &["--dry-run"]].concat(), 0, &["demo-core 1.1.0 to 1.0.0, a downgrade\n"]);
    fixture.fails(&back, 0, &["# demo-core 1.1.0 to 1.0.0, a downgrade\n", "1.0.0 is older than 1.1.0"]);
    locked_and_verified(&fixture);
}

#[test]
fn who_requires_another_version_is_told_once() {
    let fixture = Fixture::ready();
    for (version, sum) in [("1.1.0", "d1"), ("2.1.0", "d2"), ("2.2.0", "d3")] {
        fixture.release("demo-core", version, "", &CHECKSUM.replace("aa", sum), &[("src/lib.rs", &lib(&[]))]);
    }
    let said = fixture.xtask(&["outdated"]);
    let order = ["-> 1.1.0, the newest to go to", "-> 2.2.0, refused", "-> 2.1.0, refused", "-> 2.0.0, refused"];
    let places: Vec<_> =
        order.iter().map(|line| said.out.find(line).unwrap_or_else(|| panic!("{line}: {}", said.out))).collect();
    assert!(places.is_sorted(), "{}", said.out);
    for dependant in ["demo-user 0.1.0", "app 0.1.0"] {
        assert_eq!(said.out.matches(dependant).count(), 1, "{}", said.out);
        let line = format!("  {dependant} requires demo-core ^1, so not 2.2.0, 2.1.0, 2.0.0: ");
        assert!(said.out.contains(&line), "{}", said.out);
    }
    fs::remove_dir_all(fixture.root.join("vendor/demo-core-1.1.0")).unwrap();
    let said = fixture.xtask(&["outdated"]);
    assert!(said.out.starts_with("demo-core 1.0.0: every newer release is refused\n"), "{}", said.out);
}

#[test]
fn a_verb_that_waited_for_a_rebase_sees_what_it_wrote() {
    let fixture = with_release("1.1.0", &lib(&[]), &[("CHANGES.md", "new\n")]);
    let done = fixture.copy();
    done.ok(&TO);
    // In the place of a rebase that runs: its lock, then all that it writes.
    let lock = fs::File::create(fixture.root.join("target/forks/lock")).unwrap();
    lock.lock().unwrap();
    let mut waiting = fixture.command(&["apply"]);
    let mut waiting = waiting.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(waiting.stderr.take().unwrap());
    let mut line = String::new();
    told.read_line(&mut line).unwrap();
    assert!(line.starts_with("waiting for another `cargo xtask`"), "{line}");
    for path in ["patches", "extern"] {
        fs::remove_dir_all(fixture.root.join(path)).unwrap();
        fs::rename(done.root.join(path), fixture.root.join(path)).unwrap();
    }
    drop(lock);
    assert!(waiting.wait().unwrap().success());
    assert_eq!(fixture.read(&format!("{FOLDER}/CHANGES.md")), "new\n");
    locked_and_verified(&fixture);
}

#[test]
fn a_rebase_of_gits_own_in_the_folder_is_to_be_ended_first() {
    let fixture = conflicting();
    fixture.fails(&TO, 1, STOPPED);
    let merged = lib(&[("// line 2\n", "// line 2\n// log\n"), ("// line 10\n", "// line ten, fast\n")]);
    fixture.write(&format!("{FOLDER}/src/lib.rs"), &merged);
    fixture.git(&["add", "-A"]);
    fixture.git(&["cherry-pick", "--continue"]);
    fixture.git(&["-c", "sequence.editor=sed -i s/^pick/edit/", "rebase", "-q", "-i", "HEAD~1"]);
    fixture.write(&format!("{FOLDER}/src/more.rs"), "// more\n");
    fixture.amend();
    let words = [&format!("a `git rebase` is in progress in {FOLDER}"), "git -C extern/demo-core rebase --continue"];
    for way in ["--continue", "--skip", "--abort"] {
        fixture.fails(&["rebase", "demo-core", way], 1, &[words[0], words[1]]);
    }
    fixture.git(&["rebase", "--continue"]);
    fixture.ok(&["rebase", "demo-core", "--continue"]);
    assert!(fixture.read("patches/demo-core/a-fast.patch").contains("b/src/more.rs"));
    locked_and_verified(&fixture);
}

#[test]
fn a_mode_that_is_not_staged_is_seen_whatever_git_heeds() {
    let fixture = conflicting();
    fixture.fails(&TO, 1, STOPPED);
    fixture.git(&["checkout", "-q", "--theirs", "--", "src/lib.rs"]);
    fixture.git(&["config", "core.fileMode", "false"]);
    make_executable(&fixture, &format!("{FOLDER}/README.md"));
    fixture.git(&["add", "-A"]);
    fixture.fails(&["rebase", "demo-core", "--continue"], 1, &["changes that are not staged: README.md"]);
    fixture.git(&["add", "--chmod=+x", "README.md"]);
    fixture.ok(&["rebase", "demo-core", "--continue"]);
    assert!(fixture.read("patches/demo-core/a-fast.patch").contains("new mode 100755"));
    locked_and_verified(&fixture);
}
