//! Compressed files, unpacked while they are read: gzip and zstd.

use super::{LoadResult, LookAtBytes, Meter, Refusal, SourceReader};
use std::io::Read;

/// The most that a compressed file may unpack to. A few kilobytes can contain any number of zeros.
const LARGEST: u64 = 512 << 20;

/// How many times its length a file may unpack to, if that is more than `ENOUGH`: gzip makes the JSON of idle users 130
/// times shorter, and zeros 1,030 times.
const MOST_TIMES: u64 = 160;

/// What every compressed file may unpack to.
const ENOUGH: u64 = 64 << 20;

/// How a file of gzip begins.
const GZIP: &[u8] = b"\x1f\x8b";

/// How a file of zstd begins.
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";

/// What unpacks a compressed file.
struct Unpacker<'a> {
    /// `None` if not even the beginning is intact.
    reader: Option<Box<dyn Read + 'a>>,
    /// The length of the text as the file tells it, in bytes; 0 if it does not.
    length: u64,
    /// The name of the compression.
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
    if !bytes.starts_with(ZSTD) {
        return None;
    }
    let mut unpacker = Unpacker {
        reader: None,
        length: 0,
        kind: "zstd",
        tool: "zstdcat",
    };
    if let Ok(reader) = ruzstd::decoding::StreamingDecoder::new(bytes) {
        unpacker.length = reader.decoder.content_size();
        unpacker.reader = Some(Box::new(reader));
    }
    Some(unpacker)
}

impl Unpacker<'_> {
    /// Says that a file of this name is damaged.
    fn damaged(&self, name: &str) -> Refusal {
        let what = format!("compressed with {} and damaged or cut off", self.kind);
        let advice = format!("copy it again, or check it with {}", self.tool);
        Refusal::is(name, &what, &advice)
    }

    /// Says that a file of this name unpacks to more than `most` bytes.
    fn too_large(&self, name: &str, most: u64) -> Refusal {
        let reason = if most < LARGEST {
            "too much for a file of its length"
        } else {
            "too large for a fairshare tree"
        };
        let what = format!("unpacks to more than {} MiB, {reason}", most >> 20);
        let advice = format!(
            "if it is a fairshare tree: {} FILE | fairscope -",
            self.tool
        );
        Refusal::does(name, &what, &advice)
    }
}

/// Returns whether bytes begin a file that is unpacked.
pub(super) fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(GZIP) || bytes.starts_with(ZSTD)
}

/// Returns the text of a file, unpacked if it is compressed. `look` sees what was read so far.
///
/// # Errors
///
/// The file is damaged, or unpacks to too much; or `look` or the meter ends it.
pub(super) fn unpacked(bytes: Vec<u8>, look: LookAtBytes, meter: Meter) -> LoadResult<Vec<u8>> {
    let Some(mut unpacker) = unpacker(&bytes) else {
        return Ok(bytes);
    };
    let name = meter.progress.file.clone();
    let Some(mut reader) = unpacker.reader.take() else {
        return Err(unpacker.damaged(&name).into());
    };
    let likely = MOST_TIMES * bytes.len() as u64;
    let most = likely.clamp(ENOUGH, LARGEST);
    // What is longer is damaged or too large, which is found further down.
    let length = if unpacker.length <= most {
        unpacker.length
    } else {
        0
    };
    let failed = |_| unpacker.damaged(&name).into();
    let mut source = SourceReader {
        limit: most + 1,
        expected: length,
        look,
        failed: &failed,
        meter,
    };
    let text = source.read(&mut *reader)?;
    if text.len() as u64 > most {
        return Err(unpacker.too_large(&name, most).into());
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
