//! `advise`: the shares and the half-life with which goals hold, or the goals that contradict each other.

use super::render::document::{Document, Front};
use super::render::json::{self, List, object};
use super::render::line::{Emphasis, Line};
use super::render::table::{Cell, Column, Table};
use super::words::advise as words;
use super::{Report, View, shares, visible};
use crate::analysis::advise::{Advice, BackTime, GoalOutcome, HalfLife, HalfLives, Payer};
use crate::base::number::{Unit, Value, grouped, ordinal};
use crate::base::shown::{Shown, sentence};
use crate::model::path_of;
use crate::scenario::{Edit, write};
use std::io;

/// The most edits, and the most nodes that pay, on one page.
const MOST: usize = 6;

/// The longest bar.
const BAR: &str = "████████████████████";

pub(crate) struct AdviceReport<'a> {
    /// The tree before the proposed edits.
    pub(crate) view: View<'a>,
    /// `None` if only half-lives are asked for.
    pub(crate) advice: Option<&'a Advice>,
    /// The time goals, on a simulated machine.
    pub(crate) times: &'a [BackTime],
    pub(crate) half_lives: Option<&'a HalfLives>,
}

impl Report for AdviceReport<'_> {
    fn front(&self) -> Front {
        Front::of("Advice", &self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::default();
        if let Some(advice) = self.advice {
            self.add_advice(&mut document, advice);
        }
        if let Some(half_lives) = self.half_lives {
            self.add_half_lives(&mut document, half_lives);
        }
        document
    }

    fn write_json(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let tree = self.view.tree;
        let advice = self.advice.map(|advice| {
            let text = |goal: &GoalOutcome| goal.goal.text.as_str().to_owned();
            let goal = move |goal: &GoalOutcome| {
                object! {
                    goal: text(goal),
                    before: goal.before,
                    after: goal.after,
                    met: goal.is_met,
                    nearest: goal.nearest,
                }
            };
            let payer = |payer: &Payer| {
                object! {
                    path: path_of(advice.after.tree(), payer.node),
                    before: payer.before,
                    after: payer.after,
                    edited: payer.is_edited,
                }
            };
            let conflicts = advice
                .contradiction
                .iter()
                .map(|&place| text(&advice.goals[place]));
            let edits = advice
                .edits
                .iter()
                .map(|edit| write(edit, advice.after.tree()));
            object! {
                edits: edits.collect::<Vec<_>>(),
                goals: List(advice.goals.iter().map(goal)),
                who_pays: List(advice.who_pays.iter().map(payer)),
                contradiction: conflicts.collect::<Vec<_>>(),
                proven: advice.is_proven,
                nothing_for: List(advice.given_none.iter().map(|&node| path_of(tree, node))),
                rounding: advice.rounding.map(|it| object! {
                    path: path_of(tree, it.node), exact: it.exact, shares: it.given,
                }),
            }
        });
        let time = |time: &BackTime| {
            object! {
                path: path_of(tree, time.node),
                formula: time.formula,
                simulated: time.measured,
                step: time.window,
            }
        };
        let row = |row: &HalfLife| {
            object! {
                half_life: row.seconds,
                now: row.is_present,
                back_after_burst: row.burst,
                monopoly: row.monopoly,
                rank_after_a_day: row.fallen,
            }
        };
        let body = object! {
            #[serde(flatten)]
            advice: advice,
            times: List(self.times.iter().map(time)),
            half_lives: self.half_lives.map(|it| List(it.rows.iter().map(row))),
        };
        json::write(out, &self.view, body)
    }
}

