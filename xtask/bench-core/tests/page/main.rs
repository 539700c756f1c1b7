//! The page of a receipt and the timeline of a run: golden parts, properties of the text, and the page in a real browser.

mod browser;
mod golden;
mod properties;
mod receipts;
mod timeline;

#[path = "../seventeen/mod.rs"]
mod seventeen;
#[path = "../synthetic/mod.rs"]
mod synthetic;
