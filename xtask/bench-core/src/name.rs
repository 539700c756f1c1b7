//! File names of receipts: `<workload>/<device>/<plan>-<fingerprint8>.json`.

use crate::arm::sha256_hex;
use crate::receipt::Receipt;

/// Where a receipt belongs below the evidence folder. The last part hashes all its arms.
pub fn receipt_path(receipt: &Receipt) -> String {
    let mut arms: Vec<String> = receipt.arms.iter().map(|arm| format!("{} {}\n", arm.arm, arm.fingerprint)).collect();
    arms.sort();
    let fingerprint = sha256_hex(arms.concat().as_bytes());
    format!("{}/{}/{}-{}.json", workload(receipt), device(receipt), slug(&receipt.plan.name), &fingerprint[..8])
}

fn workload(receipt: &Receipt) -> String {
    let mut names: Vec<&str> = receipt.plan.cases.iter().map(|case| case.workload.as_str()).collect();
    names.dedup();
    match names.as_slice() {
        [one] => slug(one),
        _ => "several".into(),
    }
}

/// The first GPU where a case runs on one, else the CPU with its cores.
fn device(receipt: &Receipt) -> String {
    let on_gpu = receipt.plan.cases.iter().any(|case| case.path != "cpu");
    match receipt.host.gpus.first() {
        Some(gpu) if on_gpu => slug(&gpu.name),
        _ => slug(&format!("{} {} cores", receipt.host.cpu, receipt.host.cores)),
    }
}

/// Letters, digits and single dashes. `2KiB` keeps its capitals, so that a workload's folder can be found by its name.
fn slug(text: &str) -> String {
    let mut slug = String::new();
    for ch in text.chars() {
        if ch.is_ascii_alphanumeric() {
            slug.push(ch);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn slugs_hold_no_separator() {
        assert_eq!(slug("chain/2^19"), "chain-2-19");
        assert_eq!(slug("NVIDIA H200"), "NVIDIA-H200");
        assert_eq!(slug("Intel(R) Xeon(R) @ 2.70GHz"), "Intel-R-Xeon-R-2-70GHz");
        assert_eq!(slug("../../etc"), "etc");
    }
}
