//! Carrying a fork to another release. What needs nobody's help happens in the store alone; where a patch needs a human,
//! the fork's folder becomes an ordinary git tree in the middle of an ordinary cherry-pick, and a state file says how to
//! go on. The repository's own files change once, at the end, all together.

pub mod bisect;
mod pull_request;
mod state;
mod stop;

use std::collections::BTreeMap;

use cargo_metadata::semver::Version;

use crate::apply::{self, refuse_work};
use crate::layout::Layout;
use crate::port::{self, Port, Verdict};
use crate::pristine::{self, Candidate};
use crate::requirements::{self, Refusal, With};
use crate::series::{Series, admissible_subsets};
use crate::store::Store;
use crate::workdir::Workdir;
use crate::{Error, Fork, Forks, Outcome, Result, lock, pins, rewrite};
pub(crate) use state::refuse_unfinished;
use state::{Done, Pin, State};

/// What became of each patch, in the order in which they were carried.
pub type Verdicts = Vec<(String, Verdict)>;

/// How far a rebase came.
#[derive(Debug, Clone)]
pub enum Progress {
    /// All patches are carried, and the fork is laid out on the new release.
    Done(Box<Finished>),
    /// A patch needs somebody.
    Stopped {
        /// What became of the patches before it, and of it last.
        verdicts: Verdicts,
    },
}

/// A rebase that is done.
#[derive(Debug, Clone)]
pub struct Finished {
    /// What became of each patch.
    pub verdicts: Verdicts,
    /// Requirements of the workspace's own crates that are to be raised.
    pub to_raise: Vec<Refusal>,
    /// Sets of measured patches that lay out no more, each with the reason.
    pub broken_sets: Vec<String>,
    /// The text for a pull request: what became of each patch, and a range-diff for each.
    pub pull_request: String,
}

/// What would become of each patch on `version`, and who would not take it. Changes nothing.
pub fn trial(forks: &Forks, fork: &Fork, version: &str, with: &[With]) -> Result<(Verdicts, Vec<Refusal>)> {
    let candidate = candidate(forks, fork, version)?;
    Ok((verdicts(forks, fork, &candidate)?, requirements::refusals(forks, &candidate, with)?))
}

pub(crate) fn verdicts(forks: &Forks, fork: &Fork, candidate: &Candidate) -> Result<Verdicts> {
    let store = Store::open(forks)?;
    let series = forks.series(fork)?;
    let mut old = Layout::open(forks, &store, &series)?;
    let pristine = store.pristine(&candidate.fork, &candidate.release)?;
    Port::new(&store, &mut old, pristine)?.trial()
}

/// Carries `fork` to `version`. Refuses where its folder holds work, and where somebody requires another version.
pub fn start(forks: &Forks, fork: &Fork, version: &str, with: &[With]) -> Result<Progress> {
    let _lock = lock::take(&forks.work_dir())?;
    refuse_unfinished(forks, fork)?;
    refuse_work(forks, fork)?;
    let workdir = Workdir::new(forks, fork);
    let head = workdir.git.dir().is_dir().then(|| workdir.head()).transpose()?;
    apply::ensure(forks, fork)?;
    let candidate = candidate(forks, fork, version)?;
    let refusals = requirements::refusals(forks, &candidate, with)?;
    requirements::refuse(&candidate.fork, &refusals)?;
    let to_raise = refusals.into_iter().filter(|refusal| refusal.is_ours).collect();
    go_on(forks, fork, State::new(&forks.series(fork)?, Pin::of(&candidate.fork), to_raise, head))
}

/// Takes what was made of the patch that the rebase stopped at, and goes on.
pub fn resume(forks: &Forks, fork: &Fork) -> Result<Progress> {
    let _lock = lock::take(&forks.work_dir())?;
    let mut state = State::read(forks, fork)?;
    if state.files_are_written(fork) {
        return finish(forks, fork, &state);
    }
    stop::refuse_other_work(forks, fork, &state)?;
    let series = forks.series(fork)?;
    state.check(&series)?;
    if let Some(stopped) = state.stopped.clone() {
        let store = Store::open(forks)?;
        let (below, commit) = stop::resolved(forks, fork, &store, &state, &stopped)?;
        let old = port::changes(&mut Layout::open(forks, &store, &series)?)?;
        let lost = port::lost(&store, &old[&stopped.id], &below, &commit)?;
        let bytes = Some(store.render(&commit)?);
        state.take(Done { id: stopped.id, verdict: Verdict::Resolved { lost }, bytes });
        state.write(forks, fork)?;
    }
    go_on(forks, fork, state)
}

/// Leaves the patch that the rebase stopped at out of the series, and goes on.
pub fn skip(forks: &Forks, fork: &Fork) -> Result<Progress> {
    let _lock = lock::take(&forks.work_dir())?;
    let mut state = State::read(forks, fork)?;
    if state.files_are_written(fork) {
        return finish(forks, fork, &state);
    }
    stop::refuse_other_work(forks, fork, &state)?;
    let series = forks.series(fork)?;
    state.check(&series)?;
    let Some(stopped) = state.stopped.clone() else {
        return go_on(forks, fork, state);
    };
    if stopped.verdict != Verdict::Upstream {
        refuse_needed(&series, &stopped.id)?;
    }
    state.take(Done { id: stopped.id, verdict: Verdict::Dropped, bytes: None });
    state.write(forks, fork)?;
    go_on(forks, fork, state)
}

/// What others build on can be left out only if the release has it.
fn refuse_needed(series: &Series, id: &str) -> Result<()> {
    match series.requiring(id).next() {
        None => Ok(()),
        Some(patch) => Err(Error::Rebase {
            fork: series.fork.name.clone(),
            reason: format!("patch `{}` requires `{id}`, so it cannot be left out", patch.id),
            mend: format!(
                "merge it by hand, or `--abort` and `cargo xtask drop {} {}` first",
                series.fork.name, patch.id
            ),
        }),
    }
}

