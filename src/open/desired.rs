//! Files that say what shares should be: a list of them, or any tree; where the shares of a tree differ from theirs, and
//! the fewest edits that make them equal.

pub use crate::format::desired::DesiredShares;

use super::detect::recognize;
use super::opened::Opened;
use super::refused;
use super::{load, load_inputs};
use crate::base::shown::{Shown, sentence, shown, shown_path};
use crate::format::desired::{LEFT_OUT, read};
use crate::format::input::{self, PathKind};
use crate::format::problem::{Place, Problems};
use crate::format::{Format, LoadResult, OnProgress, Request, flux};
use crate::model::{
    DEEPEST_PATH, Kind, NodeId, PathError, Settings, Tree, Usage, nodes_meant, only,
    path_for_people, path_of,
};
use crate::scenario::{Edit, NewNode, Scenario, root_or};
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
        let loaded = if is_text_file(path)? {
            let recognized = recognize(input::read(path, report)?);
            recognized.check()?;
            if matches!(recognized.format(), None | Some(Format::Csv)) {
                let told = read(&recognized.input)?;
                desired.list = told.list;
                desired.problems = told.problems;
                desired.notes = told.notes;
                return Ok(desired);
            }
            load_inputs(vec![recognized.input], &request, report)?
        } else {
            load(&request, report)?
        };
        let opened = Opened::new(loaded, None);
        desired.problems.append(opened.source.problems.errors());
        desired.list = shares_of_tree(&opened.scenario);
        if desired.list.is_empty() {
            let file = input::name(path);
            return refused(sentence!(
                "{file} tells no shares; expected a tree whose nodes have shares"
            ));
        }
        Ok(desired)
    }
}

/// Returns whether a path is standard input, or a file that is no database.
fn is_text_file(path: &Path) -> LoadResult<bool> {
    if path.as_os_str() == "-" {
        return Ok(true);
    }
    Ok(input::look(path)? == PathKind::File && !flux::is_database(path)?)
}

/// Returns the shares that a tree states, with its edits. Nodes that are too deep for a path are left out.
fn shares_of_tree(scenario: &Scenario) -> Vec<DesiredShares> {
    let tree = scenario.tree();
    let base = scenario.base();
    let unstated: HashSet<NodeId> = base.recorded.without_shares.iter().copied().collect();
    let mut list = Vec::new();
    for &node in tree.nodes().iter().skip(1) {
        // To PBS, the shares of `unknown` are a setting.
        if Some(node) == tree.unknown() {
            continue;
        }
        if unstated.contains(&node) && tree.shares(node) == base.tree.shares(node) {
            continue;
        }
        let Some(path) = path_of(tree, node) else {
            continue;
        };
        // A name alone tells no account, and at the top nothing else does.
        let is_bare = tree.depth(node) == 1 && tree.ordinal(node).is_none();
        let place = if is_bare { format!("/{path}") } else { path };
        let kind = if tree.kinds_follow_shape() {
            None
        } else {
            Some(tree.kind(node))
        };
        list.push(DesiredShares {
            place: place.into_bytes(),
            kind,
            shares: tree.shares(node),
            line: None,
        });
    }
    list
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
    pub fn between(scenario: &Scenario, desired: &DesiredFile) -> Result<Self, PathError> {
        let mut comparison = Comparison::new(scenario, desired);
        if let Some(path) = &desired.below {
            let below = comparison.account(path);
            comparison.below = Some(below.map_err(|error| error.suggesting(scenario.tree()))?);
        }
        let mut left: Vec<&DesiredShares> = desired.list.iter().collect();
        let mut unfound = Vec::new();
        // The lines of an edit name only nodes that were there before it.
        for _ in 0..DEEPEST_PATH {
            let mut edits = Vec::new();
            unfound = comparison.match_lines(&left, &mut edits);
            if edits.is_empty() {
                break;
            }
            comparison.apply(edits);
            left = unfound.iter().map(|line| line.wanted).collect();
        }
        Ok(comparison.finish(unfound, scenario.tree()))
    }
}

