//! `solve`: the least shares that reach a goal, and what a rank depends on.

use super::field::Row;
use super::render::document::{Document, Front, Offer};
use super::render::json::{self, Lines, List, object, shares as shares_of};
use super::render::line::{Emphasis, Line};
use super::render::table::{Cell, Column, Table};
use super::words::solve::reason;
use super::{Report, View, shares, with_shares, words};
use crate::analysis::solve::{
    Goal, HEAVIEST, RankChange, RivalCost, Sensitivity, ShareQuestion, SmallestChange, Solution,
    Standing, TargetUse,
};
use crate::base::number::{Unit, Value, counted, fraction, grouped, ordinal, short};
use crate::base::shell::quoted;
use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, NodeId, path_of};
use crate::scenario::{Scenario, write};
use std::io::{self, Write};

/// The answers to one goal: the shares of one node, or those of each level of a node's path.
#[derive(Clone, Debug)]
pub(crate) struct Answers {
    /// From the root's child down.
    solutions: Vec<Solution>,
    smallest: SmallestChange,
    is_any: bool,
}

impl Answers {
    /// Returns the answer for one node.
    pub(crate) fn of_one(solution: Solution) -> Self {
        Self::of(vec![solution], false)
    }

    /// Returns the answers for each level, from the root's child down.
    pub(crate) fn of_levels(solutions: Vec<Solution>) -> Self {
        Self::of(solutions, true)
    }

    fn of(solutions: Vec<Solution>, is_any: bool) -> Self {
        Self {
            smallest: SmallestChange::of(&solutions),
            solutions,
            is_any,
        }
    }

    /// Returns the answer that is given: the smallest change, else the first that there is, else the node's own.
    fn chosen(&self) -> Option<&Solution> {
        if let Some(smallest) = self.smallest.absolute {
            return Some(&self.solutions[smallest]);
        }
        for solution in &self.solutions {
            if solution.shares.is_some() {
                return Some(solution);
            }
        }
        self.solutions.last()
    }

    /// Returns the node that is to reach the goal; `None` for the root, whose path has no levels.
    pub(super) fn node(&self) -> Option<NodeId> {
        let first = self.solutions.first()?;
        Some(first.question.node)
    }

    /// Returns whether some number of shares reaches the goal.
    fn has_shares(&self) -> bool {
        let mut solutions = self.solutions.iter();
        solutions.any(|solution| solution.shares.is_some())
    }

    fn is_reached_now(&self) -> bool {
        let mut solutions = self.solutions.iter();
        solutions.any(|solution| solution.is_reached_now)
    }

    /// Adds which change is the smallest, what each level needs and why, and the edits to choose from.
    pub(super) fn add_levels<'a>(&self, document: &mut Document<'a>, view: &'a View<'a>) {
        for sentence in smallest_change(view, self) {
            document.line(Line::of(Emphasis::Strong, sentence));
        }
        if let Some(chosen) = self.chosen() {
            document.lines(above(view, chosen.question));
        }
        document.gap();
        let rows = self.solutions.clone();
        document.table(Table::new(level_columns(view), rows.into_iter()));
        document.gap();
        for solution in &self.solutions {
            document.item("", reason(view.tree, solution));
        }
        self.add_edits(document, view);
    }

    /// Returns the place of the answer that is proposed: the node's own shares, or where these do not reach the goal the
    /// smallest change.
    fn proposed(&self) -> Option<usize> {
        if let Some(own) = self.solutions.last()
            && own.shares.is_some()
        {
            return Some(self.solutions.len() - 1);
        }
        self.smallest.absolute
    }

    /// Adds the edits that reach the goal, to choose from.
    fn add_edits(&self, document: &mut Document<'_>, view: &View<'_>) {
        let mut is_headed = false;
        for (place, solution) in self.solutions.iter().enumerate() {
            let Some(edit) = solution.edit() else {
                continue;
            };
            if solution.is_reached_now {
                continue;
            }
            if !is_headed {
                document.section("To try it");
                is_headed = true;
            }
            document.offer(
                super::visible(&write(&edit, view.tree)),
                Offer {
                    edit,
                    node: solution.question.node,
                    is_first: self.proposed() == Some(place),
                },
            );
        }
    }
}

fn signed(difference: i64) -> Shown {
    match difference {
        0 => "0".into(),
        1.. => sentence!("+{}", grouped(difference)),
        _ => grouped(difference),
    }
}

/// The shares with which a node reaches a goal.
pub(crate) struct SolveReport<'a> {
    /// The tree on which the answers are tried.
    pub(crate) scenario: &'a Scenario,
    pub(crate) view: &'a View<'a>,
    pub(crate) answers: Answers,
    /// What the shares of each level would do, where those of the node alone do not reach the goal; empty if they do.
    pub(crate) elsewhere: Vec<Solution>,
}

impl SolveReport<'_> {
    /// Returns which account above would reach the goal, or that none does; `None` where the answer needs none.
    fn way_above(&self) -> Option<Shown> {
        for solution in &self.elsewhere {
            if let Some(way) = way(self.view, solution) {
                return Some(sentence!("{way}."));
            }
        }
        if self.elsewhere.len() > 1 {
            return Some("No account above it reaches the goal either.".into());
        }
        None
    }
}

