//! A patch file's text: mail header, message, trailers, diff. Reads what `git format-patch` writes; knows no git.

use std::path::Path;

use crate::{Error, Result};

/// What a commit says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// The author's name.
    pub name: String,
    /// The author's address.
    pub email: String,
    /// The author's date, as mail writes it.
    pub date: String,
    /// The first paragraph, on one line.
    pub subject: String,
    /// The rest, trailers included, without blank lines around it.
    pub body: String,
}

/// A patch file, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchFile {
    /// Its header and message.
    pub description: Description,
    /// The diff, byte for byte.
    pub diff: Vec<u8>,
}

/// What `export` writes after the mark at a patch file's end.
pub(crate) const SIGNATURE: &str = "end";

impl Description {
    /// Splits a commit's message into subject and body.
    pub fn new(name: &str, email: &str, date: &str, message: &str) -> Self {
        let message = message.replace("\r\n", "\n");
        let message = message.trim();
        let (subject, body) = message.split_once("\n\n").unwrap_or((message, ""));
        Self {
            name: name.to_owned(),
            email: email.to_owned(),
            date: date.to_owned(),
            subject: subject.lines().map(str::trim).collect::<Vec<_>>().join(" "),
            body: body.trim_matches('\n').trim_end().to_owned(),
        }
    }

    /// The message as git stores it.
    pub fn message(&self) -> String {
        if self.body.is_empty() {
            format!("{}\n", self.subject)
        } else {
            format!("{}\n\n{}\n", self.subject, self.body)
        }
    }

    /// The trailers, folded lines joined, in order.
    pub fn trailers(&self) -> Vec<(String, String)> {
        let last = self.body.rsplit("\n\n").next().unwrap_or_default();
        let mut trailers: Vec<(String, String)> = Vec::new();
        for line in last.lines() {
            if line.starts_with([' ', '\t']) {
                let Some((_, value)) = trailers.last_mut() else {
                    return Vec::new();
                };
                value.push(' ');
                value.push_str(line.trim());
            } else {
                match line.split_once(':') {
                    Some((key, value)) if is_key(key) => trailers.push((key.to_owned(), value.trim().to_owned())),
                    _ => return Vec::new(),
                }
            }
        }
        trailers
    }

    /// The lines of the trailers as they stand; empty without any.
    pub(crate) fn trailer_lines(&self) -> &str {
        if self.trailers().is_empty() { "" } else { self.body.rsplit("\n\n").next().unwrap_or_default() }
    }

    /// The value of the trailer `key`, the first if there are several.
    pub fn trailer(&self, key: &str) -> Option<String> {
        self.trailers().into_iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value)
    }

    /// The ids that all trailers `key` name, separated by commas or blanks.
    pub fn ids(&self, key: &str) -> Vec<String> {
        let values = self.trailers().into_iter().filter(|(name, _)| name.eq_ignore_ascii_case(key));
        let ids = values.flat_map(|(_, value)| {
            value.split([',', ' ']).filter(|id| !id.is_empty()).map(str::to_owned).collect::<Vec<_>>()
        });
        ids.collect()
    }

    /// The same without `id` in its trailers `key`.
    pub(crate) fn without_id(&self, key: &str, id: &str) -> Self {
        if !self.ids(key).iter().any(|named| named == id) {
            return self.clone();
        }
        let start = self.body.rfind("\n\n").map_or(0, |at| at + 2);
        let mut body = self.body[..start].to_owned();
        let mut is_judged = false;
        for line in self.body[start..].lines() {
            if !line.starts_with([' ', '\t']) {
                is_judged = line.split_once(':').is_some_and(|(name, _)| name.eq_ignore_ascii_case(key));
            }
            if !is_judged {
                body += &format!("{line}\n");
            }
        }
        let rest: Vec<String> = self.ids(key).into_iter().filter(|named| named != id).collect();
        if !rest.is_empty() {
            body += &format!("{key}: {}\n", rest.join(", "));
        }
        Self { body: body.trim_end().to_owned(), ..self.clone() }
    }

    /// A line of the message that mail readers would take for the start of the diff.
    pub fn ambiguous_line(&self) -> Option<&str> {
        self.body.lines().find(|line| *line == "---" || line.starts_with("diff -") || line.starts_with("Index: "))
    }
}

