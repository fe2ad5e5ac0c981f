//! Numbers of our JSON as they were written: a JSON reader may round the last bit away.

/// The lines that hold the nodes of `show`, one each.
pub(crate) fn node_lines(json: &str) -> Vec<&str> {
    json.lines()
        .filter(|line| line.starts_with("    {\"path\": "))
        .collect()
}

/// The text of a number of a node, or of the word that stands for one.
pub(crate) fn number<'a>(line: &'a str, column: &str) -> &'a str {
    let key = format!("\"{column}\": ");
    let start = line.find(&key).expect("the column is there") + key.len();
    let rest = &line[start..];
    let end = rest.find([',', '}']).expect("an object ends");
    rest[..end].trim_matches('"')
}
