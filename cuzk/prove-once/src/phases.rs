//! The phases of a proof, gathered from the log.
//!
//! The forks log a record per phase (target `phase`, with name, circuit, lane, start and end; times are
//! seconds before the record). Each is stamped here on receipt, so no clock is shared. Pristine bellperson
//! says two durations in prose, which are read where no record came.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use log::kv::{Error, Key, Value, VisitSource};
use log::{Level, LevelFilter, Log, Metadata, Record};
use serde::Serialize;

const TARGET: &str = "phase";
const WHOLE_BATCH: i64 = -1;

/// A phase as the JSON shows it; seconds since the job began.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Phase {
    name: String,
    circuit: i64,
    lane: String,
    start_s: f64,
    end_s: f64,
}

struct Interval {
    name: String,
    circuit: i64,
    lane: String,
    start: Instant,
    end: Instant,
    from_prose: bool,
}

static INTERVALS: Mutex<Vec<Interval>> = Mutex::new(Vec::new());

/// From now on phases are gathered; warnings go to stderr, with `verbose` all else too.
pub(crate) fn listen(verbose: bool) {
    let logger = Box::new(PhaseLogger { verbose });
    // Fails only when there is a logger, and this is the one place that sets one.
    if log::set_boxed_logger(logger).is_ok() {
        log::set_max_level(LevelFilter::Info);
    }
}

/// A phase that this program times itself.
pub(crate) fn note(name: &str, start: Instant) {
    push(Interval::on_host(name, start, Instant::now(), false));
}

/// What was gathered since the last time, for a job that ran from `start` to `end`. What the prover still
/// did after its last message counts as `dealloc`, unless it said so itself.
pub(crate) fn take(start: Instant, end: Instant) -> Vec<Phase> {
    let mut intervals = std::mem::take(&mut *lock());
    let said = |name: &str, intervals: &[Interval]| intervals.iter().any(|i| !i.from_prose && i.name == name);
    if said("synthesis", &intervals) {
        intervals.retain(|i| !(i.from_prose && i.name == "synthesis"));
    }
    let prover_end = intervals.iter().rfind(|i| i.name == "prover").map(|i| i.end);
    if let Some(prover_end) = prover_end.filter(|_| !said("dealloc", &intervals)) {
        intervals.push(Interval::on_host("dealloc", prover_end, end, false));
    }
    intervals.iter().map(|interval| interval.since(start)).collect()
}

impl Interval {
    fn on_host(name: &str, start: Instant, end: Instant, from_prose: bool) -> Self {
        Self { name: name.to_owned(), circuit: WHOLE_BATCH, lane: "host".to_owned(), start, end, from_prose }
    }

    fn since(&self, job: Instant) -> Phase {
        // A phase that began before the job (a clock's grain) begins with it.
        let seconds = |at: Instant| at.saturating_duration_since(job).as_secs_f64();
        Phase {
            name: self.name.clone(),
            circuit: self.circuit,
            lane: self.lane.clone(),
            start_s: seconds(self.start),
            end_s: seconds(self.end),
        }
    }
}

fn push(interval: Interval) {
    lock().push(interval);
}

fn lock() -> std::sync::MutexGuard<'static, Vec<Interval>> {
    INTERVALS.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

struct PhaseLogger {
    verbose: bool,
}

impl Log for PhaseLogger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= Level::Info
    }

    fn log(&self, record: &Record<'_>) {
        let now = Instant::now();
        let interval = match record.target() {
            TARGET => structured(record, now),
            target if target.starts_with("bellperson") => prose(&record.args().to_string(), now),
            _ => None,
        };
        if let Some(interval) = interval {
            push(interval);
        }
        if self.verbose || record.level() <= Level::Warn {
            eprintln!("{} {}: {}", record.level(), record.target(), record.args());
        }
    }

    fn flush(&self) {}
}

#[derive(Default)]
struct Fields {
    name: Option<String>,
    circuit: Option<i64>,
    lane: Option<String>,
    start: Option<f64>,
    end: Option<f64>,
}

