//! The release from a registry (here one of files, in crates-io's place): the `.crate` itself is checked.

use std::fs;
use std::path::Path;
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use crate::fixture::{CHECKSUM, FOLDER, Fixture};

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Packs the vendored crate as cargo would.
fn pack(folder: &Path) -> Vec<u8> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for path in ["Cargo.toml", ".cargo_vcs_info.json", "src/lib.rs", "src/windows.txt", "README.md"] {
        archive.append_path_with_name(folder.join(path), Path::new("demo-core-1.0.0").join(path)).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap()
}

fn git(folder: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgSign=false"]);
    assert!(command.args(args).env("GIT_CONFIG_GLOBAL", "/dev/null").status().unwrap().success());
}

/// Makes a registry with the one crate, and cargo use it.
fn registry(fixture: &mut Fixture) -> String {
    let bytes = pack(&fixture.root.join("vendor/demo-core"));
    let sum = hex(&bytes);
    let top = fixture.root.join("registry");
    fs::create_dir_all(top.join("dl")).unwrap();
    fs::create_dir_all(top.join("index/de/mo")).unwrap();
    fs::write(top.join("dl/demo-core-1.0.0.crate"), &bytes).unwrap();
    let dl = format!("file://{}/dl/{{crate}}-{{version}}.crate", top.display());
    fs::write(top.join("index/config.json"), serde_json::json!({ "dl": dl }).to_string()).unwrap();
    let line = serde_json::json!({
        "name": "demo-core", "vers": "1.0.0", "deps": [], "cksum": sum, "features": {}, "yanked": false
    });
    fs::write(top.join("index/de/mo/demo-core"), format!("{line}\n")).unwrap();
    git(&top.join("index"), &["init", "-q", "-b", "master"]);
    git(&top.join("index"), &["add", "-A"]);
    git(&top.join("index"), &["commit", "-q", "-m", "index"]);
    let config = format!(
        "[source.crates-io]\nreplace-with = \"mirror\"\n[source.mirror]\nregistry = \"file://{}/index\"\n",
        top.display()
    );
    fixture.write(".cargo/config.toml", &config);
    fixture.replace("patches/forks.toml", CHECKSUM, &sum);
    fixture.env.push(("CARGO_HOME".into(), fixture.root.join("../cargo-home").display().to_string()));
    sum
}

fn crate_file(fixture: &Fixture) -> std::path::PathBuf {
    let cache = fixture.root.join("../cargo-home/registry/cache");
    let registry = fs::read_dir(cache).unwrap().next().unwrap().unwrap().path();
    registry.join("demo-core-1.0.0.crate")
}

#[test]
fn a_release_comes_from_the_configured_registry_and_a_changed_one_is_found() {
    let mut fixture = Fixture::ready();
    let folder = fixture.files(FOLDER);
    let sum = registry(&mut fixture);
    fixture.ok(&["apply"]);
    assert_eq!(fixture.files(FOLDER), folder);
    // Laid out once, it needs neither registry nor cargo's cache.
    let file = crate_file(&fixture);
    let good = fs::read(&file).unwrap();
    let mut bad = good.clone();
    let last = bad.len() - 1;
    bad[last] ^= 1;
    fs::write(&file, &bad).unwrap();
    fs::remove_dir_all(fixture.root.join("extern")).unwrap();
    fixture.ok(&["apply"]);
    // Without the tool's own copy, the changed file is all there is.
    fs::remove_dir_all(fixture.root.join("extern")).unwrap();
    fs::remove_dir_all(fixture.root.join("target")).unwrap();
    let shown = file.file_name().unwrap().to_string_lossy().into_owned();
    fixture.fails(&["apply"], 1, &["wrong checksum", &shown, &sum, &hex(&bad), "delete it and run this again"]);
    assert!(!fixture.root.join(FOLDER).exists());
    fs::remove_file(&file).unwrap();
    fixture.ok(&["apply"]);
    assert_eq!(fixture.files(FOLDER), folder);
}
