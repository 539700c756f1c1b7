//! A generator of random numbers that never changes.
//!
//! It is written out here since a receipt must be explained by its seed for as long as it is kept: the shuffles of
//! random-number crates change between their releases.

/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
#[derive(Clone, Debug)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// The next 64 bits.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Uniform below `bound`: draws from the incomplete last range are thrown away.
    pub fn below(&mut self, bound: u64) -> u64 {
        let whole = u64::MAX - u64::MAX % bound;
        loop {
            let draw = self.draw();
            if draw < whole {
                return draw % bound;
            }
        }
    }
}
