//! The verb `bench` through the front door: arms really built by cargo from patches, over a stand-in for prove-once.

use serde_json::Value;

use crate::fixture::{FOLDER, Fixture};

const MANIFEST: &str = r#"
[package]
name = "prove-once"
version = "0.1.0"
edition = "2021"

[features]
default = ["forked"]
forked = []

[dependencies]
demo-core = "1"
"#;

/// Its proof is what the fork says; upstream's, which says nothing, is `1111`.
const MAIN: &str = r#"
fn main() {
    if std::env::args().nth(1).as_deref() == Some("params") {
        return println!("{{\"schema\":1,\"params\":\"none\"}}");
    }
    #[cfg(feature = "forked")]
    let (proof, backend) = (demo_core::PROOF, "forked");
    #[cfg(not(feature = "forked"))]
    let (proof, backend) = ("1111", "upstream");
    let fingerprint = env!("CUZK_FORKS_FINGERPRINT");
    println!(
        "{{\"schema\":1,\"fingerprint\":\"{fingerprint}\",\"backend\":\"{backend}\",\"path\":\"cpu\",\"batch\":1,\"synthesis\":[],\"error\":null,\
         \"proofs\":[{{\"warmup\":false,\"wall_s\":1.0,\"proof_sha256\":\"{proof}\",\"valid\":true}}]}}"
    );
}
"#;

/// `log` gives the proof its bytes, `a-fast` changes a comment, `b-fast` the proof.
pub(crate) fn fixture() -> Fixture {
    let fixture = Fixture::bare();
    fixture.write("cuzk/prove-once/Cargo.toml", MANIFEST);
    fixture.write("cuzk/prove-once/src/main.rs", MAIN);
    fixture.replace("Cargo.toml", "members = [\"app\"]", "members = [\"cuzk/prove-once\"]");
    fixture.replace("patches/forks.toml", "package = \"app\"", "package = \"prove-once\"");
    fixture.ok(&["edit", "demo-core"]);
    fixture.edit_file("src/lib.rs", "// line 2\n", "// line 2\n/// Bytes.\npub const PROOF: &str = \"1111\";\n");
    fixture.commit("log", "Log what happens");
    fixture.ok(&["export", "demo-core"]);
    fixture.ok(&["edit", "demo-core", "--patch", "a-fast"]);
    fixture.edit_file("src/lib.rs", "line 30\n", "line 30, fast\n");
    fixture.commit("a-fast", "Make a fast");
    fixture.ok(&["edit", "demo-core", "--patch", "b-fast"]);
    fixture.edit_file("src/lib.rs", "1111", "2222");
    fixture.commit("b-fast", "Make b fast");
    fixture.ok(&["export", "demo-core"]);
    fixture.ok(&["apply"]);
    fixture.lock();
    fixture
}

#[test]
fn every_arm_has_its_own_fork() {
    let fixture = fixture();
    // What is only in the fork's folder is in no arm.
    fixture.edit_file("src/lib.rs", "1111", "3333");
    let bench = |arms: &str| fixture.xtask(&["bench", "--quick", "--blocks", "2", "--json", "--arms", arms]);
    let said = bench("upstream,none");
    assert_eq!(said.code, 0, "{}", said.all());
    let shown: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(shown["analysis"]["cases"][0]["rows"][1]["state"]["kind"], "measured");
    let receipt: Value =
        serde_json::from_str(&std::fs::read_to_string(shown["receipt"].as_str().unwrap()).unwrap()).unwrap();
    assert_eq!(receipt["runs"].as_array().unwrap().len(), 4);
    assert_eq!(receipt["arms"][0]["builds"]["cpu"]["components"]["patches"], serde_json::json!({}));
    let patches = receipt["arms"][1]["builds"]["cpu"]["components"]["patches"].as_object().unwrap();
    assert_eq!(patches.keys().collect::<Vec<_>>(), ["demo-core/log"]);

    // All arms share names in one target folder, and are built one after another.
    let said = bench("upstream,+b,none,all");
    assert_eq!(said.code, 4, "{}", said.all());
    let shown: Value = serde_json::from_str(&said.out).unwrap();
    let states = shown["analysis"]["cases"][0]["rows"].as_array().unwrap();
    let states: Vec<&str> = states.iter().map(|row| row["state"]["kind"].as_str().unwrap()).collect();
    assert_eq!(states, ["measured", "void", "measured", "void"]);

    let said = bench("upstream,none,+a");
    assert_eq!(said.code, 1, "{}", said.all());
    assert!(said.out.contains("none and +a differ in patches and have the same cpu binary"), "{}", said.all());

    // Nothing is built again, and nothing was written into the repository's own folders.
    let said = bench("upstream,none");
    assert!(!said.err.contains("building"), "{}", said.all());
    assert!(fixture.read(&format!("{FOLDER}/src/lib.rs")).contains("3333"));
}