impl Report for SolveReport<'_> {
    fn front(&self) -> Front {
        let Some(chosen) = self.answers.chosen() else {
            return Front::of("Solve for a goal", self.view);
        };
        let path = self.view.path(chosen.question.node);
        let goal = super::visible(&chosen.question.goal.write(self.view.tree));
        Front::of(sentence!("Solve for a goal: {path}, {goal}"), self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::default();
        let Some(chosen) = self.answers.chosen() else {
            return document;
        };
        if self.answers.is_any {
            self.answers.add_levels(&mut document, self.view);
            return document;
        }
        document.lines(answer_lines(self.view, chosen));
        document.lines(self.way_above());
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let (view, answers) = (self.view, &self.answers);
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

    /// Returns a row for each answer.
    fn csv(&self) -> Option<Table<'_>> {
        let view = self.view;
        let goal = move |solution: &Solution| solution.question.goal.write(view.tree).into();
        let columns = vec![
            Column::left("node", move |solution: &Solution| {
                Cell::Node(view.tree, solution.question.node)
            }),
            Column::exact("goal", goal),
            Column::left("change", move |solution: &Solution| {
                Cell::Node(view.tree, solution.question.change)
            }),
            Column::left("shares_now", |solution: &Solution| {
                shares(solution.shares_now)
            }),
            Column::number("shares", Unit::Count, |solution: &Solution| {
                solution.shares.into()
            }),
            Column::number("difference", Unit::Count, |solution: &Solution| {
                solution.difference().into()
            }),
            Column::exact("reached_now", |solution: &Solution| {
                solution.is_reached_now.to_string().into()
            }),
            Column::left("reason", move |solution: &Solution| {
                reason(view.tree, solution)
            }),
        ];
        let rows = self.answers.solutions.clone();
        Some(Table::new(columns, rows.into_iter()))
    }

    fn is_found(&self) -> bool {
        self.answers.has_shares()
    }
}

fn answer_lines(view: &View<'_>, chosen: &Solution) -> Vec<Shown> {
    let question = chosen.question;
    let goal = super::visible(&question.goal.write(view.tree));
    let change = view.path(question.change);
    let node = view.path(question.node);
    let reason = reason(view.tree, chosen);
    let mut lines = Vec::new();
    if let Some(needed) = chosen.shares {
        let now = shares(chosen.shares_now);
        let already = if chosen.is_reached_now {
            ", which is enough"
        } else {
            ""
        };
        // A name may contain characters that are special to a shell.
        let edit = sentence!("shares {change}={needed}");
        let edit = quoted(&edit);
        lines.push(sentence!("{node}, {goal}: {reason}."));
        lines.push(sentence!(
            "{change} has {now} now{already}; to try it: --edit {edit}"
        ));
    } else {
        lines.push(sentence!("{node}, {goal}: impossible: {reason}."));
    }
    lines.extend(above(view, question));
    lines
}

fn level_columns<'a>(view: &'a View<'a>) -> Vec<Column<'a, Solution>> {
    vec![
        Column::left("Change", |solution: &Solution| {
            view.path(solution.question.change)
        }),
        Column::right("Now", |solution: &Solution| shares(solution.shares_now)),
        Column::right("Shares", |solution: &Solution| match solution.shares {
            Some(shares) => grouped(shares),
            None => "none".into(),
        }),
        Column::right("Change needed", |solution: &Solution| {
            match solution.difference() {
                Some(difference) => signed(difference),
                None => Shown::default(),
            }
        }),
    ]
}

/// Returns which change reaches the goal with how many shares, in words; `None` if it does not.
fn way(view: &View<'_>, solution: &Solution) -> Option<Shown> {
    let change = view.path(solution.question.change);
    let now = shares(solution.shares_now);
    let needed = grouped(solution.shares?);
    Some(sentence!(
        "{change} would reach it with {needed} shares instead of {now}"
    ))
}

/// Where the accounts above stand against their own targets, for the goal to be on target: they may hold a node back.
fn above(view: &View<'_>, question: ShareQuestion) -> Option<Shown> {
    if question.goal != Goal::OnTarget {
        return None;
    }
    let mut standings = Vec::new();
    for node in view.tree.line(question.node) {
        if node == question.node {
            continue;
        }
        if let Some(target) = view.policy.target(view.tree, view.evaluation, node) {
            let target = TargetUse::of(view.policy, view.tree, node, target);
            standings.push(words::solve::stands(view.tree, node, &target));
        }
    }
    if standings.is_empty() {
        return None;
    }
    Some(sentence!("Above it now: {}.", standings.join("; ")))
}

