//! The impact of edits as small tables, for a report and for the screen.
//!
//! There is a table of the edits, of users that rise or fall, of nodes that lost a part of their target without
//! being edited, and of accounts whose users moved; a table that has nothing to say is left out.

use crate::analysis::impact::{AccountMoves, Change, ChangeKind, ChangeList, Impact, Move, Tie};
use crate::base::number::{change, grouped, percent, word_for};
use crate::base::shown::{Shown, sentence, shown_text};
use crate::model::{NodeId, Tree};
use crate::report::render::document::Document;
use crate::report::render::line::Emphasis;
use crate::report::render::table::{Column, Heading, Table};
use crate::report::words::changes::{place, texts};
use crate::report::words::{and_more, another_number};
use crate::report::{label, path};
use crate::rules::policy::Evaluation;
use crate::scenario::Scenario;
use std::cmp::Reverse;

/// How many rows a table has at most.
const ROWS: usize = 20;

/// How many columns the edits have, if none has a reason.
const COLUMNS: usize = 4;

/// How many new or removed users are named.
const NAMED: usize = 5;

/// A small table with a heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImpactTable {
    /// What it is about.
    pub heading: Shown,
    /// Whether it is about nodes that lost a part of their target without being edited.
    pub is_of_dilution: bool,
    /// The headings of its columns.
    columns: Vec<Heading>,
    /// The rows, the most telling first.
    pub rows: Vec<ImpactRow>,
    /// How many rows are left out; `None` if none is.
    left_off: Option<Shown>,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImpactRow {
    /// One cell a column.
    pub cells: Vec<Shown>,
    /// Whether users of the account that the row is about rise or fall.
    emphasis: Emphasis,
}

impl From<Vec<Shown>> for ImpactRow {
    fn from(cells: Vec<Shown>) -> Self {
        Self {
            cells,
            emphasis: Emphasis::Plain,
        }
    }
}

impl ImpactTable {
    /// Returns a table of these rows.
    fn new(heading: impl Into<Shown>, columns: Vec<Heading>, rows: Vec<ImpactRow>) -> Self {
        Self {
            heading: heading.into(),
            is_of_dilution: false,
            columns,
            rows,
            left_off: None,
        }
    }

    /// Returns the table with how many rows it leaves out, if it has the first of so many. `one` and `many` are what a row
    /// is about.
    fn of_all(mut self, all: usize, one: &str, many: &str) -> Self {
        let left = all.saturating_sub(self.rows.len());
        if left > 0 {
            let what = word_for(left, one, many);
            let count = grouped(left);
            self.left_off = Some(sentence!("… and {count} more {what}"));
        }
        self
    }

    /// Adds the table to a report.
    pub(crate) fn add_to(self, document: &mut Document<'_>) {
        let mut columns = Vec::new();
        for (place, heading) in self.columns.into_iter().enumerate() {
            columns.push(Column::new(heading, move |row: &ImpactRow| {
                row.cells[place].clone()
            }));
        }
        let rows = self.rows.into_iter();
        let table = Table::of(columns, rows, |row| row.emphasis, None);
        document.heading(self.heading);
        document.table(table);
        document.note(self.left_off);
    }
}

/// Returns the impact as tables, those with something to say; the most telling rows of each.
pub fn tables(scenario: &Scenario, impact: &Impact) -> Vec<ImpactTable> {
    let mut tables = Vec::new();
    let edits = edits(scenario, &impact.changes, false);
    // One edit without a reason is in the sentence above already.
    let has_reasons = edits.columns.len() > COLUMNS;
    if has_reasons || edits.rows.len() > 1 {
        tables.push(edits);
    }
    tables.extend(effects(scenario, impact));
    tables
}

/// Returns the tables of what the edits change.
pub(crate) fn effects(scenario: &Scenario, impact: &Impact) -> Vec<ImpactTable> {
    let mut tables = Vec::new();
    tables.extend(users(scenario, impact));
    tables.extend(diluted(scenario, impact));
    tables.extend(accounts(scenario, impact));
    tables
}

/// An edit as a row.
struct EditRow<'a> {
    /// What differs.
    change: &'a Change,
    /// What it gains: the relative change of the target.
    gain: f64,
    /// Why it was made; empty without a reason.
    reason: &'a str,
}

