//! The README's table of patches.

use anyhow::{Result, bail};

use super::measured::{NOTE, lines};
use super::{Described, Kept, README};

const BEGIN: &str = "<!-- The table is written by `cargo xtask report`. -->\n";
const END: &str = "<!-- The table ends. -->\n";

/// A row a patch: what it does, what was measured of it, whether it ships.
pub(super) fn table(patches: &[Described], kept: &[Kept]) -> String {
    let mut text = "| patch | fork | what it does | measured | ships |\n| --- | --- | --- | --- | --- |\n".to_owned();
    for patch in patches {
        let id = &patch.evidence;
        let lines = lines(id, kept);
        // A first look says nothing beside a campaign.
        let is_judged = lines.iter().any(|line| line.is_judged);
        let lines = lines.iter().filter(|line| line.is_judged || !is_judged);
        let measured: Vec<String> = lines.map(|line| format!("{}: {}", line.case, line.words)).collect();
        let measured = if measured.is_empty() { "not yet".to_owned() } else { measured.join("<br>") };
        let ships = if patch.ships { "yes" } else { "no" };
        let because = patch.because.as_ref().map(|because| format!(": {because}")).unwrap_or_default();
        text += &format!("| `{}` | {} | {} | {measured} | {ships}{because} |\n", id.patch, id.fork, patch.subject);
    }
    text
}

/// The README with this table between its marks.
pub(super) fn in_readme(readme: &str, table: &str) -> Result<String> {
    let parts = readme.split_once(BEGIN).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let Some((before, after)) = parts else {
        bail!("{README} has no place for the table of patches: put back the lines\n{BEGIN}{END}");
    };
    Ok(format!("{before}{BEGIN}\n{table}\n{NOTE}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_marks_changes() {
        let readme = format!("before\n{BEGIN}\nold\n{END}after\n");
        let new = in_readme(&readme, "| new |\n").unwrap();
        assert_eq!(new, format!("before\n{BEGIN}\n| new |\n\n{NOTE}\n{END}after\n"));
        assert_eq!(in_readme(&new, "| new |\n").unwrap(), new);
        for cut in [BEGIN, END, "no marks"] {
            assert!(in_readme(&readme.replace(cut, ""), "").is_ok() == (cut == "no marks"), "{cut}");
        }
    }
}
