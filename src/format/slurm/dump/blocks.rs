//! A dump as the lines of its file, block by block, so that it can be written back with few of them changed.

use super::ROOT;
use super::line::{Attribute, Lines, Object, Statement, value};
use super::spelling::account_name;
use crate::format::slurm::assoc::shares_of;
use crate::model::{Kind, NodeId, Shares, Tree};
use std::borrow::Cow;
use std::collections::HashMap;

/// The byte order mark of some files.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// A line of a file, with its continuation lines and its end.
pub(super) struct Piece<'a> {
    pub(super) raw: &'a [u8],
    pub(super) text: Cow<'a, [u8]>,
    /// Its parts; `None` for a comment, a QOS, an empty line, or an unknown one.
    pub(super) statement: Option<Statement>,
    /// The node that was read from it; `None` for lines about no node of the tree.
    pub(super) node: Option<NodeId>,
}

impl Piece<'_> {
    pub(super) fn object(&self) -> Option<Object> {
        self.statement.as_ref().map(|statement| statement.object)
    }

    /// Returns whether it begins a block: a Cluster or a Parent.
    pub(super) fn is_opening(&self) -> bool {
        matches!(self.object(), Some(Object::Cluster | Object::Parent))
    }

    /// Returns whether it is about an account or a user of the block.
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
}

/// The lines from a Cluster or Parent line to the next.
#[derive(Default)]
pub(super) struct Block<'a> {
    /// The account of its lines; `None` if it is not in the tree, or of another cluster.
    pub(super) account: Option<NodeId>,
    /// Whether it begins with a Parent line and not with that of a cluster.
    pub(super) is_named: bool,
    pub(super) pieces: Vec<Piece<'a>>,
}

/// Returns the blocks of a file from which a tree was read, and its byte order mark. Lines before the first Cluster or
/// Parent line form a block of the account root.
pub(super) fn blocks<'a>(file: &'a [u8], cluster: &str, tree: &Tree) -> (&'a [u8], Vec<Block<'a>>) {
    let mut ids = tree.nodes().to_vec();
    ids.sort_unstable();
    let mut accounts: HashMap<&[u8], NodeId> = HashMap::new();
    let mut users: HashMap<(NodeId, Vec<u8>, Vec<u8>), Vec<NodeId>> = HashMap::new();
    let user = |account, name: &[u8], partition: Option<&[u8]>| {
        (
            account,
            name.to_vec(),
            partition.unwrap_or_default().to_vec(),
        )
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
    let text = file.strip_prefix(MARK).unwrap_or(file);
    let mut block = Block {
        account: Some(NodeId::ROOT),
        ..Block::default()
    };
    let mut blocks = Vec::new();
    let mut is_ours = true;
    let mut start = 0;
    for line in Lines::new(text) {
        let mut piece = Piece {
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
