//! What must hold of any crate and any series, on generated ones: laid out by a real git, from a release in the tool's own
//! cache, so that no cargo is needed. The seed is fixed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use flate2::Compression;
use flate2::write::GzEncoder;
use forks::{Forks, Outcome};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

const FOLDER: &str = "extern/demo";
/// Each patch edits lines of its own: so many for each, of which the first two stay as they are.
const BLOCK: usize = 12;
const MOST_PATCHES: usize = 4;

type Files = BTreeMap<String, Vec<u8>>;

/// A file of the release: the words on its lines, and how lines end.
#[derive(Debug, Clone)]
struct Text {
    words: Vec<String>,
    crlf: bool,
    ends: bool,
}

/// What one patch does to one line.
#[derive(Debug, Clone)]
enum Edit {
    Replace(String),
    Delete,
    Insert(Vec<String>),
}

#[derive(Debug, Clone)]
struct Patch {
    is_enabling: bool,
    ships: bool,
    /// File, line within the patch's own, and what becomes of it.
    edits: Vec<(usize, usize, Edit)>,
    adds: bool,
    deletes: bool,
}

#[derive(Debug, Clone)]
struct Case {
    texts: Vec<Text>,
    /// Enabling ones first.
    patches: Vec<Patch>,
}

fn text() -> impl Strategy<Value = Text> {
    let words = vec("[a-z{}ä]{0,6}", BLOCK * MOST_PATCHES);
    (words, any::<bool>(), any::<bool>()).prop_map(|(words, crlf, ends)| Text { words, crlf, ends })
}

fn patch() -> impl Strategy<Value = Patch> {
    let edit = prop_oneof![
        "[a-z +-]{0,8}".prop_map(Edit::Replace),
        Just(Edit::Delete),
        vec("[a-z +-]{0,8}", 1..4).prop_map(Edit::Insert),
    ];
    let edits = vec((any::<usize>(), 2..BLOCK, edit), 0..8);
    (any::<bool>(), any::<bool>(), edits, any::<bool>(), any::<bool>())
        .prop_map(|(is_enabling, ships, edits, adds, deletes)| Patch { is_enabling, ships, edits, adds, deletes })
}

fn case() -> impl Strategy<Value = Case> {
    (vec(text(), 1..4), vec(patch(), 1..=MOST_PATCHES)).prop_map(|(texts, mut patches)| {
        patches.sort_by_key(|patch| !patch.is_enabling);
        Case { texts, patches }
    })
}

fn id(at: usize) -> String {
    format!("p{at}")
}

impl Case {
    /// The release with the patches `set`, edited directly.
    fn files(&self, set: &[usize]) -> Files {
        let manifest = "[package]\nname = \"demo\"\nversion = \"1.0.0\"\n";
        let mut files = Files::from([("Cargo.toml".to_owned(), manifest.into())]);
        for (at, text) in self.texts.iter().enumerate() {
            files.insert(format!("src/{at}.txt"), self.text(at, text, set));
        }
        for (at, patch) in self.patches.iter().enumerate() {
            let is_in = set.contains(&at);
            if !(is_in && patch.deletes) {
                files.insert(format!("gone/{at}.txt"), format!("goes with {at}").into_bytes());
            }
            if is_in && patch.adds {
                files.insert(format!("neu/größe {at}.txt"), format!("comes with {at}\r\n").into_bytes());
            }
        }
        files
    }

    fn text(&self, file: usize, text: &Text, set: &[usize]) -> Vec<u8> {
        let mut lines: Vec<Vec<String>> =
            text.words.iter().enumerate().map(|(number, word)| vec![format!("{number} {word}")]).collect();
        for at in set {
            for (_, row, edit) in self.patches[*at].edits.iter().filter(|(to, ..)| to % self.texts.len() == file) {
                let line = &mut lines[at * BLOCK + row];
                match edit {
                    Edit::Replace(word) => *line = vec![format!("{row} {word} {at}")],
                    Edit::Delete => line.clear(),
                    Edit::Insert(words) => line.extend(words.iter().map(|word| format!("{word} {at}"))),
                }
            }
            // Never a patch that changes nothing.
            lines[at * BLOCK + 2].push(format!("by {at}"));
        }
        let end = if text.crlf { "\r\n" } else { "\n" };
        let mut joined = lines.concat().join(end);
        if text.ends {
            joined += end;
        }
        joined.into_bytes()
    }

    fn those(&self, keep: impl Fn(&Patch) -> bool) -> Vec<usize> {
        (0..self.patches.len()).filter(|at| keep(&self.patches[*at])).collect()
    }

    fn measured(&self) -> Vec<usize> {
        self.those(|patch| !patch.is_enabling)
    }

