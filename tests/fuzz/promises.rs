//! What every output keeps to, whatever the input.

use super::server::Served;

/// Returns whether a character could do something to a terminal, or hide.
pub(crate) fn is_hidden(char: char) -> bool {
    char.is_control()
        || matches!(
            char,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Checks that a text is one that a terminal draws as it is. Line ends are allowed.
pub(crate) fn check_text(what: &str, bytes: &[u8]) -> Result<(), String> {
    let text =
        std::str::from_utf8(bytes).map_err(|error| format!("{what} is no UTF-8: {error}"))?;
    let hidden = text.chars().find(|&char| char != '\n' && is_hidden(char));
    match hidden {
        None => Ok(()),
        Some(char) => {
            let line = text.lines().find(|line| line.contains(char));
            let line = line.unwrap_or_default().escape_debug();
            Err(format!("{what} holds U+{:04X}: {line:.300}", char as u32))
        }
    }
}

/// Returns the value of an option, which is the next word or follows a `=`.
fn value<'a>(words: &'a [Vec<u8>], option: &str) -> Option<&'a [u8]> {
    let place = words.iter().rposition(|word| {
        word.strip_prefix(option.as_bytes())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"="))
    })?;
    match words[place].strip_prefix(option.as_bytes())? {
        [_, value @ ..] => Some(value),
        [] => words.get(place + 1).map(Vec::as_slice),
    }
}

/// Checks the outputs of a command line: exit code, sentences, and that the output is of its form.
pub(crate) fn check(words: &[Vec<u8>], served: &Served) -> Result<(), String> {
    if !(0..=2).contains(&served.code) {
        return Err(format!("the exit code is {}", served.code));
    }
    let command = words.first().map_or(&b""[..], Vec::as_slice);
    if command == b"pbsfs" {
        // Names go out as the real pbsfs prints them.
        return Ok(());
    }
    check_text("standard error", &served.stderr)?;
    if served.code == 2 {
        check_refusal(served)?;
        return Ok(());
    }
    let out = &served.stdout;
    if is_about_itself(words, out) {
        return check_text("standard output", out);
    }
    if matches!(command, b"convert" | b"generate") {
        return match value(words, "--to") {
            _ if value(words, "--out").is_some() => check_text("standard output", out),
            Some(b"toml") => check_toml(out),
            // A table that is one already goes out as it came in.
            Some(b"csv") if command == b"convert" => Ok(()),
            Some(b"csv") => check_csv(out),
            Some(b"flux-json") => check_json(out),
            _ => Ok(()),
        };
    }
    match (command, value(words, "--format-out")) {
        (_, Some(b"json")) => check_json(out),
        (_, Some(b"csv")) => check_csv(out),
        _ => check_text("standard output", out),
    }
}

/// Returns whether the output is the help or the version, which is text whatever the form of the output.
fn is_about_itself(words: &[Vec<u8>], out: &[u8]) -> bool {
    let asks = words.iter().any(|word| {
        matches!(
            word.as_slice(),
            b"help" | b"-h" | b"--help" | b"-V" | b"--version"
        )
    });
    let answers =
        out.starts_with(b"fairscope ") || memchr::memmem::find(out, b"Usage: fairscope").is_some();
    asks && answers
}

/// Checks that the last thing said is a sentence that ends properly.
fn check_refusal(served: &Served) -> Result<(), String> {
    let said = String::from_utf8_lossy(&served.stderr);
    let wrong = |what: &str| Err(format!("{what}: {said:?}"));
    let Some(last) = said.lines().rev().find(|line| !line.trim().is_empty()) else {
        return wrong("nothing says why it could not run");
    };
    if last.ends_with([':', ';', ',']) {
        return wrong("the sentence is not complete");
    }
    if ["Some(", "None)", "Err(", "Os {", "kind: "]
        .iter()
        .any(|part| said.contains(part))
    {
        return wrong("the sentence is written for programmers");
    }
    Ok(())
}

fn check_json(bytes: &[u8]) -> Result<(), String> {
    let parsed = serde_json::from_slice::<serde::de::IgnoredAny>(bytes);
    parsed.map_err(|error| format!("the JSON cannot be read: {error}"))?;
    check_text("JSON", bytes)
}

fn check_csv(bytes: &[u8]) -> Result<(), String> {
    // Each record must have as many fields as the first.
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(bytes);
    let mut record = csv::ByteRecord::new();
    loop {
        match reader.read_byte_record(&mut record) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(error) => return Err(format!("the CSV cannot be read: {error}")),
        }
    }
}

fn check_toml(bytes: &[u8]) -> Result<(), String> {
    let text = std::str::from_utf8(bytes).map_err(|error| format!("TOML is no UTF-8: {error}"))?;
    let parsed = toml::from_str::<toml::Table>(text);
    parsed.map_err(|error| format!("the TOML cannot be read: {error:.300}"))?;
    let hidden = text
        .chars()
        .find(|&char| !matches!(char, '\n' | '\t') && is_hidden(char));
    hidden.map_or(Ok(()), |char| {
        Err(format!("TOML holds U+{:04X}", char as u32))
    })
}
