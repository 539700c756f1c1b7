//! The pages that are made from the receipts in `evidence/` and from nothing that differs between two machines: a report
//! beside each receipt, an index, and the table of patches in the README. Knows no measuring; says what the files should
//! hold, and writes them or tells how they differ.

mod index;
mod measured;
mod repeat;
mod table;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bench_core::analysis::{Analysis, analyse};
use bench_core::receipt::Receipt;
use bench_core::report::html;
use forks::Forks;
use forks::evidence::{self, OfPatch};

pub(crate) use repeat::repeat;

const README: &str = "README.md";
const INDEX: &str = "evidence/README.md";

/// A receipt that is kept, with what it says.
pub(crate) struct Kept {
    /// From the root.
    path: PathBuf,
    receipt: Receipt,
    analysis: Analysis,
}

/// A file and what it should hold.
pub(crate) struct Page {
    /// From the root.
    pub(crate) path: PathBuf,
    text: String,
}

/// Every page.
///
/// # Errors
/// When a file in `evidence/` is no receipt, or the README has no place for the table.
pub(crate) fn pages(forks: &Forks) -> Result<Vec<Page>> {
    let kept = kept(&forks.root)?;
    let patches = patches(forks, &kept)?;
    let readme = forks.root.join(README);
    let text = fs::read_to_string(&readme).with_context(|| format!("cannot read {}", readme.display()))?;
    let mut pages = vec![
        Page { path: README.into(), text: table::in_readme(&text, &table::table(&patches, &kept))? },
        Page { path: INDEX.into(), text: index::index(&patches, &kept) },
    ];
    pages.extend(kept.iter().map(|Kept { path, receipt, analysis }| Page {
        path: path.with_extension("html"),
        text: html(receipt, analysis, &repeat(receipt)),
    }));
    Ok(pages)
}

impl Page {
    /// Whether the file holds what it should.
    pub(crate) fn is_current(&self, root: &Path) -> bool {
        fs::read(root.join(&self.path)).is_ok_and(|bytes| bytes == self.text.as_bytes())
    }

    pub(crate) fn write(&self, root: &Path) -> Result<()> {
        let path = root.join(&self.path);
        fs::write(&path, &self.text).with_context(|| format!("cannot write {}", path.display()))
    }
}

/// The receipts in `evidence/`, in the order of their paths.
fn kept(root: &Path) -> Result<Vec<Kept>> {
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let receipt = Receipt::parse(&text).with_context(|| path.display().to_string())?;
        let analysis = analyse(&receipt);
        Ok(Kept { path: path.strip_prefix(root)?.to_owned(), receipt, analysis })
    };
    evidence::files(&root.join(evidence::FOLDER)).into_iter().map(read).collect()
}

/// A measured patch with what its file and the pins say of it.
pub(crate) struct Described {
    evidence: OfPatch,
    /// The subject of its commit.
    subject: String,
    /// What was predicted before it was measured.
    prediction: String,
    ships: bool,
    because: Option<String>,
}

/// Every measured patch, in the order of forks and series. Compilers do not make its evidence stale here: these pages are
/// the same wherever they are made.
fn patches(forks: &Forks, kept: &[Kept]) -> Result<Vec<Described>> {
    let components = kept.iter().flat_map(|kept| &kept.receipt.arms).flat_map(|arm| arm.builds.values());
    let toolchain: BTreeSet<String> = components.flat_map(|build| build.components.toolchain.clone()).collect();
    let (evidence, _) = evidence::all(forks, &toolchain.into_iter().collect::<Vec<_>>());
    evidence.into_iter().map(|evidence| describe(forks, evidence)).collect()
}

fn describe(forks: &Forks, evidence: OfPatch) -> Result<Described> {
    let fork = forks.fork(&evidence.fork)?;
    let series = forks.series(fork)?;
    let Some(file) = &series.patch(&evidence.patch)?.file else {
        bail!("{} {} has no file yet: export it first", evidence.fork, evidence.patch);
    };
    let pin = fork.measured.iter().find(|patch| patch.id == evidence.patch).context("it is among the pins")?;
    Ok(Described {
        subject: file.description.subject.clone(),
        prediction: file.description.trailer("Prediction").unwrap_or_default(),
        ships: pin.ships,
        because: pin.because.clone(),
        evidence,
    })
}
