//! What each arm's median proof spent its time on, lane by lane, on one axis for all arms.

use maud::{Markup, html};

use super::strip::{Scale, axis, grid, strip, strips, upright};
use super::{View, boxed, counts};
use crate::analysis::{Metric, RowState};
use crate::output::{Phase, Proof};
use crate::receipt::Run;
use crate::report::lanes::{Lane, lanes};
use crate::report::text::quantity_text;

const ROW: usize = 18;
/// As many grounds as the style sheet has; a phase beyond them takes one again, and its name tells it apart.
const GROUNDS: usize = 16;

pub(super) fn timeline(view: View<'_>) -> Markup {
    let shown: Vec<Shown<'_>> =
        view.ran().filter(|row| row.state == RowState::Measured).filter_map(|row| median(view, &row.arm)).collect();
    let longest = shown.iter().map(|one| one.end_s()).fold(0.0, f64::max);
    let scale = Scale::length(longest * 1.01);
    let names = names(&shown);
    let rows = html! {
        @for one in &shown { (arm(one, scale, &names)) }
        tr { td {} td { (axis(scale, |tick, decimals| format!("{tick:.decimals$} s"))) } }
    };
    let caption = html! { "The median timed proof of each arm, by lane" };
    html! {
        h3 { "Phases over time" }
        @if names.is_empty() {
            p.note { "The proofs of this benchmark tell no phases." }
        } @else {
            (legend(&names))
            (boxed("Phases over time", strips(caption, rows)))
            (super::phases::table(view))
        }
    }
}

/// The proof that stands for an arm.
struct Shown<'a> {
    run: &'a Run,
    proof: &'a Proof,
    of: usize,
}

impl Shown<'_> {
    fn end_s(&self) -> f64 {
        self.proof.phases.iter().map(|phase| phase.end_s).fold(self.proof.wall_s, f64::max)
    }
}

fn median<'a>(view: View<'a>, arm: &str) -> Option<Shown<'a>> {
    let runs = view.runs().filter(|run| run.arm == arm && counts(run));
    let mut timed: Vec<(&Run, &Proof)> =
        runs.flat_map(|run| run.proofs.iter().filter(|proof| !proof.warmup).map(move |proof| (run, proof))).collect();
    timed.sort_by(|a, b| a.1.wall_s.total_cmp(&b.1.wall_s));
    let (run, proof) = *timed.get(timed.len().saturating_sub(1) / 2)?;
    Some(Shown { run, proof, of: timed.len() })
}

/// Phases in the order in which they are first seen.
fn names<'a>(shown: &[Shown<'a>]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for phase in shown.iter().flat_map(|one| &one.proof.phases) {
        if !names.contains(&phase.name.as_str()) {
            names.push(&phase.name);
        }
    }
    names
}

fn ground(names: &[&str], name: &str) -> String {
    format!("ground-{}", names.iter().position(|one| *one == name).unwrap_or_default() % GROUNDS)
}

fn legend(names: &[&str]) -> Markup {
    html! {
        ul.legend { @for name in names { li { span class={ "swatch " (ground(names, name)) } {} (name) } } }
    }
}

/// Lanes below their arm; a single lane beside it.
fn arm(shown: &Shown<'_>, scale: Scale, names: &[&str]) -> Markup {
    let lanes = lanes(&shown.proof.phases);
    let name = html! { (shown.run.arm) " " span.figure { (quantity_text(&Metric::Wall, shown.proof.wall_s)) } };
    html! {
        @if let [lane] = lanes.as_slice() {
            tr { th scope="row" { (name) } td { (drawn(shown, lane, scale, names)) } }
        } @else {
            tr.group { th colspan="2" scope="rowgroup" { (name) } }
            @for lane in &lanes { tr { th scope="row" { (lane.name) } td { (drawn(shown, lane, scale, names)) } } }
        }
    }
}

fn drawn(shown: &Shown<'_>, lane: &Lane<'_>, scale: Scale, names: &[&str]) -> Markup {
    let height = (lane.rows.len() * ROW + 2) as u32;
    let phases: usize = lane.rows.iter().map(Vec::len).sum();
    let (run, of) = (shown.run, shown.of);
    let said = format!("{}, block {}, median of {of}: lane {} with {phases} phases", run.arm, run.block, lane.name);
    let content = html! {
        (grid(scale))
        @for (index, row) in lane.rows.iter().enumerate() {
            @for phase in row { (bar(phase, index * ROW + 1, scale, names)) }
        }
        (upright(scale.at(shown.proof.wall_s), "end"))
    };
    strip(&said, height, content)
}

/// An SVG of its own cuts a name that is longer than the bar.
fn bar(phase: &Phase, down: usize, scale: Scale, names: &[&str]) -> Markup {
    let circuit = if phase.circuit < 0 { String::new() } else { format!(", circuit {}", phase.circuit) };
    let seconds = quantity_text(&Metric::Wall, phase.end_s - phase.start_s);
    let title = format!("{}{circuit}: {seconds}, from {}", phase.name, quantity_text(&Metric::Wall, phase.start_s));
    html! {
        svg x=(scale.at(phase.start_s)) width=(scale.width(phase.start_s, phase.end_s)) y=(down) height=(ROW - 1) {
            title { (title) }
            rect class=(ground(names, &phase.name)) width="100%" height="100%" {}
            text x="3" y="12.5" { (phase.name) }
        }
    }
}
