//! `advise`: the shares and the half-life with which goals hold, or the goals that contradict each other.
//!
//! A proposal is offered as one edit that holds all of its edits. In a contradiction there are no edits: the table has the
//! goals that cannot hold together, each with the nearest value that it can reach.

use super::asked::{AdviceQuestion, AskedTree};
use super::render::document::{Block, COMMAND_LINE, Document, Front, LeftOff, Medium, Offer};
use super::render::json::{self, List, object};
use super::render::line::{Emphasis, Line};
use super::render::table::{Cell, Column, Table};
use super::words::advise as words;
use super::{Report, View, shares, visible};
use crate::analysis::advise::{
    Advice, BackTime, GoalOutcome, GoalValue, HalfLife, HalfLives, Payer, Rounding, advise,
    half_lives_between, most_shares, times, usual_tries,
};
use crate::analysis::solve::SolveError;
use crate::base::number::{Unit, Value, grouped, ordinal};
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, Tree, path_of};
use crate::scenario::{Edit, write};
use serde::Serialize;
use std::io;
use std::ops::ControlFlow;

/// The most edits, and the most nodes that pay, on one page.
const MOST: usize = 6;

/// The longest bar.
const BAR: &str = "████████████████████";

/// Proposed shares and half-lives.
pub(crate) struct AdviceReport<'a> {
    /// The tree before the proposed edits.
    view: &'a View<'a>,
    /// `None` if only half-lives are asked for.
    advice: Option<Advice>,
    /// The time goals, on a simulated machine.
    times: Vec<BackTime>,
    /// What other half-lives would do; `None` if that is not asked for.
    half_lives: Option<HalfLives>,
}

impl<'a> AdviceReport<'a> {
    /// Searches for the edits, and tries what they do to times. `go_on` is asked now and then, and may stop it.
    ///
    /// # Errors
    /// Half-lives that cannot be compared, because usage does not decay or nobody shares anything; and what [`search`] fails
    /// for.
    pub(crate) fn of(
        asked: AskedTree<'a>,
        question: &AdviceQuestion,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Self, AdviceError> {
        let mut report = Self {
            view: asked.view,
            advice: None,
            times: Vec::new(),
            half_lives: None,
        };
        if let Some(range) = &question.half_lives {
            let range = range.clone();
            let found = half_lives_between(asked.scenario, range, &mut |_| go_on());
            let half_lives = found.ok_or(AdviceError::NoHalfLives)?;
            report.half_lives = Some(half_lives);
        }
        let has_goals = !question.goals.is_empty();
        if has_goals || !question.contributions.is_empty() {
            let advice = search(asked, question, go_on)?;
            let cores = question.cores;
            report.times = times(&advice, cores, &mut |_| go_on());
            report.advice = Some(advice);
        }
        Ok(report)
    }
}

/// Searches for the fewest edits with which the goals hold, until the time is spent that the question gives, or without one
/// the usual number of tries.
///
/// # Errors
/// Goals that cannot be searched for, and a search that was stopped: what it had found till then is not shown.
fn search(
    asked: AskedTree<'_>,
    question: &AdviceQuestion,
    go_on: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Advice, SolveError> {
    let scenario = asked.scenario;
    let usual = usual_tries(scenario) as f64;
    let mut is_cancelled = false;
    let mut spent = |tries: usize| {
        if go_on().is_break() {
            is_cancelled = true;
        }
        if is_cancelled {
            return f64::INFINITY;
        }
        match asked.spent {
            Some(spent) => spent(),
            None => tries as f64 / usual,
        }
    };
    let goals = question.goals.clone();
    let contributions = &question.contributions;
    let most = most_shares(scenario);
    let advice = advise(scenario, contributions, goals, most, &mut spent)?;
    if is_cancelled {
        return Err(SolveError::Cancelled);
    }
    Ok(advice)
}

/// Why there is no advice.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AdviceError {
    #[error(
        "usage does not decay here, or nobody shares anything, so no half-life can be compared"
    )]
    NoHalfLives,
    #[error(transparent)]
    Search(#[from] SolveError),
}