/// Reports a line of the file that is left out.
fn refuse(problems: &mut Problems, line: Option<u64>, code: &'static str, why: Shown) {
    let place = match line {
        Some(line) => Place::from(line),
        None => Place::WHOLE,
    };
    problems.refuse(place, code, why, LEFT_OUT);
}

/// A line of the file whose node or account is not there yet.
struct UnfoundLine<'a> {
    /// The line.
    wanted: &'a DesiredShares,
    /// Why its path names no node.
    error: PathError,
}

/// The edit that a line of the file asks for.
struct LineEdit {
    /// The edit.
    edit: Edit,
    /// Whether its account is elsewhere in the file.
    is_elsewhere: bool,
}

impl LineEdit {
    /// Returns the edit that gives a node the shares of a line.
    fn shares(node: NodeId, wanted: &DesiredShares) -> Self {
        let shares = wanted.shares;
        Self {
            edit: Edit::SetShares { node, shares },
            is_elsewhere: false,
        }
    }
}

/// A line that was applied to the compared tree.
struct AppliedLine {
    /// The node that the line names.
    node: NodeId,
    /// The edit; `None` if the node had these shares already.
    edit: Option<Edit>,
}

/// A tree while it is compared with a file.
struct Comparison {
    /// What was found so far.
    drift: Drift,
    /// The tree with the edits so far.
    tree: Tree,
    /// The settings of the scenario.
    settings: Settings,
    /// The account of new nodes whose own is not told.
    below: Option<NodeId>,
    /// Whether nodes are added that the tree lacks.
    adds: bool,
    /// The nodes that the file names, and their lines.
    lines: HashMap<NodeId, Option<u64>>,
    /// What was found in the tree as it is.
    found: Lookups,
}

/// A name, and the kind of node that is meant.
#[derive(PartialEq, Eq, Hash)]
struct Meaning {
    /// The name or path as the file writes it.
    text: Vec<u8>,
    /// `None` if the file does not say.
    kind: Option<Kind>,
}

/// What several lines look for: a file may name one user of 100,000 accounts in as many lines.
#[derive(Default)]
struct Lookups {
    /// The nodes that an ambiguous name means.
    meant: HashMap<Meaning, Rc<[NodeId]>>,
    /// The accounts of a name.
    accounts: HashMap<Vec<u8>, Rc<[NodeId]>>,
    /// Whether an account has users and nothing else.
    of_users: HashMap<NodeId, bool>,
}

impl Comparison {
    /// Begins with the tree of a scenario.
    fn new(scenario: &Scenario, desired: &DesiredFile) -> Self {
        Self {
            drift: Drift {
                edited: scenario.clone(),
                named: 0,
                unnamed: 0,
                differing: 0,
                missing: 0,
                moved: Vec::new(),
                problems: desired.problems.clone(),
                notes: desired.notes.clone(),
            },
            tree: scenario.tree().clone(),
            settings: scenario.settings().clone(),
            below: None,
            adds: desired.adds,
            lines: HashMap::new(),
            found: Lookups::default(),
        }
    }

