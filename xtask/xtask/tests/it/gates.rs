//! `verify --gates` and `verify --subsets` through the front door: a real rustc on generated crates. Where the verdict of
//! cargo-semver-checks is not the point, a stand-in answers for it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::fixture::{FOLDER, Fixture};

const TOOL: &str = "cargo-semver-checks";

/// A release with a public function and a warning of its own.
fn fixture() -> Fixture {
    let fixture = Fixture::bare();
    let lines: String = (1..=40).map(|number| format!("// line {number}\n")).collect();
    let text = lines
        .replace("line 20\n", "line 20\npub fn old() {}\n")
        .replace("line 35\n", "line 35\nfn unused_upstream() {}\n");
    release(&fixture, "src/lib.rs", &text);
    fixture.write_patches();
    fixture.lock();
    fixture
}

/// Rewrites a file of the vendored release.
fn release(fixture: &Fixture, path: &str, text: &str) {
    fixture.write(&format!("vendor/demo-core/{path}"), text);
    let list = "vendor/demo-core/.cargo-checksum.json";
    let mut sums: Value = serde_json::from_str(&fixture.read(list)).unwrap();
    let sum: String = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    sums["files"][path] = sum.into();
    fixture.write(list, &sums.to_string());
}

/// Puts a stand-in first in `PATH` that ends with `status` after it has said `report`.
fn stand_in(fixture: &mut Fixture, report: &str, status: i32) {
    fixture.write("tools/report", report);
    let folder = fixture.root.join("tools");
    let script = format!(
        "#!/bin/sh\n[ \"$2\" = --version ] && exec echo stand-in\n[ -s \"$7\" ] && [ -s \"$9\" ] || exit 9\ncat '{}'\nexit {status}\n",
        folder.join("report").display()
    );
    fixture.write(&format!("tools/{TOOL}"), &script);
    fs::set_permissions(folder.join(TOOL), fs::Permissions::from_mode(0o755)).unwrap();
    first_in_path(fixture, &folder);
}

fn first_in_path(fixture: &mut Fixture, folder: &Path) {
    let path = std::env::var("PATH").unwrap();
    fixture.env.push(("PATH".into(), format!("{}:{path}", folder.display())));
}

/// The folder of the real tool, if there is one.
fn real_tool() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/bin");
    let runs = |folder: &PathBuf| Command::new(folder.join(TOOL)).args(["semver-checks", "--version"]).output().is_ok();
    let found = std::env::split_paths(&path).chain([ours]).find(runs);
    if found.is_none() {
        eprintln!("skipped: no {TOOL} in PATH or target/tools/bin");
    }
    found
}

/// Changes a patch: in `src/lib.rs` of its branch, `from` becomes `to`.
fn change(fixture: &Fixture, patch: &str, from: &str, to: &str) {
    fixture.ok(&["edit", "demo-core", "--patch", patch]);
    fixture.edit_file("src/lib.rs", from, to);
    fixture.amend();
    fixture.ok(&["export", "demo-core"]);
    fixture.ok(&["apply"]);
}

/// What `verify --json` finds with these arguments.
fn findings(fixture: &Fixture, args: &[&str]) -> Vec<Value> {
    let said = fixture.xtask(&[&["verify", "--json"], args].concat());
    let report: Value = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{}", said.all()));
    let findings = report["findings"].as_array().unwrap().clone();
    assert_eq!(said.code, i32::from(!findings.is_empty()), "{}", said.all());
    findings
}

fn has(finding: &Value, check: &str, patch: &str, words: &[&str]) {
    assert_eq!((&finding["check"], &finding["patch"]), (&check.into(), &patch.into()), "{finding}");
    assert_eq!(finding["fork"], "demo-core");
    let text = format!("{} {}", finding["message"], finding["fix"]);
    for word in words {
        assert!(text.contains(word), "no `{word}` in {finding}");
    }
}

#[test]
fn a_clean_fork_passes_the_gates() {
    let mut fixture = fixture();
    stand_in(&mut fixture, "", 0);
    assert!(fixture.ok(&["verify", "--gates"]).ends_with("all is well\n"));
    let said = fixture.ok(&["verify", "--gates", "demo-core", "--subsets", "demo-core"]);
    assert!(said.ends_with("all is well\n"), "{said}");
}

#[test]
fn a_patch_that_adds_a_warning_is_named_with_the_line() {
    let mut fixture = fixture();
    stand_in(&mut fixture, "", 0);
    change(&fixture, "a-fast", "// line 10, fast\n", "// line 10, fast\nfn unused_ours() {}\n");
    let found = findings(&fixture, &["--gates"]);
    assert_eq!(found.len(), 1, "{found:?}");
    has(&found[0], "warnings", "a-fast", &["src/lib.rs:12: function `unused_ours` is never used (dead_code)"]);
    has(&found[0], "warnings", "a-fast", &["edit demo-core --patch a-fast", "export demo-core"]);
    // The flags of whoever runs it make no difference.
    fixture.env.push(("RUSTFLAGS".into(), "-Dwarnings".into()));
    assert_eq!(findings(&fixture, &["--gates", "demo-core"]), found);
}

