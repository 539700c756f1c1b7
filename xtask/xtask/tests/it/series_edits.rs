//! `new` and `drop`: a patch's way into the series and out of it.

use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Instant;

use sha2::{Digest, Sha256};

use crate::fixture::{FOLDER, Fixture, message};

const PINS: &str = "patches/forks.toml";
const JOURNAL: &str = "patches/.unfinished.json";

/// Everything that these verbs may change.
fn all(fixture: &Fixture) -> (impl PartialEq + std::fmt::Debug + use<>, impl PartialEq + std::fmt::Debug + use<>) {
    (fixture.files("patches"), fixture.files(FOLDER))
}

/// Starts `c-fast` with everything said.
fn start(fixture: &Fixture) -> String {
    let words = ["--subject", "Make c fast", "--upstream-status", "Submitted https://example.com/1"];
    fixture.ok(&[&["new", "demo-core", "c-fast", "--prediction", "wall time -2 %"][..], &words].concat())
}

/// Runs a verb that must fail and change nothing.
fn refuses(fixture: &Fixture, args: &[&str], code: i32, words: &[&str]) {
    let before = (all(fixture), fixture.git(&["for-each-ref"]));
    fixture.fails(args, code, words);
    assert_eq!((all(fixture), fixture.git(&["for-each-ref"])), before, "{args:?} changed something");
}

fn branch(fixture: &Fixture) -> String {
    fixture.git(&["branch", "--show-current"]).trim().to_owned()
}

#[test]
fn a_patch_comes_and_goes_and_leaves_the_old_bytes() {
    let fixture = Fixture::ready();
    let before = all(&fixture);
    let said = start(&fixture);
    assert_eq!(
        said,
        "Make c fast\n\nPatch-Id: c-fast\nUpstream-Status: Submitted https://example.com/1\nProof: bit-identical\n\
         Prediction: wall time -2 %\n"
    );
    assert_eq!(branch(&fixture), "patch/c-fast");
    assert!(fixture.read(PINS).contains("    { id = \"c-fast\", short = \"c\", ships = false },\n]"));
    fixture.edit_file("src/lib.rs", "line 20\n", "line 20, c\n");
    fixture.git(&["commit", "-qa"]);
    assert_eq!(fixture.git(&["log", "-1", "--format=%B"]).trim(), said.trim());
    assert!(fixture.ok(&["export", "demo-core"]).contains("c-fast.patch: written"));
    fixture.ok(&["apply"]);
    fixture.ok(&["verify"]);
    assert_ne!(all(&fixture), before);
    assert!(fixture.ok(&["drop", "demo-core", "c-fast"]).contains("c-fast.patch: removed"));
    assert_eq!(all(&fixture), before);
    assert_eq!(fixture.git(&["branch", "--list", "patch/c-fast"]), "");
    fixture.ok(&["verify"]);
}

#[test]
fn an_enabling_patch_starts_on_main() {
    let fixture = Fixture::ready();
    let before = all(&fixture);
    fixture.ok(&["edit", "demo-core", "--patch", "b-fast"]);
    let said = fixture.ok(&["new", "demo-core", "more", "--enabling", "--subject", "More to build on"]);
    assert!(!said.contains("Prediction"), "{said}");
    assert_eq!(branch(&fixture), "main");
    assert!(fixture.read(PINS).contains("enabling = [\"log\", \"more\"]"));
    fixture.edit_file("src/lib.rs", "line 20\n", "line 20, more\n");
    fixture.git(&["commit", "-qa"]);
    fixture.ok(&["export", "demo-core"]);
    fixture.ok(&["apply"]);
    fixture.ok(&["verify"]);
    // It lies below the measured ones, which build on it from now on.
    assert!(fixture.git(&["show", "patch/b-fast:src/lib.rs"]).contains("line 20, more"));
    fixture.ok(&["drop", "demo-core", "more", "--shipped"]);
    assert_eq!(all(&fixture), before);
}

#[test]
fn what_was_not_said_is_found_later() {
    let fixture = Fixture::ready();
    let said = fixture.ok(&["new", "demo-core", "c-fast", "--measured", "--short", "cc"]);
    assert_eq!(said, "\n\nPatch-Id: c-fast\nUpstream-Status: Pending\nProof: bit-identical\nPrediction:\n");
    assert!(fixture.read(PINS).contains("short = \"cc\""));
    fixture.edit_file("src/lib.rs", "line 20\n", "line 20, c\n");
    // Committed as it is, the first paragraph is the subject.
    fixture.git(&["commit", "-qa"]);
    fixture.fails(&["export"], 1, &["has no Patch-Id trailer"]);
    fixture.git(&["commit", "-q", "--amend", "-m", &format!("Make c fast{said}")]);
    fixture.ok(&["export"]);
    fixture.fails(&["verify"], 1, &["its trailer Prediction is empty"]);
    // The message was for one commit.
    assert!(!fixture.root.join(FOLDER).join(".git/MERGE_MSG").exists());
}

