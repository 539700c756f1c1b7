//! A campaign of seventeen arms over five patches whose truth is known.

use bench_core::receipt::Receipt;

use crate::synthetic::{Campaign, Noise, Truth};

pub(crate) const NOISE: Noise = Noise { drift: 0.02, remembered: 0.007, slots: 0.005, white: 0.004, layout: 0.0 };

/// `a` gains in synthesis, `b` and `c` hurt only together, `d` does nothing, `e` hurts in `h_msm`.
pub(crate) const TRUTH: Truth = |patches, phase| {
    let has = |patch: &str| f64::from(patches.contains(&patch));
    match phase {
        "synthesis" => -0.10 * has("a") + 0.05 * has("b") * has("c"),
        _ => 0.03 * has("e") + 0.05 * has("b") * has("c"),
    }
};

const SEVENTEEN: [(&str, &[&str]); 16] = [
    ("a+b", &["a", "b"]),
    ("a+c", &["a", "c"]),
    ("a+d", &["a", "d"]),
    ("a+e", &["a", "e"]),
    ("b+c", &["b", "c"]),
    ("b+d", &["b", "d"]),
    ("b+e", &["b", "e"]),
    ("c+d", &["c", "d"]),
    ("c+e", &["c", "e"]),
    ("d+e", &["d", "e"]),
    ("all-a", &["b", "c", "d", "e"]),
    ("all-b", &["a", "c", "d", "e"]),
    ("all-c", &["a", "b", "d", "e"]),
    ("all-d", &["a", "b", "c", "e"]),
    ("all-e", &["a", "b", "c", "d"]),
    ("all", &["a", "b", "c", "d", "e"]),
];

pub(crate) fn seventeen(truth: Truth) -> Receipt {
    let acts_on = [("a".to_owned(), "synthesis".to_owned())].into();
    Campaign { truth, acts_on, ..Campaign::new(&SEVENTEEN, 12, NOISE) }.run(17)
}
