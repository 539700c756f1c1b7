//! `cargo xtask build`: the release binaries, with the forks, and proof that the forks are in them.

use std::process::ExitCode;

use crate::output::say;
use anyhow::{Context, Result};

use crate::{
    bench,
    cargo_build::CargoBuild,
    cuda::{Arch, CudaBuild, Install},
};

/// The arm that the forks' folders hold.
const SHIP: &str = "ship";

/// Build the release binaries with the forks, and show that the forks are in them
#[derive(clap::Args)]
pub(crate) struct Args {
    /// With the CUDA prover (supraseal-c2 through cuzk/cuda).
    #[arg(long)]
    cuda: bool,
    /// GPU architectures, such as sm_90 or sm_80,sm_90 [default: this machine's GPUs, else a list of common ones].
    #[arg(long, value_delimiter = ',', requires = "cuda")]
    arch: Vec<Arch>,
    /// An arm of the benchmarks in place of what ships: upstream, none, all, +a1, … Its CUDA binary proves recordings.
    #[arg(long, value_name = "ARM", conflicts_with = "print_env")]
    arm: Option<String>,
    /// Fail when no CUDA compiler is found, instead of installing one below target/.
    #[arg(long, requires = "cuda")]
    no_install: bool,
    /// Build nothing: print the variables of a CUDA build, for `eval "$(…)"` before a plain cargo build.
    #[arg(long, requires = "cuda")]
    print_env: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let forks = super::open()?;
    let install = if args.no_install { Install::Refused } else { Install::Allowed };
    let kind = if args.cuda { "cuda" } else { "cpu" };
    if let Some(arm) = &args.arm {
        say!("{}", bench::binary(&forks, arm, kind, &args.arch, install)?.display());
        return Ok(ExitCode::SUCCESS);
    }
    let mut environment = Vec::new();
    if args.cuda {
        let cuda = CudaBuild::prepare(&forks.root, &args.arch, install)?;
        eprintln!("{}", cuda.describe());
        environment = cuda.environment();
        if args.print_env {
            for (name, value) in &environment {
                say!("export {name}='{}'", value.replace('\'', r"'\''"));
            }
            return Ok(ExitCode::SUCCESS);
        }
    }
    for fork in &forks.pins.forks {
        forks::ensure_whole(&forks, fork)?;
    }
    let build = forks.pins.builds.iter().find(|b| b.name == kind);
    let build = build.with_context(|| format!("patches/forks.toml describes no build {kind}"))?;
    let mut cargo = vec!["build", "--release", "--locked", "--workspace"];
    let features = build.features.join(",");
    if !features.is_empty() {
        cargo.extend(["--features", &features]);
    }
    let fingerprint = bench::fingerprint(&forks, SHIP, kind, &args.arch, install)?;
    environment.extend([("CUZK_ARM".into(), SHIP.into()), ("CUZK_FORKS_FINGERPRINT".into(), fingerprint)]);
    let built = CargoBuild { folder: &forks.root, args: &cargo, environment: &environment }.run()?;
    for name in &build.forks {
        let fork = forks.fork(name)?;
        built.check_fork(&forks, fork, &forks.root)?;
        eprintln!("{name} comes from {}", forks.folder(fork).display());
    }
    say!("{}", built.executable(&build.package)?.display());
    Ok(ExitCode::SUCCESS)
}
