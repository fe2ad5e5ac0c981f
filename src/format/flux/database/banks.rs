//! The banks and their associations, as listed in their tables.

use super::error::Failure;
use super::problem::DatabaseProblem;
use super::tables::{
    DatabaseReader, NamedRow, RowsByName, Table, figure, is_active, text, text_or_empty,
};
use crate::base::shown::{Shown, sentence, shown};
use crate::format::flux::{CountError, leading_count, leading_number};
use crate::model::{Fact, NameId, NameInterner, TreeBuilder};
use rusqlite::Row;
use rusqlite::types::ValueRef;

/// The columns that are read, in this order.
const BANK_COLUMNS: &[&str] = &[
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
    /// The bank of this name, which may have no row.
    Bank(NameId),
    /// The row does not state it.
    Unknown,
}

/// A row of the table of banks.
pub(super) struct Bank {
    /// Its name.
    pub(super) name: NameId,
    /// The bank above it.
    pub(super) parent: Parent,
    /// The shares, or why Flux refuses them.
    pub(super) shares: Result<i64, CountError>,
    /// The original shares, if they are not a whole number.
    pub(super) odd_shares: Option<Box<[u8]>>,
    /// Whether Flux counts it and what is below it.
    pub(super) is_active: bool,
    /// The usage that flux-accounting stored for the bank.
    pub(super) job_usage: Option<f64>,
    /// The priority that flux-accounting stored for it.
    pub(super) priority: Option<f64>,
}

/// The table of banks.
pub(super) struct Banks {
    /// The names of banks and of the banks above them.
    names: NameInterner,
    /// In the order of the table.
    pub(super) rows: Vec<Bank>,
    /// How many rows have no name.
    pub(super) nameless: usize,
    /// The rows below each name, in the order in which Flux visits them.
    pub(super) below: RowsByName,
    /// By name: the first row of that name.
    first: Vec<Option<u32>>,
}

impl Banks {
    /// Reads the table.
    pub(super) fn read(database: &mut DatabaseReader, table: &Table) -> Result<Self, Failure> {
        let mut banks = Self {
            names: NameInterner::default(),
            rows: Vec::new(),
            nameless: 0,
            below: RowsByName::default(),
            first: Vec::new(),
        };
        // Flux reads the shares of a bank as text, whatever their type.
        let mut statement = database.query(&table.query(BANK_COLUMNS, Some("shares")))?;
        let mut rows = statement.query([])?;
        while let Some(row) = database.next(&mut rows)? {
            banks.read_row(row)?;
        }
        banks.first = vec![None; banks.name_count()];
        let mut below = Vec::new();
        for (row, bank) in (0_u32..).zip(&banks.rows) {
            banks.first[bank.name.index()].get_or_insert(row);
            if let Parent::Bank(parent) = bank.parent {
                let name = parent.index();
                below.push(NamedRow { name, row });
            }
        }
        banks.below = RowsByName::new(below, |a, b| banks.name_at(a).cmp(banks.name_at(b)));
        Ok(banks)
    }

    /// Reads the next row.
    fn read_row(&mut self, row: &Row) -> rusqlite::Result<()> {
        let Some(name) = text(row.get_ref(0)?) else {
            self.nameless += 1;
            return Ok(());
        };
        let parent = match text(row.get_ref(1)?) {
            None => Parent::Unknown,
            Some(b"") => Parent::Nobody,
            Some(parent) => Parent::Bank(self.names.intern(parent)),
        };
        let shares_text = text_or_empty(row.get_ref(2)?);
        let mut odd_shares = None;
        let shares = match leading_count(shares_text) {
            Ok((shares, true)) => Ok(shares),
            other => {
                odd_shares = Some(shares_text.into());
                other.map(|(shares, _)| shares)
            }
        };
        self.rows.push(Bank {
            name: self.names.intern(name),
            parent,
            shares,
            odd_shares,
            is_active: is_active(row.get_ref(3)?),
            job_usage: figure(row.get_ref(4)?),
            priority: figure(row.get_ref(5)?),
        });
        Ok(())
    }

    /// Returns the row of the root; `None` if each bank has one above it.
    pub(super) fn root(&self) -> Option<u32> {
        for (row, bank) in (0_u32..).zip(&self.rows) {
            if bank.parent == Parent::Nobody {
                return Some(row);
            }
        }
        None
    }

    /// Returns the first row of a name, whose shares count.
    pub(super) fn first(&self, name: NameId) -> Option<&Bank> {
        let row = self.first[name.index()]?;
        Some(&self.rows[row as usize])
    }

    /// Returns how many names there are.
    pub(super) fn name_count(&self) -> usize {
        self.names.names().len()
    }

    /// Returns the name of a bank that has a row.
    fn find(&self, name: &[u8]) -> Option<NameId> {
        let name = self.names.find(name)?;
        self.first(name).map(|bank| bank.name)
    }

