//! Any crate: whatever a release may hold and a patch may do to it goes through every verb, byte for byte.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use sha2::{Digest, Sha256};

use crate::fixture::{CHECKSUM, FOLDER, Fixture};

/// Files by path: bytes, and whether they may be run.
pub(crate) type Files = BTreeMap<String, (Vec<u8>, bool)>;

const MANIFEST: &str = "[package]\nname = \"demo-core\"\nversion = \"1.0.0\"\nedition = \"2021\"\n";

/// A release with all that makes tools on patches stumble.
fn release() -> Files {
    let mut files = Files::new();
    let mut add = |path: &str, bytes: &[u8]| files.insert(path.to_owned(), (bytes.to_vec(), false));
    let binary: Vec<u8> = (0..4096u32).map(|at| (at * at / 7) as u8).collect();
    add("Cargo.toml", MANIFEST.as_bytes());
    add(".cargo_vcs_info.json", br#"{"git":{"sha1":"1111111111111111111111111111111111111111"}}"#);
    add("build.rs", b"fn main() {\n    println!(\"cargo::rerun-if-changed=build.rs\");\n}\n");
    add("src/lib.rs", &lines("// line", "\n", 40));
    add("src/windows.rs", &lines("// line", "\r\n", 40));
    add("src/mixed.txt", b"one\r\ntwo\nthree\r\nfour\rfive\n");
    add("src/no-end.txt", b"first\nmiddle\nlast");
    add("src/no-end-windows.txt", b"first\r\nmiddle\r\nlast");
    add("src/gains-end.txt", b"first\nlast");
    add("src/loses-end.txt", b"first\nlast\n");
    add("src/latin1.txt", b"gr\xf6\xdfer\nals\n");
    add("src/gr\u{f6}\u{df}e/\u{3b1}\u{3b2}.txt", "größe\nαβ\n".as_bytes());
    add("docs/two words.md", b"two\nwords\n");
    add("docs/it's \"quoted\"\\.md", b"quoted\n");
    add("docs/-dash.md", b"dash\n");
    add("data.bin", &binary);
    add("zeros.bin", &[0; 64]);
    add("empty", b"");
    add("will-be-a-folder", b"a file\n");
    add("was-a-folder/inside.txt", b"inside\n");
    add("ident.txt", b"$Id: as released $\n$Id$\n");
    add("filtered.txt", b"line 1\nline 2\n");
    add("utf16.txt", "text\n".as_bytes());
    add("subst.txt", b"$Format:%H$\n");
    add(".gitattributes", ATTRIBUTES);
    add(".gitignore", b"ignored.txt\n*.log\n/inner/\n");
    add("ignored.txt", b"released all the same\n");
    add("inner/Cargo.toml", b"[workspace]\nmembers = [\"member\"]\n");
    add("inner/member/Cargo.toml", b"[package]\nname = \"member\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    add("inner/member/src/lib.rs", b"");
    add("rust-toolchain", b"1.0.0\n");
    for path in ["run.sh", "stops-running.sh"] {
        files.insert(path.to_owned(), (b"#!/bin/sh\ntrue\n".to_vec(), true));
    }
    files.insert("starts-running.sh".to_owned(), (b"#!/bin/sh\ntrue\n".to_vec(), false));
    files
}

const ATTRIBUTES: &[u8] = b"* text=auto eol=crlf\n*.rs text eol=lf\nident.txt ident\nfiltered.txt filter=weird\n\
    utf16.txt working-tree-encoding=UTF-16\nsubst.txt export-subst\n*.md -diff\ndata.bin diff\n*.txt whitespace=fix\n";

fn lines(text: &str, end: &str, count: usize) -> Vec<u8> {
    (1..=count).map(|number| format!("{text} {number}{end}")).collect::<String>().into_bytes()
}

type Change = fn(&mut Files);

/// The three patches of the fixture's pins, as edits of files.
const PATCHES: &[(&str, Change)] = &[("log", log), ("a-fast", a), ("b-fast", b)];

fn log(files: &mut Files) {
    put(files, "src/n\u{e4}he/\u{fc}ber uns.rs", "// größer\n".as_bytes());
    put(files, "src/windows-new.rs", b"// new\r\n// file\r\n");
    replace(files, "src/windows.rs", b"line 5\r\n", b"line 5, logged\r\n");
    replace(files, "src/lib.rs", b"line 2\n", b"line 2\n// log\n");
    replace(files, "ident.txt", b"$Id$\n", b"$Id$\n$Id: mine $\n");
    replace(files, "filtered.txt", b"line 2\n", b"line 2\nline 3\n");
    rename(files, "docs/two words.md", "docs/three more words.md");
    put(files, "ignored-too.log", b"a file that .gitignore names\n");
}

fn a(files: &mut Files) {
    replace(files, "src/lib.rs", b"line 10\n", b"line 10, fast\n");
    replace(files, "src/windows.rs", b"line 15\r\n", b"line 15\n");
    replace(files, "src/no-end.txt", b"last", b"last, fast");
    replace(files, "src/no-end-windows.txt", b"middle\r\n", b"middle, fast\r\n");
    replace(files, "src/gains-end.txt", b"last", b"last\n");
    replace(files, "src/loses-end.txt", b"last\n", b"last");
    replace(files, "src/latin1.txt", b"als", b"\xe4ls");
    files.get_mut("data.bin").unwrap().0[1000..1010].fill(0);
    files.get_mut("starts-running.sh").unwrap().1 = true;
    files.get_mut("stops-running.sh").unwrap().1 = false;
    files.get_mut("run.sh").unwrap().0.extend_from_slice(b"false\n");
    files.remove("empty");
    files.remove("src/gr\u{f6}\u{df}e/\u{3b1}\u{3b2}.txt");
    rename(files, "will-be-a-folder", "will-be-a-folder/now.txt");
    rename(files, "was-a-folder/inside.txt", "was-a-folder");
    put(files, "new.bin", &[0, 255, 10, 13, 0, 10]);
    put(files, "empty-too", b"");
}

fn b(files: &mut Files) {
    replace(files, "src/lib.rs", b"line 30\n", b"line 30, faster\n");
    replace(files, "src/windows.rs", b"line 35\r\n", b"line 35, faster\r\n");
    replace(files, "src/mixed.txt", b"four\rfive", b"four\rfive, faster");
    replace(files, "docs/it's \"quoted\"\\.md", b"quoted\n", b"quoted\r\n");
    rename(files, "docs/-dash.md", "docs/-dash too.md");
    files.get_mut("zeros.bin").unwrap().0[63] = 1;
    replace(files, ".gitattributes", b"* text=auto", b"* text");
    replace(files, ".gitignore", b"*.log", b"*.rs");
    files.remove("inner/member/src/lib.rs");
    files.insert("new.sh".into(), (b"#!/bin/sh\n".to_vec(), true));
}

fn put(files: &mut Files, path: &str, bytes: &[u8]) {
    assert!(files.insert(path.to_owned(), (bytes.to_vec(), false)).is_none(), "{path}");
}

fn rename(files: &mut Files, from: &str, to: &str) {
    let file = files.remove(from).unwrap();
    files.insert(to.to_owned(), file);
}

fn replace(files: &mut Files, path: &str, from: &[u8], to: &[u8]) {
    let bytes = &mut files.get_mut(path).unwrap_or_else(|| panic!("no {path}")).0;
    let at = bytes.windows(from.len()).position(|window| window == from).unwrap_or_else(|| panic!("{path}"));
    bytes.splice(at..at + from.len(), to.iter().copied());
}

/// The files below `folder`, without git's own.
pub(crate) fn on_disk(folder: &Path) -> Files {
    let mut files = Files::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for path in fs::read_dir(&next).unwrap().map(|entry| entry.unwrap().path()) {
            if !path.is_dir() {
                let runs = fs::metadata(&path).unwrap().permissions().mode() & 0o100 != 0;
                let inside = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                files.insert(inside, (fs::read(&path).unwrap(), runs));
            } else if !path.ends_with(".git") {
                open.push(path);
            }
        }
    }
    files
}

/// Makes the files below `folder` these, as an editor would.
fn edit(folder: &Path, to: &Files) {
    let from = on_disk(folder);
    for path in from.keys().filter(|path| !to.contains_key(*path)) {
        fs::remove_file(folder.join(path)).unwrap();
        let parents = Path::new(path).ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty());
        parents.for_each(|parent| drop(fs::remove_dir(folder.join(parent))));
    }
    for (path, file) in to.iter().filter(|(path, file)| from.get(*path) != Some(file)) {
        write(&folder.join(path), file);
    }
}

