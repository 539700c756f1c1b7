//! The forks for somebody else's workspace: their main lines as plain files, from pins and patches, with licences, a
//! notice of every change, and the `[patch]` lines to use them. The bytes depend on pins and patches alone.

mod guide;
mod notice;
mod place;

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;

use crate::arm::foreign;
use crate::layout::Layout;
use crate::store::Store;
use crate::tree::{self, Entry, Tree};
use crate::{Error, Fork, Forks, Result};

/// In a folder that this wrote: names the crates in it, one a line after the first.
const MARK: &str = ".vendored-by-xtask";
const MARK_HEAD: &str = "Written by `cargo xtask vendor`, which overwrites the folders of these crates:";
/// Where unfinished files lie.
const SCRATCH: &str = ".vendored-by-xtask-unfinished";
/// Files that rustup obeys in the folder of a crate and below it; that crate's users have their own.
const TOOLCHAIN: &[&str] = &["rust-toolchain", "rust-toolchain.toml"];

/// A file in the folder that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The file, from the folder.
    pub path: String,
    /// `deleted`, `modified`, `mode changed`, or `not part of it`.
    pub what: &'static str,
}

/// What [`vendor`] would change in `dir`; writes nothing.
pub fn check(forks: &Forks, dir: &Path) -> Result<Vec<Difference>> {
    place::refuse(forks, dir)?;
    let known = known_crates(dir)?;
    Wanted::of(forks)?.differences(dir, &known)
}

/// Writes the forks into `dir`, which must be new, empty or written by an earlier call: rewrites what differs, removes
/// what is stale, and gives both.
pub fn vendor(forks: &Forks, dir: &Path) -> Result<Vec<Difference>> {
    place::refuse(forks, dir)?;
    let mut known = known_crates(dir)?;
    let wanted = Wanted::of(forks)?;
    let found = wanted.differences(dir, &known)?;
    let scratch = dir.join(SCRATCH);
    if !found.is_empty() {
        // The mark comes first, and names old and new crates until the end: a killed call is taken up by the next.
        known.extend(wanted.crates().map(str::to_owned));
        let (path, text) = (dir.join(MARK), mark(&known));
        if fs::read_to_string(&path).map_or(true, |there| there != text) {
            tree::write(&path, &scratch, text.as_bytes(), false)?;
        }
        let (mark, rest): (Tree, Tree) = wanted.files.clone().into_iter().partition(|(path, _)| path == MARK);
        tree::sync(dir, &scratch, &wanted.stale(dir, &known)?, &rest, &wanted.blobs)?;
        tree::sync(dir, &scratch, &[], &mark, &wanted.blobs)?;
    }
    if scratch.exists() {
        fs::remove_dir_all(&scratch).map_err(Error::io("remove", &scratch))?;
    }
    Ok(found)
}

fn mark(crates: &[String]) -> String {
    let mut names = crates.to_vec();
    names.sort();
    names.dedup();
    format!("{MARK_HEAD}\n{}\n", names.join("\n"))
}

