//! `solve`: the least shares that reach a goal, and what a rank depends on.

use super::field::Row;
use super::render::document::{Document, Front, Offer};
use super::render::json::{self, Lines, object, shares as shares_of};
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
use serde::Serialize;
use std::io::{self, Write};

/// The answers to one goal: the shares of one node, or those of each level of a node's path.
#[derive(Clone, Debug)]
pub(crate) struct Answers {
    /// From the root's child down.
    solutions: Vec<Solution>,
    /// Which of them change the shares least.
    smallest: SmallestChange,
    /// Whether each level was asked for, rather than one node.
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

    /// Returns the answers, of one node or of each level.
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

    /// Returns whether the goal is reached without any change.
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
            let above = above(view, chosen.question);
            document.lines(above);
        }
        document.gap();
        let columns = level_columns(view);
        let rows = self.solutions.clone();
        document.table(Table::new(columns, rows.into_iter()));
        document.gap();
        for solution in &self.solutions {
            let reason = reason(view.tree, solution);
            document.item("", reason);
        }
        self.add_edits(document, view);
    }

    /// Returns what each level needs, and which change is the smallest, for JSON.
    fn levels_json(&self, view: &View<'_>) -> impl Serialize {
        let tree = view.tree;
        let mut levels = Vec::new();
        for solution in &self.solutions {
            levels.push(object! {
                path: path_of(tree, solution.question.change),
                shares_now: shares_of(solution.shares_now),
                shares: solution.shares,
                reason: reason(tree, solution),
            });
        }
        let SmallestChange { absolute, relative } = self.smallest;
        let absolute = absolute.map(|place| self.solutions[place].question.change);
        let relative = relative.map(|place| self.solutions[place].question.change);
        object! {
            levels: Lines(levels),
            smallest: object! {
                absolute: absolute.and_then(|node| path_of(tree, node)),
                relative: relative.and_then(|node| path_of(tree, node)),
            },
        }
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
        let proposed = self.proposed();
        let mut is_headed = false;
        for (place, solution) in self.solutions.iter().enumerate() {
            if solution.is_reached_now {
                continue;
            }
            let Some(edit) = solution.edit() else {
                continue;
            };
            if !is_headed {
                document.section("To try it");
                is_headed = true;
            }
            let text = super::visible(&write(&edit, view.tree));
            let offer = Offer {
                edit,
                node: solution.question.node,
                is_first: proposed == Some(place),
            };
            document.offer(text, offer);
        }
    }
}

/// Returns a difference of shares with its sign.
fn signed(difference: i64) -> Shown {
    let shares = grouped(difference);
    if difference > 0 {
        return sentence!("+{shares}");
    }
    shares
}

/// The shares with which a node reaches a goal.
pub(crate) struct SolveReport<'a> {
    /// The tree on which the answers are tried.
    pub(crate) scenario: &'a Scenario,
    /// The same tree with its numbers.
    pub(crate) view: &'a View<'a>,
    /// The answers. There is none for a node without levels.
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

    /// Returns the tree with the edit of an answer; `None` if it has none, or the tree refuses it.
    fn tried(&self, chosen: &Solution) -> Option<Scenario> {
        let edit = chosen.edit()?;
        let mut after = self.scenario.clone();
        after.try_out(edit).ok()?;
        Some(after)
    }
}

