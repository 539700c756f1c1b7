//! What each patch is worth, a line for each, ending in its verdict in words.

use maud::{Markup, html};

use super::{View, boxed, chip};
use crate::analysis::{Attribution, Estimate, Figure, Metric, Patch, Verdict};
use crate::report::attribution::{after, withheld, words};
use crate::report::text::{effect_text, metric_text, verdict_text};

pub(super) fn verdicts(view: View<'_>) -> Markup {
    html! {
        h3 { "Verdicts" }
        @match view.attribution() {
            None => p { "No arm of this benchmark measures its noise or is slowed on purpose, so no patch has a verdict." }
            Some(attribution) => {
                @if let Some(reason) = &attribution.withheld {
                    p { (chip("bad", "✗ no verdicts")) " " (withheld(reason)) }
                }
                (boxed("Verdicts", table(attribution)))
                @for line in after(attribution) { p.note { (line) } }
                (all_figures(attribution))
            }
        }
    }
}

fn table(attribution: &Attribution) -> Markup {
    html! {
        table {
            thead {
                tr {
                    th scope="col" { "patch" }
                    th scope="col" { "verdict on wall, and in words" }
                    th.number scope="col" { "alone" }
                    th.number scope="col" { "given all others" }
                    th.number scope="col" { "share" }
                    th scope="col" { "judged on" }
                }
            }
            tbody { @for patch in &attribution.patches { (row(attribution, patch)) } }
        }
    }
}

fn row(attribution: &Attribution, patch: &Patch) -> Markup {
    let wall = on_wall(patch);
    let cell = |which: fn(&Figure) -> Option<Estimate>| wall.and_then(which).map(|one| effect_text(&one.effect));
    let gating: Vec<&str> =
        patch.figures.iter().filter(|figure| figure.gating).map(|figure| metric_text(&figure.metric)).collect();
    html! {
        tr {
            th scope="row" { (patch.patch) }
            td.words {
                (verdict_chip(&Metric::Wall, wall.and_then(|figure| figure.verdict)))
                div.note { (words(attribution, patch)) }
            }
            td.number { (cell(|figure| figure.alone).unwrap_or_default()) }
            td.number { (cell(|figure| figure.rest).unwrap_or_default()) }
            td.number { (cell(|figure| figure.share).unwrap_or_default()) }
            td { (gating.join(", ")) }
        }
    }
}

/// A patch's figure on wall time.
pub(super) fn on_wall(patch: &Patch) -> Option<&Figure> {
    patch.figures.iter().find(|figure| figure.metric == Metric::Wall)
}

/// A verdict as one sign and a few words.
pub(super) fn verdict_chip(metric: &Metric, verdict: Option<Verdict>) -> Markup {
    let (class, sign) = match verdict {
        None => return chip("open", "– no verdict"),
        Some(Verdict::Faster) => ("good", "▼"),
        Some(Verdict::Slower) => ("bad", "▲"),
        Some(Verdict::NoDifference { .. }) => ("none", "="),
        Some(Verdict::Inconclusive { .. }) => ("open", "?"),
    };
    let words = verdict.map(|verdict| verdict_text(metric, verdict)).unwrap_or_default();
    chip(class, &format!("{sign} {words}"))
}

/// Every metric of every patch.
fn all_figures(attribution: &Attribution) -> Markup {
    let figures = || attribution.patches.iter().flat_map(|patch| patch.figures.iter().map(move |one| (patch, one)));
    let effect = |estimate: &Option<Estimate>| estimate.map(|one| effect_text(&one.effect)).unwrap_or_default();
    let table = html! {
        table {
            thead {
                tr {
                    th scope="col" { "patch" }
                    th scope="col" { "of" }
                    th.number scope="col" { "alone" }
                    th.number scope="col" { "given all others" }
                    th.number scope="col" { "share" }
                    th scope="col" { "verdict" }
                }
            }
            tbody {
                @for (patch, figure) in figures() {
                    tr {
                        th scope="row" { (patch.patch) }
                        td { (metric_text(&figure.metric)) @if figure.gating { " (gating)" } }
                        td.number { (effect(&figure.alone)) }
                        td.number { (effect(&figure.rest)) }
                        td.number { (effect(&figure.share)) }
                        td { (verdict_chip(&figure.metric, figure.verdict)) }
                    }
                }
            }
        }
    };
    html! { details { summary { "Every metric of every patch" } (boxed("Every metric of every patch", table)) } }
}
