//! `vendor`: the forks in somebody else's workspace.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::SystemTime;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::fixture::{CHECKSUM, FOLDER, Fixture};

const TO: &[&str] = &["vendor", "--to", "out"];
const CHECK: &[&str] = &["vendor", "--to", "out", "--check"];

/// Puts a file into the release, as if upstream had it.
fn release_has(fixture: &Fixture, path: &str, text: &str) {
    fixture.write(&format!("vendor/demo-core/{path}"), text);
    let list = "vendor/demo-core/.cargo-checksum.json";
    let mut sums: Value = serde_json::from_str(&fixture.read(list)).unwrap();
    let sum: String = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    sums["files"][path] = sum.into();
    fixture.write(list, &sums.to_string());
}

/// Somebody else's workspace beside the repository, with the registry that the repository has.
fn other_workspace(fixture: &Fixture, patch: &str) -> PathBuf {
    let registry = fixture.root.join("vendor").canonicalize().unwrap();
    let top = "../other";
    let config = "[source.crates-io]\nreplace-with = \"v\"\n[source.v]\ndirectory = \"DIR\"\n[net]\noffline = true\n";
    fixture.write(&format!("{top}/.cargo/config.toml"), &config.replace("DIR", &registry.display().to_string()));
    let manifest = "[package]\nname = \"theirs\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\
                    [dependencies]\ndemo-user = \"0.1\"\n[workspace]\nexclude = [\"patched\"]\n";
    fixture.write(&format!("{top}/Cargo.toml"), &format!("{manifest}{patch}"));
    fixture.write(&format!("{top}/src/lib.rs"), "");
    fixture.root.join(top)
}

fn cargo(folder: &PathBuf, args: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).args(args).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn another_workspace_takes_the_fork_and_nothing_else() {
    let fixture = Fixture::ready();
    // First without: there is a registry copy to be ousted.
    let theirs = other_workspace(&fixture, "");
    let cores = |theirs: &PathBuf| -> Vec<Value> {
        let graph: Value = serde_json::from_str(&cargo(theirs, &["metadata", "--format-version", "1"])).unwrap();
        let packages = graph["packages"].as_array().unwrap().iter();
        packages.filter(|package| package["name"] == "demo-core").cloned().collect()
    };
    assert_ne!(cores(&theirs)[0]["source"], Value::Null);
    fixture.ok(&["vendor", "--to", "../other/patched"]);
    let snippet = fs::read_to_string(theirs.join("patched/patch.toml")).unwrap();
    assert!(snippet.contains("[patch.crates-io]\ndemo-core = { path = \"demo-core\" }\n"), "{snippet}");
    other_workspace(&fixture, &snippet.replace("path = \"", "path = \"patched/"));
    // Cargo.lock names the release: the third step of the README.
    cargo(&theirs, &["update", "demo-core"]);
    let found = cores(&theirs);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["source"], Value::Null);
    let manifest = PathBuf::from(found[0]["manifest_path"].as_str().unwrap());
    assert_eq!(manifest.canonicalize().unwrap(), theirs.join("patched/demo-core/Cargo.toml").canonicalize().unwrap());
    assert!(!fs::read_to_string(theirs.join("Cargo.lock")).unwrap().contains("patch.unused"));
    let tree = cargo(&theirs, &["tree", "--invert", "demo-core@1.0.0"]);
    assert!(tree.starts_with("demo-core v1.0.0 (/") && tree.contains("patched/demo-core)"), "{tree}");
    assert!(
        fs::read_to_string(theirs.join("patched/README.md")).unwrap().contains("cargo tree --invert demo-core@1.0.0\n")
    );
    cargo(&theirs, &["check", "--quiet"]);
    // What cargo left in there is none of ours.
    fixture.ok(&["vendor", "--to", "../other/patched", "--check"]);
}

