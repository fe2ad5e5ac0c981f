//! `solve`: the least shares that reach a goal, and what a rank hangs on.

use super::explain::{Line, text, write_text as write_lines};
use super::json::{Lines, List, Row, object, shares as shares_of};
use super::table::{self, Filled};
use super::words::solve::reason;
use super::{Form, View, json, words};
use crate::analysis::plan::shell::quoted;
use crate::analysis::solve::{
    Goal, HEAVIEST, Question, RankChange, RivalCost, Sensitivity, SmallestChange, Solution,
    Standing, TargetUse,
};
use crate::base::number::{counted, fraction, grouped, ordinal, short};
use crate::model::{Shares, path_of};
use crate::scenario::Scenario;
use std::io::{self, Write};

/// One answer, or one for each level of a node's way.
#[derive(Clone, Copy, Debug)]
pub struct Answers<'a> {
    solutions: &'a [Solution],
    smallest: SmallestChange,
    is_any: bool,
}

impl<'a> Answers<'a> {
    /// Picks the answer that changes least.
    #[must_use]
    pub fn of(solutions: &'a [Solution], is_any: bool) -> Self {
        Self {
            solutions,
            smallest: SmallestChange::of(solutions),
            is_any,
        }
    }

    /// The answers, from the root's child down.
    #[must_use]
    pub fn solutions(&self) -> &'a [Solution] {
        self.solutions
    }

    /// The answer that is given: the smallest change, else the first that there is, else the node's own.
    #[must_use]
    pub fn chosen(&self) -> Option<&'a Solution> {
        let solved = || {
            let mut solutions = self.solutions.iter();
            solutions.find(|solution| solution.shares.is_some())
        };
        let smallest = self.smallest.absolute.map(|place| &self.solutions[place]);
        smallest.or_else(solved).or_else(|| self.solutions.last())
    }
}

fn count(shares: Shares) -> String {
    shares.count().map_or_else(|| "parent".to_owned(), grouped)
}

/// `1 share`, `20 shares`.
fn shares_text(shares: Shares) -> String {
    let noun = if shares.count() == Some(1) {
        "share"
    } else {
        "shares"
    };
    format!("{} {noun}", count(shares))
}

fn signed(difference: i64) -> String {
    match difference {
        0 => "0".to_owned(),
        1.. => format!("+{}", grouped(difference)),
        _ => grouped(difference),
    }
}

/// Writes answers as text: a sentence, or a table of the levels and which of them takes least.
///
/// # Errors
/// If writing fails.
pub fn write_text(out: &mut dyn Write, view: &View<'_>, answers: &Answers<'_>) -> io::Result<()> {
    let Some(chosen) = answers.chosen() else {
        return Ok(());
    };
    if answers.is_any {
        write_levels(out, view, answers)?;
        writeln!(out)?;
        return write_lines(out, &smallest(view, answers));
    }
    let question = chosen.question;
    let goal = question.goal.write(view.tree);
    let goal = super::visible(&goal);
    let change = view.path(question.change);
    let node = view.path(question.node);
    let now = count(chosen.shares_now);
    let reason = reason(view.tree, chosen);
    let mut lines = match chosen.shares {
        Some(shares) => {
            let already = if chosen.is_reached_now {
                ", which is enough"
            } else {
                ""
            };
            // A name may hold what a shell takes for itself.
            let edit = format!("shares {change}={shares}");
            let edit = quoted(&edit);
            vec![
                Line::plain(format!("{node}, {goal}: {reason}.")),
                Line::plain(format!(
                    "{change} has {now} now{already}; to try it: --edit {edit}"
                )),
            ]
        }
        None => vec![Line::plain(format!(
            "{node}, {goal}: impossible: {reason}."
        ))],
    };
    lines.extend(above(view, question));
    write_lines(out, &lines)
}

/// Writes a table of the levels: the shares each has now, and what it takes.
///
/// # Errors
/// If writing fails.
pub fn write_levels(out: &mut dyn Write, view: &View<'_>, answers: &Answers<'_>) -> io::Result<()> {
    let mut columns = level_columns(view);
    columns.push(Filled::left("Reason", |solution| {
        reason(view.tree, solution)
    }));
    table::emit(out, Form::Table, &columns, answers.solutions)
}

