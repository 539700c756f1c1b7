//! `status`: what it shows of forks that are well, drifted, measured, or broken.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::fixture::{FOLDER, Fixture};

#[test]
fn a_fork_that_is_well_is_quiet() {
    insta::assert_snapshot!(Fixture::ready().ok(&["status"]));
}

/// What `status` shows after `change`, under a heading.
fn shown(heading: &str, change: impl Fn(&Fixture)) -> String {
    let fixture = Fixture::ready();
    change(&fixture);
    format!("== {heading}\n{}\n", fixture.ok(&["status"]))
}

const LIB: &str = "src/lib.rs";

#[test]
fn every_kind_of_drift_is_told() {
    let page = [
        shown("not laid out", |fixture| fs::remove_dir_all(fixture.root.join("extern")).unwrap()),
        shown("foreign", |fixture| fs::remove_dir_all(fixture.root.join(FOLDER).join(".git")).unwrap()),
        shown("outdated", |fixture| {
            fixture.replace("patches/forks.toml", "short = \"a\", ships = true", "short = \"a\", ships = false")
        }),
        shown("interrupted", |fixture| {
            let git = fixture.root.join(FOLDER).join(".git");
            let state: Value = serde_json::from_slice(&fs::read(git.join("forks.json")).unwrap()).unwrap();
            let tree = fixture.git(&["rev-parse", "main^{tree}"]);
            let journal = json!({ "trees": [tree.trim()], "state": state });
            fs::write(git.join("forks-unfinished.json"), journal.to_string()).unwrap();
        }),
        shown("uncommitted", |fixture| {
            fixture.edit_file(LIB, "line 3\n", "mine\n");
            fs::remove_file(fixture.root.join(FOLDER).join("README.md")).unwrap();
            fixture.write(&format!("{FOLDER}/src/mine.rs"), "");
            fixture.git(&["update-index", "--chmod=+x", "src/windows.txt"]);
        }),
        shown("on a branch, with a commit", |fixture| {
            fixture.git(&["switch", "-q", "patch/b-fast"]);
            fixture.edit_file(LIB, "line 20\n", "mine\n");
            fixture.amend();
        }),
        shown("detached, with a commit", |fixture| {
            fixture.git(&["switch", "-q", "--detach"]);
            fixture.edit_file(LIB, "line 20\n", "mine\n");
            fixture.amend();
        }),
        shown("in a cherry-pick", |fixture| {
            let id = fixture.git(&["rev-parse", "patch/b-fast"]);
            fs::write(fixture.root.join(FOLDER).join(".git/CHERRY_PICK_HEAD"), id).unwrap();
        }),
        shown("missing in a build", |fixture| {
            fixture.replace("Cargo.toml", "demo-core = { path = \"extern/demo-core\" }", "");
            fixture.lock();
        }),
        shown("a patch without a file", |fixture| {
            fs::remove_file(fixture.root.join("patches/demo-core/b-fast.patch")).unwrap();
        }),
        shown("a patch file that cannot be read", |fixture| {
            fixture.replace("patches/demo-core/b-fast.patch", "Date: ", "Dated: ");
        }),
    ];
    insta::assert_snapshot!(page.concat());
}

#[test]
fn an_upstream_status_is_whole_or_its_first_word() {
    let fixture = Fixture::ready();
    let long = format!("Pending (to be offered {})", "as soon as that is asked for ".repeat(2).trim_end());
    let link = "Submitted https://example.com/pull/1";
    for (id, status) in [("log", long.as_str()), ("a-fast", link)] {
        let path = format!("patches/demo-core/{id}.patch");
        fixture.replace(&path, "Upstream-Status: Pending", &format!("Upstream-Status: {status}"));
    }
    fixture.ok(&["apply"]);
    let page = fixture.ok(&["status"]);
    let row = |id: &str| page.lines().find(|line| line.trim_start().starts_with(id)).unwrap();
    assert!(row("log").ends_with("  Pending") && row("a-fast").ends_with(link), "{page}");
    let is_command = |line: &str| line.starts_with("next: ");
    assert!(page.lines().all(|line| is_command(line) || line.chars().count() <= 80), "{page}");
    let json: Value = serde_json::from_str(&fixture.ok(&["status", "--json"])).unwrap();
    assert_eq!(json[0]["patches"][0]["upstream"], long.as_str());
}

