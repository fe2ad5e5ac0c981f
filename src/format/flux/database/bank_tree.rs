//! Builds the tree from the root in the order in which Flux visits it.

use super::RowCounter;
use super::associations::Associations;
use super::banks::{Bank, Banks, Parent};
use super::failure::Failure;
use crate::base::number::counted;
use crate::base::shell::word;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::flux::Inactive;
use crate::format::flux::number::CountError;
use crate::format::{LoadError, Problem, Problems, Severity};
use crate::model::{
    EXACT, Fact, Figure, Figures, Kind, NameId, NodeId, Position, Recorded, Shares, TreeBuilder,
};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

/// How many nodes a row may become, on average. It is more than one only if banks are under several others, which
/// multiplies them from level to level.
const MOST_COPIES: usize = 16;

/// How many nodes a small database may become in any case.
const ENOUGH: usize = 1024;

/// The decimals with which flux-accounting stores a fair-share.
const FAIRSHARE_DECIMALS: i8 = 6;

/// A tree under construction.
pub(super) struct BankTree {
    pub(super) banks: Banks,
    pub(super) builder: TreeBuilder,
    recorded: Recorded,
    file: Shown,
    inactive: Inactive,
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
    /// `None` for a bank that is left out.
    node: Option<NodeId>,
    /// Whether it and all banks above it are active.
    counts: bool,
    /// How many of its sub-banks were visited.
    done: usize,
}

impl BankTree {
    /// Starts with the root.
    pub(super) fn new(banks: Banks, file: &Shown, inactive: Inactive) -> Result<Self, LoadError> {
        let Some((root, bank)) = banks.roots().next() else {
            return Err(LoadError::Refused(sentence!(
                "{file} has no root bank, which has an empty parent_bank, among {}; Flux refuses it too: add one with \
                 flux account add-bank root 1",
                counted(banks.rows.len(), "bank", "banks")
            )));
        };
        let builder = TreeBuilder::new(banks.name(bank.name));
        Ok(Self {
            visits: vec![0; banks.names.names().len()],
            is_reached: vec![false; banks.rows.len()],
            banks,
            builder,
            recorded: Recorded::default(),
            file: file.to_owned(),
            inactive,
            root,
            visited: 0,
            association_nodes: Vec::new(),
        })
    }

    /// Builds the whole tree.
    pub(super) fn grow(
        mut self,
        associations: &Associations,
        problems: &mut Problems,
        meter: &mut RowCounter<'_>,
    ) -> Result<(TreeBuilder, Recorded), Failure> {
        self.builder
            .reserve(self.banks.rows.len() + associations.rows.len());
        let mut is_above = vec![false; self.banks.name_count()];
        let mut line = Vec::new();
        let root = self.root;
        line.push(self.visit(root, None, associations, problems)?);
        is_above[line[0].name.index()] = true;
        while let Some(above) = line.last_mut() {
            let Some(&row) = self.banks.below(above.name).get(above.done) else {
                is_above[above.name.index()] = false;
                line.pop();
                continue;
            };
            above.done += 1;
            meter.next()?;
            let name = self.banks.rows[row as usize].name;
            if is_above[name.index()] {
                self.is_reached[row as usize] = true;
                self.note_loop(row, problems);
                continue;
            }
            let above = line.last().map(|above| (above.node, above.counts));
            line.push(self.visit(row, above, associations, problems)?);
            is_above[name.index()] = true;
        }
        self.note_unreached(associations, problems);
        if self.banks.nameless > 0 {
            let message = sentence!(
                "{} without a name was left out",
                counted(
                    self.banks.nameless,
                    "row of bank_table",
                    "rows of bank_table"
                )
            );
            problems.push(self.odd(
                "flux-nameless-bank",
                message,
                "remove such rows, or give them a name",
            ));
        }
        self.inactive.tell(&self.file, problems);
        self.record(associations);
        Ok((self.builder, self.recorded))
    }

    /// Records the numbers of the added associations column by column. Rows and nodes are in different orders, and
    /// random access within one column is fast.
    fn record(&mut self, associations: &Associations) {
        for (fact, values) in &associations.figures {
            let decimals = match fact {
                Fact::Fairshare => FAIRSHARE_DECIMALS,
                _ => EXACT,
            };
            let mut figures = Figures::default();
            for &(node, place) in &self.association_nodes {
                let value = values[place as usize];
                if !value.is_nan() {
                    figures.set(node, Figure { value, decimals });
                }
            }
            self.recorded.set_column(*fact, figures);
        }
    }

