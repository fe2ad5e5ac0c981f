//! The banks, as listed in their table.

use super::failure::Failure;
use super::tables::{DatabaseReader, RowsByName, Table, figure, is_active, text};
use crate::format::flux::{CountError, leading_count};
use crate::model::{NameId, NameInterner};

/// The columns that are read, in this order.
const COLUMNS: &[&str] = &[
    "bank",
    "parent_bank",
    "shares",
    "active",
    "job_usage",
    "priority",
];

/// The parent of a bank, by its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parent {
    /// None: it is the root.
    Nobody,
    Bank(NameId),
    /// The row does not state it.
    Unknown,
}

pub(super) struct Bank {
    pub(super) name: NameId,
    pub(super) parent: Parent,
    pub(super) shares: Result<i64, CountError>,
    /// The original shares, if they are not a whole number.
    pub(super) odd_shares: Option<Box<[u8]>>,
    pub(super) is_active: bool,
    /// The usage that flux-accounting stored for the bank.
    pub(super) job_usage: Option<f64>,
    pub(super) priority: Option<f64>,
}

pub(super) struct Banks {
    /// The names of banks and of the banks above them.
    pub(super) names: NameInterner,
    pub(super) rows: Vec<Bank>,
    pub(super) nameless: usize,
    /// The rows below each name, in the order in which Flux visits them.
    pub(super) below: RowsByName,
    /// By name: the first row of that name.
    first: Vec<Option<u32>>,
}

impl Banks {
    pub(super) fn read(database: &mut DatabaseReader<'_>, table: &Table) -> Result<Self, Failure> {
        let mut names = NameInterner::default();
        let mut banks = Vec::new();
        let mut nameless = 0;
        // Flux reads the shares of a bank as text, whatever their type.
        database.each(&table.query(COLUMNS, Some("shares")), |row| {
            let Some(name) = text(row.get_ref(0)?) else {
                nameless += 1;
                return Ok(());
            };
            let parent = match text(row.get_ref(1)?) {
                None => Parent::Unknown,
                Some(b"") => Parent::Nobody,
                Some(parent) => Parent::Bank(names.intern(parent)),
            };
            let shares_text = text(row.get_ref(2)?).unwrap_or_default();
            let shares = leading_count(shares_text);
            let is_plain = matches!(shares, Ok((_, true)));
            banks.push(Bank {
                name: names.intern(name),
                parent,
                shares: shares.map(|(shares, _)| shares),
                odd_shares: (!is_plain).then(|| shares_text.into()),
                is_active: is_active(row.get_ref(3)?),
                job_usage: figure(row.get_ref(4)?),
                priority: figure(row.get_ref(5)?),
            });
            Ok(())
        })?;
        let mut first = vec![None; names.names().len()];
        for (row, bank) in (0_u32..).zip(&banks) {
            first[bank.name.index()].get_or_insert(row);
        }
        let below = (0_u32..).zip(&banks);
        let below = below.filter_map(|(row, bank)| match bank.parent {
            Parent::Bank(parent) => Some((parent.index(), row)),
            Parent::Nobody | Parent::Unknown => None,
        });
        let name = |row: u32| names.names().bytes(banks[row as usize].name);
        let below = RowsByName::new(below, |a, b| name(a).cmp(name(b)));
        Ok(Self {
            names,
            rows: banks,
            nameless,
            below,
            first,
        })
    }

    /// Returns the first row of a name, whose shares count.
    pub(super) fn first(&self, name: NameId) -> Option<&Bank> {
        self.first[name.index()].map(|row| &self.rows[row as usize])
    }

    pub(super) fn name_count(&self) -> usize {
        self.names.names().len()
    }

    pub(super) fn place(&self, name: &[u8]) -> Option<u32> {
        let name = self.names.find(name)?;
        self.first(name)?;
        u32::try_from(name.index()).ok()
    }

    pub(super) fn name(&self, name: NameId) -> &[u8] {
        self.names.names().bytes(name)
    }
}
