//! Changes of a file as accidents and attackers make them.

use super::names::NAMES;
use crate::support::random::Random;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write as _;

/// Numbers that no tree should have.
const NUMBERS: [&str; 22] = [
    "0",
    "-1",
    "-0",
    "4294967295",
    "4294967296",
    "2147483648",
    "-2147483649",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "1e308",
    "1e309",
    "-1e309",
    "1e-320",
    "nan",
    "-nan",
    "inf",
    "-inf",
    "0x10",
    "99999999999999999999999999999999999999999999",
    "1.7976931348623157e308",
    "",
];

/// Bytes that separate fields.
const SEPARATORS: &[u8] = b"|,;:=\t \"'";

/// The longest file that is made: repeated lines that are repeated again would fill the memory of the tests.
const LONGEST: usize = 4 << 20;

/// Changes a file in one to four ways.
pub(crate) fn mutated(random: &mut Random, bytes: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let few = 1 + random.below(4) * random.below(2);
    for _ in 0..few {
        bytes = match random.below(24) {
            0..=2 => flip(random, bytes),
            3..=8 => lines(random, &bytes),
            9..=11 => swap_fields(random, &bytes),
            12..=15 => replace_word(random, &bytes, u8::is_ascii_digit),
            16..=18 => replace_word(random, &bytes, u8::is_ascii_alphabetic),
            19 => {
                let length = random.below(bytes.len() + 1);
                bytes.truncate(length);
                bytes
            }
            20 => insert(random, bytes, b"\0\0"),
            21 => insert(random, bytes, b"\xff\xfe\xc3"),
            22 => splice(random, bytes, other),
            _ => whole(random, &bytes),
        };
        bytes.truncate(LONGEST);
    }
    bytes
}

fn flip(random: &mut Random, mut bytes: Vec<u8>) -> Vec<u8> {
    for _ in 0..=random.below(8) {
        if bytes.is_empty() {
            break;
        }
        let place = random.below(bytes.len());
        bytes[place] = u8::try_from(random.below(256)).expect("it is below 256");
    }
    bytes
}

/// Drops, doubles, swaps, joins or repeats lines.
fn lines(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    if lines.is_empty() {
        return Vec::new();
    }
    let place = random.below(lines.len());
    match random.below(5) {
        0 => {
            lines.remove(place);
        }
        1 => lines.insert(place, lines[place]),
        2 => {
            let other = random.below(lines.len());
            lines.swap(place, other);
        }
        3 => lines[place] = lines[place].trim_ascii_end(),
        _ => {
            let many = random.below(200);
            let again = vec![lines[place]; many];
            lines.splice(place..place, again);
        }
    }
    lines.concat()
}

/// Swaps two fields of a line, or empties one.
fn swap_fields(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = bytes
        .split_inclusive(|&byte| byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    if lines.is_empty() {
        return Vec::new();
    }
    let place = random.below(lines.len());
    let separator = SEPARATORS[random.below(SEPARATORS.len())];
    let mut fields: Vec<&[u8]> = lines[place].split(|&byte| byte == separator).collect();
    let (one, two) = (random.below(fields.len()), random.below(fields.len()));
    if one == two {
        fields[one] = b"";
    } else {
        fields.swap(one, two);
    }
    lines[place] = fields.join(&separator);
    lines.concat()
}

/// Replaces a number or a name.
fn replace_word(random: &mut Random, bytes: &[u8], is_part: fn(&u8) -> bool) -> Vec<u8> {
    let starts: Vec<usize> = (0..bytes.len())
        .filter(|&place| is_part(&bytes[place]) && (place == 0 || !is_part(&bytes[place - 1])))
        .collect();
    if starts.is_empty() {
        return bytes.to_vec();
    }
    let start = starts[random.below(starts.len())];
    let length = bytes[start..]
        .iter()
        .take_while(|byte| is_part(byte))
        .count();
    let new = if bytes[start].is_ascii_digit() {
        NUMBERS[random.below(NUMBERS.len())].to_owned()
    } else if random.below(12) == 0 {
        "long".repeat(random.below(3000))
    } else {
        NAMES[random.below(NAMES.len())].to_owned()
    };
    [&bytes[..start], new.as_bytes(), &bytes[start + length..]].concat()
}

fn insert(random: &mut Random, mut bytes: Vec<u8>, what: &[u8]) -> Vec<u8> {
    let place = random.below(bytes.len() + 1);
    bytes.splice(place..place, what.iter().copied());
    bytes
}

/// Puts a part of another file into this one.
fn splice(random: &mut Random, mut bytes: Vec<u8>, other: &[u8]) -> Vec<u8> {
    let start = random.below(other.len() + 1);
    let end = start + random.below((other.len() - start).min(2000) + 1);
    let place = random.below(bytes.len() + 1);
    bytes.splice(place..place, other[start..end].iter().copied());
    bytes
}

/// Changes the whole file: its line ends, its encoding, or how it is packed.
fn whole(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let text = || String::from_utf8_lossy(bytes);
    match random.below(6) {
        0 => text().replace('\n', "\r\n").into_bytes(),
        1 => [b"\xef\xbb\xbf", bytes].concat(),
        2 => text().encode_utf16().flat_map(u16::to_le_bytes).collect(),
        3 => text().replace('\n', "").into_bytes(),
        4 => text().replace('\n', "\r").into_bytes(),
        _ => {
            let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
            packer.write_all(bytes).expect("memory takes it");
            let mut packed = packer.finish().expect("memory takes it");
            if random.below(2) == 0 {
                packed.truncate(packed.len() / 2);
            }
            packed
        }
    }
}
