//! `report`: what receipts say, on a terminal, as Markdown, as a page, as a timeline; and the pages kept in the repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use bench_core::analysis::{Analysis, analyse};
use bench_core::receipt::Receipt;
use bench_core::report::{Selector, Style, html, render, trace};

use crate::output::say;
use crate::pages;

/// Show what receipts say; without any, bring the pages that are made from evidence/ up to date
///
/// Several receipts of one campaign, from hosts of one model, are shown as one. Without a receipt the README's table of
/// patches, the index of the evidence and the page beside each receipt are written. Exit status with a receipt as of
/// `bench`, else 0, or 1 when --check found a page that is not what the receipts give.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What `bench` wrote
    receipts: Vec<PathBuf>,
    /// Print Markdown, as for a pull request
    #[arg(long, requires = "receipts")]
    markdown: bool,
    /// A column more: against the arm `none`
    #[arg(long, requires = "receipts")]
    vs_none: bool,
    /// Print the analysis as JSON
    #[arg(long, requires = "receipts", conflicts_with_all = ["markdown", "vs_none"])]
    json: bool,
    /// Write a page for a browser, in one file that needs no network
    #[arg(long, requires = "receipts", value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write one run as a timeline that ui.perfetto.dev and chrome://tracing read
    #[arg(long, requires_all = ["receipts", "arm"], value_name = "FILE")]
    trace: Option<PathBuf>,
    /// The run's arm, for --trace
    #[arg(long, requires = "trace")]
    arm: Option<String>,
    /// The run's case, for --trace: 1 for the plan's first
    #[arg(long, requires = "trace", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    case: u16,
    /// The run's block, for --trace: 1 for the first [default: the first that counts]
    #[arg(long, requires = "trace", value_parser = clap::value_parser!(u16).range(1..))]
    block: Option<u16>,
    /// Write nothing: exit 1 when a page is not what the receipts give
    #[arg(long, conflicts_with = "receipts")]
    check: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    if args.receipts.is_empty() {
        return keep_pages(args.check);
    }
    let receipt = merged(&args.receipts)?;
    let analysis = analyse(&receipt);
    if let Some(path) = &args.html {
        write(path, &html(&receipt, &analysis, &pages::repeat(&receipt)))?;
    }
    if let (Some(path), Some(arm)) = (&args.trace, &args.arm) {
        write(path, &timeline(args, &receipt, arm)?)?;
    }
    if args.json {
        say!("{}", serde_json::to_string_pretty(&analysis)?);
    } else if args.html.is_none() && args.trace.is_none() {
        show(&analysis, Style { markdown: args.markdown, vs_none: args.vs_none });
    }
    Ok(ExitCode::from(analysis.exit_code()))
}

pub(super) fn show(analysis: &Analysis, style: Style) {
    crate::output::write(format_args!("{}", render(analysis, style)));
}

fn merged(paths: &[PathBuf]) -> Result<Receipt> {
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Receipt::parse(&text).with_context(|| path.display().to_string())
    };
    let (first, rest) = paths.split_first().context("there is a receipt")?;
    let mut receipt = read(first)?;
    for path in rest {
        receipt.merge(read(path)?).with_context(|| format!("{} and {}", first.display(), path.display()))?;
    }
    Ok(receipt)
}

fn timeline(args: &Args, receipt: &Receipt, arm: &str) -> Result<String> {
    let case = usize::from(args.case) - 1;
    if case >= receipt.plan.cases.len() {
        bail!("--case {}: the receipt has {} cases", args.case, receipt.plan.cases.len());
    }
    let block = args.block.map(|block| usize::from(block) - 1);
    Ok(trace(receipt, Selector { arm, case, block })?)
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    eprintln!("wrote {}", path.display());
    Ok(())
}

/// Writes the pages that are not what the receipts give, or tells them.
fn keep_pages(check: bool) -> Result<ExitCode> {
    let forks = super::open()?;
    let pages = pages::pages(&forks)?;
    let old: Vec<_> = pages.iter().filter(|page| !page.is_current(&forks.root)).collect();
    for page in &old {
        if check {
            say!("{}: not what evidence/ and patches/ give\n  fix: cargo xtask report", page.path.display());
        } else {
            page.write(&forks.root)?;
            say!("wrote {}", page.path.display());
        }
    }
    if old.is_empty() {
        say!("{} pages are what evidence/ and patches/ give", pages.len());
    }
    Ok(if check && !old.is_empty() { super::found() } else { ExitCode::SUCCESS })
}