#[test]
fn the_notice_says_what_was_changed_and_by_whom() {
    let fixture = Fixture::ready();
    fixture.ok(TO);
    let notice = fixture.read("out/demo-core/PATCHES.md");
    for words in [
        "# demo-core 1.0.0, modified\n",
        CHECKSUM,
        &"1".repeat(40),
        "https://example.com/demo",
        "- licence: none named in its Cargo.toml; the release has no licence file\n",
        "- modified by: An Author\n",
        "- Log what happens: größer als nichts: [`log`](patches/log.patch), Upstream-Status: Pending\n",
        "[`a-fast`](patches/a-fast.patch)",
        "section 4(b) of the Apache License 2.0",
        "- `src/fast/new.rs`: added by `a-fast`\n",
        "- `src/lib.rs`: changed by `log`, `a-fast`\n",
    ] {
        assert!(notice.contains(words), "no {words:?} in {notice}");
    }
    assert!(!notice.contains("README.md") && !notice.contains("b-fast"), "{notice}");
    let patches = fixture.files("out/demo-core/patches");
    assert_eq!(patches.keys().collect::<Vec<_>>(), ["a-fast.patch", "log.patch"]);
    assert_eq!(patches["log.patch"], fixture.files("patches/demo-core")["log.patch"]);
}

#[test]
fn licences_come_along_and_toolchains_do_not() {
    let fixture = Fixture::ready();
    for (path, text) in [
        ("LICENSE-MIT", "free\n"),
        ("Copying", "too\n"),
        ("rust-toolchain", "1.64.0\n"),
        ("inner/rust-toolchain.toml", "[toolchain]\nchannel = \"1.64.0\"\n"),
    ] {
        release_has(&fixture, path, text);
    }
    let manifest = fixture.read("vendor/demo-core/Cargo.toml");
    release_has(&fixture, "Cargo.toml", &format!("{manifest}license = \"MIT OR Apache-2.0\"\n"));
    fixture.ok(TO);
    assert_eq!(fixture.read("out/demo-core/LICENSE-MIT"), "free\n");
    let files = fixture.files("out");
    assert!(!files.keys().any(|path| path.contains("rust-toolchain")), "{:?}", files.keys());
    let notice = fixture.read("out/demo-core/PATCHES.md");
    assert!(notice.contains("- licence: MIT OR Apache-2.0 (its Cargo.toml); `Copying`, `LICENSE-MIT`\n"), "{notice}");
    assert!(notice.contains("## Left out\n") && notice.contains("- `inner/rust-toolchain.toml`\n"), "{notice}");
}

#[test]
fn a_fork_without_shipped_patches_says_so() {
    let fixture = Fixture::ready();
    fixture.ok(&["drop", "demo-core", "a-fast", "--shipped"]);
    fixture.ok(&["drop", "demo-core", "log", "--shipped"]);
    fixture.ok(TO);
    let notice = fixture.read("out/demo-core/PATCHES.md");
    assert!(notice.contains("# demo-core 1.0.0, unmodified\n") && notice.contains("No patch on it ships"), "{notice}");
    assert!(!notice.contains("modified by") && !fixture.root.join("out/demo-core/patches").exists());
    assert_eq!(fixture.read("out/demo-core/src/lib.rs"), fixture.read("vendor/demo-core/src/lib.rs"));
}

#[test]
fn pins_and_patches_decide_not_the_folder() {
    let fixture = Fixture::ready();
    fixture.ok(TO);
    fixture.edit_file("src/lib.rs", "line 3\n", "mine\n");
    fs::create_dir_all(fixture.root.join("again")).unwrap();
    fixture.ok(&["vendor", "--to", "again"]);
    let files = fixture.files("out");
    assert_eq!(fixture.files("again"), files);
    assert!(!files.keys().any(|path| path.contains(".git/")));
    let text = String::from_utf8(files["demo-core/src/lib.rs"].clone()).unwrap();
    assert!(text.contains("// log") && text.contains("10, fast") && !text.contains("30, faster"), "{text}");
    assert_eq!(fixture.read("out/demo-core/src/windows.txt"), "one\r\ntwo\r\n");
}

