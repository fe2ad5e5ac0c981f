//! Compressed files, unpacked while they are read: gzip and zstd.

use super::{LoadResult, LookAtBytes, Meter, Refusal, read_all};
use std::io::Read;

/// The most that a compressed file may unpack to. A few kilobytes can contain any number of zeros.
const LARGEST: u64 = 512 << 20;

/// How many times its length a file may unpack to, if that is more than `ENOUGH`: gzip makes the JSON of idle users 130
/// times shorter, and zeros 1,030 times.
const MOST_TIMES: u64 = 160;

/// What every compressed file may unpack to.
const ENOUGH: u64 = 64 << 20;

const GZIP: &[u8] = b"\x1f\x8b";

const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";

struct Unpacker<'a> {
    /// `None` if not even the beginning is intact.
    reader: Option<Box<dyn Read + 'a>>,
    /// The length of the text as the file tells it, in bytes; 0 if it does not.
    length: u64,
    kind: &'static str,
    /// The tool that unpacks as much as possible.
    tool: &'static str,
}

/// Returns the decompressor of the bytes, or `None` if they are not compressed, or in another way.
fn unpacker(bytes: &[u8]) -> Option<Unpacker<'_>> {
    if bytes.starts_with(GZIP) {
        let length = bytes.last_chunk().copied().map(u32::from_le_bytes);
        return Some(Unpacker {
            length: length.map_or(0, u64::from),
            reader: Some(Box::new(flate2::read::MultiGzDecoder::new(bytes))),
            kind: "gzip",
            tool: "zcat",
        });
    }
    bytes.starts_with(ZSTD).then(|| {
        let reader = ruzstd::decoding::StreamingDecoder::new(bytes).ok();
        let length = reader.as_ref().map(|reader| reader.decoder.content_size());
        Unpacker {
            length: length.unwrap_or(0),
            reader: reader.map(|reader| Box::new(reader) as Box<dyn Read + '_>),
            kind: "zstd",
            tool: "zstdcat",
        }
    })
}

pub(super) fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(GZIP) || bytes.starts_with(ZSTD)
}

pub(super) fn unpacked(
    bytes: Vec<u8>,
    look: LookAtBytes<'_>,
    meter: &mut Meter<'_>,
) -> LoadResult<Vec<u8>> {
    let Some(unpacker) = unpacker(&bytes) else {
        return Ok(bytes);
    };
    let (kind, tool) = (unpacker.kind, unpacker.tool);
    let most = ENOUGH.max(MOST_TIMES * bytes.len() as u64).min(LARGEST);
    // What is longer is damaged or too large, which is found further down.
    let length = Some(unpacker.length).filter(|&length| length <= most);
    let name = meter.progress.file.clone();
    let damaged = || {
        let what = format!("compressed with {kind} and damaged or cut off");
        let advice = format!("copy it again, or check it with {tool}");
        Refusal::is(&name, &what, &advice)
    };
    let mut reader = unpacker.reader.ok_or_else(damaged)?;
    let (limit, expected) = (most + 1, length.unwrap_or(0));
    let failed = |_| damaged().into();
    let text = read_all(&mut *reader, limit, expected, look, &failed, meter)?;
    if text.len() as u64 > most {
        let size = format!("unpacks to more than {} MiB", most >> 20);
        let what = if most < LARGEST {
            format!("{size}, too much for a file of its length")
        } else {
            format!("{size}, too large for a fairshare tree")
        };
        let advice = format!("if it is a fairshare tree: {tool} FILE | fairscope -");
        return Err(Refusal::does(&name, &what, &advice).into());
    }
    Ok(text)
}

/// Returns as much as possible of the unpacked beginning of a file.
pub(super) fn start(bytes: Vec<u8>, length: usize) -> Vec<u8> {
    let Some(reader) = unpacker(&bytes).and_then(|unpacker| unpacker.reader) else {
        return bytes;
    };
    let mut text = Vec::new();
    // The file was cut, so an error at the end is expected. The text before it is there.
    let _ = reader.take(length as u64).read_to_end(&mut text);
    text
}