#[test]
fn a_patch_that_cannot_be_started_changes_nothing() {
    let fixture = Fixture::ready();
    for (args, words) in [
        (&["no-fork", "c-fast"][..], &["`no-fork` is no fork", "demo-core"][..]),
        (&["demo-core", "a-fast"], &["a patch of that id is in the series", "edit demo-core --patch a-fast"]),
        (&["demo-core", "log"], &["a patch of that id is in the series"]),
        (&["demo-core", "log", "--enabling"], &["a patch of that id is in the series"]),
        (&["demo-core", "a-other"], &["`a` is a name of patch `a-fast` of demo-core", "--short NAME"]),
        (&["demo-core", "c-fast", "--short", "b-fast"], &["`b-fast` is a name of patch `b-fast`"]),
        (&["demo-core", "a"], &["`a` is a name of patch `a-fast`"]),
        (&["demo-core", "c fast"], &["`c fast` is no name"]),
        (&["demo-core", "../c"], &["`../c` is no name"]),
        (&["demo-core", "c-fast", "--short", "c+d"], &["`c+d` is no name"]),
        (&["demo-core", "c-fast", "--upstream-status", "Maybe"], &["none of Pending"]),
        (&["demo-core", "c-fast", "--upstream-status", "Denied"], &["needs a reason"]),
        (&["demo-core", "c-fast", "--subject", "one\ntwo"], &["its subject is empty or not one line"]),
        (&["demo-core", "c-fast", "--prediction", " "], &["its prediction is empty"]),
        (&["demo-core", "c-fast", "--enabling", "--short", "c"], &["cannot be used with"]),
        (&["demo-core", "c-fast", "--enabling", "--measured"], &["cannot be used with"]),
    ] {
        refuses(&fixture, &[&["new"], args].concat(), 2, words);
    }
    fixture.write("patches/demo-core/c-fast.patch", "");
    refuses(&fixture, &["new", "demo-core", "c-fast"], 2, &["c-fast.patch is there, and in no series"]);
    fs::remove_file(fixture.root.join("patches/demo-core/c-fast.patch")).unwrap();
    // What does not lay out now would not lay out with one more.
    fixture.replace("patches/demo-core/b-fast.patch", "-// line 30\n", "-// line thirty\n");
    refuses(&fixture, &["new", "demo-core", "c-fast"], 1, &["`b-fast` of demo-core does not apply exactly"]);
}

#[test]
fn work_in_the_folder_is_in_the_way_of_both() {
    let fixture = Fixture::ready();
    let both = |words: &[&str]| {
        refuses(&fixture, &["new", "demo-core", "c-fast"], 1, words);
        refuses(&fixture, &["drop", "demo-core", "b-fast"], 1, words);
    };
    fixture.edit_file("src/lib.rs", "line 3\n", "mine\n");
    both(&["modified: src/lib.rs", "keep it:", "discard it:"]);
    fixture.amend();
    both(&["commits on branch main", "export demo-core"]);
    fixture.git(&["reset", "-q", "--hard", "forks/main"]);
    fixture.write(&format!("{FOLDER}/mine.rs"), "");
    both(&["untracked: mine.rs"]);
}

#[test]
fn a_started_patch_is_taken_up_again() {
    let fixture = Fixture::ready();
    let before = all(&fixture);
    let said = start(&fixture);
    let begun = all(&fixture);
    fixture.git(&["switch", "-q", "main"]);
    assert!(!fixture.root.join(FOLDER).join(".git/MERGE_MSG").exists(), "git keeps the message for another branch");
    assert_eq!(start(&fixture), said);
    assert_eq!((all(&fixture), branch(&fixture).as_str()), (begun, "patch/c-fast"));
    refuses(&fixture, &["new", "demo-core", "c-fast", "--enabling"], 2, &["a patch of that id is in the series"]);
    fixture.ok(&["drop", "demo-core", "c-fast"]);
    assert_eq!(all(&fixture), before);
    // A folder that is not there is laid out.
    fs::remove_dir_all(fixture.root.join("extern")).unwrap();
    start(&fixture);
    fixture.edit_file("src/lib.rs", "line 20\n", "line 20, c\n");
    fixture.git(&["commit", "-qa"]);
    refuses(&fixture, &["new", "demo-core", "c-fast"], 1, &["commits on branch patch/c-fast"]);
}

