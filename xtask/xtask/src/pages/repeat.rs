//! The command that repeats a benchmark.

use bench_core::receipt::Receipt;

/// As it would be typed at the repository's root.
pub(crate) fn repeat(receipt: &Receipt) -> String {
    let plan = &receipt.plan;
    let arms: Vec<&str> = receipt.arms.iter().filter(|arm| arm.role.is_plain()).map(|arm| arm.arm.as_str()).collect();
    let mut command =
        format!("cargo xtask bench --plan {} --arms {} --blocks {}", plan.name, arms.join(","), plan.blocks);
    if let Some(width) = plan.until_precise {
        command += &format!(" --until-precise {}%", width * 100.0);
    }
    if !receipt.toolchain.architectures.is_empty() {
        command += &format!(" --arch {} --bundle DIR", receipt.toolchain.architectures.join(","));
    }
    command
}