impl Report for SolveReport<'_> {
    fn front(&self) -> Front {
        let Some(chosen) = self.answers.chosen() else {
            return Front::of("Solve for a goal", self.view);
        };
        let path = self.view.path(chosen.question.node);
        let goal = goal_in_words(self.view, chosen);
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
        let view = self.view;
        let tree = view.tree;
        let answers = &self.answers;
        let Some(chosen) = answers.chosen() else {
            return Ok(());
        };
        let question = chosen.question;
        let mut answer = None;
        if let Some(shares) = chosen.shares {
            answer = Some(object! { shares: shares });
        }
        let mut any = None;
        if answers.is_any {
            any = Some(answers.levels_json(view));
        }
        let tried = self.tried(chosen);
        let after = tried.as_ref().map(|after| View::of(after, view.problems));
        let body = object! {
            node: path_of(tree, question.node),
            goal: question.goal.write(tree),
            change: path_of(tree, question.change),
            answer: answer,
            before: Row::alone(view, question.node),
            after: after.as_ref().map(|after| Row::alone(after, question.node)),
            reached_now: chosen.is_reached_now,
            reason: reason(tree, chosen),
            shares_from_one: chosen.shares_from_one,
            tries: chosen.tries,
            #[serde(flatten)]
            any: any,
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

/// Returns the goal of an answer, as people see it.
fn goal_in_words(view: &View<'_>, solution: &Solution) -> Shown {
    let goal = solution.question.goal;
    super::visible(&goal.write(view.tree))
}

/// Returns whether the shares of a node reach its goal, with how many, and why.
fn answer_lines(view: &View<'_>, chosen: &Solution) -> Vec<Shown> {
    let question = chosen.question;
    let goal = goal_in_words(view, chosen);
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
        let edit = sentence!("shares {change}={needed}");
        // A name may contain characters that are special to a shell.
        let word = quoted(&edit);
        lines.push(sentence!("{node}, {goal}: {reason}."));
        lines.push(sentence!(
            "{change} has {now} now{already}; to try it: --edit {word}"
        ));
    } else {
        lines.push(sentence!("{node}, {goal}: impossible: {reason}."));
    }
    lines.extend(above(view, question));
    lines
}

/// Returns the columns of the answers of each level, for people.
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
        Column::right("Change needed", difference_in_words),
    ]
}

/// Returns how many shares an answer adds or takes; empty if there is none, or nothing to compare it with.
fn difference_in_words(solution: &Solution) -> Shown {
    match solution.difference() {
        Some(difference) => signed(difference),
        None => Shown::default(),
    }
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
    let tree = view.tree;
    let policy = view.policy;
    let mut standings = Vec::new();
    for node in tree.line(question.node) {
        if node == question.node {
            continue;
        }
        if let Some(target) = policy.target(tree, view.evaluation, node) {
            let target = TargetUse::of(policy, tree, node, target);
            standings.push(words::solve::stands(tree, node, &target));
        }
    }
    if standings.is_empty() {
        return None;
    }
    let all_standings = standings.join("; ");
    Some(sentence!("Above it now: {all_standings}."))
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
    let in_shares = &answers.solutions[absolute];
    if absolute == relative {
        return vec![cheapest(view, in_shares, "")];
    }
    let in_proportion = &answers.solutions[relative];
    vec![
        cheapest(view, in_shares, " in shares"),
        cheapest(view, in_proportion, " in proportion"),
    ]
}

/// Names the level with the smallest change by some measure.
fn cheapest(view: &View<'_>, solution: &Solution, measure: &str) -> Shown {
    let difference = difference_in_words(solution);
    let part = match solution.relative_difference() {
        Some(part) if part.is_finite() => {
            let percent = part * 100.0;
            sentence!(" ({percent:+.1}%)")
        }
        _ => Shown::default(),
    };
    let path = view.path(solution.question.change);
    sentence!("Cheapest{measure}: {path} {difference}{part}.")
}

/// Returns what the rank of a node depends on, as prose.
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
    let more = turning_point(sensitivity.more, "more shares");
    let fewer = turning_point(sensitivity.fewer, "fewer shares");
    let mut lines = vec![
        sentence!("{node} is {place} of {users} with {shares}."),
        more,
        fewer,
        Shown::default(),
        "Users ahead of it, by the level where their paths diverge:".into(),
    ];
    for level in &sensitivity.levels {
        let level_node = view.path(level.node);
        let users = users_ahead(view.tree.kind(level.node), level.users_ahead);
        lines.push(sentence!("  {users} of {level_node}"));
    }
    lines.push(Shown::default());
    lines.extend(rivals(view, sensitivity));
    lines
}

