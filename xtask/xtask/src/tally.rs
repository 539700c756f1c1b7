//! Runs a test command with its output shown, and counts what the test runner says.

use std::{
    io::{BufRead, BufReader},
    ops::AddAssign,
    process::{Command, Stdio},
};

use crate::output::say;
use anyhow::{Context, Result};

/// Tests passed and failed, by the runner's own closing lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

impl Tally {
    /// One check that is no test of a runner.
    pub(crate) fn of_check(ok: bool) -> Self {
        Self { passed: ok.into(), failed: (!ok).into() }
    }
}

/// Runs the command with stdout passed on line by line. A command that fails without a failed test (it did not
/// compile, it crashed) counts as one failure.
pub(crate) fn run(command: &mut Command) -> Result<Tally> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run {}", command.get_program().display()))?;
    let stdout = child.stdout.take().context("the command has no output")?;
    let mut tally = Tally::default();
    for line in BufReader::new(stdout).lines() {
        let line = line.context("the command's output broke off")?;
        say!("{line}");
        if let Some(counts) = counts_of(&line) {
            tally += counts;
        }
    }
    let ok = child.wait().context("the command was lost")?.success();
    if !ok && tally.failed == 0 {
        tally.failed = 1;
    }
    Ok(tally)
}

/// The counts in "test result: ok. 7 passed; 0 failed; 0 ignored; …" or in a plain "7 passed, 0 failed".
fn counts_of(line: &str) -> Option<Tally> {
    let counts = match line.strip_prefix("test result: ") {
        Some(rest) => rest.split_once(". ")?.1,
        None => line,
    };
    let mut words = counts.split([' ', ';', ',']).filter(|w| !w.is_empty());
    let passed = words.next()?.parse().ok()?;
    if words.next()? != "passed" {
        return None;
    }
    let failed = words.next()?.parse().ok()?;
    (words.next()? == "failed").then_some(Tally { passed, failed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_are_counted() {
        let line = "test result: FAILED. 7 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.02s";
        assert_eq!(counts_of(line), Some(Tally { passed: 7, failed: 2 }));
        assert_eq!(counts_of("3 passed, 0 failed"), Some(Tally { passed: 3, failed: 0 }));
        assert_eq!(counts_of("test a::b ... ok"), None);
        assert_eq!(counts_of("7 passed the door"), None);
    }

    #[test]
    fn a_command_that_fails_without_a_failed_test_counts_as_a_failure() {
        let tally = run(Command::new("sh").args(["-c", "echo 'test result: ok. 2 passed; 0 failed;'; exit 101"]));
        assert_eq!(tally.expect("runs"), Tally { passed: 2, failed: 1 });
        let tally = run(Command::new("sh").args(["-c", "echo 'test result: ok. 2 passed; 0 failed;'"]));
        assert_eq!(tally.expect("runs"), Tally { passed: 2, failed: 0 });
    }
}
