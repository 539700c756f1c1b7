//! Holm's step-down correction ("A simple sequentially rejective multiple test procedure", 1979): of many effects that are
//! none, the probability to call any of them one stays at 5 %, however they depend on each other.

const LEVEL: f64 = 0.05;

/// What the correction makes of one p-value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Decision {
    /// It is an effect.
    pub(super) effect: bool,
    /// The level that its p-value was held against.
    pub(super) level: f64,
}

/// One decision for each p-value, in their order.
pub(super) fn holm(p_values: &[f64]) -> Vec<Decision> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut decisions = vec![Decision { effect: false, level: LEVEL }; p_values.len()];
    let mut effect = true;
    for (rank, &at) in order.iter().enumerate() {
        let level = LEVEL / (p_values.len() - rank) as f64;
        effect &= p_values[at] <= level;
        decisions[at] = Decision { effect, level };
    }
    decisions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_steps_down_and_stops() {
        let effects: Vec<bool> = holm(&[0.01, 0.04, 0.03, 0.005]).iter().map(|decision| decision.effect).collect();
        // 0.005 <= 0.05/4 and 0.01 <= 0.05/3, but 0.03 > 0.05/2; and then 0.04, though below 0.05, is not reached.
        assert_eq!(effects, [true, false, false, true]);
        assert!((holm(&[0.01, 0.04])[1].level - 0.05).abs() < 1e-15);
        assert_eq!(holm(&[]), []);
    }
}
