//! A fork's series: its patches in order, with their files, and which sets of them go together. Reads the patch files;
//! knows no git.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::header::PatchFile;
use crate::{Error, Fork, Result};

/// The most bytes that a patch file may have.
const MAX_BYTES: u64 = 64 << 20;

/// Changes when the same pin and files would be laid out differently.
const FORMAT: &str = "forks 1";

/// Whether a patch claims speed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Adds what others need; claims no speed.
    Enabling,
    /// Claims speed: measured alone and together.
    Measured {
        /// Its name in the names of arms.
        short: String,
        /// Whether it is part of what ships.
        ships: bool,
    },
}

/// One patch of a series.
#[derive(Debug, Clone)]
pub struct Patch {
    /// Its stable name.
    pub id: String,
    /// Whether it claims speed.
    pub kind: Kind,
    /// Where its file is or belongs.
    pub path: PathBuf,
    /// The file's bytes; `None` where there is no file yet.
    pub bytes: Option<Vec<u8>>,
    /// The file, read.
    pub file: Option<PatchFile>,
}

/// A fork's patches, in order: enabling ones first.
#[derive(Debug, Clone)]
pub struct Series {
    /// The fork.
    pub fork: Fork,
    /// Its patches.
    pub patches: Vec<Patch>,
}

impl Patch {
    /// Whether the patch is on the fork's main line.
    pub fn on_main(&self) -> bool {
        matches!(self.kind, Kind::Enabling | Kind::Measured { ships: true, .. })
    }

    /// Whether the patch claims speed.
    pub fn is_measured(&self) -> bool {
        matches!(self.kind, Kind::Measured { .. })
    }

    fn ids(&self, trailer: &str) -> Vec<String> {
        self.file.as_ref().map(|file| file.description.ids(trailer)).unwrap_or_default()
    }
}

impl Series {
    /// Reads the files in `dir` that the series of `fork` names.
    pub fn read(fork: &Fork, dir: &Path) -> Result<Self> {
        Self::with_files(fork, dir, read_file)
    }

    /// The series of `fork` with the files that `read` gives for the paths in `dir`.
    pub(crate) fn with_files(
        fork: &Fork,
        dir: &Path,
        mut read: impl FnMut(&Path) -> Result<Option<Vec<u8>>>,
    ) -> Result<Self> {
        let enabling = fork.enabling.iter().map(|id| (id, Kind::Enabling));
        let measured = fork
            .measured
            .iter()
            .map(|patch| (&patch.id, Kind::Measured { short: patch.short.clone(), ships: patch.ships }));
        let mut patches = Vec::new();
        for (id, kind) in enabling.chain(measured) {
            let path = dir.join(format!("{id}.patch"));
            let bytes = read(&path)?;
            let file = bytes.as_deref().map(|bytes| PatchFile::parse(&path, bytes)).transpose()?;
            patches.push(Patch { id: id.clone(), kind, path, bytes, file });
        }
        Ok(Self { fork: fork.clone(), patches })
    }

    /// The patch `id`.
    pub fn patch(&self, id: &str) -> Result<&Patch> {
        self.patches.iter().find(|patch| patch.id == id).ok_or_else(|| Error::UnknownPatch {
            fork: self.fork.name.clone(),
            id: id.to_owned(),
            known: self.fork.ids().collect::<Vec<_>>().join(", "),
        })
    }

    /// The measured patches, in order.
    pub fn measured(&self) -> impl Iterator<Item = &Patch> {
        self.patches.iter().filter(|patch| patch.is_measured())
    }

    /// The enabling patches, in order.
    pub fn enabling(&self) -> impl Iterator<Item = &Patch> {
        self.patches.iter().filter(|patch| !patch.is_measured())
    }

