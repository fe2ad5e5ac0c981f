//! Builds the tree from the root in the order in which Flux visits it.

use super::banks::{Associations, Bank, Banks, Parent};
use super::error::{DatabaseError, Failure};
use super::problem::{DatabaseProblem, argument};
use super::tables::DatabaseReader;
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::LoadResult;
use crate::format::flux::{BankBuilder, BankPlace, CountError, FAIRSHARE_DECIMALS, held_shares};
use crate::model::{EXACT, Fact, Figure, Figures, NameId, NodeId};

/// How many nodes a row may become, on average. Banks under several others are multiplied from level to level.
const MOST_COPIES: usize = 16;

/// How many nodes a small database may become in any case.
const ENOUGH: usize = 1024;

/// The tree that is built of banks and associations.
pub(super) struct BankTree<'a, 'd> {
    /// The table of banks.
    banks: &'a Banks,
    /// The table of associations.
    associations: &'a Associations,
    /// The database, to report problems and progress.
    database: &'a mut DatabaseReader<'d>,
    /// The nodes so far.
    builder: BankBuilder,
    /// The row of the root.
    root: u32,
    /// By name: how often the bank was visited.
    visits: Vec<u32>,
    /// By row: whether Flux visits it, or would if it were active.
    is_reached: Vec<bool>,
    /// How many banks and associations were visited.
    visited: usize,
    /// The nodes of associations.
    association_nodes: Vec<AssociationNode>,
}

/// The node of an association.
struct AssociationNode {
    /// Its node.
    node: NodeId,
    /// The row of the association.
    row: u32,
}

/// A bank whose sub-banks are being visited.
struct Visit {
    /// The name of the bank.
    name: NameId,
    /// Its place in the tree.
    place: BankPlace,
    /// How many of its sub-banks were visited.
    done: usize,
}

impl<'a, 'd> BankTree<'a, 'd> {
    /// Starts a tree without nodes, whose root will be in a row of the banks.
    pub(super) fn new(
        banks: &'a Banks,
        associations: &'a Associations,
        root: u32,
        builder: BankBuilder,
        database: &'a mut DatabaseReader<'d>,
    ) -> Self {
        Self {
            banks,
            associations,
            database,
            builder,
            root,
            visits: vec![0; banks.name_count()],
            is_reached: vec![false; banks.rows.len()],
            visited: 0,
            association_nodes: Vec::new(),
        }
    }

    /// Returns how many rows there are.
    fn row_count(&self) -> usize {
        self.banks.rows.len() + self.associations.rows.len()
    }

    /// Builds the tree.
    pub(super) fn grow(mut self) -> Result<BankBuilder, Failure> {
        let banks = self.banks;
        self.builder.tree.reserve(self.row_count());
        // By name: whether the bank is being visited.
        let mut is_above = vec![false; banks.name_count()];
        let root = self.visit(self.root, None)?;
        is_above[root.name.index()] = true;
        let mut line = vec![root];
        while let Some(above) = line.last_mut() {
            let Some(below) = banks.below.of_name(above.name).get(above.done) else {
                is_above[above.name.index()] = false;
                line.pop();
                continue;
            };
            above.done += 1;
            self.database.count()?;
            let name = banks.rows[below.row as usize].name;
            if is_above[name.index()] {
                self.is_reached[below.row as usize] = true;
                let problem = DatabaseProblem::BankLoop {
                    bank: shown(banks.name(name)),
                    word: argument(banks.name(name)),
                };
                self.database.report(problem);
                continue;
            }
            let place = above.place;
            line.push(self.visit(below.row, Some(place))?);
            is_above[name.index()] = true;
        }
        self.note_unreached();
        if banks.nameless > 0 {
            let rows = counted(banks.nameless, "row of bank_table", "rows of bank_table");
            self.database
                .report(DatabaseProblem::NamelessBanks { rows });
        }
        self.record();
        self.builder.inactive.tell(&mut self.database.problems);
        Ok(self.builder)
    }

    /// Records the associations' numbers column by column, because random access within one column is fast.
    fn record(&mut self) {
        for column in &self.associations.figures {
            let decimals = match column.fact {
                Fact::FluxFairshare => FAIRSHARE_DECIMALS,
                _ => EXACT,
            };
            let mut figures = Figures::default();
            for own in &self.association_nodes {
                let value = column.values[own.row as usize];
                if !value.is_nan() {
                    figures.set(own.node, Figure { value, decimals });
                }
            }
            self.builder.recorded.set_column(column.fact, figures);
        }
    }