    /// Returns a name.
    pub(super) fn name(&self, name: NameId) -> &[u8] {
        self.names.names().bytes(name)
    }

    /// Returns the name of the bank in a row.
    pub(super) fn name_at(&self, row: u32) -> &[u8] {
        self.name(self.rows[row as usize].name)
    }
}

/// The columns read of every association, before numbers and texts.
const ASSOCIATION_COLUMNS: &[&str] = &["username", "bank", "shares", "job_usage", "active"];

/// The numbers that are recorded, by their columns.
const FIGURES: &[(&str, Fact)] = &[
    ("fairshare", Fact::FluxFairshare),
    ("userid", Fact::Userid),
    ("max_running_jobs", Fact::MaxRunningJobs),
    ("max_active_jobs", Fact::MaxActiveJobs),
    ("max_nodes", Fact::MaxNodes),
    ("max_cores", Fact::MaxCores),
];

/// The texts that are recorded, by their columns.
const TEXTS: &[(&str, Fact)] = &[
    ("default_bank", Fact::DefaultBank),
    ("queues", Fact::Queues),
    ("projects", Fact::Projects),
];

/// The number that flux-accounting stores for no limit.
const UNLIMITED: f64 = 2_147_483_647.0;

/// A row of the table of associations.
pub(super) struct Association {
    /// The user, by the names of the tree.
    pub(super) user: NameId,
    /// The first bytes of the user's name, as a number that sorts in the same way.
    key: u64,
    /// Its bank, by the names of banks.
    bank: NameId,
    /// The shares as Flux reads them.
    pub(super) shares: i64,
    /// The usage, from 0 up.
    pub(super) usage: f64,
    /// Whether Flux counts it.
    pub(super) is_active: bool,
}

/// A column of numbers.
pub(super) struct FigureColumn {
    /// What it records.
    pub(super) fact: Fact,
    /// By row; NaN where there is none.
    pub(super) values: Vec<f64>,
}

/// A text that is not the usual one.
pub(super) struct RecordedText {
    /// What it records.
    pub(super) fact: Fact,
    /// The row that has it.
    pub(super) row: u32,
    /// The text.
    pub(super) text: Box<str>,
}

/// The table of associations, bank by bank.
pub(super) struct Associations {
    /// In the order of the table, without those that are left out.
    pub(super) rows: Vec<Association>,
    /// The columns of numbers that the table has.
    pub(super) figures: Vec<FigureColumn>,
    /// In the order of the rows.
    pub(super) texts: Vec<RecordedText>,
    /// The rows of each bank, in the order in which Flux visits them.
    pub(super) of_banks: RowsByName,
}

impl Associations {
    /// Reads the table. Associations of missing banks are reported and skipped.
    pub(super) fn read(
        database: &mut DatabaseReader,
        table: &Table,
        banks: &Banks,
        users: &mut TreeBuilder,
    ) -> Result<Self, Failure> {
        let mut associations = Self {
            rows: Vec::new(),
            figures: Vec::new(),
            texts: Vec::new(),
            of_banks: RowsByName::default(),
        };
        let mut columns = ASSOCIATION_COLUMNS.to_vec();
        for &(column, fact) in FIGURES {
            if table.has(column) {
                let values = Vec::new();
                columns.push(column);
                associations.figures.push(FigureColumn { fact, values });
            }
        }
        let mut texts = Vec::new();
        for &(column, fact) in TEXTS {
            if table.has(column) {
                columns.push(column);
                texts.push(fact);
            }
        }
        let mut statement = database.query(&table.query(&columns, None))?;
        let mut rows = statement.query([])?;
        while let Some(row) = database.next(&mut rows)? {
            if let Some(association) = association(row, banks, users, database)? {
                associations.read_texts(row, &texts)?;
                associations.read_figures(row)?;
                associations.rows.push(association);
            }
        }
        associations.sort(users);
        Ok(associations)
    }

    /// Reads the numbers of the next row.
    fn read_figures(&mut self, row: &Row) -> rusqlite::Result<()> {
        for (place, column) in self.figures.iter_mut().enumerate() {
            let value = row.get_ref(ASSOCIATION_COLUMNS.len() + place)?;
            let number = figure(value).unwrap_or(f64::NAN);
            let is_limit = !matches!(column.fact, Fact::FluxFairshare | Fact::Userid);
            let is_unlimited = is_limit && number >= UNLIMITED;
            let figure = if is_unlimited { f64::INFINITY } else { number };
            column.values.push(figure);
        }
        Ok(())
    }

