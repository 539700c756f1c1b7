//! What the root Cargo.toml must say of a fork, and how to say what is missing there.

use std::fs;

use crate::{Fork, Forks};

/// The `[patch.crates-io]` of the root manifest; empty where there is none to be read.
pub(super) fn patches(forks: &Forks) -> toml::Table {
    let text = fs::read_to_string(forks.root.join("Cargo.toml")).unwrap_or_default();
    let manifest: toml::Table = text.parse().unwrap_or_default();
    let patches = manifest.get("patch").and_then(|patch| patch.get("crates-io"));
    patches.and_then(toml::Value::as_table).cloned().unwrap_or_default()
}

/// What mends a fault of `fork` in a graph.
pub(super) fn fix(fork: &Fork, patches: &toml::Table) -> String {
    let says = |entry: &toml::Value, key: &str| entry.get(key).and_then(toml::Value::as_str).map(str::to_owned);
    let is_its = |(name, entry): (&String, &toml::Value)| {
        let folder = says(entry, "path");
        folder.is_some_and(|folder| fork.folder == *folder.trim_start_matches("./"))
            && says(entry, "package").unwrap_or_else(|| name.clone()) == fork.krate
    };
    if patches.iter().any(is_its) {
        return format!(
            "if Cargo.lock has another version: `cargo update --package {} --precise {}`; else see to `exclude` and the \
             requirements in the Cargo.toml files",
            fork.krate, fork.version
        );
    }
    format!(
        "add `{}` to [patch.crates-io] in Cargo.toml, then `cargo metadata > /dev/null` to renew Cargo.lock",
        fork.patch_line()
    )
}
