//! `apply`: idempotent, sparing with writes, and careful with other people's work.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use crate::fixture::{FOLDER, Fixture};

fn modified(fixture: &Fixture, path: &str) -> SystemTime {
    fs::metadata(fixture.root.join(FOLDER).join(path)).unwrap().modified().unwrap()
}

/// Puts every file's time back, so that any rewrite shows.
fn age(fixture: &Fixture) {
    let old = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    for path in fixture.files(FOLDER).keys() {
        let file = fs::File::options().write(true).open(fixture.root.join(FOLDER).join(path)).unwrap();
        file.set_modified(old).unwrap();
    }
}

#[test]
fn a_second_apply_changes_nothing() {
    let fixture = Fixture::ready();
    age(&fixture);
    let old = modified(&fixture, "src/lib.rs");
    assert!(fixture.ok(&["apply"]).contains("up to date"));
    assert_eq!(modified(&fixture, "src/lib.rs"), old);
    assert_eq!(fixture.git(&["status", "--short"]), "");
}

#[test]
fn only_files_whose_bytes_change_are_rewritten() {
    let fixture = Fixture::ready();
    age(&fixture);
    let old = modified(&fixture, "README.md");
    fixture.write(&format!("{FOLDER}/target/kept"), "by cargo");
    fixture.replace("patches/forks.toml", "short = \"a\", ships = true", "short = \"a\", ships = false");
    assert!(fixture.ok(&["apply"]).contains("1 files written, 1 removed"));
    assert_eq!(modified(&fixture, "README.md"), old);
    assert_ne!(modified(&fixture, "src/lib.rs"), old);
    assert!(!fixture.root.join(FOLDER).join("src/fast").exists());
    assert!(fixture.root.join(FOLDER).join("target/kept").exists());
    assert_eq!(fixture.git(&["status", "--short", "--", "src"]), "");
}

#[test]
fn bytes_are_those_of_the_release() {
    let fixture = Fixture::ready();
    assert_eq!(fixture.read(&format!("{FOLDER}/src/windows.txt")), "one\r\ntwo\r\n");
    let log = fixture.git(&["log", "--format=%s", "main"]);
    assert_eq!(log.lines().count(), 3, "{log}");
    assert!(log.ends_with("demo-core 1.0.0, as released\n"));
}

/// Plants work, sees that `apply` refuses and keeps it, then discards it.
fn refuses(plant: impl Fn(&Fixture), words: &[&str], kept: impl Fn(&Fixture) -> bool) {
    let fixture = Fixture::ready();
    let clean = fixture.files(FOLDER);
    plant(&fixture);
    // Also when there is something to lay out.
    for outdated in [false, true] {
        if outdated {
            fixture.replace("patches/forks.toml", "short = \"a\", ships = true", "short = \"a\", ships = false");
        }
        let ways = ["keep it:", "export demo-core", "discard it:", "apply --discard demo-core"];
        fixture.fails(&["apply"], 1, &[words, &ways].concat());
        assert!(kept(&fixture), "{words:?}: the work is gone");
    }
    fixture.replace("patches/forks.toml", "short = \"a\", ships = false", "short = \"a\", ships = true");
    fixture.ok(&["apply", "--discard", "demo-core"]);
    assert_eq!(fixture.files(FOLDER), clean);
    assert_eq!(fixture.git(&["status", "--short"]), "");
    assert!(fixture.ok(&["apply"]).contains("up to date"));
    fixture.ok(&["verify"]);
}

fn has(fixture: &Fixture, path: &str, text: &str) -> bool {
    fs::read_to_string(fixture.root.join(FOLDER).join(path)).is_ok_and(|found| found.contains(text))
}

#[test]
fn an_edited_file_is_kept() {
    refuses(
        |fixture| fixture.edit_file("src/lib.rs", "line 3\n", "mine\n"),
        &["modified: src/lib.rs"],
        |fixture| has(fixture, "src/lib.rs", "mine"),
    );
}

#[test]
fn a_staged_change_is_kept() {
    refuses(
        |fixture| {
            fixture.edit_file("src/lib.rs", "line 3\n", "mine\n");
            fixture.git(&["add", "-A"]);
            fixture.edit_file("src/lib.rs", "mine\n", "line 3\n");
        },
        &["staged: src/lib.rs"],
        |fixture| fixture.git(&["diff", "--cached"]).contains("mine"),
    );
}

#[test]
fn an_untracked_file_is_kept() {
    refuses(
        |fixture| fixture.write(&format!("{FOLDER}/src/bin/mine.rs"), "mine"),
        &["untracked: src/bin/mine.rs"],
        |fixture| has(fixture, "src/bin/mine.rs", "mine"),
    );
}

