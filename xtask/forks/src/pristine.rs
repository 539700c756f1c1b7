//! The pristine release: obtained by cargo, so that source replacement, mirrors and offline mode work as configured,
//! and checked against the pin. Knows no git.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use cargo_metadata::semver::VersionReq;
use cargo_metadata::{Dependency, Package};
use flate2::read::GzDecoder;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::cargo::{self, Request};
use crate::series::hex;
use crate::{Error, Fork, Forks, Result, tree};

/// A file of a release.
pub(crate) struct File {
    pub(crate) bytes: Vec<u8>,
    pub(crate) executable: bool,
}

/// A release, checked against its pin.
pub(crate) struct Release {
    /// Its files by path.
    pub(crate) files: BTreeMap<String, File>,
}

/// Releases that this process has read, by repository, crate and checksum: verbs ask for one many times.
static READ: Mutex<BTreeMap<Key, Arc<Release>>> = Mutex::new(BTreeMap::new());

type Key = (PathBuf, String, String);

/// The release that `fork` pins.
pub(crate) fn release(forks: &Forks, fork: &Fork) -> Result<Arc<Release>> {
    let known = READ.lock().unwrap_or_else(PoisonError::into_inner).get(&key(forks, fork)).cloned();
    match known {
        Some(release) => Ok(release),
        None => Ok(keep(forks, fork, obtain(forks, fork)?)),
    }
}

fn key(forks: &Forks, fork: &Fork) -> Key {
    (forks.root.clone(), format!("{} {}", fork.krate, fork.version), fork.sha256.clone())
}

fn keep(forks: &Forks, fork: &Fork, release: Release) -> Arc<Release> {
    let release = Arc::new(release);
    READ.lock().unwrap_or_else(PoisonError::into_inner).insert(key(forks, fork), release.clone());
    release
}

/// Where a `.crate` is kept, so that cargo need not be asked again.
fn saved(forks: &Forks, fork: &Fork) -> PathBuf {
    forks.work_dir().join("pristine").join(format!("{}-{}.crate", fork.krate, &fork.sha256[..16]))
}

fn obtain(forks: &Forks, fork: &Fork) -> Result<Release> {
    let saved = saved(forks, fork);
    if let Ok(bytes) = fs::read(&saved)
        && sha256(&bytes) == fork.sha256
    {
        return unpack(&saved, fork, &bytes);
    }
    from_cargo(&package_folder(&ask_cargo(forks, &fork.krate, &format!("={}", fork.version))?), fork, &saved)
}

/// The release that cargo unpacked to `folder`, or that was vendored there; a `.crate` is kept at `saved`.
fn from_cargo(folder: &Path, fork: &Fork, saved: &Path) -> Result<Release> {
    if folder.join(CHECKSUMS).is_file() {
        return vendored(folder, fork);
    }
    let file = crate_file(folder)?;
    let bytes = fs::read(&file).map_err(Error::io("read", &file))?;
    check(&file, fork, &sha256(&bytes))?;
    tree::write(saved, saved.parent().expect("it lies in a folder"), &bytes, false)?;
    unpack(&file, fork, &bytes)
}

fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn check(file: &Path, fork: &Fork, actual: &str) -> Result<()> {
    if actual == fork.sha256 {
        return Ok(());
    }
    Err(Error::Checksum {
        file: file.to_owned(),
        expected: fork.sha256.clone(),
        actual: actual.to_owned(),
        remedy: format!(
            "if the pin's `version` was changed, change its `sha256` and `commit` with it; if the file is damaged or \
             altered, delete it and run this again; if {} {} is what you want with these bytes, put the actual checksum \
             into the pin",
            fork.krate, fork.version
        ),
    })
}

/// A release that a fork might be moved to.
pub(crate) struct Candidate {
    /// The fork with the release as its pin. The commit is all zeros where the release names none.
    pub(crate) fork: Fork,
    /// Its files.
    pub(crate) release: Arc<Release>,
    /// What it requires of other crates.
    pub(crate) dependencies: Vec<Dependency>,
}