fn write(path: &Path, (bytes, runs): &(Vec<u8>, bool)) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(if *runs { 0o755 } else { 0o644 })).unwrap();
}

/// Vendors a release in place of what is at `folder`.
pub(crate) fn vendor(fixture: &Fixture, folder: &str, files: &Files, checksum: &str) {
    let folder = fixture.root.join("vendor").join(folder);
    let _ = fs::remove_dir_all(&folder);
    let mut sums = BTreeMap::new();
    for (path, file) in files {
        write(&folder.join(path), file);
        let sum: String = Sha256::digest(&file.0).iter().map(|byte| format!("{byte:02x}")).collect();
        sums.insert(path, sum);
    }
    let list = serde_json::json!({ "files": sums, "package": checksum });
    fs::write(folder.join(".cargo-checksum.json"), list.to_string()).unwrap();
}

/// The release with the patches `ids`, edited directly.
fn expected(ids: &[&str]) -> Files {
    let mut files = release();
    for (id, change) in PATCHES {
        if ids.contains(id) {
            change(&mut files);
        }
    }
    files
}

fn same(found: &Files, wanted: &Files, what: &str) {
    for path in found.keys().chain(wanted.keys()) {
        assert_eq!(found.get(path), wanted.get(path), "{what}: {path}");
    }
}