fn is_key(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

impl PatchFile {
    /// Reads the bytes of the file at `path`.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self> {
        parse(bytes).map_err(|reason| Error::PatchFile { path: path.to_owned(), reason })
    }

    /// The pairs of blob ids (before, after) that the diff names.
    pub fn blobs(&self) -> Vec<(String, String)> {
        let lines = self.diff.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
        let pairs = lines.filter_map(|line| {
            let (before, after) = line.strip_prefix("index ")?.split(' ').next()?.split_once("..")?;
            let full = [before, after].iter().all(|id| id.len() == 40 && id.bytes().all(|b| b.is_ascii_hexdigit()));
            full.then(|| (before.to_owned(), after.to_owned()))
        });
        pairs.collect()
    }
}

fn parse(bytes: &[u8]) -> std::result::Result<PatchFile, String> {
    if bytes[..find_diff(bytes)].contains(&b'\r') {
        return Err("the header has CR line ends; restore the file from version control".into());
    }
    let bytes = &bytes[..find_end(bytes)?];
    let start = find_diff(bytes);
    let head = std::str::from_utf8(&bytes[..start]).map_err(|_| "the header is not UTF-8".to_owned())?;
    let (fields, body) = head.split_once("\n\n").unwrap_or((head, ""));
    let mut lines = fields.lines();
    if !lines.next().is_some_and(|line| line.starts_with("From ")) {
        return Err("the first line must be `From <id> <date>`, as git format-patch writes it".into());
    }
    let mut headers: Vec<(String, String)> = Vec::new();
    for line in lines {
        match (line.strip_prefix([' ', '\t']), headers.last_mut(), line.split_once(": ")) {
            (Some(rest), Some((_, value)), _) => {
                value.push(' ');
                value.push_str(rest.trim_start());
            }
            (None, _, Some((key, value))) => headers.push((key.to_owned(), value.to_owned())),
            _ => return Err(format!("`{line}` is no mail header")),
        }
    }
    let field = |key: &str| {
        let found = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(key));
        found.map(|(_, value)| value.as_str()).ok_or_else(|| format!("the header lacks `{key}:`"))
    };
    let (name, email) = author(field("From")?)?;
    let description = Description {
        name,
        email,
        date: field("Date")?.to_owned(),
        subject: field("Subject")?.to_owned(),
        body: body.trim_matches('\n').trim_end().to_owned(),
    };
    Ok(PatchFile { description, diff: bytes[start..].to_vec() })
}

/// Where the mark `-- ` stands that mail sets before its signature. A file that was cut, at whatever byte, lacks it, since
/// no line of a hunk is both that mark and the last but one.
fn find_end(bytes: &[u8]) -> std::result::Result<usize, String> {
    const MARK: &[u8] = b"\n-- \n";
    let end = bytes.windows(MARK.len()).rposition(|window| window == MARK);
    let is_signature = |rest: &[u8]| {
        let line = rest.trim_ascii_end();
        line.first().is_some_and(u8::is_ascii_alphanumeric) && !line.contains(&b'\n') && rest.ends_with(b"\n")
    };
    end.filter(|at| is_signature(&bytes[at + MARK.len()..])).map(|at| at + 1).ok_or_else(|| {
        format!(
            "the file does not end with the lines `-- ` and `{SIGNATURE}`: it was cut, or made without a signature; \
             restore it from version control, or, if it is whole, add the two lines"
        )
    })
}

