//! Plan, receipt, analysis and report of a benchmark: no cargo, no git, no I/O.
//!
//! A [`plan::Plan`] says what to run, a [`receipt::Receipt`] what was seen, [`analysis::analyse`] is a pure function of the
//! receipt, and [`report`] a pure function of the analysis. Nothing here knows a particular arm, patch or phase.

pub mod analysis;
pub mod arm;
mod consistency;
mod hosts;
pub mod name;
pub mod order;
pub mod output;
pub mod plan;
pub mod random;
pub mod receipt;
pub mod report;
pub mod role;
pub mod schema;