    fn main(&self) -> Vec<usize> {
        self.those(|patch| patch.is_enabling || patch.ships)
    }
}

/// A repository with the case's crate pinned, its patches committed with the user's git, exported and laid out.
struct Repo {
    forks: Forks,
    _dir: TempDir,
}

impl Repo {
    fn new(case: &Case) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().to_owned();
        let release = pack(&case.files(&[]));
        let sum: String = Sha256::digest(&release).iter().map(|byte| format!("{byte:02x}")).collect();
        put(&root.join(format!("target/forks/pristine/demo-{}.crate", &sum[..16])), &release);
        put(&root.join("patches/forks.toml"), pins(case, &sum).as_bytes());
        let repo = Self { forks: Forks::open(&root).unwrap(), _dir: dir };
        repo.write_patches(case);
        repo
    }

    fn write_patches(&self, case: &Case) {
        let (forks, fork) = (&self.forks, &self.forks.pins.forks[0]);
        let mut below = Vec::new();
        forks::edit(forks, fork, None).unwrap();
        for at in case.those(|patch| patch.is_enabling) {
            below.push(at);
            self.commit(case, &below, at);
        }
        forks::export(forks, fork).unwrap();
        for at in case.measured() {
            forks::edit(forks, fork, Some(&id(at))).unwrap();
            self.commit(case, &[&below[..], &[at]].concat(), at);
        }
        forks::export(forks, fork).unwrap();
        self.apply();
    }

    fn commit(&self, case: &Case, set: &[usize], at: usize) {
        let (now, wanted) = (self.laid_out(), case.files(set));
        for path in now.keys().filter(|path| !wanted.contains_key(*path)) {
            fs::remove_file(self.folder().join(path)).unwrap();
        }
        for (path, bytes) in &wanted {
            put(&self.folder().join(path), bytes);
        }
        self.git(&["add", "-A"], "1700000000 +0100");
        let message = format!(
            "Patch {at}\n\nPatch-Id: {}\nUpstream-Status: Pending\nProof: bit-identical\nPrediction: none",
            id(at)
        );
        self.git(&["commit", "-q", "-m", &message], "1700000000 +0100");
    }

    fn git(&self, args: &[&str], date: &str) {
        let mut command = Command::new("git");
        command.arg("-C").arg(self.folder()).args(["-c", "commit.gpgSign=false"]).args(args);
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "n").env(format!("GIT_{role}_EMAIL"), "e@example.com");
            command.env(format!("GIT_{role}_DATE"), date);
        }
        let output = command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn apply(&self) -> Outcome {
        forks::apply(&self.forks, &self.forks.pins.forks[0], false).unwrap()
    }

    /// Exports; gives the patch files.
    fn export(&self) -> Files {
        forks::export(&self.forks, &self.forks.pins.forks[0]).unwrap();
        read(&self.forks.root.join("patches"))
    }

    fn folder(&self) -> PathBuf {
        self.forks.root.join(FOLDER)
    }

    fn laid_out(&self) -> Files {
        read(&self.folder())
    }
}

fn pins(case: &Case, sum: &str) -> String {
    let measured = case.measured().into_iter().map(|at| {
        let ships = case.patches[at].ships;
        format!("{{ id = \"{}\", short = \"s{at}\", ships = {ships} }}", id(at))
    });
    let enabling: Vec<String> = case.those(|patch| patch.is_enabling).into_iter().map(id).collect();
    format!(
        "[[fork]]\ncrate = \"demo\"\nversion = \"1.0.0\"\nsha256 = \"{sum}\"\ncommit = \"{}\"\n\
         repository = \"https://example.com/demo\"\nfolder = \"{FOLDER}\"\nenabling = {enabling:?}\nmeasured = [{}]\n",
        "1".repeat(40),
        measured.collect::<Vec<_>>().join(", ")
    )
}

/// Packs a release as cargo would.
fn pack(files: &Files) -> Vec<u8> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, Path::new("demo-1.0.0").join(path), &bytes[..]).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap()
}

fn put(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// The files below `top`, without git's own.
fn read(top: &Path) -> Files {
    let mut files = Files::new();
    let mut open = vec![top.to_owned()];
    while let Some(folder) = open.pop() {
        for path in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            if !path.is_dir() {
                files.insert(path.strip_prefix(top).unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap());
            } else if !path.ends_with(".git") {
                open.push(path);
            }
        }
    }
    files
}

/// Puts every file's time back, so that any rewrite shows; gives that time.
fn age(folder: &Path) -> SystemTime {
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    for path in read(folder).keys() {
        fs::File::options().write(true).open(folder.join(path)).unwrap().set_modified(old).unwrap();
    }
    old
}

fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, max_shrink_iters: 16, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

