//! Which sets of patches a campaign measures, so that what each is worth can be told from what two are worth together.
//! Pure; knows neither pins nor how an arm is called.

use std::collections::BTreeSet;

/// A way to choose sets of n patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    /// None, and each patch alone: n + 1 arms.
    Single,
    /// None, all, and all but each: n + 2 arms.
    LeaveOneOut,
    /// None, each two, all but each, and all: 17 arms for five patches. Main effects, interactions and shares are
    /// identified with one arm to spare; below four patches only the full factorial does that.
    Pairs,
    /// Every set: 2ⁿ arms.
    Full,
}

/// As they are asked for.
pub(crate) const NAMES: [(&str, Scheme); 4] = [
    ("single", Scheme::Single),
    ("leave-one-out", Scheme::LeaveOneOut),
    ("pairs", Scheme::Pairs),
    ("full", Scheme::Full),
];

/// A full factorial of more would not end.
pub(crate) const MOST_IN_FULL: usize = 6;

impl Scheme {
    pub(crate) fn named(name: &str) -> Option<Self> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, scheme)| *scheme)
    }

    /// The sets, each in the order of `patches`, the empty one first and the whole last; none twice.
    pub(crate) fn sets(self, patches: &[String]) -> Vec<Vec<String>> {
        let n = patches.len();
        let sizes: BTreeSet<usize> = match self {
            Self::Single => [0, 1].into(),
            Self::LeaveOneOut => [0, n.saturating_sub(1), n].into(),
            Self::Pairs if n > 3 => [0, 2, n - 1, n].into(),
            Self::Pairs | Self::Full => (0..=n).collect(),
        };
        let sizes = sizes.into_iter().filter(|size| *size <= n);
        sizes.flat_map(|size| chosen(patches, size)).collect()
    }
}

/// Every way to choose `size` of these.
fn chosen(patches: &[String], size: usize) -> Vec<Vec<String>> {
    match patches.split_first() {
        _ if size == 0 => vec![Vec::new()],
        None => Vec::new(),
        Some((first, rest)) => {
            let with = chosen(rest, size - 1).into_iter().map(|set| [vec![first.clone()], set].concat());
            with.chain(chosen(rest, size)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(scheme: Scheme, patches: &str) -> Vec<String> {
        let patches: Vec<String> = patches.chars().map(String::from).collect();
        scheme.sets(&patches).iter().map(|set| set.concat()).collect()
    }

    #[test]
    fn each_scheme_has_its_sets() {
        assert_eq!(sets(Scheme::Single, "abc"), ["", "a", "b", "c"]);
        assert_eq!(sets(Scheme::LeaveOneOut, "abc"), ["", "ab", "ac", "bc", "abc"]);
        assert_eq!(sets(Scheme::Full, "ab"), ["", "a", "b", "ab"]);
        assert_eq!(sets(Scheme::Pairs, "ab"), ["", "a", "b", "ab"]);
        assert_eq!(
            sets(Scheme::Pairs, "abcde").join(" "),
            " ab ac ad ae bc bd be cd ce de abcd abce abde acde bcde abcde"
        );
    }

    #[test]
    fn no_set_is_there_twice() {
        for (scheme, patches) in [(Scheme::LeaveOneOut, "a"), (Scheme::LeaveOneOut, ""), (Scheme::Pairs, "abcd")] {
            let sets = sets(scheme, patches);
            assert_eq!(sets.iter().collect::<BTreeSet<_>>().len(), sets.len(), "{sets:?}");
        }
        assert_eq!(sets(Scheme::Pairs, "abcd").len(), 12);
        assert_eq!(sets(Scheme::Pairs, "abcdef").len(), 23);
    }
}
