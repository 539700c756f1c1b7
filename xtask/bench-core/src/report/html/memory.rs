//! What is no time of a proof: memory, faults, bytes over the bus, CPU time. A patch may win or lose here alone.

use maud::{Markup, html};

use super::verdicts::verdict_chip;
use super::{View, boxed, counts, phases};
use crate::analysis::{Attribution, Metric, Patch};
use crate::report::text::{effect_text, metric_text};

pub(super) fn memory(view: View<'_>) -> Markup {
    let metrics = metrics(view);
    html! {
        h3 { "Memory and work" }
        @if metrics.is_empty() { p.note { "Nothing was measured." } } @else {
            (boxed("Memory and work of arms", phases::figures(view, &metrics)))
            @if !metrics.contains(&&Metric::BytesMoved) {
                p.note { "The runs do not tell how many bytes they moved over the bus." }
            }
            (major_faults(view))
            @if let Some(attribution) = view.attribution() {
                (boxed("Memory and work of patches", of_patches(attribution, &metrics)))
            }
        }
    }
}

/// All metrics that are no time of a proof or a part of it.
fn metrics<'a>(view: View<'a>) -> Vec<&'a Metric> {
    let mut metrics: Vec<&Metric> = Vec::new();
    for measure in view.case.rows.iter().flat_map(|row| &row.measures) {
        let is_time = matches!(measure.metric, Metric::Wall | Metric::SynthesisAlone | Metric::Phase(_));
        if !is_time && !metrics.contains(&&measure.metric) {
            metrics.push(&measure.metric);
        }
    }
    metrics
}

fn of_patches(attribution: &Attribution, metrics: &[&Metric]) -> Markup {
    html! {
        table {
            caption { "What each patch does to them" }
            thead {
                tr { th scope="col" { "patch" } @for metric in metrics { th scope="col" { (metric_text(metric)) } } }
            }
            tbody {
                @for patch in &attribution.patches {
                    tr { th scope="row" { (patch.patch) } @for metric in metrics { td { (cell(patch, metric)) } } }
                }
            }
        }
    }
}

fn cell(patch: &Patch, metric: &Metric) -> Markup {
    let figure = patch.figures.iter().find(|figure| figure.metric == *metric);
    html! {
        @if let Some(figure) = figure {
            (verdict_chip(metric, figure.verdict))
            @if let Some(estimate) = figure.judged() { br; span.note { (effect_text(&estimate.effect)) } }
        }
    }
}

/// A count that is 0 in most runs, so that it has no ratio.
fn major_faults(view: View<'_>) -> Markup {
    let mean = |arm: &str| {
        let faults = view.runs().filter(|run| run.arm == arm && counts(run)).map(|run| run.major_faults as f64);
        let faults: Vec<f64> = faults.collect();
        (!faults.is_empty()).then(|| format!("{:.1}", faults.iter().sum::<f64>() / faults.len() as f64))
    };
    let table = html! {
        table {
            thead { tr { th scope="col" { "arm" } th.number scope="col" { "in a run" } } }
            tbody {
                @for row in view.ran() {
                    tr { th scope="row" { (row.arm) } td.number { (mean(&row.arm).unwrap_or_default()) } }
                }
            }
        }
    };
    html! { details { summary { "Faults that read the disk" } (boxed("Faults that read the disk", table)) } }
}
