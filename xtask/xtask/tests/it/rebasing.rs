//! Forks carried to another release: what becomes of each patch, and who has to look.

use std::fs;
use std::path::Path;

use crate::fixture::{CHECKSUM, FOLDER, Fixture, message};

const A: &str = "patches/demo-core/a-fast.patch";

/// The forty lines of the release, with `changes` made in them.
pub(crate) fn lib(changes: &[(&str, &str)]) -> String {
    let lines: String = (1..=40).map(|number| format!("// line {number}\n")).collect();
    changes.iter().fold(lines, |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    })
}

/// A repository with all patches, whose source also has the release `version` with this `src/lib.rs` and more files.
pub(crate) fn with_release(version: &str, lib: &str, more: &[(&str, &str)]) -> Fixture {
    let fixture = Fixture::ready();
    let files = [&[("src/lib.rs", lib)], more].concat();
    fixture.release("demo-core", version, "", &CHECKSUM.replace("aa", "dd"), &files);
    fixture
}

/// Everything that a rebase may change.
pub(crate) fn state(fixture: &Fixture) -> [std::collections::BTreeMap<String, Vec<u8>>; 2] {
    [fixture.files("patches"), fixture.files(FOLDER)]
}

pub(crate) fn locked_and_verified(fixture: &Fixture) {
    fixture.lock();
    fixture.ok(&["verify"]);
    assert_eq!(fixture.git(&["branch", "--list", "rebasing"]), "");
    assert_eq!(fixture.git(&["status", "--short"]), "");
    assert!(fixture.ok(&["export", "--check"]).contains("equal"));
}

#[test]
fn a_release_that_leaves_the_files_alone_takes_every_patch_as_it_is() {
    let fixture = with_release("1.1.0", &lib(&[]), &[("CHANGES.md", "new\n")]);
    let before = state(&fixture);
    let said = fixture.ok(&["rebase", "demo-core", "--to", "1.1.0", "--dry-run"]);
    assert_eq!(said.matches("  clean").count(), 3, "{said}");
    assert_eq!(state(&fixture), before);
    let said = fixture.ok(&["rebase", "demo-core", "--to", "1.1.0"]);
    for line in ["# demo-core 1.0.0 to 1.1.0", "| `a-fast` | unchanged |", "= log\n", "= a-fast\n", "= b-fast\n"] {
        assert!(said.contains(line), "no `{line}` in {said}");
    }
    let pins = fixture.read("patches/forks.toml");
    assert!(pins.contains("version = \"1.1.0\"") && pins.contains(&CHECKSUM.replace("aa", "dd")), "{pins}");
    assert_eq!(
        fixture.files("patches/demo-core"),
        before[0]
            .iter()
            .filter_map(|(path, bytes)| { Some((path.strip_prefix("demo-core/")?.to_owned(), bytes.clone())) })
            .collect()
    );
    assert_eq!(fixture.read(&format!("{FOLDER}/CHANGES.md")), "new\n");
    locked_and_verified(&fixture);
}

#[test]
fn lines_that_moved_are_merged() {
    let fixture = with_release("1.1.0", &lib(&[("// line 5\n", "// line 5\n// and a half\n")]), &[]);
    let said = fixture.ok(&["rebase", "demo-core", "--to", "1.1.0", "--dry-run"]);
    assert_eq!(said.matches("  merged").count(), 3, "{said}");
    let said = fixture.ok(&["rebase", "demo-core", "--to", "1.1.0"]);
    assert!(said.contains("| `b-fast` | merged |"), "{said}");
    let merged = fixture.read(&format!("{FOLDER}/src/lib.rs"));
    assert!(merged.contains("and a half") && merged.contains("line 10, fast") && merged.contains("// log"));
    locked_and_verified(&fixture);
}

/// The release changed line 10, which the patch changes, too.
pub(crate) fn conflicting() -> Fixture {
    with_release("1.1.0", &lib(&[("// line 10\n", "// line ten\n")]), &[])
}

