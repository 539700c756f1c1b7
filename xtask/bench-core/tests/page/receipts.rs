//! Receipts to look at.

use bench_core::receipt::Receipt;

pub(crate) fn quick() -> Receipt {
    Receipt::parse(include_str!("../fixtures/quick.json")).unwrap()
}
