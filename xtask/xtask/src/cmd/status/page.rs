//! The page that `status` prints: columns aligned over all forks, what is well without colour, and a last line that says
//! what to do next. Text from data; prints nothing.

use std::collections::{BTreeMap, BTreeSet};

use anstyle::{AnsiColor, Style};
use forks::evidence::{Evidence, State};
use forks::status::{ForkStatus, PatchStatus};

/// A patch's row is held to this many columns: a reason or a link is there whole or not at all, and always in `--json`.
const WIDTH: usize = 80;

/// So many lines of drift a fork, so that one page holds all forks.
const MOST_DRIFT: usize = 6;

/// Differs from what the files say.
const WRONG: Style = AnsiColor::Red.on_default();
/// Not shown to be so, or not any more.
const UNPROVEN: Style = AnsiColor::Yellow.on_default();
const QUIET: Style = Style::new();

/// Text in one style.
struct Span(Style, String);

impl Span {
    fn plain(text: impl Into<String>) -> Self {
        Self(QUIET, text.into())
    }

    fn len(&self) -> usize {
        self.1.chars().count()
    }
}

/// A row's three cells, each of spans.
type Row = [Vec<Span>; 3];

/// The whole page.
pub(super) fn page(forks: &[ForkStatus]) -> String {
    let rows: Vec<Vec<Row>> = forks.iter().map(rows).collect();
    let width = |column: usize| rows.iter().flatten().map(|row| len(&row[column])).max().unwrap_or(0);
    let widths = [width(0), width(1)];
    let mut page = String::new();
    for (fork, rows) in forks.iter().zip(rows) {
        let mut rows = rows.into_iter();
        page.extend(rows.next().map(|row| line(row, widths)));
        for note in notes(fork) {
            page += &format!("  {}\n", paint(&note));
        }
        page.extend(rows.map(|row| line(fitted(row, widths), widths)));
        page.push('\n');
    }
    page + &summary(forks)
}

fn len(spans: &[Span]) -> usize {
    spans.iter().map(Span::len).sum()
}

fn paint(Span(style, text): &Span) -> String {
    format!("{style}{text}{style:#}")
}

/// A patch's row, with no more than the first word of its Upstream-Status where the whole has no room.
fn fitted(mut row: Row, widths: [usize; 2]) -> Row {
    let room = WIDTH.saturating_sub(widths[0] + widths[1] + 4);
    for Span(_, text) in row[2].iter_mut().filter(|span| span.len() > room) {
        *text = text.split(' ').next().unwrap_or_default().to_owned();
    }
    row
}

fn line([first, second, third]: Row, widths: [usize; 2]) -> String {
    let mut line = String::new();
    for (spans, width) in [(first, widths[0] + 2), (second, widths[1] + 2), (third, 0)] {
        line.extend(spans.iter().map(paint));
        line += &" ".repeat(width.saturating_sub(len(&spans)));
    }
    line.trim_end().to_owned() + "\n"
}

/// The fork's own row, then one a patch.
fn rows(fork: &ForkStatus) -> Vec<Row> {
    let name = if fork.name == fork.krate {
        format!("{} {}", fork.name, fork.version)
    } else {
        format!("{} ({} {})", fork.name, fork.krate, fork.version)
    };
    let mut rows = vec![[vec![Span::plain(name)], vec![Span::plain(&fork.folder)], builds(fork)]];
    rows.extend(fork.patches.iter().map(|patch| {
        let upstream = match &patch.upstream {
            Some(status) => Span::plain(status),
            None => Span(UNPROVEN, "no file yet".into()),
        };
        [vec![Span::plain(format!("  {}", patch.id))], standing(patch), vec![upstream]]
    }));
    rows
}

fn builds(fork: &ForkStatus) -> Vec<Span> {
    let used = match fork.used_by.as_slice() {
        [] => None,
        names => Some(Span::plain(format!("in {}", names.join(", ")))),
    };
    let missing = match fork.missing_in.as_slice() {
        [] => None,
        names => Some(Span(WRONG, format!("missing in {}", names.join(", ")))),
    };
    match (used, missing) {
        (Some(used), Some(missing)) => vec![used, Span::plain("; "), missing],
        (None, None) => vec![Span::plain("in no build")],
        (one, other) => one.into_iter().chain(other).collect(),
    }
}

/// What a patch is, and whether it has evidence.
fn standing(patch: &PatchStatus) -> Vec<Span> {
    let evidence = match patch.evidence.as_ref().map(|evidence| &evidence.state) {
        None => return vec![Span::plain(patch.kind)],
        Some(State::Fresh) => Span::plain("fresh evidence"),
        Some(State::OtherToolchain { .. }) => Span(UNPROVEN, "other toolchain".into()),
        Some(State::Stale { .. }) => Span(UNPROVEN, "stale evidence".into()),
        Some(State::None) => Span(UNPROVEN, "no evidence".into()),
    };
    vec![Span::plain(format!("{}, ", patch.kind)), evidence]
}

