//! Student's t and the F distribution, of whole degrees of freedom.
//!
//! Both are the regularised incomplete beta function, whose continued fraction (NIST Digital Library of Mathematical
//! Functions, 8.17.22) converges in a few terms. A library for it would bring linear algebra of three vendors along.

use std::f64::consts::PI;

/// The value that a t variable exceeds with probability 1 - `p`, for `p` from 0.5 up.
pub(super) fn quantile(p: f64, degrees: usize) -> f64 {
    let tail = 2.0 * (1.0 - p);
    let n = degrees as f64;
    let density = |t: f64| (-(n + 1.0) / 2.0 * (t * t / n).ln_1p() - ln_beta(degrees, 1)).exp() / n.sqrt();
    let mut t = 0.0;
    // The tail is convex, so Newton's steps from 0 come from below and never pass the root.
    for _ in 0..100 {
        let step = (two_sided(t, degrees) - tail) / (2.0 * density(t));
        t += step;
        if step.abs() <= 1e-12 * t {
            break;
        }
    }
    t
}

/// The probability that a t variable is further from 0 than `t`.
pub(super) fn two_sided(t: f64, degrees: usize) -> f64 {
    if t.is_infinite() {
        return 0.0;
    }
    let n = degrees as f64;
    beta(n / (n + t * t), degrees, 1)
}

/// The probability that an F variable exceeds `f`.
pub(super) fn f_exceeds(f: f64, numerator: usize, denominator: usize) -> f64 {
    if f.is_infinite() {
        return 0.0;
    }
    let (k, n) = (numerator as f64, denominator as f64);
    beta(n / (n + k * f), denominator, numerator)
}

/// I_x(a/2, b/2).
fn beta(x: f64, a: usize, b: usize) -> f64 {
    // The fraction converges fast below the mean only; above it the function is its own mirror.
    if x > (a as f64 + 2.0) / ((a + b) as f64 + 4.0) {
        return 1.0 - below_mean(1.0 - x, b, a);
    }
    below_mean(x, a, b)
}

fn below_mean(x: f64, twice_a: usize, twice_b: usize) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let (a, b) = (twice_a as f64 / 2.0, twice_b as f64 / 2.0);
    (a * x.ln() + b * (-x).ln_1p() - ln_beta(twice_a, twice_b)).exp() / a / fraction(x, a, b)
}

/// 1 + d1/(1 + d2/(1 + …)), by the modified Lentz algorithm (same library, 3.10).
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    let (mut value, mut c, mut d) = (1.0_f64, 1.0_f64, 0.0_f64);
    for term in 1..500 {
        let m = f64::from(term / 2);
        let coefficient = if term % 2 == 0 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        d = 1.0 / (1.0 + coefficient * d);
        c = 1.0 + coefficient / c;
        value *= c * d;
        if (c * d - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

/// ln B(a/2, b/2).
fn ln_beta(a: usize, b: usize) -> f64 {
    ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b)
}

/// ln Γ(n/2), by Γ(x + 1) = x Γ(x) from Γ(1/2) = √π and Γ(1) = 1.
fn ln_gamma(n: usize) -> f64 {
    let start = if n.is_multiple_of(2) { 0.0 } else { PI.ln() / 2.0 };
    (1..n).filter(|step| (n - step).is_multiple_of(2)).map(|step| (step as f64 / 2.0).ln()).sum::<f64>() + start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t_agrees_with_the_tables() {
        for (degrees, table) in
            [(1, 12.7062), (2, 4.3027), (5, 2.5706), (11, 2.2010), (15, 2.1314), (30, 2.0423), (120, 1.9799)]
        {
            assert!((quantile(0.975, degrees) - table).abs() < 5e-5, "{degrees}: {}", quantile(0.975, degrees));
        }
        for (p, degrees, table) in
            [(0.9, 9, 1.3830), (0.995, 7, 3.4995), (0.9995, 10, 4.5869), (0.9995, 1, 636.62), (0.5, 3, 0.0)]
        {
            assert!(
                (quantile(p, degrees) - table).abs() < 5e-5 * table.max(1.0),
                "{p} {degrees}: {}",
                quantile(p, degrees)
            );
        }
        assert!((two_sided(2.2622, 9) - 0.05).abs() < 1e-5);
        assert_eq!((two_sided(0.0, 4), two_sided(f64::INFINITY, 4)), (1.0, 0.0));
    }

    #[test]
    fn f_agrees_with_the_tables() {
        for (f, numerator, denominator) in [(161.448, 1, 1), (4.9646, 1, 10), (3.3258, 5, 10), (2.0889, 15, 25)] {
            let tail = f_exceeds(f, numerator, denominator);
            assert!((tail - 0.05).abs() < 1e-4, "F({numerator}, {denominator}): {tail}");
        }
        assert!((f_exceeds(2.5706_f64.powi(2), 1, 5) - two_sided(2.5706, 5)).abs() < 1e-12);
    }
}
