//! Contents that are certainly no fairshare tree, detected by their first bytes, with advice.

mod commands;
mod json;
mod table;

use super::{Input, LoadError, LoadResult, Refusal};
use crate::format::slurm::companion::Companion;
use memchr::{memchr, memmem};
use std::ops::Range;

/// The longest line of a CSV or TOML file. PBS cuts lines itself.
pub(super) const LONGEST_LINE: usize = 1 << 20;

/// Where the sum of a header of tar is written.
const TAR_SUM: Range<usize> = 148..156;

/// How much of a file is examined to distinguish text from binary data.
const SAMPLE: usize = 4096;

const FROM_UTF_16: &str = "convert it first: iconv -f UTF-16 -t UTF-8 FILE | fairscope -";

/// Other formats that occur: their first bytes, what they are, and the advice.
const FOREIGN: &[(&[u8], &str, &str)] = &[
    (
        b"SQLite format 3\0",
        "an SQLite database, which must be opened by its path, with the files next to it",
        "give its path",
    ),
    (
        b"\x1f\x8b",
        "compressed with gzip",
        "decompress it first: zcat FILE | fairscope -",
    ),
    (
        b"BZh",
        "compressed with bzip2",
        "decompress it first: bzcat FILE | fairscope -",
    ),
    (
        b"\xfd7zXZ\0",
        "compressed with xz",
        "decompress it first: xzcat FILE | fairscope -",
    ),
    (
        b"\x28\xb5\x2f\xfd",
        "compressed with zstd",
        "decompress it first: zstdcat FILE | fairscope -",
    ),
    (b"\xff\xfe", "UTF-16 text", FROM_UTF_16),
    (b"\xfe\xff", "UTF-16 text", FROM_UTF_16),
    (
        b"PBS_MAG!",
        "a PBS usage file, which contains no tree",
        "open its sched_priv directory, or: fairscope RESOURCE_GROUP --usage FILE",
    ),
    (
        b"PK\x03\x04",
        "a zip archive",
        "unpack it and open the sched_priv directory or the file in it",
    ),
];

/// Texts of the schedulers that are no trees: words of their first line, what they are, and the advice.
const TEXTS: &[(&str, &str, &str)] = &[
    (
        "Fairshare usage units are in",
        "is the output of pbsfs, which leaves out the files' exact numbers",
        "open the sched_priv directory it was made from",
    ),
    (
        "fair_share",
        "seems to be a sched_config, which contains no tree",
        "open its sched_priv directory, or: fairscope RESOURCE_GROUP --sched-config FILE",
    ),
    (
        "FSInterval",
        "seems to be the output of diagnose -f of Maui or Moab, which is not one of the formats",
        EXPECTED,
    ),
];

/// Refuses contents that no format can read: compressed files, other encodings, web pages, databases.
pub(crate) fn check(input: &Input) -> LoadResult<()> {
    let name = input.name();
    let bytes = &input.bytes;
    for (magic, what, advice) in FOREIGN {
        if bytes.starts_with(magic) {
            return Err(Refusal::is(&name, what, advice).into());
        }
    }
    if is_tar(bytes) {
        let advice =
            "unpack it with tar -xf FILE, and open the sched_priv directory or the file in it";
        return Err(Refusal::is(&name, "a tar archive", advice).into());
    }
    if let Some(refusal) = commands::lookalike(&name, bytes) {
        return Err(refusal.into());
    }
    let text = without_mark(bytes).trim_ascii_start();
    let start = text[..text.len().min(PAGE.len())].to_ascii_lowercase();
    if start == PAGE || start.starts_with(b"<html") {
        let what = "a web page, perhaps the error of a failed download";
        return Err(Refusal::is(&name, what, "fetch the file itself again").into());
    }
    if is_yaml(text) {
        let what = "YAML, which is not one of the formats";
        let advice = "print JSON instead: sshare -a --json, or sacctmgr --json show assoc";
        return Err(Refusal::is(&name, what, advice).into());
    }
    Ok(())
}

/// How a web page begins, in lower case.
const PAGE: &[u8] = b"<!doctype html";

/// What can be opened.
const EXPECTED: &str = "expected a PBS sched_priv directory or a resource_group file, what sshare, scontrol show assoc_mgr or sacctmgr prints, a flux-accounting database, a CSV file with a header line such as parent,name,shares,usage,type, or fairscope's own TOML";

/// Returns the error for a source in none of the formats, with what it looks like.
pub(crate) fn refuse_unknown(input: &Input) -> Refusal {
    if let Some(refusal) = refuse_recognised(input) {
        return refusal;
    }
    let what = "text in an unknown format";
    let advice = format!("{EXPECTED}; or name the format with --format");
    Refusal::is(&input.name(), what, &advice)
}

/// Returns which output about jobs a file is by its beginning, or `None` if it is none.
pub(crate) fn companion(bytes: &[u8]) -> Option<Companion> {
    commands::companion(bytes).or_else(|| json::companion(bytes))
}

/// Returns what another output than that of a tree is, if a line is its heading.
pub(super) fn other_table(line: &[u8]) -> Option<&'static str> {
    commands::other_table(line)
}

