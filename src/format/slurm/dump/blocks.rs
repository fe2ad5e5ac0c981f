//! A dump as the lines of its file, block by block, so that it can be written back with few of them changed. Within a
//! changed line everything else stays as it was typed, including quotes, order and comments.

use super::ROOT;
use super::line::{
    Attribute, Object, Statement, account_name, is_quote, lines, places, quote, value,
};
use crate::format::input::without_mark;
use crate::format::slurm::assoc::shares_of;
use crate::model::{Kind, NodeId, Shares, Tree};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// A line of a file, with its continuation lines and its end.
pub(super) struct DumpPiece<'a> {
    pub(super) raw: &'a [u8],
    pub(super) text: Cow<'a, [u8]>,
    /// Its parts; `None` for a comment, a QOS, an empty line, or an unknown one.
    pub(super) statement: Option<Statement>,
    /// The node that was read from it; `None` for lines about no node of the tree.
    pub(super) node: Option<NodeId>,
}

impl DumpPiece<'_> {
    pub(super) fn object(&self) -> Option<Object> {
        self.statement.as_ref().map(|statement| statement.object)
    }

    pub(super) fn is_opening(&self) -> bool {
        matches!(self.object(), Some(Object::Cluster | Object::Parent))
    }

    pub(super) fn is_member(&self) -> bool {
        matches!(self.object(), Some(Object::Account | Object::User))
    }

    /// Returns the name after the dash; empty for lines without parts.
    pub(super) fn name(&self) -> Cow<'_, [u8]> {
        let statement = self.statement.as_ref();
        statement.map_or_else(Cow::default, |own| value(&self.text[own.name.clone()]))
    }

    pub(super) fn value(&self, attribute: Attribute) -> Option<Cow<'_, [u8]>> {
        self.statement.as_ref()?.value(&self.text, attribute)
    }

    /// Returns the shares, which are 1 if the line gives none that Slurm accepts.
    pub(super) fn shares(&self) -> Shares {
        let shares = self.value(Attribute::Shares);
        let shares = shares.and_then(|text| shares_of(&text));
        shares.unwrap_or(Shares::new(1))
    }

    /// Returns the line with its changes, or `None` if an open quote leaves no place for them.
    /// `accounts` has the new names of accounts by their old ones.
    pub(super) fn rewritten(
        &self,
        name: Option<&[u8]>,
        shares: Option<Shares>,
        accounts: &HashMap<Vec<u8>, Vec<u8>>,
    ) -> Option<Vec<u8>> {
        let statement = self.statement.as_ref()?;
        let name = name.map(|name| (statement.name.clone(), quote(name)));
        let mut changes: Vec<(Range<usize>, Vec<u8>)> = name.into_iter().collect();
        let mut shares_at = None;
        for (attribute, place) in &statement.attributes {
            let names = value(&self.text[place.clone()]);
            let new = |name: &[u8]| accounts.get(name).map(Vec::as_slice);
            let renamed = match attribute {
                Attribute::DefaultAccount => new(&names).map(quote),
                Attribute::Coordinator => {
                    let listed = || names.split(|&byte| byte == b',');
                    let is_any_new = listed().any(|name| new(name).is_some());
                    let names = listed().map(|name| new(name).unwrap_or(name));
                    is_any_new.then(|| quote(&names.collect::<Vec<_>>().join(&b',')))
                }
                _ => None,
            };
            if *attribute == Attribute::Shares {
                shares_at = Some(place.clone());
            }
            changes.extend(renamed.map(|names| (place.clone(), names)));
        }
        if let Some(count) = shares {
            changes.push(match shares_at {
                Some(place) => {
                    let mark = self.text.get(place.start).copied();
                    let mark = mark.filter(|&byte| is_quote(byte)).map(char::from);
                    let mark = mark.map_or_else(String::new, String::from);
                    let number = format!("{mark}{}{mark}", stored(count));
                    (place, number.into_bytes())
                }
                None if statement.is_open => return None,
                None => {
                    let shares = format!(":Fairshare={}", stored(count));
                    (statement.end..statement.end, shares.into_bytes())
                }
            });
        }
        changes.sort_by_key(|(place, _)| place.start);
        let places = places(self.raw);
        let mut line = self.raw.to_vec();
        for (place, text) in changes.into_iter().rev() {
            line.splice(in_file(&place, &places)?, text);
        }
        Some(line)
    }
}

