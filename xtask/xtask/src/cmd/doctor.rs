//! `cargo xtask doctor`: what this machine has and lacks, and the command that mends it.

use std::{
    path::Path,
    process::{Command, ExitCode},
};

use anyhow::Result;
use serde::Serialize;

use crate::gates::tool;
use crate::output::say;
use crate::{cuda, gpus};

/// Show what this machine has and lacks, and the command that mends it
#[derive(clap::Args)]
pub(crate) struct Args {
    /// One JSON object on stdout.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum State {
    /// As needed.
    Ok,
    /// Only some verbs need it.
    Optional,
    /// Nothing works without it.
    Missing,
}

/// One thing looked at.
#[derive(Serialize)]
struct Check {
    what: &'static str,
    state: State,
    found: String,
    /// The command that mends it, when it is not as needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    mend: Option<&'static str>,
}

impl Check {
    fn ok(what: &'static str, found: impl Into<String>) -> Self {
        Self { what, state: State::Ok, found: found.into(), mend: None }
    }

    fn lacking(what: &'static str, state: State, found: impl Into<String>, mend: &'static str) -> Self {
        Self { what, state, found: found.into(), mend: Some(mend) }
    }
}

/// Exit 0 when all that every verb needs is there, else 1.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let root = crate::root();
    let checks: Vec<Check> =
        [tools(), machine(), laid_out(&root), semver_checks(&root), cuda_compiler(&root), devices()]
            .into_iter()
            .flatten()
            .collect();
    let ok = checks.iter().all(|c| c.state != State::Missing);
    if args.json {
        say!("{}", serde_json::json!({ "ok": ok, "checks": checks }));
    } else {
        for check in &checks {
            let mark = match check.state {
                State::Ok => "ok      ",
                State::Optional => "optional",
                State::Missing => "MISSING ",
            };
            say!("{mark}  {:<14} {}", check.what, check.found);
            if let Some(mend) = check.mend {
                say!("{:>25} mend: {mend}", "");
            }
        }
    }
    Ok(if ok { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn tools() -> Vec<Check> {
    [
        ("rustc", "rustc", (1, 90), "rustup update stable"),
        // `git merge-tree --merge-base` came with 2.40.
        ("git", "git", (2, 40), "apt-get install git (2.40 or later)"),
        ("python3", "python3", (3, 8), "apt-get install python3"),
        ("C compiler", "cc", (0, 0), "apt-get install gcc g++"),
        ("C++ compiler", "c++", (0, 0), "apt-get install gcc g++"),
    ]
    .into_iter()
    .map(|(what, program, least, mend)| match version_line(program) {
        None => Check::lacking(what, State::Missing, format!("{program} does not run"), mend),
        Some(line) if version_of(&line).is_some_and(|v| v < least) => {
            let found = format!("{line}; {}.{} or later is needed", least.0, least.1);
            Check::lacking(what, State::Missing, found, mend)
        }
        Some(line) => Check::ok(what, line),
    })
    .collect()
}

fn version_line(program: &str) -> Option<String> {
    let output = Command::new(program).arg("--version").output().ok().filter(|o| o.status.success())?;
    String::from_utf8_lossy(&output.stdout).lines().next().map(str::to_owned)
}

/// The first "major.minor" of a version line.
fn version_of(line: &str) -> Option<(u32, u32)> {
    line.split(|c: char| c.is_whitespace() || c == '(' || c == ')').find_map(|word| {
        let mut parts = word.split('.');
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    })
}

/// Cores and memory: building the real circuits takes about 3 GiB a compiler process, their proofs 2 GiB.
fn machine() -> Vec<Check> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let memory_gib = std::fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| {
            text.lines().find_map(|l| l.strip_prefix("MemTotal:")?.split_whitespace().next()?.parse().ok())
        })
        .map_or(0, |kib: u64| kib >> 20);
    let found = format!("{cores} cores, {memory_gib} GiB of memory");
    vec![if memory_gib < 7 {
        Check::lacking("machine", State::Optional, found, "8 GiB or more; below that build with CARGO_BUILD_JOBS=1")
    } else {
        Check::ok("machine", found)
    }]
}

/// Whether the pins can be read and every fork stands in its folder.
fn laid_out(root: &Path) -> Vec<Check> {
    let forks = match forks::Forks::open(root) {
        Err(error) => {
            let fix = match error {
                forks::Error::Unfinished { .. } => "what it says",
                _ => "git checkout -- patches/forks.toml",
            };
            return vec![Check::lacking("forks", State::Missing, error.to_string(), fix)];
        }
        Ok(forks) => forks,
    };
    let missing: Vec<&str> = (forks.pins.forks.iter())
        .filter(|fork| !forks.folder(fork).join("Cargo.toml").is_file())
        .map(|fork| fork.name.as_str())
        .collect();
    vec![if missing.is_empty() {
        Check::ok("forks", "laid out (`cargo xtask status` says more)")
    } else {
        Check::lacking("forks", State::Optional, format!("not laid out: {}", missing.join(", ")), "cargo xtask apply")
    }]
}

/// What compares public APIs in `verify --gates`, and is installed there when there is none.
fn semver_checks(root: &Path) -> Vec<Check> {
    let what = "semver-checks";
    let rust = version_line("rustc").and_then(|line| version_of(&line));
    vec![match tool::look(root) {
        Some((program, version)) => Check::ok(what, format!("{version} ({})", program.display())),
        None if rust.is_some_and(|version| version < tool::LEAST_RUST) => {
            let found = "no cargo-semver-checks, which `verify --gates` needs, and which needs Rust 1.93 or later";
            Check::lacking(what, State::Optional, found, "rustup update stable")
        }
        None => {
            let found =
                "no cargo-semver-checks; `cargo xtask verify --gates` installs it below target/ when it needs it";
            Check::lacking(what, State::Optional, found, tool::INSTALL)
        }
    }]
}

fn cuda_compiler(root: &Path) -> Vec<Check> {
    vec![match cuda::find(root) {
        Ok(Some(kit)) => Check::ok("CUDA compiler", format!("{} {} ({})", kit.nvcc.display(), kit.release, kit.origin)),
        Ok(None) => Check::lacking(
            "CUDA compiler",
            State::Optional,
            "none found",
            "cargo xtask build --cuda installs CUDA 13.0's below target/",
        ),
        Err(error) => {
            Check::lacking("CUDA compiler", State::Optional, format!("{error:#}"), "unset or mend the variable")
        }
    }]
}

fn devices() -> Vec<Check> {
    match gpus::list() {
        Ok(gpus) if !gpus.is_empty() => gpus
            .iter()
            .map(|gpu| {
                let (cc, gib) = (gpu.compute_capability, gpu.memory_bytes >> 30);
                Check::ok("GPU", format!("{}, sm_{cc}, {gib} GiB", gpu.name))
            })
            .collect(),
        Ok(_) => vec![Check::lacking("GPU", State::Optional, "the driver shows none", "check nvidia-smi")],
        Err(why) => vec![Check::lacking("GPU", State::Optional, why, "install NVIDIA's driver to prove on a GPU")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_tools_print() {
        assert_eq!(version_of("rustc 1.95.0 (59807616e 2026-04-14)"), Some((1, 95)));
        assert_eq!(version_of("git version 2.47.3"), Some((2, 47)));
        assert_eq!(version_of("Python 3.11.7"), Some((3, 11)));
        assert_eq!(version_of("cc (Debian 12.2.0-14+deb12u1) 12.2.0"), Some((12, 2)));
        assert_eq!(version_of("no version"), None);
    }
}