/// Rewords the measured patch `id`, with a trailer more.
fn add_trailer(fixture: &Fixture, id: &str, trailer: &str) {
    fixture.ok(&["edit", "demo-core", "--patch", id]);
    fixture.git(&["commit", "-q", "--amend", "-m", &format!("{}\n{trailer}", message(id, "Make it fast"))]);
    fixture.ok(&["export", "demo-core"]);
    fixture.ok(&["apply"]);
}

#[test]
fn what_another_patch_requires_stays() {
    let fixture = Fixture::ready();
    add_trailer(&fixture, "b-fast", "Requires: a-fast, log");
    for id in ["a-fast", "log"] {
        refuses(&fixture, &["drop", "demo-core", id, "--shipped"], 1, &["not dropped: it is required by `b-fast`"]);
    }
    fixture.ok(&["drop", "demo-core", "b-fast"]);
    fixture.ok(&["drop", "demo-core", "a-fast", "--shipped"]);
    fixture.ok(&["verify"]);
    fixture.fails(&["drop", "demo-core", "a-fast"], 2, &["`a-fast` is no patch of demo-core; its series has: log"]);
}

#[test]
fn what_ships_is_dropped_only_on_purpose() {
    let fixture = Fixture::ready();
    fixture.write("evidence/w/d/x.json", "{\"arms\":[]}");
    refuses(&fixture, &["drop", "demo-core", "a-fast"], 1, &["it ships", "drop demo-core a-fast --shipped"]);
    refuses(&fixture, &["drop", "demo-core", "log"], 1, &["it is an enabling patch, so it ships", "--shipped"]);
    let said = fixture.ok(&["drop", "demo-core", "a-fast", "--shipped"]);
    assert!(said.contains("laid out without it (1 files written, 1 removed)"), "{said}");
    assert!(!fixture.root.join(FOLDER).join("src/fast").exists());
    assert!(!fixture.read(PINS).contains("a-fast"));
    assert_eq!(fixture.git(&["log", "--format=%s", "main"]).lines().count(), 2);
    assert_eq!(fixture.read("evidence/w/d/x.json"), "{\"arms\":[]}");
    fixture.ok(&["verify"]);
}

#[test]
fn nothing_names_a_dropped_patch_any_more() {
    for named in ["b-fast", "b"] {
        let fixture = Fixture::ready();
        add_trailer(&fixture, "a-fast", "Excludes: b-fast");
        fixture.replace(PINS, "\n[[fork]]", &format!("not-in-all = [\"{named}\"] # why\n\n[[fork]]"));
        fixture.ok(&["verify"]);
        let said = fixture.ok(&["drop", "demo-core", "b-fast"]);
        assert!(said.contains("patches/demo-core/a-fast.patch: written without it"), "{said}");
        assert!(!fixture.read("patches/demo-core/a-fast.patch").contains("Excludes"));
        assert!(fixture.read(PINS).contains("not-in-all = [] # why"));
        fixture.ok(&["verify"]);
    }
}

#[test]
fn patches_on_an_enabling_one_are_carried_over() {
    let fixture = Fixture::ready();
    let said = fixture.ok(&["drop", "demo-core", "log", "--shipped"]);
    for line in [
        "a-fast.patch: written without it",
        "b-fast.patch: written without it",
        "forks.toml: written without it",
        "log.patch: removed",
    ] {
        assert!(said.contains(line), "{said}");
    }
    let lib = fixture.read(&format!("{FOLDER}/src/lib.rs"));
    assert!(!lib.contains("// log") && lib.contains("line 10, fast"), "{lib}");
    fixture.ok(&["export", "--check"]);
    fixture.ok(&["verify"]);
}

#[test]
fn an_enabling_patch_that_others_build_on_stays() {
    let fixture = Fixture::ready();
    fixture.ok(&["edit", "demo-core", "--patch", "b-fast"]);
    fixture.edit_file("src/lib.rs", "// log\n", "// log, faster\n");
    fixture.amend();
    fixture.ok(&["export", "demo-core"]);
    fixture.ok(&["apply"]);
    let words = [
        "`log` was not dropped",
        "`b-fast` does not lay out without it",
        "src/lib.rs",
        "edit demo-core --patch b-fast",
    ];
    refuses(&fixture, &["drop", "demo-core", "log", "--shipped"], 1, &words);
    assert!(!fixture.root.join(JOURNAL).exists());
    fixture.ok(&["verify"]);
}