    /// Reads the texts of the next row, whose columns are behind those of numbers.
    fn read_texts(&mut self, row: &Row, facts: &[Fact]) -> rusqlite::Result<()> {
        let own_bank = text_or_empty(row.get_ref(1)?);
        let first = ASSOCIATION_COLUMNS.len() + self.figures.len();
        for (place, &fact) in facts.iter().enumerate() {
            let value = text_or_empty(row.get_ref(first + place)?);
            let is_usual = match fact {
                Fact::DefaultBank => value.is_empty() || value == own_bank,
                Fact::Projects => value == b"*",
                _ => value.is_empty(),
            };
            if !is_usual {
                let row =
                    u32::try_from(self.rows.len()).expect("the limit on nodes is far below 2^32");
                let text = String::from_utf8_lossy(value).into();
                self.texts.push(RecordedText { fact, row, text });
            }
        }
        Ok(())
    }

    /// Sorts the rows of each bank by the names of users.
    fn sort(&mut self, users: &TreeBuilder) {
        let mut of_banks = Vec::with_capacity(self.rows.len());
        for (row, association) in (0_u32..).zip(&self.rows) {
            let name = association.bank.index();
            of_banks.push(NamedRow { name, row });
        }
        let rows = &self.rows;
        self.of_banks = RowsByName::new(of_banks, |a, b| {
            let a = &rows[a as usize];
            let b = &rows[b as usize];
            let by_key = a.key.cmp(&b.key);
            by_key.then_with(|| users.name_bytes(a.user).cmp(users.name_bytes(b.user)))
        });
    }
}

/// Reads one row. Returns `None` if it has no existing bank, or no user.
fn association(
    row: &Row,
    banks: &Banks,
    users: &mut TreeBuilder,
    database: &mut DatabaseReader,
) -> Result<Option<Association>, Failure> {
    let bank = text_or_empty(row.get_ref(1)?);
    let Some(user) = text(row.get_ref(0)?) else {
        let bank = shown(bank);
        database.report(DatabaseProblem::NoUser { bank });
        return Ok(None);
    };
    let Some(bank_name) = banks.find(bank) else {
        let problem = DatabaseProblem::NoBank {
            user: shown(user),
            bank: shown(bank),
        };
        database.report(problem);
        return Ok(None);
    };
    let shares = read_shares(row.get_ref(2)?);
    if let Some(text) = shares.odd {
        let problem = DatabaseProblem::OddShares {
            user: shown(user),
            bank: shown(bank),
            text,
            shares: shares.number,
        };
        database.report(problem);
    }
    let usage = read_usage(row.get_ref(3)?);
    if let Some(text) = usage.odd {
        let problem = DatabaseProblem::OddUsage {
            user: shown(user),
            bank: shown(bank),
            text,
            usage: usage.number,
        };
        database.report(problem);
    }
    Ok(Some(Association {
        user: users.intern(user),
        key: sort_key(user),
        bank: bank_name,
        shares: shares.number,
        usage: usage.number,
        is_active: is_active(row.get_ref(4)?),
    }))
}

/// Returns the first bytes of a name as a number.
fn sort_key(name: &[u8]) -> u64 {
    let mut start = [0; 8];
    let length = name.len().min(start.len());
    start[..length].copy_from_slice(&name[..length]);
    u64::from_be_bytes(start)
}

/// A number of a column, whatever the value.
struct ReadNumber<T> {
    /// The number as Flux reads it.
    number: T,
    /// The value for people, if it is not what belongs there.
    odd: Option<Shown>,
}

/// Reads the shares of an association: a whole number, whatever the value.
#[expect(clippy::cast_possible_truncation, reason = "SQLite cuts them off, too")]
fn read_shares(value: ValueRef) -> ReadNumber<i64> {
    match value {
        ValueRef::Integer(number) => ReadNumber { number, odd: None },
        ValueRef::Null => ReadNumber {
            number: 0,
            odd: Some("missing".into()),
        },
        ValueRef::Real(shares) => ReadNumber {
            number: shares as i64,
            odd: Some(sentence!("{shares}")),
        },
        ValueRef::Text(text) | ValueRef::Blob(text) => ReadNumber {
            number: match leading_count(text) {
                Ok((shares, _)) => shares,
                Err(CountError::Text) => 0,
                Err(CountError::Range) if text.trim_ascii_start().starts_with(b"-") => i64::MIN,
                Err(CountError::Range) => i64::MAX,
            },
            odd: Some(shown(text)),
        },
    }
}

/// Reads the usage of an association: a number from 0 up, whatever the value.
fn read_usage(value: ValueRef) -> ReadNumber<f64> {
    let mut odd = None;
    let usage = match value {
        ValueRef::Integer(usage) => usage as f64,
        ValueRef::Real(usage) => usage,
        ValueRef::Null => {
            odd = Some("missing".into());
            0.0
        }
        ValueRef::Text(text) | ValueRef::Blob(text) => {
            odd = Some(shown(text));
            let (usage, _) = leading_number(text);
            usage
        }
    };
    if usage.is_finite() && usage >= 0.0 {
        return ReadNumber { number: usage, odd };
    }
    ReadNumber {
        number: 0.0,
        odd: Some(odd.unwrap_or_else(|| sentence!("{usage}"))),
    }
}
