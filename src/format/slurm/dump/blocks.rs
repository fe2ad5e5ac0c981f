//! A dump as the lines of its file, block by block, so that it can be written back with few of them changed.

use super::line::{Fields, Lines, Object, object, value};
use super::{ROOT, is_key, is_shares_key};
use crate::format::slurm::assoc::shares_of;
use crate::model::Shares;

/// The byte order mark of some files.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The subject of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum About {
    /// The beginning of a block: a Cluster or a Parent.
    Opening,
    /// An account of the block.
    Account,
    /// A user of the block, in the partition if one is given.
    User(Option<Vec<u8>>),
    /// A comment, a QOS, an empty line, or an unknown one.
    Other,
}

/// A line of a file, with its continuation lines and its end.
pub(super) struct Piece<'a> {
    pub(super) raw: &'a [u8],
    pub(super) about: About,
    /// The name after the dash; empty for other lines.
    pub(super) name: Vec<u8>,
    /// The shares of the line, which are 1 if it gives none that Slurm accepts.
    pub(super) shares: Shares,
    /// The DefaultAccount of the line.
    pub(super) default_account: Option<Vec<u8>>,
    /// Whether the line has WCKeys.
    pub(super) has_wckeys: bool,
}

/// The lines from a Cluster or Parent line to the next.
pub(super) struct Block<'a> {
    /// The account of its lines.
    pub(super) account: Vec<u8>,
    /// Whether it is of the chosen cluster.
    pub(super) is_ours: bool,
    /// Whether it begins with a Parent line and not with that of a cluster.
    pub(super) is_named: bool,
    pub(super) pieces: Vec<Piece<'a>>,
}

/// Returns the blocks of a file, and its byte order mark. Lines before the first Cluster or Parent line form a block of
/// the account root.
pub(super) fn blocks<'a>(file: &'a [u8], cluster: &str) -> (&'a [u8], Vec<Block<'a>>) {
    let text = file.strip_prefix(MARK).unwrap_or(file);
    let mut blocks = vec![Block {
        account: ROOT.to_vec(),
        is_ours: true,
        is_named: false,
        pieces: Vec::new(),
    }];
    let mut is_ours = true;
    let mut start = 0;
    for line in Lines::new(text) {
        let (kind, piece) = piece(&line.text, &text[start..line.end]);
        start = line.end;
        if piece.about == About::Opening {
            let is_named = kind == Some(Object::Parent);
            if !is_named {
                is_ours = String::from_utf8_lossy(&piece.name) == cluster;
            }
            blocks.push(Block {
                account: if is_named {
                    piece.name.clone()
                } else {
                    ROOT.to_vec()
                },
                is_ours,
                is_named,
                pieces: Vec::new(),
            });
        }
        let last = blocks.len() - 1;
        blocks[last].pieces.push(piece);
    }
    (&file[..file.len() - text.len()], blocks)
}

/// Returns the subject of a line.
fn piece<'a>(line: &[u8], raw: &'a [u8]) -> (Option<Object>, Piece<'a>) {
    let mut piece = Piece {
        raw,
        about: About::Other,
        name: Vec::new(),
        shares: Shares::new(1),
        default_account: None,
        has_wckeys: false,
    };
    let is_comment = line.first().is_none_or(|&byte| byte == b'#');
    let known = object(line).filter(|_| !is_comment);
    let Some((kind, rest)) = known.filter(|(kind, _)| *kind != Object::Qos) else {
        return (None, piece);
    };
    let mut fields = Fields::new(rest);
    let name = value(fields.next().unwrap_or_default());
    if name.is_empty() {
        return (None, piece);
    }
    piece.name = name.into_owned();
    let mut partition = None;
    for field in fields {
        let Some(at) = memchr::memchr(b'=', field) else {
            continue;
        };
        let (key, text) = (field[..at].trim_ascii(), value(&field[at + 1..]));
        if is_shares_key(key) {
            piece.shares = shares_of(&text).unwrap_or(Shares::new(1));
        } else if is_key(key, b"Partition", 1) {
            partition = Some(text.into_owned()).filter(|name| !name.is_empty());
        } else if is_key(key, DEFAULT_ACCOUNT, 8) {
            piece.default_account = Some(text.into_owned());
        } else if is_key(key, b"WCKeys", 2) {
            piece.has_wckeys = true;
        }
    }
    piece.about = match kind {
        Object::Cluster | Object::Parent => About::Opening,
        Object::Account => About::Account,
        Object::User => About::User(partition),
        Object::Qos => About::Other,
    };
    (Some(kind), piece)
}

/// The attribute for the account of a user's jobs that name none.
pub(super) const DEFAULT_ACCOUNT: &[u8] = b"DefaultAccount";
