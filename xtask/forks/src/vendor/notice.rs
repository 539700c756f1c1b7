//! The notice in a vendored crate: what it is, who changed what, and under which licence.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::Fork;
use crate::series::Patch;

/// Its name in the crate's folder.
pub(super) const FILE: &str = "PATCHES.md";
/// The folder of the patch files beside it.
pub(super) const PATCHES: &str = "patches";
/// What the names of files begin with that hold a licence or belong to one.
const LICENCES: &[&str] = &["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];

/// What every notice says first, after its title.
const OPENING: &str = "This is the crate ";

/// Whether the folder of a crate has such a notice.
pub(super) fn is_in(folder: &Path) -> bool {
    let text = fs::read_to_string(folder.join(FILE)).unwrap_or_default();
    text.lines().nth(2).is_some_and(|line| line.starts_with(OPENING))
}

/// What the notice is about.
pub(super) struct Notice<'a> {
    pub(super) fork: &'a Fork,
    /// The patches applied, in order.
    pub(super) patches: Vec<&'a Patch>,
    /// The files that differ from the release: path, blob before, blob after.
    pub(super) changed: Vec<(String, String, String)>,
    /// The files written.
    pub(super) files: Vec<&'a str>,
    /// Files of the release that were not written.
    pub(super) left_out: Vec<&'a str>,
    /// The text of its Cargo.toml.
    pub(super) manifest: String,
}

impl Notice<'_> {
    /// The whole notice.
    pub(super) fn text(&self) -> String {
        let mut text = self.head();
        if !self.patches.is_empty() {
            text += &self.patch_list();
            text += &self.changes();
        }
        if !self.left_out.is_empty() {
            text += "\n## Left out\n\nrustup would obey these in this folder; your workspace has its own choice.\n\n";
            text += &list(self.left_out.iter().map(|path| format!("`{path}`")));
        }
        text
    }

    fn head(&self) -> String {
        let fork = self.fork;
        let (title, what, by) = if self.patches.is_empty() {
            ("unmodified", "No patch on it ships: its files are those of the release.", String::new())
        } else {
            let what = "It was modified: the patches below are applied, in this order.";
            ("modified", what, format!("- modified by: {}\n", self.authors()))
        };
        format!(
            "# {name} {version}, {title}\n\n{OPENING}{name} {version} from crates-io. {what}\n\n\
             - release: SHA-256 `{sum}` (the checksum on crates-io)\n\
             - upstream commit: `{commit}` of {repository}\n- licence: {licence}\n{by}",
            name = fork.krate,
            version = fork.version,
            sum = fork.sha256,
            commit = fork.commit,
            repository = fork.repository,
            licence = self.licence(),
        )
    }

    /// What its Cargo.toml says, and the files that the release has.
    fn licence(&self) -> String {
        let manifest = self.manifest.parse::<toml::Table>().unwrap_or_default();
        let field = |key: &str| manifest.get("package")?.get(key)?.as_str().map(str::to_owned);
        let named = field("license").or_else(|| field("license-file").map(|file| format!("see `{file}`")));
        let named =
            named.map_or_else(|| "none named in its Cargo.toml".to_owned(), |name| format!("{name} (its Cargo.toml)"));
        let is_licence = |path: &&&str| LICENCES.iter().any(|start| path.to_uppercase().starts_with(start));
        let files: Vec<String> = self.files.iter().filter(is_licence).map(|path| format!("`{path}`")).collect();
        match files.as_slice() {
            [] => format!("{named}; the release has no licence file"),
            files => format!("{named}; {}", files.join(", ")),
        }
    }

    /// The authors of the patches, each once, in order.
    fn authors(&self) -> String {
        let mut seen = BTreeSet::new();
        let names = self.patches.iter().flat_map(|patch| &patch.file).map(|file| file.description.name.as_str());
        names.filter(|name| seen.insert(*name)).collect::<Vec<_>>().join(", ")
    }

    fn patch_list(&self) -> String {
        let line = |patch: &&Patch| {
            let said = &patch.file.as_ref()?.description;
            let status = said.trailer("Upstream-Status").unwrap_or_else(|| "none".into());
            Some(format!("{}: [`{1}`]({PATCHES}/{1}.patch), Upstream-Status: {status}", said.subject, patch.id))
        };
        format!("\n## Patches (subject, Patch-Id, Upstream-Status)\n\n{}", list(self.patches.iter().filter_map(line)))
    }

    fn changes(&self) -> String {
        let is_none = |blob: &str| blob.bytes().all(|byte| byte == b'0');
        let line = |(path, before, after): &(String, String, String)| {
            let how = match (is_none(before), is_none(after)) {
                (true, _) => "added",
                (_, true) => "removed",
                _ => "changed",
            };
            let by = self.touching(path);
            if by.is_empty() { format!("`{path}`: {how}") } else { format!("`{path}`: {how} by {}", by.join(", ")) }
        };
        format!(
            "\n## Files changed\n\nThe notice that section 4(b) of the Apache License 2.0 asks for: of the files here, these are \
             not as\nupstream released them.\n\n{}",
            list(self.changed.iter().map(line))
        )
    }

    /// The patches whose diff names `path`.
    fn touching(&self, path: &str) -> Vec<String> {
        let head = format!("diff --git a/{path} b/{path}").into_bytes();
        let names = |patch: &&&Patch| {
            let mut files = patch.file.iter();
            files.any(|file| file.diff.split(|byte| *byte == b'\n').any(|line| *line == head))
        };
        self.patches.iter().filter(names).map(|patch| format!("`{}`", patch.id)).collect()
    }
}

fn list(lines: impl Iterator<Item = String>) -> String {
    lines.map(|line| format!("- {line}\n")).collect()
}
