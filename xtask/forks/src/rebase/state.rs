//! Where a rebase stands, kept in the fork's own repository until it is done or given up.

use std::fs;

use serde::{Deserialize, Serialize};

use crate::port::{Placed, Port, Verdict, without};
use crate::pristine::{self, Candidate};
use crate::requirements::Refusal;
use crate::series::Series;
use crate::workdir::{Head, Workdir};
use crate::{Description, Error, Fork, Forks, Result, step, tree};

/// A release, as a pin names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Pin {
    pub(super) version: String,
    pub(super) sha256: String,
    pub(super) commit: String,
}

impl Pin {
    pub(super) fn of(fork: &Fork) -> Self {
        Self { version: fork.version.clone(), sha256: fork.sha256.clone(), commit: fork.commit.clone() }
    }
}

/// A patch that is dealt with.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Done {
    pub(super) id: String,
    pub(super) verdict: Verdict,
    /// Its file on the new release; none if it is left out.
    pub(super) bytes: Option<Vec<u8>>,
}

/// The patch that waits for somebody.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Stopped {
    pub(super) id: String,
    pub(super) verdict: Verdict,
    /// The commit that it is to stand on.
    pub(super) below: String,
    /// Whether the folder is ready for somebody to work in.
    pub(super) is_open: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct State {
    /// The fork as it was.
    from: Fork,
    pub(super) to: Pin,
    /// The key of the series that is carried.
    key: String,
    /// Its files.
    old: Vec<(String, Vec<u8>)>,
    pub(super) done: Vec<Done>,
    pub(super) stopped: Option<Stopped>,
    pub(super) to_raise: Vec<Refusal>,
    /// What was checked out, to come back to when the rebase is given up; none where nothing was.
    #[serde(default)]
    pub(super) head: Option<Head>,
}

fn path(forks: &Forks, fork: &Fork) -> std::path::PathBuf {
    Workdir::new(forks, fork).git.dir().join("forks-rebase.json")
}

fn wrong(fork: &Fork, reason: String, mend: String) -> Error {
    Error::Rebase { fork: fork.name.clone(), reason, mend }
}

/// Other verbs on a fork that is in the middle of a rebase.
pub(crate) fn refuse_unfinished(forks: &Forks, fork: &Fork) -> Result<()> {
    if !path(forks, fork).is_file() {
        return Ok(());
    }
    let reason = match State::read(forks, fork) {
        Ok(State { to, stopped: Some(stopped), .. }) => {
            format!("a rebase to {} is in progress; it stopped at patch `{}`", to.version, stopped.id)
        }
        Ok(State { to, .. }) => format!("a rebase to {} was interrupted", to.version),
        Err(error) => return Err(error),
    };
    let name = &fork.name;
    let mend =
        format!("go on: `cargo xtask rebase {name} --continue`; give it up: `cargo xtask rebase {name} --abort`");
    Err(wrong(fork, reason, mend))
}

impl State {
    pub(super) fn new(series: &Series, to: Pin, to_raise: Vec<Refusal>, head: Option<Head>) -> Self {
        let files = series.patches.iter().filter_map(|patch| Some((patch.id.clone(), patch.bytes.clone()?)));
        let (from, old) = (series.fork.clone(), files.collect());
        Self { from, to, key: series.key(), old, done: Vec::new(), stopped: None, to_raise, head }
    }

    pub(super) fn read(forks: &Forks, fork: &Fork) -> Result<Self> {
        let path = path(forks, fork);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let mend = format!("`cargo xtask rebase {} --to <version>` begins one", fork.name);
                let reason = "no rebase is in progress".to_owned();
                return Err(Error::Usage { fork: fork.name.clone(), reason, mend });
            }
            Err(error) => return Err(Error::io("read", &path)(error)),
        };
        serde_json::from_slice(&bytes).map_err(|error| {
            let mend = format!("delete it and `cargo xtask apply --discard {}`", fork.name);
            wrong(fork, format!("{} is damaged: {error}", path.display()), mend)
        })
    }

    pub(super) fn write(&self, forks: &Forks, fork: &Fork) -> Result<()> {
        let text = serde_json::to_vec(self).expect("plain data");
        tree::write(&path(forks, fork), &Workdir::new(forks, fork).scratch(), &text, false)
    }

    pub(super) fn remove(forks: &Forks, fork: &Fork) -> Result<()> {
        let path = path(forks, fork);
        step::before_change().and_then(|()| fs::remove_file(&path)).map_err(Error::io("remove", &path))
    }

    /// Whether the pin is the new release already: only the folder is left to be laid out.
    pub(super) fn files_are_written(&self, fork: &Fork) -> bool {
        Pin::of(fork) == self.to && Pin::of(&self.from) != self.to
    }

    /// The patch files must be those that the rebase began with.
    pub(super) fn check(&self, series: &Series) -> Result<()> {
        if series.key() == self.key {
            return Ok(());
        }
        let mend = format!("restore them, or `cargo xtask rebase {} --abort` and begin anew", series.fork.name);
        Err(wrong(&series.fork, "its pin or patch files changed since the rebase began".into(), mend))
    }

    /// The series as it was, on the release that it was on.
    pub(super) fn old_series(&self) -> Result<Series> {
        Series::with_files(&self.from, std::path::Path::new(""), |path| {
            let id = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            Ok(self.old.iter().find(|(old, _)| *old == id).map(|(_, bytes)| bytes.clone()))
        })
    }

    pub(super) fn candidate(&self, forks: &Forks, fork: &Fork) -> Result<Candidate> {
        let candidate = pristine::candidate(forks, fork, &format!("={}", self.to.version))?;
        if Pin::of(&candidate.fork) == self.to {
            return Ok(candidate);
        }
        let reason = format!("the release {} has other bytes than when the rebase began", self.to.version);
        Err(wrong(fork, reason, "see to the source that cargo takes it from".into()))
    }

    pub(super) fn has(&self, id: &str) -> bool {
        self.done.iter().any(|done| done.id == id)
    }

    pub(super) fn take(&mut self, done: Done) {
        self.done.push(done);
        self.stopped = None;
    }

    pub(super) fn stop(&mut self, id: &str, placed: &Placed) {
        let (verdict, below) = (placed.verdict.clone(), placed.below.id.clone());
        self.stopped = Some(Stopped { id: id.to_owned(), verdict, below, is_open: false });
    }

    /// What the patch `id` will say of itself: what was left out is required no more.
    pub(super) fn description(&self, id: &str) -> Result<Description> {
        let series = self.old_series()?;
        let file = series.patch(id)?.file.as_ref().expect("what is carried has a file");
        let dropped = self.done.iter().filter(|done| done.bytes.is_none()).map(|done| done.id.as_str());
        Ok(without(&file.description, dropped))
    }

    /// Tells `port` what was done.
    pub(super) fn restore(&self, port: &mut Port) {
        for done in &self.done {
            match &done.bytes {
                Some(bytes) => drop(port.carried.insert(done.id.clone(), bytes.clone())),
                None => port.dropped.push(done.id.clone()),
            }
        }
    }

    pub(super) fn verdicts(&self) -> Vec<(String, Verdict)> {
        let done = self.done.iter().map(|done| (done.id.clone(), done.verdict.clone()));
        done.chain(self.stopped.iter().map(|stopped| (stopped.id.clone(), stopped.verdict.clone()))).collect()
    }
}