/// What is wrong with a fork, one line each: drift, and what changed since patches were measured.
fn notes(fork: &ForkStatus) -> Vec<Span> {
    let mut notes: Vec<Span> =
        fork.drift.iter().take(MOST_DRIFT).map(|drift| Span(WRONG, format!("! {}", drift.text))).collect();
    if fork.drift.len() > MOST_DRIFT {
        notes.push(Span(WRONG, format!("! and {} more", fork.drift.len() - MOST_DRIFT)));
    }
    let mut stale: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for patch in &fork.patches {
        if let Some(Evidence { state: State::Stale { changed }, .. }) = &patch.evidence {
            stale.entry(few(changed)).or_default().push(patch.short.as_deref().unwrap_or(&patch.id));
        }
    }
    notes.extend(stale.into_iter().map(|(changed, patches)| {
        Span(UNPROVEN, format!("! stale ({}): {changed} changed since", patches.join(", ")))
    }));
    notes.extend(measured_on(fork));
    notes
}

/// Where patches were measured: a line for each device and its workloads, with the patches unless it is all that were.
fn measured_on(fork: &ForkStatus) -> Vec<Span> {
    let mut places: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for patch in &fork.patches {
        for place in patch.evidence.iter().flat_map(|evidence| &evidence.on) {
            let names = places.entry(format!("on {}: {}", place.device, few(&place.workloads))).or_default();
            names.insert(patch.short.as_deref().unwrap_or(&patch.id));
        }
    }
    let all: BTreeSet<&str> = places.values().flatten().copied().collect();
    let line = |(place, names): (String, BTreeSet<&str>)| match names == all {
        true => place,
        false => format!("{} {place}", names.into_iter().collect::<Vec<_>>().join(", ")),
    };
    places.into_iter().map(line).map(Span::plain).collect()
}

fn few(names: &[String]) -> String {
    match names {
        [one, two, three, more @ ..] if !more.is_empty() => format!("{one}, {two}, {three} and {} more", more.len()),
        names => names.join(", "),
    }
}

/// How all forks stand, and what to do next if something is not well.
fn summary(forks: &[ForkStatus]) -> String {
    let patches = || forks.iter().flat_map(|fork| &fork.patches);
    let drifted = forks.iter().filter(|fork| !fork.drift.is_empty()).count();
    let missing = forks.iter().filter(|fork| is_unused(fork)).count();
    let without_file = patches().filter(|patch| patch.upstream.is_none()).count();
    let unproven = patches().filter(|patch| lacks_evidence(patch)).count();
    let told = [
        (drifted, "folder differs", "folders differ", "from pin and patches"),
        (missing, "fork is", "forks are", "missing in a build"),
        (without_file, "patch has", "patches have", "no file"),
        (unproven, "patch has", "patches have", "no fresh evidence"),
    ];
    let told: Vec<String> = told
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many, what)| format!("{count} {} {what}", if count == 1 { one } else { many }))
        .collect();
    match next(forks) {
        Some(next) => format!("{}\nnext: {next}\n", told.join(", ")),
        None => format!("all is well: {} forks, {} patches\n", forks.len(), patches().count()),
    }
}

/// Whether a build that should use the fork does not, or none does.
fn is_unused(fork: &ForkStatus) -> bool {
    !fork.missing_in.is_empty() || fork.used_by.is_empty()
}

fn lacks_evidence(patch: &PatchStatus) -> bool {
    patch.evidence.as_ref().is_some_and(|evidence| !evidence.is_fresh())
}

/// What to do first: see to work in folders, lay out, mend the graph, write what is missing, measure.
fn next(forks: &[ForkStatus]) -> Option<String> {
    const APPLY: &str = "cargo xtask apply";
    let fixes: Vec<&str> = forks.iter().flat_map(|fork| &fork.drift).map(|drift| drift.fix.as_str()).collect();
    if let Some(fix) = fixes.iter().find(|fix| !fix.starts_with(APPLY)) {
        return Some((*fix).to_owned());
    }
    match fixes.as_slice() {
        [] => {}
        [first, rest @ ..] if rest.iter().all(|fix| fix == first) => return Some((*first).to_owned()),
        _ => return Some(APPLY.to_owned()),
    }
    if forks.iter().any(is_unused) {
        return Some("cargo xtask verify".to_owned());
    }
    let patches = || forks.iter().flat_map(|fork| fork.patches.iter().map(move |patch| (fork, patch)));
    if let Some((fork, patch)) = patches().find(|(_, patch)| patch.upstream.is_none()) {
        let name = &fork.name;
        return Some(format!(
            "`cargo xtask edit {name} --patch {}`, commit it there, `cargo xtask export {name}`",
            patch.id
        ));
    }
    let unproven = patches().filter(|(_, patch)| lacks_evidence(patch));
    let arms: Vec<String> = unproven.filter_map(|(_, patch)| Some(format!("+{}", patch.short.as_ref()?))).collect();
    let on_cpu =
        patches().any(|(fork, patch)| lacks_evidence(patch) && fork.used_by.iter().any(|build| build == "cpu"));
    let plan = if on_cpu { "synthesis" } else { "h200" };
    (!arms.is_empty())
        .then(|| format!("cargo xtask bench --plan {plan} --arms upstream,none,{} --out evidence", arms.join(",")))
}

