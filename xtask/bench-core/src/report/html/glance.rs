//! All cases at once: a line for each patch, or for each arm where patches have no verdicts.

use maud::{Markup, html};

use super::verdicts::{on_wall, verdict_chip};
use super::{View, arms, boxed};
use crate::analysis::Metric;
use crate::report::text::{effect_text, state_text};

pub(super) fn glance(cases: &[View<'_>]) -> Markup {
    if cases.len() < 2 {
        return html! {};
    }
    let judged = cases.iter().any(|view| view.attribution().is_some());
    let (what, names) = if judged { ("patch", patches(cases)) } else { ("arm", names(cases)) };
    let table = html! {
        table {
            thead {
                tr {
                    th scope="col" { (what) }
                    @for view in cases { th scope="col" { a href={ "#" (view.anchor()) } { (view.case.title) } } }
                }
            }
            tbody {
                @for name in names {
                    tr {
                        th scope="row" { (name) }
                        @for view in cases { td.cell { @if judged { (patch(*view, name)) } @else { (arm(*view, name)) } } }
                    }
                }
            }
        }
    };
    html! { section { h2 { "At a glance: wall" } (boxed("At a glance", table)) } }
}

fn patches<'a>(cases: &[View<'a>]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for patch in cases.iter().filter_map(|view| view.attribution()).flat_map(|attribution| &attribution.patches) {
        if !names.contains(&patch.patch.as_str()) {
            names.push(&patch.patch);
        }
    }
    names
}

fn names<'a>(cases: &[View<'a>]) -> Vec<&'a str> {
    cases.first().into_iter().flat_map(|view| &view.case.rows).map(|row| row.arm.as_str()).collect()
}

fn patch(view: View<'_>, name: &str) -> Markup {
    let patch = view.attribution().and_then(|one| one.patches.iter().find(|patch| patch.patch == name));
    html! {
        @match patch {
            None => {}
            Some(patch) if !patch.in_build => "not in this build",
            Some(patch) => {
                @if let Some(figure) = on_wall(patch) {
                    (verdict_chip(&Metric::Wall, figure.verdict))
                    @if let Some(estimate) = figure.judged() { br; span.note { (effect_text(&estimate.effect)) } }
                }
            }
        }
    }
}

fn arm(view: View<'_>, name: &str) -> Markup {
    let row = view.case.rows.iter().find(|row| row.arm == name);
    let effect = row.and_then(arms::wall).and_then(|wall| wall.vs_base);
    html! {
        @match (row, effect) {
            (_, Some(effect)) => { (effect_text(&effect)) }
            (Some(row), None) if view.case.base.as_deref() == Some(name) && !row.measures.is_empty() => "base",
            (Some(row), None) => span.note { (state_text(&row.state)) },
            (None, None) => {}
        }
    }
}