pub(crate) const STOPPED: &[&str] =
    &["log", "merged", "a-fast", "conflict in src/lib.rs", "--continue", "--skip", "--abort"];

#[test]
fn a_conflict_is_left_to_git_and_taken_from_the_index() {
    let fixture = conflicting();
    fixture.fails(&["rebase", "demo-core", "--to", "1.1.0", "--dry-run"], 1, &["conflict in src/lib.rs", "b-fast"]);
    let patches = fixture.files("patches");
    fixture.fails(&["rebase", "demo-core", "--to", "1.1.0"], 1, STOPPED);
    assert_eq!(fixture.files("patches"), patches);
    assert!(fixture.git(&["status"]).contains("cherry-pick"));
    assert!(fixture.read(&format!("{FOLDER}/src/lib.rs")).contains("||||||| "), "no base between the markers");
    // Nothing else works on the fork meanwhile, and each says why.
    for args in [&["apply"][..], &["apply", "--discard"], &["export"], &["edit", "demo-core"]] {
        fixture.fails(args, 1, &["a rebase to 1.1.0 is in progress", "stopped at patch `a-fast`", "--abort"]);
    }
    fixture.fails(&["rebase", "demo-core", "--to", "1.1.0"], 1, &["in progress"]);
    fixture.fails(
        &["verify"],
        1,
        &["a rebase to 1.1.0 is in progress", "fix: go on: `cargo xtask rebase demo-core --continue`"],
    );
    assert!(fixture.ok(&["status"]).contains("next: go on: `cargo xtask rebase demo-core --continue`"));
    // What a killed git leaves is in nobody's way.
    fixture.write(&format!("{FOLDER}/.git/index.lock"), "");
    fixture.fails(&["rebase", "demo-core", "--continue"], 1, &["still in conflict: src/lib.rs", "git add"]);
    fs::remove_file(fixture.root.join(FOLDER).join(".git/index.lock")).unwrap();
    fixture.git(&["add", "-A"]);
    fixture.fails(&["rebase", "demo-core", "--continue"], 1, &["src/lib.rs still has conflict markers"]);
    let merged = lib(&[("// line 2\n", "// line 2\n// log\n"), ("// line 10\n", "// line ten, fast\n")]);
    fixture.write(&format!("{FOLDER}/src/lib.rs"), &merged);
    fixture.fails(&["rebase", "demo-core", "--continue"], 1, &["not staged: src/lib.rs"]);
    fixture.git(&["add", "-A"]);
    fixture.write(&format!("{FOLDER}/.git/index.lock"), "");
    fixture.write(&format!("{FOLDER}/.git/forks-scratch/index-to-look.lock"), "");
    let said = fixture.ok(&["rebase", "demo-core", "--continue"]);
    for line in [
        "| `a-fast` | merged by hand; lines were lost, see below |",
        "  +// line 10, fast",
        "! a-fast\n",
        "++// line ten, fast",
        "= log\n",
    ] {
        assert!(said.contains(line), "no `{line}` in {said}");
    }
    assert!(fixture.read(A).contains("+// line ten, fast"));
    assert!(fixture.read(A).contains("Make a fast, with a subject that is so long"));
    locked_and_verified(&fixture);
}

#[test]
fn a_conflict_may_be_merged_by_a_commit() {
    let fixture = conflicting();
    fixture.fails(&["rebase", "demo-core", "--to", "1.1.0"], 1, STOPPED);
    let merged = lib(&[("// line 2\n", "// line 2\n// log\n"), ("// line 10\n", "// line ten, fast\n")]);
    fixture.write(&format!("{FOLDER}/src/lib.rs"), &merged);
    fixture.git(&["add", "-A"]);
    fixture.git(&["cherry-pick", "--continue"]);
    fixture.write(&format!("{FOLDER}/more.rs"), "");
    fixture.fails(&["rebase", "demo-core", "--continue"], 1, &["more than the commit", "untracked: more.rs"]);
    fixture.git(&["add", "-A"]);
    fixture.git(&["commit", "-qm", "a second"]);
    fixture.fails(&["rebase", "demo-core", "--continue"], 1, &["at most one commit on top", "squash"]);
    fixture.git(&["reset", "-q", "--hard", "HEAD~1"]);
    fixture.ok(&["rebase", "demo-core", "--continue"]);
    locked_and_verified(&fixture);
}