impl AdviceReport<'_> {
    fn add_advice<'d>(&'d self, document: &mut Document<'d>, advice: &'d Advice) {
        let emphasis = match advice.contradiction[..] {
            [] => Emphasis::Better,
            _ => Emphasis::Warning,
        };
        document.line(Line::of(emphasis, words::verdict(advice)));
        document.sentences(words::undelivered(&advice.after));
        let after = advice.after.tree();
        for edit in advice.edits.iter().take(MOST) {
            let was = match edit {
                Edit::SetShares { node, .. } => shares(self.view.tree.shares(*node)),
                Edit::SetSetting { key, .. } => {
                    visible(&self.view.settings.get(key).unwrap_or_default())
                }
                _ => Shown::default(),
            };
            let edit = visible(&write(edit, after));
            let line = sentence!("{edit}  (was {was})");
            document.item("  ", Line::of(Emphasis::Command, line));
        }
        if let Some(more @ 1..) = advice.edits.len().checked_sub(MOST) {
            let more = sentence!("… and {} more; --format-out json has all", grouped(more));
            document.item("  ", more);
        }
        if let Some(rounding) = &advice.rounding {
            document.sentence(words::rounding(after, rounding));
        }
        if !advice.goals.is_empty() {
            document.gap();
            document.table(goals(advice));
        }
        if !advice.who_pays.is_empty() {
            document.gap();
            document.table(payers(advice));
            if let Some(more @ 1..) = advice.who_pays.len().checked_sub(MOST) {
                document.note(Some(sentence!("… and {} more lose less", grouped(more))));
            }
        }
        document.gap();
        document.sentences(self.times.iter().map(|time| words::back(after, time)));
        document.sentence(words::SATURATED);
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "ranks and cells of bars are small, and not below 0"
    )]
    fn add_half_lives<'d>(&'d self, document: &mut Document<'d>, half_lives: &'d HalfLives) {
        let time = |seconds| Cell::Told(words::seconds(seconds), Value::Double(seconds));
        let rows = half_lives.rows.iter();
        let longest = rows.clone().map(|it| it.burst).fold(0.0, f64::max);
        let columns = vec![
            Column::right("Half-life", move |it: &&HalfLife| time(it.seconds as f64)),
            Column::left("", |it: &&HalfLife| if it.is_present { "now" } else { "" }),
            Column::right("Back after 10x", move |it: &&HalfLife| time(it.burst)),
            Column::right("Longest monopoly", move |it: &&HalfLife| time(it.monopoly)),
            Column::right("First user after a day", |it: &&HalfLife| {
                Cell::told(it.fallen.map(f64::from), |rank| ordinal(rank as usize))
            }),
            Column::left("Back after 10x", move |it: &&HalfLife| {
                let cells = it.burst / longest * BAR.chars().count() as f64;
                &BAR[..'█'.len_utf8() * cells.ceil() as usize]
            }),
        ];
        document.heading("What other half-lives would do");
        document.table(Table::new(columns, rows.clone()));
        document.gap();
        let present = rows.filter(|it| it.is_present);
        let told = |row| words::half_life(self.view.tree, half_lives, row);
        document.sentences(present.map(told));
    }
}

/// Returns the table of the goals; in a contradiction only of those that contradict each other.
fn goals(advice: &Advice) -> Table<'_> {
    let told = |it: &GoalOutcome, value| words::value(&it.goal, value);
    let mut columns = vec![
        Column::left("Goal", |it: &&GoalOutcome| it.goal.text.clone()),
        Column::right("Before", move |it: &&GoalOutcome| told(it, it.before)),
    ];
    let conflicts = advice.contradiction.iter();
    let mut rows: Vec<_> = conflicts.map(|&place| &advice.goals[place]).collect();
    if rows.is_empty() {
        rows = advice.goals.iter().collect();
        let held = |it: &&GoalOutcome| if it.is_met { "held" } else { "not held" };
        columns.extend([
            Column::right("After", move |it: &&GoalOutcome| told(it, it.after)),
            Column::left("", held),
        ]);
    } else {
        columns.push(Column::right("Nearest", move |it: &&GoalOutcome| {
            it.nearest
                .map_or_else(|| "unknown".into(), |nearest| told(it, nearest))
        }));
    }
    Table::new(columns, rows.into_iter())
}

fn payers(advice: &Advice) -> Table<'_> {
    let tree = advice.after.tree();
    let why = |it: &&Payer| if it.is_edited { "edited" } else { "diluted" };
    let columns = vec![
        Column::left("Who pays", move |it: &&Payer| Cell::Node(tree, it.node)),
        Column::number("Before", Unit::Portion, |it: &&Payer| {
            Value::Double(it.before)
        }),
        Column::number("After", Unit::Portion, |it: &&Payer| {
            Value::Double(it.after)
        }),
        Column::right("Change", |it: &&Payer| {
            let change = it.after / it.before - 1.0;
            Cell::Told(sentence!("{:+.1}%", change * 100.0), Value::Double(change))
        }),
        Column::left("", why),
    ];
    Table::new(columns, advice.who_pays.iter().take(MOST))
}
