//! Numbers of our JSON exactly as printed. A JSON reader may round the last bit.

/// Returns the lines of the nodes that `show` prints, one for each node.
pub(crate) fn node_lines(json: &str) -> Vec<&str> {
    json.lines()
        .filter(|line| line.starts_with("    {\"path\": "))
        .collect()
}

/// Returns the text of a node's number, or of the word printed in its place.
pub(crate) fn number<'a>(line: &'a str, column: &str) -> &'a str {
    let key = format!("\"{column}\": ");
    let start = line.find(&key).expect("the column is there") + key.len();
    let rest = &line[start..];
    let end = rest.find([',', '}']).expect("an object ends");
    rest[..end].trim_matches('"')
}