#[test]
fn a_deleted_file_stays_deleted() {
    refuses(
        |fixture| fs::remove_file(fixture.root.join(FOLDER).join("README.md")).unwrap(),
        &["deleted: README.md"],
        |fixture| !fixture.root.join(FOLDER).join("README.md").exists(),
    );
}

#[test]
fn commits_are_kept() {
    for branch in ["main", "patch/b-fast"] {
        refuses(
            |fixture| {
                fixture.git(&["switch", "-q", branch]);
                fixture.edit_file("src/lib.rs", "line 20\n", "mine\n");
                fixture.amend();
            },
            &[&format!("commits on branch {branch}")],
            |fixture| fixture.git(&["show", branch]).contains("mine"),
        );
    }
    refuses(
        |fixture| {
            fixture.git(&["switch", "-q", "--detach"]);
            fixture.edit_file("src/lib.rs", "line 20\n", "mine\n");
            fixture.amend();
        },
        &["commits on a detached HEAD"],
        |fixture| has(fixture, "src/lib.rs", "mine"),
    );
}

#[test]
fn an_operation_in_progress_is_kept() {
    refuses(
        |fixture| {
            fixture.git(&["cherry-pick", "-n", "patch/b-fast"]);
            fs::write(
                fixture.root.join(FOLDER).join(".git/CHERRY_PICK_HEAD"),
                fixture.git(&["rev-parse", "patch/b-fast"]),
            )
            .unwrap();
        },
        &["a cherry-pick is in progress", "modified: src/lib.rs"],
        |fixture| has(fixture, "src/lib.rs", "faster"),
    );
}

#[test]
fn a_foreign_folder_is_kept() {
    let fixture = Fixture::bare();
    fixture.write(&format!("{FOLDER}/mine"), "mine");
    fixture.fails(&["apply"], 1, &["files that were not laid out", "move the folder", "apply --discard demo-core"]);
    assert!(has(&fixture, "mine", "mine"));
    fixture.ok(&["apply", "--discard"]);
    assert!(!fixture.root.join(FOLDER).join("mine").exists());
    assert!(fixture.root.join(FOLDER).join("src/lib.rs").exists());
}

#[test]
fn what_the_repository_tracks_is_kept_even_from_discard() {
    let fixture = Fixture::ready();
    fixture.in_root(&["init", "-q"]);
    fixture.in_root(&["add", "app"]);
    fixture.replace("patches/forks.toml", "\"extern/demo-core\"", "\"app\"");
    fixture.fails(&["apply", "--discard"], 2, &["forks.toml", "this repository tracks app/Cargo.toml"]);
    assert!(fixture.read("app/Cargo.toml").contains("demo-user"));
}

#[test]
#[cfg(unix)]
fn nothing_is_laid_out_through_a_link() {
    let fixture = Fixture::ready();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::rename(fixture.root.join("extern"), elsewhere.path().join("extern")).unwrap();
    std::os::unix::fs::symlink(elsewhere.path().join("extern"), fixture.root.join("extern")).unwrap();
    for args in [&["apply"][..], &["apply", "--discard"], &["export"], &["edit", "demo-core"]] {
        fixture.fails(args, 2, &["symbolic link", "remove the link"]);
    }
}

#[test]
fn a_lost_state_loses_no_branch() {
    let fixture = Fixture::ready();
    fixture.git(&["switch", "-q", "-c", "mine"]);
    fixture.edit_file("src/lib.rs", "line 3\n", "on my branch\n");
    fixture.git(&["commit", "-qam", "mine"]);
    fixture.git(&["switch", "-q", "main"]);
    fs::remove_file(fixture.root.join(FOLDER).join(".git/forks.json")).unwrap();
    fixture.fails(&["apply"], 1, &["commits on branch main", "discard it:"]);
    fixture.ok(&["apply", "--discard"]);
    assert!(fixture.git(&["show", "mine"]).contains("on my branch"));
    fixture.ok(&["verify"]);
}

#[test]
#[cfg(unix)]
fn a_link_in_a_commit_is_told_and_can_be_discarded() {
    let fixture = Fixture::ready();
    std::os::unix::fs::symlink("lib.rs", fixture.root.join(FOLDER).join("src/link.rs")).unwrap();
    fixture.git(&["add", "-A"]);
    fixture.amend();
    fixture.fails(&["export"], 1, &["patch `a-fast`, as on branch main: src/link.rs", "plain files"]);
    fixture.fails(&["apply"], 1, &["commits on branch main"]);
    fixture.ok(&["apply", "--discard"]);
    assert!(!fixture.root.join(FOLDER).join("src/link.rs").exists());
    fixture.ok(&["verify"]);
}

