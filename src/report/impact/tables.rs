//! The impact as small tables, for a report and for the screen.

use super::changes::{place, texts};
use super::{AccountMoves, Change, ChangeKind, Changes, Impact, Move, Tie};
use crate::base::number::{change, grouped, percent, word_for};
use crate::base::shown::{Shown, sentence, shown_text};
use crate::model::{NodeId, Tree};
use crate::report::render::document::Document;
use crate::report::render::line::Emphasis;
use crate::report::render::table::{Column, Heading, Table};
use crate::report::words::{and_more, another_number};
use crate::report::{label, path};
use crate::rules::policy::Evaluation;
use crate::scenario::Scenario;

const ROWS: usize = 20;
/// How many columns the edits have, if none has a reason.
const COLUMNS: usize = 4;
/// How many new or removed users are named.
const NAMED: usize = 5;

/// A small table with a heading.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub struct ImpactTable {
    pub heading: Shown,
    /// Whether it is about nodes that lost a part of their target without being edited.
    pub is_of_dilution: bool,
    columns: Vec<Heading>,
    pub rows: Vec<ImpactRow>,
    left_off: Option<Shown>,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImpactRow {
    /// One cell a column.
    pub cells: Vec<Shown>,
    /// Whether users of the account that the row is about run earlier or later now.
    emphasis: Emphasis,
}

impl From<Vec<Shown>> for ImpactRow {
    fn from(cells: Vec<Shown>) -> Self {
        let emphasis = Emphasis::Plain;
        Self { cells, emphasis }
    }
}

impl ImpactTable {
    fn new(
        heading: impl Into<Shown>,
        columns: Vec<Heading>,
        rows: impl ExactSizeIterator<Item: Into<ImpactRow>>,
        (one, many): (&str, &str),
    ) -> Self {
        let left = rows.len().saturating_sub(ROWS);
        let left_off = || sentence!("… and {} more {}", grouped(left), word_for(left, one, many));
        Self {
            heading: heading.into(),
            is_of_dilution: false,
            columns,
            rows: rows.take(ROWS).map(Into::into).collect(),
            left_off: (left > 0).then(left_off),
        }
    }

    pub(crate) fn add_to(self, document: &mut Document<'_>) {
        let columns = self.columns.into_iter().enumerate();
        let columns = columns.map(|(place, heading)| {
            Column::new(heading, move |row: &ImpactRow| row.cells[place].clone())
        });
        let rows = self.rows.into_iter();
        document.heading(self.heading);
        let emphasis = |row: &ImpactRow| row.emphasis;
        document.table(Table::of(columns.collect(), rows, emphasis, None));
        document.note(self.left_off);
    }
}

/// Returns the impact as tables, those with something to say; the most telling rows of each.
pub fn tables(scenario: &Scenario, impact: &Impact) -> Vec<ImpactTable> {
    let edits = edits(scenario, &impact.changes, false);
    // One edit without a reason is in the sentence above already.
    let is_told = edits.rows.len() <= 1 && edits.columns.len() == COLUMNS;
    let edits = Some(edits).filter(|_| !is_told);
    edits.into_iter().chain(effects(scenario, impact)).collect()
}

/// Returns the tables of what the edits change.
pub(crate) fn effects(scenario: &Scenario, impact: &Impact) -> impl Iterator<Item = ImpactTable> {
    let tables = [
        users(scenario, impact),
        diluted(scenario, impact),
        accounts(scenario, impact),
    ];
    tables.into_iter().flatten()
}

