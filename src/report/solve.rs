//! `solve`: the least shares that reach a goal, and what a rank depends on.

use super::field::Row;
use super::render::document::{Document, Front};
use super::render::json::{self, Lines, List, object, shares as shares_of};
use super::render::table::{Column, Table};
use super::words::solve::reason;
use super::{Report, View, shares, with_shares, words};
use crate::analysis::solve::{
    Goal, HEAVIEST, Question, RankChange, RivalCost, Sensitivity, SmallestChange, Solution,
    Standing, TargetUse,
};
use crate::base::number::{counted, fraction, grouped, ordinal, short};
use crate::base::shell::quoted;
use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, path_of};
use crate::scenario::Scenario;
use std::io::{self, Write};

/// One answer, or one for each level of a node's path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answers<'a> {
    /// From the root's child down.
    pub(crate) solutions: &'a [Solution],
    smallest: SmallestChange,
    is_any: bool,
}

impl<'a> Answers<'a> {
    pub(crate) fn of(solutions: &'a [Solution], is_any: bool) -> Self {
        Self {
            solutions,
            smallest: SmallestChange::of(solutions),
            is_any,
        }
    }

    /// Returns the answer that is given: the smallest change, else the first that there is, else the node's own.
    pub(crate) fn chosen(&self) -> Option<&'a Solution> {
        let solved = || {
            let mut solutions = self.solutions.iter();
            solutions.find(|solution| solution.shares.is_some())
        };
        let smallest = self.smallest.absolute.map(|place| &self.solutions[place]);
        smallest.or_else(solved).or_else(|| self.solutions.last())
    }
}

fn signed(difference: i64) -> Shown {
    match difference {
        0 => "0".into(),
        1.. => sentence!("+{}", grouped(difference)),
        _ => grouped(difference),
    }
}

pub(crate) struct SolveReport<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) view: &'a View<'a>,
    pub(crate) answers: &'a Answers<'a>,
}

impl Report for SolveReport<'_> {
    fn front(&self) -> Front {
        let node = self.answers.chosen().map(|chosen| chosen.question.node);
        let path = node.map_or_else(Shown::default, |node| self.view.path(node));
        Front::of(sentence!("Solve for a goal of {path}"), self.view)
    }

    fn document(&self) -> Document<'_> {
        let Self { view, answers, .. } = *self;
        let mut document = Document::default();
        let Some(chosen) = answers.chosen() else {
            return document;
        };
        if !answers.is_any {
            document.lines(answer_lines(view, chosen));
            return document;
        }
        let mut columns = level_columns(view);
        columns.push(Column::left("Reason", |it: &&Solution| {
            reason(view.tree, it)
        }));
        document.table(Table::new(columns, answers.solutions.iter()));
        document.gap();
        document.lines(smallest(view, answers));
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let (view, answers) = (self.view, self.answers);
        let Some(chosen) = answers.chosen() else {
            return Ok(());
        };
        let question = chosen.question;
        let path = |node| path_of(view.tree, node);
        let mut after = self.scenario.clone();
        let edit = chosen.edit();
        let is_tried = edit.is_some_and(|edit| after.try_out(edit).is_ok());
        let after = View::of(&after, view.problems);
        let levels = answers.solutions.iter().map(|solution| {
            object! {
                path: path(solution.question.change),
                shares_now: shares_of(solution.shares_now),
                shares: solution.shares,
                reason: reason(view.tree, solution),
            }
        });
        let SmallestChange { absolute, relative } = answers.smallest;
        let change = |place: usize| path(answers.solutions[place].question.change);
        let body = object! {
            node: path(question.node),
            goal: question.goal.write(view.tree),
            change: path(question.change),
            answer: chosen.shares.map(|shares| object! { shares: shares }),
            before: Row::alone(view, question.node),
            after: is_tried.then(|| Row::alone(&after, question.node)),
            reached_now: chosen.is_reached_now,
            reason: reason(view.tree, chosen),
            shares_from_one: chosen.shares_from_one,
            tries: chosen.tries,
            #[serde(flatten)]
            any: answers.is_any.then(|| object! {
                levels: Lines(List(levels)),
                smallest: object! {
                    absolute: absolute.and_then(change),
                    relative: relative.and_then(change),
                },
            }),
        };
        json::write(out, view, body)
    }
}