impl<'kvs> VisitSource<'kvs> for Fields {
    fn visit_pair(&mut self, key: Key<'kvs>, value: Value<'kvs>) -> Result<(), Error> {
        match key.as_str() {
            "name" => self.name = Some(value.to_string()),
            "circuit" => self.circuit = value.to_i64(),
            "lane" => self.lane = Some(value.to_string()),
            "start" => self.start = value.to_f64(),
            "end" => self.end = value.to_f64(),
            _ => {}
        }
        Ok(())
    }
}

/// `None` when a field is missing or its time is no age.
fn structured(record: &Record<'_>, now: Instant) -> Option<Interval> {
    let mut fields = Fields::default();
    record.key_values().visit(&mut fields).ok()?;
    let ago = |seconds: f64| now.checked_sub(Duration::try_from_secs_f64(seconds).ok()?);
    Some(Interval {
        name: fields.name?,
        circuit: fields.circuit?,
        lane: fields.lane?,
        start: ago(fields.start?)?,
        end: ago(fields.end?)?,
        from_prose: false,
    })
}

fn prose(message: &str, now: Instant) -> Option<Interval> {
    let (said, took) = message.split_once(" time: ")?;
    let name = match said {
        "synthesis" => "synthesis",
        "prover" => "prover",
        _ => return None,
    };
    let start = now.checked_sub(duration(took)?)?;
    Some(Interval::on_host(name, start, now, true))
}

/// What `{:?}` of a [`Duration`] prints.
fn duration(text: &str) -> Option<Duration> {
    let unit_at = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(unit_at);
    let per_second = match unit {
        "s" => 1.0,
        "ms" => 1e3,
        "µs" => 1e6,
        "ns" => 1e9,
        _ => return None,
    };
    Duration::try_from_secs_f64(number.parse::<f64>().ok()? / per_second).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_printed() {
        for nanos in [0, 999, 1_000, 12_345, 6_789_000, 1_234_567_891, 61_000_000_000] {
            let printed = Duration::from_nanos(nanos);
            let read = duration(&format!("{printed:?}")).expect("a duration");
            assert!(read.abs_diff(printed) < Duration::from_nanos(2), "{printed:?} read as {read:?}");
        }
        for text in ["", "s", "12", "1.2.3s", "5m", "-1s"] {
            assert_eq!(duration(text), None, "{text}");
        }
    }

    #[test]
    fn a_record_needs_every_field_and_ages_that_are_ages() {
        let record = |start: f64, lane: Option<&'static str>| {
            let mut pairs = vec![("name", Value::from("h_ntt")), ("circuit", Value::from(2i64))];
            pairs.extend([("start", Value::from(start)), ("end", Value::from(0.5))]);
            pairs.extend(lane.map(|lane| ("lane", Value::from(lane))));
            structured(&Record::builder().key_values(&pairs.as_slice()).build(), Instant::now())
        };
        let interval = record(2.0, Some("gpu0")).expect("an interval");
        assert_eq!((interval.name.as_str(), interval.circuit, interval.lane.as_str()), ("h_ntt", 2, "gpu0"));
        assert_eq!(interval.end - interval.start, Duration::from_millis(1500));
        assert!(record(2.0, None).is_none());
        assert!(record(-1.0, Some("gpu0")).is_none());
        assert!(record(f64::NAN, Some("gpu0")).is_none());
    }

    #[test]
    fn prose_counts_where_no_record_came() {
        let start = Instant::now();
        push(prose("synthesis time: 1.5ms", start).expect("an interval"));
        push(prose("prover time: 2ms", start).expect("an interval"));
        assert!(prose("starting proof timer", start).is_none());
        let names = |phases: &[Phase]| phases.iter().map(|p| p.name.clone()).collect::<Vec<_>>();
        let end = start + Duration::from_millis(3);
        assert_eq!(names(&take(start, end)), ["synthesis", "prover", "dealloc"]);
        push(prose("synthesis time: 1.5ms", start).expect("an interval"));
        note("synthesis", start);
        push(prose("prover time: 2ms", start).expect("an interval"));
        note("dealloc", start);
        assert_eq!(names(&take(start, end)), ["synthesis", "prover", "dealloc"]);
        assert!(take(start, end).is_empty());
    }
}
