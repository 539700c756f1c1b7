//! `test --upstream-suites`: upstream's own tests on the releases and on the forks with every patch of the arm `all`.
//!
//! What fails on the releases too is listed with the reason; what fails only on the forks is a failure.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use anyhow::{Context, Result};
use forks::Forks;

use crate::output::say;
use crate::{bench, suites::Suite, tally::Tally};

/// What upstream's suites cannot show, and why.
const NOT_RUN: &[(&str, &str)] = &[
    ("bellpepper-core on the release", "its unit tests need blstrs, which its dev-dependencies lack; a1 adds it"),
    ("bellpepper-core src/lc.rs", "upstream's tests there sit behind a feature `groth16` that the crate does not have"),
    ("supraseal-c2 tests/c2.rs", "the release's only test is a panic by design: it fails always"),
];

/// Suites that do not compile on the release.
const NOT_ON_RELEASE: &[&str] = &["bellpepper-core"];

pub(super) fn run(forks: &Forks) -> Result<Tally> {
    let pristine = outcomes(forks, &Suite::pristine(forks)?, NOT_ON_RELEASE)?;
    let patched = outcomes(forks, &Suite::patched(forks, "all", &bench::arm_patches(forks, "all")?)?, &[])?;
    let mut tally = Tally::default();
    for (test, passed) in &patched {
        match (passed, pristine.get(test)) {
            (false, Some(false)) => say!("fails on the release too: {test}"),
            (false, _) => {
                say!("FAILS ONLY ON THE FORK: {test}");
                tally += Tally::of_check(false);
            }
            (true, _) => tally += Tally::of_check(true),
        }
    }
    for test in pristine.keys().filter(|test| !patched.contains_key(*test)) {
        say!("GONE FROM THE FORK: {test}");
        tally += Tally::of_check(false);
    }
    for (what, why) in NOT_RUN {
        say!("not run: {what}: {why}");
    }
    say!("{} tests on the releases, {} on the forks", pristine.len(), patched.len());
    Ok(tally)
}

/// Test → passed, for the forks that need no CUDA compiler.
fn outcomes(forks: &Forks, suite: &Suite, left_out: &[&str]) -> Result<BTreeMap<String, bool>> {
    // One for each suite: cargo names members by their place in the workspace, so it would take the artifacts of one for
    // those of the other.
    let target = suite.folder.with_extension("target");
    let mut all = BTreeMap::new();
    let left_out = |name: &str| name == "supraseal-c2" || left_out.contains(&name);
    for fork in forks.pins.forks.iter().filter(|fork| !left_out(&fork.krate)) {
        let args = ["--lib", "--tests"].map(str::to_owned);
        all.extend(parse(&fork.name, suite.cargo_test(forks, fork, &target, &args)?)?);
    }
    Ok(all)
}

/// Runs the tests, shows their output, and reads each test's outcome; a test is named with its crate and binary.
fn parse(package: &str, mut command: Command) -> Result<BTreeMap<String, bool>> {
    // Which binary runs is said on stderr, the tests' names on stdout: both are needed, in order.
    let line = std::iter::once(command.get_program()).chain(command.get_args());
    let line: Vec<String> =
        line.filter(|word| *word != "--quiet").map(|word| format!("'{}'", word.to_string_lossy())).collect();
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("exec 2>&1; exec {}", line.join(" ")));
    for (name, value) in command.get_envs() {
        shell.env(name, value.unwrap_or_default());
    }
    shell.current_dir(command.get_current_dir().context("a suite has a folder")?);
    command = shell;
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().context("cannot run cargo test")?;
    let stdout = child.stdout.take().context("cargo test has no output")?;
    let mut binary = String::new();
    let mut outcomes = BTreeMap::new();
    for line in BufReader::new(stdout).lines() {
        let line = line.context("cargo test's output broke off")?;
        eprintln!("{line}");
        if let Some(running) = line.trim_start().strip_prefix("Running ") {
            binary = running.split(" (").next().unwrap_or(running).to_owned();
        }
        if let Some((name, passed)) = outcome_of(&line) {
            outcomes.insert(format!("{package} {binary} {name}"), passed);
        }
    }
    child.wait().context("cargo test was lost")?;
    anyhow::ensure!(!outcomes.is_empty(), "the suite of {package} ran no test; cargo's message is above");
    Ok(outcomes)
}

/// The name and outcome in "test a::b ... ok"; ignored tests have none.
fn outcome_of(line: &str) -> Option<(&str, bool)> {
    let (name, outcome) = line.strip_prefix("test ")?.split_once(" ... ")?;
    match outcome {
        "ok" => Some((name, true)),
        "FAILED" => Some((name, false)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_read_from_the_runners_lines() {
        assert_eq!(outcome_of("test a::b ... ok"), Some(("a::b", true)));
        assert_eq!(outcome_of("test a::b ... FAILED"), Some(("a::b", false)));
        assert_eq!(outcome_of("test a::b ... ignored"), None);
        assert_eq!(outcome_of("test result: ok. 1 passed"), None);
    }
}
