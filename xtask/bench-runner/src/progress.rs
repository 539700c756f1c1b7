//! What is told of a benchmark while it runs: a bar on a terminal, plain lines elsewhere. Only between processes, since a
//! bar that is drawn while one is timed takes part in it.

use std::time::{Duration, Instant};

use bench_core::plan::Plan;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Where a benchmark stands, told on stderr.
pub struct Progress {
    bar: ProgressBar,
    total: usize,
    /// Before this process.
    before: usize,
    done: usize,
    started: Instant,
}

impl Progress {
    /// On stderr.
    pub fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg}");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        Self { bar, total: 0, before: 0, done: 0, started: Instant::now() }
    }

    /// A line by itself.
    pub fn say(&self, line: &str) {
        self.bar.suspend(|| eprintln!("{line}"));
    }

    /// What will run; `done` of it has.
    pub(crate) fn announce(&mut self, plan: &Plan, done: usize) {
        let runs = plan.runs();
        let size = format!("{} arms, {} cases, {} blocks: {runs} runs", plan.arms.len(), plan.cases.len(), plan.blocks);
        let time = plan.estimate_s.map(|s| format!(", about {}", text(Duration::from_secs_f64(s)))).unwrap_or_default();
        let most = plan.until_precise.map(|width| format!(" at most, until ±{:.1} %", width * 100.0));
        self.say(&format!("{}: {size}{}{time}; seed {}", plan.name, most.unwrap_or_default(), plan.seed));
        (self.total, self.before) = (runs, done);
        self.bar.set_length(runs as u64);
        self.bar.set_position(done as u64);
        self.started = Instant::now();
    }

    /// A run has ended.
    pub(crate) fn step(&mut self, line: &str) {
        self.done += 1;
        let done = self.before + self.done;
        // Blocks that are run again come on top.
        self.total = self.total.max(done);
        let left = self.started.elapsed().div_f64(self.done as f64).mul_f64((self.total - done) as f64);
        if self.bar.is_hidden() {
            eprintln!("[{done}/{}, {} left] {line}", self.total, text(left));
        } else {
            self.bar.set_message(format!("{} left; {line}", text(left)));
            self.bar.set_position(done as u64);
        }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}

/// `40 s`, `14 min`, `2 h 05 min`.
fn text(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..=99 => format!("{seconds} s"),
        seconds @ 100..=5999 => format!("{} min", (seconds + 30) / 60),
        seconds => format!("{} h {:02} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_as_one_would() {
        let told = |seconds| text(Duration::from_secs(seconds));
        assert_eq!(
            [told(0), told(99), told(100), told(869), told(7500)],
            ["0 s", "99 s", "2 min", "14 min", "2 h 05 min"]
        );
    }
}