/// The lines from a Cluster or Parent line to the next.
#[derive(Default)]
pub(super) struct Block<'a> {
    /// The account of its lines; `None` if it is not in the tree, or of another cluster.
    pub(super) account: Option<NodeId>,
    /// Whether it begins with a Parent line and not with that of a cluster.
    pub(super) is_named: bool,
    pub(super) pieces: Vec<DumpPiece<'a>>,
}

/// Returns the blocks of a file from which a tree was read, and its byte order mark. Lines before the first Cluster or
/// Parent line form a block of the account root.
pub(super) fn blocks<'a>(file: &'a [u8], cluster: &str, tree: &Tree) -> (&'a [u8], Vec<Block<'a>>) {
    let mut ids = tree.nodes().to_vec();
    ids.sort_unstable();
    let mut accounts: HashMap<&[u8], NodeId> = HashMap::new();
    let mut users: HashMap<(NodeId, Vec<u8>, Vec<u8>), Vec<NodeId>> = HashMap::new();
    let user = |account, name: &[u8], partition: Option<&[u8]>| {
        let partition = partition.unwrap_or_default().to_vec();
        (account, name.to_vec(), partition)
    };
    // Of several users of one name the line given first is that of the oldest.
    for &node in ids.iter().rev() {
        match tree.parent(node).filter(|_| tree.kind(node) == Kind::User) {
            Some(parent) => {
                let key = user(parent, tree.name(node), tree.partition(node));
                users.entry(key).or_default().push(node);
            }
            None => _ = accounts.insert(account_name(tree, node), node),
        }
    }
    let text = without_mark(file);
    let mut block = Block {
        account: Some(NodeId::ROOT),
        ..Block::default()
    };
    let mut blocks = Vec::new();
    let mut is_ours = true;
    let mut start = 0;
    for line in lines(text) {
        let mut piece = DumpPiece {
            raw: &text[start..line.end],
            statement: Statement::of(&line.text),
            text: line.text,
            node: None,
        };
        start = line.end;
        let is_comment = piece.text.starts_with(b"#");
        if is_comment || piece.object() == Some(Object::Qos) || piece.name().is_empty() {
            piece.statement = None;
        }
        if piece.is_opening() {
            let is_named = piece.object() == Some(Object::Parent);
            if !is_named {
                is_ours = String::from_utf8_lossy(&piece.name()) == cluster;
            }
            let name = piece.name();
            let name = if is_named { &*name } else { ROOT };
            let account = accounts.get(name).filter(|_| is_ours).copied();
            let next = Block {
                account,
                is_named,
                pieces: Vec::new(),
            };
            blocks.push(std::mem::replace(&mut block, next));
        } else if is_ours {
            piece.node = match piece.object() {
                Some(Object::Account) => accounts.get(&*piece.name()).copied(),
                Some(Object::User) => block.account.and_then(|account| {
                    let partition = piece.value(Attribute::Partition);
                    let key = user(account, &piece.name(), partition.as_deref());
                    users.get_mut(&key).and_then(Vec::pop)
                }),
                _ => None,
            };
        }
        block.pieces.push(piece);
    }
    blocks.push(block);
    (&file[..file.len() - text.len()], blocks)
}

/// Returns shares as Slurm's own dumps write them: `parent` is a number there.
pub(super) fn stored(shares: Shares) -> String {
    shares.count().unwrap_or(Shares::STORED_PARENT).to_string()
}

/// Returns what precedes the first word of a line: blanks, or the prefix of the command.
pub(super) fn lead(raw: &[u8]) -> &[u8] {
    &raw[..places(raw).first().copied().unwrap_or(0)]
}

/// Returns the range in the file of a part of a line.
fn in_file(place: &Range<usize>, places: &[usize]) -> Option<Range<usize>> {
    if place.is_empty() {
        let before = place.start.checked_sub(1).and_then(|at| places.get(at))?;
        return Some(before + 1..before + 1);
    }
    Some(*places.get(place.start)?..places.get(place.end - 1)? + 1)
}
