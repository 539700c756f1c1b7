//! From an analysis to a table for each case, on a terminal or in Markdown; to a page for a browser; from one run to a
//! timeline.
//!
//! The tables have no colour at all, with or without `NO_COLOR`: colour would be read as a verdict, and figures without a noise floor have none.

mod attribution;
mod html;
mod lanes;
mod text;
mod trace;

use comfy_table::{CellAlignment, Table, presets};

use crate::analysis::{Analysis, CaseAnalysis, Effect, FEWEST_BLOCKS, Measure, Metric, Row, RowState, Severity};
use crate::arm::NONE;
use attribution::{attribution_text, note};
pub use html::html;
pub use text::{effect_text, metric_text, verdict_text};
use text::{state_text, value_text};
pub use trace::{NoSuchRun, Selector, trace};

/// How the tables are drawn, and what they compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Markdown for a page or a pull request, else for a terminal.
    pub markdown: bool,
    /// A column more, against `none`.
    pub vs_none: bool,
}

impl Style {
    /// For a terminal.
    pub const TERMINAL: Self = Self { markdown: false, vs_none: false };
    /// For a page.
    pub const MARKDOWN: Self = Self { markdown: true, vs_none: false };

    fn line_break(self) -> &'static str {
        if self.markdown { "<br>" } else { "\n" }
    }
}

/// The tables with what is wrong and how to read them.
pub fn render(analysis: &Analysis, style: Style) -> String {
    let mut text = String::new();
    for case in &analysis.cases {
        let title = if style.markdown { format!("**{}**", case.title) } else { case.title.clone() };
        text.push_str(&format!("{title}\n\n"));
        // What a campaign is for comes first.
        text.extend(case.attribution.as_ref().map(|attribution| attribution_text(attribution, style)));
        text.push_str(&format!("{}\n\n", table(case, style)));
    }
    for note in notes(analysis, style) {
        text.push_str(&if style.markdown { format!("- {note}\n") } else { format!("{note}\n") });
    }
    for finding in &analysis.findings {
        let word = match finding.severity {
            Severity::ProofsDiffer => "PROOFS DIFFER",
            Severity::Failure => "FAILED",
            Severity::Note => "note",
        };
        text.push_str(&match style.markdown {
            true => format!("- **{word}** {}\n", finding.message),
            false => format!("{word}: {}\n", finding.message),
        });
    }
    text
}

/// A column: its heading and what it holds for a measured row.
type Column<'a> = (String, Box<dyn Fn(&Row) -> String + 'a>);

fn empty_table(style: Style) -> Table {
    let mut table = Table::new();
    table.load_style(if style.markdown { presets::ASCII_MARKDOWN } else { presets::UTF8_HORIZONTAL_ONLY });
    table
}

fn table(case: &CaseAnalysis, style: Style) -> String {
    let mut table = empty_table(style);
    let columns = columns(case, style);
    let mut header = vec!["arm".to_owned()];
    header.extend(columns.iter().map(|(name, _)| name.clone()));
    table.set_header(header);
    for row in &case.rows {
        let mut cells = vec![row.arm.clone()];
        if row.state == RowState::Measured {
            cells.extend(columns.iter().map(|(_, cell)| cell(row)));
        } else {
            // The widest column takes the words.
            let words = state_text(&row.state);
            cells.extend(columns.iter().map(|(name, _)| if name == PHASES { words.clone() } else { String::new() }));
        }
        table.add_row(cells);
    }
    for (index, (name, _)) in columns.iter().enumerate() {
        let alignment = if name == PHASES { CellAlignment::Left } else { CellAlignment::Right };
        if let Some(column) = table.column_mut(index + 1) {
            column.set_cell_alignment(alignment);
        }
    }
    table.to_string()
}

const PHASES: &str = "phases";

