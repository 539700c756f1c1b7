//! What the process has used: CPU, page faults, memory.

use std::fs;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

/// Used between two moments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    pub(crate) cpu_s: f64,
    pub(crate) minor_faults: u64,
    pub(crate) major_faults: u64,
    pub(crate) peak_rss_bytes: u64,
}

/// The first moment.
pub(crate) struct UsageMeter {
    start: Usage,
}

impl UsageMeter {
    /// Starts counting, and forgets the peak of memory so far where the kernel lets us.
    pub(crate) fn start() -> Self {
        // 5 resets the peak. Where it is refused the peak is the whole process's, an upper bound.
        let _ = fs::write("/proc/self/clear_refs", "5");
        Self { start: now() }
    }

    /// Used since then.
    pub(crate) fn read(&self) -> Usage {
        let now = now();
        Usage {
            cpu_s: now.cpu_s - self.start.cpu_s,
            minor_faults: now.minor_faults - self.start.minor_faults,
            major_faults: now.major_faults - self.start.major_faults,
            peak_rss_bytes: now.peak_rss_bytes,
        }
    }
}

fn now() -> Usage {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("getrusage fails on bad arguments alone");
    Usage {
        cpu_s: seconds(usage.user_time()) + seconds(usage.system_time()),
        minor_faults: usage.minor_page_faults() as u64,
        major_faults: usage.major_page_faults() as u64,
        peak_rss_bytes: peak_rss_bytes().unwrap_or(usage.max_rss() as u64 * 1024),
    }
}

fn seconds(time: TimeVal) -> f64 {
    time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6
}

/// The peak since it was reset; `getrusage` knows only that of the whole process.
fn peak_rss_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = peak.split_whitespace().next()?.parse().ok()?;
    Some(kib * 1024)
}