impl Report for AdviceReport<'_> {
    fn front(&self) -> Front {
        let Some(advice) = &self.advice else {
            return Front::of("Advice", self.view);
        };
        let mut goals = Vec::new();
        for outcome in &advice.goals {
            goals.push(outcome.goal.text.clone());
        }
        if goals.is_empty() {
            return Front::of("Advice", self.view);
        }
        let goals = Shown::joined(goals, "; ");
        Front::of(sentence!("Advice: {goals}"), self.view)
    }

    fn is_found(&self) -> bool {
        match &self.advice {
            Some(advice) => advice.contradiction.is_empty(),
            None => true,
        }
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::default();
        if let Some(advice) = &self.advice {
            self.add_advice(&mut document, advice);
        }
        if let Some(half_lives) = &self.half_lives {
            self.add_half_lives(&mut document, half_lives);
        }
        document
    }

    fn write_json(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let tree = self.view.tree;
        let advice = self.advice.as_ref();
        let times = self.times.iter();
        let half_lives = self.half_lives.as_ref();
        let body = object! {
            #[serde(flatten)]
            advice: advice.map(|advice| advice_json(tree, advice)),
            times: List(times.map(|time| time_json(tree, time))),
            half_lives: half_lives.map(half_lives_json),
        };
        json::write(out, self.view, body)
    }
}

/// Returns a proposal, or the goals that contradict each other, for JSON.
fn advice_json(tree: &Tree, advice: &Advice) -> impl Serialize {
    let after = advice.after.tree();
    let mut edits = Vec::new();
    for edit in &advice.edits {
        let command = write(edit, after);
        edits.push(command);
    }
    let mut contradiction = Vec::new();
    for &place in &advice.contradiction {
        let goal = &advice.goals[place].goal;
        contradiction.push(goal.text.as_str());
    }
    let payers = advice.who_pays.iter();
    let given_none = advice.given_none.iter();
    let rounding = advice.rounding.as_ref();
    object! {
        edits: edits,
        goals: List(advice.goals.iter().map(goal_json)),
        who_pays: List(payers.map(|payer| payer_json(after, payer))),
        contradiction: contradiction,
        proven: advice.is_proven,
        nothing_for: List(given_none.map(|&node| path_of(tree, node))),
        rounding: rounding.map(|rounding| rounding_json(tree, rounding)),
    }
}

/// Returns what a goal comes to, for JSON.
fn goal_json(goal: &GoalOutcome) -> impl Serialize {
    object! {
        goal: goal.goal.text.as_str(),
        before: goal.before,
        after: goal.after,
        met: goal.is_met,
        nearest: goal.nearest,
    }
}

/// Returns a node with a smaller target, for JSON.
fn payer_json(tree: &Tree, payer: &Payer) -> impl Serialize {
    object! {
        path: path_of(tree, payer.node),
        before: payer.before,
        after: payer.after,
        edited: payer.is_edited,
    }
}

/// Returns how far whole shares are from the contributions, for JSON.
fn rounding_json(tree: &Tree, rounding: &Rounding) -> impl Serialize {
    object! {
        path: path_of(tree, rounding.node),
        exact: rounding.exact,
        shares: rounding.given,
    }
}

/// Returns when a node is back at its share, for JSON.
fn time_json(tree: &Tree, time: &BackTime) -> impl Serialize {
    object! {
        path: path_of(tree, time.node),
        formula: time.formula,
        simulated: time.measured,
        step: time.window,
    }
}

/// Returns what half-lives do, for JSON.
fn half_lives_json(half_lives: &HalfLives) -> impl Serialize {
    List(half_lives.rows.iter().map(half_life_json))
}

/// Returns what a half-life does, for JSON.
fn half_life_json(row: &HalfLife) -> impl Serialize {
    object! {
        half_life: row.seconds,
        now: row.is_present,
        back_after_burst: row.burst,
        monopoly: row.monopoly,
        rank_after_a_day: row.fallen,
    }
}

