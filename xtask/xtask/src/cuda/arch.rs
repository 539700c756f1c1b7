//! GPU architectures: what was asked for, what this machine has, what the compiler knows.

use std::{collections::BTreeSet, fmt, path::Path, process::Command, str::FromStr};

use anyhow::{Context, Result, bail};

/// A real architecture, such as sm_90 (90) or sm_90a.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Arch {
    number: u32,
    suffix: String,
}

/// Built for when nothing is asked for and the machine has no GPU: Ampere, Ada, Hopper and Blackwell cards.
const COMMON: [u32; 5] = [80, 86, 89, 90, 120];

impl Arch {
    fn new(number: u32) -> Self {
        Self { number, suffix: String::new() }
    }

    /// The arguments that make nvcc emit machine code for this architecture, and nothing else.
    pub(super) fn gencode(&self) -> String {
        let id = format!("{}{}", self.number, self.suffix);
        format!("arch=compute_{id},code=sm_{id}")
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{}{}", self.number, self.suffix)
    }
}

impl FromStr for Arch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let rest = text.strip_prefix("sm_").unwrap_or(text);
        let digits = rest.trim_end_matches(|c: char| c.is_ascii_lowercase());
        let number = digits
            .parse()
            .map_err(|_| format!("{text:?} is no GPU architecture; write sm_90, or sm_80,sm_90 for several"))?;
        Ok(Self { number, suffix: rest[digits.len()..].to_owned() })
    }
}

/// The architectures that the compiler can build for, by its own word.
pub(super) fn known(nvcc: &Path) -> Result<BTreeSet<Arch>> {
    let output =
        Command::new(nvcc).arg("--list-gpu-code").output().with_context(|| format!("cannot run {}", nvcc.display()))?;
    let list: BTreeSet<Arch> =
        String::from_utf8_lossy(&output.stdout).lines().filter_map(|l| l.trim().parse().ok()).collect();
    if list.is_empty() {
        bail!("{} --list-gpu-code names no architecture; CUDA 11.4 or later is needed", nvcc.display());
    }
    Ok(list)
}

/// The architectures of the GPUs that the driver shows; none without a driver.
pub(super) fn local() -> Vec<Arch> {
    let gpus = crate::gpus::list().unwrap_or_default();
    let found: BTreeSet<Arch> = gpus.iter().map(|gpu| Arch::new(gpu.compute_capability)).collect();
    found.into_iter().collect()
}

pub(super) fn choose(asked: &[Arch], local: &[Arch], known: &BTreeSet<Arch>) -> Result<Vec<Arch>> {
    let common: Vec<Arch> = COMMON.map(Arch::new).into_iter().filter(|a| known.contains(a)).collect();
    let wanted = if !asked.is_empty() {
        asked
    } else if !local.is_empty() {
        local
    } else {
        &common
    };
    if let Some(unknown) = wanted.iter().find(|a| !known.contains(a)) {
        let list: Vec<String> = known.iter().map(ToString::to_string).collect();
        bail!("this CUDA compiler does not know {unknown}; it knows {}", list.join(", "));
    }
    let unique: BTreeSet<Arch> = wanted.iter().cloned().collect();
    Ok(unique.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archs(list: &[&str]) -> Vec<Arch> {
        list.iter().map(|a| a.parse().expect("an architecture")).collect()
    }

    #[test]
    fn names_are_read_with_and_without_prefix() {
        assert_eq!(archs(&["90", "sm_90"])[0], archs(&["sm_90"])[0]);
        assert_eq!(archs(&["sm_90a"])[0].gencode(), "arch=compute_90a,code=sm_90a");
        assert!("hopper".parse::<Arch>().is_err());
        assert!("".parse::<Arch>().is_err());
    }

    #[test]
    fn asked_comes_before_local_comes_before_common() {
        let known: BTreeSet<Arch> = archs(&["75", "80", "86", "89", "90", "120"]).into_iter().collect();
        assert_eq!(choose(&archs(&["90", "90"]), &archs(&["80"]), &known).expect("known"), archs(&["90"]));
        assert_eq!(choose(&[], &archs(&["80"]), &known).expect("known"), archs(&["80"]));
        assert_eq!(choose(&[], &[], &known).expect("known"), archs(&["80", "86", "89", "90", "120"]));
    }

    #[test]
    fn an_unknown_architecture_is_refused_with_the_list() {
        let known: BTreeSet<Arch> = archs(&["75", "80"]).into_iter().collect();
        let error = choose(&archs(&["70"]), &[], &known).expect_err("sm_70 is not known").to_string();
        assert!(error.contains("sm_70") && error.contains("sm_75, sm_80"), "{error}");
    }
}
