//! Builds the tree from the root in the order in which Flux visits it.

use super::banks::{Associations, Bank, Banks, Parent};
use super::database_files::Failure;
use super::tables::DatabaseReader;
use crate::base::number::counted;
use crate::base::shell::word;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::flux::{BankBuilder, BankPlace, CountError, FAIRSHARE_DECIMALS, held_shares};
use crate::format::problem::{Place, Problems};
use crate::format::{LoadError, LoadResult};
use crate::model::{EXACT, Fact, Figure, Figures, NameId, NodeId};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

/// How many nodes a row may become, on average. Banks under several others are multiplied from level to level.
const MOST_COPIES: usize = 16;

/// How many nodes a small database may become in any case.
const ENOUGH: usize = 1024;

pub(super) struct BankTree<'a> {
    banks: &'a Banks,
    associations: &'a Associations,
    builder: BankBuilder,
    problems: Problems,
    /// The row of the root.
    root: u32,
    /// By name: how often the bank was visited.
    visits: Vec<u32>,
    /// By row: whether Flux visits it, or would if it were active.
    is_reached: Vec<bool>,
    /// How many banks and associations were visited.
    visited: usize,
    /// The nodes of associations, with their rows.
    association_nodes: Vec<(NodeId, u32)>,
}

/// A bank whose sub-banks are being visited.
struct Visit {
    name: NameId,
    place: BankPlace,
    /// How many of its sub-banks were visited.
    done: usize,
}

impl<'a> BankTree<'a> {
    /// Builds the tree whose root is in a row of the banks.
    pub(super) fn grow(
        banks: &'a Banks,
        associations: &'a Associations,
        root: u32,
        builder: BankBuilder,
        problems: Problems,
        database: &mut DatabaseReader<'_>,
    ) -> Result<(BankBuilder, Problems), Failure> {
        let mut tree = Self {
            banks,
            associations,
            builder,
            problems,
            root,
            visits: vec![0; banks.name_count()],
            is_reached: vec![false; banks.rows.len()],
            visited: 0,
            association_nodes: Vec::new(),
        };
        let rows = banks.rows.len() + associations.rows.len();
        tree.builder.tree.reserve(rows);
        let mut is_above = vec![false; banks.name_count()];
        let root = tree.visit(root, None)?;
        is_above[root.name.index()] = true;
        let mut line = vec![root];
        while let Some(above) = line.last_mut() {
            let Some(&(_, row)) = banks.below.of(above.name).get(above.done) else {
                is_above[above.name.index()] = false;
                line.pop();
                continue;
            };
            above.done += 1;
            database.count()?;
            let name = banks.rows[row as usize].name;
            if is_above[name.index()] {
                tree.is_reached[row as usize] = true;
                tree.note_loop(row);
                continue;
            }
            let above = above.place;
            line.push(tree.visit(row, Some(above))?);
            is_above[name.index()] = true;
        }
        tree.note_unreached();
        if banks.nameless > 0 {
            let (one, many) = ("row of bank_table", "rows of bank_table");
            let count = counted(banks.nameless, one, many);
            let message = sentence!("{count} without a name was left out");
            let advice = "remove such rows, or give them a name";
            tree.warn("flux-nameless-bank", message, advice);
        }
        tree.record();
        tree.builder.inactive.tell(&mut tree.problems);
        Ok((tree.builder, tree.problems))
    }

    fn warn(&mut self, code: &'static str, message: Shown, advice: impl Into<Shown>) {
        self.problems.warn(Place::WHOLE, code, message, advice);
    }

    /// Records the associations' numbers column by column, because random access within one column is fast.
    fn record(&mut self) {
        for (fact, values) in &self.associations.figures {
            let decimals = match fact {
                Fact::FluxFairshare => FAIRSHARE_DECIMALS,
                _ => EXACT,
            };
            let mut figures = Figures::default();
            for &(node, place) in &self.association_nodes {
                let value = values[place as usize];
                if !value.is_nan() {
                    figures.set(node, Figure { value, decimals });
                }
            }
            self.builder.recorded.set_column(*fact, figures);
        }
    }

    /// Creates the node of a bank, and those of its associations if it has no sub-banks.
    fn visit(&mut self, row: u32, above: Option<BankPlace>) -> Result<Visit, Failure> {
        let (banks, associations) = (self.banks, self.associations);
        self.is_reached[row as usize] = true;
        let bank = &banks.rows[row as usize];
        let name = bank.name;
        let place = self.builder.bank(above, banks.name(name), bank.is_active);
        if let Some(node) = place.node {
            self.set_bank(node, bank, place.counts)?;
        }
        self.visits[name.index()] += 1;
        if self.visits[name.index()] == 2 {
            let message = sentence!(
                "the bank {} appears in several places; as in Flux, it has all of its associations and the shares of \
                 its first row in each",
                shown(banks.name(name))
            );
            let advice = "give each bank a name of its own";
            self.warn("flux-repeated-bank", message, advice);
        }
        let members = associations.of_banks.of(name);
        if banks.below.of(name).is_empty() {
            for &(_, member) in members {
                self.add_association(member, place);
            }
            self.visited += members.len();
        } else if !members.is_empty() && place.counts {
            let message = sentence!(
                "the bank {} has banks below it, so {} with it is ignored, as in Flux",
                shown(banks.name(name)),
                counted(members.len(), "association", "associations")
            );
            let advice = "move the users to a bank of their own, or the banks below it elsewhere";
            self.warn("flux-hidden-associations", message, advice);
        }
        self.visited += 1;
        let rows = banks.rows.len() + associations.rows.len();
        let most = rows * MOST_COPIES + ENOUGH;
        if self.visited > most {
            return Err(LoadError::Refused(sentence!(
                "{} makes a tree of more than {most} nodes out of {rows} rows, because banks with one name are below \
                 several others; give each bank a name of its own",
                self.problems.file
            ))
            .into());
        }
        Ok(Visit {
            name,
            place,
            done: 0,
        })
    }

