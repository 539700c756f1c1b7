//! A small repository with one fork of a generated crate: vendored, so that cargo needs no network.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// Where the fork is laid out.
pub(crate) const FOLDER: &str = "extern/demo-core";
/// The checksum that the generated release claims to have.
pub(crate) const CHECKSUM: &str = "00000000000000000000000000000000000000000000000000000000000000aa";

const PINS: &str = r#"
[[fork]]
crate = "demo-core"
version = "1.0.0"
sha256 = "00000000000000000000000000000000000000000000000000000000000000aa"
commit = "1111111111111111111111111111111111111111"
repository = "https://example.com/demo"
folder = "extern/demo-core"
enabling = ["log"]
measured = [
    { id = "a-fast", short = "a", ships = true },
    { id = "b-fast", short = "b", ships = false },
]

[[build]]
name = "cpu"
package = "app"
forks = ["demo-core"]
"#;

/// A repository in a folder that goes away with it.
pub(crate) struct Fixture {
    pub(crate) root: PathBuf,
    pub(crate) env: Vec<(String, String)>,
    _dir: TempDir,
}

/// What a verb said.
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Said {
    pub(crate) fn all(&self) -> String {
        format!("exit {}\n--- stdout\n{}\n--- stderr\n{}", self.code, self.out, self.err)
    }
}

