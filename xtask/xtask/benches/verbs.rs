//! How long the verbs on forks take: on a copy of this repository, with the releases in cargo's cache. Prints times and
//! judges none: `cargo bench --manifest-path xtask/Cargo.toml --package xtask --bench verbs`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Runs of each verb; the median is printed.
const RUNS: usize = 5;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("xtask/xtask lies below the root");
    let dir = tempfile::tempdir().expect("a folder for temporary files");
    for path in ["cuzk", "patches", "Cargo.toml", "Cargo.lock", ".cargo"] {
        let status = Command::new("cp").arg("-a").arg(root.join(path)).arg(dir.path()).status();
        assert!(status.is_ok_and(|status| status.success()), "cannot copy {path}");
    }
    // Fetches what cargo's cache lacks.
    run(dir.path(), &["verify"]);
    print("apply, from nothing", || {
        for path in ["extern", "supraseal-c2", "target"] {
            let _ = std::fs::remove_dir_all(dir.path().join(path));
        }
        run(dir.path(), &["apply"])
    });
    print("apply, nothing to do", || run(dir.path(), &["apply"]));
    print("status", || run(dir.path(), &["status"]));
    print("verify", || run(dir.path(), &["verify"]));
    print("export --check", || run(dir.path(), &["export", "--check"]));
}

fn run(root: &Path, args: &[&str]) -> Duration {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(args).current_dir(root).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status().expect("the binary runs");
    let time = start.elapsed();
    assert!(status.code().is_some_and(|code| code < 2), "{args:?} failed: {status}");
    time
}

fn print(name: &str, mut verb: impl FnMut() -> Duration) {
    let mut times: Vec<Duration> = (0..RUNS).map(|_| verb()).collect();
    times.sort();
    println!(
        "{name:22} {:6.2} s (median of {RUNS}; {:.2} to {:.2})",
        secs(times[RUNS / 2]),
        secs(times[0]),
        secs(times[RUNS - 1])
    );
}

fn secs(time: Duration) -> f64 {
    time.as_secs_f64()
}