/// The crate pinned, its patches committed with the user's git and exported.
fn patched() -> Fixture {
    static TEMPLATE: OnceLock<Fixture> = OnceLock::new();
    TEMPLATE.get_or_init(write_patches).copy()
}

fn write_patches() -> Fixture {
    let fixture = Fixture::bare();
    vendor(&fixture, "demo-core", &release(), CHECKSUM);
    let folder = fixture.root.join(FOLDER);
    fixture.ok(&["edit", "demo-core"]);
    same(&on_disk(&folder), &release(), "as released");
    for (id, branch) in [("log", None), ("a-fast", Some("a-fast")), ("b-fast", Some("b-fast"))] {
        let patch = branch.map(|id| ["--patch", id]);
        fixture.ok(&[&["edit", "demo-core"][..], patch.as_ref().map_or(&[], |args| &args[..])].concat());
        edit(&folder, &expected(&["log", id]));
        fixture.git(&["add", "-A", "-f"]);
        fixture.commit(id, &format!("Patch {id}"));
        fixture.ok(&["export"]);
    }
    fixture.ok(&["apply"]);
    fixture.lock();
    fixture
}

#[test]
fn whatever_a_patch_does_comes_back_byte_for_byte() {
    let fixture = patched();
    let folder = fixture.root.join(FOLDER);
    let patches = fixture.files("patches");
    same(&on_disk(&folder), &expected(&["log", "a-fast"]), "laid out after export");
    fs::remove_dir_all(fixture.root.join("extern")).unwrap();
    fs::remove_dir_all(fixture.root.join("target")).unwrap();
    fixture.ok(&["apply"]);
    same(&on_disk(&folder), &expected(&["log", "a-fast"]), "laid out from nothing");
    assert_eq!(fixture.git(&["status", "--short"]), "");
    fixture.ok(&["export", "--check"]);
    fixture.ok(&["export"]);
    assert_eq!(fixture.files("patches"), patches);
    assert!(fixture.ok(&["apply"]).contains("up to date"));
    assert!(fixture.ok(&["verify"]).ends_with("all is well\n"));
    assert!(fixture.ok(&["status"]).contains("demo-core"));
}

#[test]
fn every_arm_equals_the_same_edits_made_directly() {
    let fixture = patched();
    let forks = forks::Forks::open(&fixture.root).unwrap();
    let dest = fixture.root.join("arm");
    // One after another in one folder: what the one before left must go.
    for ids in [&["a-fast", "b-fast"][..], &[], &["b-fast"], &["a-fast"], &["a-fast", "b-fast"]] {
        let measured: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        forks::arm::materialize(&forks, &measured, &dest).unwrap();
        same(&on_disk(&dest.join(FOLDER)), &expected(&[&["log"], ids].concat()), &format!("{ids:?}"));
    }
    forks::arm::pristine(&forks, &dest).unwrap();
    same(&on_disk(&dest.join(FOLDER)), &release(), "pristine");
}

