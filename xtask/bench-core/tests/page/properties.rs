//! What must hold for the page of any receipt.

use bench_core::analysis::analyse;
use bench_core::receipt::Receipt;
use bench_core::report::html;

use crate::receipts::{self, HOSTILE, REPEAT, page};

/// The headings of every case, whatever the receipt has for them.
pub(crate) const SECTIONS: [&str; 9] = [
    "Verdicts",
    "Arms",
    "Effects",
    "Patches together",
    "Run order",
    "Phases over time",
    "Proofs",
    "Noise floor and control",
    "Memory and work",
];

/// The figures of a page: SVG that is not within SVG.
pub(crate) fn figures(page: &str) -> Vec<&str> {
    let mut figures = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, _) in page.match_indices("svg") {
        if page[..at].ends_with('<') {
            start = if depth == 0 { at - 1 } else { start };
            depth += 1;
        } else if page[..at].ends_with("</") {
            depth -= 1;
            if depth == 0 {
                figures.push(&page[start..at + "svg>".len()]);
            }
        }
    }
    assert_eq!(depth, 0);
    figures
}

#[test]
fn every_section_of_every_case_is_there() {
    for (name, receipt) in receipts::all() {
        let page = page(&receipt);
        for section in SECTIONS {
            let found = page.matches(&format!("<h3>{section}</h3>")).count();
            assert_eq!(found, receipt.plan.cases.len(), "{name}: {section}");
        }
        assert!(page.contains("<h2>Provenance</h2>") && page.contains("<h3>Run it again</h3>"), "{name}");
        assert!(page.contains("--seed 17 # &amp; again"), "{name}");
    }
}

#[test]
fn nothing_is_loaded_and_nothing_is_run() {
    for (name, receipt) in receipts::all() {
        let page = page(&receipt).replace(&escaped(HOSTILE), "");
        assert!(page.contains(r#"content="default-src 'none'; style-src 'unsafe-inline'""#));
        for loader in ["<script", "<link", "<img", "<iframe", "<object", "<use", "src=", "@import", "url(", "://"] {
            assert!(!page.contains(loader), "{name}: {loader}");
        }
        let links: Vec<&str> = page.split("href=\"").skip(1).map(|link| link.split('"').next().unwrap()).collect();
        assert!(links.iter().all(|link| link.starts_with('#')), "{name}: {links:?}");
    }
}

#[test]
fn what_a_hostile_hand_wrote_is_text() {
    let page = page(&receipts::hostile());
    assert!(page.matches(&escaped(HOSTILE)).count() > 100);
    // No piece of it stands outside of the whole.
    let rest = page.replace(&escaped(HOSTILE), "");
    for piece in ["alert", "onerror", "example.org"] {
        assert!(!rest.contains(piece), "{piece}");
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[test]
fn the_same_receipt_gives_the_same_bytes() {
    for (_, receipt) in receipts::all() {
        assert_eq!(page(&receipt), page(&receipt.clone()));
    }
    let receipt = receipts::quick();
    assert_eq!(page(&receipt), page(&Receipt::parse(&receipt.to_text()).unwrap()));
}

#[test]
fn figures_are_xml_with_a_role_and_words() {
    for (name, receipt) in receipts::all() {
        let page = page(&receipt);
        let figures = figures(&page);
        assert!(figures.len() >= 5, "{name}: {}", figures.len());
        for figure in figures {
            let document =
                roxmltree::Document::parse(figure).unwrap_or_else(|error| panic!("{name}: {error} in {figure}"));
            let root = document.root_element();
            let is_said = root.attribute("role") == Some("img")
                && root.attribute("aria-label").is_some_and(|label| !label.is_empty());
            assert!(is_said || root.attribute("aria-hidden") == Some("true"), "{figure}");
            for mark in document.descendants().filter(|node| node.has_tag_name("path")) {
                assert!(mark.children().any(|child| child.has_tag_name("title")), "{figure}");
            }
        }
    }
}

#[test]
fn tables_have_headers() {
    for (name, receipt) in receipts::all() {
        let page = page(&receipt);
        for table in page.split("<table").skip(1).map(|table| table.split("</table>").next().unwrap()) {
            assert!(table.contains("<th scope=\"row\"") || table.contains(" scope=\"col\""), "{name}: {table}");
        }
    }
}

#[test]
fn a_receipt_without_anything_in_it_has_a_page() {
    let mut receipt = receipts::gpu();
    receipt.runs.clear();
    receipt.blocks.clear();
    let nothing_ran = page(&receipt);
    assert!(nothing_ran.contains("Nothing has run.") && nothing_ran.contains("not run"));
    assert!(!nothing_ran.contains("every proof is the same bytes"));
    receipt.plan.cases.clear();
    receipt.arms.clear();
    assert!(page(&receipt).contains("Provenance"));

    let mut receipt = receipts::quick();
    receipt.runs.iter_mut().flat_map(|run| &mut run.proofs).for_each(|proof| proof.phases.clear());
    assert!(page(&receipt).contains("tell no phases"));
}

#[test]
fn times_that_no_run_has_break_no_figure() {
    for wall_s in [0.0, f64::MIN_POSITIVE, f64::MAX] {
        let mut receipt = receipts::campaign();
        for run in receipt.runs.iter_mut().filter(|run| run.block % 2 == 0) {
            run.proofs.iter_mut().for_each(|proof| {
                proof.wall_s = wall_s;
                proof.phases.iter_mut().for_each(|phase| phase.end_s = phase.start_s + wall_s);
            });
        }
        let page = page(&receipt);
        for figure in figures(&page) {
            let document = roxmltree::Document::parse(figure).unwrap();
            let places = document
                .descendants()
                .flat_map(|node| node.attributes())
                .filter(|one| ["x", "x1", "x2", "y", "width"].contains(&one.name()));
            for place in places {
                let number: f64 = place.value().trim_end_matches('%').parse().unwrap();
                assert!((0.0..=100.0).contains(&number) || !place.value().ends_with('%'), "{place:?} in {figure}");
            }
        }
    }
}

#[test]
fn a_void_row_is_said_to_be_void() {
    let mut receipt = receipts::quick();
    receipt.runs.iter_mut().rfind(|run| run.arm == "+a1").unwrap().proofs[0].proof_sha256 = "0".into();
    let analysis = analyse(&receipt);
    let page = html(&receipt, &analysis, REPEAT);
    for words in ["✗ differs from upstream's", "✗ proofs differ", "void: wrong proof", "does not count: wrong proof"]
    {
        assert!(page.contains(words), "{words}");
    }
}
