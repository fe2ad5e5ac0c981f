//! Reports: the same numbers as the screen's, as text, CSV, JSON and Markdown.

mod explain;
mod show;
mod whatif;

/// What a report writes, as text.
fn written(report: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>) -> String {
    let mut bytes = Vec::new();
    report(&mut bytes).expect("writing to memory does not fail");
    String::from_utf8(bytes).expect("reports are UTF-8")
}
