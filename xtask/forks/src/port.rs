//! A fork's patches carried to another release, one after another: each by three-way merge from its home on the old
//! release to the same home on the new one. Works in the store alone: no folder and no patch file changes.

mod lost;
mod moved;

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::export;
use crate::layout::Layout;
use crate::series::{Patch, Series};
use crate::store::{Change, Commit, Store};
use crate::{Description, Result};

/// What became of a patch on the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum Verdict {
    /// The release left alone every file that the patch touches: it is the same change.
    Clean,
    /// Merged with what the release changed in the same files.
    Merged {
        /// Hunks of the patch that the result lacks, wholly or in part.
        lost: Vec<LostHunk>,
        /// Files that the release renamed, and the patch with them: from, to.
        moved: Vec<(String, String)>,
    },
    /// The release has the whole change already.
    Upstream,
    /// The release changed the same lines.
    Conflict {
        /// The files in conflict.
        files: Vec<String>,
        /// Those that are a file on one side and a folder on the other.
        #[serde(default)]
        clashes: Vec<String>,
    },
    /// The release has not some file that the patch changes.
    Gone {
        /// Each such file, with the file that its lines are most likely in now.
        files: Vec<(String, Option<String>)>,
    },
    /// It builds on a patch that was not carried.
    NotTried {
        /// That patch.
        needs: String,
    },
    /// It was merged by hand.
    Resolved {
        /// Hunks of the patch that the result lacks, wholly or in part.
        #[serde(default)]
        lost: Vec<LostHunk>,
    },
    /// It was left out of the series.
    Dropped,
}

impl Verdict {
    /// Whether somebody has to look before the patch can go on.
    pub fn stops(&self) -> bool {
        matches!(self, Self::Upstream | Self::Conflict { .. } | Self::Gone { .. } | Self::NotTried { .. })
    }
}

/// A hunk that a merge did not carry over as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostHunk {
    /// The file, by its old name.
    pub file: String,
    /// Where in the old file: `@@ -10,2 +10,3 @@`; for what has no lines, what it is: `new mode 100755`, `(binary)`.
    pub place: String,
    /// The added and removed lines that the result does not add and remove.
    pub lines: Vec<String>,
}

/// The description without the patches `dropped` in its trailers: what is left out is required no more.
pub(crate) fn without<'a>(said: &Description, dropped: impl Iterator<Item = &'a str>) -> Description {
    dropped.fold(said.clone(), |said, gone| said.without_id("Requires", gone).without_id("Excludes", gone))
}

/// The port of one fork's series.
pub(crate) struct Port<'a> {
    store: &'a Store,
    series: &'a Series,
    old: BTreeMap<String, Change>,
    old_pristine: Commit,
    pub(crate) pristine: Commit,
    /// The files of the patches carried so far.
    pub(crate) carried: BTreeMap<String, Vec<u8>>,
    /// What was left out.
    pub(crate) dropped: Vec<String>,
}

/// One patch at its new home.
pub(crate) struct Placed {
    pub(crate) verdict: Verdict,
    /// What it stands on there.
    pub(crate) below: Commit,
    /// The patch there; `None` where somebody has to look.
    pub(crate) commit: Option<Commit>,
}

impl<'a> Port<'a> {
    /// Starts from the series as it lies on its own release, towards `pristine`.
    pub(crate) fn new(store: &'a Store, old: &mut Layout<'a>, pristine: Commit) -> Result<Self> {
        let (series, old_pristine) = (old.series, old.pristine.clone());
        let (carried, dropped) = (BTreeMap::new(), Vec::new());
        Ok(Self { store, series, old: changes(old)?, old_pristine, pristine, carried, dropped })
    }

    /// The patches to carry, in order.
    pub(crate) fn patches(&self) -> impl Iterator<Item = &'a Patch> + use<'a> {
        self.series.patches.iter().filter(|patch| patch.file.is_some())
    }

    /// The patch on the old release.
    pub(crate) fn old(&self, id: &str) -> &Change {
        &self.old[id]
    }

    /// Tries the patch at its new home; takes nothing.
    pub(crate) fn place(&self, patch: &Patch) -> Result<Placed> {
        let dropped = self.dropped.iter().map(String::as_str);
        let said = without(&self.old[&patch.id].description, dropped);
        let below = export::below(self.store, self.series, &self.carried, &self.pristine, (patch, &said))?;
        let change = Change { description: said, ..self.old[&patch.id].clone() };
        let (verdict, commit) = match self.store.place(&change, &below)? {
            Ok(commit) if commit.tree == below.tree => (Verdict::Upstream, None),
            Ok(commit) => (self.merged(&change, &below, &commit)?, Some(commit)),
            Err(conflict) => (self.conflict(&change, &below, conflict.files)?, None),
        };
        Ok(Placed { verdict, below, commit })
    }

