//! `patches/forks.toml`: the one place where a pin stands. Reads and checks it; knows neither patch files nor git.

pub(crate) mod edit;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use cargo_metadata::semver::Version;
use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// Where the pins stand, from the root of the repository.
pub const PATH: &str = "patches/forks.toml";

/// What `patches/forks.toml` says.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Pins {
    /// Measured patches (ids or short names) that the arm `all` leaves out, since they exclude one that is in it.
    #[serde(default)]
    pub not_in_all: Vec<String>,
    /// The forks, dependencies first.
    #[serde(rename = "fork")]
    pub forks: Vec<Fork>,
    /// The shipped feature sets.
    #[serde(default, rename = "build")]
    pub builds: Vec<Build>,
}

/// One fork: an upstream release and the order of its patches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fork {
    /// What verbs, `patches/<name>/` and evidence call it: the crate's name, unless the pin gives it one of its own, as
    /// two forks of one crate need.
    #[serde(default)]
    pub name: String,
    /// The crate's name, which cargo knows it by.
    #[serde(rename = "crate")]
    pub krate: String,
    /// The exact version of the release.
    pub version: String,
    /// SHA-256 of the release's `.crate` file, in hex.
    pub sha256: String,
    /// The upstream commit that the release was made from.
    pub commit: String,
    /// The upstream repository.
    pub repository: String,
    /// The folder where the fork is laid out, from the root of the repository.
    pub folder: PathBuf,
    /// Ids of the enabling patches, in order.
    #[serde(default)]
    pub enabling: Vec<String>,
    /// The measured patches, in order.
    #[serde(default)]
    pub measured: Vec<Measured>,
}

/// A patch that claims speed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// Its stable name: the file's stem and the `Patch-Id` trailer.
    pub id: String,
    /// Its name in the names of arms (`a1` in `+a1`).
    pub short: String,
    /// Whether it is part of what ships.
    pub ships: bool,
    /// Why it ships or does not, in words; what was measured decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// The one phase that it acts on: it is judged there and on wall time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
}

/// A feature set that ships: what cargo is asked for, and the forks that must be in its graph.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Build {
    /// Its name: `cpu`, `cuda`, `stock`.
    pub name: String,
    /// The package that ships.
    pub package: String,
    /// Features asked for.
    #[serde(default)]
    pub features: Vec<String>,
    /// Whether default features stay on.
    #[serde(default = "on")]
    pub default_features: bool,
    /// The names of the forks that this build contains.
    pub forks: Vec<String>,
}

fn on() -> bool {
    true
}

impl Fork {
    /// Whether cargo takes a package for one with the fork: the same crate, in a version compatible with the pinned one.
    pub fn covers(&self, krate: &str, version: &str) -> bool {
        let parsed = (self.version.parse::<Version>(), version.parse::<Version>());
        krate == self.krate && matches!(parsed, (Ok(ours), Ok(other)) if family(&ours) == family(&other))
    }

    /// Ids of all patches, in order: enabling ones first.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.enabling.iter().map(String::as_str).chain(self.measured.iter().map(|patch| patch.id.as_str()))
    }
}

/// Equal for the versions that cargo does not keep side by side.
fn family(version: &Version) -> (u64, u64, u64) {
    match (version.major, version.minor) {
        (0, 0) => (0, 0, version.patch),
        (0, minor) => (0, minor, 0),
        (major, _) => (major, 0, 0),
    }
}