/// The newest release of the crate of `fork` that meets `requirement`, fetched by cargo and pinned by what came.
pub(crate) fn candidate(forks: &Forks, fork: &Fork, requirement: &str) -> Result<Candidate> {
    let package = ask_cargo(forks, &fork.krate, requirement)?;
    let folder = package_folder(&package);
    let sha256 = if folder.join(CHECKSUMS).is_file() {
        checksums(&folder)?.0
    } else {
        let file = crate_file(&folder)?;
        sha256(&fs::read(&file).map_err(Error::io("read", &file))?)
    };
    let mut fork = Fork { version: package.version.to_string(), sha256, ..fork.clone() };
    let release = keep(forks, &fork, from_cargo(&folder, &fork, &saved(forks, &fork))?);
    fork.commit = upstream_commit(&release).unwrap_or_else(|| "0".repeat(40));
    Ok(Candidate { fork, release, dependencies: package.dependencies })
}

/// What the release of `krate` that meets `requirement` requires of other crates.
pub(crate) fn dependencies(forks: &Forks, krate: &str, requirement: &str) -> Result<Vec<Dependency>> {
    Ok(ask_cargo(forks, krate, requirement)?.dependencies)
}

/// Has cargo fetch a release by way of a manifest that asks for nothing else. What is at hand will do for an exact
/// version; for any other requirement the sources are asked what there is.
fn ask_cargo(forks: &Forks, krate: &str, requirement: &str) -> Result<Package> {
    let plain: String =
        requirement.chars().filter(|char| char.is_ascii_alphanumeric() || ".-+".contains(*char)).collect();
    let folder = forks.work_dir().join("fetch").join(format!("{krate}-{plain}"));
    let source = folder.join("src");
    fs::create_dir_all(&source).map_err(Error::io("make", &source))?;
    let manifest = folder.join("Cargo.toml");
    let text = format!(
        "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[workspace]\n\n\
         [dependencies]\n{krate} = {{ version = \"{requirement}\", default-features = false }}\n"
    );
    put(&manifest, &text)?;
    put(&source.join("lib.rs"), "")?;
    let lock = folder.join("Cargo.lock");
    let _ = fs::remove_file(&lock);
    // The versions that the workspace has locked are the ones at hand.
    let _ = fs::copy(forks.root.join("Cargo.lock"), &lock);
    let action = format!("fetch {krate} {}", requirement.trim_start_matches('='));
    let request = Request { manifest, cwd: &forks.root, args: Vec::new(), action: action.clone() };
    let metadata =
        if requirement.starts_with('=') { cargo::metadata(&request)? } else { cargo::metadata_fresh(&request)? };
    let meets = requirement
        .parse::<VersionReq>()
        .map_err(|error| Error::Cargo { action: action.clone(), reason: error.to_string() })?;
    let found = metadata
        .packages
        .into_iter()
        .find(|package| package.source.is_some() && package.name.as_str() == krate && meets.matches(&package.version));
    found.ok_or_else(|| Error::Cargo { action, reason: "its graph lacks the release".into() })
}

fn package_folder(package: &Package) -> PathBuf {
    package.manifest_path.parent().expect("a manifest lies in a folder").as_std_path().to_owned()
}

fn put(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(Error::io("write", path))
}

/// The `.crate` that cargo unpacked to `folder`: `registry/cache/…` beside `registry/src/…`.
fn crate_file(folder: &Path) -> Result<PathBuf> {
    let name = folder.file_name().map(|name| format!("{}.crate", name.to_string_lossy()));
    let registry = folder.parent();
    let cache = registry.and_then(Path::parent).and_then(Path::parent).map(|home| home.join("cache"));
    if let (Some(name), Some(registry), Some(cache)) = (name, registry.and_then(Path::file_name), cache) {
        let file = cache.join(registry).join(name);
        if file.is_file() {
            return Ok(file);
        }
    }
    Err(Error::Release {
        path: folder.to_owned(),
        reason:
            "cargo gave this folder, but the .crate file that it was unpacked from is not in the registry's cache, \
                 so its checksum cannot be checked; use a registry (or a mirror of one) or a vendored folder as source"
                .into(),
    })
}

