//! What a page says, without what it looks like; and one figure in full.

use crate::receipts;

/// A page as lines, without its figures: one for each row, item or paragraph, with bars between cells.
fn text(page: &str) -> String {
    let (_, body) = page.split_once("<body>").unwrap();
    let marked = without_figures(body).replace("</th>", " | ").replace("</td>", " | ").replace("</dt>", ": ");
    let mut text = String::new();
    for piece in marked.split('<').skip(1) {
        let (tag, words) = piece.split_once('>').unwrap();
        match tag.split(' ').next().unwrap() {
            "h1" => text.push_str("\n# "),
            "h2" => text.push_str("\n## "),
            "h3" => text.push_str("\n### "),
            "tr" | "p" | "li" | "div" | "caption" | "summary" | "h4" | "pre" => text.push('\n'),
            "br" => text.push(' '),
            _ => {}
        }
        text.push_str(words);
    }
    let lines = text.lines().map(|line| line.trim().trim_end_matches('|').trim_end()).filter(|line| !line.is_empty());
    lines.map(|line| format!("{}\n", line.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))).collect()
}

fn without_figures(page: &str) -> String {
    let figures = crate::properties::figures(page);
    figures.into_iter().fold(page.to_owned(), |page, figure| page.replacen(figure, "", 1))
}

/// The sections of the first case.
fn case(page: &str) -> String {
    let (_, from) = page.split_once("<section class=\"case\"").unwrap();
    format!("<body><section{}", from.split("</section>").next().unwrap())
}

/// The first figure below a heading.
fn figure<'a>(page: &'a str, heading: &str) -> &'a str {
    let (_, below) = page.split_once(&format!("<h3>{heading}</h3>")).unwrap();
    below.split_once("</table>").unwrap().0
}

#[test]
fn a_campaign_in_words() {
    insta::assert_snapshot!("campaign", text(&case(&receipts::page(&receipts::campaign()))));
}

#[test]
fn old_receipts_in_words() {
    insta::assert_snapshot!("quick", text(&receipts::page(&receipts::quick())));
    insta::assert_snapshot!("gpu", text(&receipts::page(&receipts::gpu())));
}

#[test]
fn a_figure_in_full() {
    let page = receipts::page(&receipts::quick());
    let figures = ["Effects", "Phases over time"].map(|heading| figure(&page, heading).replace("><", ">\n<"));
    insta::assert_snapshot!("quick-figures", figures.join("\n\n"));
}
