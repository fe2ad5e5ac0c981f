//! The associations, as listed in their table.

use super::banks::Banks;
use super::failure::Failure;
use super::store::Store;
use super::tables::Table;
use super::{RowCounter, figure, is_active, text};
use crate::base::shown::{Shown, sentence, shown};
use crate::format::flux::number::{CountError, leading_count, leading_number};
use crate::format::{Problem, Problems, Severity};
use crate::model::{Fact, NameId, TreeBuilder};
use rusqlite::Row;
use rusqlite::types::ValueRef;

/// The columns read of every association, before numbers and texts.
const COLUMNS: &[&str] = &["username", "bank", "shares", "job_usage", "active"];

/// The numbers that are recorded.
const FIGURES: &[(&str, Fact)] = &[
    ("fairshare", Fact::Fairshare),
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

/// One association.
pub(super) struct Association {
    pub(super) user: NameId,
    /// The first bytes of the user's name, as a number that sorts in the same way.
    pub(super) key: u64,
    /// The place of its bank among the names of banks.
    pub(super) bank: u32,
    pub(super) shares: i64,
    pub(super) usage: f64,
    pub(super) is_active: bool,
}

/// The table of associations, bank by bank.
pub(super) struct Associations {
    /// The rows in table order.
    pub(super) rows: Vec<Association>,
    /// Numbers by row; NaN where there is none.
    pub(super) figures: Vec<(Fact, Vec<f64>)>,
    /// Texts, each with its row.
    pub(super) texts: Vec<(Fact, u32, Box<str>)>,
    /// The rows of each bank, one bank after the other, each in the order of users.
    of_banks: Vec<u32>,
    /// By the name of a bank: where its rows begin, and one entry for the end.
    starts: Vec<u32>,
}

impl Associations {
    /// Looks up the table.
    pub(super) fn table(store: &Store, file: &Shown) -> Result<Table, Failure> {
        let required = ["username", "bank", "shares", "job_usage"];
        Table::required(store, file, "association_table", &required)
    }

    /// Reads the table. Associations of missing banks are reported and skipped.
    pub(super) fn read(
        store: &Store,
        table: &Table,
        file: &Shown,
        banks: &Banks,
        users: &mut TreeBuilder,
        problems: &mut Problems,
        meter: &mut RowCounter<'_>,
    ) -> Result<Self, Failure> {
        let figures: Vec<_> = FIGURES.iter().filter(|(name, _)| table.has(name)).collect();
        let texts: Vec<_> = TEXTS.iter().filter(|(name, ..)| table.has(name)).collect();
        let mut columns = COLUMNS.to_vec();
        columns.extend(figures.iter().map(|(name, _)| *name));
        columns.extend(texts.iter().map(|(name, ..)| *name));
        let mut reader = AssociationReader {
            file,
            has_active: table.has("active"),
            problems,
        };
        let mut associations = Self {
            rows: Vec::new(),
            figures: figures
                .iter()
                .map(|(_, fact)| (*fact, Vec::new()))
                .collect(),
            texts: Vec::new(),
            of_banks: Vec::new(),
            starts: Vec::new(),
        };
        let mut statement = store.connection.prepare(&table.query(&columns, None))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            store.had_row();
            meter.next()?;
            let Some(association) = reader.association(row, banks, users)? else {
                continue;
            };
            let mut column = COLUMNS.len();
            for (fact, values) in &mut associations.figures {
                let number = figure(row.get_ref(column)?).unwrap_or(f64::NAN);
                let is_limit = !matches!(fact, Fact::Fairshare | Fact::Userid);
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
        }
        drop(rows);
        associations.order(banks, users);
        Ok(associations)
    }

    /// Sorts the rows of each bank into the order in which Flux visits them.
    fn order(&mut self, banks: &Banks, users: &TreeBuilder) {
        let mut starts = vec![0_u32; banks.name_count() + 1];
        for row in &self.rows {
            starts[row.bank as usize + 1] += 1;
        }
        for bank in 1..starts.len() {
            starts[bank] += starts[bank - 1];
        }
        let mut next = starts.clone();
        let mut of_banks = vec![0_u32; self.rows.len()];
        for (place, row) in (0_u32..).zip(&self.rows) {
            let at = &mut next[row.bank as usize];
            of_banks[*at as usize] = place;
            *at += 1;
        }
        let rows = &self.rows;
        let order = |a: &u32, b: &u32| {
            let (a, b) = (&rows[*a as usize], &rows[*b as usize]);
            let name = |row: &Association| users.name_bytes(row.user);
            a.key.cmp(&b.key).then_with(|| name(a).cmp(name(b)))
        };
        for bank in starts.windows(2) {
            of_banks[bank[0] as usize..bank[1] as usize].sort_by(order);
        }
        self.of_banks = of_banks;
        self.starts = starts;
    }

    /// Returns the associations of the bank with that name, in the order in which Flux visits them.
    pub(super) fn of_bank(&self, bank: NameId) -> &[u32] {
        let (start, end) = (self.starts[bank.index()], self.starts[bank.index() + 1]);
        &self.of_banks[start as usize..end as usize]
    }
}

/// Reads associations and notes what is odd about them.
struct AssociationReader<'a> {
    file: &'a Shown,
    has_active: bool,
    problems: &'a mut Problems,
}

