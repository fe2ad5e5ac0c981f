//! `policies`: the rank of every user under each policy, and how far the policies agree.
//!
//! A user's spread is the distance of its best place from its worst, among the users that have a rank under every policy;
//! the others have none.

use super::render::column_widths;
use super::render::document::{Document, Front, left_off};
use super::render::json::{self, Entries, Lines, List, object};
use super::render::table::{Cell, Column, Table};
use super::words::part;
use super::{Form, Output, Report, View, emit};
use crate::base::number::{Unit, counted, grouped};
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, path_of};
use crate::rules::policy::Comparison;
use serde::Serialize;
use std::io::{self, Write};

/// How many users people see unless more are asked for.
const USUAL_LIMIT: usize = 40;

/// The rows of a comparison that a report shows. The default is all users, in text those whose ranks differ most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The topmost node; `None` is the root.
    pub node: Option<NodeId>,
    /// The largest number of users; `None` means 40 in text and all for machines.
    pub limit: Option<usize>,
}

/// Returns the comparison of the default policies and the current one.
pub fn compare(view: &View<'_>) -> Comparison {
    let mut policies = Comparison::usual(view.settings);
    if !policies.contains(&view.policy) {
        policies.push(view.policy);
    }
    Comparison::new(view.basis(), &policies)
}

/// A column of the ranks of a user.
type UserColumn<'a> = Column<'a, NodeId>;

/// A column of the matrix of pairs; a row is the index of a policy.
type PairColumn<'a> = Column<'a, usize>;

/// The ranks of users under several policies.
struct PolicyRanks<'a> {
    /// The tree.
    view: &'a View<'a>,
    /// Its ranks under each policy.
    comparison: &'a Comparison,
    /// The users, those whose ranks differ most first.
    users: Vec<NodeId>,
    /// How many of the users are listed.
    shown: usize,
}

impl<'a> PolicyRanks<'a> {
    /// Returns the first users of a comparison, only those below a node if one is given.
    fn of(
        view: &'a View<'a>,
        comparison: &'a Comparison,
        top: Option<NodeId>,
        limit: usize,
    ) -> Self {
        let mut users = comparison.users.clone();
        if let Some(top) = top {
            let order = view.tree.order();
            users.retain(|&user| order.is_within(user, top));
        }
        Self {
            view,
            comparison,
            shown: limit.min(users.len()),
            users,
        }
    }

    /// Returns the users that are listed.
    fn rows(&self) -> impl Iterator<Item = NodeId> + Clone {
        self.users[..self.shown].iter().copied()
    }

