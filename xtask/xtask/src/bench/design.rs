//! The benchmarks that can be asked for by name: which arms prove what. Knows nothing of how they are built or run.

use anyhow::{Result, bail};
use bench_core::analysis::power::Question;
use bench_core::arm::NONE;

/// A benchmark before its arms are built.
pub(crate) struct Design {
    pub(crate) name: &'static str,
    /// Said by `--help` and by the refusal of another name.
    pub(crate) about: &'static str,
    /// Names of arms, or of one scheme.
    pub(crate) arms: &'static [&'static str],
    /// The patches that a scheme varies; none for all that go together.
    pub(crate) patches: &'static [&'static str],
    /// With twins and controls, so that there are verdicts; absent in a first look.
    pub(crate) campaign: Option<Campaign>,
    /// How often each comparison is repeated.
    pub(crate) blocks: Blocks,
    /// Longest time of one process.
    pub(crate) timeout_s: u64,
    pub(crate) cases: &'static [CaseSpec],
}

/// What makes a comparison a campaign.
#[derive(Clone, Copy)]
pub(crate) struct Campaign {
    /// The arm that twins and controls are made from: it is among the design's, and varies least.
    pub(crate) of: &'static str,
    /// By what factor controls are slowed: no less than what the floor can be expected to be, or it hides them.
    pub(crate) control: f64,
}

/// A number of blocks.
pub(crate) enum Blocks {
    /// So many.
    Fixed(usize),
    /// Those that find such a difference.
    ToFind(Question),
}

/// One workload on one path.
pub(crate) struct CaseSpec {
    pub(crate) workload: &'static str,
    /// `cpu`, `cuda` or `stock`: the kind of build, too.
    pub(crate) path: &'static str,
    pub(crate) batch: usize,
    /// Further arguments of `prove-once prove`.
    pub(crate) args: &'static [&'static str],
    /// About how long a run takes, in seconds, on the host that the design is made for.
    pub(crate) run_s: f64,
    /// Proved from a recording, since the binary of this path lacks the circuit.
    pub(crate) recorded: bool,
}

/// The real circuit that is small enough for every change: WinningPoSt of a 2 KiB sector.
pub(crate) const REAL: &str = "winning-post-2KiB";

/// Every benchmark.
pub(crate) const ALL: &[Design] = &[QUICK, SYNTHESIS, H200, FOUNDING, TAIL];

/// The benchmark of that name.
///
/// # Errors
/// When there is none; the message lists those that there are.
pub(crate) fn named(name: &str) -> Result<&'static Design> {
    let known = || ALL.iter().map(|design| format!("  --plan {:<9} {}", design.name, design.about));
    match ALL.iter().find(|design| design.name == name) {
        Some(design) => Ok(design),
        None => {
            let wrong = if name.is_empty() { "say which benchmark" } else { "no benchmark has that name" };
            bail!("{wrong}; there are\n{}", known().collect::<Vec<_>>().join("\n"))
        }
    }
}

/// Synthesis is where the CPU's patches act and takes a thirtieth of the proof's time: each process repeats it alone and
/// proves once, without a warm-up.
const QUICK: Design = Design {
    name: "quick",
    about: "WinningPoSt 2 KiB on the CPU: 5 minutes on 2 cores once built",
    arms: &["upstream", "none", "+a1", "+a2", "all"],
    patches: &[],
    campaign: None,
    blocks: Blocks::Fixed(6),
    timeout_s: 300,
    cases: &[CaseSpec {
        workload: REAL,
        path: "cpu",
        batch: 1,
        args: &["--presize", "--synthesis-only", "5", "--warmups", "0", "--proofs", "1"],
        run_s: 9.3,
        recorded: false,
    }],
};

