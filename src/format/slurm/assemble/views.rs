//! Views of one tree, of one moment: outputs of which each lists the users that somebody may see. Together they list more.

use super::part::{Key, OutputPart};
use super::problem::AssembleProblem;
use crate::base::number::counted;
use crate::format::slurm::rows::{Row, USERS_MISSING};
use crate::model::Incomplete;
use hashbrown::HashMap;

/// Makes one output of those that list only a part of the tree, if what two of them list is the same in both. Where an output
/// lists everything, the others have nothing to add. Returns whether any were joined.
pub(super) fn join_views(parts: &mut Vec<OutputPart>) -> bool {
    for part in &*parts {
        if !part.is_of_period() && part.rows.incomplete.is_none() {
            return false;
        }
    }
    let count = parts.len();
    let mut joined: Vec<OutputPart> = Vec::new();
    for part in parts.drain(..) {
        let mut views = joined.iter_mut();
        match views.find(|view| view.is_view_with(&part)) {
            Some(view) => view.join(&part),
            None => joined.push(part),
        }
    }
    *parts = joined;
    parts.len() < count
}

impl OutputPart {
    /// Returns whether both are views of one tree at one moment: with the same columns, and the same shares and usage of what
    /// both list.
    fn is_view_with(&self, other: &Self) -> bool {
        let is_alike = self.rows.format == other.rows.format
            && self.rows.usage_precision == other.rows.usage_precision
            && self.is_view()
            && other.is_view();
        if !is_alike || !self.has_columns_of(other) || !other.has_columns_of(self) {
            return false;
        }
        let mut common = 0;
        let rows = self.rows_by_key();
        for (place, key) in other.keys() {
            let row = &other.rows.rows[place];
            let Some(known) = rows.get(&key) else {
                continue;
            };
            if known.shares != row.shares || known.usage != row.usage {
                return false;
            }
            common += 1;
        }
        common > 0
    }

    /// Returns whether it lists only some of the associations, each with its shares.
    fn is_view(&self) -> bool {
        let lacks_rows = self.rows.incomplete.is_some_and(Incomplete::lacks_rows);
        let mut rows = self.rows();
        lacks_rows && rows.all(|(_, row)| row.shares.is_some() || row.is_top())
    }

    /// Returns whether it has every column of numbers that another output has.
    fn has_columns_of(&self, other: &Self) -> bool {
        let mut columns = other.rows.figures.iter();
        columns.all(|(fact, _)| self.rows.figures(*fact).is_some())
    }

    /// Returns the rows of the chosen cluster by key.
    fn rows_by_key(&self) -> HashMap<Key, &Row> {
        let mut rows = HashMap::new();
        for (place, key) in self.keys() {
            rows.insert(key, &self.rows.rows[place]);
        }
        rows
    }

    /// Returns the places of the rows of another view that it does not list.
    fn rows_only_in(&self, other: &Self) -> Vec<usize> {
        let known = self.rows_by_key();
        let mut places = Vec::new();
        for (place, key) in other.keys() {
            if !known.contains_key(&key) {
                places.push(place);
            }
        }
        places
    }

    /// Adds the rows of another view that it does not list, and says so.
    fn join(&mut self, other: &Self) {
        let new = self.rows_only_in(other);
        for &place in &new {
            self.rows.rows.push(other.rows.rows[place]);
            self.nodes.push(None);
            for (fact, figures) in &other.rows.figures {
                if let Some(figure) = figures.at(place) {
                    self.rows.figure(*fact, figure);
                }
            }
            for (fact, texts) in &other.rows.texts {
                if let Some(text) = texts.at(place) {
                    self.rows.text(*fact, text);
                }
            }
        }
        let of_other = other.rows.problems.clone().without(&[USERS_MISSING]);
        self.rows.problems.append(of_other);
        let rows = counted(new.len(), "association", "associations");
        let base = self.rows.file.clone();
        let problem = AssembleProblem::ViewJoined { rows, base };
        self.rows.problems.report(other.rows.file.clone(), problem);
    }
}
