//! Patch files that came by mail or were edited by hand, releases that cannot be had, and two verbs at once: taken whole
//! or refused with the reason, never half.

use std::fs;
use std::process::Stdio;

use crate::fixture::{FOLDER, Fixture};

const A: &str = "patches/demo-core/a-fast.patch";

/// Changes the file of `a-fast`; `apply` and `verify` must refuse it with `words`, and leave the folder alone.
fn refuses(change: impl Fn(&str) -> String, words: &[&str]) {
    let fixture = Fixture::ready();
    let before = fixture.files(FOLDER);
    let text = fixture.read(A);
    let changed = change(&text);
    assert_ne!(changed, text);
    fixture.write(A, &changed);
    fixture.fails(&["apply"], 1, words);
    fixture.fails(&["verify"], 1, words);
    assert_eq!(fixture.files(FOLDER), before);
}

#[test]
fn crlf_line_ends_are_refused() {
    refuses(|text| text.replace('\n', "\r\n"), &["a-fast", "CR line ends", "version control"]);
}

#[test]
fn a_diff_with_crlf_alone_is_refused() {
    let change = |text: &str| {
        let (head, diff) = text.split_at(text.find("diff --git").unwrap());
        let (diff, end) = diff.split_at(diff.find("-- \n").unwrap());
        format!("{head}{}{end}", diff.replace('\n', "\r\n"))
    };
    refuses(change, &["a-fast", "does not apply exactly"]);
}

#[test]
fn trailing_blanks_in_a_hunk_are_refused() {
    refuses(|text| text.replace("+// line 10, fast\n", "+// line 10, fast  \n"), &["a-fast", "index` line names"]);
    refuses(|text| text.replace(" // line 9\n", " // line 9 \n"), &["a-fast", "does not apply"]);
}

#[test]
fn a_mail_readers_additions_are_taken_and_put_in_form() {
    let fixture = Fixture::ready();
    let (before, text) = (fixture.files(FOLDER), fixture.read(A));
    let mailed = text
        .replacen("Subject: ", "Message-ID: <1@example.com>\nX-Mailer: some\n thing\nSubject: ", 1)
        .replace("-- \nend\n\n", "-- \n2.47.3\n\n");
    fixture.write(A, &mailed);
    fixture.fails(&["verify"], 1, &["not in the form that `export` writes", "cargo xtask export demo-core"]);
    fixture.ok(&["apply"]);
    assert_eq!(fixture.files(FOLDER), before);
    assert!(fixture.ok(&["export"]).contains("a-fast.patch: written"));
    assert_eq!(fixture.read(A), text);
    fixture.ok(&["verify"]);
}

#[test]
fn a_release_that_cannot_be_had_is_named_and_nothing_is_lost() {
    let fixture = Fixture::ready();
    fs::rename(fixture.root.join("vendor"), fixture.root.join("elsewhere")).unwrap();
    // What is laid out already needs no release.
    fixture.ok(&["apply"]);
    fixture.edit_file("src/lib.rs", "line 3\n", "mine\n");
    fs::remove_dir_all(fixture.root.join("target")).unwrap();
    fixture.replace("patches/forks.toml", "short = \"a\", ships = true", "short = \"a\", ships = false");
    fixture.fails(&["apply", "--discard"], 2, &["could not fetch demo-core 1.0.0"]);
    assert!(fixture.read(&format!("{FOLDER}/src/lib.rs")).contains("mine"));
    fs::rename(fixture.root.join("elsewhere"), fixture.root.join("vendor")).unwrap();
    fixture.ok(&["apply", "--discard"]);
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let fixture = Fixture::ready();
    fs::remove_dir_all(fixture.root.join("extern")).unwrap();
    fixture.write("extern", "a file where a folder should be");
    fixture.fails(&["apply"], 2, &["cannot make", "extern"]);
    assert_eq!(fixture.read("extern"), "a file where a folder should be");
}

#[test]
fn two_at_once_take_turns() {
    let fixture = Fixture::ready();
    for _ in 0..3 {
        fs::remove_dir_all(fixture.root.join("extern")).unwrap();
        let start = || fixture.command(&["apply"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let running = [start(), start(), start()];
        for child in running {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        fixture.ok(&["verify"]);
    }
}

#[test]
fn a_reader_that_goes_away_and_a_full_disk_are_no_panic() {
    let fixture = Fixture::ready();
    for verb in ["status", "verify", "apply"] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = fixture.command(&[verb]).stdout(full).stderr(Stdio::piped()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("cannot write to standard output"), "{said}");
        let mut child = fixture.command(&[verb]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
    }
}
