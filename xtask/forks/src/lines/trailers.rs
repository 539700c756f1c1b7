//! What the message of a commit lacks that does not say which patch it is.

use crate::new;
use crate::series::{Patch, Series};

/// How to mend such a commit on `branch`, where other commits say that they are the patches `named`: with the trailers
/// of each patch that the branch should have and has not, ready to be pasted.
pub(super) fn mend(series: &Series, branch: &str, named: &[String]) -> String {
    let belongs = |patch: &&Patch| match branch.strip_prefix("patch/") {
        Some(id) => patch.id == id,
        None => patch.on_main(),
    };
    let missing: Vec<&Patch> =
        series.patches.iter().filter(belongs).filter(|patch| !named.contains(&patch.id)).collect();
    let reword = "(`git commit --amend` or `git rebase -i`)";
    if missing.is_empty() {
        return format!(
            "squash it into its patch {reword}; for a patch of its own, `cargo xtask new {} PATCH_ID` and its message",
            series.fork.name
        );
    }
    let blocks = missing.into_iter().map(|patch| format!("\n\n{}", lines(patch)));
    let ask =
        format!("squash it into its patch, or end its message with the trailers of the patch that it is {reword}:");
    ask + &blocks.collect::<String>()
}

/// The trailers of the patch as its file has them, or as it was begun with.
fn lines(patch: &Patch) -> String {
    match &patch.file {
        Some(file) => file.description.trailer_lines().to_owned(),
        None => new::blank(patch).trim().to_owned(),
    }
}