#[test]
fn a_resolution_is_remembered() {
    let fixture = conflicting();
    fixture.fails(&["rebase", "demo-core", "--to", "1.1.0"], 1, STOPPED);
    let merged = lib(&[("// line 2\n", "// line 2\n// log\n"), ("// line 10\n", "// line ten, fast\n")]);
    fixture.write(&format!("{FOLDER}/src/lib.rs"), &merged);
    fixture.git(&["add", "-A"]);
    fixture.git(&["-c", "rerere.enabled=true", "commit", "-q", "--no-edit"]);
    fixture.ok(&["rebase", "demo-core", "--abort"]);
    fixture.fails(&["rebase", "demo-core", "--to", "1.1.0"], 1, STOPPED);
    assert_eq!(fixture.read(&format!("{FOLDER}/src/lib.rs")), merged);
}

#[test]
fn giving_up_leaves_everything_as_it_was() {
    let fixture = conflicting();
    fixture.git(&["branch", "mine"]);
    let (before, branches) = (state(&fixture), fixture.git(&["for-each-ref"]));
    fixture.fails(&["rebase", "demo-core", "--to", "1.1.0"], 1, STOPPED);
    fixture.write(&format!("{FOLDER}/src/lib.rs"), "half merged");
    fixture.ok(&["rebase", "demo-core", "--abort"]);
    assert_eq!(state(&fixture), before);
    assert_eq!(fixture.git(&["for-each-ref"]), branches);
    fixture.fails(&["rebase", "demo-core", "--continue"], 2, &["no rebase is in progress"]);
    fixture.ok(&["verify"]);
}

#[test]
fn what_upstream_took_can_be_left_out() {
    let lib = lib(&[("// line 10\n", "// line 10, fast\n")]);
    let fixture = with_release("1.1.0", &lib, &[("src/fast/new.rs", "// new\n")]);
    fixture.fails(&["rebase", "demo-core", "--to", "1.1.0", "--dry-run"], 1, &["already upstream: can be dropped"]);
    fixture.fails(&["rebase", "demo-core", "--to", "1.1.0"], 1, &["already upstream", "--skip"]);
    fixture.fails(&["rebase", "demo-core", "--continue"], 1, &["would change nothing", "--skip"]);
    let said = fixture.ok(&["rebase", "demo-core", "--skip"]);
    assert!(said.contains("| `a-fast` | left out: its file is deleted |"), "{said}");
    assert!(!fixture.read("patches/forks.toml").contains("a-fast") && !fixture.root.join(A).exists());
    locked_and_verified(&fixture);
}

#[test]
fn a_file_that_is_gone_is_told_with_its_likely_place() {
    let lines = lib(&[]);
    let (head, tail) = lines.split_at(lines.find("// line 12\n").unwrap());
    let other: String = (1..60).map(|number| format!("// something else {number}\n")).collect();
    let files = [("src/start.rs", format!("{other}{head}")), ("src/rest.rs", format!("{other}{other}{tail}{other}"))];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let fixture = Fixture::ready();
    fixture.release("demo-core", "1.1.0", "[lib]\npath = \"src/rest.rs\"\n", &CHECKSUM.replace("aa", "dd"), &files);
    let said = ["file gone", "src/lib.rs is gone; its lines are most likely in src/rest.rs now"];
    fixture.fails(&["rebase", "demo-core", "--to", "1.1.0", "--dry-run"], 1, &said);
    fixture.fails(&["rebase", "demo-core", "--to", "1.1.0"], 1, &said);
    fixture.ok(&["rebase", "demo-core", "--abort"]);
    fixture.ok(&["verify"]);
}