    fn set_bank(&mut self, node: NodeId, bank: &Bank, counts: bool) -> LoadResult<()> {
        let name = self.banks.name(bank.name);
        let first = self.banks.first(bank.name).unwrap_or(bank);
        let text = || shown(first.odd_shares.as_deref().unwrap_or_default());
        let shares = match first.shares {
            Ok(shares) => shares,
            Err(_) if !counts => 0,
            Err(why) => {
                let word = argument(name);
                let expected = match why {
                    CountError::Text => "a whole number",
                    CountError::Range => "a whole number of 64 bits",
                };
                return Err(LoadError::Refused(sentence!(
                    "the shares of the bank {} in {} are {:?}; expected {expected}; Flux refuses the database too: set \
                     them with flux account edit-bank {word} --shares=NUMBER",
                    shown(name),
                    self.problems.file,
                    text()
                )));
            }
        };
        if first.odd_shares.is_some() && counts {
            let message = sentence!(
                "the shares of the bank {} are {}; expected a whole number; they are read as {shares}, as in Flux",
                shown(name),
                text()
            );
            let advice = "set them with flux account edit-bank BANK --shares=NUMBER";
            self.warn("flux-odd-shares", message, advice);
        }
        for (fact, value) in [
            (Fact::JobUsage, bank.job_usage),
            (Fact::Priority, bank.priority),
        ] {
            if let Some(value) = value {
                let recorded = &mut self.builder.recorded;
                recorded.set(fact, node, Figure::exact(value));
            }
        }
        if shares < 0 && node != NodeId::ROOT {
            self.note_negative(shares, &sentence!("the bank {}", shown(name)));
        }
        self.builder.tree.set_shares(node, held_shares(shares));
        Ok(())
    }

    fn note_negative(&mut self, shares: i64, whose: &Shown) {
        let message =
            sentence!("the shares of {whose} are {shares}; Flux reads them as a very large number");
        let advice = "set them with flux account edit-user or edit-bank, --shares=NUMBER";
        self.warn("flux-negative-shares", message, advice);
    }

    /// Creates the node of an association, if its bank has a node and the association counts or is to be shown.
    fn add_association(&mut self, place: u32, bank: BankPlace) {
        let own = &self.associations.rows[place as usize];
        let (is_active, shares) = (own.is_active, own.shares);
        let Some(bank) = self.builder.bank_of_user(bank, is_active) else {
            return;
        };
        let builder = &mut self.builder;
        let node = builder.user(bank, own.user, is_active, shares, own.usage);
        if shares < 0 {
            let tree = &builder.tree;
            let (user, bank) = (shown(tree.name_bytes(own.user)), shown(tree.name(bank)));
            let whose = sentence!("{user} of {bank}");
            self.note_negative(shares, &whose);
        }
        self.association_nodes.push((node, place));
        let texts = &self.associations.texts;
        let start = texts.partition_point(|(_, row, _)| *row < place);
        let texts = texts[start..].iter();
        for (fact, _, text) in texts.take_while(|(_, row, _)| *row == place) {
            self.builder.recorded.set_text(*fact, node, text);
        }
    }

    fn note_loop(&mut self, row: u32) {
        let name = self.banks.name(self.banks.rows[row as usize].name);
        let message = sentence!(
            "the bank {} is below itself, where Flux would loop endlessly; its lower place was left out",
            shown(name)
        );
        let (code, advice) = ("flux-bank-loop", move_it(name));
        self.problems.refuse(Place::WHOLE, code, message, advice);
    }

    fn note_unreached(&mut self) {
        let banks = self.banks;
        for (row, bank) in banks.rows.iter().enumerate() {
            if !self.is_reached[row] {
                let (code, message) = self.unreached(bank);
                self.warn(code, message, move_it(banks.name(bank.name)));
            }
        }
    }

    fn unreached(&self, bank: &Bank) -> (&'static str, Shown) {
        let root = &self.banks.rows[self.root as usize];
        let root = shown(self.banks.name(root.name));
        let name = shown(self.banks.name(bank.name));
        let (code, why) = match bank.parent {
            Parent::Nobody => (
                "flux-second-root",
                format!("is a second root; Flux uses the first, {root}"),
            ),
            Parent::Unknown => {
                let why = "does not say which bank is above it".to_owned();
                ("flux-orphan-bank", why)
            }
            Parent::Bank(parent) => {
                let above = shown(self.banks.name(parent));
                let why = match self.banks.first(parent) {
                    None => "does not exist".to_owned(),
                    Some(_) => format!("is not connected to {root}"),
                };
                let why = format!("is below the bank {above}, which {why}");
                ("flux-orphan-bank", why)
            }
        };
        let members = match self.visits[bank.name.index()] {
            0 => self.associations.of_banks.of(bank.name).len(),
            _ => 0,
        };
        let with = match members {
            0 => String::new(),
            members => format!(" with {}", counted(members, "association", "associations")),
        };
        let message = sentence!("the bank {name} {why}; it was left out{with}");
        (code, message)
    }
}

fn move_it(name: &[u8]) -> Shown {
    let word = argument(name);
    sentence!("move it with flux account edit-bank {word} --parent-bank=BANK")
}

/// Returns a bank's name as an argument of a command for people.
fn argument(name: &[u8]) -> Shown {
    word(OsStr::from_bytes(name), "NAME")
}
