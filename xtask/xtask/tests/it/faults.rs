//! Every fault that `verify` promises to find, planted and found; without one, it is clean.

use std::fs;

use serde_json::Value;

use crate::fixture::{CHECKSUM, FOLDER, Fixture, message};

/// Runs `verify --json`, which must find something, by `check` and with `words` in message or fix.
fn finds(fixture: &Fixture, check: &str, words: &[&str]) -> Value {
    let said = fixture.xtask(&["verify", "--json"]);
    assert_eq!(said.code, 1, "{}", said.all());
    let report: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(report["ok"], false);
    let findings = report["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| {
        let text = format!("{} {}", finding["message"], finding["fix"]);
        finding["check"] == check && words.iter().all(|word| text.contains(word))
    });
    found.unwrap_or_else(|| panic!("no `{check}` with {words:?}: {}", said.all())).clone()
}

const A: &str = "patches/demo-core/a-fast.patch";

#[test]
fn without_a_fault_it_is_clean() {
    let fixture = Fixture::ready();
    let report: Value = serde_json::from_str(&fixture.ok(&["verify", "--json"])).unwrap();
    assert_eq!((&report["ok"], &report["findings"]), (&serde_json::json!(true), &serde_json::json!([])));
    assert_eq!(report["evidence"][1]["patch"], "b-fast");
    let (a, b) = ("evidence demo-core a-fast: none", "evidence demo-core b-fast: none");
    assert_eq!(fixture.ok(&["verify"]), format!("{a}\n{b}\nall is well\n"));
}

#[test]
fn a_folder_that_is_missing_is_laid_out_first() {
    let fixture = Fixture::ready();
    fs::remove_dir_all(fixture.root.join("extern")).unwrap();
    fs::remove_dir_all(fixture.root.join("target")).unwrap();
    fixture.ok(&["verify"]);
    assert!(fixture.root.join(FOLDER).join("src/fast/new.rs").is_file());
}

#[test]
fn an_edited_file_in_a_folder() {
    let fixture = Fixture::ready();
    fixture.edit_file("src/lib.rs", "line 3\n", "line three\n");
    finds(&fixture, "folder", &["modified: src/lib.rs", "apply --discard demo-core", "export demo-core"]);
    fixture.edit_file("src/lib.rs", "line three\n", "line 3\n");
    fixture.ok(&["verify"]);
    // The user's git may be told to look away; `verify` is not.
    fixture.git(&["update-index", "--assume-unchanged", "README.md"]);
    fixture.edit_file("README.md", "demo", "mine");
    finds(&fixture, "folder", &["modified: README.md"]);
    fixture.edit_file("README.md", "mine", "demo");
    fixture.write(&format!("{FOLDER}/build.rs"), "fn main() {}");
    finds(&fixture, "folder", &["untracked: build.rs"]);
    fs::remove_file(fixture.root.join(FOLDER).join("build.rs")).unwrap();
    fs::remove_file(fixture.root.join(FOLDER).join("README.md")).unwrap();
    finds(&fixture, "folder", &["deleted: README.md"]);
}

#[test]
fn a_patch_file_in_no_series() {
    let fixture = Fixture::ready();
    fixture.write("patches/demo-core/lost.patch", "");
    let finding = finds(&fixture, "series", &["lost.patch is in no series"]);
    assert_eq!((&finding["fork"], &finding["patch"]), (&"demo-core".into(), &"lost".into()));
    fs::remove_file(fixture.root.join("patches/demo-core/lost.patch")).unwrap();
    fixture.write("patches/no-fork/x.patch", "");
    finds(&fixture, "series", &["patches/no-fork belongs to no fork"]);
}

