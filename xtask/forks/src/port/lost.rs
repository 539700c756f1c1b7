//! Hunks that a merge swallowed: compares what a patch changed before and after. Pure text.

use std::collections::HashMap;

use super::LostHunk;

/// The hunks of the diff `before` of which some line is added or removed no more in the diff `after`. Blank lines, which
/// tell nothing, are left out.
pub(super) fn hunks(before: &str, after: &str) -> Vec<LostHunk> {
    let mut found: HashMap<&str, usize> = HashMap::new();
    for line in parse(after).into_iter().flat_map(|hunk| hunk.lines) {
        *found.entry(line).or_default() += 1;
    }
    let mut lost = Vec::new();
    for hunk in parse(before) {
        let mut lines = Vec::new();
        for line in hunk.lines {
            match found.get_mut(line) {
                Some(count @ 1..) => *count -= 1,
                _ => lines.push(line.to_owned()),
            }
        }
        if !lines.is_empty() {
            lost.push(LostHunk { file: hunk.file.to_owned(), place: hunk.place.to_owned(), lines });
        }
    }
    lost
}

struct Hunk<'a> {
    file: &'a str,
    place: &'a str,
    lines: Vec<&'a str>,
}

/// The hunks of a diff without context.
fn parse(diff: &str) -> Vec<Hunk<'_>> {
    let mut hunks: Vec<Hunk> = Vec::new();
    let (mut file, mut is_body) = ("", false);
    for line in diff.lines() {
        if let Some(names) = line.strip_prefix("diff --git ") {
            // Both names, the old one first; they differ only for a rename.
            file = names.split(" b/").next().unwrap_or(names).trim_start_matches("a/");
            is_body = false;
        } else if let Some(rest) = line.strip_prefix("@@ ") {
            let end = rest.find(" @@").map_or(rest.len(), |at| at + 3);
            hunks.push(Hunk { file, place: &line[..end + 3], lines: Vec::new() });
            is_body = true;
        } else if is_body
            && line.starts_with(['+', '-'])
            && !line[1..].trim().is_empty()
            && let Some(hunk) = hunks.last_mut()
        {
            hunk.lines.push(line);
        }
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str =
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -2 +2 @@ fn\n-two\n+zwei\n@@ -9,0 +10,2 @@\n+neun\n+\n";

    #[test]
    fn nothing_is_lost_when_lines_only_move() {
        let after = BEFORE.replace("-2 +2", "-7 +7").replace("a/x b/x", "a/y b/y");
        assert_eq!(hunks(BEFORE, &after), []);
    }

    #[test]
    fn a_hunk_that_went_is_told_with_its_place_and_lines() {
        let after = BEFORE.replace("@@ -9,0 +10,2 @@\n+neun\n+\n", "");
        let lost = LostHunk { file: "x".into(), place: "@@ -9,0 +10,2 @@".into(), lines: vec!["+neun".into()] };
        assert_eq!(hunks(BEFORE, &after), [lost]);
    }

    #[test]
    fn a_line_that_is_changed_twice_must_be_found_twice() {
        let twice = format!("{BEFORE}@@ -20 +21 @@\n+neun\n");
        assert_eq!(hunks(&twice, BEFORE).len(), 1);
    }
}