    /// Creates the node of a bank, and those of its associations if it has no sub-banks.
    fn visit(&mut self, row: u32, above: Option<BankPlace>) -> Result<Visit, Failure> {
        let banks = self.banks;
        let bank = &banks.rows[row as usize];
        let name = bank.name;
        self.is_reached[row as usize] = true;
        let place = self.builder.bank(above, banks.name(name), bank.is_active);
        if let Some(node) = place.node {
            self.set_bank(node, bank, place.counts)?;
        }
        self.visits[name.index()] += 1;
        if self.visits[name.index()] == 2 {
            let bank = shown(banks.name(name));
            self.database.report(DatabaseProblem::RepeatedBank { bank });
        }
        let members = self.associations.of_banks.of_name(name);
        if banks.below.of_name(name).is_empty() {
            for member in members {
                self.add_association(member.row, place);
            }
            self.visited += members.len();
        } else if !members.is_empty() && place.counts {
            let problem = DatabaseProblem::HiddenAssociations {
                bank: shown(banks.name(name)),
                associations: counted(members.len(), "association", "associations"),
            };
            self.database.report(problem);
        }
        self.visited += 1;
        self.check_size()?;
        Ok(Visit {
            name,
            place,
            done: 0,
        })
    }

    /// Fails if banks were multiplied too often.
    fn check_size(&self) -> LoadResult<()> {
        let rows = self.row_count();
        let most = rows * MOST_COPIES + ENOUGH;
        if self.visited <= most {
            return Ok(());
        }
        let file = self.database.problems.file.clone();
        Err(DatabaseError::TooManyNodes { file, most, rows }.into())
    }

    /// Sets the numbers of a bank. Its shares are those of the first row of its name.
    fn set_bank(&mut self, node: NodeId, bank: &Bank, counts: bool) -> LoadResult<()> {
        let name = self.banks.name(bank.name);
        let first = self.banks.first(bank.name).unwrap_or(bank);
        let odd = first.odd_shares.as_deref();
        let shares = match first.shares {
            Ok(shares) => shares,
            Err(_) if !counts => 0,
            Err(error) => {
                let expected = match error {
                    CountError::Text => "a whole number",
                    CountError::Range => "a whole number of 64 bits",
                };
                let file = self.database.problems.file.clone();
                let text = odd.unwrap_or_default();
                let refused = DatabaseError::bank_shares(name, file, text, expected);
                return Err(refused.into());
            }
        };
        if let Some(odd) = odd
            && counts
        {
            let problem = DatabaseProblem::OddBankShares {
                bank: shown(name),
                text: shown(odd),
                shares,
            };
            self.database.report(problem);
        }
        let recorded = &mut self.builder.recorded;
        if let Some(usage) = bank.job_usage {
            recorded.set(Fact::JobUsage, node, Figure::exact(usage));
        }
        if let Some(priority) = bank.priority {
            recorded.set(Fact::Priority, node, Figure::exact(priority));
        }
        if shares < 0 && node != NodeId::ROOT {
            let whose = sentence!("the bank {}", shown(name));
            let problem = DatabaseProblem::NegativeShares { whose, shares };
            self.database.report(problem);
        }
        self.builder.tree.set_shares(node, held_shares(shares));
        Ok(())
    }

    /// Creates the node of an association, if its bank has a node and the association counts or is to be shown.
    fn add_association(&mut self, row: u32, bank: BankPlace) {
        let own = &self.associations.rows[row as usize];
        let shares = own.shares;
        let builder = &mut self.builder;
        let Some(bank) = builder.bank_of_user(bank, own.is_active) else {
            return;
        };
        let node = builder.user(bank, own.user, own.is_active, shares, own.usage);
        if shares < 0 {
            let user = shown(builder.tree.name_bytes(own.user));
            let whose = sentence!("{user} of {}", shown(builder.tree.name(bank)));
            let problem = DatabaseProblem::NegativeShares { whose, shares };
            self.database.report(problem);
        }
        self.association_nodes.push(AssociationNode { node, row });
        let texts = &self.associations.texts;
        let start = texts.partition_point(|text| text.row < row);
        for text in &texts[start..] {
            if text.row != row {
                break;
            }
            builder.recorded.set_text(text.fact, node, &text.text);
        }
    }

    /// Reports the banks that Flux does not visit.
    fn note_unreached(&mut self) {
        for (row, bank) in self.banks.rows.iter().enumerate() {
            if !self.is_reached[row] {
                let problem = self.unreached(bank);
                self.database.report(problem);
            }
        }
    }

    /// Returns why Flux does not visit a bank.
    fn unreached(&self, row: &Bank) -> DatabaseProblem {
        let banks = self.banks;
        let name = banks.name(row.name);
        let bank = shown(name);
        let word = argument(name);
        let root = shown(banks.name_at(self.root));
        let members = self.associations.of_banks.of_name(row.name).len();
        let lost = if members == 0 || self.visits[row.name.index()] > 0 {
            Shown::default()
        } else {
            sentence!(" with {}", counted(members, "association", "associations"))
        };
        match row.parent {
            Parent::Nobody => DatabaseProblem::SecondRoot {
                bank,
                root,
                lost,
                word,
            },
            Parent::Unknown => DatabaseProblem::NoParent { bank, lost, word },
            Parent::Bank(parent) => {
                let above = shown(banks.name(parent));
                if banks.first(parent).is_none() {
                    return DatabaseProblem::UnknownParent {
                        bank,
                        above,
                        lost,
                        word,
                    };
                }
                DatabaseProblem::Unconnected {
                    bank,
                    above,
                    root,
                    lost,
                    word,
                }
            }
        }
    }
}