    /// The measured patches that `id` requires, those included that these require, in order.
    pub fn requires(&self, id: &str) -> Result<Vec<String>> {
        let mut found = BTreeSet::new();
        let mut open = vec![id.to_owned()];
        while let Some(next) = open.pop() {
            for required in self.patch(&next)?.ids("Requires") {
                let patch = self.patch(&required)?;
                if required == id {
                    let reason = format!("patch `{id}` requires itself, through `{next}`");
                    return Err(Error::Inadmissible { fork: self.fork.name.clone(), reason });
                }
                if patch.is_measured() && found.insert(required.clone()) {
                    open.push(required);
                }
            }
        }
        Ok(self.in_order(&found))
    }

    /// The patches that name `id` in a `Requires` trailer of their own.
    pub(crate) fn requiring(&self, id: &str) -> impl Iterator<Item = &Patch> {
        self.patches.iter().filter(move |patch| patch.ids("Requires").iter().any(|named| named == id))
    }

    /// Whether one of the two excludes the other.
    pub fn exclude(&self, one: &str, other: &str) -> bool {
        let says =
            |id: &str, name: &str| self.patch(id).is_ok_and(|patch| patch.ids("Excludes").iter().any(|x| x == name));
        says(one, other) || says(other, one)
    }

    /// The measured patches in `ids`, in the order of the series, after checking that they go together.
    pub fn subset(&self, ids: &[String]) -> Result<Vec<String>> {
        let wanted: BTreeSet<String> = ids.iter().cloned().collect();
        let refuse = |reason: String| Err(Error::Inadmissible { fork: self.fork.name.clone(), reason });
        for id in &wanted {
            if !self.patch(id)?.is_measured() {
                return refuse(format!("`{id}` is an enabling patch: every set has it"));
            }
            if let Some(required) = self.requires(id)?.iter().find(|required| !wanted.contains(*required)) {
                return refuse(format!("`{id}` requires `{required}`, which the set lacks"));
            }
            if let Some(other) = wanted.iter().find(|other| *other > id && self.exclude(id, other)) {
                return refuse(format!("`{id}` and `{other}` exclude each other"));
            }
        }
        Ok(self.in_order(&wanted))
    }

    /// The measured patches that ship, in order.
    pub fn shipped(&self) -> Vec<String> {
        self.measured().filter(|patch| patch.on_main() && patch.file.is_some()).map(|patch| patch.id.clone()).collect()
    }

    fn in_order(&self, ids: &BTreeSet<String>) -> Vec<String> {
        self.patches.iter().filter(|patch| ids.contains(&patch.id)).map(|patch| patch.id.clone()).collect()
    }

    /// SHA-256 of each patch file, by id.
    pub(crate) fn checksums(&self) -> BTreeMap<String, String> {
        let files = self.patches.iter().filter_map(|patch| Some((patch.id.clone(), patch.bytes.as_deref()?)));
        files.map(|(id, bytes)| (id, hex(&Sha256::digest(bytes)))).collect()
    }

    /// Changes whenever the fork would be laid out differently.
    pub fn key(&self) -> String {
        let mut hash = Sha256::new();
        let mut add = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        let fork = &self.fork;
        for text in [FORMAT, &fork.krate, &fork.version, &fork.sha256, &fork.commit] {
            add(text.as_bytes());
        }
        for patch in &self.patches {
            add(patch.id.as_bytes());
            add(&[u8::from(patch.is_measured()), u8::from(patch.on_main()), u8::from(patch.bytes.is_some())]);
            add(patch.bytes.as_deref().unwrap_or_default());
        }
        hex(&hash.finalize())
    }
}

/// The bytes of a patch file, if there is one. A link to a device or a file of absurd size is refused before it is read.
fn read_file(path: &Path) -> Result<Option<Vec<u8>>> {
    let wrong = |reason: String| Err(Error::PatchFile { path: path.to_owned(), reason });
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => wrong("it is no plain file".into()),
        Ok(metadata) if metadata.len() > MAX_BYTES => wrong(format!("it is larger than {} MiB", MAX_BYTES >> 20)),
        Ok(_) => fs::read(path).map(Some).map_err(Error::io("read", path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("read", path)(error)),
    }
}