/// A receipt with the arms `none`, `+a` and `+b`, the latter with another `b-fast` than today's.
fn measure(fixture: &Fixture) {
    let forks = forks::Forks::open(&fixture.root).unwrap();
    let fork = &forks.pins.forks[0];
    let arms = [&[][..], &["a-fast".to_owned()], &["b-fast".to_owned()]].map(|measured| {
        let mut patches = forks::fingerprint::patch_ids(&forks, fork, measured).unwrap();
        patches.entry("demo-core/b-fast".into()).and_modify(|id| *id = "another".into());
        let pins = json!({ "demo-core": forks::fingerprint::pin(fork) });
        json!({ "builds": { "cpu": { "components": { "pins": pins, "patches": patches } } } })
    });
    let plan = json!({ "cases": [{ "workload": "chain/2^12", "path": "cpu" }] });
    let host = json!({ "cpu": "A CPU", "cores": 2 });
    fixture.write("evidence/w/d/x.json", &json!({ "plan": plan, "host": host, "arms": arms }).to_string());
}

#[test]
fn evidence_is_fresh_or_stale() {
    let fixture = Fixture::ready();
    measure(&fixture);
    insta::assert_snapshot!(fixture.ok(&["status"]));
}

#[test]
fn colour_marks_what_is_not_well_and_only_where_it_is_wanted() {
    let mut fixture = Fixture::ready();
    measure(&fixture);
    fixture.edit_file(LIB, "line 3\n", "mine\n");
    let plain = fixture.ok(&["status"]);
    assert!(!plain.contains('\x1b'), "{plain}");
    fixture.env.push(("CLICOLOR_FORCE".into(), "1".into()));
    let coloured = fixture.ok(&["status"]);
    assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), plain);
    insta::assert_snapshot!(coloured.replace('\x1b', "ESC"));
    fixture.env.push(("NO_COLOR".into(), "1".into()));
    assert_eq!(fixture.ok(&["status"]), plain);
}

/// Breaks the fork's folder; `status` still shows it, and `verify` finds it, with what mends it.
fn tells(words: &[&str], next: &str, breaks: impl Fn(&Fixture)) {
    let fixture = Fixture::ready();
    breaks(&fixture);
    let status = fixture.ok(&["status"]);
    let said = fixture.xtask(&["verify", "--json"]);
    assert_eq!(said.code, 1, "{}", said.all());
    let report: Value = serde_json::from_str(&said.out).unwrap();
    let found = report["findings"].as_array().unwrap().iter().find(|found| found["check"] == "folder");
    let found = found.unwrap_or_else(|| panic!("{}", said.all()));
    for word in words {
        assert!(status.contains(word), "`{word}`: {status}");
        assert!(found["message"].as_str().unwrap().contains(word), "`{word}`: {found}");
    }
    assert!(status.contains("a-fast") && status.contains(&format!("next: {next}")), "{status}");
    assert!(found["fix"].as_str().unwrap().contains("`cargo xtask apply --discard demo-core`"), "{found}");
    fixture.ok(&["apply", "--discard"]);
    fixture.ok(&["verify"]);
}

#[test]
fn a_broken_head_is_told() {
    tells(&["cannot be read", "rev-parse"], "mend it with your own git", |fixture| {
        fs::write(fixture.root.join(FOLDER).join(".git/HEAD"), "nonsense").unwrap();
    });
}

#[test]
fn lost_objects_are_told() {
    tells(&["cannot be read"], "mend it with your own git", |fixture| {
        fs::remove_dir_all(fixture.root.join(FOLDER).join(".git/objects")).unwrap();
    });
}

#[test]
fn a_symlink_in_a_commit_is_told() {
    tells(&["commits on branch main"], "`cargo xtask export demo-core`", |fixture| {
        symlink("README.md", fixture.root.join(FOLDER).join("link")).unwrap();
        fixture.amend();
    });
}

#[test]
fn a_link_in_the_place_of_a_fork_is_told() {
    let fixture = Fixture::ready();
    fs::rename(fixture.root.join(FOLDER), fixture.root.join("elsewhere")).unwrap();
    symlink("../elsewhere", fixture.root.join(FOLDER)).unwrap();
    let said = fixture.ok(&["status"]);
    assert!(said.contains("symbolic link") && said.contains("next: mend what it says"), "{said}");
    fixture.fails(&["verify"], 1, &["folder demo-core: extern/demo-core: cannot be read", "remove the link"]);
}

#[test]
fn a_git_that_is_a_file_is_told() {
    let fixture = Fixture::ready();
    let git = fixture.root.join(FOLDER).join(".git");
    fs::remove_dir_all(&git).unwrap();
    fs::write(&git, "gitdir: /nowhere\n").unwrap();
    assert!(fixture.ok(&["status"]).contains("! not laid out by `cargo xtask apply`"));
    fixture.fails(&["verify"], 1, &["folder demo-core: extern/demo-core: not laid out"]);
    fixture.ok(&["apply", "--discard"]);
    fixture.ok(&["verify"]);
}
