//! Runs, checks and reports of plans without roles.

use std::fs;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use crate::stand_in::{Arm, Bench, PROOF};
use bench_core::order::order;
use bench_core::plan::{Check, Expect, Parameters};
use bench_core::receipt::{Outcome, Receipt};

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn blocks_run_in_the_order_of_the_seed_and_end_in_a_receipt() {
    let bench = Bench::new(3, &[Arm::new("upstream"), Arm::new("none"), Arm::new("+a1")]);
    let output = bench.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let receipt = bench.receipt();
    let names = ["upstream", "none", "+a1"];
    let ran: Vec<&str> = receipt.runs.iter().map(|run| run.arm.as_str()).collect();
    let expected: Vec<&str> = (0..3).flat_map(|block| order(5, 0, block, 3)).map(|arm| names[arm]).collect();
    assert_eq!(ran, expected);
    assert!(
        receipt
            .runs
            .iter()
            .all(|run| run.outcome == Outcome::Proved && run.peak_rss_bytes > 0 && run.process.cpu_s > 0.0)
    );
    assert!(!receipt.host.cpu.is_empty() && receipt.host.memory_bytes > 0);
    let report = stdout(&output);
    assert!(report.contains("+a1") && report.contains("n too small"), "{report}");
    // Messages of the processes are kept, and none reaches the terminal.
    let log = fs::read_to_string(bench.folder().join("out/test.log")).unwrap();
    assert_eq!(log.matches("a message of the prover").count(), 9);
    assert!(!stderr(&output).contains("a message of the prover"));
}

#[test]
fn a_differing_proof_ends_in_4() {
    let other = PROOF.replacen('1', "2", 1);
    let bench = Bench::new(2, &[Arm::new("upstream"), Arm::new("none").proof(&other)]);
    let output = bench.run(&[]);
    assert_eq!(output.status.code(), Some(4), "{}", stderr(&output));
    assert!(stdout(&output).contains("the proof differs from upstream's"));
}

