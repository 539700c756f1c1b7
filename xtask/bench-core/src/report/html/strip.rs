//! Strips: SVG as wide as its place, one below the other in a table, with one axis for all.

use maud::{Markup, html};

/// From values to per cent of a strip's width.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
}

/// What a mark looks like: its shape says what its colour says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Circle,
    Square,
    Diamond,
    Cross,
}

impl Scale {
    /// All of these values, with a little room at both ends.
    pub(super) fn new(values: impl IntoIterator<Item = f64>) -> Self {
        let values = values.into_iter().filter(|value| value.is_finite());
        let (low, high) =
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), one| (low.min(one), high.max(one)));
        if low > high {
            return Self { low: -1.0, high: 1.0 };
        }
        let room = if high > low { (high - low) * 0.04 } else { 1.0 };
        Self { low: low - room, high: high + room }
    }

    /// From 0 to a length.
    pub(super) fn length(length: f64) -> Self {
        Self { low: 0.0, high: if length > 0.0 && length.is_finite() { length } else { 1.0 } }
    }

    fn part(self, value: f64) -> f64 {
        let part = (value - self.low) / (self.high - self.low);
        if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Where a value lies; at the edge if it lies beyond it.
    pub(super) fn at(self, value: f64) -> String {
        format!("{:.2}%", 100.0 * self.part(value))
    }

    /// How wide the piece between two values is.
    pub(super) fn width(self, from: f64, to: f64) -> String {
        format!("{:.2}%", 100.0 * (self.part(to) - self.part(from)).max(0.0))
    }

    /// How far down a value lies, larger values higher; with room for a mark at both edges.
    pub(super) fn down(self, value: f64) -> String {
        format!("{:.2}%", 88.0 - 76.0 * self.part(value))
    }

    pub(super) fn holds(self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Round values on the scale, some three to six of them, and how many decimals they need.
    pub(super) fn ticks(self) -> (Vec<f64>, usize) {
        let rough = (self.high - self.low) / 6.0;
        let power = rough.log10().floor();
        let unit = 10_f64.powf(power);
        let step = [1.0, 2.0, 5.0].map(|times| times * unit).into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(10.0 * unit);
        let decimals = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
        let first = (self.low / step).ceil();
        let ticks = (0..10).map(|index| (first + f64::from(index)) * step).take_while(|tick| *tick <= self.high);
        (ticks.map(|tick| tick + 0.0).collect(), decimals)
    }
}

/// A table of strips with their labels. The width of its columns must be said: a caption over both would halve them.
pub(super) fn strips(caption: Markup, rows: Markup) -> Markup {
    html! {
        table.strips {
            caption { (caption) }
            colgroup { col.label; col; }
            tbody { (rows) }
        }
    }
}

/// A strip. `label` is all that is said of it to who cannot see it.
pub(super) fn strip(label: &str, height: u32, content: Markup) -> Markup {
    html! { svg.strip role="img" aria-label=(label) width="100%" height=(height) { (content) } }
}

/// A strip as high as the style sheet makes the lines of a forest, which on a phone have two lines of text.
pub(super) fn line(label: &str, content: Markup) -> Markup {
    html! { svg.strip.line role="img" aria-label=(label) width="100%" { (content) } }
}

/// The axis below strips, in these words.
pub(super) fn axis(scale: Scale, words: impl Fn(f64, usize) -> String) -> Markup {
    let (ticks, decimals) = scale.ticks();
    // A word at the edge would be cut.
    let near = |tick: &f64| (0.08..=0.92).contains(&scale.part(*tick));
    html! {
        svg.strip.axis aria-hidden="true" width="100%" height="20" {
            line x1="0" x2="100%" y1="0.5" y2="0.5" {}
            @for tick in &ticks { line x1=(scale.at(*tick)) x2=(scale.at(*tick)) y1="0" y2="5" {} }
            @for tick in ticks.iter().filter(|tick| near(tick)) {
                text x=(scale.at(*tick)) y="17" text-anchor="middle" { (words(*tick, decimals)) }
            }
        }
    }
}

/// Vertical lines at the axis' ticks.
pub(super) fn grid(scale: Scale) -> Markup {
    html! { @for tick in scale.ticks().0 { (upright(scale.at(tick), "grid")) } }
}

/// A vertical line from top to bottom.
pub(super) fn upright(x: String, class: &str) -> Markup {
    html! { line class=(class) x1=(x) x2=(x) y1="0" y2="100%" {} }
}

/// The piece of a strip between two values.
pub(super) fn band(scale: Scale, (from, to): (f64, f64), class: &str) -> Markup {
    html! { rect class=(class) x=(scale.at(from)) width=(scale.width(from, to)) y="0" height="100%" {} }
}

/// A mark with what it says when it is pointed at.
pub(super) fn mark(mark: Mark, (x, y): (&str, &str), class: &str, title: &str) -> Markup {
    let path = match mark {
        Mark::Circle => "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z",
        Mark::Square => "M-3.5,-3.5h7v7h-7z",
        Mark::Diamond => "M0,-5L5,0L0,5L-5,0z",
        Mark::Cross => "M-4,-4L4,4M4,-4L-4,4",
    };
    html! { svg x=(x) y=(y) overflow="visible" { path class={ "mark " (class) } d=(path) { title { (title) } } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        let ticks = |low, high| Scale { low, high }.ticks();
        assert_eq!(ticks(-0.1, 1.0), (vec![0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0], 1));
        assert_eq!(ticks(0.0, 7.2), (vec![0.0, 2.0, 4.0, 6.0], 0));
        assert_eq!(ticks(-930.0, 20.0), (vec![-800.0, -600.0, -400.0, -200.0, 0.0], 0));
        let (ticks, decimals) = ticks(0.0, 0.07);
        assert_eq!((ticks.len(), decimals), (4, 2));
    }

    #[test]
    fn what_no_number_says_has_a_place_all_the_same() {
        for scale in [Scale::new([]), Scale::new([3.0]), Scale::new([f64::NAN, f64::INFINITY]), Scale::length(0.0)] {
            for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0] {
                let at: f64 = scale.at(value).trim_end_matches('%').parse().unwrap();
                assert!((0.0..=100.0).contains(&at), "{scale:?} {value}");
            }
            assert!(scale.ticks().0.iter().all(|tick| tick.is_finite()));
        }
    }
}