#[test]
fn warnings_of_the_build_scripts_compiler_count_too() {
    let mut fixture = Fixture::bare();
    release(&fixture, "native/demo.c", "void demo(void) { int old; }\n");
    let script = "fn main() {\n    let out = std::env::var(\"OUT_DIR\").unwrap() + \"/demo.o\";\n    let gcc = std::process::Command::new(\"gcc\")\n\
                  .args([\"-Wall\", \"-c\", \"native/demo.c\", \"-o\", &out]).output().unwrap();\n    \
                  for line in String::from_utf8_lossy(&gcc.stderr).lines() { println!(\"cargo:warning={line}\"); }\n}\n";
    release(&fixture, "build.rs", script);
    fixture.write_patches();
    fixture.lock();
    stand_in(&mut fixture, "", 0);
    assert!(fixture.ok(&["verify", "--gates"]).ends_with("all is well\n"));
    fixture.ok(&["edit", "demo-core", "--patch", "b-fast"]);
    fixture.edit_file("native/demo.c", "{ int old; }", "{\n    int old;\n    int ours;\n}");
    fixture.amend();
    fixture.ok(&["export", "demo-core"]);
    fixture.ok(&["apply"]);
    let found = findings(&fixture, &["--gates"]);
    assert_eq!(found.len(), 1, "{found:?}");
    has(&found[0], "warnings", "b-fast", &["native/demo.c:3: unused variable", "ours", "(-Wunused-variable)"]);
    // Cargo has compiled it by now, and says the same again.
    fixture.env.push(("CARGO_TERM_COLOR".into(), "always".into()));
    assert_eq!(findings(&fixture, &["--gates"]), found);
}

#[test]
fn a_measured_patch_that_does_not_ship_is_compiled_in_its_own_arm() {
    let mut fixture = fixture();
    stand_in(&mut fixture, "", 0);
    // On the main line and in the arm: the first is told of the patch that ships, and once.
    change(&fixture, "a-fast", "// line 10, fast\n", "// line 10, fast\nfn unused_a() {}\n");
    change(&fixture, "b-fast", "// line 30, faster\n", "// line 30, faster\nfn unused_b() {}\n");
    let found = findings(&fixture, &["--gates"]);
    assert_eq!(found.len(), 2, "{found:?}");
    has(&found[0], "warnings", "a-fast", &["`unused_a` is never used"]);
    has(&found[1], "warnings", "b-fast", &["`unused_b` is never used", "edit demo-core --patch b-fast"]);
    change(&fixture, "b-fast", "fn unused_b() {}\n", "fn broken(\n");
    let found = findings(&fixture, &["--gates"]);
    has(&found[1], "warnings", "b-fast", &["it does not compile: error: "]);
    // Without warnings it is compiled once for the same inputs.
    change(&fixture, "a-fast", "fn unused_a() {}\n", "");
    change(&fixture, "b-fast", "fn broken(\n", "");
    let first = fixture.xtask(&["verify", "--gates"]);
    assert!(first.code == 0 && first.err.contains("warnings of b-fast against the release"), "{}", first.all());
    let again = fixture.xtask(&["verify", "--gates"]);
    assert!(again.code == 0 && again.err.contains("b-fast had no warnings before"), "{}", again.all());
}

#[test]
fn the_features_of_the_shipped_builds_are_compiled_too() {
    let mut fixture = Fixture::bare();
    let manifest = fixture.read("vendor/demo-core/Cargo.toml");
    release(&fixture, "Cargo.toml", &format!("{manifest}[features]\nextra = []\nrarely = []\n"));
    fixture.replace("app/Cargo.toml", "demo-core = \"1\"", "demo-core = { version = \"1\", features = [\"extra\"] }");
    fixture.write_patches();
    fixture.lock();
    stand_in(&mut fixture, "", 0);
    let ours = "#[cfg(feature = \"extra\")]\nfn unused() {}\n#[cfg(feature = \"rarely\")]\nfn seen_by_nobody() {}\n";
    change(&fixture, "a-fast", "// line 10, fast\n", ours);
    let found = findings(&fixture, &["--gates"]);
    assert_eq!(found.len(), 1, "{found:?}");
    has(&found[0], "warnings", "a-fast", &["`unused` is never used", "(--no-default-features --features extra)"]);
}

#[test]
fn a_main_line_that_does_not_compile_is_found() {
    let mut fixture = fixture();
    stand_in(&mut fixture, "", 0);
    change(&fixture, "a-fast", "// line 10, fast\n", "fn broken(\n");
    let found = findings(&fixture, &["--gates"]);
    assert_eq!((found.len(), &found[0]["check"]), (1, &"warnings".into()), "{found:?}");
    assert!(found[0]["message"].as_str().unwrap().starts_with("it does not compile: error: "), "{found:?}");
}

