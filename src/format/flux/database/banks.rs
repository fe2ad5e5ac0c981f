//! The banks, as listed in their table.

use super::failure::Failure;
use super::store::Store;
use super::tables::Table;
use super::{RowCounter, figure, is_active, text};
use crate::base::shown::Shown;
use crate::format::flux::number::{CountError, leading_count};
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
    /// The banks of that name.
    Bank(NameId),
    /// The row does not state it.
    Unknown,
}

/// One row of the table of banks.
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

/// The table of banks, with the sub-banks of each.
pub(super) struct Banks {
    /// The names of banks and of the banks above them.
    pub(super) names: NameInterner,
    /// The rows in table order.
    pub(super) rows: Vec<Bank>,
    /// The rows without a name.
    pub(super) nameless: usize,
    /// The rows below each name, one name after the other, each in the order of names.
    below: Vec<u32>,
    /// By name: where its rows begin, and one entry for the end.
    starts: Vec<u32>,
    /// By name: the first row of that name.
    first: Vec<Option<u32>>,
}

impl Banks {
    /// Looks up the table.
    pub(super) fn table(store: &Store, file: &Shown) -> Result<Table, Failure> {
        Table::required(
            store,
            file,
            "bank_table",
            &["bank", "parent_bank", "shares"],
        )
    }

    /// Reads the table.
    pub(super) fn read(
        store: &Store,
        table: &Table,
        meter: &mut RowCounter<'_>,
    ) -> Result<Self, Failure> {
        // Flux reads the shares of a bank as text, whatever their type.
        let query = table.query(COLUMNS, Some("shares"));
        let has_active = table.has("active");
        let mut banks = Self {
            names: NameInterner::default(),
            rows: Vec::new(),
            nameless: 0,
            below: Vec::new(),
            starts: Vec::new(),
            first: Vec::new(),
        };
        let mut statement = store.connection.prepare(&query)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            store.had_row();
            meter.next()?;
            let Some(name) = text(row.get_ref(0)?) else {
                banks.nameless += 1;
                continue;
            };
            let parent = match text(row.get_ref(1)?) {
                None => Parent::Unknown,
                Some(b"") => Parent::Nobody,
                Some(parent) => Parent::Bank(banks.names.intern(parent)),
            };
            let shares_text = text(row.get_ref(2)?).unwrap_or_default();
            let shares = leading_count(shares_text);
            let is_plain = matches!(shares, Ok((_, true)));
            banks.rows.push(Bank {
                name: banks.names.intern(name),
                parent,
                shares: shares.map(|(shares, _)| shares),
                odd_shares: (!is_plain).then(|| shares_text.into()),
                is_active: is_active(row.get_ref(3)?, has_active),
                job_usage: figure(row.get_ref(4)?),
                priority: figure(row.get_ref(5)?),
            });
        }
        drop(rows);
        banks.order();
        Ok(banks)
    }

    /// Sorts the rows below each name into the order in which Flux visits them.
    fn order(&mut self) {
        let names = self.names.names();
        let mut starts = vec![0_u32; names.len() + 1];
        let mut first = vec![None; names.len()];
        let mut below: Vec<(usize, u32)> = Vec::new();
        for (row, bank) in (0_u32..).zip(&self.rows) {
            first[bank.name.index()].get_or_insert(row);
            if let Parent::Bank(parent) = bank.parent {
                starts[parent.index() + 1] += 1;
                below.push((parent.index(), row));
            }
        }
        for name in 1..starts.len() {
            starts[name] += starts[name - 1];
        }
        // Rows of one name under one parent keep their order.
        below.sort_by(|&(a_parent, a), &(b_parent, b)| {
            let name = |row: u32| names.bytes(self.rows[row as usize].name);
            a_parent.cmp(&b_parent).then_with(|| name(a).cmp(name(b)))
        });
        self.below = below.into_iter().map(|(_, row)| row).collect();
        self.starts = starts;
        self.first = first;
    }

    /// Returns the rows whose parent is this bank, in the order in which Flux visits them.
    pub(super) fn below(&self, name: NameId) -> &[u32] {
        let (start, end) = (self.starts[name.index()], self.starts[name.index() + 1]);
        &self.below[start as usize..end as usize]
    }

    /// Returns the first row of a name, whose shares count.
    pub(super) fn first(&self, name: NameId) -> Option<&Bank> {
        self.first[name.index()].map(|row| &self.rows[row as usize])
    }

    /// Returns how many names of banks there are.
    pub(super) fn name_count(&self) -> usize {
        self.names.names().len()
    }

    /// Returns the place of a bank's name, or `None` if there is no such bank.
    pub(super) fn place(&self, name: &[u8]) -> Option<u32> {
        let name = self.names.find(name)?;
        self.first(name)?;
        u32::try_from(name.index()).ok()
    }

    /// Returns the bytes of a name.
    pub(super) fn name(&self, name: NameId) -> &[u8] {
        self.names.names().bytes(name)
    }

    /// Returns the rows without a parent, the first of which is the root.
    pub(super) fn roots(&self) -> impl Iterator<Item = (u32, &Bank)> {
        let rows = (0..).zip(&self.rows);
        rows.filter(|(_, bank)| bank.parent == Parent::Nobody)
    }
}