    /// Creates the node of a bank, and those of its associations if it has no sub-banks.
    fn visit(
        &mut self,
        row: u32,
        above: Option<(Option<NodeId>, bool)>,
        associations: &Associations,
        problems: &mut Problems,
    ) -> Result<Visit, Failure> {
        self.is_reached[row as usize] = true;
        let bank = &self.banks.rows[row as usize];
        let name = bank.name;
        let is_root = above.is_none();
        // Flux never asks whether the root is active.
        let is_active = bank.is_active || is_root;
        let counts = above.is_none_or(|(_, counts)| counts) && is_active;
        let node = match above {
            None => Some(NodeId::ROOT),
            Some((Some(parent), _)) if counts || self.inactive.is_shown => {
                let interned = self.builder.intern(self.banks.name(name));
                Some(
                    self.builder
                        .push(parent, interned, Kind::Account, Position::Last),
                )
            }
            Some(_) => None,
        };
        if let Some(node) = node {
            self.set_bank(node, row, counts, problems)?;
        }
        if !is_active {
            self.inactive.banks += 1;
            if let Some(node) = node {
                self.mark_inactive(node);
            }
        }
        self.visits[name.index()] += 1;
        if self.visits[name.index()] == 2 {
            let message = sentence!(
                "the bank {} appears in several places; as in Flux, it has all of its associations and the shares of \
                 its first row in each",
                shown(self.banks.name(name))
            );
            problems.push(self.odd(
                "flux-repeated-bank",
                message,
                "give each bank a name of its own",
            ));
        }
        let members = associations.of_bank(name);
        if self.banks.below(name).is_empty() {
            for &member in members {
                self.add_association(member, node, counts, associations, problems);
            }
            self.visited += members.len();
        } else if !members.is_empty() && counts {
            let message = sentence!(
                "the bank {} has banks below it, so {} with it is ignored, as in Flux",
                shown(self.banks.name(name)),
                counted(members.len(), "association", "associations")
            );
            let advice = "move the users to a bank of their own, or the banks below it elsewhere";
            problems.push(self.odd("flux-hidden-associations", message, advice));
        }
        self.visited += 1;
        let rows = self.banks.rows.len() + associations.rows.len();
        let most = rows * MOST_COPIES + ENOUGH;
        if self.visited > most {
            return Err(LoadError::Refused(sentence!(
                "{} makes a tree of more than {most} nodes out of {rows} rows, because banks with one name are below \
                 several others; give each bank a name of its own",
                self.file
            ))
            .into());
        }
        Ok(Visit {
            name,
            node,
            counts,
            done: 0,
        })
    }

    /// Sets the properties of a bank.
    fn set_bank(
        &mut self,
        node: NodeId,
        row: u32,
        counts: bool,
        problems: &mut Problems,
    ) -> Result<(), LoadError> {
        let bank = &self.banks.rows[row as usize];
        let first = self.banks.first(bank.name).unwrap_or(bank);
        let name = || shown(self.banks.name(first.name));
        let text = || shown(first.odd_shares.as_deref().unwrap_or_default());
        let shares = match first.shares {
            Ok(shares) => shares,
            Err(_) if !counts => 0,
            Err(why) => {
                let expected = match why {
                    CountError::Text => "a whole number",
                    CountError::Range => "a whole number of 64 bits",
                };
                return Err(LoadError::Refused(sentence!(
                    "the shares of the bank {} in {} are {:?}; expected {expected}; Flux refuses the database too: set \
                     them with flux account edit-bank {} --shares=NUMBER",
                    name(),
                    self.file,
                    text(),
                    argument(self.banks.name(first.name))
                )));
            }
        };
        if first.odd_shares.is_some() && counts {
            let message = sentence!(
                "the shares of the bank {} are {}; expected a whole number; they are read as {shares}, as in Flux",
                name(),
                text()
            );
            let advice = "set them with flux account edit-bank BANK --shares=NUMBER";
            problems.push(self.odd("flux-odd-shares", message, advice));
        }
        for (fact, value) in [
            (Fact::JobUsage, bank.job_usage),
            (Fact::Priority, bank.priority),
        ] {
            if let Some(value) = value {
                self.recorded.set(fact, node, Figure::exact(value));
            }
        }
        let is_below_root = node != NodeId::ROOT;
        if let Some(problem) = odd_shares(&self.file, shares, || {
            format!("the bank {}", shown(self.banks.name(bank.name)))
        }) && is_below_root
        {
            problems.push(problem);
        }
        self.builder.set_shares(node, count_of(shares));
        Ok(())
    }