    /// Adds the edits of the lines that fit the tree as it is, and returns the other lines.
    fn match_lines<'a>(
        &mut self,
        lines: &[&'a DesiredShares],
        edits: &mut Vec<Edit>,
    ) -> Vec<UnfoundLine<'a>> {
        self.found = Lookups::default();
        // Every line is looked up before any of them changes the tree.
        let mut looked_up = Vec::with_capacity(lines.len());
        for wanted in lines {
            looked_up.push(self.edit(wanted));
        }
        let mut unfound = Vec::new();
        for (&wanted, found) in lines.iter().zip(looked_up) {
            let LineEdit { edit, is_elsewhere } = match found {
                Ok(found) => found,
                Err(error) => {
                    unfound.push(UnfoundLine { wanted, error });
                    continue;
                }
            };
            let Some(applied) = self.apply_line(edit, wanted) else {
                continue;
            };
            if is_elsewhere {
                let place = shown_path(&String::from_utf8_lossy(&wanted.place));
                self.drift.moved.push((applied.node, place));
            }
            edits.extend(applied.edit);
        }
        unfound
    }

    /// Applies the edits of one pass to the scenario, and counts them.
    fn apply(&mut self, mut edits: Vec<Edit>) {
        for edit in &edits {
            match edit {
                Edit::Add { .. } => self.drift.missing += 1,
                _ => self.drift.differing += 1,
            }
        }
        let made = if edits.len() == 1 {
            self.drift.edited.apply(edits.remove(0))
        } else {
            self.drift.edited.apply(Edit::Batch(edits))
        };
        debug_assert!(made.is_ok(), "each was made to a copy: {made:?}");
    }

    /// Reports the lines that were not found in the tree, and counts what the file names.
    fn finish(mut self, unfound: Vec<UnfoundLine<'_>>, tree: &Tree) -> Drift {
        for (place, UnfoundLine { wanted, error }) in unfound.into_iter().enumerate() {
            let error = if place < SUGGESTED {
                error.suggesting(tree)
            } else {
                error
            };
            let why = Shown::error(&error);
            refuse(
                &mut self.drift.problems,
                wanted.line,
                "desired-unknown",
                why,
            );
        }
        self.drift.problems.sort();
        self.drift.named = self.lines.len();
        for node in tree.nodes().iter().skip(1) {
            if Some(*node) != tree.unknown() && !self.lines.contains_key(node) {
                self.drift.unnamed += 1;
            }
        }
        self.drift
    }

    /// Returns the edit that gives a node its shares, or adds it.
    fn edit(&mut self, wanted: &DesiredShares) -> Result<LineEdit, PathError> {
        let place = &wanted.place[..];
        let nodes = self.meant(place, wanted.kind).unwrap_or_default();
        if !nodes.is_empty() {
            let node = only(&self.tree, place, &nodes)?;
            return Ok(LineEdit::shares(node, wanted));
        }
        let is_user = wanted.kind == Some(Kind::User);
        let kind = if is_user { Kind::User } else { Kind::Account };
        let NewNode {
            account: above,
            name,
            partition,
        } = NewNode::at(place, &self.settings, kind);
        if !is_user && name == b"root" {
            return Ok(LineEdit::shares(NodeId::ROOT, wanted));
        }
        let parent = match (above, self.below) {
            (Some(above), _) => self.account(above),
            (None, Some(below)) => Ok(below),
            (None, None) => Err(unknown(place)),
        };
        let mut of_other_kind = None;
        if let (Some(_), Ok(parent)) = (above, &parent) {
            let here = self
                .tree
                .children_named(*parent, &name, partition.as_deref());
            if let Some(node) = self.first_of(&here, wanted.kind) {
                return Ok(LineEdit::shares(node, wanted));
            }
            of_other_kind = self.first_of(&here, None);
        }
        // An account has one place, and users may have several.
        if let (false, Some(above)) = (is_user, above)
            && let [node] = *self.accounts_named(&name)
        {
            return Ok(LineEdit {
                is_elsewhere: !above.is_empty(),
                ..LineEdit::shares(node, wanted)
            });
        }
        // A list of accounts may have users as well, and no second node of the name fits there.
        if let Some(node) = of_other_kind {
            return Ok(LineEdit::shares(node, wanted));
        }
        let parent = parent?;
        if !self.adds {
            return Err(unknown(place));
        }
        // Of unknown kind it is a user where its account has users and nothing else.
        let kind = match wanted.kind {
            Some(kind) => kind,
            None if self.is_of_users(parent) => Kind::User,
            None => Kind::Account,
        };
        Ok(LineEdit {
            edit: Edit::Add {
                parent,
                name,
                partition,
                kind,
                shares: wanted.shares,
                usage: Usage::NONE,
            },
            is_elsewhere: false,
        })
    }

    /// Returns the nodes of one kind, or all of them. In a tree whose kinds follow its shape, all are of any kind.
    fn of_kind(&self, nodes: &[NodeId], kind: Option<Kind>) -> Vec<NodeId> {
        let mut fitting = nodes.to_vec();
        if let Some(kind) = kind
            && !self.tree.kinds_follow_shape()
        {
            fitting.retain(|&node| self.tree.kind(node) == kind);
        }
        fitting
    }

    /// Returns the first of some nodes in tree order, of one kind or of any.
    fn first_of(&self, nodes: &[NodeId], kind: Option<Kind>) -> Option<NodeId> {
        let mut fitting = self.of_kind(nodes, kind);
        fitting.sort_by_key(|&node| self.tree.order().position(node));
        fitting.first().copied()
    }

    /// Returns the nodes that a text means, of one kind or of any. `None` if there is nothing of that path or name.
    fn meant(&mut self, text: &[u8], kind: Option<Kind>) -> Option<Rc<[NodeId]>> {
        let nodes = nodes_meant(&self.tree, text);
        if nodes.is_empty() {
            return None;
        }
        if nodes.len() == 1 {
            return Some(self.of_kind(&nodes, kind).into());
        }
        let meaning = Meaning {
            text: text.to_vec(),
            kind,
        };
        if let Some(known) = self.found.meant.get(&meaning) {
            return Some(Rc::clone(known));
        }
        let fitting: Rc<[NodeId]> = self.of_kind(&nodes, kind).into();
        self.found.meant.insert(meaning, Rc::clone(&fitting));
        Some(fitting)
    }

    /// Returns the accounts of a name, in tree order.
    fn accounts_named(&mut self, name: &[u8]) -> Rc<[NodeId]> {
        if let Some(known) = self.found.accounts.get(name) {
            return Rc::clone(known);
        }
        let named = self.tree.nodes_named(name);
        let accounts: Rc<[NodeId]> = self.of_kind(&named, Some(Kind::Account)).into();
        let found = &mut self.found.accounts;
        found.insert(name.to_vec(), Rc::clone(&accounts));
        accounts
    }

    /// Returns whether an account has users and nothing else.
    fn is_of_users(&mut self, account: NodeId) -> bool {
        if let Some(&known) = self.found.of_users.get(&account) {
            return known;
        }
        let mut is_of_users = account != NodeId::ROOT && self.tree.has_children(account);
        for member in self.tree.children(account) {
            is_of_users &= self.tree.is_user(member);
        }
        self.found.of_users.insert(account, is_of_users);
        is_of_users
    }

    /// Finds an account by its path, or by its name if it is elsewhere.
    fn account(&mut self, text: &[u8]) -> Result<NodeId, PathError> {
        let text = root_or(text);
        let nodes = if let Some(nodes) = self.meant(text, Some(Kind::Account)) {
            nodes
        } else {
            let new = NewNode::at(text, &self.settings, Kind::Account);
            self.accounts_named(&new.name)
        };
        only(&self.tree, text, &nodes)
    }

    /// Applies the edit of a line to the compared tree. `None` if the root is meant, or if it does not fit, which is
    /// reported.
    fn apply_line(&mut self, edit: Edit, wanted: &DesiredShares) -> Option<AppliedLine> {
        let mut node = NodeId::from_index(self.tree.id_count());
        let mut is_equal = false;
        if let Edit::SetShares { node: of, shares } = edit {
            node = of;
            is_equal = self.tree.shares(of) == shares;
        }
        if node == NodeId::ROOT {
            return None;
        }
        if let Some(&Some(first)) = self.lines.get(&node) {
            let name = path_for_people(&self.tree, node);
            let why = sentence!("{name} is already on line {first}; keep one of the two lines");
            refuse(&mut self.drift.problems, wanted.line, "desired-twice", why);
            return None;
        }
        if let Err(error) = edit.apply(&mut self.tree, &mut self.settings) {
            let why = Shown::error(&error);
            refuse(
                &mut self.drift.problems,
                wanted.line,
                "desired-refused",
                why,
            );
            return None;
        }
        self.lines.insert(node, wanted.line);
        let edit = if is_equal { None } else { Some(edit) };
        Some(AppliedLine { node, edit })
    }
}

/// Returns the error for a place that the tree lacks.
fn unknown(place: &[u8]) -> PathError {
    PathError::Unknown {
        name: shown(place),
        near: Vec::new(),
    }
}