    /// Returns the columns: the ranks of a user, and how far they differ.
    fn columns(&self) -> Vec<UserColumn<'a>> {
        let comparison = self.comparison;
        let tree = self.view.tree;
        let user = UserColumn::left("User", |&user| Cell::Node(tree, user));
        let mut columns = vec![user.named("path")];
        for (place, policy) in comparison.policies.iter().enumerate() {
            let name = policy.name();
            let rank = UserColumn::number(name, Unit::Rank, move |&user| {
                let rank = comparison.rank(place, user);
                rank.into()
            });
            let order = column_widths::listed(place);
            columns.push(rank.giving_way(order));
        }
        let spread = UserColumn::number("Spread", Unit::Rank, |&user| {
            let spread = comparison.spread(user);
            spread.into()
        });
        columns.push(spread.named("spread"));
        columns
    }

    /// Returns the users that are listed with their ranks.
    fn table(&self) -> Table<'_> {
        Table::new(self.columns(), self.rows())
    }

    /// Returns the columns of the matrix of pairs, filled below the diagonal. A row is the index of a policy.
    fn matrix(&self) -> Vec<PairColumn<'a>> {
        let comparison = self.comparison;
        let mut columns = vec![
            PairColumn::right("", |row| sentence!("{}", row + 1)),
            PairColumn::left("", |&row| {
                let policy = comparison.policies[row];
                policy.name()
            }),
        ];
        let last = comparison.policies.len().saturating_sub(1);
        for other in 0..last {
            let number = sentence!("{}", other + 1);
            columns.push(PairColumn::right(number, move |&row| {
                if other >= row {
                    return Shown::default();
                }
                let tau = comparison.tau(row, other);
                agreement(tau)
            }));
        }
        columns
    }

    /// Adds how many users are compared, and how far each two policies agree.
    fn add_agreement(&self, document: &mut Document<'a>) {
        let comparison = self.comparison;
        let all = comparison.users.len();
        let common = comparison.common;
        let users = counted(all, "user", "users");
        let mut over = sentence!("all {users}");
        if common < all {
            let unranked = counted(all - common, "user is", "users are");
            let others = grouped(common);
            document.paragraph(sentence!(
                "{unranked} without a rank under some policy; spreads compare the places of the other {others}."
            ));
            over = "the users with a rank under both".into();
        }
        document.paragraph(sentence!(
            "Kendall's tau-b of each pair, over {over}: 1 is the same order, -1 the reverse, 0 no relation"
        ));
        let rows = 0..comparison.policies.len();
        let matrix = Table::new(self.matrix(), rows);
        document.table(matrix);
    }

    /// Returns the ranks of a user for JSON.
    fn user_json(&self, user: NodeId) -> impl Serialize {
        let comparison = self.comparison;
        let mut ranks = Vec::new();
        for (place, policy) in comparison.policies.iter().enumerate() {
            let rank = comparison.rank(place, user);
            ranks.push((policy.name(), rank));
        }
        object! {
            path: path_of(self.view.tree, user),
            ranks: Entries(ranks),
            spread: comparison.spread(user),
        }
    }

    /// Returns Kendall's tau-b of each two policies, by their names.
    fn agreements(&self) -> Vec<(Shown, Option<f64>)> {
        let policies = &self.comparison.policies;
        let mut agreements = Vec::new();
        for place in 0..policies.len() {
            for other in place + 1..policies.len() {
                let name = policies[place].name();
                let other_name = policies[other].name();
                let tau = self.comparison.tau(place, other);
                let names = sentence!("{name} {other_name}");
                agreements.push((names, tau));
            }
        }
        agreements
    }
}

/// Returns a tau with three decimals, such that orders that differ never show as 1.000.
fn agreement(tau: Option<f64>) -> Shown {
    let Some(tau) = tau else {
        return "none".into();
    };
    let text = sentence!("{tau:.3}");
    match text.as_str() {
        "1.000" if tau < 1.0 => "<1".into(),
        "-1.000" if tau > -1.0 => ">-1".into(),
        "-0.000" => "0.000".into(),
        _ => text,
    }
}

/// Writes the comparison; `Tree` is written as `Table` because its rows are users. People get the users whose ranks differ
/// most, machines all of them, unless the options say how many.
pub fn write(
    out: &mut Output<'_>,
    view: &View<'_>,
    comparison: &Comparison,
    options: &Options,
    form: Form,
) -> io::Result<()> {
    let limit = match options.limit {
        Some(limit) => limit,
        None if form.is_for_people() => USUAL_LIMIT,
        None => usize::MAX,
    };
    emit(
        out,
        &PolicyRanks::of(view, comparison, options.node, limit),
        form,
    )
}

/// Returns the comparison for people, with as many users as they usually get.
pub(crate) fn report<'a>(view: &'a View<'a>, comparison: &'a Comparison) -> impl Report + 'a {
    PolicyRanks::of(view, comparison, None, USUAL_LIMIT)
}

impl Report for PolicyRanks<'_> {
    fn front(&self) -> Front {
        Front::of("Ranks under each policy", self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::default();
        let left = self.users.len() - self.shown;
        document.table(self.table());
        document.note_left_off(left_off(left));
        document.gap();
        document.paragraphs(part::listed_only(self.view.tree));
        self.add_agreement(&mut document);
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let rows = self.rows().map(|user| self.user_json(user));
        let body = object! {
            nodes: Lines(List(rows)),
            tau: Lines(Entries(self.agreements())),
        };
        json::write(out, self.view, body)
    }

    fn csv(&self) -> Option<Table<'_>> {
        Some(self.table())
    }
}