/// The crates that an earlier call wrote into `dir`. A folder with other people's files is an error.
fn known_crates(dir: &Path) -> Result<Vec<String>> {
    if let Ok(text) = fs::read_to_string(dir.join(MARK))
        && let Some(names) = text.strip_prefix(MARK_HEAD)
    {
        // Anybody may have written a name there: only what we wrote ourselves is ours to remove.
        let is_ours = |name: &&str| crate::pins::is_name(name) && notice::is_in(&dir.join(name));
        return Ok(names.lines().filter(is_ours).map(str::to_owned).collect());
    }
    // A kill before the mark leaves the folder of unfinished files; git may keep what is written.
    let is_other = |name: &OsStr| name != SCRATCH && name != ".git";
    match fs::read_dir(dir) {
        Ok(entries) => match entries.flatten().find(|entry| is_other(&entry.file_name())) {
            None => Ok(Vec::new()),
            Some(_) => Err(Error::Occupied { path: dir.to_owned() }),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(Error::io("read", dir)(error)),
    }
}

/// Everything that belongs into the folder.
#[derive(Default)]
struct Wanted {
    files: Tree,
    blobs: HashMap<String, Vec<u8>>,
}

impl Wanted {
    fn of(forks: &Forks) -> Result<Self> {
        let store = Store::open(forks)?;
        let mut wanted = Self::default();
        for fork in &forks.pins.forks {
            wanted.add_fork(forks, &store, fork)?;
        }
        wanted.add("README.md".into(), guide::readme(&forks.pins.forks))?;
        wanted.add("patch.toml".into(), guide::snippet(&forks.pins.forks))?;
        let names: Vec<String> = forks.pins.forks.iter().map(|fork| fork.name.clone()).collect();
        wanted.add(MARK.into(), mark(&names))?;
        Ok(wanted)
    }

    fn add_fork(&mut self, forks: &Forks, store: &Store, fork: &Fork) -> Result<()> {
        let series = forks.series(fork)?;
        let on_main = || series.patches.iter().filter(|patch| patch.on_main());
        if let Some(patch) = on_main().find(|patch| patch.file.is_none()) {
            return Err(Error::NoFile { fork: fork.name.clone(), patch: patch.id.clone() });
        }
        let mut layout = Layout::open(forks, store, &series)?;
        let main = layout.main()?;
        let (left_out, files): (Tree, Tree) =
            store.tree(&main.tree)?.into_iter().partition(|(path, _)| is_toolchain(path));
        self.blobs.extend(store.blobs(&files)?);
        let manifest =
            files.get("Cargo.toml").map(|entry| String::from_utf8_lossy(&self.blobs[&entry.blob]).into_owned());
        let notice = notice::Notice {
            fork,
            patches: on_main().collect(),
            changed: store.changed_blobs(&layout.pristine.tree, &main.tree)?,
            files: files.keys().map(String::as_str).collect(),
            left_out: left_out.keys().map(String::as_str).collect(),
            manifest: manifest.unwrap_or_default(),
        };
        let text = notice.text();
        for (path, entry) in &files {
            self.put(format!("{}/{path}", fork.name), entry.clone())?;
        }
        self.add(format!("{}/{}", fork.name, notice::FILE), text)?;
        for patch in on_main() {
            let bytes = patch.bytes.clone().unwrap_or_default();
            self.add(format!("{}/{}/{}.patch", fork.name, notice::PATCHES, patch.id), bytes)?;
        }
        Ok(())
    }

    fn add(&mut self, path: String, bytes: impl Into<Vec<u8>>) -> Result<()> {
        let bytes = bytes.into();
        let blob = tree::blob_id(&bytes);
        self.blobs.insert(blob.clone(), bytes);
        self.put(path, Entry { executable: false, blob })
    }

    fn put(&mut self, path: String, entry: Entry) -> Result<()> {
        match self.files.insert(path.clone(), entry) {
            None => Ok(()),
            Some(_) => {
                let reason = "the release has a file where `cargo xtask vendor` puts one of its own".into();
                Err(Error::Release { path: path.into(), reason })
            }
        }
    }

    fn crates(&self) -> impl Iterator<Item = &str> {
        self.files.keys().filter_map(|path| Some(path.split_once('/')?.0))
    }

    fn differences(&self, dir: &Path, known: &[String]) -> Result<Vec<Difference>> {
        let of = |(path, difference): (String, tree::Difference)| Difference { path, what: difference.word() };
        let mut found: Vec<Difference> = tree::differences(dir, &self.files)?.into_iter().map(of).collect();
        let stale = self.stale(dir, known)?;
        found.extend(stale.into_iter().map(|path| Difference { path, what: "not part of it" }));
        Ok(found)
    }

    /// The files in `dir` that do not belong into the folders of its crates, nor of those that an earlier call wrote.
    /// What cargo makes there is left alone.
    fn stale(&self, dir: &Path, known: &[String]) -> Result<Vec<String>> {
        let crates: BTreeSet<&str> = self.crates().chain(known.iter().map(String::as_str)).collect();
        let mut stale = Vec::new();
        for name in crates {
            let inside = |path: &String| Some(path.strip_prefix(name)?.strip_prefix('/')?.to_owned());
            let own: Tree =
                self.files.iter().filter_map(|(path, entry)| Some((inside(path)?, entry.clone()))).collect();
            let folder = dir.join(name);
            if folder.is_symlink() {
                let reason =
                    "it is a symbolic link: what it leads to was not written by `cargo xtask vendor`; remove it";
                return Err(Error::Release { path: folder, reason: reason.into() });
            }
            let mut found = Vec::new();
            foreign(&folder, &folder, &own, &mut found)?;
            found.retain(|path| path != "Cargo.lock" || own.is_empty());
            // The notice goes last: without it, what a kill left would be nobody's.
            found.sort_by_key(|path| (path == notice::FILE, path.clone()));
            stale.extend(found.into_iter().map(|path| format!("{name}/{path}")));
        }
        Ok(stale)
    }
}

fn is_toolchain(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| TOOLCHAIN.contains(&name))
}