/// Unpacks a `.crate`, in memory.
fn unpack(file: &Path, fork: &Fork, bytes: &[u8]) -> Result<Release> {
    let wrong = |reason: String| Error::Release { path: file.to_owned(), reason };
    let top = format!("{}-{}", fork.krate, fork.version);
    let mut files = BTreeMap::new();
    let mut archive = tar::Archive::new(GzDecoder::new(bytes));
    for entry in archive.entries().map_err(|error| wrong(error.to_string()))? {
        let mut entry = entry.map_err(|error| wrong(error.to_string()))?;
        if entry.header().entry_type().is_dir() {
            continue;
        }
        let path = entry.path().map_err(|error| wrong(error.to_string()))?.into_owned();
        let inside = path.strip_prefix(&top).ok().filter(|path| is_plain(path)).and_then(Path::to_str);
        let Some(inside) = inside.filter(|_| entry.header().entry_type().is_file()) else {
            return Err(wrong(format!("`{}` is no plain file below {top}/", path.display())));
        };
        let inside = inside.to_owned();
        let executable = entry.header().mode().is_ok_and(|mode| mode & 0o100 != 0);
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).map_err(|error| wrong(error.to_string()))?;
        files.insert(inside, File { bytes, executable });
    }
    Ok(Release { files })
}

fn is_plain(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_))) && path.components().next().is_some()
}

/// The file that a folder of vendored crates keeps beside each crate's files.
const CHECKSUMS: &str = ".cargo-checksum.json";

#[derive(Deserialize)]
struct Checksums {
    files: BTreeMap<String, String>,
    package: Option<String>,
}

/// A release from a directory source: no `.crate` is at hand, so its recorded checksum must be the pin and every file
/// must have the checksum recorded for it.
fn vendored(folder: &Path, fork: &Fork) -> Result<Release> {
    let (package, recorded) = checksums(folder)?;
    let list = folder.join(CHECKSUMS);
    check(&list, fork, &package)?;
    let mut files = BTreeMap::new();
    for (name, expected) in recorded {
        if !is_plain(Path::new(&name)) {
            return Err(Error::Release { path: list, reason: format!("`{name}` is no plain path") });
        }
        let path = folder.join(&name);
        let bytes = fs::read(&path).map_err(Error::io("read", &path))?;
        let actual = sha256(&bytes);
        if actual != expected {
            return Err(Error::Release {
                path,
                reason: format!(
                    "wrong checksum\n  expected {expected} ({CHECKSUMS} beside it)\n  actual   {actual}\n  \
                     the vendored file was changed; vendor it anew"
                ),
            });
        }
        let executable = fs::metadata(&path).is_ok_and(|metadata| tree::is_executable(&metadata));
        files.insert(name, File { bytes, executable });
    }
    Ok(Release { files })
}

/// The checksum of the release that a vendored folder records, and that of each file.
fn checksums(folder: &Path) -> Result<(String, BTreeMap<String, String>)> {
    let path = folder.join(CHECKSUMS);
    let text = fs::read_to_string(&path).map_err(Error::io("read", &path))?;
    let wrong = |reason: String| Error::Release { path: path.clone(), reason };
    let Checksums { files, package } = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    Ok((package.ok_or_else(|| wrong("it names no checksum of the release".into()))?, files))
}

/// The commit that the release says it was made from, if it says so.
pub(crate) fn upstream_commit(release: &Release) -> Option<String> {
    let file = release.files.get(".cargo_vcs_info.json")?;
    let value: serde_json::Value = serde_json::from_slice(&file.bytes).ok()?;
    Some(value.get("git")?.get("sha1")?.as_str()?.to_owned())
}
