//! One `cargo check` of one crate: the compilers' warnings about it, and its first error if it does not compile.

use std::{
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Command, Stdio},
    thread,
};

use anyhow::{Context, Result};
use cargo_metadata::{
    Message,
    diagnostic::{Diagnostic, DiagnosticLevel},
};

use super::native;

/// What to compile.
pub(super) struct Check<'a> {
    /// The workspace.
    pub(super) workspace: &'a Path,
    pub(super) target: &'a Path,
    pub(super) package: &'a str,
    /// Its folder.
    pub(super) sources: &'a Path,
    /// Features, as arguments of cargo.
    pub(super) features: &'a [String],
    pub(super) environment: &'a [(String, String)],
}

/// What rustc, and the compilers that a build script runs, said of the crate.
pub(super) struct Checked {
    pub(super) warnings: Vec<Warning>,
    /// The first error, wherever it was.
    pub(super) error: Option<String>,
}

/// A warning, and where it points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Warning {
    /// The lint, such as `unused_variables`, `-Wunused-variable` or `#177-D`.
    pub(super) code: Option<String>,
    pub(super) message: String,
    /// From the crate's folder.
    pub(super) file: String,
    pub(super) line: usize,
    /// The source line that it points at.
    pub(super) source: String,
}

impl Check<'_> {
    /// Runs cargo, with its progress on stderr.
    ///
    /// # Errors
    /// When cargo cannot be run. A crate that does not compile is no error here.
    pub(super) fn run(&self) -> Result<Checked> {
        let mut child = cargo()
            .args(["check", "--package", self.package, "--message-format=json"])
            .args(self.features)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .env("CARGO_TARGET_DIR", self.target)
            .env("CARGO_BUILD_BUILD_DIR", self.target)
            // Its lines are read.
            .env("CARGO_TERM_COLOR", "never")
            .current_dir(self.workspace)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot run cargo")?;
        let stdout = child.stdout.take().context("cargo has no output")?;
        let stderr = child.stderr.take().context("cargo has no errors")?;
        // Read side by side: a full pipe would stop cargo.
        let said = thread::spawn(move || pass_on(stderr));
        let diagnostics = self.diagnostics(stdout)?;
        let status = child.wait().context("cargo was lost")?;
        let said = said.join().expect("passing lines on does not panic");
        let is_error = |level| matches!(level, DiagnosticLevel::Error | DiagnosticLevel::Ice);
        let error = diagnostics.iter().find(|(_, diagnostic)| is_error(diagnostic.level));
        let error =
            (!status.success()).then(|| error.map_or_else(|| first_error(&said), |(_, diagnostic)| told(diagnostic)));
        let own = diagnostics.iter().filter(|(is_own, _)| *is_own).filter_map(|(_, d)| self.warning(d));
        let warnings = own.chain(native::warnings(&said, self.package, self.sources)).collect();
        Ok(Checked { warnings, error })
    }

    /// What the compiler said, and whether it is about this crate.
    fn diagnostics(&self, stdout: impl Read) -> Result<Vec<(bool, Diagnostic)>> {
        let mut found = Vec::new();
        for message in Message::parse_stream(BufReader::new(stdout)) {
            if let Message::CompilerMessage(message) = message.context("cargo's messages broke off")? {
                found.push((message.target.src_path.starts_with(self.sources), message.message));
            }
        }
        Ok(found)
    }

    fn warning(&self, diagnostic: &Diagnostic) -> Option<Warning> {
        let span = diagnostic.spans.iter().find(|span| span.is_primary);
        // Without code and place it is a count of the others.
        if diagnostic.level != DiagnosticLevel::Warning || (span.is_none() && diagnostic.code.is_none()) {
            return None;
        }
        let file = span.map(|span| self.workspace.join(&span.file_name));
        let file = file.as_deref().map(|file| file.strip_prefix(self.sources).unwrap_or(file).display().to_string());
        Some(Warning {
            code: diagnostic.code.as_ref().map(|code| code.code.clone()),
            message: diagnostic.message.clone(),
            file: file.unwrap_or_default(),
            line: span.map_or(0, |span| span.line_start),
            source: span.and_then(|span| span.text.first()).map(|line| line.text.clone()).unwrap_or_default(),
        })
    }
}

/// Cargo, as this process was started by it.
pub(super) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Shows each line and keeps it.
fn pass_on(from: impl Read) -> Vec<String> {
    let lines = BufReader::new(from).lines().map_while(Result::ok);
    lines.inspect(|line| eprintln!("{line}")).collect()
}

/// An error of rustc with its place, on one line.
fn told(diagnostic: &Diagnostic) -> String {
    let code = diagnostic.code.as_ref().map(|code| format!("[{}]", code.code)).unwrap_or_default();
    let place = diagnostic.spans.iter().find(|span| span.is_primary);
    let place = place.map(|span| format!(" ({}:{})", span.file_name, span.line_start)).unwrap_or_default();
    format!("error{code}: {}{place}", diagnostic.message)
}

/// The first error in what cargo wrote for people: a build script's compiler names its file, cargo itself does not.
fn first_error(lines: &[String]) -> String {
    let of_a_compiler =
        |line: &&String| line.contains("): error") || line.contains(": error:") || line.contains(": fatal error:");
    let of_cargo = |line: &&String| line.starts_with("error");
    let line = lines.iter().find(of_a_compiler).or_else(|| lines.iter().find(of_cargo));
    line.map_or("cargo failed without a word", |line| line.trim()).trim_start_matches("cargo:warning=").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_a_build_scripts_compiler_comes_first() {
        let lines = [
            "error: failed to run custom build command for `supraseal-c2 v0.1.2`",
            "  cargo:warning=cuda/groth16_cuda.cu(12): error: identifier \"x\" is undefined",
            "  cargo:warning=1 error detected",
        ]
        .map(str::to_owned);
        assert_eq!(first_error(&lines), "cuda/groth16_cuda.cu(12): error: identifier \"x\" is undefined");
        assert_eq!(first_error(&lines[..1]), lines[0]);
        assert_eq!(first_error(&[]), "cargo failed without a word");
    }
}
