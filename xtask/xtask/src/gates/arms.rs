//! The measured patches that do not ship, each in its own arm: the warnings that it adds to its release. What had none
//! before from the same inputs is skipped.

use std::time::Instant;

use anyhow::Result;
use bench_core::arm::sha256_hex;
use forks::{Fork, Patch, Series, verify::Finding};

use super::{Side, edit, features::FeatureSet, finding, folder, subsets::Compiler, warnings, write};
use crate::suites::Suite;

/// Compiles the arm of each such patch of `fork` with each feature set. Gives what is wrong, with its set.
pub(super) fn check<'a>(
    compiler: &Compiler<'_>,
    fork: &Fork,
    sets: &'a [FeatureSet],
    release: &Side<'_>,
) -> Result<Vec<(&'a FeatureSet, Finding)>> {
    let series = release.forks.series(fork)?;
    let mut findings = Vec::new();
    for patch in series.measured().filter(|patch| !patch.on_main() && patch.file.is_some()) {
        let arm = Arm::of(&series, patch)?;
        let inputs = arm.inputs(compiler, sets)?;
        let name = &sha256_hex(inputs.as_bytes())[..16];
        let mark = folder(release.forks).join("without-warnings").join(&fork.name).join(name);
        if mark.exists() {
            eprintln!("{}: {} had no warnings before", fork.name, patch.id);
            continue;
        }
        let found = arm.compare(compiler, sets, release)?;
        if found.is_empty() {
            write(&mark, &inputs)?;
        }
        findings.extend(found);
    }
    Ok(findings)
}

/// A patch on the enabling ones and what it requires.
struct Arm<'a> {
    series: &'a Series,
    patch: &'a Patch,
    measured: Vec<String>,
}

impl<'a> Arm<'a> {
    fn of(series: &'a Series, patch: &'a Patch) -> Result<Self> {
        let mut measured = series.requires(&patch.id)?;
        measured.push(patch.id.clone());
        Ok(Self { series, patch, measured: series.subset(&measured)? })
    }

    fn inputs(&self, compiler: &Compiler<'_>, sets: &[FeatureSet]) -> Result<String> {
        let features: String = sets.iter().map(|set| format!("features {}\n", set.name())).collect();
        Ok(features + &compiler.inputs(self.series, &self.measured)?)
    }

    /// What the patch adds, or that it does not compile.
    fn compare<'s>(
        &self,
        compiler: &Compiler<'_>,
        sets: &'s [FeatureSet],
        release: &Side<'_>,
    ) -> Result<Vec<(&'s FeatureSet, Finding)>> {
        let (fork, id) = (&self.series.fork, &self.patch.id);
        // The place of every set: what they depend on is compiled once, for `--subsets`, too.
        let suite = Suite::patched(release.forks, "subsets", &self.measured)?;
        let ours = Side::new(release.forks, suite, "subsets", &compiler.environment)?;
        let mut found = Vec::new();
        for set in sets {
            let started = Instant::now();
            eprintln!("{}{}: warnings of {id} against the release", fork.name, set.suffix());
            let (before, after) = (release.check(fork, set)?, ours.check(fork, set)?);
            if let Some(error) = after.error {
                let fix = format!("{}, mend it, `cargo xtask export {}`", edit(fork, Some(id)), fork.name);
                let message = format!("it does not compile: {error}");
                found.push((set, finding(warnings::CHECK, fork, Some(id.clone()), message, fix)));
                break;
            }
            let added = warnings::findings(self.series, &self.patches(), before.warnings, after.warnings).into_iter();
            // What another patch adds is told of that one.
            let is_its = |finding: &Finding| finding.patch.as_ref().is_none_or(|patch| patch == id);
            found.extend(added.filter(is_its).map(|finding| (set, finding)));
            eprintln!("{}{}: {:.0} s", fork.name, set.suffix(), started.elapsed().as_secs_f64());
        }
        Ok(found)
    }

    fn patches(&self) -> Vec<&Patch> {
        let is_in = |patch: &&Patch| !patch.is_measured() || self.measured.contains(&patch.id);
        self.series.patches.iter().filter(is_in).collect()
    }
}
