//! How far the comparison can be believed: the noise floor of each metric, and whether a known slowdown was found.

use maud::{Markup, html};

use super::{View, boxed, chip, interval_text};
use crate::analysis::{Attribution, Control, Floor};
use crate::report::text::{effect_text, metric_text, percent_text};

pub(super) fn floor(view: View<'_>) -> Markup {
    html! {
        h3 { "Noise floor and control" }
        @match view.attribution() {
            None => p.note {
                "No arm is another's twin, and none was slowed on purpose: this receipt does not tell how small a difference "
                "it could find."
            }
            Some(attribution) => {
                (controls(attribution))
                @if attribution.floors.is_empty() {
                    p.note { "No two arms of the same code ran in enough blocks: there is no noise floor." }
                } @else {
                    (boxed("Noise floor", table(attribution)))
                }
            }
        }
    }
}

fn controls(attribution: &Attribution) -> Markup {
    html! {
        @if attribution.controls.is_empty() { p.note { "No arm was slowed on purpose." } }
        @for control in &attribution.controls { p { (self::control(control)) } }
    }
}

fn control(control: &Control) -> Markup {
    let measured = control.estimate.map_or("not measured".into(), |estimate| effect_text(&estimate.effect));
    html! {
        @if control.found { (chip("good", "✓ found")) } @else { (chip("bad", "✗ not found")) }
        " " (control.arm) ": " (percent_text(control.factor)) " more " (metric_text(&control.metric)) " than " (control.of)
        " was put in, " (measured) " was measured."
    }
}

fn table(attribution: &Attribution) -> Markup {
    html! {
        table {
            thead {
                tr {
                    th scope="col" { "metric" }
                    th.number scope="col" { "floor" }
                    th scope="col" { "from" }
                    th.number scope="col" { "measured" }
                    th.number scope="col" { "95 % interval" }
                }
            }
            tbody { @for floor in &attribution.floors { (row(floor)) } }
        }
    }
}

fn row(floor: &Floor) -> Markup {
    html! {
        tr {
            th scope="row" { (metric_text(&floor.metric)) }
            td.number { "±" (percent_text(floor.ratio)) }
            td.cell { (floor.pair.0) " against " (floor.pair.1) }
            td.number { (effect_text(&floor.estimate.effect)) }
            td.number { (interval_text(&floor.estimate.effect)) }
        }
    }
}
