//! Names of arms and the sets of patches that they stand for. Knows the pins, and nothing of how an arm is built.

use bench_core::arm::{ALL, NONE, UPSTREAM};
use bench_core::role::Role;
use forks::{Measured, Pins};
use thiserror::Error;

/// An arm before it is built.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ArmSpec {
    /// As it was asked for.
    pub(crate) name: String,
    /// Ids of its measured patches, in the order of the forks and their series.
    pub(crate) patches: Vec<String>,
    /// What it is for.
    pub(crate) role: Role,
    /// By what seed its functions are shuffled, if they are.
    pub(crate) layout: Option<u64>,
}

impl ArmSpec {
    /// Whether the arm has no fork at all.
    pub(crate) fn is_upstream(&self) -> bool {
        self.name == UPSTREAM
    }
}

/// A name that stands for no arm.
#[derive(Debug, Error, PartialEq, Eq)]
#[error(
    "no arm is called `{name}`: `{part}` is no measured patch; there are {known}, and arms are upstream, none, ship, all, +PATCH, all-PATCH, PATCH+PATCH"
)]
pub(crate) struct UnknownArm {
    name: String,
    part: String,
    known: String,
}

/// Reads an arm's name: `upstream`, `none`, `ship`, `all`, `+a1`, `all-a1`, `a1+d4`, with short names or ids of patches.
pub(crate) fn parse(name: &str, pins: &Pins) -> Result<ArmSpec, UnknownArm> {
    let measured: Vec<&Measured> = pins.forks.iter().flat_map(|fork| &fork.measured).collect();
    let find = |part: &str| match measured.iter().find(|patch| patch.short == part || patch.id == part) {
        Some(patch) => Ok(patch.id.clone()),
        None => Err(UnknownArm {
            name: name.to_owned(),
            part: part.to_owned(),
            known: measured.iter().map(|patch| patch.short.as_str()).collect::<Vec<_>>().join(", "),
        }),
    };
    let in_all = |patch: &Measured| !pins.not_in_all.iter().any(|out| *out == patch.id || *out == patch.short);
    let ids = |keep: &dyn Fn(&Measured) -> bool| {
        measured.iter().filter(|patch| keep(patch)).map(|patch| patch.id.clone()).collect()
    };
    let wanted: Vec<String> = match name {
        UPSTREAM | NONE => Vec::new(),
        "ship" => ids(&|patch| patch.ships),
        "all" => ids(&in_all),
        _ => match name.strip_prefix("all-") {
            Some(part) => {
                let left_out = find(part)?;
                ids(&|patch| in_all(patch) && patch.id != left_out)
            }
            None => name.strip_prefix('+').unwrap_or(name).split('+').map(find).collect::<Result<_, _>>()?,
        },
    };
    let patches = measured.iter().map(|patch| patch.id.clone()).filter(|id| wanted.contains(id)).collect();
    Ok(ArmSpec { name: name.to_owned(), patches, role: Role::Plain, layout: None })
}

/// The name of the arm with this set of measured patches: what [`parse`] reads as the same set.
pub(crate) fn name_of(set: &[String], pins: &Pins) -> String {
    if set.len() > 1 && parse(ALL, pins).is_ok_and(|all| all.patches == set) {
        return ALL.to_owned();
    }
    let measured = pins.forks.iter().flat_map(|fork| &fork.measured);
    let shorts: Vec<&str> =
        measured.filter(|patch| set.contains(&patch.id)).map(|patch| patch.short.as_str()).collect();
    match shorts.as_slice() {
        [] => NONE.to_owned(),
        [one] => format!("+{one}"),
        more => more.join("+"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pins() -> Pins {
        let fork = |name: &str, patches: &[(&str, bool)]| {
            let patches = patches.iter().map(|(id, ships)| {
                let short = id.split('-').next().unwrap();
                format!("[[fork.measured]]\nid = \"{id}\"\nshort = \"{short}\"\nships = {ships}\n")
            });
            let (sha256, commit) = ("a".repeat(64), "b".repeat(40));
            format!(
                "[[fork]]\ncrate = \"{name}\"\nversion = \"1.0.0\"\nsha256 = \"{sha256}\"\ncommit = \"{commit}\"\nrepository = \"https://example.org/{name}\"\nfolder = \"extern/{name}\"\n{}",
                patches.collect::<String>()
            )
        };
        let one = fork("one", &[("a1-x", true), ("a2-y", false)]);
        let two = fork("two", &[("a4-z", false), ("g2-w", true)]);
        Pins::parse(&format!("not-in-all = [\"a4\"]\n{one}{two}")).unwrap()
    }

    #[test]
    fn names_stand_for_sets() {
        let pins = pins();
        for (name, patches) in [
            ("upstream", ""),
            ("none", ""),
            ("ship", "a1-x g2-w"),
            ("all", "a1-x a2-y g2-w"),
            ("all-a1", "a2-y g2-w"),
            ("+a4", "a4-z"),
            ("g2+a1", "a1-x g2-w"),
            ("+a2-y", "a2-y"),
        ] {
            assert_eq!(parse(name, &pins).unwrap().patches.join(" "), patches, "{name}");
        }
    }

    #[test]
    fn a_set_has_the_name_that_stands_for_it() {
        let pins = pins();
        for (set, name) in [("", "none"), ("a4-z", "+a4"), ("a1-x g2-w", "a1+g2"), ("a1-x a2-y g2-w", "all")] {
            let set: Vec<String> = set.split_whitespace().map(str::to_owned).collect();
            assert_eq!(name_of(&set, &pins), name);
            assert_eq!(parse(name, &pins).unwrap().patches, set);
        }
    }

    #[test]
    fn others_are_refused_by_the_part_that_is_wrong() {
        for (name, part) in [("+zz", "zz"), ("a1+zz", "zz"), ("all-zz", "zz"), ("", ""), ("nothing", "nothing")] {
            assert_eq!(parse(name, &pins()).unwrap_err().part, part);
        }
    }
}