impl AdviceReport<'_> {
    /// Adds the proposal, what it does to the goals, and who pays.
    fn add_advice<'d>(&'d self, document: &mut Document<'d>, advice: &'d Advice) {
        let emphasis = if advice.contradiction.is_empty() {
            Emphasis::Better
        } else {
            Emphasis::Warning
        };
        let verdict = words::verdict(advice);
        document.line(Line::of(emphasis, verdict));
        document.sentences(words::undelivered(&advice.after));
        let after = advice.after.tree();
        self.add_edits(document, advice);
        if let Some(rounding) = &advice.rounding {
            document.sentence(words::rounding(after, rounding));
        }
        if !advice.goals.is_empty() {
            document.gap();
            document.table(goals(advice));
        }
        add_payers(document, advice);
        document.gap();
        for time in &self.times {
            document.sentence(words::back(after, time));
        }
        document.sentence(words::SATURATED);
        add_offer(document, advice);
    }

    /// Adds the first of the proposed edits, each with what was there before.
    fn add_edits(&self, document: &mut Document<'_>, advice: &Advice) {
        for edit in advice.edits.iter().take(MOST) {
            let was = self.value_before(edit);
            let command = write(edit, advice.after.tree());
            let shown = visible(&command);
            let line = sentence!("{shown}  (was {was})");
            document.item("  ", Line::of(Emphasis::Command, line));
        }
        let more = advice.edits.len().saturating_sub(MOST);
        if more > 0 {
            let more = grouped(more);
            let left = LeftOff {
                told: sentence!("… and {more} more"),
                way: "--format-out json has all",
            };
            let whole = Line::from(left.with_way());
            document.push_in(COMMAND_LINE, Block::Item("  ".into(), whole));
            let told = Line::from(left.told);
            document.push_in(&[Medium::Html], Block::Item("  ".into(), told));
        }
    }

    /// Returns the shares or the setting that an edit replaces; empty for any other edit.
    fn value_before(&self, edit: &Edit) -> Shown {
        match edit {
            Edit::SetShares { node, .. } => {
                let before = self.view.tree.shares(*node);
                shares(before)
            }
            Edit::SetSetting { key, .. } => {
                let value = self.view.settings.get(key);
                visible(&value.unwrap_or_default())
            }
            _ => Shown::default(),
        }
    }

    /// Adds what other half-lives would do.
    fn add_half_lives<'d>(&'d self, document: &mut Document<'d>, half_lives: &'d HalfLives) {
        let rows = half_lives.rows.iter();
        let columns = half_life_columns(half_lives);
        document.heading("What other half-lives would do");
        document.table(Table::new(columns, rows.clone()));
        document.gap();
        for row in rows {
            if row.is_present {
                let tree = self.view.tree;
                document.sentence(words::half_life(tree, half_lives, row));
            }
        }
    }
}

/// Adds the first nodes with a smaller target, if there are any, and how many more there are.
fn add_payers<'d>(document: &mut Document<'d>, advice: &'d Advice) {
    if advice.who_pays.is_empty() {
        return;
    }
    document.gap();
    document.table(payers(advice));
    let more = advice.who_pays.len().saturating_sub(MOST);
    if more > 0 {
        let more = grouped(more);
        document.note(Some(sentence!("… and {more} more lose less")));
    }
}

/// Offers all edits of the proposal together.
fn add_offer(document: &mut Document<'_>, advice: &Advice) {
    let Some(first) = advice.edits.first() else {
        return;
    };
    let text = match advice.edits.len() {
        1 => visible(&write(first, advice.after.tree())),
        count => sentence!("all {} edits above, together", grouped(count)),
    };
    let mut changed = advice.edits.iter().filter_map(|edit| match edit {
        Edit::SetShares { node, .. } => Some(*node),
        _ => None,
    });
    let node = changed.next().unwrap_or(NodeId::ROOT);
    document.section("To try it");
    document.offer(
        text,
        Offer {
            edit: Edit::Batch(advice.edits.clone()),
            node,
            is_first: true,
        },
    );
}

