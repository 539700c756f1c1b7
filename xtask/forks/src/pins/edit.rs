//! Changes of the text of `forks.toml` that leave the rest of it, comments and form included, as it is.

use toml_edit::{Array, DocumentMut, InlineTable, Table, Value, value};

use super::PATH;
use crate::series::Kind;

/// The text with the patch `id` at the end of its kind in the series of `fork`. The error says what is wrong.
pub(crate) fn add(text: &str, fork: &str, id: &str, kind: &Kind) -> Result<String, String> {
    let mut document = parse(text)?;
    let table = table(&mut document, fork)?;
    match kind {
        Kind::Enabling => push(array(table, "enabling")?, id.into()),
        Kind::Measured { short, ships } => {
            let mut entry = InlineTable::new();
            entry.insert("id", id.into());
            entry.insert("short", short.as_str().into());
            entry.insert("ships", (*ships).into());
            push(array(table, "measured")?, entry.into());
        }
    }
    Ok(document.to_string())
}

/// The text without the patch `id` of `fork`; a measured one leaves `not-in-all`, too.
pub(crate) fn remove(text: &str, fork: &str, id: &str) -> Result<String, String> {
    let mut document = parse(text)?;
    let table = table(&mut document, fork)?;
    take(array(table, "enabling")?, |entry| entry.as_str() == Some(id));
    let of = |entry: &Value, key: &str| entry.as_inline_table()?.get(key)?.as_str().map(str::to_owned);
    let gone = take(array(table, "measured")?, |entry| of(entry, "id").as_deref() == Some(id));
    if let Some(short) = gone.map(|entry| of(&entry, "short"))
        && let Some(left_out) = document.get_mut("not-in-all").and_then(|item| item.as_array_mut())
    {
        take(left_out, |entry| entry.as_str() == Some(id) || entry.as_str() == short.as_deref());
    }
    Ok(document.to_string())
}

/// The text with the fork pinned to another release: version, checksum, commit.
pub(crate) fn set_pin(text: &str, fork: &str, pin: [&str; 3]) -> Result<String, String> {
    let mut document = parse(text)?;
    let table = table(&mut document, fork)?;
    for (key, new) in ["version", "sha256", "commit"].into_iter().zip(pin) {
        let old = table.get_mut(key).and_then(|item| item.as_value_mut());
        let old = old.ok_or_else(|| format!("{fork} has no `{key}`; edit {PATH} by hand"))?;
        let decor = old.decor().clone();
        *old = new.into();
        *old.decor_mut() = decor;
    }
    Ok(document.to_string())
}

fn parse(text: &str) -> Result<DocumentMut, String> {
    text.parse().map_err(|error: toml_edit::TomlError| error.to_string())
}

fn table<'a>(document: &'a mut DocumentMut, fork: &str) -> Result<&'a mut Table, String> {
    let forks = document.get_mut("fork").and_then(|item| item.as_array_of_tables_mut());
    let mut tables = forks.into_iter().flat_map(|forks| forks.iter_mut());
    let is_it = |table: &&mut Table| {
        let name = table.get("name").or_else(|| table.get("crate"));
        name.and_then(|name| name.as_str()) == Some(fork)
    };
    tables.find(is_it).ok_or_else(|| format!("there is no table `[[fork]]` of {fork}; edit {PATH} by hand"))
}

fn array<'a>(table: &'a mut Table, key: &str) -> Result<&'a mut Array, String> {
    let item = table.entry(key).or_insert_with(|| value(Array::new()));
    item.as_array_mut().ok_or_else(|| format!("`{key}` is no array `[…]`; edit {PATH} by hand"))
}

/// Appends `value` as the array has its entries: each on a line of its own, or all on one. What stands behind the last
/// entry, such as a comment, stays there.
fn push(array: &mut Array, mut value: Value) {
    let tail = take_tail(array);
    let prefix = match tail.split_once('\n') {
        Some((behind, rest)) => {
            array.set_trailing(format!("\n{rest}"));
            let above = array.iter().last().map(prefix).unwrap_or_else(|| "    ".into());
            format!("{behind}\n{}", above.rsplit('\n').next().unwrap_or_default())
        }
        None => {
            array.set_trailing(tail);
            if array.is_empty() { String::new() } else { " ".into() }
        }
    };
    value.decor_mut().set_prefix(prefix);
    array.push_formatted(value);
}