#[test]
fn a_file_that_was_renamed_takes_its_patch_along() {
    let fixture = Fixture::ready();
    let lines = lib(&[("// line 40\n", "// line forty\n")]);
    let manifest = "[lib]\npath = \"src/core.rs\"\n";
    fixture.release("demo-core", "1.1.0", manifest, &CHECKSUM.replace("aa", "dd"), &[("src/core.rs", &lines)]);
    let said = fixture.ok(&["rebase", "demo-core", "--to", "1.1.0"]);
    assert!(said.contains("merged; src/lib.rs is now src/core.rs"), "{said}");
    assert!(fixture.read(A).contains("--- a/src/core.rs"));
    locked_and_verified(&fixture);
}

#[test]
fn a_hunk_that_a_merge_swallows_is_told() {
    let fixture = with_release("1.1.0", &lib(&[("// line 10\n", "// line 10, fast\n")]), &[]);
    let said = fixture.ok(&["rebase", "demo-core", "--to", "1.1.0", "--dry-run"]);
    for line in ["merged, with lines lost", "not in the result: src/lib.rs @@ -11 +11 @@", "+// line 10, fast"] {
        assert!(said.contains(line), "no `{line}` in {said}");
    }
    let said = fixture.ok(&["rebase", "demo-core", "--to", "1.1.0"]);
    assert!(said.contains("the merge did not carry these lines over") && said.contains("- src/lib.rs @@"), "{said}");
    locked_and_verified(&fixture);
}

#[test]
fn a_dependant_that_would_not_take_it_is_named_first() {
    let fixture = Fixture::ready();
    let before = state(&fixture);
    let words = ["demo-user 0.1.0 requires demo-core ^1", "--with demo-user@<version>"];
    fixture.fails(&["rebase", "demo-core", "--to", "2.0.0"], 1, &words);
    fixture.fails(&["rebase", "demo-core", "--to", "2.0.0", "--dry-run"], 1, &words);
    assert_eq!(state(&fixture), before);
    // A release of the dependant that takes it goes with it; the workspace's own requirement is told at the end.
    let needs = "[dependencies]\ndemo-core = \"2\"\n";
    fixture.release("demo-user", "0.2.0", needs, &CHECKSUM.replace("aa", "ee"), &[("src/lib.rs", "")]);
    let args = ["rebase", "demo-core", "--to", "2.0.0", "--with", "demo-user@0.2.0"];
    let said = fixture.xtask(&args);
    assert_eq!(said.code, 0, "{}", said.all());
    assert!(said.err.contains("app 0.1.0 requires demo-core ^1: raise it in app/Cargo.toml"), "{}", said.all());
    fixture.replace("app/Cargo.toml", "demo-core = \"1\"", "demo-core = \"2\"");
    fixture.replace("app/Cargo.toml", "demo-user = \"0.1\"", "demo-user = \"0.2\"");
    locked_and_verified(&fixture);
}

#[test]
fn what_others_require_is_not_left_out() {
    let fixture = conflicting();
    fixture.ok(&["edit", "demo-core", "--patch", "b-fast"]);
    let said = message("b-fast", "Make b fast").replace("Proof:", "Requires: a-fast\nProof:");
    fixture.git(&["commit", "-q", "--amend", "-m", &said]);
    fixture.ok(&["export", "demo-core"]);
    fixture.ok(&["apply"]);
    fixture.fails(
        &["rebase", "demo-core", "--to", "1.1.0", "--dry-run"],
        1,
        &["b-fast", "not tried: it requires a-fast"],
    );
    fixture.fails(&["rebase", "demo-core", "--to", "1.1.0"], 1, STOPPED);
    fixture.fails(&["rebase", "demo-core", "--skip"], 1, &["`b-fast` requires `a-fast`", "--abort"]);
    fixture.ok(&["rebase", "demo-core", "--abort"]);
    fixture.ok(&["verify"]);
}

