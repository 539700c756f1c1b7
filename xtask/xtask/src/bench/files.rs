//! Recordings and snapshots of workloads, for plans and bundles. Paths are relative to the folder of arms.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use bench_core::arm::{Build, sha256_hex};

/// `chain/2^12` → `chain-2-12`, as the snapshots of prove-once are called.
pub(crate) fn slug(workload: &str) -> String {
    workload.replace(['/', '^'], "-")
}

/// Has a CPU build record the workload, unless it has; gives the file's place.
pub(crate) fn record(arms: &Path, cpu: &Build, workload: &str) -> Result<String> {
    let file = format!("recordings/{}-{}.rec", slug(workload), &cpu.fingerprint[..8]);
    let path = arms.join(&file);
    if !path.exists() {
        fs::create_dir_all(arms.join("recordings"))?;
        let output =
            Command::new(arms.join(&cpu.binary)).args(["record", "--workload", workload, "--to"]).arg(&path).output();
        let output = output.with_context(|| format!("cannot run {}", cpu.binary))?;
        if !output.status.success() {
            bail!("cannot record {workload}: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
    }
    Ok(file)
}

/// The text of the workload's committed snapshot, without insta's header.
fn snapshot_text(root: &Path, workload: &str) -> Result<String> {
    let path = root.join("cuzk/prove-once/tests/snapshots").join(format!("{}.snap", slug(workload)));
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let body = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    let (_, body) = body.with_context(|| format!("{} has no header of insta's", path.display()))?;
    Ok(body.trim().to_owned())
}

/// SHA-256 of the workload's snapshot, as the receipt has it; none where no snapshot is committed.
pub(crate) fn snapshot_sha256(root: &Path, workload: &str) -> Option<String> {
    snapshot_text(root, workload).ok().map(|text| sha256_hex(text.as_bytes()))
}

/// Copies the workload's snapshot to the arms; gives the file's place.
pub(crate) fn snapshot(root: &Path, arms: &Path, workload: &str) -> Result<String> {
    let file = format!("snapshots/{}.txt", slug(workload));
    fs::create_dir_all(arms.join("snapshots"))?;
    fs::write(arms.join(&file), snapshot_text(root, workload)? + "\n")?;
    Ok(file)
}