impl Pins {
    /// Reads and checks the pins at `path`.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).map_err(Error::io("read", path))?;
        Self::parse(&text).map_err(|reason| Error::Pins { path: path.to_owned(), reason })
    }

    /// Parses the text of `forks.toml`; the error says what is wrong.
    pub fn parse(text: &str) -> std::result::Result<Self, String> {
        let mut pins: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        for fork in pins.forks.iter_mut().filter(|fork| fork.name.is_empty()) {
            fork.name.clone_from(&fork.krate);
        }
        pins.check()?;
        Ok(pins)
    }

    fn check(&self) -> std::result::Result<(), String> {
        let mut names = BTreeSet::new();
        let mut folders: Vec<&Path> = Vec::new();
        let mut patches = BTreeSet::new();
        for (at, fork) in self.forks.iter().enumerate() {
            fork.check().map_err(|reason| format!("fork `{}`: {reason}", fork.name))?;
            if !names.insert(fork.name.as_str()) {
                return Err(format!("fork `{}` stands there twice; give one a `name` of its own", fork.name));
            }
            if let Some(other) = self.forks[..at].iter().find(|other| other.covers(&fork.krate, &fork.version)) {
                return Err(format!(
                    "forks `{}` and `{}` are of compatible versions of {}, of which cargo takes one only",
                    other.name, fork.name, fork.krate
                ));
            }
            let overlaps = |other: &&&Path| fork.folder.starts_with(other) || other.starts_with(&fork.folder);
            if let Some(other) = folders.iter().find(overlaps) {
                return Err(format!("the folders {} and {} overlap", other.display(), fork.folder.display()));
            }
            folders.push(&fork.folder);
            // Arms take either name, of the patches of all forks together.
            for patch in &fork.measured {
                let names = BTreeSet::from([patch.short.as_str(), patch.id.as_str()]);
                if let Some(name) = names.into_iter().find(|name| !patches.insert(*name)) {
                    return Err(format!("the name `{name}` belongs to two patches"));
                }
            }
        }
        self.check_references(&names)
    }

    fn check_references(&self, names: &BTreeSet<&str>) -> std::result::Result<(), String> {
        let measured: Vec<&Measured> = self.forks.iter().flat_map(|fork| &fork.measured).collect();
        if let Some(name) = self
            .not_in_all
            .iter()
            .find(|name| !measured.iter().any(|patch| patch.id == **name || patch.short == **name))
        {
            return Err(format!("`not-in-all` names `{name}`, which is no measured patch"));
        }
        for build in &self.builds {
            if let Some(name) = build.forks.iter().find(|name| !names.contains(name.as_str())) {
                return Err(format!("build `{}` names `{name}`, which is no fork", build.name));
            }
        }
        Ok(())
    }
}

impl Fork {
    fn check(&self) -> std::result::Result<(), String> {
        if !is_hex(&self.sha256, 64) {
            return Err("`sha256` must be 64 lower-case hex digits".into());
        }
        if !is_hex(&self.commit, 40) {
            return Err("`commit` must be 40 lower-case hex digits".into());
        }
        if !is_name(&self.name) || !is_name(&self.krate) {
            return Err("`name` and `crate` may hold letters, digits, `-` and `_`".into());
        }
        if self.version.parse::<Version>().is_err() {
            return Err(format!("`{}` is no exact version", self.version));
        }
        if !self.repository.starts_with("https://") {
            return Err("`repository` must be the https address of upstream's repository".into());
        }
        let plain = |part| matches!(part, Component::Normal(name) if name != ".git");
        let inside = self.folder.components().all(plain);
        if !inside || self.folder.as_os_str().is_empty() {
            return Err("`folder` must be a relative path below the root, and in no .git".into());
        }
        let mut ids = BTreeSet::new();
        for id in self.ids() {
            if !is_name(id) {
                return Err(format!("patch `{id}`: an id may hold letters, digits, `-` and `_`"));
            }
            if !ids.insert(id) {
                return Err(format!("patch `{id}` stands there twice"));
            }
        }
        Ok(())
    }
}

