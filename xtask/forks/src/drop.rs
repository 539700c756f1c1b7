//! Retiring a patch. All that can fail is found out first. Then a journal with every file's new bytes is put in place
//! by one rename; from that moment the patch is being dropped, before it nothing has changed. The files follow, the
//! fork is laid out, the journal goes. A call killed in between is finished by the same call again, from the journal
//! alone; until its files are written, no other verb works on the half-changed series.

mod carry;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::apply::{apply, refuse_work};
use crate::export::with_rendered;
use crate::series::{Series, hex};
use crate::store::Store;
use crate::{Error, Fork, Forks, Outcome, Pins, Result, lock, pins, tree};

/// Beside the files that it is about, not in `target/`, which may be deleted at any time.
const JOURNAL: &str = "patches/.dropping.json";

/// What dropping a patch did.
#[derive(Debug, Clone)]
pub struct Dropped {
    /// The files removed and written, from the root of the repository.
    pub files: Vec<(PathBuf, Written)>,
    /// What was done to the fork's folder.
    pub outcome: Outcome,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// It is gone.
    Removed,
    /// It was written anew.
    Changed,
}

#[derive(Serialize, Deserialize)]
struct Journal {
    fork: String,
    patch: String,
    files: Vec<Step>,
}

/// One file's change.
#[derive(Serialize, Deserialize)]
struct Step {
    path: PathBuf,
    /// SHA-256 of the bytes that may be replaced.
    before: String,
    /// The new bytes; none for a file that goes.
    after: Option<Vec<u8>>,
}

/// Drops the patch `id` of the crate `name`: its file and its entry in the pins. Patches that lay on it are written anew
/// without it, where a three-way merge can do that. Refuses to drop one that others require, one that is on
/// the main line unless `shipped`, and where the fork's folder holds work. Finishes what an interrupted call began.
pub fn retire(forks: &Forks, name: &str, id: &str, shipped: bool) -> Result<Dropped> {
    let _lock = lock::take(&forks.work_dir())?;
    let path = forks.root.join(JOURNAL);
    let scratch = Store::open(forks)?.scratch();
    let journal = match unfinished(&forks.root)? {
        Some(journal) if journal.fork == name && journal.patch == id => journal,
        found => {
            found.map_or(Ok(()), |other| other.refuse_half(&forks.root))?;
            let forks = Forks::open(&forks.root)?;
            let journal = plan(&forks, forks.fork(name)?, id, shipped)?;
            let text = serde_json::to_vec(&journal).expect("plain data");
            tree::write(&path, &scratch, &text, false)?;
            journal
        }
    };
    for step in &journal.files {
        step.take(&forks.root, &scratch)?;
    }
    let forks = Forks::open(&forks.root)?;
    let outcome = apply(&forks, forks.fork(name)?, false)?;
    remove(&path)?;
    let of = |step: Step| (step.path, if step.after.is_some() { Written::Changed } else { Written::Removed });
    Ok(Dropped { files: journal.files.into_iter().map(of).collect(), outcome })
}

/// For every other verb: `forks` once no patch is half dropped. Where only the folder was left to be laid out, that is
/// an ordinary state, which the verbs know to mend.
pub fn settled(forks: Forks) -> Result<Forks> {
    let path = forks.root.join(JOURNAL);
    if !path.exists() {
        return Ok(forks);
    }
    let _lock = lock::take(&forks.work_dir())?;
    if let Some(journal) = unfinished(&forks.root)? {
        journal.refuse_half(&forks.root)?;
        remove(&path)?;
    }
    Forks::open(&forks.root)
}

fn unfinished(root: &Path) -> Result<Option<Journal>> {
    let path = root.join(JOURNAL);
    match read(&path)? {
        None => Ok(None),
        Some(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| Error::Release {
            path,
            reason: format!(
                "it is no journal of `cargo xtask drop` ({error}); restore patches/ from version control and delete it"
            ),
        }),
    }
}

impl Journal {
    fn refuse_half(&self, root: &Path) -> Result<()> {
        for step in &self.files {
            if !step.is_done(root)? {
                let (fork, patch) = (self.fork.clone(), self.patch.clone());
                return Err(Error::HalfDropped { fork, patch, journal: JOURNAL.into() });
            }
        }
        Ok(())
    }
}