/// Returns the levels with the smallest change, in shares and relative to the current shares.
fn smallest_change(view: &View<'_>, answers: &Answers) -> Vec<Shown> {
    if answers.is_reached_now() {
        let text = "The goal is already reached. The table shows the fewest shares that would still reach it.";
        return vec![text.into()];
    }
    let SmallestChange { absolute, relative } = answers.smallest;
    let (Some(absolute), Some(relative)) = (absolute, relative) else {
        let text = if answers.has_shares() {
            "No level that reaches the goal has a current number of shares to compare with."
        } else {
            "Impossible: no number of shares on any single level reaches the goal."
        };
        return vec![text.into()];
    };
    if absolute == relative {
        return vec![cheapest(view, &answers.solutions[absolute], "")];
    }
    vec![
        cheapest(view, &answers.solutions[absolute], " in shares"),
        cheapest(view, &answers.solutions[relative], " in proportion"),
    ]
}

/// Names the level with the smallest change by some measure.
fn cheapest(view: &View<'_>, solution: &Solution, measure: &str) -> Shown {
    let difference = match solution.difference() {
        Some(difference) => signed(difference),
        None => Shown::default(),
    };
    let part = match solution.relative_difference() {
        Some(part) if part.is_finite() => sentence!(" ({:+.1}%)", part * 100.0),
        _ => Shown::default(),
    };
    let path = view.path(solution.question.change);
    sentence!("Cheapest{measure}: {path} {difference}{part}.")
}

fn sensitivity_lines(view: &View<'_>, sensitivity: &Sensitivity) -> Vec<Shown> {
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
    let place = ordinal(rank as usize);
    let shares = with_shares(sensitivity.shares);
    let mut lines = vec![sentence!("{node} is {place} of {users} with {shares}.")];
    lines.push(turning_point(sensitivity.more, "more shares"));
    lines.push(turning_point(sensitivity.fewer, "fewer shares"));
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

/// Says with how many shares the rank changes, or that it does not.
fn turning_point(change: Option<RankChange>, what: &str) -> Shown {
    let Some(change) = change else {
        return sentence!("With {what} its rank does not change.");
    };
    let rank = match change.rank {
        Some(rank) => sentence!("ranks {}", ordinal(rank as usize)),
        None => "has no rank".into(),
    };
    let shares = counted(change.shares, "share", "shares");
    sentence!("With {shares} it {rank}.")
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
    for rival in &sensitivity.rivals {
        if rival.gained != 0 {
            lines.push(rival_line(view, sensitivity.standing, rival));
        }
    }
    if lines.len() == 1 {
        lines.push("  its rank would not change".into());
    }
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
    let path = view.path(rival.node);
    let usage = short(rival.usage);
    sentence!("  {path} (used {usage}): {gain}{factors}")
}

/// What the rank of a node depends on.
pub(crate) struct RankSensitivity<'a> {
    pub(crate) view: &'a View<'a>,
    pub(crate) sensitivity: Sensitivity,
}

impl Report for RankSensitivity<'_> {
    fn front(&self) -> Front {
        let path = self.view.path(self.sensitivity.node);
        Front::of(sentence!("What the rank of {path} depends on"), self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::default();
        document.lines(sensitivity_lines(self.view, &self.sensitivity));
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let view = self.view;
        let sensitivity = &self.sensitivity;
        let path = |node| path_of(view.tree, node);
        let turn = |turn: Option<RankChange>| {
            turn.map(|turn| object! { shares: turn.shares, rank: turn.rank })
        };
        let mut levels = Vec::new();
        for level in &sensitivity.levels {
            levels.push(object! { path: path(level.node), users_ahead: level.users_ahead });
        }
        let mut siblings = Vec::new();
        for rival in &sensitivity.rivals {
            siblings.push(object! {
                path: path(rival.node),
                usage: rival.usage,
                rank_without: rival.without.rank,
                places_gained: rival.gained,
                factor_without: rival.without.factor,
            });
        }
        let body = object! {
            node: path(sensitivity.node),
            before: Row::alone(view, sensitivity.node),
            sensitivity: Lines(object! {
                more: turn(sensitivity.more),
                fewer: turn(sensitivity.fewer),
                levels: Lines(levels),
                siblings: Lines(siblings),
                siblings_left_out: sensitivity.others,
            }),
            text: sensitivity_lines(view, sensitivity).join("\n"),
        };
        json::write(out, view, body)
    }

    /// Returns a row for each sibling, with what its usage costs.
    fn csv(&self) -> Option<Table<'_>> {
        let tree = self.view.tree;
        let columns = vec![
            Column::left("path", move |rival: &&RivalCost| {
                Cell::Node(tree, rival.node)
            }),
            Column::number("usage", Unit::Usage, |rival: &&RivalCost| {
                Value::Double(rival.usage)
            }),
            Column::number("rank_without", Unit::Rank, |rival: &&RivalCost| {
                rival.without.rank.into()
            }),
            Column::number("places_gained", Unit::Count, |rival: &&RivalCost| {
                Value::Count(rival.gained)
            }),
            Column::number("factor_without", Unit::Fraction, |rival: &&RivalCost| {
                rival.without.factor.into()
            }),
        ];
        Some(Table::new(columns, self.sensitivity.rivals.iter()))
    }
}