fn modified(fixture: &Fixture) -> BTreeMap<String, SystemTime> {
    let time = |path: &String| fs::metadata(fixture.root.join("out").join(path)).unwrap().modified().unwrap();
    fixture.files("out").keys().map(|path| (path.clone(), time(path))).collect()
}

#[test]
fn only_what_differs_is_written_and_what_is_stale_goes() {
    let fixture = Fixture::ready();
    fixture.ok(TO);
    let before = modified(&fixture);
    assert_eq!(fixture.ok(TO), "out: up to date\n");
    assert_eq!(modified(&fixture), before);
    fixture.write("out/demo-core/target/kept", "by cargo");
    fixture.write("out/demo-core/Cargo.lock", "by cargo");
    fixture.write("out/mine.md", "mine");
    fixture.replace("patches/forks.toml", "short = \"a\", ships = true", "short = \"a\", ships = false");
    // a's file, a's patch; the library, the notice.
    assert_eq!(fixture.ok(TO), "out: 4 files written or removed\n");
    let after = modified(&fixture);
    let same: Vec<&String> = before.keys().filter(|path| after.get(*path) == before.get(*path)).collect();
    assert_eq!(
        before.keys().filter(|path| !same.contains(path)).collect::<Vec<_>>(),
        ["demo-core/PATCHES.md", "demo-core/patches/a-fast.patch", "demo-core/src/fast/new.rs", "demo-core/src/lib.rs"]
    );
    assert!(!fixture.root.join("out/demo-core/src/fast").exists());
    assert_eq!(fixture.read("out/demo-core/target/kept"), "by cargo");
    assert_eq!(fixture.read("out/demo-core/Cargo.lock"), "by cargo");
    assert_eq!(fixture.read("out/mine.md"), "mine");
    fixture.ok(CHECK);
}

#[test]
fn check_finds_every_difference_and_writes_nothing() {
    let fixture = Fixture::ready();
    fixture.fails(CHECK, 1, &["out/demo-core/Cargo.toml: deleted", "mend: cargo xtask vendor --to out"]);
    assert!(!fixture.root.join("out").exists());
    fixture.ok(TO);
    assert_eq!(fixture.ok(CHECK), "out: up to date\n");
    let good = fixture.files("out");
    let faults: [(&dyn Fn(), &str); 4] = [
        (&|| fixture.replace("out/demo-core/src/lib.rs", "line 3\n", "mine\n"), "out/demo-core/src/lib.rs: modified"),
        (&|| fs::remove_file(fixture.root.join("out/patch.toml")).unwrap(), "out/patch.toml: deleted"),
        (&|| fixture.write("out/demo-core/src/bin/x.rs", ""), "out/demo-core/src/bin/x.rs: not part of it"),
        (&|| fixture.write("out/demo-core/rust-toolchain", "1.64.0"), "out/demo-core/rust-toolchain: not part of it"),
    ];
    for (plant, word) in faults {
        plant();
        let bad = fixture.files("out");
        fixture.fails(CHECK, 1, &[word]);
        assert_eq!(fixture.files("out"), bad);
        fixture.ok(TO);
        assert_eq!(fixture.files("out"), good);
    }
}

#[test]
fn other_peoples_files_are_not_overwritten() {
    let fixture = Fixture::ready();
    fixture.write("out/demo-core/src/lib.rs", "mine");
    let before = fixture.files("out");
    for args in [TO, CHECK] {
        fixture.fails(
            args,
            2,
            &["out holds files, and `cargo xtask vendor` did not write them", "a new or an empty folder"],
        );
    }
    assert_eq!(fixture.files("out"), before);
    fixture.fails(&["vendor"], 2, &["--to"]);
}

