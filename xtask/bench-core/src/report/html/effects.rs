//! Effects as a forest: an estimate and its 95 % interval on a line each, over the noise floor as a band.

use maud::{Markup, html};

use super::strip::{Mark, Scale, axis, band, grid, line, mark, strips, upright};
use super::{View, boxed, interval_text};
use crate::analysis::{Attribution, Effect, Figure, Metric};
use crate::report::text::{effect_text, metric_text, percent_text};

pub(super) fn effects(view: View<'_>) -> Markup {
    html! {
        h3 { "Effects" }
        @if let Some(attribution) = view.attribution() {
            @for metric in gating(attribution) { (of_patches(attribution, metric)) }
        }
        (of_arms(view))
    }
}

/// A line of a forest.
struct Line<'a> {
    /// Stands once before the lines that share it.
    group: &'a str,
    label: &'a str,
    mark: Mark,
    effect: Effect,
    /// How wide the floor is here, against that of a pair of arms: as [`crate::analysis::Estimate::reach`].
    reach: f64,
}

/// The metrics that a patch is judged on.
fn gating(attribution: &Attribution) -> Vec<&Metric> {
    let mut metrics: Vec<&Metric> = Vec::new();
    for figure in attribution.patches.iter().flat_map(|patch| &patch.figures).filter(|figure| figure.gating) {
        if !metrics.contains(&&figure.metric) {
            metrics.push(&figure.metric);
        }
    }
    metrics
}

fn of_patches(attribution: &Attribution, metric: &Metric) -> Markup {
    let figures = attribution.patches.iter().flat_map(|patch| {
        let figures = patch.figures.iter().filter(|figure| figure.gating && figure.metric == *metric);
        figures.flat_map(|figure| lines(&patch.patch, figure))
    });
    let floor = attribution.floor(metric).map(|floor| floor.ratio);
    forest(&format!("Patches on {}", metric_text(metric)), &figures.collect::<Vec<_>>(), floor)
}

fn lines<'a>(patch: &'a str, figure: &Figure) -> Vec<Line<'a>> {
    let kinds = [
        ("alone", Mark::Diamond, figure.alone),
        ("given all others", Mark::Square, figure.rest),
        ("share", Mark::Circle, figure.share),
    ];
    let line = |(label, mark, estimate): (&'static str, _, Option<crate::analysis::Estimate>)| {
        let estimate = estimate?;
        Some(Line { group: patch, label, mark, effect: estimate.effect, reach: estimate.reach })
    };
    kinds.into_iter().filter_map(line).collect()
}

fn of_arms(view: View<'_>) -> Markup {
    let lines: Vec<Line<'_>> = view
        .case
        .rows
        .iter()
        .filter_map(|row| {
            let effect = super::arms::wall(row)?.vs_base?;
            Some(Line { group: "", label: &row.arm, mark: Mark::Circle, effect, reach: 1.0 })
        })
        .collect();
    let floor = view.attribution().and_then(|attribution| attribution.floor(&Metric::Wall)).map(|floor| floor.ratio);
    forest(&format!("Arms against {} on wall", view.base()), &lines, floor)
}

fn forest(title: &str, lines: &[Line<'_>], floor: Option<f64>) -> Markup {
    let scale = scale(lines, floor);
    let shaded = match floor {
        Some(floor) => format!("shaded: noise floor, ±{} for a pair of arms", percent_text(floor)),
        None => "no noise floor was measured".into(),
    };
    let rows = html! {
        @for (index, line) in lines.iter().enumerate() {
            @if !line.group.is_empty() && (index == 0 || lines[index - 1].group != line.group) {
                tr.group { th colspan="2" scope="rowgroup" { (line.group) } }
            }
            tr {
                th scope="row" { (line.label) " " span.figure { (effect_text(&line.effect)) } }
                td { (drawn(line, scale, floor)) }
            }
        }
        tr { td {} td { (axis(scale, percent_tick)) } }
    };
    let caption = html! { (title) span.note { " (" (shaded) "; bars are 95 % intervals)" } };
    html! {
        @if lines.is_empty() { p.note { (title) ": nothing to compare." } } @else { (boxed(title, strips(caption, rows))) }
    }
}

fn percent_tick(tick: f64, decimals: usize) -> String {
    if tick == 0.0 { "0 %".into() } else { format!("{tick:+.decimals$} %") }
}

/// Everything that is estimated; intervals of few blocks may be so wide that they would hide it, and are cut.
fn scale(lines: &[Line<'_>], floor: Option<f64>) -> Scale {
    let widest = lines.iter().map(|line| line.reach).fold(0.0, f64::max);
    let floor = floor.unwrap_or(1.0).powf(widest);
    let points: Vec<f64> =
        lines.iter().map(|line| line.effect.ratio).chain([1.0, floor, 1.0 / floor]).map(percent).collect();
    let (low, high) = points.iter().fold((0.0_f64, 0.0_f64), |(low, high), one| (low.min(*one), high.max(*one)));
    let most = (high - low).max(1.0);
    let ends =
        lines.iter().filter_map(|line| line.effect.interval).flat_map(|(low, high)| [percent(low), percent(high)]);
    let ends: Vec<f64> = ends.map(|end| end.clamp(low - most, high + most)).collect();
    Scale::new(points.into_iter().chain(ends))
}

fn percent(ratio: f64) -> f64 {
    (ratio - 1.0) * 100.0
}

fn drawn(one: &Line<'_>, scale: Scale, floor: Option<f64>) -> Markup {
    let said = format!("{} {}: {}, {}", one.group, one.label, effect_text(&one.effect), interval_text(&one.effect));
    let said = said.trim_start();
    let at = scale.at(percent(one.effect.ratio));
    let content = html! {
        @if let Some(floor) = floor.map(|floor| floor.powf(one.reach)) { (band(scale, (percent(1.0 / floor), percent(floor)), "floor")) }
        (grid(scale))
        (upright(scale.at(0.0), "zero"))
        @if let Some((low, high)) = one.effect.interval { (interval(scale, percent(low), percent(high))) }
        (mark(one.mark, (&at, "50%"), class(&one.effect), said))
    };
    line(said, content)
}

/// Ends that lie beyond the scale have no bar across.
fn interval(scale: Scale, low: f64, high: f64) -> Markup {
    html! {
        line.interval x1=(scale.at(low)) x2=(scale.at(high)) y1="50%" y2="50%" {}
        @for end in [low, high].into_iter().filter(|end| scale.holds(*end)) {
            line.interval x1=(scale.at(end)) x2=(scale.at(end)) y1="35%" y2="65%" {}
        }
    }
}

/// On which side of no effect the interval lies.
fn class(effect: &Effect) -> &'static str {
    match effect.interval {
        Some((_, high)) if high < 1.0 => "less",
        Some((low, _)) if low > 1.0 => "more",
        _ => "neither",
    }
}