#[test]
fn a_patch_file_that_was_cut() {
    let fixture = Fixture::ready();
    let text = fixture.read(A);
    let second_file = text.rfind("diff --git").unwrap();
    for at in [second_file, text.len() - 8, text.len() - 2] {
        fixture.write(A, &text[..at]);
        finds(&fixture, "header", &["was cut", "git checkout -- patches/demo-core/a-fast.patch"]);
        fixture.fails(&["apply"], 1, &["a-fast.patch", "was cut"]);
    }
    fixture.write(A, &text[..text.len() - 1]);
    finds(&fixture, "form", &["a-fast.patch is not in the form"]);
}

#[test]
#[cfg(unix)]
fn a_patch_file_that_is_no_file() {
    let fixture = Fixture::ready();
    fs::remove_file(fixture.root.join(A)).unwrap();
    std::os::unix::fs::symlink("/dev/zero", fixture.root.join(A)).unwrap();
    finds(&fixture, "header", &["no plain file"]);
    fixture.fails(&["apply"], 1, &["a-fast.patch: it is no plain file"]);
}

#[test]
fn json_says_why_there_is_no_verdict() {
    let fixture = Fixture::ready();
    fixture.write("patches/forks.toml", "[[fork]]\ncrate = 1\n");
    let said = fixture.xtask(&["verify", "--json"]);
    let report: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((said.code, &report["ok"], &report["findings"][0]["check"]), (2, &false.into(), &"stopped".into()));
    assert!(report["findings"][0]["message"].as_str().unwrap().contains("forks.toml"), "{}", said.all());
}

#[test]
fn a_series_entry_without_a_file() {
    let fixture = Fixture::ready();
    fs::remove_file(fixture.root.join(A)).unwrap();
    let finding = finds(&fixture, "series", &["names `a-fast`", "no patches/demo-core/a-fast.patch"]);
    assert_eq!(finding["patch"], "a-fast");
}

#[test]
fn a_wrong_checksum() {
    let fixture = Fixture::ready();
    let wrong = CHECKSUM.replace("aa", "ab");
    fixture.replace("patches/forks.toml", CHECKSUM, &wrong);
    finds(&fixture, "checksum", &[".cargo-checksum.json", &wrong, CHECKSUM, "into the pin"]);
    fixture.fails(&["apply"], 1, &["wrong checksum", &wrong, CHECKSUM]);
    fixture.replace("patches/forks.toml", &wrong, CHECKSUM);
    fixture.ok(&["verify"]);
    fixture.replace("vendor/demo-core/src/lib.rs", "line 3\n", "line three\n");
    // cargo itself notices only when it compiles.
    finds(&fixture, "checksum", &["vendor/demo-core/src/lib.rs", "wrong checksum"]);
    fixture.replace("patches/forks.toml", &"1".repeat(40), &"2".repeat(40));
    fixture.replace("vendor/demo-core/src/lib.rs", "line three\n", "line 3\n");
    finds(&fixture, "pin", &["the pin says commit 2222", "the release says 1111"]);
}

#[test]
fn a_missing_or_wrong_trailer() {
    let fixture = Fixture::ready();
    let good = fixture.read(A);
    for (from, to, word) in [
        ("Patch-Id: a-fast\n", "", "lacks the trailer Patch-Id"),
        ("Patch-Id: a-fast\n", "Patch-Id: a-slow\n", "its Patch-Id is `a-slow`"),
        ("Upstream-Status: Pending\n", "", "lacks the trailer Upstream-Status"),
        ("Upstream-Status: Pending\n", "Upstream-Status: Maybe\n", "none of Pending"),
        ("Upstream-Status: Pending\n", "Upstream-Status: Denied\n", "needs a reason"),
        ("Proof: bit-identical\n", "", "lacks the trailer Proof"),
        ("Proof: bit-identical\n", "Proof: close\n", "not `bit-identical`"),
        ("Prediction: wall time\n  -1 %\n", "", "lacks the trailer Prediction"),
        ("Proof: bit-identical\n", "Proof: bit-identical\nRequires: c\n", "Requires names `c`"),
    ] {
        fixture.write(A, &good.replace(from, to));
        let finding = finds(&fixture, "header", &[word, "--patch a-fast"]);
        assert_eq!(finding["patch"], "a-fast");
    }
    fixture.write(A, &good.replace("Date: ", "Dated: "));
    finds(&fixture, "header", &["lacks `Date:`"]);
}

