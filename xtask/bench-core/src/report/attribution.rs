//! What each patch is worth: floor and control, a line for each patch that ends in its verdict, and how patches act
//! together.

use comfy_table::{CellAlignment, Table};

use super::Style;
use super::text::{effect_text, metric_text, percent_text, verdict_text};
use crate::analysis::{
    Attribution, Basis, Estimate, FEWEST_BLOCKS, Figure, Fit, Floor, LackOfFit, Metric, Patch, Withheld,
};

/// All sections of one case, each ending in an empty line.
pub(super) fn attribution_text(attribution: &Attribution, style: Style) -> String {
    let mut sections = vec![list(before(attribution), style)];
    sections.push(patches(attribution, style));
    sections.extend(interactions(attribution, style));
    sections.push(list(after(attribution), style));
    sections.retain(|section| !section.is_empty());
    sections.iter().map(|section| format!("{section}\n\n")).collect()
}

fn list(lines: Vec<String>, style: Style) -> String {
    let mark = if style.markdown { "- " } else { "" };
    lines.iter().map(|line| format!("{mark}{line}")).collect::<Vec<_>>().join("\n")
}

/// What must be known before a verdict is read.
fn before(attribution: &Attribution) -> Vec<String> {
    let floor = |floor: &Floor| format!("{} {}", metric_text(&floor.metric), percent_text(floor.ratio));
    let floors: Vec<String> = attribution.floors.iter().map(floor).collect();
    let mut lines = Vec::new();
    if !floors.is_empty() {
        lines.push(format!("noise floor of a pair of arms: {}", floors.join(", ")));
    }
    for control in &attribution.controls {
        let metric = metric_text(&control.metric);
        let measured = control.estimate.map_or("not measured".into(), |estimate| effect_text(&estimate.effect));
        let found = if control.found { "found" } else { "NOT FOUND" };
        let injected = percent_text(control.factor);
        lines.push(format!("positive control: {injected} more {metric} than {}: {found}, {measured}", control.of));
    }
    lines.extend(attribution.withheld.as_ref().map(withheld));
    lines
}

pub(super) fn withheld(reason: &Withheld) -> String {
    let reason = match reason {
        Withheld::Roles => "the roles of the arms are wrong, as said below".into(),
        Withheld::NoFloor => {
            format!("no two arms of the same code ran in {FEWEST_BLOCKS} blocks: there is no noise floor")
        }
        Withheld::NoControl => "no arm was slowed on purpose: nothing shows that a slowdown would be found".into(),
        Withheld::ControlMissed { arm } => {
            format!("the known slowdown of {arm} was not found: what is found or missed here means nothing")
        }
    };
    format!("NO VERDICTS: {reason}")
}

fn patches(attribution: &Attribution, style: Style) -> String {
    let mut table = super::empty_table(style);
    table.set_header(["patch", "alone", "given all others", "share", "verdict"]);
    for patch in &attribution.patches {
        let wall = patch.figures.iter().find(|figure| figure.metric == Metric::Wall);
        let cell = |which: fn(&Figure) -> Option<Estimate>| {
            wall.and_then(which).map(|estimate| effect_text(&estimate.effect)).unwrap_or_default()
        };
        let effects = [cell(|figure| figure.alone), cell(|figure| figure.rest), cell(|figure| figure.share)];
        let [alone, rest, share] = effects;
        table.add_row([patch.patch.clone(), alone, rest, share, words(attribution, patch)]);
    }
    align(&mut table, 1..4);
    table.to_string()
}

/// The verdicts of a patch: on wall time, on its phase, then whatever else it moves.
pub(super) fn words(attribution: &Attribution, patch: &Patch) -> String {
    if !patch.in_build {
        return "not in this build".into();
    }
    let mut words: Vec<String> = patch
        .figures
        .iter()
        .filter(|figure| figure.gating)
        .map(|figure| gating_words(attribution, patch, figure))
        .collect();
    let moved = patch.figures.iter().filter(|figure| !figure.gating);
    let moved = moved.filter(|figure| figure.verdict.is_some_and(|verdict| verdict.is_effect()));
    words.extend(moved.map(|figure| format!("also {}", with_effect(figure))));
    if words.is_empty() { "not measured".into() } else { words.join("; ") }
}

fn gating_words(attribution: &Attribution, patch: &Patch, figure: &Figure) -> String {
    let metric = metric_text(&figure.metric);
    let Some(verdict) = figure.verdict else {
        return format!("{metric}: {}", no_verdict(attribution, figure));
    };
    let words = match figure.metric {
        Metric::Wall => format!("{metric} {}", verdict_text(&figure.metric, verdict)),
        _ => with_effect(figure),
    };
    let together = attribution.interactions.iter().filter(|one| one.metric == figure.metric);
    let together = together.filter(|one| one.verdict == Some(verdict) && verdict.is_effect());
    let others = together.filter_map(|one| match &one.patches {
        (a, b) if *a == patch.patch => Some(b.as_str()),
        (a, b) if *b == patch.patch => Some(a.as_str()),
        _ => None,
    });
    let others: Vec<&str> = others.collect();
    let nothing_alone =
        figure.alone.is_some_and(|alone| alone.effect.interval.is_some_and(|(low, high)| low <= 1.0 && high >= 1.0));
    match nothing_alone && !others.is_empty() {
        true => format!("{words}, only together with {}", others.join(", ")),
        false => words,
    }
}

