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
    ("←", "<"),
    ("→", ">"),
    ("↑", "^"),
    ("↓", "v"),
    ("✓", "y"),
];

/// Spells every cell in ASCII.
pub(super) fn spell(buffer: &mut Buffer) {
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

/// A name as `--ascii` shows it: what is not ASCII is written out.
pub(super) fn escape(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for char in name.chars() {
        if char.is_ascii() {
            text.push(char);
        } else {
            text.extend(char.escape_unicode());
        }
    }
    text
}