#[test]
fn a_patch_may_be_left_out() {
    let fixture = conflicting();
    fixture.fails(&["rebase", "demo-core", "--to", "1.1.0"], 1, STOPPED);
    fixture.ok(&["rebase", "demo-core", "--skip"]);
    assert!(!fixture.read("patches/forks.toml").contains("a-fast"));
    assert!(fixture.read(&format!("{FOLDER}/src/lib.rs")).contains("line ten"));
    locked_and_verified(&fixture);
}

#[test]
fn going_to_the_same_release_changes_nothing() {
    let fixture = Fixture::ready();
    let before = state(&fixture);
    let said = fixture.ok(&["rebase", "demo-core", "--to", "1.0.0"]);
    assert_eq!(said.matches("unchanged").count(), 3, "{said}");
    assert_eq!(state(&fixture), before);
    fixture.ok(&["verify"]);
}

#[test]
fn work_in_the_folder_comes_first() {
    let fixture = conflicting();
    fixture.edit_file("src/lib.rs", "line 3\n", "mine\n");
    fixture.fails(&["rebase", "demo-core", "--to", "1.1.0"], 1, &["modified: src/lib.rs", "keep it:"]);
    assert!(fixture.read(&format!("{FOLDER}/src/lib.rs")).contains("mine"));
}

#[test]
fn wrong_usage_names_the_way_on() {
    let fixture = conflicting();
    fixture.fails(&["rebase", "demo-core"], 2, &["--to"]);
    fixture.fails(&["rebase", "demo-core", "--to", "1"], 2, &["no exact version", "outdated"]);
    fixture.fails(&["rebase", "demo-core", "--to", "9.9.9"], 2, &["could not fetch demo-core 9.9.9", "1.1.0"]);
    fixture.fails(&["rebase", "demo-core", "--to", "1.1.0", "--with", "demo-user"], 2, &["<crate>@<version>"]);
    fixture.fails(&["rebase", "demo-core", "--abort"], 2, &["no rebase is in progress"]);
}

#[test]
fn patch_files_that_change_meanwhile_stop_it() {
    let fixture = conflicting();
    fixture.fails(&["rebase", "demo-core", "--to", "1.1.0"], 1, STOPPED);
    fixture.replace("patches/demo-core/b-fast.patch", "Make b fast", "Make b faster");
    for way in ["--continue", "--skip"] {
        fixture.fails(&["rebase", "demo-core", way], 1, &["patch files changed since the rebase began", "--abort"]);
    }
}