/// Takes the entry that `is_it` finds, with the comments above and behind it.
fn take(array: &mut Array, is_it: impl Fn(&Value) -> bool) -> Option<Value> {
    let index = array.iter().position(is_it)?;
    let tail = take_tail(array);
    let mut gaps: Vec<String> = array.iter().map(prefix).chain([tail]).collect();
    let before = gaps.remove(index);
    let after = &mut gaps[index];
    match (before.find('\n'), after.find('\n')) {
        // What stands behind the entry above is not about this one.
        (Some(line), Some(rest)) => *after = format!("{}{}", &before[..line], &after[rest..]),
        _ if index == 0 => *after = before,
        _ => {}
    }
    let taken = array.remove(index);
    let tail = gaps.pop().unwrap_or_default();
    for (value, gap) in array.iter_mut().zip(gaps) {
        value.decor_mut().set_prefix(gap);
    }
    array.set_trailing(tail);
    Some(taken)
}

fn prefix(value: &Value) -> String {
    value.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default().to_owned()
}

/// What stands between the last entry and the bracket, whichever side of a comma it is on.
fn take_tail(array: &mut Array) -> String {
    let mut tail = String::new();
    if let Some(last) = array.iter_mut().last() {
        tail += last.decor().suffix().and_then(|suffix| suffix.as_str()).unwrap_or_default();
        last.decor_mut().set_suffix("");
    }
    tail + array.trailing().as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"# Pins.
not-in-all = ["b-fast"] # excluded

[[fork]]
crate = "other"
enabling = []

[[fork]]
crate = "other"
name = "demo" # the one
enabling = ["log"]   # one line
measured = [
    # about a
    { id = "a-fast", short = "a", ships = true }, # behind a
    { id = "b-fast", short = "b", ships = false }, # behind b
    # at the end
]

[[build]]
name = "cpu"
"#;

    fn measured() -> Kind {
        Kind::Measured { short: "c".into(), ships: false }
    }

    #[test]
    fn an_entry_comes_last_and_everything_else_stays() {
        let added = add(TEXT, "demo", "c-fast", &measured()).unwrap();
        let entry = "    { id = \"c-fast\", short = \"c\", ships = false },\n    # at the end\n";
        assert_eq!(added, TEXT.replace("    # at the end\n", entry));
        let added = add(TEXT, "demo", "more", &Kind::Enabling).unwrap();
        assert_eq!(added, TEXT.replace("[\"log\"]", "[\"log\", \"more\"]"));
        let added = add(TEXT, "other", "c-fast", &measured()).unwrap();
        let entry = "enabling = []\nmeasured = [{ id = \"c-fast\", short = \"c\", ships = false }]\n";
        assert_eq!(added, TEXT.replace("enabling = []\n", entry));
    }

    #[test]
    fn taking_an_added_entry_out_gives_the_old_bytes() {
        for form in [TEXT.to_owned(), TEXT.replace("false }, # behind b\n    # at the end\n", "false }\n")] {
            for (id, kind) in [("c-fast", measured()), ("more", Kind::Enabling)] {
                let added = add(&form, "demo", id, &kind).unwrap();
                assert_eq!(remove(&added, "demo", id).unwrap(), form);
            }
        }
    }

    #[test]
    fn an_entry_takes_its_own_comments_along() {
        let removed = remove(TEXT, "demo", "a-fast").unwrap();
        let gone = "    # about a\n    { id = \"a-fast\", short = \"a\", ships = true }, # behind a\n";
        assert_eq!(removed, TEXT.replace(gone, ""));
        let removed = remove(TEXT, "demo", "b-fast").unwrap();
        let gone = "    { id = \"b-fast\", short = \"b\", ships = false }, # behind b\n";
        assert_eq!(removed, TEXT.replace(gone, "").replace("[\"b-fast\"]", "[]"));
        assert_eq!(remove(TEXT, "demo", "log").unwrap(), TEXT.replace("[\"log\"]", "[]"));
    }

    #[test]
    fn another_form_is_left_to_its_author() {
        let tables =
            TEXT.replace("measured = [", "other = [") + "[[fork]]\ncrate = \"x\"\n[[fork.measured]]\nid = \"y\"\n";
        assert!(add(&tables, "x", "z", &measured()).unwrap_err().contains("by hand"));
        assert!(add(TEXT, "y", "z", &measured()).unwrap_err().contains("no table"));
    }
}
