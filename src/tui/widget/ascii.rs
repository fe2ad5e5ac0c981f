//! `--ascii`: the same screen without a character outside ASCII.
//!
//! The screen is drawn as usual and then converted to ASCII, so that widgets need no second version. Non-ASCII
//! characters of names are escaped before, so that no part of a name is lost here.

use ratatui::buffer::Buffer;

/// The ASCII replacement of each character that the screen draws.
const SPELLINGS: &[(&str, &str)] = &[
    ("▸", "+"),
    ("▾", "-"),
    ("│", "|"),
    ("├", "|"),
    ("└", "`"),
    ("─", "-"),
    ("┌", "+"),
    ("┐", "+"),
    ("┘", "+"),
    ("❯", ">"),
    ("█", "#"),
    ("▌", "#"),
    ("▐", "#"),
    ("»", ">"),
    ("«", "<"),
    ("▲", "^"),
    ("▼", "v"),
    ("●", "*"),
    ("·", "-"),
    ("…", "~"),
    ("–", "-"),
    ("Δ", "d"),
    ("×", "x"),
    ("≠", "!"),
    ("←", "<"),
    ("→", ">"),
    ("↑", "^"),
    ("↓", "v"),
    ("✓", "y"),
    ("░", ":"),
    ("▶", ">"),
];

/// Replaces the characters of every cell by ASCII.
pub(crate) fn spell(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if cell.symbol().is_ascii() {
            continue;
        }
        let spelling = SPELLINGS
            .iter()
            .find(|(symbol, _)| *symbol == cell.symbol())
            .map_or("?", |&(_, ascii)| ascii);
        cell.set_symbol(spelling);
    }
}

/// Returns a text as `--ascii` shows it; characters without an ASCII replacement are escaped.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        let has_spelling = || SPELLINGS.iter().any(|(symbol, _)| symbol.starts_with(char));
        if char.is_ascii() || has_spelling() {
            escaped.push(char);
        } else {
            escaped.extend(char.escape_unicode());
        }
    }
    escaped
}
