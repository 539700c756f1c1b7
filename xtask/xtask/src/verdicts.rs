//! What became of patches on another release, as text; `rebase` and `outdated` share it.

use crate::output::say;
use forks::{LostHunk, Refusal, Verdict};

/// One line a patch, and what is to be read below it.
pub(crate) fn print(verdicts: &[(String, Verdict)]) {
    let width = verdicts.iter().map(|(id, _)| id.len()).max().unwrap_or(0);
    for (id, verdict) in verdicts {
        say!("  {id:width$}  {}", word(verdict));
        for line in details(verdict) {
            say!("  {:width$}    {line}", "");
        }
    }
    let stops = verdicts.iter().position(|(_, verdict)| verdict.stops());
    if let Some((id, _)) = stops.filter(|at| at + 1 < verdicts.len()).map(|at| &verdicts[at]) {
        say!("  what follows `{id}` was tried without it: a conflict there may come of that");
    }
}

/// Who requires another version.
pub(crate) fn print_refusals(refusals: &[Refusal]) {
    for Refusal { dependant, requirement, fix, .. } in refusals {
        say!("  {dependant} requires {requirement}: {fix}");
    }
}

fn word(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Clean => "clean".into(),
        Verdict::Merged { lost, .. } if lost.is_empty() => "merged".into(),
        Verdict::Merged { .. } => "merged, with lines lost".into(),
        Verdict::Upstream => "already upstream: can be dropped".into(),
        Verdict::Conflict { files, .. } => format!("conflict in {}", files.join(", ")),
        Verdict::Gone { .. } => "file gone".into(),
        Verdict::NotTried { needs } => format!("not tried: it requires {needs}"),
        Verdict::Resolved { lost } if lost.is_empty() => "merged by hand".into(),
        Verdict::Resolved { .. } => "merged by hand, with lines lost".into(),
        Verdict::Dropped => "left out".into(),
    }
}

fn details(verdict: &Verdict) -> Vec<String> {
    match verdict {
        Verdict::Merged { lost, moved } => {
            let moved = moved.iter().map(|(from, to)| format!("{from} is now {to}"));
            moved.chain(not_in_the_result(lost)).collect()
        }
        Verdict::Conflict { clashes, .. } => {
            let told = |path: &String| {
                format!(
                    "{path} is a file on one side and a folder on the other: the file is laid out as `{path}~…`; `git mv` or `git rm` it"
                )
            };
            clashes.iter().map(told).collect()
        }
        Verdict::Resolved { lost } => not_in_the_result(lost).collect(),
        Verdict::Gone { files } => {
            let told = |(file, place): &(String, Option<String>)| match place {
                Some(place) => format!("{file} is gone; its lines are most likely in {place} now"),
                None => format!("{file} is gone, and no file has its lines"),
            };
            files.iter().map(told).collect()
        }
        _ => Vec::new(),
    }
}

fn not_in_the_result(lost: &[LostHunk]) -> impl Iterator<Item = String> {
    lost.iter().flat_map(|hunk| {
        let head = format!("not in the result: {} {}", hunk.file, hunk.place);
        std::iter::once(head).chain(hunk.lines.iter().map(|line| format!("    {line}")))
    })
}