#[test]
fn a_patch_that_changes_nothing() {
    let fixture = Fixture::ready();
    let text = fixture.read(A);
    fixture.write(A, &(text[..text.find("diff --git").unwrap()].to_owned() + "-- \nend\n\n"));
    let finding = finds(&fixture, "empty", &["it changes nothing"]);
    assert_eq!(finding["patch"], "a-fast");
    // The same change in two patches: each changes something alone, the second nothing on top of the first.
    fixture.write(A, &text);
    fixture.write("patches/demo-core/b-fast.patch", &text.replace("Patch-Id: a-fast", "Patch-Id: b-fast"));
    let finding = finds(&fixture, "empty", &["it changes nothing on top of a-fast"]);
    assert_eq!(finding["patch"], "b-fast");
}

#[test]
fn a_patch_that_does_not_fit_its_base_exactly() {
    let fixture = Fixture::ready();
    let good = fixture.read(A);
    // Another line of context elsewhere in the file: an offset would place it.
    fixture.write(A, &good.replace("@@ -10,3 +10,3 @@", "@@ -9,3 +9,3 @@"));
    finds(&fixture, "form", &["not in the form"]);
    let index = good.lines().filter(|line| line.starts_with("index ")).nth(1).unwrap();
    let before = &index[6..46];
    fixture.write(A, &good.replace(before, &"1".repeat(40)));
    finds(&fixture, "layout", &["does not apply exactly", "src/lib.rs"]);
    fixture.write(A, &good.replace("-// line 10\n", "-// line ten\n"));
    finds(&fixture, "layout", &["does not apply exactly"]);
}

#[test]
fn an_admissible_set_that_does_not_lay_out() {
    let fixture = Fixture::ready();
    fixture.ok(&["edit", "demo-core", "--patch", "b-fast"]);
    fixture.edit_file("src/lib.rs", "line 10\n", "line 10, faster\n");
    fixture.amend();
    fixture.ok(&["export", "demo-core"]);
    let finding = finds(&fixture, "subset", &["a-fast + b-fast does not lay out", "src/lib.rs", "Excludes:"]);
    assert_eq!(finding["patch"], "b-fast");
    fixture.git(&["commit", "-q", "--amend", "-m", &(message("b-fast", "Make b fast") + "\nExcludes: a-fast")]);
    fixture.ok(&["export", "demo-core"]);
    fixture.ok(&["apply"]);
    fixture.ok(&["verify"]);
}

#[test]
fn a_registry_copy_in_the_graph() {
    let fixture = Fixture::ready();
    fixture.replace("Cargo.toml", "demo-core = { path = \"extern/demo-core\" }", "");
    fixture.lock();
    finds(&fixture, "graph", &["build `cpu`", "not the fork: demo-core 1.0.0 from registry", "app 0.1.0 requires ^1"]);
    finds(&fixture, "graph", &["the fork in extern/demo-core is not in the graph"]);
}

