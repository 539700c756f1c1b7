//! The page of a receipt and the timeline of a run: golden parts and properties of the text.

mod golden;
mod properties;
mod receipts;
mod timeline;

#[path = "../seventeen/mod.rs"]
mod seventeen;
#[path = "../synthetic/mod.rs"]
mod synthetic;