fn answer_lines(view: &View<'_>, chosen: &Solution) -> Vec<Shown> {
    let question = chosen.question;
    let goal = super::visible(&question.goal.write(view.tree));
    let change = view.path(question.change);
    let node = view.path(question.node);
    let now = shares(chosen.shares_now);
    let reason = reason(view.tree, chosen);
    let mut lines = match chosen.shares {
        Some(shares) => {
            let already = if chosen.is_reached_now {
                ", which is enough"
            } else {
                ""
            };
            // A name may contain characters that are special to a shell.
            let edit = sentence!("shares {change}={shares}");
            let edit = quoted(&edit);
            vec![
                sentence!("{node}, {goal}: {reason}."),
                sentence!("{change} has {now} now{already}; to try it: --edit {edit}"),
            ]
        }
        None => vec![sentence!("{node}, {goal}: impossible: {reason}.")],
    };
    lines.extend(above(view, question));
    lines
}

pub(crate) fn level_columns<'a>(view: &'a View<'a>) -> Vec<Column<'a, &'a Solution>> {
    vec![
        Column::left("Change", |it: &&Solution| view.path(it.question.change)),
        Column::right("Now", |it: &&Solution| shares(it.shares_now)),
        Column::right("Shares", |it: &&Solution| {
            it.shares.map_or_else(|| "none".into(), grouped)
        }),
        Column::right("Change needed", |it: &&Solution| {
            it.difference().map_or_else(Shown::default, signed)
        }),
    ]
}

/// Returns which change reaches the goal with how many shares, in words; `None` if it does not.
pub(crate) fn way(view: &View<'_>, solution: &Solution) -> Option<Shown> {
    let change = view.path(solution.question.change);
    let (now, needed) = (shares(solution.shares_now), grouped(solution.shares?));
    Some(sentence!(
        "{change} would reach it with {needed} shares instead of {now}"
    ))
}

/// Returns the levels with the smallest change, in shares and relative to the current shares.
pub(crate) fn smallest(view: &View<'_>, answers: &Answers<'_>) -> Vec<Shown> {
    let mut lines = smallest_change(view, answers);
    let chosen = answers.chosen();
    lines.extend(chosen.and_then(|chosen| above(view, chosen.question)));
    lines
}

/// Where the accounts above stand against their own targets, for the goal to be on target: they may hold a node back.
fn above(view: &View<'_>, question: Question) -> Option<Shown> {
    if question.goal != Goal::OnTarget {
        return None;
    }
    let line = view.tree.line(question.node);
    let above = line.into_iter().filter(|&node| node != question.node);
    let standings = above.filter_map(|node| {
        let target = view.policy.target(view.tree, view.evaluation, node)?;
        let target = TargetUse::of(view.policy, view.tree, node, target);
        Some(words::solve::stands(view.tree, node, &target))
    });
    let standings: Vec<Shown> = standings.collect();
    (!standings.is_empty()).then(|| sentence!("Above it now: {}.", standings.join("; ")))
}

fn smallest_change(view: &View<'_>, answers: &Answers<'_>) -> Vec<Shown> {
    let SmallestChange { absolute, relative } = answers.smallest;
    if answers.solutions.iter().any(|it| it.is_reached_now) {
        let text = "The goal is already reached. The table shows the fewest shares that would still reach it.";
        return vec![text.into()];
    }
    let (Some(absolute), Some(relative)) = (absolute, relative) else {
        let text = if answers.solutions.iter().any(|it| it.shares.is_some()) {
            "No level that reaches the goal has a current number of shares to compare with."
        } else {
            "Impossible: no number of shares on any single level reaches the goal."
        };
        return vec![text.into()];
    };
    let sentence = |place: usize, measure: &str| {
        let solution = &answers.solutions[place];
        let difference = solution.difference().map_or_else(Shown::default, signed);
        let part = match solution.relative_difference() {
            Some(part) if part.is_finite() => sentence!(" ({:+.1}%)", part * 100.0),
            _ => Shown::default(),
        };
        let path = view.path(solution.question.change);
        sentence!("Cheapest{measure}: {path} {difference}{part}.")
    };
    if absolute == relative {
        return vec![sentence(absolute, "")];
    }
    vec![
        sentence(absolute, " in shares"),
        sentence(relative, " in proportion"),
    ]
}