fn columns<'a>(case: &'a CaseAnalysis, style: Style) -> Vec<Column<'a>> {
    let figure = |name: &str, metric: Metric| -> Column<'a> {
        (name.to_owned(), Box::new(move |row| find(row, &metric).map(value_text).unwrap_or_default()))
    };
    let base = case.base.as_deref().unwrap_or("nothing");
    let mut columns = vec![
        ("proofs".to_owned(), Box::new(|row: &Row| row.proofs.to_string()) as Box<dyn Fn(&Row) -> String>),
        figure("wall", Metric::Wall),
        (format!("vs {base}"), Box::new(|row| wall_effect(row, |wall| wall.vs_base))),
    ];
    if style.vs_none && base != NONE {
        columns.push(("vs none".to_owned(), Box::new(|row| wall_effect(row, |wall| wall.vs_none))));
    }
    columns.push((PHASES.to_owned(), Box::new(move |row| phases(case, row, style))));
    columns.extend([figure("minor faults", Metric::MinorFaults), figure("peak RSS", Metric::PeakRss)]);
    if case.rows.iter().any(|row| find(row, &Metric::PeakVram).is_some()) {
        columns.push(figure("peak VRAM", Metric::PeakVram));
    }
    if case.rows.iter().any(|row| find(row, &Metric::BytesMoved).is_some()) {
        columns.push(figure("bytes moved", Metric::BytesMoved));
    }
    columns.push(figure("CPU", Metric::Cpu));
    columns
}

fn wall_effect(row: &Row, which: impl Fn(&Measure) -> Option<Effect>) -> String {
    find(row, &Metric::Wall).and_then(which).map(|effect| effect_text(&effect)).unwrap_or_default()
}

/// All phases; of a campaign those that a patch is judged on, since it has many arms and a page for the rest.
fn phases(case: &CaseAnalysis, row: &Row, style: Style) -> String {
    let is_shown = |metric: &Metric| {
        let of_campaign = case.attribution.as_ref();
        of_campaign.is_none_or(|one| one.gating().any(|figure| figure.metric == *metric))
    };
    let lines = row.measures.iter().filter(|measure| is_shown(&measure.metric)).filter_map(|measure| {
        let name = match &measure.metric {
            Metric::SynthesisAlone => "synthesis alone",
            Metric::Phase(name) => name,
            _ => return None,
        };
        let effect = measure.vs_base.map(|effect| effect_text(&effect)).unwrap_or_default();
        let line = match style.markdown {
            true => format!("{name} {} {effect}", value_text(measure)),
            false => format!("{name:<15} {:>9} {effect:>14}", value_text(measure)),
        };
        Some(line.trim_end().to_owned())
    });
    lines.collect::<Vec<_>>().join(style.line_break())
}

fn find<'a>(row: &'a Row, metric: &Metric) -> Option<&'a Measure> {
    row.measures.iter().find(|measure| measure.metric == *metric)
}

fn notes(analysis: &Analysis, style: Style) -> Vec<String> {
    let measures = || analysis.cases.iter().flat_map(|case| &case.rows).flat_map(|row| &row.measures);
    let effects =
        || measures().flat_map(|measure| [measure.vs_base, measure.vs_none.filter(|_| style.vs_none)]).flatten();
    let mut notes = Vec::new();
    if effects().next().is_some() {
        let how = "Ratios are geometric means of pairs within blocks, ± half their 95 % t interval.";
        let attributed = || analysis.cases.iter().filter_map(|case| case.attribution.as_ref());
        notes.push(match attributed().next() {
            None => format!("{how} No noise floor was measured, so none of them is a verdict."),
            Some(_) => format!("{how} Those of arms are no verdicts."),
        });
        let judged = attributed().filter(|attribution| attribution.withheld.is_none()).map(note);
        notes.extend(judged.collect::<std::collections::BTreeSet<_>>());
    }
    if effects().any(|effect| !effect.enough) {
        notes.push(format!("* n too small: fewer than {FEWEST_BLOCKS} blocks."));
    }
    notes
}
