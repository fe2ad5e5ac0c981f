//! Outputs that were copied from a terminal, a mail or a web page: removes prompts, quotation marks, colours, and line
//! ends of Windows. Every line keeps its number.

use super::without_mark;
use std::borrow::Cow;

/// How many lines are examined to detect quotation.
const SAMPLE: usize = 200;

/// The commands whose outputs can be opened.
const COMMANDS: &[&str] = &["sshare", "sacctmgr", "scontrol", "sreport", "fairscope"];

/// Returns the text without what copying added; the text itself if there is nothing to remove.
pub(crate) fn tidy(text: &[u8]) -> Cow<'_, [u8]> {
    let mut tidy = Cow::Borrowed(without_mark(text));
    if memchr::memchr(0x1b, &tidy).is_some() {
        tidy = Cow::Owned(without_escapes(&tidy));
    }
    if memchr::memchr(b'\r', &tidy).is_some() || memchr::memmem::find(&tidy, b"\xc2\xa0").is_some()
    {
        tidy = Cow::Owned(plain(&tidy));
    }
    while let Some(unquoted) = unquoted(&tidy) {
        tidy = Cow::Owned(unquoted);
    }
    tidy = flush(&tidy).map_or(tidy, Cow::Owned);
    without_prompts(&tidy).map_or(tidy, Cow::Owned)
}

/// Returns the text without the escape sequences of a terminal for colours and titles.
fn without_escapes(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = memchr::memchr(0x1b, rest) {
        plain.extend_from_slice(&rest[..start]);
        let sequence = &rest[start + 1..];
        let after = sequence.get(1..).unwrap_or_default();
        let is_end = match sequence.first() {
            // The letter that ends the sequence.
            Some(b'[') => |byte: &u8| matches!(byte, b'@'..=b'~' | b'\n'),
            // The bell after a title.
            Some(b']') => |byte: &u8| matches!(byte, 0x07 | 0x1b | b'\n'),
            Some(b'(' | b')') => |_: &u8| true,
            other => {
                plain.push(0x1b);
                plain.extend(other);
                rest = after;
                continue;
            }
        };
        let end = after.iter().position(is_end).unwrap_or(after.len());
        // A line end remains.
        let is_line_end = after.get(end).is_none_or(|&byte| byte == b'\n');
        rest = &after[end + usize::from(!is_line_end)..];
    }
    plain.extend_from_slice(rest);
    plain
}

/// Returns the text with unusual line ends and blanks replaced.
fn plain(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        match text[at..] {
            // A single one ends a line, as on old machines; one of several does not.
            [b'\r', b'\n' | b'\r', ..] | [] => {}
            [b'\r', ..] => plain.push(b'\n'),
            [0xc2, 0xa0, ..] => {
                plain.push(b' ');
                at += 1;
            }
            [byte, ..] => plain.push(byte),
        }
        at += 1;
    }
    plain
}

fn sample(text: &[u8]) -> impl Iterator<Item = &[u8]> + Clone {
    let lines = text.split(|&byte| byte == b'\n').take(SAMPLE);
    lines.filter(|line| !line.trim_ascii().is_empty())
}

/// Returns the text without the marks of a quotation or a comment, or `None` if few lines have one.
fn unquoted(text: &[u8]) -> Option<Vec<u8>> {
    let mark = [b'>', b'#'].into_iter().find(|&mark| {
        let count = sample(text).count();
        let marked = sample(text).filter(|line| line[0] == mark).count();
        count > 1 && marked * 10 >= count * 9
    })?;
    let strip = |line: &[u8]| match line.strip_prefix(&[mark]) {
        Some(rest) => rest.strip_prefix(b" ").unwrap_or(rest).to_vec(),
        None => line.to_vec(),
    };
    let lines: Vec<Vec<u8>> = text.split(|&byte| byte == b'\n').map(strip).collect();
    Some(lines.join(&b'\n'))
}

/// Returns the text without the blanks with which all its lines begin, as in a wiki, or `None` if there are none.
fn flush(text: &[u8]) -> Option<Vec<u8>> {
    let blanks = |line: &[u8]| line.iter().take_while(|byte| **byte == b' ').count();
    let all = text.split(|&byte| byte == b'\n');
    let filled = all.clone().filter(|line| !line.trim_ascii().is_empty());
    // One of the first lines usually has none.
    if filled.clone().take(SAMPLE).any(|line| blanks(line) == 0) {
        return None;
    }
    let least = filled.map(blanks).min().filter(|&least| least > 0)?;
    let lines = all.map(|line| line.get(least..).unwrap_or_default());
    Some(lines.collect::<Vec<_>>().join(&b'\n'))
}

/// Returns the text with empty lines for prompts, with their commands, and code fences, or `None` if there are none.
fn without_prompts(text: &[u8]) -> Option<Vec<u8>> {
    if !may_have_prompts(text) {
        return None;
    }
    let is_left_out = |line: &[u8]| {
        let line = line.trim_ascii();
        line.starts_with(b"```") || std::str::from_utf8(line).is_ok_and(is_prompt)
    };
    let all = text.split(|&byte| byte == b'\n');
    if !all.clone().any(is_left_out) {
        return None;
    }
    let lines = all.map(|line| if is_left_out(line) { b"" } else { line });
    Some(lines.collect::<Vec<_>>().join(&b'\n'))
}

/// Returns whether a text has any byte with which a mark of a prompt or a code fence begins. Few outputs have one.
fn may_have_prompts(text: &[u8]) -> bool {
    // The last is the first byte of ❯.
    memchr::memchr3(b'$', b'#', b'%', text).is_some()
        || memchr::memchr3(b'>', b'`', 0xe2, text).is_some()
}

fn is_prompt(line: &str) -> bool {
    let typed = |rest: &str| {
        let words = rest.split_whitespace();
        let words = words.map(|word| word.rsplit('/').next().unwrap_or(word));
        let mut words = words.skip_while(|word| matches!(*word, "sudo" | "time" | "watch"));
        words.next().is_some_and(|word| COMMANDS.contains(&word))
    };
    let Some(end) = line.find(['$', '#', '%', '>', '❯']) else {
        return false;
    };
    let mark = line[end..].chars().next().map_or(1, char::len_utf8);
    let (host, rest) = (&line[..end], &line[end + mark..]);
    if host.contains('|') {
        return false;
    }
    let is_apart = rest.is_empty() || rest.starts_with(' ');
    let is_host = host.contains('@') && !host.trim_end_matches([']', ' ']).contains("  ");
    let is_bare = matches!(rest.trim(), "" | "exit" | "logout");
    let is_shells = host.starts_with('[') || host.contains(':');
    is_apart && (typed(rest) || (is_host && is_bare && is_shells))
}