pub(crate) fn sensitivity_lines(view: &View<'_>, sensitivity: &Sensitivity) -> Vec<Shown> {
    let node = view.path(sensitivity.node);
    if view.tree.part().is_some() {
        return vec![sentence!(
            "The rank of {node} is not known, because not all users are listed; give a goal such as --goal on-target."
        )];
    }
    let Some(rank) = sensitivity.standing.rank else {
        return vec![sentence!(
            "{node} has no rank: it has no users, or the policy excludes it."
        )];
    };
    let users = counted(sensitivity.user_count, "user", "users");
    let (place, shares) = (ordinal(rank as usize), with_shares(sensitivity.shares));
    let mut lines = vec![sentence!("{node} is {place} of {users} with {shares}.")];
    let turn = |turn: Option<RankChange>, what: &str| match turn {
        Some(RankChange { shares, rank }) => {
            let rank = match rank {
                Some(rank) => sentence!("ranks {}", ordinal(rank as usize)),
                None => "has no rank".into(),
            };
            sentence!("With {} it {rank}.", counted(shares, "share", "shares"))
        }
        None => sentence!("With {what} its rank does not change."),
    };
    lines.push(turn(sensitivity.more, "more shares"));
    lines.push(turn(sensitivity.fewer, "fewer shares"));
    lines.push(Shown::default());
    lines.push("Users ahead of it, by the level where their paths diverge:".into());
    for level in &sensitivity.levels {
        let (one, many) = match view.tree.kind(level.node) {
            Kind::Account => (
                "user is in sibling accounts",
                "users are in sibling accounts",
            ),
            Kind::User | Kind::Others => ("user is a sibling", "users are siblings"),
        };
        let users = counted(level.users_ahead, one, many);
        lines.push(sentence!("  {users} of {}", view.path(level.node)));
    }
    lines.push(Shown::default());
    lines.extend(rivals(view, sensitivity));
    lines
}

fn rivals(view: &View<'_>, sensitivity: &Sensitivity) -> Vec<Shown> {
    if sensitivity.rivals.is_empty() {
        return vec!["No sibling of it or of a node above it has used anything.".into()];
    }
    let looked = match sensitivity.others {
        0 => Shown::default(),
        others => sentence!(
            " (the {HEAVIEST} with the highest usage on each level; {} more were not checked)",
            grouped(others)
        ),
    };
    let mut lines = vec![sentence!(
        "If a sibling of it or of a node above it had used nothing{looked}:"
    )];
    let rivals = sensitivity.rivals.iter();
    let rivals: Vec<_> = rivals.filter(|rival| rival.gained != 0).collect();
    if rivals.is_empty() {
        lines.push("  its rank would not change".into());
    }
    let rivals = rivals.into_iter();
    lines.extend(rivals.map(|rival| rival_line(view, sensitivity.standing, rival)));
    lines
}

fn rival_line(view: &View<'_>, now: Standing, rival: &RivalCost) -> Shown {
    let places = counted(rival.gained.unsigned_abs(), "place", "places");
    let gain = match rival.gained {
        0.. => sentence!("{places} gained"),
        _ => sentence!("{places} lost"),
    };
    let factors = match (now.factor, rival.without.factor) {
        (Some(now), Some(then)) => {
            let of = words::number_word(view.policy.factor_column());
            sentence!(", {of} {} → {}", fraction(now), fraction(then))
        }
        _ => Shown::default(),
    };
    let (path, usage) = (view.path(rival.node), short(rival.usage));
    sentence!("  {path} (used {usage}): {gain}{factors}")
}

pub(crate) struct RankSensitivity<'a> {
    pub(crate) view: &'a View<'a>,
    pub(crate) sensitivity: &'a Sensitivity,
}

impl Report for RankSensitivity<'_> {
    fn front(&self) -> Front {
        let path = self.view.path(self.sensitivity.node);
        Front::of(sentence!("What the rank of {path} depends on"), self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::default();
        document.lines(sensitivity_lines(self.view, self.sensitivity));
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { view, sensitivity } = *self;
        let path = |node| path_of(view.tree, node);
        let turn = |turn: Option<RankChange>| {
            turn.map(|turn| object! { shares: turn.shares, rank: turn.rank })
        };
        let levels = sensitivity.levels.iter().map(|level| {
            object! { path: path(level.node), users_ahead: level.users_ahead }
        });
        let siblings = sensitivity.rivals.iter().map(|rival| {
            object! {
                path: path(rival.node),
                usage: rival.usage,
                rank_without: rival.without.rank,
                places_gained: rival.gained,
                factor_without: rival.without.factor,
            }
        });
        let body = object! {
            node: path(sensitivity.node),
            before: Row::alone(view, sensitivity.node),
            sensitivity: Lines(object! {
                more: turn(sensitivity.more),
                fewer: turn(sensitivity.fewer),
                levels: Lines(List(levels)),
                siblings: Lines(List(siblings)),
                siblings_left_out: sensitivity.others,
            }),
            text: sensitivity_lines(view, sensitivity).join("\n"),
        };
        json::write(out, view, body)
    }
}