impl Fixture {
    /// The fork pinned and its patches named, but none written and nothing laid out.
    pub(crate) fn bare() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let fixture = Self { root: dir.path().join("repo"), env: Vec::new(), _dir: dir };
        fixture.write("patches/forks.toml", PINS);
        fixture.write(".cargo/config.toml", CONFIG);
        fixture.write("Cargo.toml", WORKSPACE);
        fixture.write("app/Cargo.toml", APP);
        fixture.write("app/src/lib.rs", "");
        fixture.vendor("demo-core", "demo-core", "1.0.0", "", CHECKSUM);
        fixture.vendor("demo-core-2", "demo-core", "2.0.0", "", &CHECKSUM.replace("aa", "bb"));
        let needs = "[dependencies]\ndemo-core = \"1\"\n";
        fixture.vendor("demo-user", "demo-user", "0.1.0", needs, &CHECKSUM.replace("aa", "cc"));
        fixture
    }

    /// All patches written, exported, laid out, locked: `verify` is clean.
    pub(crate) fn ready() -> Self {
        static TEMPLATE: OnceLock<Fixture> = OnceLock::new();
        let template = TEMPLATE.get_or_init(|| {
            let fixture = Self::bare();
            fixture.write_patches();
            fixture.lock();
            fixture
        });
        template.copy()
    }

    /// Another with the same files.
    pub(crate) fn copy(&self) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("repo");
        let status = Command::new("cp").arg("-a").arg(&self.root).arg(&root).status().unwrap();
        assert!(status.success());
        Self { root, env: self.env.clone(), _dir: dir }
    }

    /// Commits the three patches, each on its branch, and exports them.
    pub(crate) fn write_patches(&self) {
        self.ok(&["edit", "demo-core"]);
        self.edit_file("src/lib.rs", "line 2\n", "line 2\n// log\n");
        self.commit("log", "Log what happens: größer als nichts");
        self.ok(&["export", "demo-core"]);
        self.ok(&["edit", "demo-core", "--patch", "a-fast"]);
        self.edit_file("src/lib.rs", "line 10\n", "line 10, fast\n");
        self.write(&format!("{FOLDER}/src/fast/new.rs"), "// new\n");
        self.commit("a-fast", "Make a fast, with a subject that is so long that a mail's header has to fold it");
        self.ok(&["edit", "demo-core", "--patch", "b-fast"]);
        self.edit_file("src/lib.rs", "line 30\n", "line 30, faster\n");
        self.commit("b-fast", "Make b fast");
        self.ok(&["export", "demo-core"]);
        self.ok(&["apply"]);
    }

    /// Writes Cargo.lock as cargo resolves the workspace now.
    pub(crate) fn lock(&self) {
        let _ = fs::remove_file(self.root.join("Cargo.lock"));
        let mut command = Command::new(env!("CARGO"));
        command.args(["metadata", "--offline", "--format-version", "1"]).current_dir(&self.root);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Runs a verb.
    pub(crate) fn xtask(&self, args: &[&str]) -> Said {
        let Output { status, stdout, stderr } = self.command(args).output().unwrap();
        Said {
            code: status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&stdout).into_owned(),
            err: String::from_utf8_lossy(&stderr).into_owned(),
        }
    }

    /// The call of a verb.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command.args(args).current_dir(&self.root).envs(self.env.iter().cloned());
        command
    }

    /// Runs a verb that must succeed; gives its standard output.
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let said = self.xtask(args);
        assert_eq!(said.code, 0, "{args:?}: {}", said.all());
        said.out
    }

    /// Runs a verb that must end with `code` and say every one of `words`.
    pub(crate) fn fails(&self, args: &[&str], code: i32, words: &[&str]) {
        let said = self.xtask(args);
        assert_eq!(said.code, code, "{args:?}: {}", said.all());
        for word in words {
            assert!(said.all().contains(word), "{args:?} does not say `{word}`: {}", said.all());
        }
    }

    /// Runs the user's git in the fork's folder.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let mut command = Command::new("git");
        command.arg("-C").arg(self.root.join(FOLDER)).args(["-c", "commit.gpgSign=false"]).args(args);
        for (role, what) in [("AUTHOR", "An Author"), ("COMMITTER", "Some Committer")] {
            command.env(format!("GIT_{role}_NAME"), what).env(format!("GIT_{role}_EMAIL"), "someone@example.com");
            command.env(format!("GIT_{role}_DATE"), "Thu, 1 Jan 2026 12:00:00 +0100");
        }
        let output = command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_EDITOR", "true").output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "git {args:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
        text
    }

    /// Runs the user's git in the repository itself.
    pub(crate) fn in_root(&self, args: &[&str]) {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.root).args(args).env("GIT_CONFIG_GLOBAL", "/dev/null");
        assert!(command.status().unwrap().success(), "git {args:?}");
    }

    /// Commits everything in the fork's folder as the patch `id`.
    pub(crate) fn commit(&self, id: &str, subject: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", &message(id, subject)]);
    }

    /// Amends the commit checked out with everything in the fork's folder.
    pub(crate) fn amend(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--amend", "--no-edit"]);
    }

    /// Replaces `from` by `to` in a file of the fork.
    pub(crate) fn edit_file(&self, path: &str, from: &str, to: &str) {
        self.replace(&format!("{FOLDER}/{path}"), from, to);
    }

    /// Replaces `from` by `to` in a file of the repository.
    pub(crate) fn replace(&self, path: &str, from: &str, to: &str) {
        let text = self.read(path);
        assert!(text.contains(from), "{path} has no `{from}`: {text}");
        self.write(path, &text.replacen(from, to, 1));
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap()
    }

    /// The files below `path`, `.git` and `target` left out.
    pub(crate) fn files(&self, path: &str) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(&self.root.join(path), &self.root.join(path), &mut files);
        files
    }

    /// Writes a vendored crate of forty lines.
    fn vendor(&self, folder: &str, name: &str, version: &str, needs: &str, checksum: &str) {
        let lines: String = (1..=40).map(|number| format!("// line {number}\n")).collect();
        self.vendored(folder, name, version, needs, checksum, &[("src/lib.rs", &lines)]);
    }

    /// Writes a vendored release with these files among others.
    pub(crate) fn release(&self, name: &str, version: &str, manifest: &str, checksum: &str, files: &[(&str, &str)]) {
        self.vendored(&format!("{name}-{version}"), name, version, manifest, checksum, files);
    }

    fn vendored(
        &self,
        folder: &str,
        name: &str,
        version: &str,
        manifest: &str,
        checksum: &str,
        files: &[(&str, &str)],
    ) {
        let package = format!("[package]\nname = \"{name}\"\nversion = \"{version}\"\nedition = \"2021\"\n{manifest}");
        let mut all: BTreeMap<&str, &str> = BTreeMap::from([
            ("Cargo.toml", package.as_str()),
            (".cargo_vcs_info.json", "{\"git\":{\"sha1\":\"1111111111111111111111111111111111111111\"}}"),
            ("src/windows.txt", "one\r\ntwo\r\n"),
            ("README.md", "demo\n"),
        ]);
        all.extend(files.iter().copied());
        let mut sums = BTreeMap::new();
        for (path, text) in all {
            let sum: String = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
            sums.insert(path, sum);
            self.write(&format!("vendor/{folder}/{path}"), text);
        }
        let list = serde_json::json!({ "files": sums, "package": checksum });
        self.write(&format!("vendor/{folder}/.cargo-checksum.json"), &list.to_string());
    }
}

/// The message of a patch's commit, with every trailer.
pub(crate) fn message(id: &str, subject: &str) -> String {
    format!(
        "{subject}\n\nBecause.\n\nPatch-Id: {id}\nUpstream-Status: Pending\nProof: bit-identical\nPrediction: wall time\n  -1 %"
    )
}

fn collect(top: &Path, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if !path.is_dir() {
            files.insert(path.strip_prefix(top).unwrap().display().to_string(), fs::read(&path).unwrap());
        } else if !path.ends_with(".git") && !path.ends_with("target") {
            collect(top, &path, files);
        }
    }
}

const CONFIG: &str = r#"
[source.crates-io]
replace-with = "vendored"
[source.vendored]
directory = "vendor"
[net]
offline = true
"#;

const WORKSPACE: &str = r#"
[workspace]
resolver = "2"
members = ["app"]
exclude = ["extern"]
[patch.crates-io]
demo-core = { path = "extern/demo-core" }
"#;

const APP: &str = r#"
[package]
name = "app"
version = "0.1.0"
edition = "2021"
[dependencies]
demo-core = "1"
demo-user = "0.1"
"#;
