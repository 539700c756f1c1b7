//! Every run in the order in which it ran, against the median of its own arm: what all arms have in common is drift.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::strip::{Mark, Scale, band, mark, strip, strips};
use super::{View, boxed, counts};
use crate::analysis::{Metric, RowState};
use crate::receipt::Run;
use crate::report::text::quantity_text;

const TALL: u32 = 120;
const LOW: u32 = 36;

pub(super) fn order(view: View<'_>) -> Markup {
    let points = points(view);
    let counted = points.iter().filter(|point| point.left_out.is_none()).filter_map(|point| point.percent);
    // What does not count may lie far out, and stands at the edge then.
    let furthest = counted.fold(1.0, |most: f64, one| most.max(one.abs()));
    let chart = Chart { across: Scale::length(points.len() as f64), up: Scale::new([-furthest, furthest]), points };
    let caption = html! {
        "Wall of every run in the order of the campaign"
        span.note {
            (format!(" (each strip spans ±{furthest:.1} % around the arm's own median; shades are blocks"))
            @if chart.points.iter().any(|point| point.left_out.is_some()) { "; ✕ does not count" }
            ")"
        }
    };
    let rows = html! {
        tr { th scope="row" { b { "all arms" } } td { (chart.strip("all arms", TALL, |_| true)) } }
        @for row in view.ran() {
            tr {
                th scope="row" { (row.arm) " " span.figure { (chart.median(&row.arm)) } }
                td { (chart.strip(&row.arm, LOW, |point| point.run.arm == row.arm)) }
            }
        }
    };
    html! {
        h3 { "Run order" }
        @if chart.points.is_empty() { p.note { "Nothing has run." } } @else { (boxed("Run order", strips(caption, rows))) }
        (left_out_list(&chart.points))
    }
}

struct Point<'a> {
    run: &'a Run,
    wall_s: Option<f64>,
    /// The median of the arm's runs that count.
    median_s: Option<f64>,
    /// How far from it.
    percent: Option<f64>,
    /// Why it does not count.
    left_out: Option<String>,
}

fn points(view: View<'_>) -> Vec<Point<'_>> {
    let void = |arm: &str| view.case.rows.iter().any(|row| row.arm == arm && row.state == RowState::Void);
    let mut walls: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for run in view.runs().filter(|run| counts(run)) {
        walls.entry(&run.arm).or_default().extend(wall_s(run));
    }
    let medians: BTreeMap<&str, f64> =
        walls.into_iter().filter_map(|(arm, walls)| Some((arm, median(walls)?))).collect();
    let point = |run: &'_ Run| {
        let wall_s = wall_s(run);
        let median_s = medians.get(run.arm.as_str()).copied();
        let percent = wall_s.zip(median_s).map(|(wall, median)| (wall / median - 1.0) * 100.0);
        (wall_s, median_s, percent.filter(|percent| percent.is_finite()))
    };
    let left_out = |run: &Run| match &run.excluded {
        Some(cause) => Some(cause.clone()),
        None if !counts(run) => Some(run.outcome.describe()),
        None => void(&run.arm).then(|| "wrong proof".to_owned()),
    };
    view.runs()
        .map(|run| {
            let (wall_s, median_s, percent) = point(run);
            Point { run, wall_s, median_s, percent, left_out: left_out(run) }
        })
        .collect()
}

/// Mean of a run's timed proofs.
fn wall_s(run: &Run) -> Option<f64> {
    let walls: Vec<f64> = run.proofs.iter().filter(|proof| !proof.warmup).map(|proof| proof.wall_s).collect();
    (!walls.is_empty()).then(|| walls.iter().sum::<f64>() / walls.len() as f64)
}

/// The lower one of the two in the middle: a value that was measured.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied()
}

struct Chart<'a> {
    points: Vec<Point<'a>>,
    across: Scale,
    up: Scale,
}

impl Chart<'_> {
    fn median(&self, arm: &str) -> String {
        let median = self.points.iter().find(|point| point.run.arm == arm).and_then(|point| point.median_s);
        median.map(|median| quantity_text(&Metric::Wall, median)).unwrap_or_default()
    }

    fn strip(&self, name: &str, height: u32, is_shown: impl Fn(&Point<'_>) -> bool) -> Markup {
        let shown = || self.points.iter().enumerate().filter(|(_, point)| is_shown(point));
        let said = format!("{name}: {} runs in their order, from {}", shown().count(), self.first_and_last(&is_shown));
        let content = html! {
            @for block in self.odd_blocks() { (band(self.across, block, "block")) }
            line.zero x1="0" x2="100%" y1="50%" y2="50%" {}
            @for (index, point) in shown() { (self.mark(index, point)) }
        };
        strip(&said, height, content)
    }

    /// For who cannot see the drift.
    fn first_and_last(&self, is_shown: impl Fn(&Point<'_>) -> bool) -> String {
        let percents: Vec<f64> =
            self.points.iter().filter(|point| is_shown(point)).filter_map(|point| point.percent).collect();
        match (percents.first(), percents.last()) {
            (Some(first), Some(last)) => format!("{first:+.1} % to {last:+.1} % of the median"),
            _ => "no time".into(),
        }
    }

    /// Every second block, as places in the order.
    fn odd_blocks(&self) -> Vec<(f64, f64)> {
        let mut from = 0;
        let mut odd = Vec::new();
        for (number, block) in self.points.chunk_by(|a, b| a.run.block == b.run.block).enumerate() {
            if number % 2 == 1 {
                odd.push((from as f64, (from + block.len()) as f64));
            }
            from += block.len();
        }
        odd
    }

    fn mark(&self, index: usize, point: &Point<'_>) -> Markup {
        let x = self.across.at(index as f64 + 0.5);
        // A run without a time stands at the lower edge.
        let y = self.up.down(point.percent.unwrap_or(f64::MIN));
        let time = point.wall_s.map_or_else(|| "no time".into(), |wall| quantity_text(&Metric::Wall, wall));
        let title = format!("{}, block {}, slot {}: {time}", point.run.arm, point.run.block, point.run.slot);
        match &point.left_out {
            None => mark(Mark::Circle, (&x, &y), "run", &title),
            Some(cause) => mark(Mark::Cross, (&x, &y), "left-out", &format!("{title}; does not count: {cause}")),
        }
    }
}

fn left_out_list(points: &[Point<'_>]) -> Markup {
    let left_out: Vec<(&Run, &str)> =
        points.iter().filter_map(|point| Some((point.run, point.left_out.as_deref()?))).collect();
    html! {
        @if !left_out.is_empty() {
            details {
                summary { (left_out.len()) " runs do not count" }
                ul {
                    @for (run, cause) in left_out {
                        li { (run.arm) ", block " (run.block) ", slot " (run.slot) ": " (cause) }
                    }
                }
            }
        }
    }
}
