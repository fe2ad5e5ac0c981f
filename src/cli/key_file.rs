//! The key file of pseudonyms. Whoever has it can find the name behind a pseudonym, so only its owner may read it.

use super::source::go_on;
use crate::base::number::hex;
use crate::base::save::{SaveError, save_private};
use crate::base::shell::word;
use crate::base::shown::{Shown, sentence};
use crate::format::{LoadError, input};
use crate::model::Pseudonyms;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// The length of a key in bytes.
const LENGTH: usize = 32;

/// The key, from which pseudonyms are computed.
type Key = [u8; LENGTH];

/// What a new key file tells its owner, above the key.
const HEADING: &str = "# The key of fairscope's pseudonyms. Keep it: the same key gives the same pseudonyms.\n\
                       # Keep it secret: with it, guessed names can be checked.\n";

/// Why a key file gives no pseudonyms.
#[derive(Debug, thiserror::Error)]
pub(super) enum KeyFileError {
    /// The file cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The new file cannot be written.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// Others may read it, by the permissions in octal digits. `word` is its path in a command.
    #[error(
        "the key file {name} has permissions {mode}, and nobody but its owner may read a key; run chmod 600 {word}, or \
         make a new key if somebody did"
    )]
    Exposed {
        name: Shown,
        mode: Shown,
        word: Shown,
    },
    /// Somebody else owns it, who can read it and replace it.
    #[error(
        "the key file {0} belongs to another user, who can read and replace it; name a file that does not exist yet to \
         make a key of your own"
    )]
    Foreign(Shown),
    /// It is another file.
    #[error(
        "{0} is no key file of fairscope: expected a line of 64 hexadecimal digits; name a file that does not exist yet \
         to make a new key"
    )]
    Other(Shown),
    /// The system gives no random numbers.
    #[error("no key can be made: {0}; name the key file of another machine with --anonymise FILE")]
    Random(Shown),
}

/// Returns the pseudonyms of a key file, which is made with a random key if it does not exist.
pub(super) fn pseudonyms(path: &Path) -> Result<Pseudonyms, KeyFileError> {
    if !input::is_there(path)? {
        let key = make(path)?;
        return Ok(Pseudonyms::new(key));
    }
    let file = input::open(path)?;
    let metadata = match file.metadata() {
        Ok(metadata) => metadata,
        Err(error) => return Err(input::not_opened(path, error).into()),
    };
    let name = input::name(path);
    let user = rustix::process::geteuid();
    if metadata.uid() != user.as_raw() {
        return Err(KeyFileError::Foreign(name));
    }
    let mode = metadata.mode() & 0o7777;
    if mode & 0o077 != 0 {
        return Err(KeyFileError::Exposed {
            name,
            mode: sentence!("{mode:04o}"),
            word: word(path, "FILE"),
        });
    }
    let read = input::read_as_is(path, &mut go_on)?;
    for line in read.bytes.split(|&byte| byte == b'\n') {
        if let Some(key) = key(line.trim_ascii()) {
            return Ok(Pseudonyms::new(key));
        }
    }
    Err(KeyFileError::Other(name))
}

/// Reads a line of hexadecimal digits, two for each byte; `None` for another line.
fn key(line: &[u8]) -> Option<Key> {
    if line.len() != 2 * LENGTH {
        return None;
    }
    let mut key = [0; LENGTH];
    let pairs = line.chunks_exact(2);
    for (byte, pair) in key.iter_mut().zip(pairs) {
        let digits = std::str::from_utf8(pair).ok()?;
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    Some(key)
}

/// Makes a random key, and saves it so that only its owner can read it.
fn make(path: &Path) -> Result<Key, KeyFileError> {
    let mut key = [0; LENGTH];
    if let Err(error) = getrandom::fill(&mut key) {
        return Err(KeyFileError::Random(Shown::error(&error)));
    }
    let digits = hex(&key);
    let text = format!("{HEADING}{digits}\n");
    save_private(path, text.as_bytes())?;
    Ok(key)
}
