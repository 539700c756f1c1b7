//! Runs a benchmark plan: what a bundle carries.