/// Gives the rebase up: the fork is as it was before it began.
pub fn abort(forks: &Forks, fork: &Fork) -> Result<Outcome> {
    let _lock = lock::take(&forks.work_dir())?;
    let state = State::read(forks, fork)?;
    if state.files_are_written(fork) {
        let reason = format!("all its patches are carried to {} and written", state.to.version);
        let mend =
            format!("`cargo xtask rebase {} --continue`; to go back, restore patches/ from version control", fork.name);
        return Err(Error::Rebase { fork: fork.name.clone(), reason, mend });
    }
    stop::refuse_other_work(forks, fork, &state)?;
    // The folder first: killed in between, the rebase is still there to be given up.
    let outcome = stop::lay_back(forks, fork)?;
    stop::come_back(forks, fork, state.head.as_ref())?;
    State::remove(forks, fork)?;
    Ok(outcome)
}

fn candidate(forks: &Forks, fork: &Fork, version: &str) -> Result<Candidate> {
    let wrong = |reason| {
        let mend = format!("`cargo xtask outdated {}` lists the newer ones", fork.name);
        Error::Usage { fork: fork.name.clone(), reason, mend }
    };
    let wanted = version.parse::<Version>().map_err(|_| wrong(format!("`{version}` is no exact version")))?;
    let candidate = pristine::candidate(forks, fork, &format!("={version}"))?;
    let found = &candidate.fork.version;
    // To cargo, what follows a `+` is nothing.
    if !wanted.build.is_empty() && *found != version {
        return Err(wrong(format!("there is no {version}; the release is {found}")));
    }
    Ok(candidate)
}

/// Whether `version` is older than the release that `fork` is on.
pub fn is_downgrade(fork: &Fork, version: &str) -> bool {
    let parsed = (version.parse::<Version>(), fork.version.parse::<Version>());
    matches!(parsed, (Ok(to), Ok(from)) if to.cmp_precedence(&from).is_lt())
}

/// Carries patches until one needs somebody, or all are done.
fn go_on(forks: &Forks, fork: &Fork, mut state: State) -> Result<Progress> {
    stop::refuse_in_the_way(forks, fork)?;
    let store = Store::open(forks)?;
    let series = forks.series(fork)?;
    let mut old = Layout::open(forks, &store, &series)?;
    let candidate = state.candidate(forks, fork)?;
    let mut port = Port::new(&store, &mut old, store.pristine(&candidate.fork, &candidate.release)?)?;
    state.restore(&mut port);
    for patch in port.patches().filter(|patch| !state.has(&patch.id)).collect::<Vec<_>>() {
        let placed = port.place(patch)?;
        let Some(commit) = &placed.commit else {
            state.stop(&patch.id, &placed);
            state.write(forks, fork)?;
            stop::open(forks, fork, &store, &port, &mut state)?;
            return Ok(Progress::Stopped { verdicts: state.verdicts() });
        };
        port.take(&patch.id, commit)?;
        let bytes = port.carried[&patch.id].clone();
        state.take(Done { id: patch.id.clone(), verdict: placed.verdict, bytes: Some(bytes) });
    }
    // From here on a killed call is finished by `--continue`.
    state.write(forks, fork)?;
    rewrite::all(&forks.root, files(forks, fork, &state)?)?;
    finish(forks, fork, &state)
}

/// The patch files and the pins as they are to be.
fn files(forks: &Forks, fork: &Fork, state: &State) -> Result<rewrite::Files> {
    let mut files = rewrite::Files::new();
    let path = forks.root.join(pins::PATH);
    let text = std::fs::read_to_string(&path).map_err(Error::io("read", &path))?;
    let wrong = |reason| Error::Pins { path: path.clone(), reason };
    let Pin { version, sha256, commit } = &state.to;
    let mut text = pins::edit::set_pin(&text, &fork.name, [version, sha256, commit]).map_err(wrong)?;
    for done in &state.done {
        let file = format!("patches/{}/{}.patch", fork.name, done.id);
        files.insert(file.into(), done.bytes.clone());
        if done.bytes.is_none() {
            text = pins::edit::remove(&text, &fork.name, &done.id).map_err(wrong)?;
        }
    }
    files.insert(pins::PATH.into(), Some(text.into_bytes()));
    Ok(files)
}

/// The files are those of the new release: lays the fork out and tells what was done.
fn finish(forks: &Forks, fork: &Fork, state: &State) -> Result<Progress> {
    let old = state.old_series()?;
    let forks = Forks::open(&forks.root)?;
    let fork = forks.fork(&fork.name)?;
    stop::lay_back(&forks, fork)?;
    let store = Store::open(&forks)?;
    let finished = Finished {
        verdicts: state.verdicts(),
        to_raise: state.to_raise.clone(),
        broken_sets: broken_sets(&forks, fork, &store)?,
        pull_request: pull_request::text(&forks, fork, &store, &old, state)?,
    };
    State::remove(&forks, fork)?;
    Ok(Progress::Done(Box::new(finished)))
}

fn broken_sets(forks: &Forks, fork: &Fork, store: &Store) -> Result<Vec<String>> {
    let series = forks.series(fork)?;
    let mut layout = Layout::open(forks, store, &series)?;
    let mut broken: BTreeMap<Vec<String>, String> = BTreeMap::new();
    for set in admissible_subsets(&series) {
        if broken.keys().any(|bad| bad.iter().all(|id| set.contains(id))) {
            continue;
        }
        if let Err(error) = layout.subset(&set) {
            broken.insert(set, error.to_string());
        }
    }
    Ok(broken.into_values().collect())
}