#[cfg(test)]
mod tests {
    use forks::evidence::Place;
    use forks::status::Drift;

    use super::*;

    fn patch(id: &str, kind: &'static str, upstream: &str, evidence: Option<Evidence>) -> PatchStatus {
        let short = evidence.is_some().then(|| id.split('-').next().unwrap_or(id).to_owned());
        PatchStatus { id: id.into(), kind, short, upstream: Some(upstream.into()), evidence }
    }

    fn fork(krate: &str, folder: &str, builds: &[&str], patches: Vec<PatchStatus>) -> ForkStatus {
        ForkStatus {
            name: krate.into(),
            krate: krate.into(),
            version: "0.2.1".into(),
            folder: folder.into(),
            drift: Vec::new(),
            used_by: builds.iter().map(|name| (*name).to_owned()).collect(),
            missing_in: Vec::new(),
            patches,
        }
    }

    fn evidence(state: State) -> Option<Evidence> {
        let place = Place {
            receipt: "evidence/several/NVIDIA-H200/h200.json".into(),
            device: "NVIDIA H200".into(),
            workloads: vec!["winning-post-2KiB".into(), "chain/2^19".into(), "chain/2^17".into()],
        };
        let on = if state == State::None { Vec::new() } else { vec![place] };
        Some(Evidence { state, on })
    }

    /// Three forks with one, three and six patches.
    fn forks() -> Vec<ForkStatus> {
        let offered = "Pending (to be offered with the measurements)";
        let split = "Pending (to be split for upstream: the asserts, the SRS, the threads)";
        let stale = || evidence(State::Stale { changed: vec!["supraseal-c2/phase-log".into()] });
        vec![
            fork(
                "bellpepper-core",
                "extern/bellpepper-core",
                &["cpu", "cuda", "stock"],
                vec![patch("a1-smallvec-lc-indexer", "measured", offered, evidence(State::Fresh))],
            ),
            fork(
                "bellperson",
                "extern/bellperson",
                &["cpu", "cuda", "stock"],
                vec![
                    patch("phase-log", "enabling", "Submitted https://example.com/bellperson/pull/12", None),
                    patch("a2-presize-api", "enabling", offered, None),
                    patch("a2-presize-use", "measured", offered, evidence(State::None)),
                ],
            ),
            fork(
                "supraseal-c2",
                "supraseal-c2",
                &["cuda", "stock"],
                vec![
                    patch("phase-log", "enabling", offered, None),
                    patch("errors-not-aborts", "enabling", split, None),
                    patch("a4-parallel-b-g2-msm", "measured", offered, stale()),
                    patch("b1-pin-abc-vectors", "measured", offered, stale()),
                    patch("d4-per-msm-window", "measured", offered, evidence(State::Fresh)),
                    patch("g2-tail-msm-on-gpu", "ships", offered, evidence(State::Fresh)),
                ],
            ),
        ]
    }

    #[test]
    fn three_forks_are_one_screen() {
        let page = page(&forks());
        assert!(page.lines().count() <= 24, "{page}");
        let plain = anstream::adapter::strip_str(&page).to_string();
        // A command to copy stays whole.
        let mut rows = plain.lines().filter(|line| !line.starts_with("next: "));
        assert!(rows.all(|line| line.chars().count() <= WIDTH), "{plain}");
        insta::assert_snapshot!(anstream::adapter::strip_str(&page).to_string());
    }

    #[test]
    fn much_drift_leaves_room_for_the_others() {
        let mut forks = forks();
        forks[0].drift = (0..200).map(|at| Drift { text: format!("modified: {at}.rs"), fix: "keep".into() }).collect();
        let page = page(&forks);
        assert!(page.contains("! and 194 more") && page.ends_with("next: keep\n"), "{page}");
    }

    #[test]
    fn what_is_first_is_named_first() {
        let mut forks = forks();
        let said = |forks: &[ForkStatus]| next(forks).unwrap_or_default();
        assert_eq!(said(&forks), "cargo xtask bench --plan synthesis --arms upstream,none,+a2,+a4,+b1 --out evidence");
        forks[1].patches[0].upstream = None;
        assert!(said(&forks).starts_with("`cargo xtask edit bellperson --patch phase-log`"));
        forks[1].missing_in.push("cpu".into());
        assert_eq!(said(&forks), "cargo xtask verify");
        let drift = |fix: &str| Drift { text: String::new(), fix: fix.into() };
        forks[0].drift.push(drift("cargo xtask apply bellpepper-core"));
        assert_eq!(said(&forks), "cargo xtask apply bellpepper-core");
        forks[1].drift.push(drift("cargo xtask apply bellperson"));
        assert_eq!(said(&forks), "cargo xtask apply");
        forks[2].drift.push(drift("commit in supraseal-c2"));
        assert_eq!(said(&forks), "commit in supraseal-c2");
    }
}
