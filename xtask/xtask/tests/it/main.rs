//! The verbs on forks through the front door: the real binary, a real git, a real cargo without network, and a
//! generated upstream crate.

mod any_crate;
mod apply;
mod bench;
mod doctor;
mod every_step;
mod exporting;
mod family;
mod faults;
mod file_systems;
mod fixture;
mod gates;
mod hostile;
mod kill;
mod locking;
mod mailed;
mod nameless;
mod rebase_edges;
mod rebasing;
mod registry;
mod reporting;
mod series_edits;
mod status;
mod unwritable;
mod vendor_edges;
mod vendoring;
