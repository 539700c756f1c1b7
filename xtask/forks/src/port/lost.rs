//! Hunks that a merge swallowed: compares what a patch changed before and after. Pure text.

use std::collections::{HashMap, HashSet};

use super::LostHunk;

/// The hunks of the diff `before` of which some line is added or removed no more in the diff `after`, and its changes
/// of modes and of binary files that are not in `after`; `renamed` says what `after` calls a file. Blank lines, which tell
/// nothing, are left out.
pub(super) fn hunks(before: &str, after: &str, renamed: &HashMap<String, String>) -> Vec<LostHunk> {
    let after = parse(after);
    let mut found: HashMap<&str, usize> = HashMap::new();
    for line in after.iter().flat_map(|hunk| &hunk.lines) {
        *found.entry(line).or_default() += 1;
    }
    let mut lost = Vec::new();
    for hunk in parse(before) {
        let file = renamed.get(hunk.file).map_or(hunk.file, String::as_str);
        let is_there = after.iter().any(|other| other.file == file && other.whole == hunk.whole);
        let mut lines = Vec::new();
        for line in hunk.lines {
            match found.get_mut(line) {
                Some(count @ 1..) => *count -= 1,
                _ => lines.push(line.to_owned()),
            }
        }
        if !lines.is_empty() || (hunk.whole.is_some() && !is_there) {
            lost.push(LostHunk { file: hunk.file.to_owned(), place: hunk.place.to_owned(), lines });
        }
    }
    lost
}

/// Takes out the lines whose removal is lost only because no file of the result, in `texts`, has them any more.
pub(super) fn forget_removed(lost: &mut Vec<LostHunk>, texts: &[String]) {
    let left: HashSet<&str> = texts.iter().flat_map(|text| text.lines()).collect();
    lost.retain_mut(|hunk| {
        let had_lines = !hunk.lines.is_empty();
        hunk.lines.retain(|line| line.strip_prefix('-').is_none_or(|line| left.contains(line)));
        !had_lines || !hunk.lines.is_empty()
    });
}

struct Hunk<'a> {
    file: &'a str,
    place: &'a str,
    lines: Vec<&'a str>,
    /// For a change without lines, what it makes of the file: its mode, or its blobs before and after.
    whole: Option<&'a str>,
}

/// The hunks of a diff without context.
fn parse(diff: &str) -> Vec<Hunk<'_>> {
    let mut hunks: Vec<Hunk> = Vec::new();
    let (mut file, mut blobs, mut is_body) = ("", "", false);
    for line in diff.lines() {
        let whole = |place| Hunk { file, place, lines: Vec::new(), whole: Some(place) };
        if let Some(names) = line.strip_prefix("diff --git ") {
            // Both names, the old one first; they differ only for a rename.
            file = names.split(" b/").next().unwrap_or(names).trim_start_matches("a/");
            is_body = false;
        } else if let Some(rest) = line.strip_prefix("@@ ") {
            let end = rest.find(" @@").map_or(rest.len(), |at| at + 3);
            hunks.push(Hunk { file, place: &line[..end + 3], lines: Vec::new(), whole: None });
            is_body = true;
        } else if let Some(rest) = line.strip_prefix("index ") {
            blobs = rest.split(' ').next().unwrap_or(rest);
        } else if line.starts_with("new mode ") {
            hunks.push(whole(line));
        } else if line.starts_with("Binary files ") {
            hunks.push(Hunk { place: "(binary)", ..whole(blobs) });
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
        assert_eq!(hunks(BEFORE, &after, &HashMap::new()), []);
    }

    #[test]
    fn a_hunk_that_went_is_told_with_its_place_and_lines() {
        let after = BEFORE.replace("@@ -9,0 +10,2 @@\n+neun\n+\n", "");
        let lost = LostHunk { file: "x".into(), place: "@@ -9,0 +10,2 @@".into(), lines: vec!["+neun".into()] };
        assert_eq!(hunks(BEFORE, &after, &HashMap::new()), [lost]);
    }

    #[test]
    fn a_line_that_is_changed_twice_must_be_found_twice() {
        let twice = format!("{BEFORE}@@ -20 +21 @@\n+neun\n");
        assert_eq!(hunks(&twice, BEFORE, &HashMap::new()).len(), 1);
    }

    #[test]
    fn a_removal_is_lost_only_where_the_line_is_left() {
        let all = hunks(BEFORE, "", &HashMap::new());
        for (text, left) in
            [("drei\n", vec![vec!["+zwei"], vec!["+neun"]]), ("two\n", vec![vec!["-two", "+zwei"], vec!["+neun"]])]
        {
            let mut lost = all.clone();
            forget_removed(&mut lost, &[text.to_owned()]);
            assert_eq!(lost.into_iter().map(|hunk| hunk.lines).collect::<Vec<_>>(), left);
        }
    }

    #[test]
    fn a_mode_and_a_binary_file_are_found_by_the_name_that_the_file_has_now() {
        let one =
            "diff --git a/x b/x\nold mode 100644\nnew mode 100755\nindex aa..bb\nBinary files a/x and b/x differ\n";
        let renamed = HashMap::from([("x".to_owned(), "y".to_owned())]);
        assert_eq!(hunks(one, &one.replace("a/x b/x", "a/y b/y"), &renamed), []);
        let places = |after: &str| hunks(one, after, &renamed).into_iter().map(|lost| lost.place).collect::<Vec<_>>();
        assert_eq!(places(one), ["new mode 100755", "(binary)"]);
        assert_eq!(places(&one.replace("a/x b/x", "a/y b/y").replace("bb", "cc")), ["(binary)"]);
    }
}