/// Every set of measured patches with files that is closed under `Requires` and holds no two that exclude each other;
/// the empty set first.
pub fn admissible_subsets(series: &Series) -> Vec<Vec<String>> {
    let ids: Vec<String> =
        series.measured().filter(|patch| patch.file.is_some()).map(|patch| patch.id.clone()).collect();
    let mut sets: Vec<Vec<String>> = vec![Vec::new()];
    for id in &ids {
        let with: Vec<Vec<String>> =
            sets.iter().map(|set| set.iter().chain([id]).cloned().collect::<Vec<_>>()).collect();
        sets.extend(with);
        sets.retain(|set| !set.iter().any(|one| set.iter().any(|other| one < other && series.exclude(one, other))));
    }
    sets.retain(|set| series.subset(set).is_ok());
    sets.sort_by_key(Vec::len);
    sets
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Measured;

    fn series(trailers: &[(&str, &str)]) -> Series {
        let measured =
            |id: &str| Measured { id: id.into(), short: id.into(), ships: id == "a", because: None, phase: None };
        let fork = Fork {
            name: "demo".into(),
            krate: "demo".into(),
            version: "1.0.0".into(),
            sha256: String::new(),
            commit: String::new(),
            repository: String::new(),
            folder: "extern/demo".into(),
            enabling: vec!["log".into()],
            measured: ["a", "b", "c", "d"].map(measured).into(),
        };
        let read = |path: &Path| {
            let id = path.file_stem().unwrap().to_str().unwrap();
            let extra = trailers.iter().filter(|(name, _)| *name == id).map(|(_, line)| format!("{line}\n"));
            let extra: String = extra.collect();
            Ok((id != "d").then(|| {
                format!("From 0\nFrom: n <e>\nDate: d\nSubject: s\n\nPatch-Id: {id}\n{extra}\ndiff --git \n-- \nend\n")
                    .into_bytes()
            }))
        };
        Series::with_files(&fork, Path::new("p"), read).unwrap()
    }

    #[test]
    fn admissible_sets_keep_requires_and_excludes() {
        let series = series(&[("b", "Requires: a"), ("c", "Excludes: b")]);
        let sets = admissible_subsets(&series);
        let sets: Vec<String> = sets.iter().map(|set| set.join("+")).collect();
        assert_eq!(sets, ["", "a", "c", "a+b", "a+c"]);
        assert_eq!(series.requires("b").unwrap(), ["a"]);
        assert_eq!(series.shipped(), ["a"]);
    }

    #[test]
    fn a_set_is_put_in_order_or_refused() {
        let series = series(&[("b", "Requires: a"), ("c", "Excludes: b")]);
        assert_eq!(series.subset(&["c".into(), "a".into()]).unwrap(), ["a", "c"]);
        for (set, expected) in [
            (vec!["b"], "requires `a`"),
            (vec!["a", "b", "c"], "exclude each other"),
            (vec!["log"], "enabling"),
            (vec!["x"], "no patch"),
        ] {
            let set: Vec<String> = set.into_iter().map(str::to_owned).collect();
            assert!(series.subset(&set).unwrap_err().to_string().contains(expected));
        }
    }

    #[test]
    fn requiring_oneself_is_refused() {
        let series = series(&[("a", "Requires: b"), ("b", "Requires: a")]);
        assert!(series.requires("a").unwrap_err().to_string().contains("requires itself"));
        assert_eq!(admissible_subsets(&series).len(), 2);
    }

    #[test]
    fn the_key_changes_with_bytes_and_order() {
        let one = series(&[]);
        let mut other = one.clone();
        assert_eq!(one.key(), other.key());
        other.patches.swap(1, 2);
        assert_ne!(one.key(), other.key());
        let mut other = one.clone();
        other.patches[1].bytes.as_mut().unwrap()[5] ^= 1;
        assert_ne!(one.key(), other.key());
    }
}
