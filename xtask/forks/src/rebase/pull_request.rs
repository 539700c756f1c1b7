//! The text for a pull request that carries a fork to another release.

use std::fmt::Write;

use super::is_downgrade;
use super::state::State;
use crate::layout::Layout;
use crate::port::{LostHunk, Verdict};
use crate::series::Series;
use crate::store::Store;
use crate::{Fork, Forks, Result};

/// Markdown: what became of each patch, what is to be read, and a range-diff for each. They are paired by the patches'
/// names, so that no change, however large, is taken for one patch gone and another come.
pub(super) fn text(forks: &Forks, fork: &Fork, store: &Store, old: &Series, state: &State) -> Result<String> {
    let old_version = &old.fork.version;
    let downgrade = if is_downgrade(&old.fork, &fork.version) { ", a downgrade" } else { "" };
    let mut text =
        format!("# {} {old_version} to {}{downgrade}\n\n| patch | carried |\n| --- | --- |\n", fork.name, fork.version);
    for done in &state.done {
        let _ = writeln!(text, "| `{}` | {} |", done.id, describe(&done.verdict));
    }
    for (id, lost) in state.done.iter().filter_map(|done| Some((&done.id, lost(&done.verdict)?))) {
        let _ = write!(
            text,
            "\n`{id}`: the merge did not carry these lines over as they were; upstream may have them already, or others in \
             their place:\n\n"
        );
        for hunk in lost {
            let _ = writeln!(text, "- {} {}", hunk.file, hunk.place);
            if !hunk.lines.is_empty() {
                let lines: String = hunk.lines.iter().map(|line| format!("  {line}\n")).collect();
                let _ = write!(text, "  ```diff\n{lines}  ```\n");
            }
        }
    }
    let series = forks.series(fork)?;
    let places = |layout: &mut Layout| layout.at_home();
    let before = places(&mut Layout::open(forks, store, old)?)?;
    let after = places(&mut Layout::open(forks, store, &series)?)?;
    let mut diffs = String::new();
    for (id, below, commit) in after {
        if let Some((_, old_below, old_commit)) = before.iter().find(|(old, ..)| *old == id) {
            diffs += &range_diff(store, [&old_below.id, &old_commit.id, &below.id, &commit.id], &id)?;
        }
    }
    Ok(if diffs.is_empty() { text } else { format!("{text}\n```diff\n{diffs}```\n") })
}

fn describe(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Clean => "unchanged".into(),
        Verdict::Merged { lost, moved } => {
            let moved = moved.iter().map(|(from, to)| format!("; {from} is now {to}")).collect::<String>();
            format!("merged{moved}{}", see_below(lost))
        }
        Verdict::Resolved { lost } => format!("merged by hand{}", see_below(lost)),
        Verdict::Dropped => "left out: its file is deleted".into(),
        Verdict::Upstream => "already upstream".into(),
        Verdict::Conflict { .. } | Verdict::Gone { .. } | Verdict::NotTried { .. } => "not carried".into(),
    }
}

fn see_below(lost: &[LostHunk]) -> &'static str {
    if lost.is_empty() { "" } else { "; lines were lost, see below" }
}

fn lost(verdict: &Verdict) -> Option<&[LostHunk]> {
    match verdict {
        Verdict::Merged { lost, .. } | Verdict::Resolved { lost } if !lost.is_empty() => Some(lost),
        _ => None,
    }
}

/// One patch before and after: `=` for the same change, else what differs between the two diffs.
fn range_diff(store: &Store, [old_below, old, below, new]: [&str; 4], id: &str) -> Result<String> {
    let (before, after) = (format!("{old_below}..{old}"), format!("{below}..{new}"));
    let args = ["range-diff", "--no-color", "--creation-factor=999", &before, &after];
    let out = store.git().call(args).text()?;
    let mut lines = out.lines();
    let head = lines.next().unwrap_or_default();
    let word = if head.contains(" = ") { "=" } else { "!" };
    let body: String = lines.map(|line| format!("{}\n", line.trim_end())).collect();
    Ok(format!("{word} {id}\n{body}"))
}