/// Returns what changes, the shares it has now, those it takes, and the difference, as lines of a table, its headings
/// first.
#[must_use]
pub fn level_lines(view: &View<'_>, answers: &Answers<'_>) -> Vec<String> {
    table::lines(&level_columns(view), answers.solutions)
}

/// Returns which change reaches the goal with how many shares, in words; `None` if it does not.
#[must_use]
pub fn way(view: &View<'_>, solution: &Solution) -> Option<String> {
    let change = view.path(solution.question.change);
    let (now, shares) = (count(solution.shares_now), grouped(solution.shares?));
    Some(format!(
        "{change} would reach it with {shares} shares in place of {now}"
    ))
}

fn level_columns<'a>(view: &'a View<'_>) -> Vec<Filled<'a, Solution>> {
    vec![
        Filled::left("Change", |solution: &Solution| {
            view.path(solution.question.change)
        }),
        Filled::right("Now", |solution: &Solution| count(solution.shares_now)),
        Filled::right("Shares", |solution: &Solution| {
            solution.shares.map_or_else(|| "none".to_owned(), grouped)
        }),
        Filled::right("By", |solution: &Solution| {
            solution.difference().map_or_else(String::new, signed)
        }),
    ]
}

/// Which level takes least, in shares and as a part of what is there.
#[must_use]
pub fn smallest(view: &View<'_>, answers: &Answers<'_>) -> Vec<Line> {
    let mut lines = smallest_change(view, answers);
    lines.extend(
        answers
            .chosen()
            .and_then(|chosen| above(view, chosen.question)),
    );
    lines
}

/// Where the accounts above the node stand against their own targets now, where being on target is the goal: they are
/// not part of it, but may hold the node back.
fn above(view: &View<'_>, question: Question) -> Option<Line> {
    if question.goal != Goal::OnTarget {
        return None;
    }
    let line = view.tree.line(question.node);
    let above = line.into_iter().filter(|&node| node != question.node);
    let told = above.filter_map(|node| {
        let target = view.policy.target(view.tree, view.evaluation, node)?;
        let target = TargetUse::of(view.policy, view.tree, node, target);
        Some(words::target::stands(view.tree, node, &target))
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| Line::plain(format!("Above it now: {}.", told.join("; "))))
}

fn smallest_change(view: &View<'_>, answers: &Answers<'_>) -> Vec<Line> {
    let SmallestChange { absolute, relative } = answers.smallest;
    if answers.solutions.iter().any(|it| it.is_reached_now) {
        let text =
            "It is reached as it is: nothing has to change, and this is how few shares would do.";
        return vec![Line::plain(text)];
    }
    let (Some(absolute), Some(relative)) = (absolute, relative) else {
        let text = if answers.solutions.iter().any(|it| it.shares.is_some()) {
            "No level that reaches it has a number of shares now to compare with."
        } else {
            "Impossible: no number of shares on any one level reaches it."
        };
        return vec![Line::plain(text)];
    };
    let sentence = |place: usize, measure: &str| {
        let solution = &answers.solutions[place];
        let difference = solution.difference().map_or_else(String::new, signed);
        let part = match solution.relative_difference() {
            Some(part) if part.is_finite() => format!(", {:.1}% of what it has", part * 100.0),
            _ => String::new(),
        };
        Line::plain(format!(
            "The smallest change {measure}: {} by {difference}{part}.",
            view.path(solution.question.change)
        ))
    };
    if absolute == relative {
        return vec![sentence(absolute, "in shares and in proportion")];
    }
    vec![
        sentence(absolute, "in shares"),
        sentence(relative, "in proportion"),
    ]
}

/// Writes answers as JSON, with the node as it is and as it would be.
///
/// # Errors
/// If writing fails.
pub fn write_json(
    out: &mut dyn Write,
    scenario: &Scenario,
    view: &View<'_>,
    answers: &Answers<'_>,
) -> io::Result<()> {
    let Some(chosen) = answers.chosen() else {
        return Ok(());
    };
    let question = chosen.question;
    let path = |node| path_of(view.tree, node);
    let mut after = scenario.clone();
    let is_tried = chosen
        .edit()
        .is_some_and(|edit| after.try_out(edit).is_ok());
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
        problems: json::problems(view.problems.list()),
    };
    json::write(out, view, body)
}