fn is_hex(text: &str, len: usize) -> bool {
    text.len() == len && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('-')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
        not-in-all = ["b"]
        [[fork]]
        crate = "demo"
        version = "1.0.0"
        sha256 = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        commit = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
        repository = "https://example.com/demo"
        folder = "extern/demo"
        enabling = ["log"]
        measured = [{ id = "a-fast", short = "a", ships = true }, { id = "b-fast", short = "b", ships = false }]
        [[build]]
        name = "cpu"
        package = "app"
        forks = ["demo"]
    "#;

    #[test]
    fn reads_what_a_pin_says() {
        let pins = Pins::parse(GOOD).unwrap();
        assert_eq!(pins.forks[0].ids().collect::<Vec<_>>(), ["log", "a-fast", "b-fast"]);
        assert!(pins.builds[0].default_features);
    }

    #[test]
    fn says_what_is_wrong() {
        for (from, to, expected) in [
            ("aaaa\"", "AAAA\"", "sha256"),
            ("extern/demo", "../demo", "folder"),
            ("extern/demo", ".git/demo", "folder"),
            ("short = \"b\"", "short = \"a\"", "two patches"),
            ("[\"log\"]", "[\"log\", \"log\"]", "twice"),
            ("[\"b\"]", "[\"c\"]", "not-in-all"),
            ("forks = [\"demo\"]", "forks = [\"other\"]", "no fork"),
            ("1.0.0", "1.0", "exact version"),
            ("repository", "repo", "unknown field"),
            ("https://", "htps://", "https address"),
        ] {
            let error = Pins::parse(&GOOD.replace(from, to)).unwrap_err();
            assert!(error.contains(expected), "{from} -> {to}: {error}");
        }
    }

    /// The fork of [`GOOD`] once more, with these changes, after the first.
    fn with_another(changes: &[(&str, &str)]) -> std::result::Result<Pins, String> {
        let (fork, builds) = GOOD.split_at(GOOD.find("[[build]]").unwrap());
        let mut other = fork[fork.find("[[fork]]").unwrap()..].to_owned();
        for (from, to) in changes {
            assert!(other.contains(from), "{from}");
            other = other.replace(from, to);
        }
        Pins::parse(&format!("{fork}{other}{builds}"))
    }

    #[test]
    fn two_forks_of_one_crate_have_names_of_their_own() {
        let moved = [("extern/demo", "extern/demo-2"), ("\"a", "\"c"), ("\"b-", "\"d-"), ("\"b\"", "\"d\"")];
        let name = [("crate =", "name = \"demo-2\"\ncrate =")];
        let version = [("1.0.0", "2.0.0")];
        let pins = with_another(&[&moved[..], &name, &version].concat()).unwrap();
        let names: Vec<_> = pins.forks.iter().map(|fork| (fork.name.as_str(), fork.krate.as_str())).collect();
        assert_eq!(names, [("demo", "demo"), ("demo-2", "demo")]);
        assert!(pins.forks[0].covers("demo", "1.9.0") && !pins.forks[0].covers("demo", "2.0.0"));
        for (changes, expected) in [
            ([&moved[..], &version].concat(), "give one a `name` of its own"),
            ([&moved[..], &name].concat(), "compatible versions of demo"),
            ([&moved[..1], &name, &version].concat(), "`a` belongs to two patches"),
        ] {
            let error = with_another(&changes).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn cargo_keeps_incompatible_versions_side_by_side() {
        for (pin, other, same) in [
            ("0.6.4", "0.6.1", true),
            ("0.6.4", "0.9.0", false),
            ("0.0.1", "0.0.2", false),
            ("1.2.0", "1.9.9", true),
            ("1.2.0", "nonsense", false),
        ] {
            let pins = Pins::parse(&GOOD.replace("1.0.0", pin)).unwrap();
            assert_eq!(pins.forks[0].covers("demo", other), same, "{pin} {other}");
        }
    }

    #[test]
    fn a_fork_does_not_lie_in_another() {
        let error = with_another(&[
            ("crate = \"demo\"", "crate = \"other\""),
            ("extern/demo", "extern/demo/inner"),
            ("\"a", "\"c"),
            ("\"b", "\"d"),
        ])
        .unwrap_err();
        assert!(error.contains("overlap"), "{error}");
    }
}
