//! The arms: what each is, and its wall time against the others.

use maud::{Markup, html};

use super::{View, boxed};
use crate::analysis::{Effect, Measure, Metric, Row, RowState};
use crate::arm::{Arm, NONE, UPSTREAM};
use crate::report::text::{effect_text, percent_text, state_text, value_text};
use crate::role::Role;

pub(super) fn arms(view: View<'_>) -> Markup {
    let vs_none = view.base() != NONE && wall_effects(view, |wall| wall.vs_none);
    let table = html! {
        table {
            thead {
                tr {
                    th scope="col" { "arm" }
                    th.number scope="col" { "wall" }
                    th.number scope="col" { "against " (view.base()) }
                    @if vs_none { th.number scope="col" { "against " (NONE) } }
                    th.number scope="col" { "runs" }
                    th scope="col" { "what it is" }
                }
            }
            tbody { @for row in &view.case.rows { (table_row(view, row, vs_none)) } }
        }
    };
    html! { h3 { "Arms" } (boxed("Arms", table)) }
}

fn wall_effects(view: View<'_>, which: fn(&Measure) -> Option<Effect>) -> bool {
    view.case.rows.iter().filter_map(wall).any(|wall| which(wall).is_some())
}

/// A row's wall time.
pub(super) fn wall(row: &Row) -> Option<&Measure> {
    row.measures.iter().find(|measure| measure.metric == Metric::Wall)
}

fn table_row(view: View<'_>, row: &Row, vs_none: bool) -> Markup {
    let wall = wall(row);
    let effect = |effect: Option<Effect>| effect.map(|effect| effect_text(&effect)).unwrap_or_default();
    let arm = view.receipt.arms.iter().find(|arm| arm.arm == row.arm);
    html! {
        tr {
            th scope="row" { (row.arm) }
            @if row.state == RowState::Measured {
                td.number { (wall.map(value_text).unwrap_or_default()) }
                td.number { (effect(wall.and_then(|wall| wall.vs_base))) }
                @if vs_none { td.number { (effect(wall.and_then(|wall| wall.vs_none))) } }
                td.number { (row.runs) }
            } @else {
                td.words colspan=(if vs_none { 4 } else { 3 }) { (state_text(&row.state)) }
            }
            td.what { (arm.map(what).unwrap_or_default()) }
        }
    }
}

/// An arm in words.
pub(super) fn what(arm: &Arm) -> String {
    match &arm.role {
        Role::Twin { of } => format!("the code of {of} in another layout: measures the noise"),
        Role::Control { of, phase, factor } => {
            let what = phase.as_deref().unwrap_or("wall");
            format!("{of} with {what} slowed by {}: must be found", percent_text(*factor))
        }
        Role::Plain if arm.arm == UPSTREAM => "as its authors released it".into(),
        Role::Plain if arm.patches.is_empty() => "no measured patch".into(),
        Role::Plain => arm.patches.join(", "),
    }
}