/// Returns what was asked for, and why; or what that gains, the largest gain first.
pub(crate) fn edits(scenario: &Scenario, changes: &Changes, shows_gains: bool) -> ImpactTable {
    let mut list: Vec<&Change> = changes.list.iter().collect();
    let history = scenario.history().edits();
    let reason = |entry: Option<usize>| {
        let entry = entry.and_then(|place| history.get(place).copied());
        entry.map_or("", |entry| entry.reason.as_str())
    };
    let has_reasons = list.iter().any(|change| !reason(change.entry).is_empty());
    let mut headings = ["Path", "What"].map(Heading::left).to_vec();
    headings.extend(["Before", "After"].map(Heading::right));
    let mut heading = "Edits";
    if shows_gains {
        let any = |is: fn(f64) -> bool| list.iter().any(|change| is(gain(scenario, change)));
        heading = match (any(|gain| gain > 0.0), any(|gain| gain < 0.0)) {
            (true, true) => "Who gains, who loses",
            (false, true) => "Who loses",
            (_, false) => "Who gains",
        };
        list.sort_by(|one, other| gain(scenario, other).total_cmp(&gain(scenario, one)));
        headings.push(Heading::right("Gain"));
    }
    if has_reasons {
        headings.push(Heading::left("Why"));
    }
    let row = |change: &Change| {
        let (what, node, [before, after]) = texts(scenario, &change.what);
        let mut row = vec![node, what.into(), before, after];
        if shows_gains {
            row.push(match gain(scenario, change) {
                0.0 => Shown::default(),
                gain if gain > 0.0 => sentence!("+{}", percent(gain)),
                loss => percent(loss),
            });
        }
        if has_reasons {
            row.push(shown_text(reason(change.entry).as_bytes()));
        }
        row
    };
    let rows = list.into_iter().map(row);
    ImpactTable::new(heading, headings, rows, ("edit", "edits"))
}

/// Returns the relative change of a node's target; 0 where it has none on both sides.
fn gain(scenario: &Scenario, change: &Change) -> f64 {
    let target = scenario.policy().target_column();
    let sides = [scenario.baseline(), scenario.evaluation()];
    let node = change.what.node();
    match node.map(|node| sides.map(|side| side.number(target, node))) {
        Some([Some(before), Some(after)]) if before > 0.0 => after / before - 1.0,
        _ => 0.0,
    }
}

fn users(scenario: &Scenario, impact: &Impact) -> Option<ImpactTable> {
    let tree = scenario.tree();
    let mut rows = Vec::new();
    let mut row = |what: Shown, users: usize, more: Shown| {
        if users > 0 {
            rows.push(vec![what, grouped(users), more]);
        }
    };
    let (all, base) = (&impact.all, &scenario.base().tree);
    row("run earlier".into(), all.earlier, most(tree, all.best));
    row("run later".into(), all.later, most(tree, all.worst));
    row("lose their rank".into(), impact.unranked, Shown::default());
    let (made, broken) = (&impact.made, &impact.broken);
    row("newly tied".into(), made.users, crowds(tree, &made.ranks));
    row(
        "no longer tied".into(),
        broken.users,
        crowds(base, &broken.ranks),
    );
    let ranked = |tree: &Tree, users: &[NodeId], numbers: &Evaluation| {
        let named = users.iter().take(NAMED);
        let named = named.map(|&user| match numbers.rank(user) {
            Some(rank) => sentence!("{} (rank {})", path(tree, user), grouped(rank)),
            None => path(tree, user),
        });
        and_more(&named.collect::<Vec<_>>(), users.len())
    };
    let (new, gone) = (&impact.new_users, &impact.gone_users);
    row(
        "new".into(),
        new.len(),
        ranked(tree, new, scenario.evaluation()),
    );
    row(
        "gone".into(),
        gone.len(),
        ranked(base, gone, scenario.baseline()),
    );
    if impact.changes.has_settings() {
        let changes = impact.changes.list.iter().map(|change| &change.what);
        let read = scenario.policy().setting_keys();
        let settings = changes.filter(|what| match what {
            ChangeKind::Setting(key) => read.contains(&key.as_str()),
            _ => false,
        });
        let because = match Shown::joined(settings.map(|what| texts(scenario, what).1), ", ") {
            none if none.is_empty() => none,
            keys => sentence!("settings affect every user: {keys}"),
        };
        let what = sentence!("have {}", another_number(scenario));
        row(what, impact.other_factor, because);
    }
    let columns = vec![
        Heading::left("Users who"),
        Heading::right("Count"),
        Heading::left("Most of all"),
    ];
    let rows = Some(rows.into_iter()).filter(|rows| rows.len() > 0)?;
    Some(ImpactTable::new("Users", columns, rows, ("row", "rows")))
}