#[test]
fn the_users_git_changes_no_byte_whatever_the_attributes_say() {
    let fixture = patched();
    let folder = fixture.root.join(FOLDER);
    fixture.git(&["config", "filter.weird.clean", "sed s/line/LINE/"]);
    fixture.git(&["config", "filter.weird.smudge", "sed s/line/Line/"]);
    for (branch, ids) in [("patch/b-fast", ["log", "b-fast"]), ("main", ["log", "a-fast"])] {
        fixture.git(&["switch", "-q", branch]);
        same(&on_disk(&folder), &expected(&ids), branch);
    }
    // Written anew, one and all.
    for path in on_disk(&folder).keys() {
        fs::remove_file(folder.join(path)).unwrap();
    }
    fixture.git(&["checkout", "-q", "--", "."]);
    same(&on_disk(&folder), &expected(&["log", "a-fast"]), "checked out");
    fixture.git(&["add", "-A", "--renormalize", "."]);
    assert_eq!(fixture.git(&["status", "--short"]), "");
    fixture.ok(&["export", "--check"]);
    fixture.ok(&["verify"]);
}

#[test]
fn a_rebase_by_the_user_keeps_the_bytes() {
    let fixture = patched();
    let folder = fixture.root.join(FOLDER);
    // An enabling patch changes below all that: everything above is carried over.
    fixture.git(&["switch", "-q", "--detach", "main~1"]);
    let path = folder.join("src/windows.rs");
    let mut files = Files::from([("w".to_owned(), (fs::read(&path).unwrap(), false))]);
    replace(&mut files, "w", b"line 20\r\n", b"line 20, below\r\n");
    fs::write(&path, &files["w"].0).unwrap();
    fixture.git(&["commit", "-q", "-a", "--amend", "--no-edit"]);
    fixture.git(&["rebase", "-q", "--onto", "HEAD", "main~1", "main"]);
    let said = fixture.ok(&["export"]);
    assert_eq!(said.matches("written").count(), 3, "{said}");
    fixture.ok(&["apply"]);
    fixture.ok(&["verify"]);
    let mut wanted = expected(&["log", "a-fast"]);
    replace(&mut wanted, "src/windows.rs", b"line 20\r\n", b"line 20, below\r\n");
    same(&on_disk(&folder), &wanted, "rebased");
}

#[test]
fn a_crate_with_a_build_script_and_another_library_name_is_built_from_its_fork() {
    let fixture = Fixture::bare();
    let mut files = release();
    files.remove("rust-toolchain");
    let manifest = format!("{MANIFEST}build = \"build.rs\"\n[lib]\nname = \"core_of_demo\"\n");
    files.get_mut("Cargo.toml").unwrap().0 = manifest.into_bytes();
    vendor(&fixture, "demo-core", &files, CHECKSUM);
    let app = "[package]\nname = \"prove-once\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[features]\ndefault = [\"forked\"]\n\
        forked = []\n[dependencies]\ndemo-core = \"1\"\n";
    fixture.write("cuzk/prove-once/Cargo.toml", app);
    fixture.write("cuzk/prove-once/src/main.rs", "fn main() { print!(\"{}\", core_of_demo::SAYS); }\n");
    fixture.replace("Cargo.toml", "[\"app\"]", "[\"cuzk/prove-once\"]");
    fixture.replace("patches/forks.toml", "package = \"app\"", "package = \"prove-once\"");
    fixture.replace("patches/forks.toml", "{ id = \"a-fast\", short = \"a\", ships = true },", "");
    fixture.ok(&["edit", "demo-core"]);
    fixture.edit_file("src/lib.rs", "// line 2\n", "/// Says.\npub const SAYS: &str = env!(\"SAYS\");\n");
    fixture.edit_file("build.rs", "println!(", "println!(\"cargo::rustc-env=SAYS=log\");\n    println!(");
    fixture.commit("log", "Log");
    fixture.ok(&["export"]);
    fixture.ok(&["edit", "demo-core", "--patch", "b-fast"]);
    fixture.edit_file("build.rs", "SAYS=log", "SAYS=fast");
    fixture.commit("b-fast", "Be fast");
    fixture.ok(&["export"]);
    fixture.ok(&["apply"]);
    fixture.lock();
    fixture.ok(&["verify"]);
    for (args, says) in
        [(&["build"][..], "log"), (&["build", "--arm", "+b"], "fast"), (&["build", "--arm", "none"], "log")]
    {
        let binary = fixture.ok(args);
        let output = Command::new(binary.trim()).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), says, "{args:?}");
    }
}
