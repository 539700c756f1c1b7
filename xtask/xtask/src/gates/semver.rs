//! The public API of a fork against its release's, as cargo-semver-checks sees it in what rustdoc writes of both.
//!
//! A fork has its release's version, so that nobody who takes it may be broken; it may add.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use forks::{Fork, verify::Finding};

use super::{Side, blame, compile::cargo, edit, features::FeatureSet, finding, library, tool::Tool};

const CHECK: &str = "semver";

/// The tool's exit status when a lint found something.
const BROKEN: i32 = 100;

const RUSTDOC: [&str; 5] = [
    "-Zunstable-options",
    "--output-format=json",
    "--document-private-items",
    "--document-hidden-items",
    "--cap-lints=allow",
];

pub(super) fn check(
    tool: &Tool,
    fork: &Fork,
    set: &FeatureSet,
    release: &Side<'_>,
    ours: &Side<'_>,
) -> Result<Vec<Finding>> {
    let mut command = tool.compare(&document(fork, set, release)?, &document(fork, set, ours)?);
    let output = command.output().context("cannot run cargo-semver-checks")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let breaks = if output.status.code() == Some(BROKEN) { parse(&said) } else { Vec::new() };
    if breaks.is_empty() && !output.status.success() {
        bail!(
            "cargo-semver-checks could not compare {} with its release:\n{}{said}\n  likely cause: it does not read what this \
             rustdoc writes; put a newer one into PATH, or take an old one out of it to get the one that is pinned",
            fork.name,
            String::from_utf8_lossy(&output.stderr)
        );
    }
    breaks.iter().map(|broken| told(fork, release, ours, broken)).collect()
}

/// rustdoc's JSON of the library. Each feature set has a folder of its own: rustdoc's file is named by the library alone.
fn document(fork: &Fork, set: &FeatureSet, side: &Side<'_>) -> Result<PathBuf> {
    let target = side.target.join("doc").join(set.name());
    let output = cargo()
        .args(["rustdoc", "--lib", "--package", &fork.krate])
        .args(set.args())
        .arg("--")
        .args(RUSTDOC)
        .envs(side.environment.iter().map(|(name, value)| (name, value)))
        .env("CARGO_TARGET_DIR", &target)
        .env("CARGO_BUILD_BUILD_DIR", &side.target)
        .current_dir(&side.suite.folder)
        .output()
        .context("cannot run cargo")?;
    let json = target.join("doc").join(library(fork)).with_extension("json");
    if !output.status.success() || !json.is_file() {
        bail!(
            "rustdoc wrote no {}; to start afresh, remove {}\n{}",
            json.display(),
            side.target.display(),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(json)
}

/// One item that a lint of the tool found broken.
#[derive(Debug, PartialEq, Eq)]
struct Break {
    /// `function_missing`.
    lint: String,
    /// What the lint says of all its items.
    title: String,
    /// The item, as the tool tells it.
    item: String,
}

/// Reads the failures in the tool's report: each names its lint, then its items one a line.
fn parse(report: &str) -> Vec<Break> {
    let mut breaks = Vec::new();
    let mut lint: Option<(&str, &str)> = None;
    let mut is_list = false;
    for line in report.lines() {
        if let Some(heading) = line.strip_prefix("--- ").and_then(|line| line.strip_suffix(" ---")) {
            lint = heading.strip_prefix("failure ").and_then(|heading| heading.split_once(": "));
            is_list = false;
        } else if line == "Failed in:" {
            is_list = true;
        } else if line.trim().is_empty() {
            is_list = false;
        } else if let Some((name, title)) = lint.filter(|_| is_list) {
            breaks.push(Break { lint: name.to_owned(), title: title.to_owned(), item: line.trim().to_owned() });
        }
    }
    breaks
}

fn told(fork: &Fork, release: &Side<'_>, ours: &Side<'_>, broken: &Break) -> Result<Finding> {
    let patch = blamed(fork, release, ours, &broken.item)?;
    let message = format!("{}: {}: {}", broken.lint, broken.title, broken.item);
    let fix = format!(
        "keep the old name beside the new one, with its signature: {}, then `cargo xtask export {}`",
        edit(fork, patch.as_deref()),
        fork.name
    );
    Ok(finding(CHECK, fork, patch, message, fix))
}

/// The patch that wrote the line at which the item stands, or removed the one at which it stood.
fn blamed(fork: &Fork, release: &Side<'_>, ours: &Side<'_>, item: &str) -> Result<Option<String>> {
    let is_gone = item.contains("previously");
    let side = if is_gone { release } else { ours };
    let Some((path, line)) = place(item) else { return Ok(None) };
    let Some(source) = line_of(&side.suite.folder.join(path), line) else { return Ok(None) };
    let file = path.strip_prefix(&fork.folder).unwrap_or(path).to_string_lossy();
    let series = side.forks.series(fork)?;
    let patch = if is_gone { blame::removing } else { blame::adding };
    Ok(patch(&blame::main_line(&series), &file, &source))
}

/// The file and line at the end of an item: `function a::b, previously in file src/lib.rs:3`.
fn place(item: &str) -> Option<(&Path, usize)> {
    let (file, line) = item.rsplit(' ').next()?.rsplit_once(':')?;
    Some((Path::new(file), line.parse().ok()?))
}

fn line_of(path: &Path, line: usize) -> Option<String> {
    fs::read_to_string(path).ok()?.lines().nth(line.checked_sub(1)?).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the tool wrote of a crate that lost a function and changed a struct and another function.
    const REPORT: &str = include_str!("testdata/cargo-semver-checks-0.51.0.txt");

    #[test]
    fn a_report_is_read_item_by_item() {
        let breaks = parse(REPORT);
        let lints: Vec<&str> = breaks.iter().map(|broken| broken.lint.as_str()).collect();
        assert_eq!(lints, ["constructible_struct_adds_field", "function_missing", "function_parameter_count_changed"]);
        assert_eq!(breaks[1].title, "pub fn removed or renamed");
        assert_eq!(breaks[1].item, "function demo_core::a, previously in file src/lib.rs:1");
        assert_eq!(parse(&REPORT.replace("--- failure ", "--- warning ")), []);
        assert_eq!(parse(""), []);
    }

    #[test]
    fn an_items_place_stands_at_its_end() {
        let places: Vec<_> = parse(REPORT).iter().map(|broken| place(&broken.item).map(|(_, line)| line)).collect();
        assert_eq!(places, [Some(2), Some(1), Some(1)]);
        assert_eq!(place("function demo_core::a"), None);
    }
}