/// Where the diff starts: the first line `diff --git …`, or the end.
fn find_diff(bytes: &[u8]) -> usize {
    const MARK: &[u8] = b"\ndiff --git ";
    bytes.windows(MARK.len()).position(|window| window == MARK).map_or(bytes.len(), |at| at + 1)
}

/// `Name <address>`, the name quoted where mail demands it.
fn author(field: &str) -> std::result::Result<(String, String), String> {
    let wrong = || format!("`From: {field}` is not `Name <address>`");
    let (name, rest) = field.rsplit_once('<').ok_or_else(wrong)?;
    let email = rest.strip_suffix('>').ok_or_else(wrong)?;
    let name = name.trim();
    let Some(quoted) = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')) else {
        return Ok((name.to_owned(), email.to_owned()));
    };
    let mut plain = String::new();
    let mut chars = quoted.chars();
    while let Some(char) = chars.next() {
        plain.push(if char == '\\' { chars.next().ok_or_else(wrong)? } else { char });
    }
    Ok((plain, email.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\n\
        From: \"J. \\\"Q\\\" Doe\" <j@x>\nDate: Thu, 1 Jan 2026 12:00:00 +0100\nSubject: Make it\n fast\n\n\
        Why.\n\nPatch-Id: a-fast\nRequires: b, c d\nPrediction: synthesis\n  -10 %\n\n\
        diff --git a/x b/x\nindex 01e79c32a8c99c557f0757da7cb6d65b3414466d..230b143ae0f400f75a1f4e292c27840a759ec8c5 100644\n\
        -- \nend\n\n";

    #[test]
    fn reads_header_message_and_diff() {
        let patch = PatchFile::parse(Path::new("a.patch"), PATCH.as_bytes()).unwrap();
        let said = &patch.description;
        assert_eq!((said.name.as_str(), said.email.as_str()), ("J. \"Q\" Doe", "j@x"));
        assert_eq!(said.subject, "Make it fast");
        assert_eq!(said.trailer("patch-id").as_deref(), Some("a-fast"));
        assert_eq!(said.trailer("Prediction").as_deref(), Some("synthesis -10 %"));
        assert_eq!(said.ids("Requires"), ["b", "c", "d"]);
        assert_eq!(patch.blobs().len(), 1);
        assert!(patch.diff.starts_with(b"diff --git") && patch.diff.ends_with(b" 100644\n"));
        assert_eq!(said, &Description::new(&said.name, &said.email, &said.date, &said.message()));
    }

    #[test]
    fn a_name_leaves_a_trailer() {
        let said =
            Description::new("n", "e", "d", "Subject\n\nExcludes: x\n\nPatch-Id: p\nExcludes: x,\n y\nProof: z\n");
        let without = said.without_id("Excludes", "x");
        assert_eq!(without.body, "Excludes: x\n\nPatch-Id: p\nProof: z\nExcludes: y");
        assert_eq!(without.without_id("excludes", "y").body, "Excludes: x\n\nPatch-Id: p\nProof: z");
        assert_eq!(said.without_id("Excludes", "z"), said);
    }

    #[test]
    fn a_last_paragraph_of_prose_holds_no_trailers() {
        let said = Description::new("n", "e", "d", "Subject\n\nPatch-Id: x\n\nNote: this\nis prose\n");
        assert_eq!(said.trailers(), []);
    }

    #[test]
    fn says_what_is_wrong() {
        for (from, to, expected) in [
            ("From 0000", "Frmo 0000", "first line"),
            ("Date: ", "Dated: ", "lacks `Date:`"),
            ("<j@x>", "j@x", "Name <address>"),
            ("Why.", "Why.\r", "CR"),
            ("-- \nend\n", "", "was cut"),
            ("-- \nend\n\n", "-- \n", "was cut"),
            ("-- \nend\n\n", "-- \nen", "was cut"),
        ] {
            let error = PatchFile::parse(Path::new("a"), PATCH.replace(from, to).as_bytes()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
