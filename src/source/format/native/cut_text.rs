//! A file of ours without the long strings of its tree, for the TOML reader: it would read each of them three times.

use std::borrow::Cow;
use std::ops::Range;

/// What opens and closes a string that may go over several lines and has no escapes.
const QUOTES: &str = "'''";

/// What opens the other kind of string that may go over several lines.
const DOUBLE_QUOTES: &str = "\"\"\"";

/// The table with the long strings.
const TABLE: &str = "[tree]";

/// Their keys.
const KEYS: [&str; 2] = ["rows", "recorded"];

/// A text, and what the TOML reader gets of it.
pub(super) struct CutText<'a> {
    /// All of it.
    pub(super) text: &'a str,
    /// The text without the contents of the strings that were cut out.
    pub(super) toml: Cow<'a, str>,
    /// The bytes of these contents in the text, in its order.
    cut: Vec<Range<usize>>,
}

impl<'a> CutText<'a> {
    /// Cuts out the long strings that are certainly what TOML takes for such strings.
    pub(super) fn of(text: &'a str) -> Self {
        let cut = long_strings(text);
        let toml = if cut.is_empty() {
            Cow::Borrowed(text)
        } else {
            let starts = [0].into_iter().chain(cut.iter().map(|cut| cut.end));
            let ends = cut.iter().map(|cut| cut.start).chain([text.len()]);
            Cow::Owned(
                starts
                    .zip(ends)
                    .map(|(start, end)| &text[start..end])
                    .collect(),
            )
        };
        Self { text, toml, cut }
    }

    /// Returns where a byte of the TOML is in the text.
    pub(super) fn place(&self, byte: usize) -> usize {
        let cut = self.cut.iter();
        cut.fold(byte, |place, cut| {
            if place < cut.start {
                place
            } else {
                place + cut.len()
            }
        })
    }

    /// Returns the content that was cut out of a string of the TOML, or `None` if nothing was.
    pub(super) fn cut_from(&self, string: &Range<usize>) -> Option<&'a str> {
        let (start, end) = (self.place(string.start), self.place(string.end));
        let mut cut = self.cut.iter();
        let cut = cut.find(|cut| start < cut.start && cut.end < end)?;
        Some(&self.text[cut.clone()])
    }
}

/// Returns the contents of the long strings, between the line end after the opening and the closing quotes. What
/// follows anything unusual is left alone.
fn long_strings(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut is_in_table = false;
    let mut start = 0;
    while let Some(line) = text[start..].split_inclusive('\n').next() {
        start += line.len();
        // A blank after the quotes would belong to the string.
        let opens = opens(line.trim_ascii_start());
        let line = line.trim_ascii();
        if line.starts_with('#') {
            continue;
        }
        if line.contains(QUOTES) || line.contains(DOUBLE_QUOTES) {
            let content = (opens && is_in_table).then(|| content_from(text, start));
            let Some(content) = content.flatten() else {
                break;
            };
            start = content.end + QUOTES.len();
            found.push(content);
        } else if line.starts_with('[') {
            is_in_table = line == TABLE;
        }
    }
    found
}

/// Returns whether a line ends with the quotes that open a long string.
fn opens(line: &str) -> bool {
    let Some((key, value)) = line.split_once('=') else {
        return false;
    };
    let after = value.trim_ascii_start().strip_prefix(QUOTES);
    KEYS.contains(&key.trim_ascii()) && matches!(after, Some("\n" | "\r\n"))
}

/// Returns the bytes of a string whose quotes were opened before, if TOML takes all of them as they are and nothing
/// follows in the line of the closing quotes.
fn content_from(text: &str, start: usize) -> Option<Range<usize>> {
    let rest = &text[start..];
    let length = memchr::memmem::find(rest.as_bytes(), QUOTES.as_bytes())?;
    let (content, after) = rest.split_at(length);
    let after = after[QUOTES.len()..].split_inclusive('\n').next();
    // Up to two more quotes may belong to the string.
    let is_closed = after.is_none_or(|after| after.trim_ascii().is_empty());
    (is_closed && is_plain(content.as_bytes())).then_some(start..start + length)
}

