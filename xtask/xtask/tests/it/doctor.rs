//! `doctor` on what `verify --gates` needs, with stand-ins for the tools.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;

use crate::fixture::Fixture;

/// What `doctor` says of cargo-semver-checks where nothing but these programs is in `PATH`.
fn semver_checks(programs: &[(&str, &str)]) -> Value {
    let mut fixture = Fixture::bare();
    let folder = fixture.root.join("tools");
    fs::create_dir_all(&folder).unwrap();
    for (name, said) in programs {
        fixture.write(&format!("tools/{name}"), &format!("#!/bin/sh\necho '{said}'\n"));
        fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    fixture.env.push(("PATH".into(), folder.display().to_string()));
    let report: Value = serde_json::from_str(&fixture.xtask(&["doctor", "--json"]).out).unwrap();
    let checks = report["checks"].as_array().unwrap();
    checks.iter().find(|check| check["what"] == "semver-checks").unwrap_or_else(|| panic!("{report}")).clone()
}

#[test]
fn cargo_semver_checks_is_listed_when_it_runs() {
    let check = semver_checks(&[("cargo-semver-checks", "cargo-semver-checks 9.9.9")]);
    assert_eq!((&check["state"], &check["mend"]), (&"ok".into(), &Value::Null), "{check}");
    assert!(check["found"].as_str().unwrap().contains("cargo-semver-checks 9.9.9"), "{check}");
}

#[test]
fn without_it_the_command_that_mends_is_told() {
    if Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/bin/cargo-semver-checks").exists() {
        eprintln!("skipped: it is installed below target/");
        return;
    }
    let check = semver_checks(&[("rustc", "rustc 1.93.0 (0 2026-01-01)")]);
    assert_eq!(check["state"], "optional", "{check}");
    assert!(check["mend"].as_str().unwrap().starts_with("cargo install --locked --root target/tools"), "{check}");
    let check = semver_checks(&[("rustc", "rustc 1.90.0 (0 2025-09-01)")]);
    assert_eq!((&check["state"], &check["mend"]), (&"optional".into(), &"rustup update stable".into()), "{check}");
}