/// Returns how many users of a level are ahead of its node, and whether they are its siblings.
fn users_ahead(kind: Kind, count: usize) -> Shown {
    match kind {
        Kind::Account => counted(
            count,
            "user is in sibling accounts",
            "users are in sibling accounts",
        ),
        Kind::User | Kind::Others => counted(count, "user is a sibling", "users are siblings"),
    }
}

/// Says with how many shares the rank changes, or that it does not.
fn turning_point(change: Option<RankChange>, what: &str) -> Shown {
    let Some(change) = change else {
        return sentence!("With {what} its rank does not change.");
    };
    let shares = counted(change.shares, "share", "shares");
    let Some(rank) = change.rank else {
        return sentence!("With {shares} it has no rank.");
    };
    let place = ordinal(rank as usize);
    sentence!("With {shares} it ranks {place}.")
}

/// Returns how the rank would change if a sibling had used nothing.
fn rivals(view: &View<'_>, sensitivity: &Sensitivity) -> Vec<Shown> {
    if sensitivity.rivals.is_empty() {
        let text = "No sibling of it or of a node above it has used anything.";
        return vec![text.into()];
    }
    let mut looked = Shown::default();
    if sensitivity.others > 0 {
        let others = grouped(sensitivity.others);
        looked = sentence!(
            " (the {HEAVIEST} with the highest usage on each level; {others} more were not checked)"
        );
    }
    let mut lines = vec![sentence!(
        "If a sibling of it or of a node above it had used nothing{looked}:"
    )];
    for rival in &sensitivity.rivals {
        if rival.gained != 0 {
            let line = rival_line(view, sensitivity.standing, rival);
            lines.push(line);
        }
    }
    if lines.len() == 1 {
        lines.push("  its rank would not change".into());
    }
    lines
}

/// Returns what the usage of a sibling costs a node.
fn rival_line(view: &View<'_>, now: Standing, rival: &RivalCost) -> Shown {
    let path = view.path(rival.node);
    let usage = short(rival.usage);
    let places = counted(rival.gained.unsigned_abs(), "place", "places");
    let verb = if rival.gained < 0 { "falls" } else { "rises" };
    let mut factors = Shown::default();
    if let Some(now) = now.factor
        && let Some(then) = rival.without.factor
    {
        let name = words::number_word(view.policy.factor_column());
        let before = fraction(now);
        let after = fraction(then);
        factors = sentence!(", {name} {before} → {after}");
    }
    sentence!("  {path} (used {usage}): it {verb} {places}{factors}")
}

/// Returns with how many shares the rank changes, for JSON; `None` if it does not.
fn turn_json(turn: Option<RankChange>) -> Option<impl Serialize> {
    let turn = turn?;
    Some(object! {
        shares: turn.shares,
        rank: turn.rank,
    })
}

/// What the rank of a node depends on.
pub(crate) struct RankSensitivity<'a> {
    /// The tree with its numbers.
    pub(crate) view: &'a View<'a>,
    /// What the rank depends on.
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
        let tree = view.tree;
        let sensitivity = &self.sensitivity;
        let mut levels = Vec::new();
        for level in &sensitivity.levels {
            levels.push(object! {
                path: path_of(tree, level.node),
                users_ahead: level.users_ahead,
            });
        }
        let mut siblings = Vec::new();
        for rival in &sensitivity.rivals {
            siblings.push(object! {
                path: path_of(tree, rival.node),
                usage: rival.usage,
                rank_without: rival.without.rank,
                places_gained: rival.gained,
                factor_without: rival.without.factor,
            });
        }
        let lines = sensitivity_lines(view, sensitivity);
        let body = object! {
            node: path_of(tree, sensitivity.node),
            before: Row::alone(view, sensitivity.node),
            sensitivity: Lines(object! {
                more: turn_json(sensitivity.more),
                fewer: turn_json(sensitivity.fewer),
                levels: Lines(levels),
                siblings: Lines(siblings),
                siblings_left_out: sensitivity.others,
            }),
            text: lines.join("\n"),
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
