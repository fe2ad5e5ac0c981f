//! Files that say what shares should be: a list of them, or any tree; where the shares of a tree differ from theirs, and
//! the fewest edits that make them equal.

pub use crate::format::desired::DesiredShares;

use super::detect::recognize;
use super::opened::Opened;
use super::{load, load_inputs};
use crate::base::shown::{Shown, sentence, shown, shown_path};
use crate::format::desired::{LEFT_OUT, read};
use crate::format::input::{self, PathKind};
use crate::format::problem::{Place, Problems};
use crate::format::{Format, LoadError, LoadResult, OnProgress, Request, flux};
use crate::model::{
    DEEPEST_PATH, Kind, NodeId, PathError, Settings, Tree, Usage, nodes_meant, only,
    path_for_people, path_of,
};
use crate::scenario::{Edit, Scenario, root_or, split_new};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::rc::Rc;

/// How many unknown names get suggestions: each is a search through the tree.
const SUGGESTED: usize = 20;

/// A file of desired shares.
#[derive(Clone, Debug)]
pub struct DesiredFile {
    /// Its shares.
    pub list: Vec<DesiredShares>,
    /// The lines that could not be read.
    pub problems: Problems,
    /// The columns that are not read.
    pub notes: Problems,
    /// Whether nodes are added that the tree lacks.
    pub adds: bool,
    /// The account of those whose own it does not tell.
    pub below: Option<Vec<u8>>,
}

impl DesiredFile {
    /// Reads a file. Fails if it cannot be read, or if it tells no shares.
    pub fn read(path: &Path, below: Option<Vec<u8>>, report: OnProgress<'_>) -> LoadResult<Self> {
        let mut desired = Self {
            list: Vec::new(),
            problems: Problems::of(input::name(path)),
            notes: Problems::of(input::name(path)),
            adds: true,
            below,
        };
        let request = Request::to_open(path);
        let is_file = path.as_os_str() == "-"
            || input::look(path)? == PathKind::File && !flux::is_database(path)?;
        let loaded = if is_file {
            let recognized = recognize(input::read(path, &mut *report)?);
            recognized.check()?;
            if matches!(recognized.format(), None | Some(Format::Csv)) {
                let told = read(&recognized.input)?;
                return Ok(Self {
                    list: told.list,
                    problems: told.problems,
                    notes: told.notes,
                    ..desired
                });
            }
            load_inputs(vec![recognized.input], &request, report)?
        } else {
            load(&request, report)?
        };
        let opened = Opened::new(loaded, None);
        desired.problems.append(opened.source.problems.errors());
        let (tree, base) = (opened.scenario.tree(), opened.scenario.base());
        let without: HashSet<NodeId> = base.recorded.without_shares.iter().copied().collect();
        let is_told = |node: NodeId| {
            let is_edited = || tree.shares(node) != base.tree.shares(node);
            !without.contains(&node) || is_edited()
        };
        // To PBS, the shares of `unknown` are a setting.
        let nodes = tree.nodes().iter().skip(1);
        let nodes = nodes.filter(|&&node| Some(node) != tree.unknown() && is_told(node));
        let list = nodes.filter_map(|&node| {
            // A name alone tells no account, and at the top nothing else does.
            let is_bare = tree.depth(node) == 1 && tree.ordinal(node).is_none();
            let slash = if is_bare { "/" } else { "" };
            Some(DesiredShares {
                place: [slash, &path_of(tree, node)?].concat().into_bytes(),
                kind: Some(tree.kind(node)).filter(|_| !tree.kinds_follow_shape()),
                shares: tree.shares(node),
                line: None,
            })
        });
        desired.list = list.collect();
        if desired.list.is_empty() {
            let file = input::name(path);
            return Err(LoadError::Refused(sentence!(
                "{file} tells no shares; expected a tree whose nodes have shares"
            )));
        }
        Ok(desired)
    }
}

/// The differences of a tree from a file of desired shares.
#[derive(Clone, Debug)]
pub struct Drift {
    /// The scenario with the desired shares. One edit changes what the tree has and adds to its accounts, and one more
    /// adds each further level.
    pub edited: Scenario,
    /// How many nodes the file names, those that the tree lacks included.
    pub named: usize,
    /// How many it does not name. They stay as they are.
    pub unnamed: usize,
    /// How many nodes have other shares.
    pub differing: usize,
    /// How many nodes the tree lacks.
    pub missing: usize,
    /// Accounts that are elsewhere in the file, and their places there. They stay where they are.
    pub moved: Vec<(NodeId, Shown)>,
    /// The file, as the user knows it, and its lines that are left out.
    pub problems: Problems,
    /// The columns of the file that are not read.
    pub notes: Problems,
}

