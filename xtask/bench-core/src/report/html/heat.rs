//! How patches act together: a map with a number in each cell.

use maud::{Markup, html};

use super::{View, boxed, interval_text};
use crate::analysis::{Attribution, Interaction, Metric};
use crate::report::text::{effect_text, metric_text, verdict_text};

pub(super) fn heat(view: View<'_>) -> Markup {
    let maps = view.attribution().map(|one| shown(one).into_iter().map(|metric| map(one, metric)).collect::<Vec<_>>());
    let maps = maps.unwrap_or_default();
    html! {
        h3 { "Patches together" }
        @if maps.is_empty() {
            p.note { "The arms of this benchmark do not tell how two patches act together." }
        } @else {
            p.note {
                "By how much two patches together differ from the sum of each alone: below 0 they help each other, above it "
                "they hurt each other."
            }
            @for map in maps { (map) }
        }
    }
}

/// Wall time, and each metric where an interaction is an effect.
fn shown(attribution: &Attribution) -> Vec<&Metric> {
    let mut metrics: Vec<&Metric> = Vec::new();
    for one in &attribution.interactions {
        let is_shown = one.metric == Metric::Wall || one.verdict.is_some_and(|verdict| verdict.is_effect());
        if is_shown && !metrics.contains(&&one.metric) {
            metrics.push(&one.metric);
        }
    }
    metrics
}

fn map(attribution: &Attribution, metric: &Metric) -> Markup {
    let all: Vec<&Interaction> = attribution.interactions.iter().filter(|one| one.metric == *metric).collect();
    let mut patches: Vec<&str> = all.iter().flat_map(|one| [one.patches.0.as_str(), one.patches.1.as_str()]).collect();
    patches.sort_unstable();
    patches.dedup();
    let strongest = all.iter().map(|one| one.estimate.effect.ratio.ln().abs()).fold(0.0, f64::max);
    let cell = |a: &str, b: &str| {
        let is = |one: &&&Interaction| one.patches == (a.into(), b.into()) || one.patches == (b.into(), a.into());
        all.iter().find(is).map_or_else(|| html! { td.nothing { "·" } }, |one| cell(one, strongest))
    };
    let table = html! {
        table.heat {
            caption { "Together on " (metric_text(metric)) }
            thead { tr { th scope="col" { "patch" } @for patch in &patches { th scope="col" { (patch) } } } }
            tbody {
                @for patch in &patches {
                    tr { th scope="row" { (patch) } @for other in &patches { (cell(patch, other)) } }
                }
            }
        }
    };
    boxed(&format!("Patches together on {}", metric_text(metric)), table)
}

/// The stronger an interaction beside the strongest, the deeper its colour.
fn cell(one: &Interaction, strongest: f64) -> Markup {
    let log = one.estimate.effect.ratio.ln();
    let depth = if strongest > 0.0 { 100.0 * log.abs() / strongest } else { 0.0 };
    let word = one.verdict.filter(|verdict| verdict.is_effect()).map(|verdict| verdict_text(&one.metric, verdict));
    html! {
        td class=(if log < 0.0 { "less" } else { "more" }) style=(format!("--depth:{depth:.0}%"))
            title=(interval_text(&one.estimate.effect)) {
            (effect_text(&one.estimate.effect))
            @if let Some(word) = word { br; b { (word) } }
        }
    }
}
