//! Each phase of each arm in figures.

use maud::{Markup, html};

use super::{View, boxed};
use crate::analysis::{Metric, Row};
use crate::report::text::{effect_text, metric_text, value_text};

pub(super) fn table(view: View<'_>) -> Markup {
    let mut metrics: Vec<&Metric> = Vec::new();
    for measure in view.case.rows.iter().flat_map(|row| &row.measures) {
        if matches!(measure.metric, Metric::Phase(_) | Metric::SynthesisAlone) && !metrics.contains(&&measure.metric) {
            metrics.push(&measure.metric);
        }
    }
    let title = format!("Phases in figures, against {}", view.base());
    let table = figures(view, &metrics);
    html! { details { summary { (title) } (boxed(&title, table)) } }
}

/// A row for each arm with a value and its effect for each metric.
pub(super) fn figures(view: View<'_>, metrics: &[&Metric]) -> Markup {
    html! {
        table {
            thead {
                tr { th scope="col" { "arm" } @for metric in metrics { th.number scope="col" { (metric_text(metric)) } } }
            }
            tbody {
                @for row in view.case.rows.iter().filter(|row| !row.measures.is_empty()) {
                    tr { th scope="row" { (row.arm) } @for metric in metrics { td.number { (cell(row, metric)) } } }
                }
            }
        }
    }
}

fn cell(row: &Row, metric: &Metric) -> Markup {
    let measure = row.measures.iter().find(|measure| measure.metric == *metric);
    html! {
        @if let Some(measure) = measure {
            (value_text(measure))
            @if let Some(effect) = &measure.vs_base { br; span.note { (effect_text(effect)) } }
        }
    }
}