impl Drift {
    /// Compares the tree of a scenario with a file. Fails if the account for new nodes is unknown.
    pub fn of(scenario: &Scenario, desired: &DesiredFile) -> Result<Self, PathError> {
        let tree = scenario.tree();
        let mut drift = Self {
            edited: scenario.clone(),
            named: 0,
            unnamed: 0,
            differing: 0,
            missing: 0,
            moved: Vec::new(),
            problems: desired.problems.clone(),
            notes: desired.notes.clone(),
        };
        let mut comparing = Comparing {
            tree: tree.clone(),
            settings: scenario.settings().clone(),
            below: None,
            adds: desired.adds,
            lines: HashMap::new(),
            found: Lookups::default(),
        };
        let below = desired.below.as_ref();
        let below = below.map(|path| comparing.account(path));
        let below = below.transpose().map_err(|error| error.suggesting(tree));
        comparing.below = below?;
        let mut left: Vec<&DesiredShares> = desired.list.iter().collect();
        let mut errors = Vec::new();
        // The lines of an edit name only nodes that were there before it.
        for _ in 0..DEEPEST_PATH {
            let mut edits = Vec::new();
            errors.clear();
            comparing.found = Lookups::default();
            let found = left.drain(..).map(|it| (it, comparing.edit(it)));
            for (wanted, edit) in found.collect::<Vec<_>>() {
                match edit {
                    Ok((edit, is_elsewhere)) => {
                        let Some((node, edit)) = comparing.make(edit, wanted, &mut drift.problems)
                        else {
                            continue;
                        };
                        let place = || shown_path(&String::from_utf8_lossy(&wanted.place));
                        drift.moved.extend(is_elsewhere.then(|| (node, place())));
                        edits.extend(edit);
                    }
                    Err(error) => {
                        left.push(wanted);
                        errors.push((wanted.line, error));
                    }
                }
            }
            let added = edits.iter().filter(|edit| matches!(edit, Edit::Add { .. }));
            drift.missing += added.count();
            drift.differing += edits.len();
            let made = match edits.len() {
                0 => break,
                1 => drift.edited.apply(edits.remove(0)),
                _ => drift.edited.apply(Edit::Batch(edits)),
            };
            debug_assert!(made.is_ok(), "each was made to a copy: {made:?}");
        }
        drift.differing -= drift.missing;
        for (place, (line, error)) in errors.into_iter().enumerate() {
            let error = match place {
                ..SUGGESTED => error.suggesting(tree),
                _ => error,
            };
            let why = Shown::error(&error);
            refuse(&mut drift.problems, line, "desired-unknown", why);
        }
        drift.problems.sort();
        drift.named = comparing.lines.len();
        let nodes = tree.nodes().iter().skip(1);
        let nodes = nodes.filter(|&&node| Some(node) != tree.unknown());
        let unnamed = nodes.filter(|node| !comparing.lines.contains_key(node));
        drift.unnamed = unnamed.count();
        Ok(drift)
    }
}

fn refuse(problems: &mut Problems, line: Option<u64>, code: &'static str, why: Shown) {
    problems.refuse(line.map_or(Place::WHOLE, Place::from), code, why, LEFT_OUT);
}

struct Comparing {
    /// The tree with the edits so far.
    tree: Tree,
    settings: Settings,
    /// The account of new nodes whose own is not told.
    below: Option<NodeId>,
    adds: bool,
    /// The nodes that the file names, and their lines.
    lines: HashMap<NodeId, Option<u64>>,
    /// What was found in the tree as it is.
    found: Lookups,
}

/// A name, and the kind of node that is meant; `None` if the file does not say.
type Meaning = (Vec<u8>, Option<Kind>);

/// What several lines look for: a file may name one user of 100,000 accounts in as many lines.
#[derive(Default)]
struct Lookups {
    /// The nodes of a kind that an ambiguous name means.
    meant: HashMap<Meaning, Rc<[NodeId]>>,
    /// The accounts of a name.
    accounts: HashMap<Vec<u8>, Rc<[NodeId]>>,
    /// Whether an account has users and nothing else.
    of_users: HashMap<NodeId, bool>,
}