#[test]
fn what_builds_have_in_common_is_told_once() {
    let fixture = Fixture::ready();
    let build = "[[build]]\nname = \"gpu\"\npackage = \"app\"\nforks = [\"demo-core\"]\n";
    fixture.write("patches/forks.toml", &(fixture.read("patches/forks.toml") + build));
    fixture.replace("Cargo.toml", "demo-core = { path = \"extern/demo-core\" }", "");
    fixture.lock();
    let said = fixture.xtask(&["verify"]);
    assert_eq!(said.code, 1, "{}", said.all());
    for line in
        ["builds `cpu`, `gpu`: a copy is in the graph", "builds `cpu`, `gpu`: the fork in", "demo-user 0.1.0 requires"]
    {
        assert_eq!(said.out.matches(line).count(), 1, "`{line}`: {}", said.all());
    }
    // What only one of them has is told of that one.
    fixture.replace(
        "Cargo.toml",
        "[patch.crates-io]\n",
        "[patch.crates-io]\ndemo-core = { path = \"extern/demo-core\" }\n",
    );
    fixture.lock();
    fixture.replace(
        "patches/forks.toml",
        "name = \"gpu\"\npackage = \"app\"\nforks = [\"demo-core\"]",
        "name = \"gpu\"\npackage = \"app\"\nforks = []",
    );
    finds(&fixture, "graph", &["build `gpu`: it uses the fork, but does not name it"]);
}

#[test]
fn a_second_version_beside_the_fork() {
    let fixture = Fixture::ready();
    fixture.replace("app/Cargo.toml", "demo-core = \"1\"", "demo-core = \"2\"");
    fixture.lock();
    finds(&fixture, "graph", &["demo-core 2.0.0 from registry", "app 0.1.0 requires ^2", "does not meet"]);
}

#[test]
fn an_unused_patch() {
    let fixture = Fixture::ready();
    fixture.replace("app/Cargo.toml", "demo-core = \"1\"\ndemo-user = \"0.1\"", "demo-core = \"2\"");
    fixture.lock();
    finds(&fixture, "graph", &["[[patch.unused]] demo-core 1.0.0"]);
    finds(&fixture, "graph", &["is not in the graph"]);
}

#[test]
fn a_fork_that_is_a_member() {
    let fixture = Fixture::ready();
    fixture.replace("Cargo.toml", "[\"app\"]\nexclude = [\"extern\"]", "[\"app\", \"extern/demo-core\"]");
    fixture.lock();
    finds(&fixture, "graph", &["is a member of the workspace"]);
}

#[test]
fn no_normal_dependency_on_the_fork() {
    let fixture = Fixture::ready();
    fixture.replace("app/Cargo.toml", "[dependencies]\n", "[dev-dependencies]\n");
    fixture.lock();
    finds(&fixture, "graph", &["no normal dependency leads from app"]);
}

#[test]
fn another_version_than_the_pin() {
    let fixture = Fixture::ready();
    fixture.edit_file("Cargo.toml", "1.0.0", "1.0.1");
    fixture.lock();
    finds(&fixture, "graph", &["the fork has version 1.0.1, its pin says 1.0.0"]);
}

#[test]
fn a_stale_lock_file() {
    let fixture = Fixture::ready();
    fixture.replace("app/Cargo.toml", "demo-user = \"0.1\"\n", "");
    finds(&fixture, "graph", &["could not resolve the build `cpu`", "--locked"]);
}

#[test]
fn evidence_is_asked_for_only_when_told_to() {
    let fixture = Fixture::ready();
    fixture.fails(&["verify", "--evidence"], 1, &["evidence demo-core a-fast: it has no evidence", "+a"]);
    fixture.write("evidence/w/d/x.json", "no receipt");
    fixture.fails(&["verify", "--evidence"], 1, &["x.json is no receipt"]);
    let status: Value = serde_json::from_str(&fixture.ok(&["status", "--json"])).unwrap();
    assert_eq!(status[0]["patches"][1]["evidence"]["state"], "none");
    assert_eq!(status[0]["used_by"][0], "cpu");
    assert_eq!(status[0]["drift"].as_array().unwrap().len(), 0);
}

#[test]
fn wrong_usage_is_told_apart() {
    let fixture = Fixture::ready();
    fixture.fails(&["apply", "no-fork"], 2, &["no fork", "demo-core"]);
    fixture.fails(&["frobnicate"], 2, &["unrecognized"]);
    fixture.replace("patches/forks.toml", "short = \"b\"", "short = \"a\"");
    fixture.fails(&["status"], 2, &["forks.toml", "two patches"]);
}
