//! Where the figures are from, and how to have them again.

use maud::{Markup, html};

use super::arms::what;
use super::boxed;
use crate::arm::{Arm, Build};
use crate::plan::Toolchain;
use crate::receipt::{BlockState, Gpu, GpuState, Host, Receipt};

pub(super) fn provenance(receipt: &Receipt, repeat: &str) -> Markup {
    html! {
        section id="provenance" {
            h2 { "Provenance" }
            h3 { "Run it again" }
            (boxed("Command", html! { pre { code { (repeat) } } }))
            @for (number, one) in receipt.hosts().enumerate() {
                h3 { "Host" @if number > 0 { " " (number) } }
                (host(one))
            }
            h3 { "Toolchain" }
            (toolchain(&receipt.toolchain))
            h3 { "Plan" }
            (plan(receipt))
            h3 { "Arms and fingerprints" }
            (boxed("Arms and fingerprints", arms(&receipt.arms)))
            @for arm in &receipt.arms { (components(arm)) }
            (blocks(receipt))
        }
    }
}

/// Names and values; what the receipt does not tell says so.
fn pairs(pairs: &[(&str, String)]) -> Markup {
    html! {
        dl {
            @for (name, value) in pairs {
                div { dt { (name) } dd { @if value.is_empty() { "not told" } @else { (value) } } }
            }
        }
    }
}

fn bytes_text(bytes: u64) -> String {
    match bytes as f64 / (1_u64 << 20) as f64 {
        mebibytes if mebibytes < 1024.0 => format!("{mebibytes:.0} MiB"),
        mebibytes => format!("{:.1} GiB", mebibytes / 1024.0),
    }
}

fn told(text: &Option<String>) -> String {
    text.clone().unwrap_or_default()
}

fn host(host: &Host) -> Markup {
    html! {
        (pairs(&[
            ("CPU", format!("{}, {} cores", host.cpu, host.cores)),
            ("Memory", bytes_text(host.memory_bytes)),
            ("Kernel", host.kernel.clone()),
            ("Huge pages", told(&host.transparent_huge_pages)),
            ("Governor", told(&host.governor)),
            ("Locked memory", host.memlock_bytes.map_or("unlimited".into(), bytes_text)),
            ("Device memory by", told(&host.vram_method)),
            ("Bytes moved by", told(&host.bus_method)),
        ]))
        @for device in &host.gpus { (gpu(device)) }
    }
}

fn toolchain(toolchain: &Toolchain) -> Markup {
    pairs(&[
        ("Rust", toolchain.rustc.clone()),
        ("CUDA compiler", told(&toolchain.nvcc)),
        ("GPU architectures", toolchain.architectures.join(", ")),
    ])
}

fn gpu(gpu: &Gpu) -> Markup {
    let on = |mode: Option<bool>| mode.map_or("", |on| if on { "on" } else { "off" }).to_owned();
    let clock = |clock: Option<u32>| clock.map(|clock| format!("{clock} MHz")).unwrap_or_default();
    pairs(&[
        ("GPU", gpu.name.clone()),
        ("Id", gpu.uuid.clone()),
        ("Driver", gpu.driver.clone()),
        ("CUDA", told(&gpu.cuda)),
        ("Memory", bytes_text(gpu.memory_bytes)),
        ("Highest clock", clock(gpu.max_sm_clock_mhz)),
        ("Highest memory clock", clock(gpu.max_memory_clock_mhz)),
        ("Error correction", on(gpu.ecc)),
        ("Multi-instance", on(gpu.mig)),
        ("Persistence", on(gpu.persistence)),
    ])
}