/// What a rank hangs on, as prose.
#[must_use]
pub fn sensitivity_lines(view: &View<'_>, sensitivity: &Sensitivity) -> Vec<Line> {
    let node = view.path(sensitivity.node);
    let Some(rank) = sensitivity.standing.rank else {
        return vec![Line::plain(format!(
            "{node} has no rank: no user is there, or the policy leaves it out."
        ))];
    };
    let users = counted(sensitivity.user_count, "user", "users");
    let mut lines = vec![Line::plain(format!(
        "{node} is {} of {users} with {}.",
        ordinal(rank as usize),
        shares_text(sensitivity.shares)
    ))];
    let turn = |turn: Option<RankChange>, what: &str| match turn {
        Some(RankChange { shares, rank }) => format!(
            "With {what} its rank changes at {}: {}.",
            grouped(shares),
            rank.map_or_else(|| "none".to_owned(), |rank| ordinal(rank as usize))
        ),
        None => format!("With {what} its rank stays what it is."),
    };
    lines.push(Line::plain(turn(sensitivity.more, "more shares")));
    lines.push(Line::plain(turn(sensitivity.fewer, "fewer shares")));
    lines.push(Line::default());
    lines.push(Line::plain(
        "Who is ahead of it, by the level where their ways part:",
    ));
    for level in &sensitivity.levels {
        lines.push(Line::plain(format!(
            "  {}: {} under its siblings",
            view.path(level.node),
            counted(level.users_ahead, "user", "users")
        )));
    }
    lines.push(Line::default());
    lines.extend(rivals(view, sensitivity));
    lines
}

fn rivals(view: &View<'_>, sensitivity: &Sensitivity) -> Vec<Line> {
    if sensitivity.rivals.is_empty() {
        return vec![Line::plain(
            "No sibling of it or of its accounts used anything.",
        )];
    }
    let looked = match sensitivity.others {
        0 => String::new(),
        others => format!(
            " (the {HEAVIEST} of each level that used most; {} more were not looked at)",
            grouped(others)
        ),
    };
    let mut lines = vec![Line::plain(format!(
        "If a sibling of it or of its accounts had used nothing{looked}:"
    ))];
    for rival in &sensitivity.rivals {
        lines.push(rival_line(view, sensitivity.standing, rival));
    }
    lines
}

fn rival_line(view: &View<'_>, now: Standing, rival: &RivalCost) -> Line {
    let places = |count: u64| {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        counted(count, "place", "places")
    };
    let gain = match rival.gained {
        0 => "no place".to_owned(),
        1.. => format!("{} gained", places(rival.gained.unsigned_abs())),
        _ => format!("{} lost", places(rival.gained.unsigned_abs())),
    };
    let factors = match (now.factor, rival.without.factor) {
        (Some(now), Some(then)) => format!(", factor {} → {}", fraction(now), fraction(then)),
        _ => String::new(),
    };
    Line::plain(format!(
        "  {} (used {}): {gain}{factors}",
        view.path(rival.node),
        short(rival.usage)
    ))
}

/// Writes what a rank hangs on as text.
///
/// # Errors
/// If writing fails.
pub fn write_sensitivity_text(
    out: &mut dyn Write,
    view: &View<'_>,
    sensitivity: &Sensitivity,
) -> io::Result<()> {
    write_lines(out, &sensitivity_lines(view, sensitivity))
}

/// Writes what a rank hangs on as JSON.
///
/// # Errors
/// If writing fails.
pub fn write_sensitivity_json(
    out: &mut dyn Write,
    view: &View<'_>,
    sensitivity: &Sensitivity,
) -> io::Result<()> {
    let path = |node| path_of(view.tree, node);
    let turn = |turn: Option<RankChange>| {
        turn.map(|RankChange { shares, rank }| {
            object! {
                shares: shares,
                rank: rank,
            }
        })
    };
    let levels = sensitivity.levels.iter().map(|level| {
        object! {
            path: path(level.node),
            users_ahead: level.users_ahead,
        }
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
        text: text(&sensitivity_lines(view, sensitivity)),
        problems: json::problems(view.problems.list()),
    };
    json::write(out, view, body)
}