/// Says what a source in none of the formats looks like, or `None` where it is any text.
pub(crate) fn refuse_recognised(input: &Input) -> Option<Refusal> {
    let name = input.name();
    let bytes = &input.bytes;
    if let Some(refusal) = json::refusal(&name, bytes) {
        return Some(refusal);
    }
    if is_piece_of_json(bytes) {
        let what = "a piece of JSON without its beginning";
        return Some(Refusal::is(
            &name,
            what,
            "give the whole output: sshare -a --json",
        ));
    }
    if is_json(bytes) {
        let what = "JSON, which is not one of the formats";
        return Some(Refusal::is(&name, what, EXPECTED));
    }
    if without_mark(bytes).trim_ascii().is_empty() {
        let advice = "expected a tree: check what should have written it";
        return Some(Refusal::does(&name, "contains only blanks", advice));
    }
    if let Some(refusal) = commands::refusal(&name, bytes) {
        return Some(refusal);
    }
    let lines = sample(bytes).split(|&byte| byte == b'\n');
    let mut lines = lines.map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && line[0] != b'#');
    let first = String::from_utf8_lossy(first.unwrap_or_default());
    for (words, what, advice) in TEXTS {
        if first.contains(words) {
            return Some(Refusal::does(&name, what, advice));
        }
    }
    if is_binary(bytes) {
        let what = "contains binary data, not text";
        return Some(Refusal::does(&name, what, EXPECTED));
    }
    table::refusal(&name, bytes)
}

/// Refuses a text file with an implausibly long line.
pub(crate) fn check_lines(input: &Input) -> LoadResult<()> {
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', &input.bytes).chain([input.bytes.len()]);
    for (number, end) in (1..).zip(ends) {
        if end - start > LONGEST_LINE {
            return Err(refuse_line(&input.name(), number));
        }
        start = end + 1;
    }
    Ok(())
}

/// Refuses a long text whose first line has no end, from its beginning. Only JSON is written in one line.
pub(crate) fn check_first_line(head: &Input) -> LoadResult<()> {
    let bytes = &head.bytes;
    let start = without_mark(bytes).trim_ascii_start();
    let is_json = matches!(start.first(), Some(b'{' | b'['));
    if is_json || memchr::memchr2(b'\n', b'\r', bytes).is_some() {
        return Ok(());
    }
    check(head)?;
    match refuse_recognised(head) {
        Some(refusal) => Err(refusal.into()),
        None => Err(refuse_line(&head.name(), 1)),
    }
}

/// Returns the error of a line of a file that is too long.
pub(super) fn refuse_line(file: &str, number: u64) -> LoadError {
    let clause = "the line is longer than 1 MiB";
    let advice = "expected one node or job on each line: check that the line ends are not lost";
    Refusal::at(file, &number.to_string(), clause, advice).into()
}

/// Returns whether a text begins with an object or a list of JSON.
fn is_json(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_start();
    let Some((first, rest)) = text.split_first() else {
        return false;
    };
    let second = rest.trim_ascii_start().first();
    match first {
        b'{' => matches!(second, Some(b'"' | b'}')),
        b'[' => matches!(second, Some(b'{' | b'"' | b']')),
        _ => false,
    }
}

/// Returns whether a text begins with a field of JSON: a name between quotes, a colon, and an object or a value.
fn is_piece_of_json(bytes: &[u8]) -> bool {
    let text = sample(bytes).trim_ascii_start();
    let end = memchr(b'\n', text).unwrap_or(text.len());
    let line = text[..end].trim_ascii_end();
    let has_colon = memmem::find(line, b"\": ").is_some();
    match line {
        [b'"', .., b'{' | b'[' | b','] => has_colon,
        _ => false,
    }
}

/// Returns whether a text is what a command of Slurm prints with `--yaml`.
fn is_yaml(text: &[u8]) -> bool {
    if text.starts_with(b"%YAML") {
        return true;
    }
    for key in ["shares_normalized:", "shares_raw:"] {
        if memmem::find(sample(text), key.as_bytes()).is_some() {
            return true;
        }
    }
    false
}

/// Returns whether the file begins with a header of tar: a block with its sum, whose digits count as blanks.
fn is_tar(bytes: &[u8]) -> bool {
    let Some(header) = bytes.first_chunk::<512>() else {
        return false;
    };
    let mut sum = 0;
    for (place, &byte) in header.iter().enumerate() {
        let is_of_sum = TAR_SUM.contains(&place);
        let counted = if is_of_sum { b' ' } else { byte };
        sum += u32::from(counted);
    }
    let mut words = header[TAR_SUM].split(|byte| matches!(byte, 0 | b' '));
    let digits = words.find(|word| !word.is_empty());
    match str::from_utf8(digits.unwrap_or_default()) {
        Ok(digits) => u32::from_str_radix(digits, 8) == Ok(sum),
        Err(_) => false,
    }
}

/// Returns whether a quarter of the first bytes are neither text nor blanks.
fn is_binary(bytes: &[u8]) -> bool {
    let mut odd = 0;
    for chunk in sample(bytes).utf8_chunks() {
        odd += chunk.invalid().len();
        for byte in chunk.valid().bytes() {
            let is_blank = matches!(byte, b'\t' | b'\n' | b'\r' | 0x0b | 0x0c);
            odd += usize::from(byte.is_ascii_control() && !is_blank);
        }
    }
    odd * 4 > sample(bytes).len()
}

/// Returns as much of a file as is examined.
fn sample(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len().min(SAMPLE)]
}

/// Returns a text without the byte order mark that some editors put at the beginning of a file.
pub(crate) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}
