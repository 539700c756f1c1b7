//! Campaigns through the runner: controls are slowed, disturbed blocks run again, precision ends them, hosts of one model
//! share them.

use std::fs;

use crate::stand_in::{Arm, Bench};
use bench_core::analysis::{Metric, Verdict, analyse};
use bench_core::receipt::{Gpu, Receipt};
use bench_core::role::Role;
use bench_runner::{Interrupted, Options, Progress, run};

/// A little more in every run, the same for all arms, and what `--slowed` asks for on top.
const WALL: &str = r#"$(awk -v n=$(wc -l < calls) -v slowed="$*" 'BEGIN {
    factor = 1; if (match(slowed, /--slowed wall=[0-9.]+/)) factor = substr(slowed, RSTART + 14, RLENGTH - 14)
    print 1.5 * factor * (1 + 0.0001 * (n % 7)) }')"#;

fn campaign(blocks: usize) -> Bench {
    let arm = |name: &str| Arm::new(name).wall(WALL);
    let control = Role::Control { of: "none".into(), phase: None, factor: 1.05 };
    let twin = || Role::Twin { of: "none".into() };
    Bench::new(
        blocks,
        &[
            arm("upstream"),
            arm("none"),
            arm("none~1").role(twin()),
            arm("none~2").role(twin()),
            arm("control").role(control),
            arm("+a1").patch("a1"),
        ],
    )
}

fn options(bench: &Bench) -> Options {
    Options {
        folder: bench.folder().into(),
        out: bench.folder().join("out"),
        scratch: bench.folder().join("out"),
        params_dir: bench.folder().join("params"),
        proc: bench.folder().join("proc"),
        interrupted: Interrupted::Refuse,
        within: None,
    }
}

#[test]
fn a_control_is_slowed_and_found() {
    let bench = campaign(6);
    let output = bench.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let analysis = analyse(&bench.receipt());
    let attribution = analysis.cases[0].attribution.as_ref().unwrap();
    assert!(attribution.controls[0].found && attribution.withheld.is_none(), "{attribution:?}");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("test: 6 arms, 1 cases, 6 blocks: 36 runs; seed 5"), "{told}");
    assert!(told.contains("[36/36, 0 s left] block 6/6"), "{told}");
}

/// An arm of a prover with two phases, each noisy by half a per cent; `h_msm` takes `factor` times as long.
fn noisy(name: &str, factor: f64) -> Arm {
    let body = format!(
        r#"eval $(awk -v n=$(wc -l < calls) -v slowed="$*" 'BEGIN {{
            srand(n); s = 1 + 0.01 * (rand() - 0.5); h = 2 * {factor} * (1 + 0.01 * (rand() - 0.5))
            factor = 1; if (match(slowed, /--slowed wall=[0-9.]+/)) factor = substr(slowed, RSTART + 14, RLENGTH - 14)
            printf "S=%.6f E=%.6f W=%.6f", s, s + h, factor * (s + h) }}')"#
    );
    let phase = |name: &str, start: &str, end: &str| {
        format!(r#"{{"name":"{name}","circuit":0,"lane":"host","start_s":{start},"end_s":{end}}}"#)
    };
    let phases = format!("{},{}", phase("synthesis", "0", "$S"), phase("h_msm", "$S", "$E"));
    Arm::new(name).body(&body).wall("$W").phases(&phases)
}

/// A planted slowdown of 3 % in one phase of one arm is named as that arm and that phase; a planted patch that changes the
/// binary and not the work is never called faster.
#[test]
fn a_planted_slowdown_is_named_and_a_planted_no_op_is_not() {
    let twin = || Role::Twin { of: "none".into() };
    let control = Role::Control { of: "none".into(), phase: None, factor: 1.05 };
    let arms = [
        noisy("upstream", 1.0),
        noisy("none", 1.0),
        noisy("+slow", 1.03).patch("slow"),
        noisy("+idle", 1.0).patch("idle"),
        noisy("none~1", 1.0).role(twin()),
        noisy("none~2", 1.0).role(twin()),
        noisy("control", 1.0).role(control),
    ];
    let bench = Bench::new(12, &arms);
    assert_eq!(bench.run(&[]).status.code(), Some(0));
    let analysis = analyse(&bench.receipt());
    let attribution = analysis.cases[0].attribution.as_ref().unwrap();
    assert_eq!(attribution.withheld, None);
    let effects = |patch: &str| {
        let figures = attribution.patches.iter().filter(|one| one.patch == patch).flat_map(|one| &one.figures);
        let effects = figures.filter(|figure| figure.verdict.is_some_and(Verdict::is_effect));
        effects.map(|figure| (figure.metric.clone(), figure.verdict.unwrap())).collect::<Vec<_>>()
    };
    assert_eq!(
        effects("slow"),
        [(Metric::Wall, Verdict::Slower), (Metric::Phase("h_msm".into()), Verdict::Slower)],
        "{attribution:?}"
    );
    assert_eq!(effects("idle"), []);
}

