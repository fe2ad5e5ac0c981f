//! `policies`: the rank of every user under each policy, and how far the policies agree.

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
use std::io::{self, Write};

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

struct PolicyRanks<'a> {
    view: &'a View<'a>,
    comparison: &'a Comparison,
    users: Vec<NodeId>,
    shown: usize,
}

impl<'a> PolicyRanks<'a> {
    fn rows(&self) -> impl Iterator<Item = NodeId> + Clone {
        self.users[..self.shown].iter().copied()
    }

    fn columns(&self) -> Vec<Column<'a, NodeId>> {
        let (view, comparison) = (self.view, self.comparison);
        let user = |&user: &NodeId| Cell::Node(view.tree, user);
        let mut columns = vec![Column::left("User", user).named("path")];
        columns.extend(
            comparison
                .policies
                .iter()
                .enumerate()
                .map(|(place, policy)| {
                    let rank = move |&user: &NodeId| comparison.rank(place, user).into();
                    Column::number(policy.name(), Unit::Rank, rank)
                        .giving_way(column_widths::listed(place))
                }),
        );
        let spread = |&user: &NodeId| comparison.spread(user).into();
        columns.push(Column::number("Spread", Unit::Rank, spread).named("spread"));
        columns
    }

    /// Returns the columns of the matrix of pairs, filled below the diagonal. A row is the index of a policy.
    fn matrix(&self) -> Vec<Column<'a, usize>> {
        let (policies, comparison) = (&self.comparison.policies, self.comparison);
        let mut columns = vec![
            Column::right("", |row: &usize| sentence!("{}", row + 1)),
            Column::left("", |&row: &usize| policies[row].name()),
        ];
        columns.extend((1..policies.len()).map(|number| {
            let other = number - 1;
            Column::right(sentence!("{number}"), move |&row| {
                if other < row {
                    agreement(comparison.tau(row, other))
                } else {
                    Shown::default()
                }
            })
        }));
        columns
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

/// Writes the comparison; `Tree` is written as `Table` because its rows are users.
pub fn write(
    out: &mut Output<'_>,
    view: &View<'_>,
    comparison: &Comparison,
    options: &Options,
    form: Form,
) -> io::Result<()> {
    let mut users = comparison.users.clone();
    if let Some(top) = options.node {
        users.retain(|&user| view.tree.order().is_within(user, top));
    }
    let usual = form.is_for_people().then_some(USUAL_LIMIT);
    let limit = options.limit.or(usual).unwrap_or(usize::MAX);
    let ranks = PolicyRanks {
        view,
        comparison,
        shown: limit.min(users.len()),
        users,
    };
    emit(out, &ranks, form)
}

impl Report for PolicyRanks<'_> {
    fn front(&self) -> Front {
        Front::of("Ranks under each policy", self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::default();
        document.table(Table::new(self.columns(), self.rows()));
        document.note(left_off(self.users.len() - self.shown));
        document.gap();
        document.paragraphs(part::listed_only(self.view.tree));
        let (all, common) = (self.comparison.users.len(), self.comparison.common);
        if common < all {
            document.paragraph(sentence!(
                "{} without a rank under some policy; spreads compare the places of the other {}.",
                counted(all - common, "user is", "users are"),
                grouped(common)
            ));
        }
        let over = if common < all {
            "the users with a rank under both".into()
        } else {
            sentence!("all {}", counted(all, "user", "users"))
        };
        document.paragraph(sentence!(
            "Kendall's tau-b of each pair, over {over}: 1 is the same order, -1 the reverse, 0 no relation"
        ));
        document.table(Table::new(self.matrix(), 0..self.comparison.policies.len()));
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let (view, comparison) = (self.view, self.comparison);
        let row = |user: NodeId| {
            let ranks = comparison.policies.iter().enumerate();
            object! {
                path: path_of(view.tree, user),
                ranks: Entries(ranks.map(move |(place, policy)| (policy.name(), comparison.rank(place, user)))),
                spread: comparison.spread(user),
            }
        };
        let tau = comparison
            .policies
            .iter()
            .enumerate()
            .flat_map(|(a, first)| {
                let others = comparison.policies.iter().enumerate().skip(a + 1);
                others.map(move |(b, second)| {
                    let pair = sentence!("{} {}", first.name(), second.name());
                    (pair, comparison.tau(a, b))
                })
            });
        let body = object! { nodes: Lines(List(self.rows().map(row))), tau: Lines(Entries(tau)) };
        json::write(out, view, body)
    }

    fn csv(&self) -> Option<Table<'_>> {
        Some(Table::new(self.columns(), self.rows()))
    }
}
