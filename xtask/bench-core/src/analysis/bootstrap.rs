//! The percentile bootstrap over whole blocks (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13):
//! a cross-check of the t interval that assumes no distribution. With few blocks it is somewhat too narrow, so no verdict
//! hangs on it.

use std::collections::BTreeMap;

use crate::random::SplitMix64;

const RESAMPLES: usize = 10_000;
/// A receipt must give the same interval for ever.
const SEED: u64 = 0x0063_757a_6b21;

/// The resamples, drawn once for each number of blocks: all figures of a campaign share them.
#[derive(Default)]
pub(super) struct Bootstrap {
    /// Number of blocks → the first block of every resample, then the second of every one, and so on: sums over resamples
    /// side by side are several times faster than one after the other.
    drawn: BTreeMap<usize, Vec<u16>>,
}

impl Bootstrap {
    /// 95 % interval of the mean of `values`, one for each block; absent with a single block.
    pub(super) fn interval(&mut self, values: &[f64]) -> Option<(f64, f64)> {
        let blocks = values.len();
        if blocks < 2 {
            return None;
        }
        // Counts that are the same in every run need no resampling.
        if values.iter().all(|value| *value == values[0]) {
            return Some((values[0], values[0]));
        }
        let drawn = self.drawn.entry(blocks).or_insert_with(|| draw(blocks));
        let mut means = vec![0.0; RESAMPLES];
        for place in drawn.chunks_exact(RESAMPLES) {
            means.iter_mut().zip(place).for_each(|(mean, &at)| *mean += values[usize::from(at)]);
        }
        means.iter_mut().for_each(|mean| *mean /= blocks as f64);
        let outside = RESAMPLES / 40;
        let (_, &mut high, _) = means.select_nth_unstable_by(RESAMPLES - 1 - outside, f64::total_cmp);
        let (_, &mut low, _) = means[..RESAMPLES - outside].select_nth_unstable_by(outside, f64::total_cmp);
        Some((low, high))
    }
}

/// The upper half of a draw as a fraction of the blocks: some are likelier than others by one in 2³².
fn draw(blocks: usize) -> Vec<u16> {
    let mut random = SplitMix64(SEED);
    (0..RESAMPLES * blocks).map(|_| (((random.draw() >> 32) * blocks as u64) >> 32) as u16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_that_of_the_mean() {
        let mut bootstrap = Bootstrap::default();
        // 200 values with standard deviation 1/sqrt(12) about 0.5: the mean's is 0.0204, its 95 % interval ±0.040.
        let values: Vec<f64> = (0..200).map(|i| (f64::from(i) + 0.5) / 200.0).collect();
        let (low, high) = bootstrap.interval(&values).unwrap();
        assert!((0.457..0.463).contains(&low) && (0.537..0.543).contains(&high), "{low} {high}");
        assert_eq!(bootstrap.interval(&values), Some((low, high)));
        assert_eq!(bootstrap.interval(&[3.0, 3.0]), Some((3.0, 3.0)));
        assert_eq!(bootstrap.interval(&[3.0]), None);
    }
}
