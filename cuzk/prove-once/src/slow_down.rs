//! A slowdown on purpose, as the command line names it.

use std::str::FromStr;

/// How many times as long things are made to take. The default slows nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SlowDown {
    /// Each proof, and each synthesis without one, after its own work.
    pub(crate) wall: f64,
    /// Each circuit's synthesis.
    pub(crate) synthesis: f64,
}

impl Default for SlowDown {
    fn default() -> Self {
        Self { wall: 1.0, synthesis: 1.0 }
    }
}

impl FromStr for SlowDown {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not wall=FACTOR or synthesis=FACTOR with a factor from 1 to 10");
        let (name, factor) = text.split_once('=').ok_or_else(wrong)?;
        let factor = factor.parse().ok().filter(|factor| (1.0..=10.0).contains(factor)).ok_or_else(wrong)?;
        match name {
            "wall" => Ok(Self { wall: factor, ..Self::default() }),
            "synthesis" => Ok(Self { synthesis: factor, ..Self::default() }),
            _ => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_named_takes_longer() {
        assert_eq!("wall=1.5".parse(), Ok(SlowDown { wall: 1.5, synthesis: 1.0 }));
        assert_eq!("synthesis=1.03".parse(), Ok(SlowDown { wall: 1.0, synthesis: 1.03 }));
    }

    #[test]
    fn factors_that_are_none_are_refused() {
        for text in ["", "wall", "wall=", "wall=fast", "wall=0.9", "wall=nan", "wall=inf", "proof=1.1", "wall=11"] {
            assert!(text.parse::<SlowDown>().is_err(), "{text}");
        }
    }
}
