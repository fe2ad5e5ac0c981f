//! Reads escapes back.

/// Returns the bytes of a name from what was written of it: as it is shown, or as it stands in a path.
pub fn read_back(text: &[u8]) -> Vec<u8> {
    let mut name = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'\\' {
            let length = unescape(after, &mut name).unwrap_or(0);
            rest = &after[length..];
        } else {
            name.push(byte);
        }
    }
    name
}

/// Reads what follows a backslash and adds what it stands for to a name. Returns how many bytes were read, or `None` if
/// nothing follows. A character without a meaning after a backslash stands for itself.
pub fn unescape(text: &[u8], name: &mut Vec<u8>) -> Option<usize> {
    let (&first, after) = text.split_first()?;
    match first {
        b'e' => name.push(b'\x1b'),
        b'n' => name.push(b'\n'),
        b'r' => name.push(b'\r'),
        b't' => name.push(b'\t'),
        b'x' => {
            if let Some(value) = after.get(..2).and_then(hexadecimal) {
                name.push(u8::try_from(value).ok()?);
                return Some(3);
            }
            name.push(first);
        }
        b'u' => {
            if let Some((char, length)) = braced(after) {
                name.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
                return Some(1 + length);
            }
            name.push(first);
        }
        _ => name.push(first),
    }
    Some(1)
}

/// Reads `{20}`: the character of a number, and the length.
fn braced(text: &[u8]) -> Option<(char, usize)> {
    let digits = text.strip_prefix(b"{")?;
    let length = digits.iter().position(|&byte| byte == b'}')?;
    let char = char::from_u32(hexadecimal(&digits[..length])?)?;
    Some((char, length + 2))
}

/// Reads up to six hexadecimal digits, without a sign.
fn hexadecimal(digits: &[u8]) -> Option<u32> {
    let is_number = (1..=6).contains(&digits.len()) && digits.iter().all(u8::is_ascii_hexdigit);
    let digits = std::str::from_utf8(digits).ok().filter(|_| is_number)?;
    u32::from_str_radix(digits, 16).ok()
}
