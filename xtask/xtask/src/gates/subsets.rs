//! Every admissible set of a fork's measured patches compiles. What compiled before from the same inputs is skipped.

use std::{fs, path::PathBuf, time::Instant};

use anyhow::{Context, Result};
use bench_core::arm::sha256_hex;
use forks::{Fork, Forks, Series, admissible_subsets, fingerprint, verify::Finding};

use super::{
    Setting,
    compile::{Check, Checked},
    edit, finding, folder, is_gpu, write,
};
use crate::{bench, cuda::CudaBuild, suites::Suite};

const CHECK: &str = "subset";

/// Changes when the same inputs would be compiled otherwise.
const FORMAT: &str = "cargo check, default features, 2";

/// Compiles what has no mark yet. Of what fails, the smallest sets are told.
pub(crate) fn run(setting: &Setting<'_>, names: &[String]) -> Result<Vec<Finding>> {
    let forks = setting.forks;
    let chosen = forks.select(names)?;
    let cuda = setting.cuda(&chosen)?;
    let compiler = Compiler::new(setting, cuda.as_ref())?;
    let mut findings = Vec::new();
    for fork in chosen {
        compiler.check(fork, &mut findings)?;
    }
    Ok(findings)
}

/// How sets are compiled in this run.
pub(super) struct Compiler<'a> {
    forks: &'a Forks,
    pub(super) environment: Vec<(String, String)>,
    toolchain: String,
    gpu: Option<String>,
}

fn gpu_toolchain(cuda: &CudaBuild) -> String {
    let archs: Vec<String> = cuda.archs.iter().map(ToString::to_string).collect();
    format!("nvcc {} {}", cuda.toolkit.release, archs.join(" "))
}

impl<'a> Compiler<'a> {
    pub(super) fn new(setting: &Setting<'a>, cuda: Option<&CudaBuild>) -> Result<Self> {
        Ok(Self {
            forks: setting.forks,
            environment: setting.environment(cuda),
            toolchain: bench::rustc()?,
            gpu: cuda.map(gpu_toolchain),
        })
    }

    fn check(&self, fork: &Fork, findings: &mut Vec<Finding>) -> Result<()> {
        let series = self.forks.series(fork)?;
        let mut failed: Vec<Vec<String>> = Vec::new();
        for set in admissible_subsets(&series) {
            if failed.iter().any(|bad| bad.iter().all(|id| set.contains(id))) {
                eprintln!("{}: {} holds a set that does not compile", fork.name, spelt(&set));
                continue;
            }
            let inputs = self.inputs(&series, &set)?;
            let mark = self.mark(fork, &inputs);
            if mark.exists() {
                eprintln!("{}: {} compiled before", fork.name, spelt(&set));
                continue;
            }
            let started = Instant::now();
            eprintln!("{}: compiling {}", fork.name, spelt(&set));
            match self.compile(fork, &set)?.error {
                None => write(&mark, &inputs)?,
                Some(error) => {
                    findings.push(told(fork, &set, &error));
                    failed.push(set);
                }
            }
            eprintln!("{}: {:.0} s", fork.name, started.elapsed().as_secs_f64());
        }
        Ok(())
    }

    fn compile(&self, fork: &Fork, set: &[String]) -> Result<Checked> {
        let suite = Suite::patched(self.forks, "subsets", set)?;
        bench::settle_lock(self.forks, &suite.folder)?;
        Check {
            workspace: &suite.folder,
            target: &folder(self.forks).join("subsets"),
            package: &fork.krate,
            sources: &suite.folder.join(&fork.folder),
            features: &[],
            environment: &self.environment,
        }
        .run()
    }

    fn mark(&self, fork: &Fork, inputs: &str) -> PathBuf {
        self.forks.root.join("target/subsets").join(&fork.name).join(&sha256_hex(inputs.as_bytes())[..16])
    }

    /// All that the set is compiled from, one input a line.
    pub(super) fn inputs(&self, series: &Series, set: &[String]) -> Result<String> {
        let fork = &series.fork;
        let mut lines = vec![FORMAT.to_owned(), self.toolchain.clone()];
        lines.extend(self.gpu.clone().filter(|_| is_gpu(fork)));
        let path = self.forks.root.join("Cargo.lock");
        let lock = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let dependencies = bench::Lock::parse(&lock)?.reachable(&fork.krate, &|_, _| false);
        for other in &self.forks.pins.forks {
            // A fork that this one depends on is there with its enabling patches.
            let is_used = dependencies.lines().any(|line| is_of(other, line));
            if other.name == fork.name || is_used {
                lines.push(format!("{} {}", other.name, fingerprint::pin(other)));
                let own: &[String] = if other.name == fork.name { set } else { &[] };
                lines.extend(patches(&self.forks.series(other)?, own));
            }
        }
        lines.extend(dependencies.lines().map(str::to_owned));
        Ok(lines.join("\n") + "\n")
    }
}

/// Whether the line `name version checksum` is of the crate that the fork stands for.
fn is_of(fork: &Fork, line: &str) -> bool {
    let mut words = line.split(' ');
    matches!((words.next(), words.next()), (Some(name), Some(version)) if fork.covers(name, version))
}

/// The enabling patches and those of the set, each with the SHA-256 of its diff: a message may be reworded.
fn patches(series: &Series, set: &[String]) -> Vec<String> {
    let is_in = |patch: &&forks::Patch| !patch.is_measured() || set.contains(&patch.id);
    let line = |patch: &forks::Patch| {
        let diff = patch.file.as_ref().map(|file| sha256_hex(&file.diff)).unwrap_or_default();
        format!("{}/{} {diff}", series.fork.name, patch.id)
    };
    series.patches.iter().filter(is_in).map(line).collect()
}

fn spelt(set: &[String]) -> String {
    if set.is_empty() { "no measured patch".to_owned() } else { set.join(" + ") }
}

fn told(fork: &Fork, set: &[String], error: &str) -> Finding {
    let last = set.last();
    let message = format!("the set {} does not compile: {error}", spelt(set));
    let mend = format!("{}, mend it, `cargo xtask export {}`", edit(fork, last.map(String::as_str)), fork.name);
    let fix = if set.len() > 1 {
        format!(
            "if they cannot go together, add `Excludes:` to one; if one builds on the other, `Requires:`; else {mend}"
        )
    } else {
        mend
    };
    finding(CHECK, fork, last.cloned(), message, fix)
}
