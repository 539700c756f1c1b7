//! A receipt as one HTML file that needs nothing else: no network, no script, no fonts; figures are inline SVG.
//!
//! Everything that comes from the receipt passes through `maud`, which escapes it, and the page forbids itself to load or
//! run anything, so that a receipt by another hand can be looked at. The same receipt gives the same bytes.
//!
//! SVG has coordinates in per cent across and in pixels down, without a view box: a figure is as wide as its place on a
//! phone and on paper, and its text stays as large as the page's.

mod arms;
mod effects;
mod floor;
mod glance;
mod heat;
mod memory;
mod order;
mod phases;
mod proofs;
mod provenance;
mod strip;
mod timeline;
mod verdicts;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::Style;
use crate::analysis::{Analysis, Attribution, CaseAnalysis, Effect, Finding, Row, Severity};
use crate::receipt::{Outcome, Receipt, Run};

const STYLE: &str = include_str!("style.css");
/// The browser itself refuses whatever would leave the file.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The page of a receipt; `repeat` is the command that runs the same benchmark again.
pub fn html(receipt: &Receipt, analysis: &Analysis, repeat: &str) -> String {
    let cases: Vec<View<'_>> =
        analysis.cases.iter().enumerate().map(|(index, case)| View { receipt, index, case }).collect();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { "Benchmark " (receipt.plan.name) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header { (heading(receipt, analysis)) }
                main {
                    @if !receipt.runs.is_empty() { (findings(&analysis.findings)) }
                    (glance::glance(&cases))
                    @for case in &cases { (section(case)) }
                    (how_to_read(analysis))
                    (provenance::provenance(receipt, repeat))
                }
            }
        }
    };
    page.into_string()
}

/// One case with the receipt that it is from.
#[derive(Clone, Copy)]
struct View<'a> {
    receipt: &'a Receipt,
    index: usize,
    case: &'a CaseAnalysis,
}

impl<'a> View<'a> {
    /// The case's runs in the order in which they ran.
    fn runs(self) -> impl Iterator<Item = &'a Run> {
        self.receipt.runs.iter().filter(move |run| run.case == self.index)
    }

    /// The rows of arms that ran here.
    fn ran(self) -> impl Iterator<Item = &'a Row> {
        self.case.rows.iter().filter(move |row| self.runs().any(|run| run.arm == row.arm))
    }

    fn attribution(self) -> Option<&'a Attribution> {
        self.case.attribution.as_ref()
    }

    /// The arm that others are compared with, for a heading.
    fn base(self) -> &'a str {
        self.case.base.as_deref().unwrap_or("nothing")
    }

    fn anchor(self) -> String {
        format!("case-{}", self.index + 1)
    }
}

fn heading(receipt: &Receipt, analysis: &Analysis) -> Markup {
    let (host, gpus) = (&receipt.host, &receipt.host.gpus);
    let excluded = receipt.runs.iter().filter(|run| !counts(run)).count();
    let proofs: usize = analysis.cases.iter().flat_map(|case| &case.rows).map(|row| row.proofs).sum();
    html! {
        h1 { "Benchmark " (receipt.plan.name) }
        p.lead {
            @for gpu in gpus { (gpu.name) " · " }
            (host.cpu) ", " (host.cores) " cores"
            @if !receipt.other_hosts.is_empty() { " · " (receipt.hosts().count()) " hosts of this model" }
        }
        ul.facts {
            li { b { (receipt.arms.len()) } " arms" }
            li { b { (receipt.plan.blocks) } " blocks planned" }
            li { b { (receipt.runs.len()) } " runs" }
            li { b { (excluded) } " not counted" }
            li { b { (proofs) } " proofs counted" }
        }
        @if analysis.cases.len() > 1 {
            nav aria-label="Cases" {
                @for (index, case) in analysis.cases.iter().enumerate() {
                    a href={ "#case-" (index + 1) } { (case.title) }
                }
                a href="#provenance" { "Provenance" }
            }
        }
    }
}

fn findings(findings: &[Finding]) -> Markup {
    let word = |severity| match severity {
        Severity::ProofsDiffer => ("bad", "✗ proofs differ"),
        Severity::Failure => ("bad", "✗ failed"),
        Severity::Note => ("open", "note"),
    };
    html! {
        section.findings {
            h2 { "Findings" }
            @if findings.is_empty() {
                p { (chip("good", "✓ sound")) " Every run proved, and every proof is the same bytes as the reference." }
            } @else {
                ul {
                    @for finding in findings {
                        @let (class, word) = word(finding.severity);
                        li { (chip(class, word)) " " (finding.message) }
                    }
                }
            }
        }
    }
}

fn section(view: &View<'_>) -> Markup {
    html! {
        section.case id=(view.anchor()) {
            h2 { (view.case.title) }
            (verdicts::verdicts(*view))
            (arms::arms(*view))
            (effects::effects(*view))
            (heat::heat(*view))
            (order::order(*view))
            (timeline::timeline(*view))
            (proofs::proofs(*view))
            (floor::floor(*view))
            (memory::memory(*view))
        }
    }
}

fn how_to_read(analysis: &Analysis) -> Markup {
    let notes = super::notes(analysis, Style { markdown: false, vs_none: true });
    html! {
        section {
            h2 { "How to read this" }
            ul {
                @for note in notes { li { (note) } }
                li {
                    "▼ is less time or memory, ▲ more, = no difference that matters, ? not settled; colour repeats "
                    "what these signs say."
                }
                li { "Point at a mark or a bar to see what it is." }
            }
        }
    }
}

/// Whether a run's times are samples.
fn counts(run: &Run) -> bool {
    run.outcome == Outcome::Proved && run.excluded.is_none()
}

/// A word on a coloured ground. The word alone must say it all.
fn chip(class: &str, word: &str) -> Markup {
    html! { span class={ "chip " (class) } { (word) } }
}

/// A wide thing that scrolls inside its own box, with the keyboard too.
fn boxed(label: &str, content: Markup) -> Markup {
    html! { div.box role="region" aria-label=(label) tabindex="0" { (content) } }
}

/// `-4.6 % to -3.6 %`.
fn interval_text(effect: &Effect) -> String {
    let percent = |ratio: f64| format!("{:+.1} %", ((ratio - 1.0) * 1000.0).round() / 10.0 + 0.0);
    match effect.interval {
        Some((low, high)) => format!("{} to {}", percent(low), percent(high)),
        None => "no interval from a single block".into(),
    }
}