#[test]
fn a_campaign_has_twins_and_controls() {
    let fixture = fixture();
    fixture.replace("patches/forks.toml", "short = \"b\"", "short = \"b\", phase = \"synthesis\"");
    let args = ["bench", "--plan", "synthesis", "--arms", "single", "--patches", "b", "--blocks", "1", "--json"];
    let said = fixture.xtask(&args);
    // The proof of `b` is another.
    assert_eq!(said.code, 4, "{}", said.all());
    assert!(said.err.contains("7 arms, 2 cases, 1 blocks: 14 runs"), "{}", said.all());
    let shown: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(shown["analysis"]["cases"][0]["attribution"]["withheld"]["kind"], "no_floor");
    let receipt: Value =
        serde_json::from_str(&std::fs::read_to_string(shown["receipt"].as_str().unwrap()).unwrap()).unwrap();
    let arms = receipt["arms"].as_array().unwrap();
    let names: Vec<&str> = arms.iter().map(|arm| arm["arm"].as_str().unwrap()).collect();
    assert_eq!(names, ["upstream", "none", "+b", "none~1", "none~2", "control", "control-synthesis"]);
    let build = |name: &str| &arms[names.iter().position(|known| *known == name).unwrap()]["builds"]["cpu"];
    assert_eq!(build("none~2")["components"]["layout"], 2);
    assert_ne!(build("none~1")["code_sha256"], build("none")["code_sha256"]);
    assert_ne!(build("none~1")["code_sha256"], build("none~2")["code_sha256"]);
    assert_eq!(build("control"), build("none"));
    assert_eq!(receipt["plan"]["phases"], serde_json::json!({ "b-fast": "synthesis" }));
}

#[test]
fn wrong_usage_says_what_there_is() {
    let fixture = Fixture::ready();
    fixture.fails(&["bench"], 2, &["--plan quick", "--plan h200"]);
    fixture.fails(&["bench", "--plan", "slow"], 2, &["--plan quick"]);
    fixture.fails(&["bench", "--quick", "--arms", "none"], 2, &["needs the arm upstream"]);
    fixture.fails(
        &["bench", "--quick", "--patches", "a"],
        2,
        &["name one by --arms (single, leave-one-out, pairs, full)"],
    );
    fixture.fails(&["bench", "--quick", "--arms", "pairs", "--patches", "a,x"], 2, &["`x` is no measured patch"]);
    fixture.fails(&["bench", "--quick", "--until-precise", "0"], 2, &["between 0 and 100"]);
    fixture.fails(&["bench", "--plan", "synthesis", "--arms", "upstream,+a"], 2, &["this campaign needs the arm none"]);
    fixture.fails(&["bench", "--quick", "--arms", "upstream,+c"], 2, &["`c` is no measured patch", "a, b"]);
    fixture.fails(&["bench", "--quick", "--arms", "upstream,+a,a"], 2, &["the arms +a and a are the same"]);
    fixture.fails(
        &["bench", "--quick", "--arms", "upstream,none", "--resume"],
        2,
        &["no interrupted benchmark", "leave --resume out"],
    );
    fixture.write("file", "");
    fixture.fails(
        &["bench", "--quick", "--arms", "upstream,none", "--out", "file/out"],
        2,
        &["cannot create file/out"],
    );
    fixture.fails(
        &["bench", "--quick", "--arms", "upstream,none", "--bundle", "patches"],
        2,
        &["not empty and no bundle"],
    );
}