/// `group1/bob 1 → 3`.
fn most(tree: &Tree, step: Option<Move>) -> Shown {
    step.map_or_else(Shown::default, |step| {
        let ranks = [step.before, step.after].map(grouped);
        sentence!("{} {} → {}", path(tree, step.node), ranks[0], ranks[1])
    })
}

/// `rank 3: ann, bob and 5 more`.
fn crowds(tree: &Tree, ties: &[Tie]) -> Shown {
    let ties = ties.iter().map(|tie| {
        let named = tie.named.iter().map(|&user| path(tree, user));
        let named = and_more(&named.collect::<Vec<_>>(), tie.users);
        sentence!("rank {}: {named}", grouped(tie.rank))
    });
    Shown::joined(ties, "; ")
}

fn diluted(scenario: &Scenario, impact: &Impact) -> Option<ImpactTable> {
    let mut levels: Vec<_> = impact.dilution.levels.iter().collect();
    levels.sort_by_key(|level| std::cmp::Reverse(level.untouched() + level.users_below));
    let target = scenario.policy().target_column();
    let row = |level: &&super::DilutedLevel| {
        vec![
            place(scenario.tree(), level.level),
            grouped(level.accounts),
            grouped(level.users),
            grouped(level.users_below),
            range(level.least, level.most),
        ]
    };
    let heading = sentence!("Diluted (not edited): lower {}", target.heading());
    let mut columns = vec![Heading::left("Level")];
    columns.extend(["Accounts", "Users", "Users below", "Each loses"].map(Heading::right));
    let rows = levels.iter().map(row);
    (!levels.is_empty()).then(|| ImpactTable {
        is_of_dilution: true,
        ..ImpactTable::new(heading, columns, rows, ("level", "levels"))
    })
}

fn accounts(scenario: &Scenario, impact: &Impact) -> Option<ImpactTable> {
    let tree = scenario.tree();
    let noun = scenario.settings().noun();
    let mut groups: Vec<&AccountMoves> = impact.accounts.iter().collect();
    groups.retain(|group| group.moved() > 0);
    groups.sort_by_key(|group| std::cmp::Reverse(group.moved()));
    let step = |step: Option<Move>| {
        step.map_or_else(Shown::default, |step| {
            let places = change(step.places());
            sentence!("{} {places}", label(tree, step.node))
        })
    };
    let row = |group: &&AccountMoves| {
        let account = if group.account == impact.level {
            sentence!("directly in {}", place(tree, group.account))
        } else {
            path(tree, group.account)
        };
        let emphasis = match (group.best, group.worst) {
            (Some(_), _) => Emphasis::Better,
            (None, Some(_)) => Emphasis::Worse,
            (None, None) => Emphasis::Plain,
        };
        let cells = vec![
            account,
            grouped(group.users),
            grouped(group.earlier),
            grouped(group.later),
            step(group.best),
            step(group.worst),
        ];
        ImpactRow { cells, emphasis }
    };
    let heading = sentence!("By {}", noun.one);
    let mut columns = vec![Heading::left(noun.title)];
    let numbers = ["Users", "Earlier", "Later", "Most gained", "Most lost"];
    columns.extend(numbers.map(Heading::right));
    let rows = groups.iter().map(row);
    (!groups.is_empty()).then(|| ImpactTable::new(heading, columns, rows, (noun.one, noun.many)))
}

/// Returns a range of percentages: `10.2%`, or `1.2% to 10.2%` where people would see two numbers.
pub(crate) fn range(least: f64, most: f64) -> Shown {
    let (least, most) = (percent(least), percent(most));
    if least == most {
        least
    } else {
        sentence!("{least} to {most}")
    }
}