/// Returns whether a string has no control characters but tabs and line ends.
fn is_plain(string: &[u8]) -> bool {
    const TOGETHER: usize = 4096;
    let is_odd = |byte: u8| (byte < b' ' && byte != b'\t' && byte != b'\n') || byte == 0x7f;
    // Looking at every byte of a chunk is faster than looking for the first odd one.
    let is_plain = |chunk: &[u8]| !chunk.iter().fold(false, |any, &byte| any | is_odd(byte));
    string.chunks(TOGETHER).all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use toml::Spanned;
    use toml::de::{DeString, DeTable, DeValue};

    const HEAD: &str = "fairscope = 1\n# '''\n\n[tree]\nroot = \"root 1\"\n";

    fn cut(text: &str) -> Vec<&str> {
        let cut = CutText::of(text).cut;
        cut.into_iter().map(|cut| &text[cut]).collect()
    }

    #[test]
    fn long_strings_are_cut_out_as_we_write_them() {
        let text = format!("{HEAD}recorded = '''\n1\n'''\n\nrows = '''\na 1\n  b 2\n'''\n");
        assert_eq!(cut(&text), ["1\n", "a 1\n  b 2\n"]);
        assert_eq!(cut(&format!("{HEAD} rows='''\r\n'''")), [""]);
    }

    #[test]
    fn anything_unusual_is_left_to_the_toml_reader() {
        for text in [
            "rows = '''\na\n'''\n",
            "[settings]\nrows = '''\na\n'''\n",
            "[tree]\nroot = '''root'''\nrows = '''\na\n'''\n",
            "[tree]\nx = \"\"\"\n[tree]\nrows = '''\na\n'''\n\"\"\"\n",
            "[tree]\nrows = '''a\nb\n'''\n",
            "[tree]\nrows = '''\na\n''''\n",
            "[tree]\nrows = '''\na\n''' # b\n",
            "[tree]\nother = '''\na\n'''\nrows = '''\na\n'''\n",
            "[tree]\nrows = '''\na\r\nb\n'''\n",
            "[tree]\nrows = '''\na\u{7f}\n'''\n",
            "[tree]\nrows = '''\na\n",
            "[tree]\nrows = ''' \na\n'''\n",
            "[tree]\nrows = '''",
        ] {
            assert!(cut(text).is_empty(), "{text:?}");
        }
    }

    /// A key of the tree, where it is, and the text of its value.
    type Entry = (String, usize, Option<String>);

    /// Returns what TOML reads of the tree, with the places of its keys, or where and why it cannot be read.
    fn read(cut: &CutText<'_>) -> Result<Vec<Entry>, (String, usize)> {
        let table = DeTable::parse(&cut.toml).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            (error.message().to_owned(), cut.place(start))
        })?;
        let tree = table.get_ref().get("tree").expect("it is in every text");
        let tree = tree.get_ref().as_table().expect("it is a table");
        let entry = |(key, value): (&Spanned<DeString<'_>>, &Spanned<DeValue<'_>>)| {
            let text = cut.cut_from(&value.span());
            let text = text.or_else(|| value.get_ref().as_str()).map(str::to_owned);
            (key.get_ref().to_string(), cut.place(key.span().start), text)
        };
        Ok(tree.iter().map(entry).collect())
    }

    proptest! {
        #[test]
        fn a_cut_text_is_read_as_the_whole_one(
            before in "(# [a'\"]{0,4}\n|x = [\\[\\]{}'\"1]{0,4}\n|\\[[a-z]{0,4}\\]\n|\n| ){0,3}",
            strings in vec(
                (
                    prop_oneof![Just("rows"), Just("recorded"), Just("other")],
                    prop_oneof![4 => Just("\n"), 1 => Just("a\n"), 1 => Just(" \n")],
                    "[a-c \t\n]{0,12}['\"\\\\\u{e9}\u{1}\r]{0,2}\n?",
                    prop_oneof![6 => Just("\n"), 1 => Just(" # c\n"), 1 => Just("'\n"), 1 => Just(" 1\n")],
                ),
                0..4,
            ),
            after in "(x = [1'\"\n]{0,4}\n|\\[b\\]\n){0,2}",
        ) {
            let mut text = format!("{before}[tree]\n");
            for (key, open, content, close) in strings {
                text.extend([key, " = '''", open, &content, "'''", close]);
            }
            text += &after;
            let whole = CutText { text: &text, toml: Cow::Borrowed(&text), cut: Vec::new() };
            prop_assert_eq!(read(&CutText::of(&text)), read(&whole));
        }
    }
}