/// Returns what was asked for, and why; or what that gains, the largest gain first.
pub(crate) fn edits(scenario: &Scenario, changes: &ChangeList, shows_gains: bool) -> ImpactTable {
    let history = scenario.history().edits();
    let mut list = Vec::new();
    for change in &changes.list {
        let mut reason = "";
        if let Some(place) = change.entry
            && let Some(entry) = history.get(place)
        {
            reason = &entry.reason;
        }
        list.push(EditRow {
            change,
            gain: gain(scenario, change),
            reason,
        });
    }
    let mut columns = vec![
        Heading::left("Path"),
        Heading::left("What"),
        Heading::right("Before"),
        Heading::right("After"),
    ];
    let mut heading = "Edits";
    if shows_gains {
        heading = gains_heading(&list);
        list.sort_by(|one, other| other.gain.total_cmp(&one.gain));
        columns.push(Heading::right("Gain"));
    }
    let has_reasons = list.iter().any(|edit| !edit.reason.is_empty());
    if has_reasons {
        columns.push(Heading::left("Why"));
    }
    let mut rows = Vec::new();
    for edit in list.iter().take(ROWS) {
        let texts = texts(scenario, &edit.change.what);
        let mut cells = vec![texts.name, texts.what.into(), texts.before, texts.after];
        if shows_gains {
            cells.push(gain_cell(edit.gain));
        }
        if has_reasons {
            cells.push(shown_text(edit.reason.as_bytes()));
        }
        rows.push(cells.into());
    }
    let table = ImpactTable::new(heading, columns, rows);
    table.of_all(list.len(), "edit", "edits")
}

