//! Files and folders that cannot be written: the message names the way out, and it works.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use crate::fixture::{FOLDER, Fixture};

const DROP: [&str; 4] = ["drop", "demo-core", "log", "--shipped"];

/// Makes the `number`th change of `drop` fail, as `chattr +i` on that file would.
fn fails_at(fixture: &Fixture, number: usize) -> (bool, String) {
    let mut command = fixture.command(&DROP);
    let output = command.env("FORKS_TEST_FAIL_AT_CHANGE", number.to_string()).output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_patch_file_that_cannot_be_written_leaves_the_change_to_the_next_verb() {
    let fixture = Fixture::ready();
    let whole = fixture.copy();
    whole.ok(&DROP);
    let mut half = 0;
    for number in 0.. {
        let copy = fixture.copy();
        let (is_done, said) = fails_at(&copy, number);
        if is_done {
            break;
        }
        if !copy.root.join("patches/.unfinished.json").exists() {
            continue;
        }
        half += 1;
        for words in
            ["the change is kept whole in patches/.unfinished.json", "make the file writable", "the next `cargo xtask`"]
        {
            assert!(said.contains(words), "change {number}: no `{words}` in {said}");
        }
        let said = copy.xtask(&["status"]);
        assert!(said.code == 0 && said.err.contains("finishing what a killed"), "{}", said.all());
        assert_eq!(copy.files("patches"), whole.files("patches"), "change {number}");
    }
    assert!(half > 2, "{half} failures between the first file and the last");
}

#[test]
fn a_change_that_cannot_be_finished_can_be_given_up() {
    let fixture = Fixture::ready();
    let before = fixture.files("patches");
    let number = (0..).find(|number| {
        fails_at(&fixture, *number);
        fixture.root.join("patches/.unfinished.json").exists()
    });
    fixture.fails(&["status"], 0, &[]);
    assert!(number.is_some());
    let fixture = Fixture::ready();
    fails_at(&fixture, number.unwrap());
    fs::remove_file(fixture.root.join("patches/.unfinished.json")).unwrap();
    for (path, bytes) in &before {
        fs::write(fixture.root.join("patches").join(path), bytes).unwrap();
    }
    fixture.ok(&["apply"]);
    fixture.ok(&["verify"]);
    assert_eq!(fixture.files("patches"), before);
}

#[test]
fn a_target_that_leads_nowhere_is_told() {
    let fixture = Fixture::ready();
    fs::remove_dir_all(fixture.root.join("target")).unwrap();
    symlink("/nowhere/scratch", fixture.root.join("target")).unwrap();
    for verb in [&["apply"][..], &["verify"], &["export"], &["vendor", "--to", "out"]] {
        fixture.fails(
            verb,
            2,
            &["target: it is a symbolic link to /nowhere/scratch, which is not there", "remove the link"],
        );
    }
    fs::remove_file(fixture.root.join("target")).unwrap();
    fs::create_dir(fixture.root.join("elsewhere")).unwrap();
    symlink("elsewhere", fixture.root.join("target")).unwrap();
    fixture.ok(&["apply"]);
}

#[test]
fn an_immutable_patch_file_is_in_nobodys_way_once_it_is_writable() {
    let fixture = Fixture::ready();
    let whole = fixture.copy();
    whole.ok(&DROP);
    let file = fixture.root.join("patches/demo-core/b-fast.patch");
    let chattr = |flag: &str| Command::new("chattr").arg(flag).arg(&file).status().is_ok_and(|status| status.success());
    if !chattr("+i") {
        eprintln!("skipped: chattr +i does not work here");
        return;
    }
    let told = [fixture.xtask(&DROP), fixture.xtask(&["apply"]), fixture.xtask(&["verify", "--json"])];
    let first = fixture.files("patches");
    chattr("-i");
    for said in told {
        assert_eq!(said.code, 2, "{}", said.all());
        assert!(said.err.contains("b-fast.patch: Operation not permitted"), "{}", said.all());
        assert!(said.err.contains("kept whole in patches/.unfinished.json"), "{}", said.all());
    }
    assert!(first.contains_key(".unfinished.json"));
    fixture.ok(&["apply"]);
    assert_eq!(fixture.files("patches"), whole.files("patches"));
    assert_eq!(fixture.files(FOLDER), whole.files(FOLDER));
}
