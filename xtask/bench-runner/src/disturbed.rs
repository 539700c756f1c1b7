//! What happened to the machine while a block ran, that no arm did: then the block says nothing and is run again.

use std::fs;
use std::path::{Path, PathBuf};

use crate::gpu::Gpus;

/// Beyond this part of the CPU's time given to other guests of the machine, a block does not count.
const MOST_STEAL: f64 = 0.05;
/// Less than a second of one core is the clock's grain, whatever part of a short block it is.
const LEAST_STEAL_TICKS: u64 = 100;
/// Beyond so many pages moved to or from swap.
const MOST_SWAPPED_PAGES: u64 = 1024;
/// Reasons for reduced clocks that are faults of the host: hardware, heat, power brake. The driver's own bits; a power
/// cap that the load itself reaches is none of them.
const THROTTLED: [(u64, &str); 4] =
    [(0x8, "a hardware limit"), (0x20, "heat, by software"), (0x40, "heat, by hardware"), (0x80, "the power brake")];

/// The machine's counters before a block.
pub(crate) struct Watch {
    proc: PathBuf,
    before: Counters,
    foreign: bool,
}

#[derive(Clone, Copy, Default)]
struct Counters {
    /// Time of all cores, in ticks.
    total: u64,
    /// The part of it that other guests had.
    steal: u64,
    swapped_pages: u64,
}

impl Watch {
    pub(crate) fn start(proc: &Path, gpus: &Gpus) -> Self {
        Self { proc: proc.to_owned(), before: Counters::read(proc), foreign: gpus.has_processes() }
    }

    /// What disturbed the block, if anything did, with the reasons for reduced clocks that were seen during it.
    pub(crate) fn cause(self, gpus: &Gpus, throttle_reasons: u64) -> Option<String> {
        if let Some((_, reason)) = THROTTLED.iter().find(|(bit, _)| throttle_reasons & bit != 0) {
            return Some(format!("the GPU's clocks were reduced by {reason}"));
        }
        if self.foreign || gpus.has_processes() {
            return Some("another process was on the GPU".into());
        }
        self.before.cause(Counters::read(&self.proc))
    }
}

impl Counters {
    /// What the kernel does not say counts as nothing.
    fn read(proc: &Path) -> Self {
        let text = |file: &str| fs::read_to_string(proc.join(file)).unwrap_or_default();
        let stat = text("stat");
        let ticks: Vec<u64> =
            stat.lines().next().unwrap_or_default().split_whitespace().skip(1).flat_map(str::parse).collect();
        let vmstat = text("vmstat");
        let swapped = vmstat.lines().filter_map(|line| {
            let (name, pages) = line.split_once(' ')?;
            ["pswpin", "pswpout"].contains(&name).then(|| pages.parse::<u64>().ok())?
        });
        // The two behind steal are parts of the first two.
        Self {
            total: ticks.iter().take(8).sum(),
            steal: ticks.get(7).copied().unwrap_or_default(),
            swapped_pages: swapped.sum(),
        }
    }

    fn cause(self, after: Self) -> Option<String> {
        let swapped = after.swapped_pages.saturating_sub(self.swapped_pages);
        let stolen_ticks = after.steal.saturating_sub(self.steal);
        let stolen = stolen_ticks as f64 / after.total.saturating_sub(self.total).max(1) as f64;
        match () {
            () if swapped > MOST_SWAPPED_PAGES => Some(format!("{swapped} pages went to or from swap")),
            () if stolen > MOST_STEAL && stolen_ticks >= LEAST_STEAL_TICKS => {
                Some(format!("other guests had {:.1} % of the CPU's time", stolen * 100.0))
            }
            () => None,
        }
    }
}