/// A column of a table of half-lives.
type HalfLifeColumn<'a> = Column<'a, &'a HalfLife>;

/// Returns the columns of half-lives.
fn half_life_columns(half_lives: &HalfLives) -> Vec<HalfLifeColumn<'_>> {
    let mut longest: f64 = 0.0;
    for row in &half_lives.rows {
        longest = longest.max(row.burst);
    }
    vec![
        HalfLifeColumn::right("Half-life", |row| {
            let seconds = row.seconds as f64;
            time_cell(seconds)
        }),
        HalfLifeColumn::left("", |row| if row.is_present { "now" } else { "" }),
        HalfLifeColumn::right("Back after 10x", |row| time_cell(row.burst)),
        HalfLifeColumn::right("Longest monopoly", |row| time_cell(row.monopoly)),
        HalfLifeColumn::right("First user after a day", |row| match row.fallen {
            Some(rank) => {
                let place = ordinal(rank as usize);
                Cell::Told(place, Value::Double(rank.into()))
            }
            None => Cell::Told(Shown::default(), Value::Null),
        }),
        HalfLifeColumn::left("Back after 10x", move |row| bar(row.burst / longest)),
    ]
}

/// Returns the cell of so many seconds.
fn time_cell<'a>(seconds: f64) -> Cell<'a> {
    let text = words::seconds(seconds);
    Cell::Told(text, Value::Double(seconds))
}

/// Returns the bar of a part of the longest, which is from 0 to 1; a part of a cell is a whole one, so that only 0 has no bar.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cells of a bar are few, and not below 0"
)]
fn bar(part: f64) -> &'static str {
    let longest = BAR.chars().count() as f64;
    let cells = (part * longest).ceil() as usize;
    &BAR[..'█'.len_utf8() * cells]
}

/// A column of the table of goals.
type GoalColumn<'a> = Column<'a, &'a GoalOutcome>;

/// Returns the table of the goals; in a contradiction only of those that contradict each other.
fn goals(advice: &Advice) -> Table<'_> {
    let mut columns = vec![
        GoalColumn::left("Goal", |row| row.goal.text.clone()),
        GoalColumn::right("Before", |row| value_cell(row, row.before)),
    ];
    if advice.contradiction.is_empty() {
        let after = GoalColumn::right("After", |row| value_cell(row, row.after));
        columns.push(after);
        columns.push(GoalColumn::left("", |row| {
            if row.is_met { "held" } else { "not held" }
        }));
        return Table::new(columns, advice.goals.iter());
    }
    columns.push(GoalColumn::right("Nearest", |row| match row.nearest {
        Some(nearest) => value_cell(row, nearest),
        None => "unknown".into(),
    }));
    let mut rows = Vec::new();
    for &place in &advice.contradiction {
        rows.push(&advice.goals[place]);
    }
    Table::new(columns, rows.into_iter())
}

/// Returns what a goal comes to.
fn value_cell(outcome: &GoalOutcome, value: GoalValue) -> Shown {
    words::value(&outcome.goal, value)
}

/// A column of the table of nodes with a smaller target.
type PayerColumn<'a> = Column<'a, &'a Payer>;

/// Returns the table of the first nodes with a smaller target.
fn payers(advice: &Advice) -> Table<'_> {
    let tree = advice.after.tree();
    let columns = vec![
        PayerColumn::left("Who pays", |row| Cell::Node(tree, row.node)),
        PayerColumn::number("Before", Unit::Portion, |row| Value::Double(row.before)),
        PayerColumn::number("After", Unit::Portion, |row| Value::Double(row.after)),
        PayerColumn::right("Change", |row| {
            let change = row.after / row.before - 1.0;
            let percent = change * 100.0;
            let text = sentence!("{percent:+.1}%");
            Cell::Told(text, Value::Double(change))
        }),
        PayerColumn::left("", |row| if row.is_edited { "edited" } else { "diluted" }),
    ];
    let first = advice.who_pays.iter().take(MOST);
    Table::new(columns, first)
}
