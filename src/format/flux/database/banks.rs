//! The banks and their associations, as listed in their tables.

use super::database_files::Failure;
use super::tables::{DatabaseReader, RowsByName, Table, figure, is_active, text};
use crate::base::shown::{sentence, shown};
use crate::format::flux::{CountError, leading_count, leading_number};
use crate::format::problem::{Place, Problems};
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
        database.each(&table.query(BANK_COLUMNS, Some("shares")), |row| {
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

    /// Returns the name of a bank that has a row.
    pub(super) fn find(&self, name: &[u8]) -> Option<NameId> {
        let name = self.names.find(name);
        name.filter(|&name| self.first(name).is_some())
    }

    pub(super) fn name(&self, name: NameId) -> &[u8] {
        self.names.names().bytes(name)
    }
}

/// The columns read of every association, before numbers and texts.
const ASSOCIATION_COLUMNS: &[&str] = &["username", "bank", "shares", "job_usage", "active"];

const FIGURES: &[(&str, Fact)] = &[
    ("fairshare", Fact::FluxFairshare),
    ("userid", Fact::Userid),
    ("max_running_jobs", Fact::MaxRunningJobs),
    ("max_active_jobs", Fact::MaxActiveJobs),
    ("max_nodes", Fact::MaxNodes),
    ("max_cores", Fact::MaxCores),
];

/// The texts that are recorded, each with its default value.
const TEXTS: &[(&str, Fact, &[u8])] = &[
    ("default_bank", Fact::DefaultBank, b""),
    ("queues", Fact::Queues, b""),
    ("projects", Fact::Projects, b"*"),
];

/// The number that flux-accounting stores for no limit.
const UNLIMITED: f64 = 2_147_483_647.0;

pub(super) struct Association {
    pub(super) user: NameId,
    /// The first bytes of the user's name, as a number that sorts in the same way.
    pub(super) key: u64,
    pub(super) bank: NameId,
    pub(super) shares: i64,
    pub(super) usage: f64,
    pub(super) is_active: bool,
}

/// The table of associations, bank by bank.
pub(super) struct Associations {
    pub(super) rows: Vec<Association>,
    /// Numbers by row; NaN where there is none.
    pub(super) figures: Vec<(Fact, Vec<f64>)>,
    /// Texts, each with its row.
    pub(super) texts: Vec<(Fact, u32, Box<str>)>,
    /// The rows of each bank, in the order in which Flux visits them.
    pub(super) of_banks: RowsByName,
}

impl Associations {
    /// Reads the table. Associations of missing banks are reported and skipped.
    pub(super) fn read(
        database: &mut DatabaseReader<'_>,
        table: &Table,
        banks: &Banks,
        users: &mut TreeBuilder,
        problems: &mut Problems,
    ) -> Result<Self, Failure> {
        let figures: Vec<_> = FIGURES.iter().filter(|(name, _)| table.has(name)).collect();
        let texts: Vec<_> = TEXTS.iter().filter(|(name, ..)| table.has(name)).collect();
        let mut columns = ASSOCIATION_COLUMNS.to_vec();
        columns.extend(figures.iter().map(|(name, _)| *name));
        columns.extend(texts.iter().map(|(name, ..)| *name));
        let figures = figures.iter().map(|(_, fact)| (*fact, Vec::new()));
        let mut associations = Self {
            rows: Vec::new(),
            figures: figures.collect(),
            texts: Vec::new(),
            of_banks: RowsByName::default(),
        };
        database.each(&table.query(&columns, None), |row| {
            let Some(association) = association(row, banks, users, problems)? else {
                return Ok(());
            };
            let mut column = ASSOCIATION_COLUMNS.len();
            for (fact, values) in &mut associations.figures {
                let number = figure(row.get_ref(column)?).unwrap_or(f64::NAN);
                let is_limit = !matches!(fact, Fact::FluxFairshare | Fact::Userid);
                let is_none = is_limit && number >= UNLIMITED;
                values.push(if is_none { f64::INFINITY } else { number });
                column += 1;
            }
            let place = u32::try_from(associations.rows.len())
                .expect("the limit on nodes is far below 2^32");
            for (_, fact, usual) in &texts {
                let value = text(row.get_ref(column)?).unwrap_or_default();
                let is_own_bank = *fact == Fact::DefaultBank
                    && value == text(row.get_ref(1)?).unwrap_or_default();
                if value != *usual && !is_own_bank {
                    let value = String::from_utf8_lossy(value).into();
                    associations.texts.push((*fact, place, value));
                }
                column += 1;
            }
            associations.rows.push(association);
            Ok(())
        })?;
        let rows = &associations.rows;
        let places = (0..).zip(rows);
        let of_banks = places.map(|(place, row)| (row.bank.index(), place));
        let order = |a: u32, b: u32| {
            let (a, b) = (&rows[a as usize], &rows[b as usize]);
            let name = |row: &Association| users.name_bytes(row.user);
            a.key.cmp(&b.key).then_with(|| name(a).cmp(name(b)))
        };
        associations.of_banks = RowsByName::new(of_banks, order);
        Ok(associations)
    }
}

/// Reads one row. Returns `None` if it has no existing bank, or no user.
fn association(
    row: &Row<'_>,
    banks: &Banks,
    users: &mut TreeBuilder,
    problems: &mut Problems,
) -> Result<Option<Association>, Failure> {
    let bank = text(row.get_ref(1)?).unwrap_or_default();
    let Some(user) = text(row.get_ref(0)?) else {
        let bank = shown(bank);
        let message = sentence!("an association with bank {bank} names no user; it was left out");
        let advice = "remove the row, or give it a username";
        problems.warn(Place::WHOLE, "flux-no-username", message, advice);
        return Ok(None);
    };
    let Some(bank_name) = banks.find(bank) else {
        let message = sentence!(
            "{} has an association with the bank {}, which does not exist; Flux ignores it, and it was left out",
            shown(user),
            shown(bank)
        );
        let advice = "add the bank, or remove the user from it with flux account delete-user";
        problems.warn(Place::WHOLE, "flux-no-bank", message, advice);
        return Ok(None);
    };
    let shares = shares(row.get_ref(2)?, user, bank, problems);
    let usage = usage(row.get_ref(3)?, user, bank, problems);
    let mut start = [0; 8];
    for (byte, of_name) in start.iter_mut().zip(user) {
        *byte = *of_name;
    }
    Ok(Some(Association {
        user: users.intern(user),
        key: u64::from_be_bytes(start),
        bank: bank_name,
        shares,
        usage,
        is_active: is_active(row.get_ref(4)?),
    }))
}

/// Reads the shares of an association: a whole number, whatever the value.
#[expect(clippy::cast_possible_truncation, reason = "SQLite cuts them off, too")]
fn shares(value: ValueRef<'_>, user: &[u8], bank: &[u8], problems: &mut Problems) -> i64 {
    let (shares, as_text) = match value {
        ValueRef::Integer(shares) => return shares,
        ValueRef::Null => (0, "missing".to_owned()),
        ValueRef::Real(shares) => (shares as i64, shares.to_string()),
        ValueRef::Text(text) | ValueRef::Blob(text) => {
            let shares = match leading_count(text) {
                Ok((shares, _)) => shares,
                Err(CountError::Text) => 0,
                Err(CountError::Range) if text.trim_ascii_start().starts_with(b"-") => i64::MIN,
                Err(CountError::Range) => i64::MAX,
            };
            (shares, shown(text).into())
        }
    };
    let (user, bank) = (shown(user), shown(bank));
    let message = sentence!(
        "the shares of {user} of {bank} are {as_text}; expected a whole number; they are read as {shares}, as in Flux"
    );
    let advice = "set them with flux account edit-user USER --bank=BANK --shares=NUMBER";
    problems.warn(Place::WHOLE, "flux-odd-shares", message, advice);
    shares
}

fn usage(value: ValueRef<'_>, user: &[u8], bank: &[u8], problems: &mut Problems) -> f64 {
    let (usage, as_text) = match value {
        ValueRef::Integer(usage) => (usage as f64, None),
        ValueRef::Real(usage) => (usage, None),
        ValueRef::Null => (0.0, Some("missing".to_owned())),
        ValueRef::Text(text) | ValueRef::Blob(text) => {
            (leading_number(text).0, Some(shown(text).into()))
        }
    };
    let is_usable = usage.is_finite() && usage >= 0.0;
    if is_usable && as_text.is_none() {
        return usage;
    }
    let counted = if is_usable { usage } else { 0.0 };
    let (user, bank) = (shown(user), shown(bank));
    let held = as_text.unwrap_or_else(|| usage.to_string());
    let message = sentence!(
        "the usage of {user} of {bank} is {held}; expected a number from 0 up; it is counted as {counted}"
    );
    let advice = "run flux account-update-usage, or flux account clear-usage BANK";
    problems.warn(Place::WHOLE, "flux-odd-usage", message, advice);
    counted
}
