//! Plan, receipt, analysis and report of a benchmark: no cargo, no git, no I/O.