    /// Creates the node of an association, if its bank has a node and the association counts or is to be shown.
    fn add_association(
        &mut self,
        place: u32,
        bank: Option<NodeId>,
        counts: bool,
        associations: &Associations,
        problems: &mut Problems,
    ) {
        let association = &associations.rows[place as usize];
        self.inactive.users += usize::from(!association.is_active);
        let is_wanted = (counts && association.is_active) || self.inactive.is_shown;
        let Some(bank) = bank.filter(|_| is_wanted) else {
            return;
        };
        let node = self
            .builder
            .push(bank, association.user, Kind::User, Position::Last);
        self.builder.set_shares(node, count_of(association.shares));
        self.builder.record(node, association.usage, true);
        if !association.is_active {
            self.mark_inactive(node);
        }
        if let Some(problem) = odd_shares(&self.file, association.shares, || {
            let user = shown(self.builder.name_bytes(association.user));
            format!("{user} of {}", shown(self.builder.name(bank)))
        }) {
            problems.push(problem);
        }
        self.association_nodes.push((node, place));
        let texts = &associations.texts;
        let start = texts.partition_point(|(_, row, _)| *row < place);
        for (fact, _, text) in texts[start..]
            .iter()
            .take_while(|(_, row, _)| *row == place)
        {
            self.recorded.set_text(*fact, node, text);
        }
    }

    fn mark_inactive(&mut self, node: NodeId) {
        self.builder.set_active(node, false);
        self.recorded.set_text(Fact::Active, node, "false");
    }

    fn odd(&self, code: &'static str, message: Shown, advice: impl Into<Shown>) -> Problem {
        Problem::about(Severity::Warning, code, &self.file, message, advice)
    }

    fn note_loop(&self, row: u32, problems: &mut Problems) {
        let name = self.banks.name(self.banks.rows[row as usize].name);
        let (name, argument) = (shown(name), argument(name));
        problems.push(Problem::about(
            Severity::Error,
            "flux-bank-loop",
            &self.file,
            sentence!(
                "the bank {name} is below itself, where Flux would loop endlessly; its lower place was left out"
            ),
            sentence!("move it with flux account edit-bank {argument} --parent-bank=BANK"),
        ));
    }

    /// Reports the banks that Flux never visits, and why.
    fn note_unreached(&self, associations: &Associations, problems: &mut Problems) {
        let rows = self.banks.rows.iter().zip(&self.is_reached);
        for (bank, _) in rows.filter(|(_, is_reached)| !**is_reached) {
            problems.push_with(|| self.unreached(bank, associations));
        }
    }

    fn unreached(&self, bank: &Bank, associations: &Associations) -> Problem {
        let root = &self.banks.rows[self.root as usize];
        let root = shown(self.banks.name(root.name));
        let name = self.banks.name(bank.name);
        let (name, argument) = (shown(name), argument(name));
        let (code, why) = match bank.parent {
            Parent::Nobody => (
                "flux-second-root",
                format!("is a second root; Flux uses the first, {root}"),
            ),
            Parent::Unknown => (
                "flux-orphan-bank",
                "does not say which bank is above it".to_owned(),
            ),
            Parent::Bank(parent) => {
                let above = shown(self.banks.name(parent));
                let why = if self.banks.first(parent).is_none() {
                    format!("is below the bank {above}, which does not exist")
                } else {
                    format!("is below the bank {above}, which is not connected to {root}")
                };
                ("flux-orphan-bank", why)
            }
        };
        let members = if self.visits[bank.name.index()] == 0 {
            associations.of_bank(bank.name).len()
        } else {
            0
        };
        let with = match members {
            0 => String::new(),
            members => format!(" with {}", counted(members, "association", "associations")),
        };
        self.odd(
            code,
            sentence!("the bank {name} {why}; it was left out{with}"),
            sentence!("move it with flux account edit-bank {argument} --parent-bank=BANK"),
        )
    }
}

/// Returns shares as the tree holds them. Its lowest number represents `parent`; Flux treats that and the next one as
/// about 2^63.
fn count_of(shares: i64) -> Shares {
    Shares::new(shares.max(i64::MIN + 1))
}

/// Returns the problem with unusual shares that are whole numbers, or `None` if they are usual.
fn odd_shares(file: &Shown, shares: i64, whose: impl FnOnce() -> String) -> Option<Problem> {
    (shares < 0).then(|| {
        Problem::about(
            Severity::Warning,
            "flux-negative-shares",
            file,
            sentence!(
                "the shares of {} are {shares}; Flux reads them as a very large number",
                whose()
            ),
            "set them with flux account edit-user or edit-bank, --shares=NUMBER",
        )
    })
}

/// Returns a bank's name as an argument of a command for people.
fn argument(name: &[u8]) -> Shown {
    word(OsStr::from_bytes(name), "NAME")
}
