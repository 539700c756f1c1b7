//! Warnings of the compilers that a build script runs (gcc, clang, nvcc), which cargo passes on line by line as the
//! script's own. Nobody knows their lints, so they are compared by message and source line.

use std::{fs, path::Path};

use super::compile::Warning;

/// Those about files of the crate `package` in `sources`, from what cargo wrote for people.
pub(super) fn warnings(said: &[String], package: &str, sources: &Path) -> Vec<Warning> {
    let of_script = said.iter().filter_map(|line| passed_on(line, package));
    of_script.filter_map(|line| read(line, sources)).collect()
}

/// What follows `warning: package@version: `.
fn passed_on<'a>(line: &'a str, package: &str) -> Option<&'a str> {
    let rest = line.strip_prefix("warning: ")?.strip_prefix(package)?.strip_prefix('@')?;
    rest.split_once(": ").map(|(_, text)| text)
}

/// The warning that a line begins, if it points into `sources`: what comes from a header elsewhere is not the crate's.
fn read(line: &str, sources: &Path) -> Option<Warning> {
    let (place, rest) = line.split_once(": warning")?;
    let (named, message) = rest.split_once(':').or_else(|| rest.split_once(' '))?;
    let (file, number) = of_nvcc(place).or_else(|| of_gcc(place))?;
    let path = sources.join(file);
    let text = fs::read_to_string(&path).ok()?;
    let file = path.strip_prefix(sources).ok()?.display().to_string();
    let source = text.lines().nth(number.checked_sub(1)?)?.to_owned();
    let (message, flag) = split_flag(message.trim());
    let number_of_nvcc = Some(named.trim()).filter(|named| !named.is_empty());
    let code = flag.or(number_of_nvcc).map(str::to_owned);
    Some(Warning { code, message: message.to_owned(), file, line: number, source })
}

/// `file(line)`
fn of_nvcc(place: &str) -> Option<(&str, usize)> {
    let (file, number) = place.strip_suffix(')')?.rsplit_once('(')?;
    Some((file, number.parse().ok()?))
}

/// `file:line:column`, or without the column
fn of_gcc(place: &str) -> Option<(&str, usize)> {
    let (rest, last) = place.rsplit_once(':')?;
    let last = last.parse().ok()?;
    match rest.rsplit_once(':').map(|(file, line)| (file, line.parse())) {
        Some((file, Ok(line))) => Some((file, line)),
        _ => Some((rest, last)),
    }
}

/// A message, and the flag that gcc and clang put behind it in brackets.
fn split_flag(message: &str) -> (&str, Option<&str>) {
    let found = message.strip_suffix(']').and_then(|head| head.rsplit_once(" [-W"));
    found.map_or((message, None), |(head, _)| (head, Some(&message[head.len() + 2..message.len() - 1])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(lines: &[&str]) -> Vec<(Option<String>, String, usize, String)> {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("cuda")).unwrap();
        fs::write(folder.path().join("cuda/a.cu"), "first\nint unused;\n").unwrap();
        let lines: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
        let found = warnings(&lines, "demo", folder.path());
        found.into_iter().map(|w| (w.code, w.message, w.line, w.source)).collect()
    }

    fn expected(code: &str, message: &str) -> Vec<(Option<String>, String, usize, String)> {
        vec![(Some(code.to_owned()), message.to_owned(), 2, "int unused;".to_owned())]
    }

    #[test]
    fn both_spellings_are_read() {
        let nvcc = "warning: demo@1.0.0: cuda/a.cu(2): warning #177-D: variable \"unused\" was never referenced";
        assert_eq!(found(&[nvcc]), expected("#177-D", "variable \"unused\" was never referenced"));
        let gcc = "warning: demo@1.0.0: cuda/a.cu:2:5: warning: unused variable ‘unused’ [-Wunused-variable]";
        assert_eq!(found(&[gcc]), expected("-Wunused-variable", "unused variable ‘unused’"));
    }

    #[test]
    fn the_path_may_be_absolute() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.c"), "int unused;\n").unwrap();
        let line = format!("warning: demo@1.0.0: {}:1: warning: it is unused", folder.path().join("a.c").display());
        let found = warnings(&[line], "demo", folder.path());
        assert_eq!((found[0].file.as_str(), found[0].code.as_deref()), ("a.c", None));
    }

    #[test]
    fn what_is_not_about_the_crate_is_left_out() {
        let lines = [
            "warning: other@1.0.0: cuda/a.cu(2): warning #177-D: x",
            "warning: demo@1.0.0: /usr/include/stdio.h:2:5: warning: x [-Wy]",
            "warning: demo@1.0.0: cuda/a.cu(9): warning #177-D: no such line",
            "warning: demo@1.0.0:     2 | int unused;",
            "warning: demo@1.0.0: nvcc is old",
            "warning: unused variable: `x`",
        ];
        assert_eq!(found(&lines), []);
    }
}
