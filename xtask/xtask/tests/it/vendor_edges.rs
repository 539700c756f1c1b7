//! `vendor` where it may not write, beside what is not its own, and killed before each of its changes.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use crate::fixture::{FOLDER, Fixture};

const TO: &[&str] = &["vendor", "--to", "out"];
const MARK: &str = "out/.vendored-by-xtask";

fn git(fixture: &Fixture, folder: &str, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.arg("-C").arg(fixture.root.join(folder)).args(["-c", "user.name=x", "-c", "user.email=x@localhost"]);
    let output = command.args(args).env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn unship(fixture: &Fixture) {
    fixture.replace("patches/forks.toml", "short = \"a\", ships = true", "short = \"a\", ships = false");
}

#[test]
fn what_is_vendored_may_be_kept_in_git() {
    let fixture = Fixture::ready();
    fs::create_dir(fixture.root.join("out")).unwrap();
    // The folder itself, a crate in it, and a crate that is a submodule.
    git(&fixture, "out", &["init", "-q"]);
    fixture.ok(TO);
    git(&fixture, "out/demo-core", &["init", "-q"]);
    fixture.write("out/demo-core/src/.git", "gitdir: elsewhere\n");
    git(&fixture, "out/demo-core", &["add", "README.md"]);
    git(&fixture, "out/demo-core", &["commit", "-q", "-m", "Keep"]);
    let head = git(&fixture, "out/demo-core", &["rev-parse", "HEAD"]);
    fixture.ok(&["vendor", "--to", "out", "--check"]);
    unship(&fixture);
    fixture.ok(TO);
    assert_eq!(git(&fixture, "out/demo-core", &["rev-parse", "HEAD"]), head);
    assert_eq!(fixture.read("out/demo-core/src/.git"), "gitdir: elsewhere\n");
    assert!(fixture.root.join("out/.git/HEAD").exists());
}

#[test]
fn a_folder_with_hidden_files_of_others_is_theirs() {
    let fixture = Fixture::ready();
    for path in ["out/.unfinished/work", "out/.github/work", "out/.gitignore"] {
        fixture.write(path, "mine");
        fixture.fails(TO, 2, &["out holds files"]);
        assert_eq!(fixture.read(path), "mine");
        fs::remove_dir_all(fixture.root.join("out")).unwrap();
    }
}

#[test]
fn places_with_a_purpose_of_their_own_are_refused() {
    let fixture = Fixture::ready();
    fixture.in_root(&["init", "-q"]);
    symlink("patches", fixture.root.join("link")).unwrap();
    let before = (fixture.files("."), fixture.files(FOLDER));
    for (to, word) in [
        (".git/out", "in a .git"),
        ("extern/demo-core/.git/out", "in a .git"),
        ("patches/out", "in patches/"),
        ("patches", "in patches/"),
        ("link/out", "in patches/"),
        ("nowhere/../patches/out", "in patches/"),
        (FOLDER, "demo-core is laid out in extern/demo-core"),
        ("extern/demo-core/src/out", "demo-core is laid out in extern/demo-core"),
        ("extern", "demo-core is laid out in extern/demo-core"),
        (".", "demo-core is laid out in extern/demo-core"),
    ] {
        for check in [&[][..], &["--check"]] {
            fixture.fails(&[&["vendor", "--to", to], check].concat(), 2, &[word, "mend: name a folder outside"]);
        }
        assert_eq!((fixture.files("."), fixture.files(FOLDER)), before, "{to}");
        assert!(!fixture.root.join(to).join(".vendored-by-xtask-unfinished").exists());
    }
    // Not laid out, the place is a fork's all the same.
    fs::remove_dir_all(fixture.root.join("extern")).unwrap();
    fixture.fails(&["vendor", "--to", "extern"], 2, &["demo-core is laid out in extern/demo-core"]);
    fixture.ok(&["vendor", "--to", "patches-of-ours/.gitted"]);
}

#[test]
fn a_name_that_somebody_wrote_into_the_mark_is_not_believed() {
    let fixture = Fixture::ready();
    fixture.ok(TO);
    let names = ["mine", "../mine", "..", ".", "", "/", "demo-core/../mine", "-x"];
    fixture.write(MARK, &format!("{}{}\n", fixture.read(MARK), names.join("\n")));
    fixture.write("out/mine/work.rs", "mine");
    fixture.write("mine/work.rs", "mine");
    unship(&fixture);
    fixture.ok(TO);
    assert_eq!((fixture.read("out/mine/work.rs"), fixture.read("mine/work.rs")), ("mine".into(), "mine".into()));
    assert!(fixture.read(MARK).ends_with("\ndemo-core\n"), "{}", fixture.read(MARK));
    fixture.ok(&["verify"]);
}

type Files = BTreeMap<String, Vec<u8>>;

/// All files of the repository that are not vendored, and all that are.
fn inside_and_out(fixture: &Fixture) -> (Files, Files) {
    fixture.files(".").into_iter().partition(|(path, _)| path.starts_with("out/"))
}

/// Ends `vendor` before each of its changes, by a kill or a full disk: the next call makes it whole, and nothing else is
/// touched.
fn walk(fixture: &Fixture, how: &str) {
    let whole = fixture.copy();
    whole.ok(TO);
    let (out, rest) = inside_and_out(&whole);
    for number in 0.. {
        let copy = fixture.copy();
        let output = copy.command(TO).env(how, number.to_string()).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(inside_and_out(&copy).1, rest, "change {number}: {told}");
        if output.status.success() {
            assert!(number > 3, "{number} changes: nothing was walked");
            return;
        }
        // Not whole, and known to be so.
        let said = copy.xtask(&["vendor", "--to", "out", "--check"]);
        assert!(said.code <= 1, "change {number}: {}", said.all());
        copy.ok(TO);
        assert!(inside_and_out(&copy) == (out.clone(), rest.clone()), "change {number} left something else");
        copy.ok(&["vendor", "--to", "out", "--check"]);
    }
}

/// A folder that was written before, with a fork that is none any more, and somebody's own files in it.
fn written_before() -> Fixture {
    let fixture = Fixture::ready();
    fixture.ok(TO);
    fixture.write(MARK, &format!("{}once-a-fork\n", fixture.read(MARK)));
    fixture.write("out/once-a-fork/src/lib.rs", "");
    fixture.write("out/once-a-fork/Cargo.toml", "");
    fixture.write("out/once-a-fork/PATCHES.md", &fixture.read("out/demo-core/PATCHES.md"));
    fixture.write("out/mine.md", "mine");
    unship(&fixture);
    fixture.replace("patches/demo-core/log.patch", "Because.", "For another reason.");
    fixture
}

#[test]
fn a_first_call_that_is_killed_is_made_whole_by_the_next() {
    walk(&Fixture::ready(), "FORKS_TEST_DIE_AT_CHANGE");
}

#[test]
fn a_later_call_that_is_killed_is_made_whole_by_the_next() {
    walk(&written_before(), "FORKS_TEST_DIE_AT_CHANGE");
}

#[test]
fn a_call_on_a_full_disk_is_made_whole_by_the_next() {
    walk(&written_before(), "FORKS_TEST_FAIL_AT_CHANGE");
}
