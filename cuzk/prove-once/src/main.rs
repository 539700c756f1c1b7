//! One workload proved once: the process that a benchmark runs.

fn main() {}
