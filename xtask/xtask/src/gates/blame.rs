//! Which patch wrote or removed a line. Reads the diffs in the patch files; a line that several patches name is nobody's.

use forks::{Patch, Series};

/// The patches on the main line.
pub(super) fn main_line(series: &Series) -> Vec<&Patch> {
    series.patches.iter().filter(|patch| patch.on_main()).collect()
}

/// The one of the patches that adds the line `source` to `file`.
pub(super) fn adding(patches: &[&Patch], file: &str, source: &str) -> Option<String> {
    only(patches, |diff| changes(diff, "+++ b/", file, '+', source))
}

/// The one of the patches that removes the line `source` from `file`.
pub(super) fn removing(patches: &[&Patch], file: &str, source: &str) -> Option<String> {
    only(patches, |diff| changes(diff, "--- a/", file, '-', source))
}

fn only(patches: &[&Patch], names: impl Fn(&str) -> bool) -> Option<String> {
    let mut found = patches.iter().filter(|patch| {
        let diff = patch.file.as_ref().map(|file| String::from_utf8_lossy(&file.diff));
        diff.is_some_and(|diff| names(&diff))
    });
    let first = found.next()?;
    found.next().is_none().then(|| first.id.clone())
}

/// Whether a hunk of `file`, which the diff names after `prefix`, has the line with this sign.
fn changes(diff: &str, prefix: &str, file: &str, sign: char, source: &str) -> bool {
    let mut is_in_file = false;
    diff.lines().any(|line| {
        if let Some(name) = line.strip_prefix(prefix) {
            is_in_file = name == file;
        }
        is_in_file && !source.trim().is_empty() && line.strip_prefix(sign) == Some(source)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_belongs_to_the_file_whose_hunk_has_it() {
        let diff = "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n-old\n+new\n--- a/src/b.rs\n+++ b/src/b.rs\n@@ -1 +1 @@\n-x\n+y\n";
        assert!(changes(diff, "+++ b/", "src/a.rs", '+', "new"));
        assert!(changes(diff, "--- a/", "src/b.rs", '-', "x"));
        assert!(!changes(diff, "+++ b/", "src/b.rs", '+', "new"));
        assert!(!changes(diff, "+++ b/", "src/a.rs", '+', "old"));
        assert!(!changes(diff, "+++ b/", "src/a.rs", '+', ""));
    }
}