#[test]
fn what_the_tool_finds_is_told_with_lint_and_item() {
    let mut fixture = fixture();
    let report = "--- failure function_missing: pub fn removed or renamed ---\n\nFailed in:\n  function demo_core::old, previously \
                  in file extern/demo-core/src/lib.rs:21\n";
    stand_in(&mut fixture, report, 100);
    change(&fixture, "a-fast", "pub fn old() {}\n", "");
    let found = findings(&fixture, &["--gates"]);
    assert_eq!(found.len(), 1, "{found:?}");
    has(&found[0], "semver", "a-fast", &["function_missing", "demo_core::old", "keep the old name", "--patch a-fast"]);
}

#[test]
fn a_tool_that_cannot_compare_is_no_finding() {
    let mut fixture = fixture();
    stand_in(&mut fixture, "unsupported rustdoc format v99", 101);
    fixture.fails(&["verify", "--gates"], 2, &["could not compare demo-core", "unsupported rustdoc format v99"]);
}

#[test]
fn the_real_tool_finds_a_public_function_that_a_patch_removes() {
    let Some(folder) = real_tool() else { return };
    let mut fixture = fixture();
    first_in_path(&mut fixture, &folder);
    assert!(findings(&fixture, &["--gates"]).is_empty());
    change(&fixture, "a-fast", "pub fn old() {}\n", "pub fn new() {}\n");
    let found = findings(&fixture, &["--gates"]);
    assert_eq!(found.len(), 1, "{found:?}");
    has(&found[0], "semver", "a-fast", &["function_missing", "demo_core::old", "src/lib.rs:21"]);
}

#[test]
fn without_the_tool_and_leave_to_install_it_the_command_is_told() {
    let mut fixture = Fixture::ready();
    fixture.env.push(("PATH".into(), fixture.root.join("empty").display().to_string()));
    let words = ["no cargo-semver-checks", "cargo install --locked --root target/tools --version =", "--no-install"];
    fixture.fails(&["verify", "--gates", "--no-install"], 2, &words);
}

#[test]
fn a_subset_that_does_not_compile_is_found_and_a_good_one_compiles_once() {
    let fixture = fixture();
    change(&fixture, "a-fast", "// line 10, fast\n", "// line 10, fast\npub fn twice() {}\n");
    change(&fixture, "b-fast", "// line 30, faster\n", "// line 30, faster\npub fn twice() {}\n");
    let found = findings(&fixture, &["--subsets"]);
    assert_eq!(found.len(), 1, "{found:?}");
    let words = ["the set a-fast + b-fast does not compile", "error[E0428]", "`twice`", "src/lib.rs:", "Excludes:"];
    has(&found[0], "subset", "b-fast", &words);

    // What compiled is not compiled again; what did not is, and mended it is clean.
    change(&fixture, "b-fast", "pub fn twice", "pub fn thrice");
    let said = fixture.xtask(&["verify", "--subsets", "demo-core"]);
    assert!(said.code == 0 && said.out.ends_with("all is well\n"), "{}", said.all());
    for line in
        ["no measured patch compiled before", "a-fast compiled before", "compiling b-fast", "compiling a-fast + b-fast"]
    {
        assert!(said.err.contains(&format!("demo-core: {line}")), "no `{line}`: {}", said.all());
    }
    let said = fixture.xtask(&["verify", "--subsets"]);
    assert!(said.err.contains("a-fast + b-fast compiled before") && !said.err.contains("compiling"), "{}", said.all());

    // A patch that fails alone is told alone.
    change(&fixture, "b-fast", "pub fn thrice() {}", "pub fn thrice(");
    let found = findings(&fixture, &["--subsets"]);
    assert_eq!(found.len(), 1, "{found:?}");
    has(&found[0], "subset", "b-fast", &["the set b-fast does not compile", "edit demo-core --patch b-fast"]);
}

#[test]
fn nothing_is_compiled_of_forks_that_are_not_sound() {
    let mut fixture = fixture();
    stand_in(&mut fixture, "", 0);
    fixture.edit_file("src/lib.rs", "line 3\n", "line three\n");
    fixture.fails(&["verify", "--gates", "--subsets"], 1, &["modified: src/lib.rs", "nothing was compiled"]);
    assert!(fixture.root.join(FOLDER).is_dir() && !fixture.root.join("target/gates").exists());
}

#[test]
fn wrong_usage_of_the_gates() {
    let mut fixture = Fixture::ready();
    stand_in(&mut fixture, "", 0);
    fixture.fails(&["verify", "--gates", "no-fork"], 2, &["no fork", "demo-core"]);
    fixture.fails(&["verify", "--subsets", "no-fork"], 2, &["no fork", "demo-core"]);
    fixture.fails(&["verify", "--arch", "sm_90"], 2, &["--gates"]);
}