/// Returns the heading of edits with what they gain.
fn gains_heading(edits: &[EditRow<'_>]) -> &'static str {
    let gains = edits.iter().any(|edit| edit.gain > 0.0);
    let loses = edits.iter().any(|edit| edit.gain < 0.0);
    match (gains, loses) {
        (true, true) => "Who gains, who loses",
        (false, true) => "Who loses",
        (_, false) => "Who gains",
    }
}

/// Returns a relative change with its sign; empty for none.
fn gain_cell(gain: f64) -> Shown {
    if gain == 0.0 {
        Shown::default()
    } else if gain > 0.0 {
        let part = percent(gain);
        sentence!("+{part}")
    } else {
        percent(gain)
    }
}

/// Returns the relative change of a node's target; 0 where it has none on both sides.
fn gain(scenario: &Scenario, change: &Change) -> f64 {
    let target = scenario.policy().target_column();
    if let Some(node) = change.what.node()
        && let Some(before) = scenario.baseline().number(target, node)
        && let Some(after) = scenario.evaluation().number(target, node)
        && before > 0.0
    {
        return after / before - 1.0;
    }
    0.0
}

/// The rows of a table about users.
#[derive(Default)]
struct UserRows {
    rows: Vec<ImpactRow>,
}

impl UserRows {
    /// Adds a row about some users, if there are any; `most` names those that tell most.
    fn add(&mut self, what: impl Into<Shown>, users: usize, most: Shown) {
        if users > 0 {
            let cells = vec![what.into(), grouped(users), most];
            self.rows.push(cells.into());
        }
    }
}

/// Returns how many users moved, tie, came or went; `None` if none did.
fn users(scenario: &Scenario, impact: &Impact) -> Option<ImpactTable> {
    let tree = scenario.tree();
    let base = &scenario.base().tree;
    let all = &impact.moves.all;
    let made = &impact.ties.made;
    let broken = &impact.ties.broken;
    let new = &impact.new_users;
    let gone = &impact.gone_users;
    let mut table = UserRows::default();
    table.add("rise", all.earlier, most(tree, all.best));
    table.add("fall", all.later, most(tree, all.worst));
    table.add("lose their rank", impact.unranked, Shown::default());
    table.add("newly tied", made.users, crowds(tree, &made.ranks));
    table.add("no longer tied", broken.users, crowds(base, &broken.ranks));
    let new_names = ranked(tree, new, scenario.evaluation());
    table.add("new", new.len(), new_names);
    let gone_names = ranked(base, gone, scenario.baseline());
    table.add("gone", gone.len(), gone_names);
    if impact.changes.has_settings() {
        let number = another_number(scenario);
        let because = read_settings(scenario, &impact.changes);
        let what = sentence!("have {number}");
        table.add(what, impact.other_factor, because);
    }
    if table.rows.is_empty() {
        return None;
    }
    let columns = vec![
        Heading::left("Users who"),
        Heading::right("Count"),
        Heading::left("Most of all"),
    ];
    Some(ImpactTable::new("Users", columns, table.rows))
}

/// Returns the first of some users, each with its rank: `bob (rank 3) and 5 more`.
fn ranked(tree: &Tree, users: &[NodeId], numbers: &Evaluation) -> Shown {
    let mut names = Vec::new();
    for &user in users.iter().take(NAMED) {
        let name = path(tree, user);
        names.push(match numbers.rank(user) {
            Some(rank) => {
                let rank = grouped(rank);
                sentence!("{name} (rank {rank})")
            }
            None => name,
        });
    }
    and_more(&names, users.len())
}

/// Returns which changed settings the policy reads; empty if it reads none of them.
fn read_settings(scenario: &Scenario, changes: &ChangeList) -> Shown {
    let read = scenario.policy().setting_keys();
    let mut names = Vec::new();
    for change in &changes.list {
        if let ChangeKind::Setting(key) = &change.what
            && read.contains(&key.as_str())
        {
            let texts = texts(scenario, &change.what);
            names.push(texts.name);
        }
    }
    if names.is_empty() {
        return Shown::default();
    }
    let listed = names.join(", ");
    sentence!("settings affect every user: {listed}")
}

/// `group1/bob 1 → 3`.
fn most(tree: &Tree, step: Option<Move>) -> Shown {
    let Some(step) = step else {
        return Shown::default();
    };
    let name = path(tree, step.node);
    let before = grouped(step.before);
    let after = grouped(step.after);
    sentence!("{name} {before} → {after}")
}

/// `rank 3: ann, bob and 5 more`.
fn crowds(tree: &Tree, ties: &[Tie]) -> Shown {
    let mut texts = Vec::new();
    for tie in ties {
        let mut names = Vec::new();
        for &user in &tie.named {
            names.push(path(tree, user));
        }
        let named = and_more(&names, tie.users);
        let rank = grouped(tie.rank);
        texts.push(sentence!("rank {rank}: {named}"));
    }
    Shown::joined(texts, "; ")
}

/// Returns the levels on which nodes were diluted, those with the most first; `None` if none were.
fn diluted(scenario: &Scenario, impact: &Impact) -> Option<ImpactTable> {
    let mut levels = impact.dilution.levels.clone();
    if levels.is_empty() {
        return None;
    }
    levels.sort_by_key(|level| Reverse(level.untouched() + level.users_below));
    let mut rows = Vec::new();
    for level in levels.iter().take(ROWS) {
        let cells = vec![
            place(scenario.tree(), level.level),
            grouped(level.accounts),
            grouped(level.users),
            grouped(level.users_below),
            range(level.least, level.most),
        ];
        rows.push(cells.into());
    }
    let target = scenario.policy().target_column();
    let column = target.heading();
    let heading = sentence!("Diluted (not edited): lower {column}");
    let columns = vec![
        Heading::left("Level"),
        Heading::right("Accounts"),
        Heading::right("Users"),
        Heading::right("Users below"),
        Heading::right("Each loses"),
    ];
    let mut table = ImpactTable::new(heading, columns, rows);
    table.is_of_dilution = true;
    Some(table.of_all(levels.len(), "level", "levels"))
}

/// Returns how the users of each account moved, the most moves first; `None` if none did.
fn accounts(scenario: &Scenario, impact: &Impact) -> Option<ImpactTable> {
    let moves = &impact.moves;
    let mut groups = Vec::new();
    for group in &moves.accounts {
        if group.moved() > 0 {
            groups.push(group);
        }
    }
    if groups.is_empty() {
        return None;
    }
    groups.sort_by_key(|group| Reverse(group.moved()));
    let tree = scenario.tree();
    let mut rows = Vec::new();
    for group in groups.iter().take(ROWS) {
        rows.push(account_row(tree, moves.level, group));
    }
    let noun = scenario.settings().noun();
    let account = noun.one;
    let columns = vec![
        Heading::left(noun.title),
        Heading::right("Users"),
        Heading::right("Rise"),
        Heading::right("Fall"),
        Heading::right("Largest rise"),
        Heading::right("Largest fall"),
    ];
    let heading = sentence!("By {account}");
    let table = ImpactTable::new(heading, columns, rows);
    Some(table.of_all(groups.len(), account, noun.many))
}

/// Returns how the users of an account below `level` moved.
fn account_row(tree: &Tree, level: NodeId, group: &AccountMoves) -> ImpactRow {
    let account = if group.account == level {
        let place = place(tree, group.account);
        sentence!("directly in {place}")
    } else {
        path(tree, group.account)
    };
    let emphasis = if group.best.is_some() {
        Emphasis::Better
    } else if group.worst.is_some() {
        Emphasis::Worse
    } else {
        Emphasis::Plain
    };
    let cells = vec![
        account,
        grouped(group.users),
        grouped(group.earlier),
        grouped(group.later),
        moved_user(tree, group.best),
        moved_user(tree, group.worst),
    ];
    ImpactRow { cells, emphasis }
}

/// Returns a user with the places that it gained or lost; empty for none.
fn moved_user(tree: &Tree, step: Option<Move>) -> Shown {
    let Some(step) = step else {
        return Shown::default();
    };
    let name = label(tree, step.node);
    let places = change(step.places());
    sentence!("{name} {places}")
}

/// Returns a range of percentages: `10.2%`, or `1.2% to 10.2%` where people would see two numbers.
pub(crate) fn range(least: f64, most: f64) -> Shown {
    let smallest = percent(least);
    let largest = percent(most);
    if smallest == largest {
        return smallest;
    }
    sentence!("{smallest} to {largest}")
}
