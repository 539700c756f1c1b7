//! Whether every arm's proofs are the same bytes as upstream's.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::{View, boxed, chip};
use crate::analysis::{Row, RowState};
use crate::arm::UPSTREAM;
use crate::output::Proof;
use crate::report::text::state_text;

pub(super) fn proofs(view: View<'_>) -> Markup {
    let reference = reference(view);
    let table = html! {
        table {
            thead {
                tr {
                    th scope="col" { "arm" }
                    th.number scope="col" { "proofs" }
                    th scope="col" { "equal" }
                    th scope="col" { "SHA-256" }
                }
            }
            tbody { @for row in &view.case.rows { (table_row(view, row, reference)) } }
        }
    };
    html! {
        h3 { "Proofs" }
        @if reference.is_none() { p.note { "This receipt has no proof of upstream with this workload and batch." } }
        (boxed("Proofs", table))
    }
}

/// Upstream's first valid proof of the workload and batch, whatever path it took.
fn reference(view: View<'_>) -> Option<&str> {
    let case = &view.receipt.plan.cases[view.index];
    let upstream = view.receipt.runs.iter().filter(|run| run.arm == UPSTREAM);
    let alike = upstream.filter(|run| (&run.workload, run.batch) == (&case.workload, case.batch));
    alike.flat_map(|run| &run.proofs).find(|proof| proof.valid).map(|proof| proof.proof_sha256.as_str())
}

fn table_row(view: View<'_>, row: &Row, reference: Option<&str>) -> Markup {
    let proofs: Vec<&Proof> = view.runs().filter(|run| run.arm == row.arm).flat_map(|run| &run.proofs).collect();
    let hashes: BTreeSet<&str> = proofs.iter().map(|proof| proof.proof_sha256.as_str()).collect();
    html! {
        tr {
            th scope="row" { (row.arm) }
            td.number { (proofs.len()) }
            td.words { (equality(view, row, &proofs, &hashes, reference)) }
            td { @for hash in &hashes { code { (hash) } " " } }
        }
    }
}

fn equality(view: View<'_>, row: &Row, proofs: &[&Proof], hashes: &BTreeSet<&str>, reference: Option<&str>) -> Markup {
    let committed = view.receipt.plan.cases[view.index].snapshot_sha256.as_deref();
    let snapshots = view.runs().filter(|run| run.arm == row.arm).filter_map(|run| run.snapshot_sha256.as_deref());
    let snapshots: BTreeSet<&str> = snapshots.collect();
    let is_committed =
        committed.filter(|_| !snapshots.is_empty()).map(|committed| snapshots.iter().all(|one| *one == committed));
    let bytes = match reference {
        _ if proofs.is_empty() => return html! { (state_text(&row.state)) },
        _ if proofs.iter().any(|proof| !proof.valid) => ("bad", "✗ does not verify"),
        Some(reference) if hashes.iter().all(|hash| *hash == reference) => ("good", "✓ upstream's bytes"),
        Some(_) => ("bad", "✗ differs from upstream's"),
        None if hashes.len() == 1 => ("none", "= same in every run"),
        None => ("bad", "✗ not one in every run"),
    };
    html! {
        (chip(bytes.0, bytes.1))
        @match is_committed {
            Some(true) => { " " (chip("good", "✓ committed snapshot")) }
            Some(false) => { " " (chip("bad", "✗ not the committed one")) }
            None => {}
        }
        @if row.state == RowState::Void { " the row is void" }
    }
}