fn plan(receipt: &Receipt) -> Markup {
    let plan = &receipt.plan;
    let phases: Vec<String> = plan.phases.iter().map(|(patch, phase)| format!("{patch} on {phase}")).collect();
    let disturbed = receipt.blocks.iter().filter(|block| block.disturbed.is_some()).count();
    let left_out = receipt.runs.iter().filter(|run| run.excluded.is_some()).count();
    let cases = plan.cases.iter().map(|case| format!("{} {}", case.title(), case.args.join(" ")).trim_end().to_owned());
    pairs(&[
        ("Plan", plan.name.clone()),
        ("Seed", plan.seed.to_string()),
        (
            "Blocks",
            format!(
                "{} asked for of each case, {} run in all, {disturbed} of them disturbed",
                plan.blocks,
                receipt.blocks.len()
            ),
        ),
        (
            "Stops early",
            plan.until_precise.map_or("no".into(), |width| format!("at intervals of ±{:.1} %", width * 100.0)),
        ),
        ("Time estimated", plan.estimate_s.map(|seconds| format!("{:.1} h", seconds / 3600.0)).unwrap_or_default()),
        ("Limit of a run", format!("{} s", plan.timeout_s)),
        ("Runs", format!("{}, of which {left_out} are excluded", receipt.runs.len())),
        ("Cases", cases.collect::<Vec<_>>().join("; ")),
        ("Phases judged", if phases.is_empty() { "none besides wall".into() } else { phases.join(", ") }),
    ])
}

fn arms(arms: &[Arm]) -> Markup {
    html! {
        table {
            thead { tr { th scope="col" { "arm" } th scope="col" { "what it is" } th scope="col" { "fingerprint" } } }
            tbody {
                @for arm in arms {
                    tr { th scope="row" { (arm.arm) } td.what { (what(arm)) } td { code { (arm.fingerprint) } } }
                }
            }
        }
    }
}

fn components(arm: &Arm) -> Markup {
    html! {
        details {
            summary { "Builds of " (arm.arm) }
            @for (kind, build) in &arm.builds { h4 { (kind) } (pairs(&of_build(build))) }
        }
    }
}

fn of_build(build: &Build) -> Vec<(&'static str, String)> {
    let parts = &build.components;
    let mut pairs = vec![
        ("Build", parts.build.clone()),
        ("Layout", parts.layout.map_or("as it came".into(), |seed| format!("shuffled by seed {seed}"))),
        ("Fingerprint", build.fingerprint.clone()),
        ("Binary", build.binary_sha256.clone()),
        ("Code", build.code_sha256.clone()),
        ("Lock file", parts.lock_sha256.clone()),
        ("Sources", parts.sources_sha256.clone()),
        ("Toolchain", parts.toolchain.join(", ")),
        ("GPU architectures", parts.architectures.join(", ")),
    ];
    pairs.extend(parts.pins.iter().map(|(fork, pin)| ("Pin", format!("{fork} {pin}"))));
    pairs.extend(parts.patches.iter().map(|(patch, id)| ("Patch", format!("{patch} {id}"))));
    pairs
}

/// The devices around each block, and what disturbed it.
fn blocks(receipt: &Receipt) -> Markup {
    let table = html! {
        table {
            thead {
                tr {
                    th scope="col" { "block" }
                    th scope="col" { "case" }
                    th scope="col" { "host" }
                    th scope="col" { "disturbed by" }
                    th scope="col" { "devices before" }
                    th scope="col" { "devices after" }
                }
            }
            tbody { @for block in &receipt.blocks { (block_row(receipt, block)) } }
        }
    };
    html! {
        @if !receipt.blocks.is_empty() {
            details { summary { "Blocks, and the devices around them" } (boxed("Blocks", table)) }
        }
    }
}

fn block_row(receipt: &Receipt, block: &BlockState) -> Markup {
    html! {
        tr {
            th scope="row" { (block.block) }
            td.cell { (receipt.plan.cases[block.case].title()) }
            td { (block.host) }
            td.words { (block.disturbed.as_deref().unwrap_or("nothing")) }
            @for states in [&block.before, &block.after] {
                td.what { (states.iter().map(state).collect::<Vec<_>>().join("; ")) }
            }
        }
    }
}

fn state(state: &GpuState) -> String {
    let parts = [
        state.sm_clock_mhz.map(|clock| format!("{clock} MHz")),
        state.memory_clock_mhz.map(|clock| format!("memory {clock} MHz")),
        state.temperature_c.map(|degrees| format!("{degrees} °C")),
        state.power_w.map(|power| format!("{power:.0} W")),
        state.throttle_reasons.map(|bits| format!("throttle {bits:#x}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
