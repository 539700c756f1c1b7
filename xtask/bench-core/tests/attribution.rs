//! Golden reports of campaigns with twins and a control, made of known truth; and twins of each with one thing changed.

mod seventeen;
mod synthetic;

use std::collections::BTreeSet;

use bench_core::analysis::{Analysis, Attribution, Metric, Verdict, Withheld, analyse, gate};
use bench_core::receipt::Receipt;
use bench_core::report::{Style, render};
use bench_core::role::Role;
use seventeen::{NOISE, TRUTH, seventeen};
use synthetic::{Campaign, Noise, Truth};

fn attribution(analysis: &Analysis) -> &Attribution {
    analysis.cases[0].attribution.as_ref().unwrap()
}

fn wall(analysis: &Analysis, patch: &str) -> Option<Verdict> {
    let patch = attribution(analysis).patches.iter().find(|one| one.patch == patch).unwrap();
    patch.figures.iter().find(|figure| figure.metric == Metric::Wall)?.verdict
}

#[test]
fn seventeen_arms() {
    let receipt = Receipt::parse(&seventeen(TRUTH).to_text()).unwrap();
    let analysis = analyse(&receipt);
    insta::assert_snapshot!("seventeen-terminal", render(&analysis, Style::TERMINAL));
    insta::assert_snapshot!("seventeen-markdown", render(&analysis, Style::MARKDOWN));
}

#[test]
fn three_together_show_as_a_model_that_does_not_fit() {
    let truth: Truth = |patches, _| if ["a", "b", "c"].iter().all(|one| patches.contains(one)) { 0.06 } else { 0.0 };
    let analysis = analyse(&seventeen(truth));
    let fit = attribution(&analysis).fits.iter().find(|fit| fit.metric == Metric::Wall).unwrap();
    assert!(fit.lack_of_fit.unwrap().is_misfit());
    // The plan has no arm with one patch alone, so only pairs given all others are left to judge by.
    assert_eq!(
        (wall(&analysis, "a"), wall(&analysis, "d").map(Verdict::is_effect)),
        (Some(Verdict::Slower), Some(false))
    );
    assert!(render(&analysis, Style::TERMINAL).contains("three patches or more act together"));
    let fits = analyse(&seventeen(TRUTH));
    assert!(attribution(&fits).fits.iter().all(|fit| !fit.lack_of_fit.unwrap().is_misfit()));
}

#[test]
fn a_control_that_is_not_found_withholds_every_verdict() {
    let mut receipt = seventeen(TRUTH);
    assert!(wall(&analyse(&receipt), "e").is_some());
    let of_none: Vec<_> = receipt.runs.iter().filter(|run| run.arm == "none").cloned().collect();
    for run in receipt.runs.iter_mut().filter(|run| run.arm == "none*1.05") {
        run.proofs = of_none[run.block].proofs.clone();
    }
    let analysis = analyse(&receipt);
    let attribution = attribution(&analysis);
    assert_eq!(attribution.withheld, Some(Withheld::ControlMissed { arm: "none*1.05".into() }));
    assert!(attribution.patches.iter().flat_map(|patch| &patch.figures).all(|figure| figure.verdict.is_none()));
    let report = render(&analysis, Style::TERMINAL);
    assert!(
        report.contains("NOT FOUND") && report.contains("NO VERDICTS: the known slowdown of none*1.05"),
        "{report}"
    );
    assert_eq!(gate(&analysis, &shipped(&["a"])), 3);
}

#[test]
fn without_twins_control_or_blocks_there_is_no_verdict() {
    let withheld = |receipt: &Receipt| {
        let analysis = analyse(receipt);
        assert_eq!(wall(&analysis, "a"), None);
        attribution(&analysis).withheld.clone()
    };
    let without = |part: &str| {
        let mut receipt = seventeen(TRUTH);
        receipt.arms.retain(|arm| !arm.arm.contains(part));
        receipt.runs.retain(|run| !run.arm.contains(part));
        receipt
    };
    assert_eq!(withheld(&without("~")), Some(Withheld::NoFloor));
    assert_eq!(withheld(&without("*")), Some(Withheld::NoControl));
    let mut short = seventeen(TRUTH);
    short.runs.retain(|run| run.block < 5);
    assert_eq!(withheld(&short), Some(Withheld::NoFloor));
    short = seventeen(TRUTH);
    short.runs.retain(|run| run.block < 6);
    assert_eq!(attribution(&analyse(&short)).withheld, None);
}

