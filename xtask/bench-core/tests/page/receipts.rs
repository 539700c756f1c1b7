//! Receipts to look at: old ones without roles, a campaign of seventeen arms, one by a hostile hand.

use bench_core::analysis::analyse;
use bench_core::receipt::{GpuState, Host, Outcome, Receipt};
use bench_core::report::html;

use crate::seventeen::{TRUTH, seventeen};

/// The command that the pages show.
pub(crate) const REPEAT: &str = "cargo xtask bench --plan pairs --arms all --blocks 12 --seed 17 # & again";

/// What a hostile hand writes wherever a receipt has text.
pub(crate) const HOSTILE: &str = "\"'><script>alert(1)</script><img src=https://example.org/x onerror=alert(2)>&amp;";

pub(crate) fn quick() -> Receipt {
    Receipt::parse(include_str!("../fixtures/quick.json")).unwrap()
}

pub(crate) fn gpu() -> Receipt {
    Receipt::parse(include_str!("../fixtures/gpu.json")).unwrap()
}

/// Seventeen arms, with a patch that takes less memory, a block that was run again and a run that crashed.
pub(crate) fn campaign() -> Receipt {
    let mut receipt = seventeen(TRUTH);
    for run in receipt.runs.iter_mut() {
        let arm = receipt.arms.iter().find(|arm| arm.arm == run.arm).unwrap();
        // A patch that costs time to save memory.
        let saves = arm.patches.iter().any(|patch| patch == "e");
        run.peak_rss_bytes =
            (1 << 30) - if saves { 200 << 20 } else { 0 } + (run.block as u64 * 7 + run.slot as u64) % 5 * 65536;
        run.bytes_moved = Some(3 << 30);
    }
    let mut disturbed: Vec<_> = receipt.runs.iter().filter(|run| run.block == 4).cloned().collect();
    for run in &mut disturbed {
        run.excluded = Some("another process used the GPU".into());
        run.proofs.iter_mut().for_each(|proof| proof.wall_s *= 1.06);
    }
    let at = receipt.runs.iter().position(|run| run.block == 4).unwrap();
    receipt.runs.splice(at..at, disturbed);
    let mut block = receipt.blocks[4].clone();
    block.disturbed = Some("another process used the GPU".into());
    receipt.blocks.insert(4, block);
    let crashed = receipt.runs.iter_mut().rfind(|run| run.arm == "all-d").unwrap();
    crashed.outcome = Outcome::Crashed { signal: 6 };
    crashed.proofs.clear();
    receipt
}

/// Every text of a receipt replaced. Fingerprints cannot be: they are over what they stand beside.
pub(crate) fn hostile() -> Receipt {
    let mut receipt = gpu();
    let hostile = || HOSTILE.to_owned();
    receipt.plan.name = hostile();
    receipt.plan.phases.insert(hostile(), hostile());
    receipt.host.cpu = hostile();
    receipt.host.kernel = hostile();
    receipt.host.governor = Some(hostile());
    receipt.host.vram_method = Some(hostile());
    receipt.host.gpus[0].name = hostile();
    receipt.host.gpus[0].driver = hostile();
    receipt.host.bus_method = Some(hostile());
    receipt.other_hosts.push(Host { cpu: hostile(), ..Host::default() });
    receipt.blocks[1].disturbed = Some(hostile());
    receipt.toolchain.rustc = hostile();
    receipt.toolchain.architectures.push(hostile());
    receipt.plan.cases.iter_mut().for_each(|case| {
        case.workload = hostile();
        case.args.push(hostile());
        case.snapshot_sha256 = Some(hostile());
    });
    for arm in receipt.arms.iter_mut().filter(|arm| arm.arm == "+g2") {
        arm.arm = hostile();
        arm.patches = vec![hostile()];
        arm.builds.values_mut().for_each(|build| build.components.toolchain.push(hostile()));
    }
    for run in &mut receipt.runs {
        run.workload = hostile();
        run.snapshot_sha256 = Some(hostile());
        if run.arm == "+g2" {
            run.arm = hostile();
            run.excluded = (run.block == 1).then(hostile);
            run.outcome = match run.block {
                2 => Outcome::Unreadable { exit: 0, message: hostile() },
                _ => Outcome::Proved,
            };
        }
        for proof in &mut run.proofs {
            proof.phases.iter_mut().for_each(|phase| (phase.name, phase.lane) = (hostile(), hostile()));
        }
    }
    receipt.blocks[0].before.push(GpuState { power_w: Some(f64::MAX), ..GpuState::default() });
    receipt
}

pub(crate) fn page(receipt: &Receipt) -> String {
    html(receipt, &analyse(receipt), REPEAT)
}

/// All of them, each with a name.
pub(crate) fn all() -> [(&'static str, Receipt); 4] {
    [("quick", quick()), ("gpu", gpu()), ("campaign", campaign()), ("hostile", hostile())]
}