impl Step {
    fn new(root: &Path, path: &Path, before: &[u8], after: Option<Vec<u8>>) -> Self {
        let path = path.strip_prefix(root).unwrap_or(path).to_owned();
        Self { path, before: sha256(before), after }
    }

    fn is_done(&self, root: &Path) -> Result<bool> {
        Ok(read(&root.join(&self.path))? == self.after)
    }

    /// Changes the file, unless that is done or somebody else changed it meanwhile.
    fn take(&self, root: &Path, scratch: &Path) -> Result<()> {
        let path = root.join(&self.path);
        if self.is_done(root)? {
            return Ok(());
        }
        if read(&path)?.is_none_or(|bytes| sha256(&bytes) != self.before) {
            let reason = format!(
                "it changed while a patch was being dropped; restore patches/ from version control, delete {JOURNAL}, and drop the patch again"
            );
            return Err(Error::PatchFile { path, reason });
        }
        match &self.after {
            Some(bytes) => tree::write(&path, scratch, bytes, false),
            None => remove(&path),
        }
    }
}

fn plan(forks: &Forks, fork: &Fork, id: &str, shipped: bool) -> Result<Journal> {
    let series = forks.series(fork)?;
    refuse_wanted(&series, id, shipped)?;
    refuse_work(forks, fork)?;
    let path = forks.root.join(pins::PATH);
    let wrong = |reason: String| Error::Pins { path: path.clone(), reason };
    let text = fs::read_to_string(&path).map_err(Error::io("read", &path))?;
    let new = pins::edit::remove(&text, &fork.name, id).map_err(wrong)?;
    let after = Forks { root: forks.root.clone(), pins: Pins::parse(&new).map_err(wrong)? };
    let rest = after.series(after.fork(&fork.name)?)?;
    let carried = carry::without(forks, &series, &rest, id)?;
    let mut files = Vec::new();
    for patch in &rest.patches {
        if let (Some(before), Some(bytes)) =
            (&patch.bytes, carried.get(&patch.id).filter(|new| Some(*new) != patch.bytes.as_ref()))
        {
            files.push(Step::new(&forks.root, &patch.path, before, Some(bytes.clone())));
        }
    }
    files.push(Step::new(&forks.root, &path, text.as_bytes(), Some(new.into_bytes())));
    let patch = series.patch(id)?;
    if let Some(before) = &patch.bytes {
        files.push(Step::new(&forks.root, &patch.path, before, None));
    }
    Ok(Journal { fork: fork.name.clone(), patch: id.to_owned(), files })
}

fn refused(fork: &Fork, id: &str, reason: String, mend: String) -> Error {
    Error::NotDropped { fork: fork.name.clone(), patch: id.to_owned(), reason, mend }
}

/// What others require stays; what ships goes only on purpose.
fn refuse_wanted(series: &Series, id: &str, shipped: bool) -> Result<()> {
    let (fork, patch) = (&series.fork, series.patch(id)?);
    let requiring = series.patches.iter().filter(|other| {
        other.file.as_ref().is_some_and(|file| file.description.ids("Requires").iter().any(|named| named == id))
    });
    let requiring: Vec<String> = requiring.map(|other| format!("`{}`", other.id)).collect();
    if !requiring.is_empty() {
        let reason = format!("it is required by {}", requiring.join(", "));
        let mend = "drop that first, or take its `Requires:` trailer out: `cargo xtask edit {0} --patch …`, reword, \
                    `cargo xtask export {0}`";
        return Err(refused(fork, id, reason, mend.replace("{0}", &fork.name)));
    }
    if patch.on_main() && patch.file.is_some() && !shipped {
        let what = if patch.is_measured() { "it ships" } else { "it is an enabling patch, so it ships" };
        let mend = format!("if that is meant: `cargo xtask drop {} {id} --shipped`", fork.name);
        return Err(refused(fork, id, what.into(), mend));
    }
    Ok(())
}

fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("read", path)(error)),
    }
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io("remove", path)(error)),
        _ => Ok(()),
    }
}
