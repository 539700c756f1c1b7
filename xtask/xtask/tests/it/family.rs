//! Two forks of one crate, at versions that cargo keeps side by side, in one repository.

use std::fs;
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use crate::any_crate::{Files, vendor};
use crate::fixture::{CHECKSUM, Fixture};

const PINS: &str = r#"
[[fork]]
name = "demo-two"
crate = "demo-core"
version = "2.0.0"
sha256 = "00000000000000000000000000000000000000000000000000000000000000bb"
commit = "2222222222222222222222222222222222222222"
repository = "https://example.com/demo"
folder = "extern/demo-two"
enabling = ["log"]
measured = [{ id = "two-fast", short = "two", ships = true }]

[[build]]
name = "cpu"
package = "prove-once"
forks = ["demo-core", "demo-two"]
"#;

const APP: &str = r#"
[package]
name = "prove-once"
version = "0.1.0"
edition = "2021"
[features]
default = ["forked"]
forked = []
[dependencies]
demo-core = "1"
demo-user = "0.1"
newer = { package = "demo-core", version = "2" }
"#;

const MAIN: &str = "fn main() { print!(\"{} {}\", demo_core::SAYS, newer::SAYS); }\n";

fn release(version: &str, commit: &str) -> Files {
    let lines: String = (1..=20).map(|number| format!("// line {number}\n")).collect();
    let tests = "#[test]\nfn upstreams() {}\n";
    let manifest = format!("[package]\nname = \"demo-core\"\nversion = \"{version}\"\nedition = \"2021\"\n");
    let commit = format!("{{\"git\":{{\"sha1\":\"{}\"}}}}", commit.repeat(40));
    let files = [
        ("Cargo.toml", manifest),
        (".cargo_vcs_info.json", commit),
        ("src/lib.rs", format!("{lines}{tests}")),
        ("tests/upstream.rs", tests.to_owned()),
    ];
    files.into_iter().map(|(path, text)| (path.to_owned(), (text.into_bytes(), false))).collect()
}

/// Pins and crates, with no patch written yet.
fn bare() -> Fixture {
    let fixture = Fixture::bare();
    vendor(&fixture, "demo-core", &release("1.0.0", "1"), CHECKSUM);
    vendor(&fixture, "demo-core-2", &release("2.0.0", "2"), &CHECKSUM.replace("aa", "bb"));
    let pins = fixture.read("patches/forks.toml");
    let pins = pins[..pins.find("[[build]]").unwrap()].replace("ships = false", "ships = true");
    fixture.write("patches/forks.toml", &format!("{pins}{PINS}"));
    fixture.write("cuzk/prove-once/Cargo.toml", APP);
    fixture.write("cuzk/prove-once/src/main.rs", MAIN);
    fixture.replace("Cargo.toml", "[\"app\"]", "[\"cuzk/prove-once\"]");
    let two = "demo-two = { package = \"demo-core\", path = \"extern/demo-two\" }";
    fixture.replace("Cargo.toml", "[patch.crates-io]\n", &format!("[patch.crates-io]\n{two}\n"));
    fixture
}

/// Edits a fork's library on the branch that its verb `edit` checks out, and exports it.
fn patch(fixture: &Fixture, fork: &str, id: &str, from: &str, to: &str) {
    let args = ["edit", fork, "--patch", id];
    fixture.ok(if id == "log" { &args[..2] } else { &args });
    fixture.replace(&format!("extern/{fork}/src/lib.rs"), from, to);
    let message = crate::fixture::message(id, id);
    let beside = format!("../{fork}");
    fixture.git(&["-C", &beside, "add", "-A"]);
    fixture.git(&["-C", &beside, "commit", "-q", "-m", &message]);
    fixture.ok(&["export", fork]);
}

pub(crate) fn ready() -> Fixture {
    static TEMPLATE: OnceLock<Fixture> = OnceLock::new();
    TEMPLATE.get_or_init(write_patches).copy()
}

fn write_patches() -> Fixture {
    let fixture = bare();
    fixture.ok(&["apply"]);
    for (fork, says) in [("demo-core", "one"), ("demo-two", "two")] {
        let says = format!("// line 2\n/// Says.\npub const SAYS: &str = \"{says}\";\n");
        patch(&fixture, fork, "log", "// line 2\n", &says);
    }
    patch(&fixture, "demo-core", "a-fast", "\"one\"", "\"one, fast\"");
    patch(&fixture, "demo-core", "b-fast", "// line 15\n", "// line 15, faster\n");
    patch(&fixture, "demo-two", "two-fast", "\"two\"", "\"two, fast\"");
    fixture.ok(&["apply"]);
    fixture.lock();
    fixture
}