#[test]
fn precision_ends_a_campaign() {
    let mut bench = campaign(20);
    bench.plan.until_precise = Some(0.01);
    bench.write_plan();
    let output = bench.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let receipt = bench.receipt();
    assert_eq!((receipt.plan.until_precise, receipt.plan.blocks, receipt.blocks.len()), (Some(0.01), 20, 6));
    assert!(!bench.folder().join("out/test.partial.json").exists());
}

#[test]
fn a_disturbed_block_is_run_again_and_told() {
    // In the first run of all another guest has the CPU half the time, and in the fourth something is swapped.
    let body = r#"case $(wc -l < calls) in
        1) echo "cpu 1500 0 0 0 0 0 0 500" > proc/stat;;
        4) echo "pswpin 2000" > proc/vmstat;;
    esac"#;
    let bench = Bench::new(2, &[Arm::new("upstream").body(body), Arm::new("none").body(body)]);
    let proc = bench.folder().join("proc");
    fs::create_dir(&proc).unwrap();
    fs::write(proc.join("stat"), "cpu 1000 0 0 0 0 0 0 0\n").unwrap();
    fs::write(proc.join("vmstat"), "pswpin 0\n").unwrap();
    let receipt = run(&bench.plan, &options(&bench), &mut Progress::new()).unwrap().receipt;
    let blocks = receipt.blocks.iter().map(|state| (state.block, state.disturbed.as_deref()));
    let (stolen, swapped) = ("other guests had 50.0 % of the CPU's time", "2000 pages went to or from swap");
    assert_eq!(blocks.collect::<Vec<_>>(), [(0, Some(stolen)), (0, Some(swapped)), (0, None), (1, None)]);
    let counted = receipt.runs.iter().filter(|run| run.excluded.is_none()).count();
    assert_eq!((receipt.runs.len(), counted), (8, 4));
    assert_eq!(Receipt::parse(&receipt.to_text()).unwrap(), receipt);
}

#[test]
fn a_block_that_is_always_disturbed_is_left_out() {
    let body = r#"n=$(wc -l < calls); echo "pswpin $((n * 2000))" > proc/vmstat"#;
    let bench = Bench::new(1, &[Arm::new("upstream").body(body), Arm::new("none").body(body)]);
    fs::create_dir(bench.folder().join("proc")).unwrap();
    let finished = run(&bench.plan, &options(&bench), &mut Progress::new()).unwrap();
    assert!(finished.complete && finished.receipt.blocks.len() == 3);
    assert!(finished.receipt.runs.iter().all(|run| run.excluded.is_some()));
}

#[test]
fn hosts_of_one_model_share_a_campaign() {
    let bench = campaign(2);
    let mut first = Receipt::new(&bench.plan, Default::default());
    let finished = run(&bench.plan, &options(&bench), &mut Progress::new()).unwrap().receipt;
    first.host = finished.host.clone();
    first.host.gpus = vec![Gpu { name: "G".into(), uuid: "one".into(), ..Gpu::default() }];
    let mut second = first.host.clone();
    second.gpus[0].uuid = "two".into();
    assert_eq!(first.join(first.host.clone()), Ok(0));
    assert_eq!(first.join(second.clone()), Ok(1));
    assert_eq!(first.join(second.clone()), Ok(1));
    second.gpus[0].driver = "2".into();
    assert_eq!(first.join(second), Err("a GPU or its driver"));

    let mut merged = finished.clone();
    merged.merge(finished.clone()).unwrap();
    let merged = Receipt::parse(&merged.to_text()).unwrap();
    assert_eq!((merged.plan.blocks, merged.blocks.len(), merged.runs.len()), (4, 4, 24));
    assert_eq!(merged.blocks.iter().map(|state| state.block).collect::<Vec<_>>(), [0, 1, 2, 3]);
    let mut other = finished;
    other.plan.cases[0].batch = 2;
    assert!(merged.clone().merge(other).unwrap_err().to_string().contains("the plan of the two differs"));
}
