//! Warnings that a fork, or an arm of it, has and its release lacks, wherever their lines stand.

use forks::{Patch, Series, verify::Finding};

use super::{blame, compile::Warning, edit, finding};

pub(super) const CHECK: &str = "warnings";

/// What to tell of the warnings that the fork has with these patches of its series, given the release's.
pub(super) fn findings(series: &Series, patches: &[&Patch], release: Vec<Warning>, ours: Vec<Warning>) -> Vec<Finding> {
    added(ours, release).iter().map(|warning| told(series, patches, warning)).collect()
}

/// The warnings that `after` has more often than `before`: those at lines that `before` lacks, if they can be told.
fn added(mut after: Vec<Warning>, mut before: Vec<Warning>) -> Vec<Warning> {
    let alike = |a: &Warning, b: &Warning| (&a.code, &a.message) == (&b.code, &b.message);
    strike(&mut after, &mut before, |a, b| alike(a, b) && a.file == b.file && a.source == b.source);
    strike(&mut after, &mut before, alike);
    after
}

/// Takes from both what is the same in both, one for one.
fn strike(after: &mut Vec<Warning>, before: &mut Vec<Warning>, same: impl Fn(&Warning, &Warning) -> bool) {
    after.retain(|warning| match before.iter().position(|other| same(warning, other)) {
        Some(at) => {
            before.remove(at);
            false
        }
        None => true,
    });
}

fn told(series: &Series, patches: &[&Patch], warning: &Warning) -> Finding {
    let fork = &series.fork;
    let patch = blame::adding(patches, &warning.file, &warning.source);
    let lint = warning.code.as_ref().map(|code| format!(" ({code})")).unwrap_or_default();
    let message =
        format!("{}:{}: {}{lint}; the release lacks this warning", warning.file, warning.line, warning.message);
    let fix = format!("{}, mend the line, `cargo xtask export {}`", edit(fork, patch.as_deref()), fork.name);
    finding(CHECK, fork, patch, message, fix)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warning(message: &str, line: usize, source: &str) -> Warning {
        let (code, file) = (Some("lint".to_owned()), "src/lib.rs".to_owned());
        Warning { code, message: message.to_owned(), file, line, source: source.to_owned() }
    }

    #[test]
    fn a_warning_that_only_moved_is_none() {
        assert_eq!(added(vec![warning("m", 9, "x")], vec![warning("m", 3, "x")]), []);
        // Nor one whose line was written anew, since the release warns of the same.
        assert_eq!(added(vec![warning("m", 9, "y")], vec![warning("m", 3, "x")]), []);
    }

    #[test]
    fn one_more_of_the_same_is_told_by_its_own_line() {
        let after = vec![warning("m", 1, "new"), warning("m", 5, "old"), warning("other", 7, "x")];
        let found = added(after, vec![warning("m", 4, "old")]);
        assert_eq!(found, [warning("m", 1, "new"), warning("other", 7, "x")]);
    }
}
