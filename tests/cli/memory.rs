//! What has no room in memory is refused, or ends the run, with one sentence.

use crate::support::expected::Expected as _;
use crate::support::random::Random;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output};

/// Runs fairscope where its address space is limited to so many kibibytes.
fn limited(kib: u32, args: &[&str]) -> Output {
    Command::new("sh")
        .args(["-c", "ulimit -v \"$0\"; exec \"$@\"", &kib.to_string()])
        .arg(env!("CARGO_BIN_EXE_fairscope"))
        .args(args)
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("there is a shell")
}

/// Returns the error of a run that finds no room.
fn refusal(kib: u32, args: &[&str]) -> String {
    let ran = limited(kib, args);
    let error = String::from_utf8(ran.stderr).unwrap();
    assert!(
        ran.status.code() == Some(2) && ran.stdout.is_empty(),
        "{error}"
    );
    error
}

/// Writes rows of CSV below accounts of a hundred.
fn write_tree(file: &Path, rows: usize) {
    let row = |row: usize| match (row, row % 100) {
        (row, 0) => format!("a{row},,1\n"),
        (row, place) => format!("u{row},a{},1\n", row - place),
    };
    let rows: String = (0..rows).map(row).collect();
    std::fs::write(file, format!("name,parent,shares\n{rows}")).unwrap();
}

#[test]
fn a_tree_without_room_ends_with_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tree.csv");
    let path = file.to_str().unwrap();
    write_tree(&file, 3_000_000);
    for command in ["show", "check"] {
        let error = refusal(300_000, &[command, path]);
        let sentence = "fairscope: out of memory: end other programs, raise the limit (ulimit -v), or open a smaller tree\n";
        error.must_end(sentence);
    }
    // A tenth of it fits.
    write_tree(&file, 300_000);
    let ran = limited(300_000, &["convert", path, "--to", "csv"]);
    let error = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && error.is_empty(), "{error}");
}

/// Returns what gzip makes of a text.
fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// Returns a zstd file of rows of a CSV, repeated in blocks that hold one byte and its number. `length` is what its
/// header tells of its length, if anything. The noise is stored as it is.
pub(super) fn zstd(blocks: usize, length: Option<u64>, noise: &[u8]) -> Vec<u8> {
    /// The largest block.
    const BLOCK: u32 = 1 << 17;
    let head = b"name,parent,shares\na,,1\n";
    let mut file = b"\x28\xb5\x2f\xfd".to_vec();
    // Eight bytes for the length or none, and a window of a megabyte.
    file.extend([if length.is_some() { 0xc0 } else { 0x00 }, 0x50]);
    file.extend(length.into_iter().flat_map(u64::to_le_bytes));
    // A block as it is, and blocks of a repeated byte, the last of which ends the file.
    file.extend(&(u32::try_from(head.len()).unwrap() << 3).to_le_bytes()[..3]);
    file.extend(head);
    for noise in noise.chunks(1 << 17) {
        file.extend(&(u32::try_from(noise.len()).unwrap() << 3).to_le_bytes()[..3]);
        file.extend(noise);
    }
    for block in (0..blocks).rev() {
        let header = BLOCK << 3 | 1 << 1 | u32::from(block == 0);
        file.extend(&header.to_le_bytes()[..3]);
        file.push(b'\n');
    }
    file
}

#[test]
fn a_compressed_file_without_room_is_refused_as_a_plain_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tree.csv");
    let path = file.to_str().unwrap();
    let mut text = b"name,parent,shares\na,,1\n".to_vec();
    text.resize(2 << 20, b'\n');
    // A file that unpacks to 300 MiB has a length of its own. The last bytes tell the length. Nobody gets that far.
    let mut random = Random::new(1);
    let noise = |place| match place % 100 {
        0 => b'\n',
        _ => b' ' + u8::try_from(random.below(90)).unwrap(),
    };
    let noise: Vec<u8> = (0..3_u32 << 20).map(noise).collect();
    let mut zipped = gzip(&[&text[..1 << 20], &noise].concat());
    let length = zipped.last_chunk_mut().unwrap();
    assert_eq!(*length, (4_u32 << 20).to_le_bytes());
    *length = (300_u32 << 20).to_le_bytes();
    for packed in [zipped, zstd(16, Some(300 << 20), &noise)] {
        std::fs::write(&file, packed).unwrap();
        assert_eq!(
            refusal(300_000, &["show", path]),
            format!(
                "fairscope: {path} needs 300 MiB of memory, which are not available; end other programs, raise the limit \
                 (ulimit -v), or open a smaller tree\n"
            )
        );
    }
    for packed in [
        gzip(&text),
        zstd(16, Some(2 << 20), b""),
        zstd(16, None, b""),
    ] {
        std::fs::write(&file, packed).unwrap();
        let ran = limited(300_000, &["convert", path, "--to", "csv"]);
        let error = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{error}");
    }
}

#[test]
fn a_tree_without_room_is_not_generated() {
    let args = ["generate", "--users", "10000000000", "--to", "csv"];
    assert_eq!(
        refusal(300_000, &args),
        "fairscope: a tree of 10,000,000,000 users needs about 1,125,336 MiB of memory, which are not available; end \
         other programs, raise the limit (ulimit -v), or generate fewer users\n"
    );
    let ran = limited(400_000, &["generate", "--users", "200000", "--to", "csv"]);
    assert!(ran.status.success(), "{ran:?}");
}

#[test]
fn a_file_without_room_is_refused_before_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tree.csv");
    write_tree(&file, 100_000);
    // The rest is a hole.
    let tree = std::fs::File::options().append(true).open(&file).unwrap();
    tree.set_len(1 << 30).unwrap();
    let path = file.to_str().unwrap();
    assert_eq!(
        refusal(400_000, &["show", path]),
        format!(
            "fairscope: {path} needs 1,024 MiB of memory, which are not available; end other programs, raise the limit \
             (ulimit -v), or open a smaller tree\n"
        )
    );
}
