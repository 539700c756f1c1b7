//! Pages in headless Chromium, offline, at the width of a desk and of a phone, light and dark.
//!
//! A page is put into a frame of another one, whose script measures it: the page itself has none. Where there is no
//! `chromium` the test says so and passes; with `CUZK_CHROMIUM=required`, as in continuous integration, it fails.

use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::properties::SECTIONS;
use crate::receipts;

const WIDTHS: [u32; 2] = [1280, 360];

/// Waits for all frames, then writes what each of them is as JSON where `--dump-dom` shows it.
const MEASURE: &str = include_str!("measure.html");

/// What the script found of one page at one width.
#[derive(Debug, Deserialize)]
struct Measured {
    /// Of which page, at which width.
    name: String,
    wide: u32,
    room: u32,
    ground: String,
    loaded: usize,
    scripts: usize,
    headings: Vec<String>,
    /// Figures too narrow to be read.
    flat: usize,
    /// Texts with less contrast than the Web Content Accessibility Guidelines ask for.
    faint: Vec<String>,
}

/// A page that is all that it should not be, so that the measuring is known to measure.
const BAD: &str = r#"<!doctype html><style>p { color: #ccc; background: #fff; width: 1500px }</style>
<p>faint and wide</p><script>console.error("said")</script><img src="http://127.0.0.1:9/x.png">
<svg role="img" width="9" height="9"></svg>"#;

#[test]
fn pages_fit_and_can_be_read() {
    let Some(chromium) = Chromium::find() else { return };
    let receipts = receipts::all();
    let pages: Vec<(&str, String)> = receipts.iter().map(|(name, receipt)| (*name, receipts::page(receipt))).collect();
    let cases: usize = receipts.iter().map(|(_, receipt)| receipt.plan.cases.len()).sum();
    let grounds = ["light", "dark"].map(|scheme| {
        let (measured, console) = chromium.measure(&pages, scheme);
        assert_eq!(console, "", "{scheme}");
        assert_eq!(measured.len(), pages.len() * WIDTHS.len());
        for page in &measured {
            let name = &page.name;
            assert!(page.wide <= page.room, "{name}, {scheme}: {} pixels in {}", page.wide, page.room);
            assert_eq!((page.loaded, page.scripts, page.flat), (0, 0, 0), "{name}, {scheme}");
            assert!(page.faint.is_empty(), "{name}, {scheme}: {:?}", page.faint);
        }
        let sections = measured.iter().flat_map(|page| &page.headings).filter(|one| SECTIONS.contains(&one.as_str()));
        assert_eq!(sections.count(), WIDTHS.len() * cases * SECTIONS.len());
        measured[0].ground.clone()
    });
    assert_ne!(grounds[0], grounds[1], "the page does not follow the reader's colour scheme");
}

#[test]
fn a_bad_page_is_seen_to_be_bad() {
    let Some(chromium) = Chromium::find() else { return };
    let (measured, console) = chromium.measure(&[("bad", BAD.to_owned())], "light");
    assert!(console.contains("said"), "{console}");
    for page in measured {
        assert!(page.wide > page.room && page.scripts == 1 && page.flat == 1 && page.loaded == 1, "{page:?}");
        assert!(page.faint.iter().any(|text| text.contains("faint and wide")), "{page:?}");
    }
}

/// The browser, which keeps its state in a folder of its own.
struct Chromium;

impl Chromium {
    fn find() -> Option<Self> {
        if Command::new("chromium").arg("--version").output().is_ok_and(|said| said.status.success()) {
            return Some(Self);
        }
        let required = std::env::var_os("CUZK_CHROMIUM").is_some_and(|value| value == "required");
        assert!(!required, "no `chromium`: apt-get install chromium");
        eprintln!("skipped: no `chromium`; apt-get install chromium");
        None
    }

    /// Every page at every width, and what the browser's console says.
    fn measure(&self, pages: &[(&str, String)], scheme: &str) -> (Vec<Measured>, String) {
        let folder = tempfile::tempdir().unwrap();
        let frames = pages.iter().flat_map(|(name, page)| WIDTHS.map(|width| frame(name, page, width)));
        let outer = folder.path().join("outer.html");
        std::fs::write(
            &outer,
            format!("<!doctype html><meta charset=\"utf-8\">{}{MEASURE}", frames.collect::<String>()),
        )
        .unwrap();
        let said = self.command(folder.path(), scheme).arg("--dump-dom").arg(&outer).output().unwrap();
        let (dom, errors) = (String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
        let (_, from) = dom.rsplit_once("<pre id=\"measured\">").unwrap_or_else(|| panic!("no page: {errors}"));
        let json = from.split("</pre>").next().unwrap();
        let json = json.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\u{a0}").replace("&amp;", "&");
        let measured = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json}\n{errors}"));
        let console = errors.lines().filter(|line| line.contains(":CONSOLE")).collect::<Vec<_>>().join("\n");
        (measured, console)
    }

    fn command(&self, folder: &Path, scheme: &str) -> Command {
        let mut command = Command::new("chromium");
        // Its own sandbox does not work for root, which is who runs in a container.
        command.args(["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"]);
        // No name is found, so that a page that loads something fails here as it would without a network.
        command.arg("--host-resolver-rules=MAP * ~NOTFOUND");
        let scheme = if scheme == "dark" { 0 } else { 1 };
        command.arg(format!("--blink-settings=preferredColorScheme={scheme}"));
        command.arg(format!("--user-data-dir={}", folder.join("chromium").display()));
        command
    }
}

fn frame(name: &str, page: &str, width: u32) -> String {
    let page = page.replace('&', "&amp;").replace('"', "&quot;");
    format!(
        "<iframe name=\"{name} at {width}\" width=\"{width}\" height=\"800\" style=\"border:0\" srcdoc=\"{page}\"></iframe>\n"
    )
}
