//! Facts about this host that a receipt carries. Never its name.

use std::fs;
use std::thread;

use bench_core::receipt::Host;
use rustix::process::{Resource, getrlimit};

use crate::gpu::{self, Gpus};

/// Describes this host; what cannot be read is left out.
pub(crate) fn describe(gpus: &Gpus) -> Host {
    let has_bus_counters = gpus.bus_counters().is_some();
    let gpus = gpus.describe();
    Host {
        cpu: cpu_model(),
        cores: thread::available_parallelism().map(usize::from).unwrap_or(1),
        kernel: read("/proc/sys/kernel/osrelease").unwrap_or_default(),
        transparent_huge_pages: read("/sys/kernel/mm/transparent_hugepage/enabled").map(|modes| chosen(&modes)),
        governor: read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        memory_bytes: memory_bytes(),
        memlock_bytes: getrlimit(Resource::Memlock).current,
        vram_method: (!gpus.is_empty()).then(|| gpu::METHOD.to_owned()),
        bus_method: has_bus_counters.then(|| gpu::BUS_METHOD.to_owned()),
        gpus,
    }
}

fn read(path: &str) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

fn cpu_model() -> String {
    let info = read("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    model.map(|(_, name)| name.trim().to_owned()).unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// `always [madvise] never` → `madvise`.
fn chosen(modes: &str) -> String {
    modes.split_whitespace().find_map(|mode| mode.strip_prefix('[')?.strip_suffix(']')).unwrap_or(modes).to_owned()
}

fn memory_bytes() -> u64 {
    let info = read("/proc/meminfo").unwrap_or_default();
    let total = info
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
    total.unwrap_or_default() * 1024
}