#[test]
fn they_go_through_every_verb_by_their_names() {
    let fixture = ready();
    assert!(fixture.ok(&["verify"]).ends_with("all is well\n"));
    assert!(fixture.root.join("patches/demo-two/two-fast.patch").is_file());
    fixture.fails(&["apply", "demo-three"], 2, &["no fork", "demo-core, demo-two"]);
    let patches = fixture.files("patches");
    let folders = fixture.files("extern");
    for folder in ["extern", "target"] {
        fs::remove_dir_all(fixture.root.join(folder)).unwrap();
    }
    let said = fixture.ok(&["apply", "demo-two"]);
    assert!(said.contains("demo-two: laid out in extern/demo-two") && !said.contains("demo-core:"), "{said}");
    fixture.ok(&["apply"]);
    assert_eq!(fixture.files("extern"), folders);
    fixture.ok(&["export", "--check"]);
    fixture.ok(&["export"]);
    assert_eq!(fixture.files("patches"), patches);
    let status: Value = serde_json::from_str(&fixture.ok(&["status", "--json"])).unwrap();
    assert_eq!((&status[1]["name"], &status[1]["crate"]), (&"demo-two".into(), &"demo-core".into()));
    for fork in status.as_array().unwrap() {
        assert_eq!(fork["used_by"], serde_json::json!(["cpu"]), "{fork}");
    }
}

#[test]
fn each_arm_is_built_from_both() {
    let fixture = ready();
    for (args, says) in [
        (&["build"][..], "one, fast two, fast"),
        (&["build", "--arm", "none"], "one two"),
        (&["build", "--arm", "+two"], "one two, fast"),
        (&["build", "--arm", "all-two"], "one, fast two"),
    ] {
        let output = Command::new(fixture.ok(args).trim()).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), says, "{args:?}");
    }
    let forks = forks::Forks::open(&fixture.root).unwrap();
    let ids = forks::fingerprint::patch_ids(&forks, &forks.pins.forks[1], &["two-fast".into()]).unwrap();
    assert_eq!(ids.keys().collect::<Vec<_>>(), ["demo-two/log", "demo-two/two-fast"]);
}

#[test]
fn upstreams_suites_run_on_both() {
    let fixture = ready();
    let said = fixture.xtask(&["test", "--upstream-suites"]);
    assert_eq!(said.code, 0, "{}", said.all());
    assert!(said.out.contains("4 tests on the releases, 4 on the forks"), "{}", said.all());
}

/// What `verify` finds in the graph, by fork.
fn graph_findings(fixture: &Fixture) -> Vec<(String, String)> {
    let said = fixture.xtask(&["verify", "--json"]);
    assert_eq!(said.code, 1, "{}", said.all());
    let report: Value = serde_json::from_str(&said.out).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let findings = report["findings"].as_array().unwrap().iter().inspect(|found| assert_eq!(found["check"], "graph"));
    findings.map(|found| (text(&found["fork"]), text(&found["message"]))).collect()
}

#[test]
fn a_registry_copy_of_one_is_told_of_that_one() {
    let fixture = ready();
    let line = "demo-two = { package = \"demo-core\", path = \"extern/demo-two\" }\n";
    fixture.replace("Cargo.toml", line, "");
    fixture.lock();
    let found = graph_findings(&fixture);
    assert!(found.iter().all(|(fork, _)| fork == "demo-two"), "{found:?}");
    assert!(found.iter().any(|(_, said)| said.contains("not the fork: demo-core 2.0.0 from registry")), "{found:?}");
    let fix = "fix: add `demo-two = { package = \"demo-core\", path = \"extern/demo-two\" }` to [patch.crates-io]";
    fixture.fails(&["verify"], 1, &[fix]);
    // What somebody requires is told once.
    assert_eq!(found.iter().filter(|(_, said)| said.contains("requires ^2")).count(), 1, "{found:?}");
    assert!(!found.iter().any(|(_, said)| said.contains("requires ^1")), "{found:?}");
}

#[test]
fn an_unused_patch_of_one_is_told_of_that_one() {
    let fixture = ready();
    fixture.replace("cuzk/prove-once/Cargo.toml", "newer = { package = \"demo-core\", version = \"2\" }\n", "");
    fixture.lock();
    let found = graph_findings(&fixture);
    assert!(found.iter().all(|(fork, _)| fork == "demo-two"), "{found:?}");
    assert!(found.iter().any(|(_, said)| said.contains("[[patch.unused]] demo-core 2.0.0")), "{found:?}");
}

#[test]
fn one_crate_twice_without_names_is_refused_with_the_remedy() {
    let fixture = bare();
    fixture.replace("patches/forks.toml", "name = \"demo-two\"\n", "");
    fixture.fails(&["status"], 2, &["fork `demo-core` stands there twice", "give one a `name` of its own"]);
    fixture.replace(
        "patches/forks.toml",
        "crate = \"demo-core\"\nversion = \"2.0.0\"",
        "crate = \"demo-two\"\nversion = \"2.0.0\"",
    );
    fixture.fails(&["apply", "demo-two"], 2, &["fetch demo-two 2.0.0"]);
}

#[test]
fn a_new_name_moves_the_patches_and_leaves_the_folder_as_it_is() {
    let fixture = ready();
    fixture.replace("patches/forks.toml", "\"demo-two\"", "\"newer\"");
    fixture.replace("patches/forks.toml", "[\"demo-core\", \"demo-two\"]", "[\"demo-core\", \"newer\"]");
    fs::rename(fixture.root.join("patches/demo-two"), fixture.root.join("patches/newer")).unwrap();
    assert!(fixture.ok(&["apply", "newer"]).contains("up to date in extern/demo-two"));
    fixture.ok(&["verify"]);
}
