//! One random input: what is tried, and the pieces it is made of. It can be written to a file and read back.

use std::fmt::Write as _;

/// An input that can be made smaller by leaving out pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Case {
    /// What is tried, as words that stay: a source, a command line.
    pub(crate) subject: Vec<Vec<u8>>,
    /// What may be left out: lines of a file, keys, words, letters of a name.
    pub(crate) pieces: Vec<Vec<u8>>,
}

impl Case {
    /// Makes a case from words and pieces.
    pub(crate) fn new<S, P>(
        subject: impl IntoIterator<Item = S>,
        pieces: impl IntoIterator<Item = P>,
    ) -> Self
    where
        S: Into<Vec<u8>>,
        P: Into<Vec<u8>>,
    {
        Self {
            subject: subject.into_iter().map(Into::into).collect(),
            pieces: pieces.into_iter().map(Into::into).collect(),
        }
    }

    /// Makes a case from words and the lines of a file. A long line is several pieces.
    pub(crate) fn of_file<S: Into<Vec<u8>>>(
        subject: impl IntoIterator<Item = S>,
        bytes: &[u8],
    ) -> Self {
        const LONGEST: usize = 120;
        let lines = bytes.split_inclusive(|&byte| byte == b'\n');
        Self::new(subject, lines.flat_map(|line| line.chunks(LONGEST)))
    }

    /// Returns a word of the subject as text.
    pub(crate) fn word(&self, place: usize) -> String {
        let word = self.subject.get(place);
        word.map(|word| String::from_utf8_lossy(word).into_owned())
            .unwrap_or_default()
    }

    /// Returns all pieces as one.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.pieces.concat()
    }

    /// Writes the case as text: `= ` before the words of the subject, `- ` before the pieces, bytes escaped.
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        for word in &self.subject {
            let _ = writeln!(text, "= {}", word.escape_ascii());
        }
        for piece in &self.pieces {
            let _ = writeln!(text, "- {}", piece.escape_ascii());
        }
        text
    }

    /// Reads a case as [`Self::to_text`] writes it. Other lines are comments.
    pub(crate) fn from_text(text: &str) -> Self {
        let mut case = Self::default();
        for line in text.lines() {
            if let Some(word) = line.strip_prefix("= ") {
                case.subject.push(unescaped(word));
            } else if let Some(piece) = line.strip_prefix("- ") {
                case.pieces.push(unescaped(piece));
            }
        }
        case
    }
}

/// Reads the escapes that `escape_ascii` writes.
pub(super) fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next() {
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'x') => {
                let digits: String = rest.by_ref().take(2).map(char::from).collect();
                u8::from_str_radix(&digits, 16).expect("two hexadecimal digits")
            }
            other => other.expect("an escape is complete"),
        });
    }
    bytes
}

#[test]
fn a_case_is_read_back_as_written() {
    let all: Vec<u8> = (0..=u8::MAX).collect();
    let case = Case::new([b"show".to_vec(), all.clone()], [all, b"".to_vec()]);
    assert_eq!(Case::from_text(&case.to_text()), case);
}
