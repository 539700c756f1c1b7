//! The verb `report`: receipts shown in every form, refused when they are none, and the pages that are made of them.

use std::fs;

use serde_json::Value;

use crate::bench;
use crate::fixture::Fixture;

const MARKS: &str = "<!-- The table is written by `cargo xtask report`. -->\n<!-- The table ends. -->\n";

/// A repository with one receipt in `evidence/`; its path from the root.
fn measured() -> (Fixture, String) {
    let fixture = bench::fixture();
    fixture.write("README.md", &format!("# Demo\n\n{MARKS}\nThe end.\n"));
    let said =
        fixture.xtask(&["bench", "--quick", "--blocks", "2", "--arms", "upstream,none", "--out", "evidence", "--json"]);
    assert_eq!(said.code, 0, "{}", said.all());
    let shown: Value = serde_json::from_str(&said.out).unwrap();
    let path = std::path::Path::new(shown["receipt"].as_str().unwrap());
    let path = path.strip_prefix(&fixture.root).unwrap_or(path).to_str().unwrap().to_owned();
    (fixture, path)
}

#[test]
fn a_receipt_is_shown_in_every_form() {
    let (fixture, receipt) = measured();
    let table = fixture.ok(&["report", &receipt]);
    assert!(table.contains("winning-post-2KiB (cpu)") && table.contains("n too small"), "{table}");
    assert!(fixture.ok(&["report", &receipt, "--markdown"]).contains("| upstream |"));
    let json: Value = serde_json::from_str(&fixture.ok(&["report", &receipt, "--json"])).unwrap();
    assert_eq!(json["cases"][0]["rows"][1]["arm"], "none");

    fixture.ok(&["report", &receipt, "--html", "page.html", "--trace", "run.json", "--arm", "none"]);
    let page = fixture.read("page.html");
    assert!(page.contains("cargo xtask bench --plan quick --arms upstream,none --blocks 2"), "{page}");
    let trace: Value = serde_json::from_str(&fixture.read("run.json")).unwrap();
    assert_eq!(trace["otherData"]["arm"], "none");

    let twice = fixture.ok(&["report", &receipt, &receipt, "--json"]);
    let twice: Value = serde_json::from_str(&twice).unwrap();
    assert_eq!((&json["cases"][0]["rows"][1]["runs"], &twice["cases"][0]["rows"][1]["runs"]), (&2.into(), &4.into()));
}

#[test]
fn what_is_no_receipt_is_refused_with_what_is_wrong() {
    let (fixture, receipt) = measured();
    let text = fixture.read(&receipt);
    let refused = |name: &str, text: String, words: &[&str]| {
        fixture.write(name, &text);
        fixture.fails(&["report", name], 2, &[&[name], words].concat());
    };
    refused("cut.json", text[..text.len() / 2].to_owned(), &["EOF"]);
    refused("old.json", text.replacen("\"schema\":1", "\"schema\":0", 1), &["schema 0"]);
    refused("edited.json", text.replacen("\"cpu_s\":", "\"cpu_s\":-", 1), &["took -"]);
    refused("patched.json", text.replacen("demo-core/log", "demo-core/lag", 1), &["is not that of its components"]);
    fixture.fails(&["report", "nowhere.json"], 2, &["cannot read nowhere.json"]);
    fixture.fails(&["report", &receipt, "--trace", "x", "--arm", "+a"], 2, &["no run of +a"]);
    fixture.fails(
        &["report", &receipt, "--trace", "x", "--arm", "none", "--case", "2"],
        2,
        &["the receipt has 1 cases"],
    );
    let mut other: Value = serde_json::from_str(&text).unwrap();
    other["host"]["cpu"] = "Another".into();
    fixture.write("other.json", &other.to_string());
    fixture.fails(&["report", &receipt, "other.json"], 2, &["the CPU of the two differs"]);
}

#[test]
fn the_pages_follow_the_receipts() {
    let (fixture, receipt) = measured();
    let page = receipt.replace(".json", ".html");
    let first = fixture.xtask(&["report", "--check"]);
    assert_eq!(first.code, 1, "{}", first.all());
    assert!(first.out.contains("README.md: not what") && first.out.contains(&page), "{}", first.all());
    fixture.ok(&["report"]);
    let readme = fixture.read("README.md");
    assert!(readme.contains("| `a-fast` | demo-core | Make a fast | not yet | yes |"), "{readme}");
    assert!(readme.starts_with("# Demo\n") && readme.ends_with("\nThe end.\n"), "{readme}");
    let index = fixture.read("evidence/README.md");
    assert!(index.contains("| all equal |") && index.contains("Not measured yet."), "{index}");
    assert!(fixture.ok(&["report", "--check"]).contains("3 pages are what"));

    fixture.replace("README.md", "| not yet | yes |", "| **faster** | yes |");
    fs::remove_file(fixture.root.join(&page)).unwrap();
    let changed = fixture.xtask(&["report", "--check"]);
    assert_eq!(changed.code, 1, "{}", changed.all());
    assert!(!changed.out.contains("evidence/README.md"), "{}", changed.all());
    fixture.ok(&["report"]);
    assert_eq!(fixture.read("README.md"), readme);

    fixture.replace("README.md", "<!-- The table ends. -->\n", "");
    fixture.fails(&["report"], 2, &["no place for the table", "put back"]);
    fixture.write("README.md", &readme);
    fixture.write(&receipt, "{");
    fixture.fails(&["report"], 2, &[&receipt]);
}

#[test]
fn a_gate_fails_where_nothing_was_judged() {
    let fixture = bench::fixture();
    let said = fixture.xtask(&["bench", "--quick", "--blocks", "1", "--arms", "upstream,none", "--gate"]);
    assert_eq!(said.code, 3, "{}", said.all());
}
