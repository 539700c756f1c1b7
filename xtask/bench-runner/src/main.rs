//! The runner that a bundle carries: `bench-runner run`, `check`, `report`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use bench_core::analysis::analyse;
use bench_core::receipt::Receipt;
use bench_core::report::{Style, render};
use bench_runner::{Interrupted, Options, Progress, check, read_plan, run};
use clap::{Args, Parser, Subcommand};

/// Runs a benchmark plan. Exit status: 0 done, 1 something failed, 2 wrong usage or environment, 4 proofs differ.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Run a plan's blocks and write the receipt.
    Run {
        #[command(flatten)]
        place: Place,
        /// Go on with an interrupted benchmark of this plan.
        #[arg(long)]
        resume: bool,
        /// Throw an interrupted benchmark of this plan away.
        #[arg(long, conflicts_with = "resume")]
        restart: bool,
        /// Start no block that would end after so many seconds; the receipt has those that ran, and --resume goes on.
        #[arg(long, value_name = "SECONDS")]
        within: Option<u64>,
    },
    /// Run a plan's checks: proofs and refusals that must come out exactly.
    Check {
        #[command(flatten)]
        place: Place,
    },
    /// Print the tables of a receipt.
    Report {
        /// The receipt.
        receipt: PathBuf,
        /// Print Markdown.
        #[arg(long)]
        markdown: bool,
        /// Compare with the arm `none` too.
        #[arg(long)]
        vs_none: bool,
    },
}

#[derive(Args)]
struct Place {
    /// The plan; its paths are relative to its folder.
    #[arg(default_value = "plan.json")]
    plan: PathBuf,
    /// Receipts and logs go here.
    #[arg(long, default_value = "out")]
    out: PathBuf,
    /// Cache of test parameters [default: params beside the plan].
    #[arg(long)]
    params_dir: Option<PathBuf>,
}

impl Place {
    fn options(&self, interrupted: Interrupted, within: Option<u64>) -> std::io::Result<Options> {
        let plan = std::path::absolute(&self.plan)?;
        let folder = plan.parent().unwrap_or(Path::new("/")).to_owned();
        let params_dir = self.params_dir.clone().unwrap_or_else(|| folder.join("params"));
        let params_dir = std::path::absolute(params_dir)?;
        Ok(Options {
            folder,
            out: self.out.clone(),
            scratch: self.out.clone(),
            params_dir,
            proc: "/proc".into(),
            interrupted,
            within: within.map(Duration::from_secs),
        })
    }
}

fn main() -> ExitCode {
    match act(Cli::parse().verb) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn act(verb: Verb) -> anyhow::Result<u8> {
    let progress = &mut Progress::new();
    match verb {
        Verb::Run { place, resume, restart, within } => {
            let interrupted = match (resume, restart) {
                (true, _) => Interrupted::Resume,
                (_, true) => Interrupted::Discard,
                _ => Interrupted::Refuse,
            };
            let finished = run(&read_plan(&place.plan)?, &place.options(interrupted, within)?, progress)?;
            let code = show(&finished.receipt, Style::TERMINAL)?;
            let rest = if finished.complete { "" } else { " (not all blocks: --resume goes on)" };
            eprintln!("receipt: {}{rest}", finished.path.display());
            Ok(code)
        }
        Verb::Check { place } => {
            let tally = check::check(&read_plan(&place.plan)?, &place.options(Interrupted::Refuse, None)?, progress)?;
            print(&format!("{} passed, {} failed, {} recorded\n", tally.passed, tally.failed, tally.recorded))?;
            Ok(u8::from(tally.failed > 0))
        }
        Verb::Report { receipt, markdown, vs_none } => {
            let text =
                std::fs::read_to_string(&receipt).with_context(|| format!("cannot read {}", receipt.display()))?;
            let receipt = Receipt::parse(&text).with_context(|| receipt.display().to_string())?;
            show(&receipt, Style { markdown, vs_none })
        }
    }
}

fn show(receipt: &Receipt, style: Style) -> anyhow::Result<u8> {
    let analysis = analyse(receipt);
    print(&render(&analysis, style))?;
    Ok(analysis.exit_code())
}

fn print(text: &str) -> anyhow::Result<()> {
    match std::io::stdout().write_all(text.as_bytes()) {
        // Whoever would have read it has gone.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}