#[test]
fn a_killed_drop_is_the_old_state_or_finished_by_the_next_verb() {
    let fixture = Fixture::ready();
    let old = all(&fixture);
    let done = fixture.copy();
    let start = Instant::now();
    let args = ["drop", "demo-core", "log", "--shipped"];
    done.ok(&args);
    let whole = start.elapsed();
    let new = all(&done);
    let (mut caught, rounds) = (0, 10);
    for round in 0..rounds {
        let fixture = fixture.copy();
        let mut child = fixture.command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        sleep(whole * round / rounds);
        caught += u32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        let half = all(&fixture) != old;
        let said = fixture.xtask(&args);
        // Once all of it is done, there is no such patch.
        assert!(said.code == 0 || (half && said.code == 2), "round {round}: {}", said.all());
        fixture.ok(&["apply"]);
        assert_eq!(all(&fixture), new, "round {round}");
        assert!(!fixture.root.join(JOURNAL).exists());
        fixture.ok(&["verify"]);
    }
    assert!(caught > 0, "no drop was caught running");
}

/// `fixture` in the middle of dropping `log`, as a kill leaves it: the journal is there, and `changed` of its files are
/// new.
fn half_dropped(fixture: &Fixture, changed: &[&str]) {
    let done = fixture.copy();
    done.ok(&["drop", "demo-core", "log", "--shipped"]);
    let after = done.files("patches");
    let mut steps = Vec::new();
    for (path, before) in fixture.files("patches") {
        let sum: String = Sha256::digest(&before).iter().map(|byte| format!("{byte:02x}")).collect();
        steps.push(serde_json::json!({ "path": format!("patches/{path}"), "before": sum, "after": after.get(&path) }));
        if changed.contains(&path.as_str()) {
            match after.get(&path) {
                Some(bytes) => fs::write(fixture.root.join("patches").join(&path), bytes).unwrap(),
                None => fs::remove_file(fixture.root.join("patches").join(&path)).unwrap(),
            }
        }
    }
    fixture.write(JOURNAL, &serde_json::json!(steps).to_string());
}

#[test]
fn any_verb_finishes_a_half_dropped_series_first() {
    let files = ["demo-core/a-fast.patch", "demo-core/b-fast.patch", "forks.toml", "demo-core/log.patch"];
    let verbs: [&[&str]; 5] = [&["apply"], &["verify"], &["edit", "demo-core"], &["status"], &["export"]];
    for (changed, verb) in verbs.into_iter().enumerate() {
        let fixture = Fixture::ready();
        half_dropped(&fixture, &files[..changed]);
        let said = fixture.xtask(verb);
        assert!(said.err.contains("finishing what a killed"), "{}", said.all());
        assert!(!fixture.root.join(JOURNAL).exists() && !fixture.read(PINS).contains("\"log\""));
        fixture.ok(&["apply"]);
        fixture.ok(&["verify"]);
    }
}

#[test]
fn a_file_that_changed_meanwhile_is_not_overwritten() {
    let fixture = Fixture::ready();
    half_dropped(&fixture, &["demo-core/a-fast.patch"]);
    fixture.replace(PINS, "\n[[fork]]", "\n# mine\n[[fork]]");
    let before = fixture.files("patches");
    fixture.fails(&["apply"], 1, &["forks.toml", "it was changed after", JOURNAL]);
    assert_eq!(fixture.files("patches"), before);
}

#[test]
fn a_begun_patch_is_no_drift_and_finds_its_message_again() {
    let fixture = Fixture::ready();
    start(&fixture);
    let status = fixture.ok(&["status"]);
    assert!(status.contains("patch `c-fast` is begun and has no file yet"), "{status}");
    assert!(status.ends_with("next: commit it in extern/demo-core, then `cargo xtask export demo-core`\n"), "{status}");
    fixture.ok(&["apply"]);
    assert!(!fixture.root.join(FOLDER).join(".git/MERGE_MSG").exists());
    fixture.ok(&["edit", "demo-core", "--patch", "c-fast"]);
    let message = fixture.read(&format!("{FOLDER}/.git/MERGE_MSG"));
    for trailer in ["Patch-Id: c-fast\n", "Upstream-Status: Pending\n", "Proof: bit-identical\n", "Prediction:"] {
        assert!(message.contains(trailer), "{message}");
    }
}
