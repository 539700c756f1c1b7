//! Pins, patch series, git and the dependency graph of the forks.