#[test]
fn crashes_and_endless_runs_are_recorded() {
    let crash = Arm::new("+crash").body("kill -ABRT $$");
    let endless = Arm::new("+endless").body("echo $$ > pid; sleep 600 & echo $! > pid2; wait");
    let garbage = Arm::new("+garbage").body("echo hello; exit 3");
    let bench = Bench::new(1, &[Arm::new("upstream"), crash, endless, garbage]);
    let output = bench.run(&[]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let receipt = bench.receipt();
    let outcome = |arm: &str| receipt.runs.iter().find(|run| run.arm == arm).unwrap().outcome.clone();
    assert_eq!(outcome("upstream"), Outcome::Proved);
    assert_eq!(outcome("+crash"), Outcome::Crashed { signal: 6 });
    assert_eq!(outcome("+endless"), Outcome::TimedOut { after_s: 3 });
    assert!(matches!(outcome("+garbage"), Outcome::Unreadable { exit: 3, .. }));
    assert!(gone(&bench, "pid") && gone(&bench, "pid2"), "the time limit leaves nothing running");
}

#[test]
fn a_killed_runner_leaves_no_prover_and_loses_no_block() {
    // In the second block `none` waits for a file that is not there yet.
    let waits =
        Arm::new("none").body("if [ $(grep -c none calls) -ge 2 ] && [ ! -e go ]; then echo $$ > pid; sleep 600; fi");
    let bench = Bench::new(3, &[Arm::new("upstream"), waits]).timeout(600);
    let mut runner = bench.command(&[]).spawn().unwrap();
    let started = Instant::now();
    while !bench.folder().join("pid").exists() {
        assert!(started.elapsed() < Duration::from_secs(60), "the second block was not reached");
        std::thread::sleep(Duration::from_millis(20));
    }
    runner.kill().unwrap();
    runner.wait().unwrap();
    assert!(gone(&bench, "pid"), "the prover outlived its runner");
    let partial = Receipt::parse(&fs::read_to_string(bench.folder().join("out/test.partial.json")).unwrap()).unwrap();
    assert_eq!((partial.blocks.len(), partial.runs.len()), (1, 2));

    let refused = bench.run(&[]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("1 finished blocks") && stderr(&refused).contains("--resume"));

    fs::write(bench.folder().join("go"), "").unwrap();
    let resumed = bench.run(&["--resume"]);
    assert_eq!(resumed.status.code(), Some(0), "{}", stderr(&resumed));
    let receipt = bench.receipt();
    assert_eq!((receipt.blocks.len(), receipt.runs.len()), (3, 6));
    assert_eq!(receipt.runs[..2], partial.runs[..]);
    assert!(!bench.folder().join("out/test.partial.json").exists());
}

#[test]
fn out_of_time_it_writes_what_it_has() {
    let bench = Bench::new(4, &[Arm::new("upstream").body("sleep 1"), Arm::new("none")]);
    let output = bench.run(&["--within", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("--resume goes on"));
    let blocks = bench.receipt().blocks.len();
    assert!((1..4).contains(&blocks), "{blocks}");
    assert_eq!(bench.run(&["--resume"]).status.code(), Some(0));
    assert_eq!(bench.receipt().blocks.len(), 4);
}

#[test]
fn another_plan_is_not_resumed() {
    let bench = Bench::new(2, &[Arm::new("upstream"), Arm::new("none")]);
    fs::create_dir(bench.folder().join("out")).unwrap();
    let mut other = Receipt::new(&bench.plan, Default::default());
    other.plan.seed += 1;
    let partial = bench.folder().join("out/test.partial.json");
    fs::write(&partial, other.to_text()).unwrap();
    let refused = bench.run(&["--resume"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("the plan is not what it was"), "{}", stderr(&refused));
    assert!(partial.exists());
    assert_eq!(bench.run(&["--restart"]).status.code(), Some(0));
}

#[test]
fn binaries_must_be_the_plans() {
    let bench = Bench::new(1, &[Arm::new("upstream"), Arm::new("none")]);
    let binary = bench.folder().join(&bench.plan.arms[1].builds["cpu"].binary);
    fs::write(&binary, fs::read_to_string(&binary).unwrap() + "#").unwrap();
    let output = bench.run(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("is not the plan's binary of none"), "{}", stderr(&output));

    let stale = Bench::new(1, &[Arm::new("upstream"), Arm::new("none").prints_fingerprint("0123")]);
    assert_eq!(stale.run(&[]).status.code(), Some(1));
    let unreadable = stale.receipt().runs.into_iter().find(|run| run.arm == "none").unwrap().outcome;
    assert!(unreadable.describe().contains("fingerprint \"0123\" instead of"), "{}", unreadable.describe());
}

#[test]
fn checks_pass_and_fail_by_the_snapshot_and_by_the_error() {
    // Fails as an arm should when its parameters are not `right`, which is what the stand-in's parameter file holds.
    let strict = r#"while [ $# -gt 1 ]; do if [ "$1" = --params ] && [ "$(cat "$2")" != right ]; then
        echo '{"schema":1,"error":{"kind":"parameters","message":"damaged at byte 0"}}'; exit 2; fi; shift; done"#;
    let mut bench = Bench::new(1, &[Arm::new("upstream"), Arm::new("none").body(strict)]);
    fs::write(bench.folder().join("good.txt"), "the snapshot\n").unwrap();
    fs::write(bench.folder().join("bad.txt"), "the snapshoT\n").unwrap();
    let error = |message: &str| Expect::Error { kind: "parameters".into(), message: message.into() };
    let check = |name: &str, expect, parameters| Check {
        name: name.into(),
        workload: "w".into(),
        path: "cpu".into(),
        args: vec![],
        recording: None,
        parameters,
        expect,
        recorded_only: vec![],
    };
    let upstream_recorded = |check| Check { recorded_only: vec!["upstream".into()], ..check };
    bench.plan.checks = vec![
        check("same", Expect::Snapshot("good.txt".into()), None),
        check("other", Expect::NotSnapshot("bad.txt".into()), None),
        upstream_recorded(check("flipped", error("damaged"), Some(Parameters::FlipBitAt(0)))),
        upstream_recorded(check("cut", error("byte 0"), Some(Parameters::CutTo(2)))),
    ];
    bench.write_plan();
    let output = bench.verb("check", &[]);
    assert_eq!(stdout(&output), "6 passed, 0 failed, 2 recorded\n", "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(0));

    bench.plan.checks = vec![
        check("same", Expect::Snapshot("bad.txt".into()), None),
        check("other", Expect::NotSnapshot("good.txt".into()), None),
        check("flipped", error("damaged at byte 1"), Some(Parameters::FlipBitAt(0))),
        check("undamaged", error("damaged"), Some(Parameters::Of { workload: "w".into(), recording: None })),
    ];
    bench.write_plan();
    let output = bench.verb("check", &[]);
    assert_eq!(stdout(&output), "0 passed, 8 failed, 0 recorded\n", "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("FAILED same (none, cpu): the proof is not that of bad.txt"));
}

#[test]
fn a_receipt_can_be_shown_again() {
    let bench = Bench::new(2, &[Arm::new("upstream"), Arm::new("none")]);
    let first = bench.run(&[]);
    let report = |extra: &[&str]| {
        let runner = env!("CARGO_BIN_EXE_bench-runner");
        Command::new(runner).arg("report").arg(bench.receipt_path()).args(extra).output().unwrap()
    };
    assert_eq!(stdout(&report(&[])), stdout(&first));
    assert!(stdout(&report(&["--markdown"])).contains("| upstream |"));
}

/// Whether the process whose id the stand-in wrote to `file` has ended, or ends within two seconds.
fn gone(bench: &Bench, file: &str) -> bool {
    let pid: String = fs::read_to_string(bench.folder().join(file)).unwrap().trim().into();
    assert!(!pid.is_empty());
    let running = || match fs::read_to_string(format!("/proc/{pid}/stat")) {
        // A zombie that the test's own reaper has not collected has ended.
        Ok(stat) => !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z'),
        Err(_) => false,
    };
    (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        !running()
    })
}
