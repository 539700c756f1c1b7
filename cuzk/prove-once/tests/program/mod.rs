//! The program as its users run it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// What a run printed and how it ended; a signal is no exit code.
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) json: Value,
}

impl Outcome {
    pub(crate) fn text(&self, field: &str) -> &str {
        self.json[field].as_str().unwrap_or_default()
    }
}

/// Test parameters, kept between runs of the tests.
pub(crate) fn params_dir() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the target folder");
    target.join("test-params")
}

/// Runs the program, or in its place another arm's named by PROVE_ONCE_BIN.
pub(crate) fn run(args: &[&str], adjust: impl FnOnce(&mut Command)) -> Outcome {
    let program = std::env::var("PROVE_ONCE_BIN").unwrap_or(env!("CARGO_BIN_EXE_prove-once").to_owned());
    let mut command = Command::new(program);
    command.args(args);
    adjust(&mut command);
    let output = command.output().expect("the program starts");
    let stdout = String::from_utf8(output.stdout).expect("UTF-8");
    let stderr = String::from_utf8_lossy(&output.stderr);
    let json = serde_json::from_str(&stdout)
        .unwrap_or_else(|error| panic!("{args:?}: {error}: not one JSON object: {stdout}{stderr}"));
    Outcome { code: output.status.code(), json }
}

/// `prove` without a warm-up, with the tests' parameters.
pub(crate) fn prove(args: &[&str]) -> Outcome {
    let dir = params_dir();
    let dir = dir.to_str().expect("UTF-8");
    let fixed = ["prove", "--warmups", "0", "--params-dir", dir];
    run(&[&fixed, args].concat(), |_| {})
}
