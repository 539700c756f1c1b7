//! Versioned JSON documents: the version is looked at before anything else, so that a document from a newer or older tool
//! is refused by its number and not by whichever field happens to be missing.

use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

/// The version of the plan, the receipt and of `prove-once`'s output that this crate reads and writes.
pub const SCHEMA: u64 = 1;

/// Why a document could not be read.
#[derive(Debug, Error)]
pub enum SchemaError {
    /// Not JSON at all, often a file cut short.
    #[error("the {what} is not JSON ({reason}); a file cut short looks like this: write it again")]
    NotJson {
        /// Which document.
        what: &'static str,
        /// The parser's account.
        reason: serde_json::Error,
    },
    /// JSON, but without the number that says how to read it.
    #[error("the {what} has no \"schema\" number; this tool reads schema {SCHEMA}")]
    Unversioned {
        /// Which document.
        what: &'static str,
    },
    /// Written by another version of the tool.
    #[error(
        "the {what} has schema {found}, this tool reads schema {SCHEMA}; use the checkout that wrote it, or run the benchmark again"
    )]
    UnknownVersion {
        /// Which document.
        what: &'static str,
        /// The number it carries.
        found: u64,
    },
    /// The right version, with a field missing or of another type.
    #[error("the {what} does not follow schema {SCHEMA}: {reason}")]
    Malformed {
        /// Which document.
        what: &'static str,
        /// The first field that does not fit.
        reason: serde_json::Error,
    },
    /// Every field fits, and together they cannot have been written by a benchmark.
    #[error(
        "the {what} contradicts itself: {reason}; it was edited or is incomplete: take the file as it was written, or run the benchmark again"
    )]
    Contradictory {
        /// Which document.
        what: &'static str,
        /// The first contradiction.
        reason: String,
    },
}

/// Reads a document named `what` after checking its schema number.
pub fn parse<T: DeserializeOwned>(what: &'static str, text: &str) -> Result<T, SchemaError> {
    let value: Value = serde_json::from_str(text).map_err(|reason| SchemaError::NotJson { what, reason })?;
    match value.get("schema").and_then(Value::as_u64) {
        None => Err(SchemaError::Unversioned { what }),
        Some(SCHEMA) => serde_json::from_value(value).map_err(|reason| SchemaError::Malformed { what, reason }),
        Some(found) => Err(SchemaError::UnknownVersion { what, found }),
    }
}

/// Writes a document as JSON that ends in a newline.
pub fn to_text<T: serde::Serialize>(document: &T) -> String {
    let mut text = serde_json::to_string_pretty(document).expect("these documents have string keys only");
    text.push('\n');
    text
}
