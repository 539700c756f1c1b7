//! The shuffled order of the arms in each block, a function of the plan's seed alone:
//! Fisher-Yates, for the reason that [`crate::random`] gives.

use crate::random::SplitMix64;

/// The order in which `arms` arms run in `block` of `case`: a permutation of `0..arms`.
pub fn order(seed: u64, case: usize, block: usize, arms: usize) -> Vec<usize> {
    let mut state = SplitMix64(seed);
    let mut state = SplitMix64(state.draw() ^ (case as u64));
    let mut state = SplitMix64(state.draw() ^ (block as u64));
    let mut order: Vec<usize> = (0..arms).collect();
    for last in (1..arms).rev() {
        order.swap(last, state.below(last as u64 + 1) as usize);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn the_seed_alone_decides() {
        assert_eq!(order(7, 1, 3, 6), order(7, 1, 3, 6));
        // Pinned: a receipt's seed must give its order in every later release.
        assert_eq!(order(1, 0, 0, 5), [3, 2, 1, 4, 0]);
        let blocks: Vec<_> = (0..20).map(|block| order(7, 0, block, 6)).collect();
        assert!(blocks.windows(2).any(|pair| pair[0] != pair[1]));
        assert_ne!(order(7, 0, 0, 12), order(8, 0, 0, 12));
        assert_ne!(order(7, 0, 0, 12), order(7, 1, 0, 12));
    }

    #[test]
    fn every_order_is_about_as_frequent() {
        let mut seen: BTreeMap<Vec<usize>, u32> = BTreeMap::new();
        for block in 0..6000 {
            *seen.entry(order(42, 0, block, 3)).or_default() += 1;
        }
        assert_eq!(seen.len(), 6);
        // 1000 expected, standard deviation 29.
        assert!(seen.values().all(|&n| (870..1130).contains(&n)), "{seen:?}");
    }
}