    /// Takes the patch as it is in `commit`.
    pub(crate) fn take(&mut self, id: &str, commit: &Commit) -> Result<()> {
        self.carried.insert(id.to_owned(), self.store.render(commit)?);
        Ok(())
    }

    /// Tries every patch, as far as each can be tried without help, and says what became of it.
    pub(crate) fn trial(mut self) -> Result<Vec<(String, Verdict)>> {
        let mut verdicts: Vec<(String, Verdict)> = Vec::new();
        for patch in self.patches() {
            let required = self.series.requires(&patch.id)?;
            let missing = required.into_iter().find(|id| !self.carried.contains_key(id));
            // What the release has already is below every patch that needs it.
            let missing = missing.filter(|id| !verdicts.contains(&(id.clone(), Verdict::Upstream)));
            let verdict = match missing {
                Some(needs) => Verdict::NotTried { needs },
                None => {
                    let placed = self.place(patch)?;
                    match &placed.commit {
                        Some(commit) => self.take(&patch.id, commit)?,
                        None if placed.verdict == Verdict::Upstream => self.dropped.push(patch.id.clone()),
                        None => {}
                    }
                    placed.verdict
                }
            };
            verdicts.push((patch.id.clone(), verdict));
        }
        Ok(verdicts)
    }

    fn merged(&self, old: &Change, below: &Commit, commit: &Commit) -> Result<Verdict> {
        let before = self.store.changed(&old.parent.tree, &old.commit.tree)?;
        let after = self.store.changed(&below.tree, &commit.tree)?;
        if before == after {
            return Ok(Verdict::Clean);
        }
        let lost = lost(self.store, old, below, commit)?;
        let renamed = moved::renamed(self.store, &self.old_pristine, &self.pristine)?;
        let touched = |path: &String| before.iter().any(|file| file.path == *path);
        let moved = renamed.into_iter().filter(|(from, _)| touched(from)).collect();
        Ok(Verdict::Merged { lost, moved })
    }

    fn conflict(&self, old: &Change, below: &Commit, files: Vec<String>) -> Result<Verdict> {
        let now = self.store.tree(&below.tree)?;
        let had = self.store.tree(&old.parent.tree)?;
        let touched = self.store.changed(&old.parent.tree, &old.commit.tree)?;
        let gone = touched.into_iter().map(|file| file.path);
        let gone: Vec<String> = gone.filter(|path| had.contains_key(path) && !now.contains_key(path)).collect();
        if gone.is_empty() {
            // Where a folder is in the way of a file, git gives the file a name that ends in its side.
            let sides = [&old.commit.id, &below.id].map(|id| format!("~{id}"));
            let plain = |file: &String| sides.iter().find_map(|side| file.strip_suffix(side)).map(str::to_owned);
            let clashes = files.iter().filter_map(plain).collect();
            let files = files.iter().map(|file| plain(file).unwrap_or_else(|| file.clone())).collect();
            return Ok(Verdict::Conflict { files, clashes });
        }
        let place = |path: String| Ok((path.clone(), moved::likely(self.store, &old.parent, below, &path)?));
        Ok(Verdict::Gone { files: gone.into_iter().map(place).collect::<Result<_>>()? })
    }
}

/// Every patch of a series at home, by its id.
pub(crate) fn changes(layout: &mut Layout) -> Result<BTreeMap<String, Change>> {
    let series = layout.series;
    let mut changes = BTreeMap::new();
    for (id, parent, commit) in layout.at_home()? {
        let file = series.patch(&id)?.file.as_ref().expect("a patch at home has a file");
        changes.insert(id, Change { parent, commit, description: file.description.clone() });
    }
    Ok(changes)
}

/// What `old` changes and the change from `below` to `commit` does not.
pub(crate) fn lost(store: &Store, old: &Change, below: &Commit, commit: &Commit) -> Result<Vec<LostHunk>> {
    let (before, after) = (diff(store, &old.parent, &old.commit)?, diff(store, below, commit)?);
    let renamed: HashMap<String, String> = moved::renamed(store, &old.parent, below)?.into_iter().collect();
    let mut result = store.tree(&commit.tree)?;
    let touched = store.changed(&old.parent.tree, &old.commit.tree)?.into_iter().map(|file| file.path);
    let touched: HashSet<String> = touched.map(|path| renamed.get(&path).cloned().unwrap_or(path)).collect();
    result.retain(|path, _| touched.contains(path));
    let texts = store.blobs(&result)?.into_values().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let mut lost = lost::hunks(&before, &after, &renamed);
    lost::forget_removed(&mut lost, &texts.collect::<Vec<_>>());
    Ok(lost)
}

fn diff(store: &Store, from: &Commit, to: &Commit) -> Result<String> {
    let args = ["diff-tree", "-r", "-p", "--unified=0", "--find-renames", &from.tree, &to.tree];
    Ok(String::from_utf8_lossy(&store.git().call(args).bytes()?).into_owned())
}