#[test]
fn a_half_written_folder_is_finished() {
    let fixture = Fixture::ready();
    fixture.ok(TO);
    let good = fixture.files("out");
    // As a kill leaves it: the mark, a file of each kind, and one that was not in place yet.
    fs::remove_dir_all(fixture.root.join("out/demo-core/src")).unwrap();
    fs::remove_file(fixture.root.join("out/README.md")).unwrap();
    fixture.write("out/.vendored-by-xtask-unfinished/new-1", "half");
    fixture.ok(TO);
    assert_eq!(fixture.files("out"), good);
    fixture.write("out/.vendored-by-xtask-unfinished/new-1", "half");
    fixture.ok(TO);
    assert_eq!(fixture.files("out"), good);
}

#[test]
fn a_crate_that_is_no_fork_any_more_goes() {
    let fixture = Fixture::ready();
    fixture.ok(TO);
    let good = fixture.files("out");
    let mark = fixture.read("out/.vendored-by-xtask");
    fixture.write("out/.vendored-by-xtask", &format!("{mark}once-a-fork\n"));
    fixture.write("out/once-a-fork/src/lib.rs", "");
    fixture.write("out/once-a-fork/PATCHES.md", &fixture.read("out/demo-core/PATCHES.md"));
    fixture.write("out/never-a-fork/src/lib.rs", "");
    fixture.fails(CHECK, 1, &["out/once-a-fork/src/lib.rs: not part of it"]);
    fixture.ok(TO);
    assert!(fixture.root.join("out/never-a-fork/src/lib.rs").exists());
    fs::remove_dir_all(fixture.root.join("out/never-a-fork")).unwrap();
    assert_eq!(fixture.files("out"), good);
}

#[test]
fn a_patch_without_a_file_is_not_left_out_in_silence() {
    let fixture = Fixture::ready();
    fixture.ok(&["new", "demo-core", "c-fast"]);
    fixture.ok(TO);
    fixture.ok(&["new", "demo-core", "more", "--enabling"]);
    fixture.fails(CHECK, 1, &["patch `more` of demo-core has no file yet"]);
    assert!(fixture.root.join(FOLDER).join("src/lib.rs").exists());
}

#[test]
fn a_fork_with_a_name_of_its_own_is_the_same_crate() {
    let fixture = Fixture::ready();
    fixture.replace("patches/forks.toml", "crate = ", "name = \"demo-one\"\ncrate = ");
    fixture.replace("patches/forks.toml", "forks = [\"demo-core\"]", "forks = [\"demo-one\"]");
    fs::rename(fixture.root.join("patches/demo-core"), fixture.root.join("patches/demo-one")).unwrap();
    let theirs = other_workspace(&fixture, "");
    fixture.ok(&["vendor", "--to", "../other/patched"]);
    assert!(fixture.read("../other/patched/demo-one/PATCHES.md").starts_with("# demo-core 1.0.0, modified\n"));
    let snippet = fixture.read("../other/patched/patch.toml");
    assert!(snippet.contains("demo-one = { package = \"demo-core\", path = \"demo-one\" }"), "{snippet}");
    other_workspace(&fixture, &snippet.replace("path = \"", "path = \"patched/"));
    let tree = cargo(&theirs, &["tree", "--invert", "demo-core@1.0.0"]);
    assert!(tree.contains("patched/demo-one)"), "{tree}");
    // The series is edited under that name, too.
    let before = fixture.files("patches");
    fixture.ok(&["new", "demo-one", "c-fast"]);
    fixture.ok(&["drop", "demo-one", "c-fast"]);
    assert_eq!(fixture.files("patches"), before);
}

#[test]
#[cfg(unix)]
fn nothing_is_written_through_a_link() {
    let fixture = Fixture::ready();
    fixture.ok(TO);
    fixture.write("mine/work.rs", "mine");
    std::fs::remove_dir_all(fixture.root.join("out/demo-core")).unwrap();
    std::os::unix::fs::symlink("../mine", fixture.root.join("out/demo-core")).unwrap();
    fixture.fails(TO, 2, &["out/demo-core", "symbolic link"]);
    assert_eq!(fixture.files("mine").len(), 1);
}
