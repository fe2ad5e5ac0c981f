//! `--ascii`: the same screen without a character outside ASCII.
//!
//! The screen is drawn as always and then spelled in ASCII, so no widget has to know. Names have had their
//! own characters escaped before, so nothing of a name is lost here.

use ratatui::buffer::Buffer;

/// What stands for what.
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

/// Spells every cell in ASCII.
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

/// A text as `--ascii` shows it: what is neither ASCII nor has a spelling is written out.
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
