//! The timeline of a run.

mod receipts;
mod timeline;