impl Comparing {
    /// Returns the edit that gives a node its shares, or adds it; and whether it is elsewhere in the file.
    fn edit(&mut self, wanted: &DesiredShares) -> Result<(Edit, bool), PathError> {
        let (place, shares) = (&wanted.place[..], wanted.shares);
        let set = |node| Edit::SetShares { node, shares };
        let nodes = self.meant(place, wanted.kind).unwrap_or_default();
        if !nodes.is_empty() {
            return Ok((set(only(&self.tree, place, &nodes)?), false));
        }
        let is_user = wanted.kind == Some(Kind::User);
        let kind = if is_user { Kind::User } else { Kind::Account };
        let (above, name, partition) = split_new(place, &self.settings, kind);
        if !is_user && name == b"root" {
            return Ok((set(NodeId::ROOT), false));
        }
        let unknown = || PathError::Unknown {
            name: shown(place),
            near: Vec::new(),
        };
        let parent = match (above, self.below) {
            (Some(above), _) => self.account(above),
            (None, below) => below.ok_or_else(unknown),
        };
        let mut of_other_kind = None;
        if let (Some(_), Ok(parent)) = (above, &parent) {
            let tree = &self.tree;
            let here = tree.children_named(*parent, &name, partition.as_deref());
            let position = |node: &NodeId| tree.order().position(*node);
            let is_of_kind = |node: &NodeId| wanted.kind.is_none_or(|kind| self.is(*node, kind));
            let of_kind = here.iter().copied().filter(is_of_kind);
            if let Some(node) = of_kind.min_by_key(position) {
                return Ok((set(node), false));
            }
            of_other_kind = here.into_iter().min_by_key(position);
        }
        // An account has one place, and users may have several.
        if let (false, Some(above)) = (is_user, above)
            && let [node] = *self.accounts_named(&name)
        {
            return Ok((set(node), !above.is_empty()));
        }
        // A list of accounts may have users as well, and no second node of the name fits there.
        if let Some(node) = of_other_kind {
            return Ok((set(node), false));
        }
        let parent = parent?;
        if !self.adds {
            return Err(unknown());
        }
        // Of unknown kind it is a user where its account has users and nothing else.
        let usual = if self.is_of_users(parent) {
            Kind::User
        } else {
            kind
        };
        let kind = wanted.kind.unwrap_or(usual);
        let add = Edit::Add {
            parent,
            name,
            partition,
            kind,
            shares,
            usage: Usage::NONE,
        };
        Ok((add, false))
    }

    fn is(&self, node: NodeId, kind: Kind) -> bool {
        self.tree.kinds_follow_shape() || self.tree.kind(node) == kind
    }

    /// Returns the nodes that a text means, of one kind or of any. `None` if there is nothing of that path or name.
    fn meant(&mut self, text: &[u8], kind: Option<Kind>) -> Option<Rc<[NodeId]>> {
        let nodes = nodes_meant(&self.tree, text);
        let of_kind = |nodes: &[NodeId]| {
            let nodes = nodes.iter().copied();
            nodes
                .filter(|&node| kind.is_none_or(|kind| self.is(node, kind)))
                .collect()
        };
        match nodes.len() {
            0 => None,
            1 => Some(of_kind(&nodes)),
            _ => {
                let key = (text.to_vec(), kind);
                let known = self.found.meant.get(&key).cloned();
                let nodes = known.unwrap_or_else(|| of_kind(&nodes));
                self.found.meant.insert(key, Rc::clone(&nodes));
                Some(nodes)
            }
        }
    }

    /// Returns the accounts of a name, in tree order.
    fn accounts_named(&mut self, name: &[u8]) -> Rc<[NodeId]> {
        if let Some(known) = self.found.accounts.get(name) {
            return Rc::clone(known);
        }
        let named = self.tree.nodes_named(name);
        let named = named.iter().copied();
        let accounts: Rc<[NodeId]> = named.filter(|&node| self.is(node, Kind::Account)).collect();
        let found = &mut self.found.accounts;
        found.insert(name.to_vec(), Rc::clone(&accounts));
        accounts
    }

    /// Returns whether an account has users and nothing else.
    fn is_of_users(&mut self, account: NodeId) -> bool {
        let tree = &self.tree;
        let found = self.found.of_users.entry(account);
        *found.or_insert_with(|| {
            let mut members = tree.children(account).peekable();
            let has_users = account != NodeId::ROOT && members.peek().is_some();
            has_users && members.all(|node| tree.kind(node) == Kind::User)
        })
    }

    /// Finds an account by its path, or by its name if it is elsewhere.
    fn account(&mut self, text: &[u8]) -> Result<NodeId, PathError> {
        let text = root_or(text);
        let nodes = self.meant(text, Some(Kind::Account)).unwrap_or_else(|| {
            let (_, name, _) = split_new(text, &self.settings, Kind::Account);
            self.accounts_named(&name)
        });
        only(&self.tree, text, &nodes)
    }

    /// Makes an edit, unless the root is meant. Returns its node, and the edit if it changes anything; or reports why not.
    fn make(
        &mut self,
        edit: Edit,
        wanted: &DesiredShares,
        problems: &mut Problems,
    ) -> Option<(NodeId, Option<Edit>)> {
        let (node, is_equal) = match edit {
            Edit::SetShares { node, shares } => (node, self.tree.shares(node) == shares),
            _ => (NodeId::from_index(self.tree.id_count()), false),
        };
        if node == NodeId::ROOT {
            return None;
        }
        if let Some(&Some(first)) = self.lines.get(&node) {
            let name = path_for_people(&self.tree, node);
            let why = sentence!("{name} is already on line {first}; keep one of the two lines");
            refuse(problems, wanted.line, "desired-twice", why);
            return None;
        }
        if let Err(error) = edit.apply(&mut self.tree, &mut self.settings) {
            let why = Shown::error(&error);
            refuse(problems, wanted.line, "desired-refused", why);
            return None;
        }
        self.lines.insert(node, wanted.line);
        Some((node, (!is_equal).then_some(edit)))
    }
}
