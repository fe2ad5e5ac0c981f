//! The table of the user's associations, and what JSON tells of each.

use super::prose::when;
use super::{UserPage, served};
use crate::analysis::simulate::Recovery;
use crate::analysis::user::{AssociationStanding, HoldingLevel};
use crate::base::number::{Unit, Value, grouped, times};
use crate::base::shown::{Shown, sentence};
use crate::model::{Fact, Tree, path_of};
use crate::report::render::column_widths;
use crate::report::render::json::{Entries, object};
use crate::report::render::table::{Cell, Column};
use crate::report::words::simulate::short;
use crate::rules::policy::ColumnId;
use serde::Serialize;

/// A column of the table.
type AssociationColumn<'a> = Column<'a, &'a AssociationStanding>;

impl UserPage<'_> {
    /// Returns the columns of the associations: their ranks, or their printed numbers where no rank is known.
    pub(super) fn columns(&self) -> Vec<AssociationColumn<'_>> {
        let view = &self.view;
        let mut columns = vec![AssociationColumn::left("User", |row| {
            Cell::Node(view.tree, row.node)
        })];
        let served = AssociationColumn::right("Served", |row| {
            Cell::told(served(row.target.as_ref()), times)
        });
        if self.user.users.is_none() {
            self.add_printed(&mut columns);
            columns.push(served);
            return columns;
        }
        columns.push(AssociationColumn::number("Rank", Unit::Rank, |row| {
            row.rank.into()
        }));
        if view.policy.orders_by_level() {
            let account = view.settings.noun().title;
            let heading = sentence!("{account} ranks");
            columns.push(AssociationColumn::right(heading, |row| segment(row)));
        }
        columns.push(served);
        columns.push(AssociationColumn::left("Held back by", |row| {
            match &row.held_back {
                Some(held) => view.label(held.node),
                None => Shown::default(),
            }
        }));
        columns.push(AssociationColumn::left("On target", |row| {
            match &row.recovery {
                Some([alone, _]) => when(alone, self.user.horizon),
                None => Shown::default(),
            }
        }));
        columns
    }

    /// Returns what the columns of the associations mean, a line for each that is there.
    pub(super) fn legend(&self) -> Vec<Shown> {
        let mut lines = vec!["Served: usage / target. 1.00x is on target, more is over it.".into()];
        if self.user.users.is_none() {
            return lines;
        }
        if self.view.policy.orders_by_level() {
            let noun = self.view.settings.noun();
            let title = noun.title;
            let one = noun.one;
            lines.push(sentence!(
                "{title} ranks: the best and the worst rank inside your {one}."
            ));
        }
        lines.push(
            "On target: when your usage is within your target, if only you stop until then.".into(),
        );
        lines
    }

    /// Adds the usual columns that have a number of some association, but no rank.
    fn add_printed<'c>(&'c self, columns: &mut Vec<AssociationColumn<'c>>) {
        let view = &self.view;
        for column in view.usual_columns() {
            if column == ColumnId::Rank {
                continue;
            }
            let mut associations = self.user.associations.iter();
            if associations.all(|own| view.value(column, own.node) == Value::Null) {
                continue;
            }
            let number = AssociationColumn::number(column.heading(), column.unit(), move |row| {
                view.value(column, row.node)
            });
            columns.push(number.giving_way(column_widths::order(view, column)));
        }
    }

    /// Returns an association for JSON.
    pub(super) fn json(&self, own: &AssociationStanding) -> impl Serialize {
        let view = &self.view;
        let recorded = view.recorded;
        let mut figures = Vec::new();
        for fact in recorded.facts() {
            if let Some(figure) = recorded.figure(fact, own.node) {
                figures.push((Fact::name(fact), figure.value));
            }
        }
        let held_back_by = own.held_back.as_ref().map(|held| self.held_json(held));
        let recovery = own.recovery.as_ref().map(|[alone, all]| {
            object! {
                if_it_stops: recovery_json(view.tree, alone),
                if_all_stop: recovery_json(view.tree, all),
            }
        });
        let rises = own.rises.as_ref().map(|rises| {
            object! {
                if_it_stops: recovery_json(view.tree, &rises.alone),
                if_all_stop: recovery_json(view.tree, &rises.all),
            }
        });
        object! {
            path: path_of(view.tree, own.node),
            rank: own.rank,
            percentile: own.percentile,
            segment: own.segment,
            served: served(own.target.as_ref()),
            held_back_by: held_back_by,
            best: own.is_best,
            recovery: recovery,
            rises: rises,
            recorded: Entries(figures),
        }
    }

    /// Returns the level that holds an association back, for JSON.
    fn held_json(&self, held: &HoldingLevel) -> impl Serialize {
        let tree = self.view.tree;
        let mut sibling_ahead = None;
        if let Some(ahead) = held.ahead
            && self.names(ahead)
        {
            sibling_ahead = path_of(tree, ahead);
        }
        object! {
            path: path_of(tree, held.node),
            served: served(held.target.as_ref()),
            sibling_ahead: sibling_ahead,
            users_ahead: held.users_ahead,
        }
    }
}

/// Returns the ranks between which the members of the account of an association are: `3-9`.
fn segment(row: &AssociationStanding) -> Shown {
    match row.segment {
        Some([least, most]) => {
            let first = grouped(least);
            let last = grouped(most);
            sentence!("{first}-{last}")
        }
        None => Shown::default(),
    }
}

/// Returns when a target is reached, for JSON.
fn recovery_json(tree: &Tree, recovery: &Recovery) -> impl Serialize {
    let mut reason = None;
    if recovery.shortfall.is_some() {
        reason = Some(short(tree, recovery));
    }
    object! { after_seconds: recovery.outcome.seconds(), reason: reason }
}