#[test]
fn stashes_and_other_branches_stay_whatever_happens() {
    let fixture = Fixture::ready();
    fixture.edit_file("src/lib.rs", "line 3\n", "stashed\n");
    fixture.git(&["stash", "-q"]);
    fixture.git(&["switch", "-q", "-c", "mine"]);
    fixture.edit_file("src/lib.rs", "line 3\n", "on my branch\n");
    fixture.git(&["commit", "-qam", "mine"]);
    fixture.git(&["switch", "-q", "main"]);
    fixture.replace("patches/forks.toml", "short = \"a\", ships = true", "short = \"a\", ships = false");
    fixture.ok(&["apply"]);
    fixture.ok(&["apply", "--discard"]);
    assert!(fixture.git(&["stash", "show", "-p"]).contains("stashed"));
    assert!(fixture.git(&["show", "mine"]).contains("on my branch"));
}

#[test]
fn a_patch_without_a_file_does_not_stand_in_the_way() {
    let fixture = Fixture::ready();
    fixture.replace("patches/forks.toml", "[\"log\"]", "[\"log\", \"more\"]");
    fixture.replace(
        "patches/forks.toml",
        "measured = [",
        "measured = [{ id = \"c-fast\", short = \"c\", ships = false },",
    );
    fixture.ok(&["apply"]);
    fixture.fails(&["edit", "demo-core", "--patch", "d-fast"], 2, &["`d-fast` is no patch of demo-core", "c-fast"]);
    fixture.ok(&["edit", "demo-core", "--patch", "c-fast"]);
    fixture.edit_file("src/lib.rs", "line 20\n", "line 20, c\n");
    fixture.commit("c-fast", "Make c fast");
    fixture.ok(&["edit", "demo-core"]);
    fixture.edit_file("src/lib.rs", "line 25\n", "line 25, more\n");
    fixture.commit("more", "More to build on");
    let said = fixture.ok(&["export", "demo-core"]);
    assert!(said.contains("more.patch: written") && said.contains("c-fast.patch: written"), "{said}");
    fixture.ok(&["apply"]);
    fixture.ok(&["verify"]);
    let log = fixture.git(&["log", "--format=%s", "main"]);
    assert!(log.contains("More to build on") && log.contains("Make a fast") && !log.contains("Make c fast"), "{log}");
}

#[test]
fn an_arm_holds_its_patches_and_nothing_else() {
    let fixture = Fixture::ready();
    let forks = forks::Forks::open(&fixture.root).unwrap();
    let dest = fixture.root.join("arm");
    let lib = |dest: &Path| fs::read_to_string(dest.join(FOLDER).join("src/lib.rs")).unwrap();
    forks::arm::materialize(&forks, &["b-fast".into(), "a-fast".into()], &dest).unwrap();
    assert!(lib(&dest).contains("10, fast") && lib(&dest).contains("30, faster") && lib(&dest).contains("// log"));
    assert!(!dest.join(FOLDER).join(".git").exists());
    let written = fs::metadata(dest.join(FOLDER).join("README.md")).unwrap().modified().unwrap();
    fs::write(dest.join(FOLDER).join("extra.rs"), "").unwrap();
    forks::arm::materialize(&forks, &["b-fast".into()], &dest).unwrap();
    assert!(!lib(&dest).contains("10, fast") && lib(&dest).contains("30, faster"));
    assert!(!dest.join(FOLDER).join("extra.rs").exists() && !dest.join(FOLDER).join("src/fast").exists());
    assert_eq!(fs::metadata(dest.join(FOLDER).join("README.md")).unwrap().modified().unwrap(), written);
    assert!(forks::arm::materialize(&forks, &["x".into()], &dest).is_err());
}

#[test]
fn patch_ids_tell_patches_apart_and_do_not_depend_on_the_message() {
    let fixture = Fixture::ready();
    let forks = forks::Forks::open(&fixture.root).unwrap();
    let ids = || forks::fingerprint::patch_ids(&forks, &forks.pins.forks[0], &["a-fast".into()]).unwrap();
    let before = ids();
    assert_eq!(before.keys().collect::<Vec<_>>(), ["demo-core/a-fast", "demo-core/log"]);
    assert_ne!(before["demo-core/a-fast"], before["demo-core/log"]);
    fixture.replace("patches/demo-core/a-fast.patch", "Because.", "For another reason.");
    assert_eq!(ids(), before);
    fixture.replace("patches/demo-core/a-fast.patch", "+// line 10, fast", "+// line 10, quick");
    assert_ne!(ids(), before);
}