/// What acts on synthesis alone, on a real circuit and on the gadget that nearly all of a PoRep circuit is.
const SYNTHESIS: Design = Design {
    name: "synthesis",
    about: "WinningPoSt 2 KiB and SHA-256 on the CPU, with verdicts on synthesis",
    arms: &["full"],
    patches: &["a1", "a2"],
    campaign: Some(Campaign { of: NONE, control: 1.2 }),
    // On two busy cores synthesis varies by 4 % from run to run.
    blocks: Blocks::ToFind(Question { difference: 0.04, deviation: 0.04 }),
    timeout_s: 300,
    cases: &[synthesis(REAL, 20.0), synthesis("sha256/1", 6.0)],
};

const fn synthesis(workload: &'static str, run_s: f64) -> CaseSpec {
    let args = &["--presize", "--synthesis-only", "3", "--warmups", "1", "--proofs", "1"];
    CaseSpec { workload, path: "cpu", batch: 1, args, run_s, recorded: false }
}

/// The five optimizations that once went in together. 16 circuits of a smaller size, since `a4` has nothing to do while
/// there are fewer circuits than threads.
const FOUNDING: Design = Design {
    name: "founding",
    about: "one GPU: the founding five by pairs, on the chain circuit and bellperson's own path",
    arms: &["pairs"],
    patches: &["a1", "a2", "a4", "b1", "d4"],
    campaign: Some(Campaign { of: NONE, control: 1.2 }),
    // The host's CPU, on which B_G2 is, varies by 13 % from run to run.
    blocks: Blocks::ToFind(Question { difference: 0.07, deviation: 0.13 }),
    timeout_s: 300,
    cases: &[batch("chain/2^19", 4, 4.5), batch("chain/2^17", 16, 4.5)],
};

/// What ships, with the patches that it may be shipped with, and the one that it excludes.
const TAIL: Design = Design {
    name: "tail",
    about: "one GPU: g2-tail with b1 and d4, and against a4, on the same circuits",
    arms: &["upstream", "none", "+a4", "+b1", "+d4", "+g2-tail", "b1+d4", "b1+g2-tail", "d4+g2-tail", "b1+d4+g2-tail"],
    patches: &[],
    // Without the CPU's part of B_G2 a run varies by 3 % in place of 13.
    campaign: Some(Campaign { of: "+g2-tail", control: 1.1 }),
    blocks: Blocks::Fixed(8),
    timeout_s: 300,
    cases: &[batch("chain/2^19", 4, 3.3), batch("chain/2^17", 16, 3.3)],
};

const fn batch(workload: &'static str, batch: usize, run_s: f64) -> CaseSpec {
    let args = &["--presize", "--warmups", "1", "--proofs", "1"];
    CaseSpec { workload, path: "stock", batch, args, run_s, recorded: false }
}

const TIMED: &[&str] = &["--presize", "--warmups", "1", "--proofs", "3"];

const fn gpu(workload: &'static str, path: &'static str, batch: usize, recorded: bool, run_s: f64) -> CaseSpec {
    CaseSpec { workload, path, batch, args: TIMED, run_s, recorded }
}

/// The recording runs on both paths, so that the forks' own calls are compared with upstream's bytes. 16 circuits of a
/// smaller size, since `a4` has nothing to do while there are fewer circuits than threads.
const H200: Design = Design {
    name: "h200",
    about: "one GPU: the chain circuit on bellperson's own path, WinningPoSt 2 KiB on both",
    arms: &["upstream", "none", "+a4", "+b1", "+d4", "+g2-tail", "all"],
    patches: &[],
    campaign: Some(Campaign { of: NONE, control: 1.2 }),
    blocks: Blocks::Fixed(6),
    timeout_s: 300,
    cases: &[
        gpu(REAL, "stock", 1, true, 1.7),
        gpu(REAL, "cuda", 1, true, 1.3),
        gpu("chain/2^19", "stock", 1, false, 3.9),
        gpu("chain/2^19", "stock", 4, false, 8.3),
        gpu("chain/2^17", "stock", 16, false, 8.2),
    ],
};