#[test]
fn any_series_on_any_crate() {
    let holds = |case: Case| {
        let repo = Repo::new(&case);
        export_and_apply_undo_each_other(&repo, &case)?;
        every_set_equals_its_edits_made_directly(&repo, &case)?;
        times_dates_and_packs_change_no_patch_file(&repo, &case)
    };
    runner(4).run(&case(), holds).unwrap();
}

/// And a second `apply` writes nothing.
fn export_and_apply_undo_each_other(repo: &Repo, case: &Case) -> Result<(), TestCaseError> {
    let wanted = case.files(&case.main());
    prop_assert_eq!(repo.laid_out(), wanted.clone());
    let patches = repo.export();
    prop_assert_eq!(patches.len(), case.patches.len() + 1);
    for path in ["extern", "target/forks/store.git"] {
        fs::remove_dir_all(repo.forks.root.join(path)).unwrap();
    }
    repo.apply();
    prop_assert_eq!(repo.laid_out(), wanted.clone());
    let old = age(&repo.folder());
    prop_assert_eq!(repo.apply(), Outcome::Unchanged);
    prop_assert_eq!(repo.export(), patches);
    for path in wanted.keys() {
        prop_assert_eq!(fs::metadata(repo.folder().join(path)).unwrap().modified().unwrap(), old);
    }
    Ok(())
}

fn every_set_equals_its_edits_made_directly(repo: &Repo, case: &Case) -> Result<(), TestCaseError> {
    let series = repo.forks.series(&repo.forks.pins.forks[0]).unwrap();
    let sets = forks::admissible_subsets(&series);
    prop_assert_eq!(sets.len(), 1 << case.measured().len());
    let dest = repo.forks.root.join("arm");
    for set in sets {
        forks::arm::materialize(&repo.forks, &set, &dest).unwrap();
        let mut wanted = case.those(|patch| patch.is_enabling);
        wanted.extend(case.measured().into_iter().filter(|at| set.contains(&id(*at))));
        prop_assert_eq!(read(&dest.join(FOLDER)), case.files(&wanted), "{:?}", set);
    }
    Ok(())
}

fn times_dates_and_packs_change_no_patch_file(repo: &Repo, case: &Case) -> Result<(), TestCaseError> {
    let patches = repo.export();
    age(&repo.folder());
    repo.git(&["gc", "-q", "--prune=now"], "1600000000 +0000");
    prop_assert_eq!(repo.export(), patches.clone());
    // Committed anew, in another order and at other times than before.
    let mut branches: Vec<String> = case.measured().into_iter().map(|at| format!("patch/{}", id(at))).collect();
    branches.reverse();
    if !case.main().is_empty() {
        branches.push("main".to_owned());
    }
    for (at, branch) in branches.iter().enumerate() {
        let date = format!("{} -0500", 1_600_000_000 - 1000 * at);
        repo.git(&["switch", "-q", branch], &date);
        repo.git(&["commit", "-q", "--amend", "--no-edit"], &date);
    }
    prop_assert_eq!(repo.export(), patches);
    repo.apply();
    prop_assert_eq!(repo.laid_out(), case.files(&case.main()));
    Ok(())
}

#[test]
fn a_patch_file_cut_anywhere_is_found_and_never_half_laid_out() {
    let cut = (case(), any::<usize>(), 0.0..1.0);
    let holds = |(case, which, share): (Case, usize, f64)| {
        let repo = Repo::new(&case);
        let before = repo.laid_out();
        let path = repo.forks.root.join("patches/demo").join(format!("{}.patch", id(which % case.patches.len())));
        let whole = fs::read(&path).unwrap();
        // The places where a cut is hardest to see, and any other.
        let starts = whole.windows(12).enumerate().filter(|(_, window)| window == b"\ndiff --git ");
        let starts: Vec<usize> = starts.map(|(at, _)| at + 1).collect();
        let cuts = starts.into_iter().chain([whole.len() - 1, whole.len() - 2, (share * whole.len() as f64) as usize]);
        for at in cuts {
            fs::write(&path, &whole[..at]).unwrap();
            let applied = forks::apply(&repo.forks, &repo.forks.pins.forks[0], false);
            prop_assert_eq!(applied.is_ok(), at == whole.len() - 1, "cut at {} of {}", at, whole.len());
            prop_assert_eq!(repo.laid_out(), before.clone(), "cut at {} of {}", at, whole.len());
            let findings = forks::verify::verify(&repo.forks, None).unwrap();
            prop_assert!(!findings.is_empty(), "cut at {} of {}", at, whole.len());
        }
        fs::write(&path, &whole).unwrap();
        repo.apply();
        prop_assert_eq!(forks::verify::verify(&repo.forks, None).unwrap(), []);
        Ok(())
    };
    runner(2).run(&cut, holds).unwrap();
}