impl AssociationReader<'_> {
    /// Reads one row. Returns `None` if it has no existing bank, or no user.
    fn association(
        &mut self,
        row: &Row<'_>,
        banks: &Banks,
        users: &mut TreeBuilder,
    ) -> Result<Option<Association>, Failure> {
        let bank = text(row.get_ref(1)?).unwrap_or_default();
        let Some(user) = text(row.get_ref(0)?) else {
            let message = || {
                sentence!(
                    "an association with bank {} names no user; it was left out",
                    shown(bank)
                )
            };
            self.odd(
                "flux-no-username",
                "remove the row, or give it a username",
                message,
            );
            return Ok(None);
        };
        let Some(bank_name) = banks.place(bank) else {
            let message = || {
                sentence!(
                    "{} has an association with the bank {}, which does not exist; Flux ignores it, and it was left \
                     out",
                    shown(user),
                    shown(bank)
                )
            };
            let advice = "add the bank, or remove the user from it with flux account delete-user";
            self.odd("flux-no-bank", advice, message);
            return Ok(None);
        };
        let shares = self.shares(row.get_ref(2)?, user, bank);
        let usage = self.usage(row.get_ref(3)?, user, bank);
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
            is_active: is_active(row.get_ref(4)?, self.has_active),
        }))
    }

    /// Reads the shares of an association: a whole number, whatever the value.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "SQLite cuts a number off in the same way where a whole one is asked for"
    )]
    fn shares(&mut self, value: ValueRef<'_>, user: &[u8], bank: &[u8]) -> i64 {
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
        let message = || {
            sentence!(
                "the shares of {} of {} are {as_text}; expected a whole number; they are read as {shares}, as in Flux",
                shown(user),
                shown(bank)
            )
        };
        let advice = "set them with flux account edit-user USER --bank=BANK --shares=NUMBER";
        self.odd("flux-odd-shares", advice, message);
        shares
    }

    fn usage(&mut self, value: ValueRef<'_>, user: &[u8], bank: &[u8]) -> f64 {
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
        let message = || {
            sentence!(
                "the usage of {} of {} is {}; expected a number from 0 up; it is counted as {counted}",
                shown(user),
                shown(bank),
                as_text.unwrap_or_else(|| usage.to_string())
            )
        };
        let advice = "run flux account-update-usage, or flux account clear-usage BANK";
        self.odd("flux-odd-usage", advice, message);
        counted
    }

    fn odd(&mut self, code: &'static str, advice: &'static str, message: impl FnOnce() -> Shown) {
        let file = self.file;
        self.problems
            .push_with(|| Problem::about(Severity::Warning, code, file, message(), advice));
    }
}