fn no_verdict(attribution: &Attribution, figure: &Figure) -> String {
    let few = |estimate: &Estimate| !estimate.effect.enough;
    match figure.judged() {
        _ if attribution.withheld.is_some() => "no verdict".into(),
        None => "no verdict: the model does not fit, and no two arms differ by this patch alone".into(),
        Some(estimate) if few(estimate) => format!("no verdict: fewer than {FEWEST_BLOCKS} blocks"),
        Some(_) => "no verdict: no noise floor".into(),
    }
}

fn with_effect(figure: &Figure) -> String {
    let verdict = figure.verdict.map(|verdict| verdict_text(&figure.metric, verdict)).unwrap_or_default();
    let effect = figure.judged().map(|estimate| effect_text(&estimate.effect)).unwrap_or_default();
    format!("{} {verdict} ({effect})", metric_text(&figure.metric))
}

/// The matrix of interactions in wall time, and those in other metrics that are effects.
fn interactions(attribution: &Attribution, style: Style) -> Option<String> {
    let wall = || attribution.interactions.iter().filter(|one| one.metric == Metric::Wall);
    let mut patches: Vec<&str> = wall().flat_map(|one| [one.patches.0.as_str(), one.patches.1.as_str()]).collect();
    patches.sort_unstable();
    patches.dedup();
    let (_, columns) = patches.split_first()?;
    let mut table = super::empty_table(style);
    table.set_header(["together in wall"].iter().chain(columns));
    for patch in &patches[..columns.len()] {
        let cell = |other: &&str| {
            let one = wall().find(|one| (one.patches.0.as_str(), one.patches.1.as_str()) == (patch, other))?;
            let word =
                one.verdict.filter(|verdict| verdict.is_effect()).map(|verdict| verdict_text(&one.metric, verdict));
            Some(format!("{} {}", effect_text(&one.estimate.effect), word.unwrap_or_default()).trim_end().to_owned())
        };
        let cells = columns.iter().map(|other| cell(other).unwrap_or_default());
        table.add_row([(*patch).to_owned()].into_iter().chain(cells));
    }
    align(&mut table, 1..columns.len() + 1);
    Some(table.to_string())
}

/// How well the model fits, and where the two intervals differ.
pub(super) fn after(attribution: &Attribution) -> Vec<String> {
    let mut lines: Vec<String> = attribution.fits.iter().filter(|fit| is_shown(fit)).filter_map(fit_text).collect();
    let judged = attribution.patches.iter().flat_map(|patch| {
        let gating = patch.figures.iter().filter(|figure| figure.gating);
        gating.filter_map(|figure| Some((patch.patch.clone(), &figure.metric, *figure.judged()?)))
    });
    let two = attribution.interactions.iter().filter(|one| one.verdict.is_some());
    let two = two.map(|one| (format!("{} with {}", one.patches.0, one.patches.1), &one.metric, one.estimate));
    for (what, metric, estimate) in judged.chain(two).filter(|(_, _, estimate)| estimate.intervals_disagree()) {
        let bootstrap = estimate.bootstrap.map(|(low, high)| format!("{} to {}", signed(low), signed(high)));
        lines.push(format!(
            "{what}, {}: the bootstrap's interval, {}, is not on the same side of 0 as the t interval",
            metric_text(metric),
            bootstrap.unwrap_or_default()
        ));
    }
    lines
}

/// Wall time's model always, others only where they fail.
fn is_shown(fit: &Fit) -> bool {
    fit.metric == Metric::Wall || fit.lack_of_fit.is_some_and(LackOfFit::is_misfit)
}

fn fit_text(fit: &Fit) -> Option<String> {
    let mut parts = Vec::new();
    if let (Some(total), Some(shares)) = (fit.total, fit.shares) {
        let (total, shares) = (effect_text(&total.effect), signed(shares.effect.ratio));
        parts.push(format!("all against none {total}, the sum of the shares {shares}"));
    }
    if let Some(lack) = fit.lack_of_fit {
        let residual = percent_text(lack.residual.exp());
        parts.push(format!("arms are {residual} off the model (p = {:.3})", lack.p_value));
        if lack.is_misfit() {
            parts.push(
                "it does not fit, so three patches or more act together, and verdicts are on pairs of arms".into(),
            );
        }
    }
    (!parts.is_empty()).then(|| format!("{}: {}", metric_text(&fit.metric), parts.join("; ")))
}

/// `+1.3 %`.
fn signed(ratio: f64) -> String {
    format!("{:+.1} %", ((ratio - 1.0) * 1000.0).round() / 10.0 + 0.0)
}

fn align(table: &mut Table, columns: std::ops::Range<usize>) {
    for column in columns {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

/// How the verdicts came about.
pub(super) fn note(attribution: &Attribution) -> String {
    let figures = attribution.patches.iter().flat_map(|patch| &patch.figures);
    let mut bases: Vec<&str> = figures
        .filter(|figure| figure.gating)
        .filter_map(|figure| {
            Some(match figure.basis? {
                Basis::Share => "shares",
                Basis::Rest => "given all others",
                Basis::Alone => "alone",
            })
        })
        .collect();
    bases.sort_unstable();
    bases.dedup();
    format!(
        "Verdicts on {}: Holm's correction at 5 %, nothing within the floor is called faster or slower (that of a pair of arms, less where a contrast averages many), and more blocks are for a power of 90 %.",
        bases.join(" and ")
    )
}