#[test]
fn newer_releases_are_listed_with_what_would_become_of_the_patches() {
    let fixture = conflicting();
    let said = fixture.xtask(&["outdated"]);
    assert_eq!(said.code, 1, "{}", said.all());
    let (two, one) = (said.out.find("1.0.0 -> 2.0.0").unwrap(), said.out.find("1.0.0 -> 1.1.0").unwrap());
    assert!(one < two && said.out.contains("conflict in src/lib.rs"), "{}", said.all());
    assert!(said.out.contains("1.0.0 -> 1.1.0, the newest to go to\n"), "{}", said.all());
    assert!(said.out.contains("1.0.0 -> 2.0.0, refused\n"), "{}", said.all());
    assert!(said.out.contains("demo-user 0.1.0 requires demo-core ^1, so not 2.0.0: move"), "{}", said.all());
    let said = fixture.xtask(&["outdated", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(report[0]["newer"][1]["version"], "1.1.0");
    assert_eq!(report[0]["newer"][1]["patches"][1][1]["verdict"], "conflict");
    for path in ["vendor/demo-core-1.1.0", "vendor/demo-core-2"] {
        fs::remove_dir_all(fixture.root.join(path)).unwrap();
    }
    assert!(fixture.ok(&["outdated"]).contains("demo-core 1.0.0: the newest"));
}

/// A clone of upstream's: five commits from one release to the next, of which the third changes line 10.
fn upstream(folder: &Path) -> Vec<String> {
    let git = |args: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.arg("-C").arg(folder).args(["-c", "user.name=Up", "-c", "user.email=up@example.com"]).args(args);
        let output = command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    git(&["init", "-q"]);
    fs::create_dir_all(folder.join("core/src")).unwrap();
    let mut text = lib(&[]);
    let mut ids = Vec::new();
    for (number, (from, to)) in [
        ("", ""),
        ("line 30\n", "line 30, up\n"),
        ("line 20\n", "line 20, up\n"),
        ("line 10\n", "line ten\n"),
        ("line 25\n", "line 25, up\n"),
    ]
    .into_iter()
    .enumerate()
    {
        text = text.replacen(from, to, 1);
        fs::write(folder.join("core/src/lib.rs"), &text).unwrap();
        fs::write(folder.join("count"), number.to_string()).unwrap();
        git(&["add", "-A"]);
        git(&["commit", "-q", "-m", &format!("Upstream's change {number}")]);
        ids.push(git(&["rev-parse", "HEAD"]));
    }
    ids
}

/// A fork of a crate whose upstream is cloned to `clone`, with the ids of that clone's commits: the first and the last
/// are releases.
pub(crate) fn with_clone() -> (Fixture, Vec<String>) {
    let fixture = Fixture::bare();
    let clone = fixture.root.join("clone");
    fs::create_dir_all(&clone).unwrap();
    let ids = upstream(&clone);
    let info = |id: &str| format!("{{\"git\":{{\"sha1\":\"{id}\"}},\"path_in_vcs\":\"core\"}}");
    let changes = [
        ("line 30\n", "line 30, up\n"),
        ("line 20\n", "line 20, up\n"),
        ("line 10\n", "line ten\n"),
        ("line 25\n", "line 25, up\n"),
    ];
    for (version, sum, id, text) in [("1.0.0", "aa", &ids[0], lib(&[])), ("1.1.0", "dd", &ids[4], lib(&changes))] {
        let files = [("src/lib.rs", text.as_str()), (".cargo_vcs_info.json", &info(id))];
        let _ = fs::remove_dir_all(fixture.root.join("vendor/demo-core"));
        fixture.release("demo-core", version, "", &CHECKSUM.replace("aa", sum), &files);
    }
    fixture.replace("patches/forks.toml", "1111111111111111111111111111111111111111", &ids[0]);
    fixture.replace("patches/forks.toml", "{ id = \"b-fast\", short = \"b\", ships = false },", "");
    fixture.ok(&["edit", "demo-core"]);
    fixture.edit_file("src/lib.rs", "line 2\n", "line 2\n// log\n");
    fixture.commit("log", "Log");
    fixture.ok(&["export"]);
    fixture.ok(&["edit", "demo-core", "--patch", "a-fast"]);
    fixture.edit_file("src/lib.rs", "line 10\n", "line 10, fast\n");
    fixture.commit("a-fast", "Fast");
    fixture.ok(&["export"]);
    fixture.ok(&["apply"]);
    fixture.lock();
    (fixture, ids)
}

#[test]
fn a_conflict_is_bisected_through_upstreams_history() {
    let (fixture, ids) = with_clone();
    let args = ["rebase", "demo-core", "--to", "1.1.0", "--bisect", "clone"];
    fixture.fails(
        &args,
        1,
        &["a-fast: conflicts in src/lib.rs since", &ids[3], "Upstream's change 3", "of the 4 commits"],
    );
    let said = fixture.ok(&[&args[..], &["--patch", "log"]].concat());
    assert!(said.contains("no commit between 1.0.0 and 1.1.0"), "{said}");
    fixture.fails(&[&args[..5], &["vendor"]].concat(), 1, &["no clone of a git repository", "git clone"]);
    assert!(!fixture.root.join("clone/.git/index.lock").exists());
}

#[test]
fn flags_of_a_new_rebase_are_refused_with_the_others() {
    let fixture = conflicting();
    fixture.fails(&["rebase", "demo-core", "--to", "1.1.0"], 1, STOPPED);
    let before = state(&fixture);
    for way in ["--continue", "--skip", "--abort"] {
        for flag in [&["--dry-run"][..], &["--with", "a@1.0.0"], &["--bisect", "x"]] {
            fixture.fails(&[&["rebase", "demo-core", way], flag].concat(), 2, &["cannot be used with"]);
        }
    }
    assert_eq!(state(&fixture), before);
}

#[test]
fn work_that_is_no_part_of_the_merge_is_kept() {
    // The release has the patch: there is nothing to merge, and the folder is the user's.
    let lib = lib(&[("// line 10\n", "// line 10, fast\n")]);
    let fixture = with_release("1.1.0", &lib, &[("src/fast/new.rs", "// new\n")]);
    fixture.fails(&["rebase", "demo-core", "--to", "1.1.0"], 1, &["already upstream"]);
    fixture.write(&format!("{FOLDER}/notes.rs"), "mine");
    for way in ["--skip", "--abort", "--continue"] {
        fixture.fails(&["rebase", "demo-core", way], 1, &["untracked: notes.rs", "keep it:"]);
    }
    assert_eq!(fixture.read(&format!("{FOLDER}/notes.rs")), "mine");
    fs::remove_file(fixture.root.join(FOLDER).join("notes.rs")).unwrap();
    fixture.ok(&["rebase", "demo-core", "--skip"]);

    // Commits on another branch while a merge waits.
    let fixture = conflicting();
    fixture.fails(&["rebase", "demo-core", "--to", "1.1.0"], 1, STOPPED);
    fixture.git(&["branch", "-f", "patch/b-fast", "main~1"]);
    for way in ["--skip", "--abort", "--continue"] {
        fixture.fails(&["rebase", "demo-core", way], 1, &["commits on branch patch/b-fast", "git branch keep"]);
    }
    fixture.git(&["branch", "-f", "patch/b-fast", "refs/forks/patch/b-fast"]);
    fixture.ok(&["rebase", "demo-core", "--abort"]);
}

#[test]
fn a_merge_stands_on_the_patches_below_it() {
    let fixture = conflicting();
    fixture.fails(&["rebase", "demo-core", "--to", "1.1.0"], 1, STOPPED);
    fixture.git(&["reset", "-q", "--hard", "HEAD~1"]);
    fixture.edit_file("src/lib.rs", "line ten", "line ten, fast");
    fixture.git(&["add", "-A"]);
    fixture.fails(&["rebase", "demo-core", "--continue"], 1, &["at most one commit on top"]);
    fixture.ok(&["rebase", "demo-core", "--abort"]);
}

#[test]
fn the_tools_own_folder_may_go_and_markers_of_the_release_stay() {
    let marked = |line: &str| lib(&[("// line 10\n", line), ("// line 30\n", "<<<<<<< not a conflict\n")]);
    let fixture = with_release("1.1.0", &marked("// line ten\n"), &[]);
    fixture.replace("patches/forks.toml", "    { id = \"b-fast\", short = \"b\", ships = false },\n", "");
    fs::remove_file(fixture.root.join("patches/demo-core/b-fast.patch")).unwrap();
    fixture.ok(&["apply"]);
    fixture.fails(&["rebase", "demo-core", "--to", "1.1.0"], 1, STOPPED);
    let merged = marked("// line ten, fast\n").replace("// line 2\n", "// line 2\n// log\n");
    fixture.write(&format!("{FOLDER}/src/lib.rs"), &merged);
    fixture.git(&["add", "-A"]);
    fs::remove_dir_all(fixture.root.join("target")).unwrap();
    fixture.ok(&["rebase", "demo-core", "--continue"]);
    locked_and_verified(&fixture);
}
