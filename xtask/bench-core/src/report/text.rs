//! Figures as words.

use crate::analysis::{Effect, Measure, Metric, RowState, Verdict};

pub(super) fn state_text(state: &RowState) -> String {
    match state {
        RowState::Measured => String::new(),
        RowState::NotInThisBuild { same_as } => {
            format!("not in this build: same binary as {same_as}")
        }
        RowState::NoBuild => "no build for this path".into(),
        RowState::NotRun => "not run".into(),
        RowState::Void => "void: wrong proof".into(),
        RowState::Failed { reason } => reason.clone(),
    }
}

pub(super) fn value_text(measure: &Measure) -> String {
    quantity_text(&measure.metric, measure.mean)
}

/// A value in the metric's unit.
pub(super) fn quantity_text(metric: &Metric, value: f64) -> String {
    match metric {
        Metric::MinorFaults => format!("{value:.0}"),
        Metric::PeakRss | Metric::PeakVram | Metric::BytesMoved => {
            format!("{:.2} GiB", value / (1_u64 << 30) as f64)
        }
        _ if value < 0.9995 => format!("{:.1} ms", value * 1e3),
        _ => format!("{value:.3} s"),
    }
}

/// `+1.3 ±1.5 %`, with a star where there are too few blocks for the interval to be relied on.
pub fn effect_text(effect: &Effect) -> String {
    // Adding zero turns a rounded -0 into 0.
    let tenths = ((effect.ratio - 1.0) * 1000.0).round() + 0.0;
    let mut text = format!("{:+.1}", tenths / 10.0);
    if let Some((low, high)) = effect.interval {
        text.push_str(&format!(" ±{:.1}", (high - low) * 50.0));
    }
    text.push_str(if effect.enough { " %" } else { " %*" });
    text
}

/// A metric's name.
pub fn metric_text(metric: &Metric) -> &str {
    match metric {
        Metric::Wall => "wall",
        Metric::SynthesisAlone => "synthesis alone",
        Metric::Phase(name) => name,
        Metric::Cpu => "CPU",
        Metric::MinorFaults => "minor faults",
        Metric::PeakRss => "peak RSS",
        Metric::PeakVram => "peak VRAM",
        Metric::BytesMoved => "bytes moved",
    }
}

/// A verdict in words; what is no time is not faster but less.
pub fn verdict_text(metric: &Metric, verdict: Verdict) -> String {
    let is_time = !matches!(metric, Metric::MinorFaults | Metric::PeakRss | Metric::PeakVram | Metric::BytesMoved);
    match verdict {
        Verdict::Faster => if is_time { "faster" } else { "less" }.into(),
        Verdict::Slower => if is_time { "slower" } else { "more" }.into(),
        Verdict::NoDifference { bound } => format!("no difference ≥ {}", percent_text(bound)),
        Verdict::Inconclusive { more_blocks: Some(1) } => "inconclusive (1 more block)".into(),
        Verdict::Inconclusive { more_blocks: Some(more) } => format!("inconclusive ({more} more blocks)"),
        Verdict::Inconclusive { more_blocks: None } => "inconclusive (more than 999 more blocks)".into(),
    }
}

/// How far a ratio above 1 is from 1: `1.3 %`.
pub(super) fn percent_text(ratio: f64) -> String {
    format!("{:.1} %", (ratio - 1.0) * 100.0)
}
