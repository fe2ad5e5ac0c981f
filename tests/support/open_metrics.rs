//! A strict reader of OpenMetrics text, as far as its grammar allows gauges without times.

use std::collections::{BTreeMap, BTreeSet};

/// A family of metrics.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Family {
    pub(crate) name: String,
    pub(crate) help: Option<String>,
    pub(crate) is_gauge: bool,
    pub(crate) samples: Vec<(Labels, f64)>,
}

pub(crate) type Labels = BTreeMap<String, String>;

/// Reads a whole exposition, or tells the line that breaks a rule.
pub(crate) fn read(text: &str) -> Result<Vec<Family>, String> {
    let lines = text
        .strip_suffix("# EOF\n")
        .ok_or("it does not end with # EOF")?;
    let mut families: Vec<Family> = Vec::new();
    let mut series = BTreeSet::new();
    for line in lines.split_terminator('\n') {
        read_line(line, &mut families, &mut series).map_err(|what| format!("{what}: {line}"))?;
    }
    if !lines.is_empty() && !lines.ends_with('\n') {
        return Err("the last line has no end".to_owned());
    }
    match families.iter().find(|family| family.samples.is_empty()) {
        Some(family) => Err(format!("{} has no samples", family.name)),
        None => Ok(families),
    }
}

fn read_line(
    line: &str,
    families: &mut Vec<Family>,
    series: &mut BTreeSet<(String, Labels)>,
) -> Result<(), &'static str> {
    let Some(descriptor) = line.strip_prefix("# ") else {
        let end = line.find(['{', ' ']).ok_or("a sample without a value")?;
        let family = families
            .last_mut()
            .filter(|family| family.name == line[..end]);
        let family = family.ok_or("a sample outside its family")?;
        let (labels, rest) = match line[end..].strip_prefix('{') {
            Some(rest) => read_labels(rest)?,
            None => (Labels::new(), &line[end..]),
        };
        let value = number(rest.strip_prefix(' ').ok_or("no blank before the value")?)?;
        if !family.is_gauge || family.help.is_none() {
            return Err("a sample before the type or the help");
        }
        if !series.insert((family.name.clone(), labels.clone())) {
            return Err("a series twice");
        }
        family.samples.push((labels, value));
        return Ok(());
    };
    let (keyword, rest) = descriptor.split_once(' ').ok_or("no name")?;
    let (name, text) = rest.split_once(' ').ok_or("no text")?;
    if !is_name(name, true) {
        return Err("no name of a metric");
    }
    if families.last().is_none_or(|family| family.name != name) {
        if families.iter().any(|family| family.name == name) {
            return Err("a family in two parts");
        }
        let name = name.to_owned();
        families.push(Family {
            name,
            ..Family::default()
        });
    }
    let family = families.last_mut().expect("it was pushed");
    if !family.samples.is_empty() {
        return Err("a descriptor after a sample");
    }
    match (keyword, text) {
        ("HELP", text) if family.help.is_none() => family.help = Some(unescaped(text)?),
        ("TYPE", "gauge") if !family.is_gauge => family.is_gauge = true,
        _ => return Err("a descriptor twice, or of an unknown kind"),
    }
    Ok(())
}

fn is_name(name: &str, may_have_colons: bool) -> bool {
    let is_letter =
        |char: char| char.is_ascii_alphabetic() || char == '_' || may_have_colons && char == ':';
    name.starts_with(is_letter)
        && name
            .chars()
            .all(|char| is_letter(char) || char.is_ascii_digit())
}

/// Reads labels up to the closing bracket, and returns what is behind it.
fn read_labels(mut rest: &str) -> Result<(Labels, &str), &'static str> {
    let mut labels = Labels::new();
    if let Some(after) = rest.strip_prefix('}') {
        return Ok((labels, after));
    }
    loop {
        let (name, value) = rest.split_once("=\"").ok_or("a label without a value")?;
        let mut is_escaped = false;
        let end = value.find(|char| {
            let is_end = char == '"' && !is_escaped;
            is_escaped = char == '\\' && !is_escaped;
            is_end
        });
        let end = end.ok_or("a value without an end")?;
        if !is_name(name, false) {
            return Err("no name of a label");
        }
        if labels
            .insert(name.to_owned(), unescaped(&value[..end])?)
            .is_some()
        {
            return Err("a label twice");
        }
        rest = &value[end + 1..];
        match rest.split_at_checked(1) {
            Some((",", after)) => rest = after,
            Some(("}", after)) => return Ok((labels, after)),
            _ => return Err("neither a comma nor an end behind a label"),
        }
    }
}

fn unescaped(text: &str) -> Result<String, &'static str> {
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        plain.push(match char {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some(char @ ('\\' | '"')) => char,
                _ => return Err("an unknown escape"),
            },
            char => char,
        });
    }
    Ok(plain)
}

fn number(text: &str) -> Result<f64, &'static str> {
    let is_real = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte))
    };
    match text {
        "+Inf" => Ok(f64::INFINITY),
        "-Inf" => Ok(f64::NEG_INFINITY),
        "NaN" => Ok(f64::NAN),
        text if is_real(text) => text.parse().map_err(|_| "no number"),
        _ => Err("no number"),
    }
}

#[test]
fn the_reader_refuses_what_the_grammar_does() {
    let head = "# HELP m text\n# TYPE m gauge\n";
    assert!(
        read(&format!(
            "{head}m{{a=\"\\\\ \\\" \\n\",b=\"}}\"}} 1.5\nm {{}} 1\n# EOF\n"
        ))
        .is_err()
    );
    assert!(
        read(&format!(
            "{head}m{{a=\"\\\\ \\\" \\n\",b=\"}}\"}} 1.5\nm{{}} +Inf\n# EOF\n"
        ))
        .is_ok()
    );
    for broken in [
        format!("{head}m 1\n"),
        format!("{head}m 1\nm 2\n# EOF\n"),
        format!("{head}m{{a=\"x}} 1\n# EOF\n"),
        format!("{head}m{{a=\"x\\y\"}} 1\n# EOF\n"),
        format!("{head}m{{a=\"x\",}} 1\n# EOF\n"),
        format!("{head}m{{a=\"x\",a=\"y\"}} 1\n# EOF\n"),
        format!("{head}m inf\n# EOF\n"),
        format!("{head}m 1 1700000000\n# EOF\n"),
        format!("{head}n 1\n# EOF\n"),
        format!("{head}# EOF\n"),
        format!("{head}{head}m 1\n# EOF\n"),
        format!(
            "{head}m 1\n# HELP n x\n# TYPE n gauge\nn 1\n# TYPE m gauge\nm{{a=\"b\"}} 1\n# EOF\n"
        ),
        "m 1\n# EOF\n".to_owned(),
    ] {
        assert!(read(&broken).is_err(), "{broken}");
    }
}
