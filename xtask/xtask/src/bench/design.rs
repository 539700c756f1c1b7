//! The benchmarks that can be asked for by name: which arms prove what. Knows nothing of how they are built or run.

use anyhow::{Result, bail};

/// A benchmark before its arms are built.
pub(crate) struct Design {
    pub(crate) name: &'static str,
    /// Said by `--help` and by the refusal of another name.
    pub(crate) about: &'static str,
    pub(crate) arms: &'static [&'static str],
    pub(crate) blocks: usize,
    /// Longest time of one process.
    pub(crate) timeout_s: u64,
    pub(crate) cases: &'static [CaseSpec],
}

/// One workload on one path.
pub(crate) struct CaseSpec {
    pub(crate) workload: &'static str,
    /// `cpu`, `cuda` or `stock`: the kind of build, too.
    pub(crate) path: &'static str,
    pub(crate) batch: usize,
    /// Further arguments of `prove-once prove`.
    pub(crate) args: &'static [&'static str],
    /// Proved from a recording, since the binary of this path lacks the circuit.
    pub(crate) recorded: bool,
}

/// The real circuit that is small enough for every change: WinningPoSt of a 2 KiB sector.
pub(crate) const REAL: &str = "winning-post-2KiB";

/// Every benchmark.
pub(crate) const ALL: &[Design] = &[QUICK, H200];

/// The benchmark of that name.
///
/// # Errors
/// When there is none; the message lists those that there are.
pub(crate) fn named(name: &str) -> Result<&'static Design> {
    let known = || ALL.iter().map(|design| format!("  --plan {:<6} {}", design.name, design.about));
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
    blocks: 6,
    timeout_s: 300,
    cases: &[CaseSpec {
        workload: REAL,
        path: "cpu",
        batch: 1,
        args: &["--presize", "--synthesis-only", "5", "--warmups", "0", "--proofs", "1"],
        recorded: false,
    }],
};

const TIMED: &[&str] = &["--presize", "--warmups", "1", "--proofs", "3"];

const fn gpu(workload: &'static str, path: &'static str, batch: usize, recorded: bool) -> CaseSpec {
    CaseSpec { workload, path, batch, args: TIMED, recorded }
}

/// The recording runs on both paths, so that the forks' own calls are compared with upstream's bytes. 16 circuits of a
/// smaller size, since `a4` has nothing to do while there are fewer circuits than threads.
const H200: Design = Design {
    name: "h200",
    about: "one GPU: the chain circuit on bellperson's own path, WinningPoSt 2 KiB on both",
    arms: &["upstream", "none", "+a4", "+b1", "+d4", "+g2-tail", "all"],
    blocks: 6,
    timeout_s: 300,
    cases: &[
        gpu(REAL, "stock", 1, true),
        gpu(REAL, "cuda", 1, true),
        gpu("chain/2^19", "stock", 1, false),
        gpu("chain/2^19", "stock", 4, false),
        gpu("chain/2^17", "stock", 16, false),
    ],
};