#[test]
fn a_twin_with_its_originals_code_is_none() {
    let mut receipt = seventeen(TRUTH);
    assert_eq!(analyse(&receipt).exit_code(), 0);
    let code = receipt.arms[0].builds["cpu"].code_sha256.clone();
    receipt.arms[2].builds.get_mut("cpu").unwrap().code_sha256 = code;
    let analysis = analyse(&receipt);
    assert_eq!((analysis.exit_code(), &attribution(&analysis).withheld), (1, &Some(Withheld::Roles)));
    assert!(analysis.findings[0].message.contains("none~2 has the same cpu code as none"), "{:?}", analysis.findings);

    receipt = seventeen(TRUTH);
    receipt.arms[1].role = Role::Twin { of: "nothing".into() };
    assert!(analyse(&receipt).findings[0].message.contains("none~1 is made from nothing"));
    receipt = seventeen(TRUTH);
    receipt.arms[3].role = Role::Control { of: "all".into(), phase: None, factor: 1.0 };
    let faults = analyse(&receipt).findings;
    assert!(faults[0].message.contains("a factor of 1: a control needs more than 1"), "{faults:?}");
    assert!(faults[1].message.contains("none*1.05 and all, from which it is made, differ in patches"), "{faults:?}");
}

#[test]
fn a_fork_that_the_build_lacks_is_said_so() {
    let mut receipt = seventeen(TRUTH);
    for arm in receipt.arms.iter_mut().filter(|arm| arm.role.is_plain() && !arm.patches.is_empty()) {
        arm.patches.push("on-the-gpu".into());
    }
    let analysis = analyse(&receipt);
    let report = render(&analysis, Style::TERMINAL);
    let line = report.lines().find(|line| line.contains("on-the-gpu")).unwrap();
    assert!(line.trim_end().ends_with("not in this build"), "{line}");
    assert_eq!(gate(&analysis, &shipped(&["on-the-gpu"])), 3);
    assert_eq!(gate(&analysis, &shipped(&["on-the-gpu", "d"])), 0);
}

#[test]
fn the_gate_asks_what_ships() {
    let mut receipt = seventeen(TRUTH);
    let analysis = analyse(&receipt);
    assert_eq!(wall(&analysis, "e"), Some(Verdict::Slower));
    assert_eq!(gate(&analysis, &shipped(&["e"])), 1);
    assert_eq!(gate(&analysis, &shipped(&["a", "d"])), 0);
    assert_eq!(gate(&analysis, &shipped(&[])), 0);
    receipt.runs[9].proofs[0].valid = false;
    assert_eq!(gate(&analyse(&receipt), &shipped(&["a"])), 1);
    receipt.runs[9].snapshot_sha256 = Some("another".into());
    assert_eq!(gate(&analyse(&receipt), &shipped(&["e"])), 4);
    let noisy = Noise { white: 0.03, ..NOISE };
    let campaign = Campaign::new(&[("+a", &["a"])], 8, noisy);
    let open = (0..20)
        .map(|seed| analyse(&campaign.run(seed)))
        .find(|analysis| matches!(wall(analysis, "a"), Some(Verdict::Inconclusive { more_blocks: Some(1..) })));
    assert_eq!(gate(&open.unwrap(), &shipped(&["a"])), 3);
}

#[test]
fn a_receipt_that_was_edited_or_cut_says_where() {
    let refused = |spoil: fn(&mut Receipt)| {
        let mut receipt = Campaign::new(&[("+a", &["a"])], 6, NOISE).run(1);
        spoil(&mut receipt);
        Receipt::parse(&receipt.to_text()).unwrap_err().to_string()
    };
    let says = |spoil: fn(&mut Receipt), words: &str| {
        let message = refused(spoil);
        assert!(message.contains(words) && message.contains("it was edited or is incomplete"), "{message}");
    };
    says(|receipt| receipt.runs[0].case = 7, "is of case 7, of 1");
    says(|receipt| receipt.runs[0].batch = 2, "says synthetic × 2 (cpu)");
    says(|receipt| receipt.runs[0].arm = "+b".into(), "an arm that has nothing to run there");
    says(|receipt| receipt.runs[0].proofs[0].wall_s = -1.0, "took -1 s");
    says(|receipt| receipt.runs.truncate(28), "block 5 of synthetic (cpu) has no run of ");
    says(|receipt| receipt.runs.push(receipt.runs[0].clone()), "block 0 is there twice");
    says(|receipt| receipt.arms[4].patches.clear(), "the patches of +a");
    says(|receipt| receipt.arms.swap_remove(0).builds.clear(), "nothing to run there");
    says(
        |receipt| receipt.arms[4].builds.get_mut("cpu").unwrap().components.lock_sha256 = "0".into(),
        "the fingerprint of +a is not that of its components",
    );
}

#[test]
fn roles_and_phases_are_written_only_where_there_are_any() {
    let mut receipt = seventeen(TRUTH);
    let text = receipt.to_text();
    assert!(text.contains(r#""role":{"kind":"twin","of":"none"}"#));
    assert!(text.contains(r#""role":{"kind":"control","of":"none","factor":1.05}"#));
    assert!(text.contains(r#""phases":{"a":"synthesis"}"#));
    receipt.plan.phases.clear();
    receipt.arms.iter_mut().for_each(|arm| arm.role = Role::Plain);
    let text = receipt.to_text();
    assert!(!text.contains(r#""role""#) && !text.contains(r#""phases":{"#));
    assert_eq!(analyse(&receipt).cases[0].attribution, None);
}

fn shipped(patches: &[&str]) -> BTreeSet<String> {
    patches.iter().map(|patch| (*patch).to_owned()).collect()
}
