//! The associations of one output, and what its numbers reveal: its policy, which of its columns have no meaning, and
//! whether users are missing.

use crate::base::shown::{Shown, sentence, shown};
use crate::format::input::Input;
use crate::format::problem::Place;
use crate::format::text::first_of;
use crate::format::{Format, Problems};
use crate::model::{
    Fact, Figure, Figures, Incomplete, NameId, NameInterner, Shares, Texts, TieOrder, Usage,
    UsagePrecision,
};
use crate::rules::policy::Policy;
use std::ops::Range;
use std::sync::Arc;

const NAMED: usize = 3;

/// The contents of one output.
#[derive(Debug, Default)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub struct Rows {
    pub format: Format,
    pub file: Shown,
    /// The names of accounts, users, partitions and clusters.
    pub names: NameInterner,
    /// The associations, in the order printed.
    pub rows: Vec<Row>,
    /// Numbers that were recorded beside shares and usage, row by row.
    pub figures: Vec<(Fact, Figures)>,
    /// Texts that were recorded, row by row.
    pub texts: Vec<(Fact, Texts)>,
    pub usage_precision: UsagePrecision,
    /// The unit of the usage, if it is not Slurm's: of a period, and not decayed.
    pub usage_unit: Option<String>,
    /// Slurm's version, if the output states it.
    pub version: Option<String>,
    /// When it was printed, in Unix seconds, from the output or the file's time.
    pub taken: Option<i64>,
    /// The policy that the columns reveal: only Fair Tree has a `LevelFS` column.
    pub policy: Option<Policy>,
    /// The order in which Slurm visits associations that tie, if the fields reveal it and no version is stated.
    pub tie_order: Option<TieOrder>,
    /// Why levels cannot be summed, if rows are missing.
    pub incomplete: Option<Incomplete>,
    pub problems: Problems,
    /// The output itself, if it is a dump.
    pub dump: Option<Arc<Vec<u8>>>,
}

/// One association: an account, or a user of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// The cluster, if the output states it.
    pub cluster: Option<NameId>,
    /// The account; for a user its account.
    pub account: NameId,
    /// The user; `None` for the account itself.
    pub user: Option<NameId>,
    /// The partition of a user's association, if it is for one.
    pub partition: Option<NameId>,
    /// The parent of an account, if the output states it; `None` for a user.
    pub parent: Option<NameId>,
    /// Slurm's number of the association, unique in its cluster; 0 if unknown.
    pub id: u32,
    /// Its place in the lists of Slurm up to 23.02, which grows from the newest to the oldest; 0 if unknown.
    pub left: u32,
    /// The raw shares, if the output states them.
    pub shares: Option<Shares>,
    /// The usage, if the output states it.
    pub usage: Usage,
    /// The line, from 1; 0 in formats without lines.
    pub line: u32,
}

impl Row {
    /// Creates an association of which only the names are known.
    pub const fn new(account: NameId, user: Option<NameId>) -> Self {
        Self {
            cluster: None,
            account,
            user,
            partition: None,
            parent: None,
            id: 0,
            left: 0,
            shares: None,
            usage: Usage::NONE,
            line: 0,
        }
    }

    /// Returns the account of a user, or the parent of an account.
    pub(super) fn above(&self) -> Option<NameId> {
        self.user.map_or(self.parent, |_| Some(self.account))
    }

    /// Returns its part of the sum of shares on its level; 0 for `parent`.
    pub(super) fn counted_shares(&self) -> f64 {
        let shares = self.shares.and_then(Shares::count);
        shares.map_or(0.0, |shares| shares as f64)
    }
}

impl Rows {
    /// Creates an output of which nothing is read yet.
    pub fn new(format: Format, input: &Input) -> Self {
        Self {
            format,
            problems: Problems::of(input.name()),
            file: input.name(),
            taken: input.modified,
            ..Self::default()
        }
    }

    /// Returns a name that a row gives; `None` for an empty one.
    pub(super) fn name(&mut self, name: &[u8]) -> Option<NameId> {
        (!name.is_empty()).then(|| self.names.intern(name))
    }

    /// Returns the clusters of the associations; one again where its rows begin again.
    pub(crate) fn clusters(&self) -> impl Iterator<Item = NameId> {
        let is_one = |one: &Row, other: &Row| one.cluster == other.cluster;
        let blocks = self.rows.chunk_by(is_one);
        blocks.filter_map(|block| block[0].cluster)
    }

    /// Returns the recorded numbers of a column by row, or `None` if the output does not have it.
    pub fn figures(&self, fact: Fact) -> Option<&Figures> {
        let mut columns = self.figures.iter();
        columns.find(|(own, _)| *own == fact).map(|(_, own)| own)
    }

    /// Reports usage that Slurm never stores, so that the association is read as one without.
    pub(super) fn refuse_usage(&mut self, place: impl Into<Place>, whose: &[u8], amount: f64) {
        let whose = shown(whose);
        let message = sentence!(
            "the usage of {whose} is {amount}; expected a number from 0 up; it is read as missing"
        );
        let advice = "print it again; if Slurm prints it again, see the log of slurmctld";
        self.problems.refuse(place, "slurm-number", message, advice);
    }

    /// Records a number of the row that was added last.
    pub fn figure(&mut self, fact: Fact, figure: Figure) {
        if let Some(last) = self.rows.len().checked_sub(1) {
            column(&mut self.figures, fact).set_at(last, figure);
        }
    }

    /// Records a text of the row that was added last, unless it is empty.
    pub fn text(&mut self, fact: Fact, text: &str) {
        if let Some(last) = self.rows.len().checked_sub(1)
            && !text.is_empty()
        {
            column(&mut self.texts, fact).set_at(last, text);
        }
    }
}

/// Returns a few names of a list, and how many more there are.
pub(super) fn some(names: &[String]) -> String {
    first_of(names, NAMED)
}

/// Returns shares as Slurm stores them, which has a number for `parent`.
pub(super) const fn stored_shares(count: i64) -> Shares {
    match count {
        Shares::STORED_PARENT => Shares::PARENT,
        count => Shares::new(count),
    }
}

/// Returns usage as Slurm stores it, from 0 up. `None` for a number that it never stores.
pub(super) fn stored_usage(amount: f64) -> Option<Usage> {
    (amount.is_finite() && amount >= 0.0).then(|| Usage::new(amount))
}

/// Returns the column of a fact, adding it if it is new.
fn column<T: Default>(columns: &mut Vec<(Fact, T)>, fact: Fact) -> &mut T {
    let known = columns.iter().position(|(known, _)| *known == fact);
    let place = known.unwrap_or_else(|| {
        columns.push((fact, T::default()));
        columns.len() - 1
    });
    &mut columns[place].1
}

/// The relative precision of a large sum of doubles.
const GOOD: f64 = 1e-12;

#[derive(Clone, Copy, Default)]
struct AccountSums {
    /// The account's own row, counted from 1; 0 if it has none.
    row: usize,
    listed: f64,
    /// The part of it that is usage of accounts.
    of_accounts: f64,
    children: u32,
    accounts: u32,
    shares: f64,
    /// Whether shares `parent` of the account or of one below it make its level another than these.
    is_mixed: bool,
}

/// Sets why levels cannot be summed, and reports it, if users are missing: options of the command leave them out.
///
/// The usage of deleted users stays in the accounts above. So it means little that accounts used more than their listed
/// users: the other columns must have been computed with more users than are listed.
pub(super) fn note_missing_users(rows: &mut Rows, cause: Incomplete, advice: &'static str) {
    let mut accounts = vec![AccountSums::default(); rows.names.names().len()];
    let mut start = 0;
    let is_one = |one: &Row, other: &Row| one.cluster == other.cluster;
    let lacks = rows.rows.chunk_by(is_one).any(|block| {
        let range = start..start + block.len();
        start = range.end;
        rows.incomplete.is_none() && lacks_users(rows, range, &mut accounts)
    });
    if lacks {
        rows.incomplete = Some(cause);
    }
    if rows.incomplete.is_some() {
        let message =
            "the accounts have more users than are listed; ranks count only the listed users";
        let code = "slurm-users-missing";
        rows.problems.warn(Place::WHOLE, code, message, advice);
    }
}

/// Returns whether the rows of a cluster lack users. `accounts` has room for the sums of every name.
fn lacks_users(rows: &Rows, range: Range<usize>, accounts: &mut [AccountSums]) -> bool {
    let block = &rows.rows[range.clone()];
    for row in block {
        for name in std::iter::once(row.account).chain(row.parent) {
            accounts[name.index()] = AccountSums::default();
        }
    }
    let mut first_user: Option<NameId> = None;
    let mut has_several_users = false;
    for (place, row) in (1..).zip(block) {
        let usage = row.usage.amount().unwrap_or(0.0);
        let is_parent = row.shares.is_some_and(Shares::is_parent);
        if let Some(user) = row.user {
            has_several_users |= first_user.is_some_and(|first| first != user);
            first_user = Some(user);
        } else {
            accounts[row.account.index()].row = place;
            accounts[row.account.index()].is_mixed |= is_parent;
        }
        let Some(above) = row.above() else {
            continue;
        };
        let account = &mut accounts[above.index()];
        account.listed += usage;
        account.children += 1;
        account.shares += row.counted_shares();
        if row.user.is_none() {
            account.of_accounts += usage;
            account.accounts += 1;
            account.is_mixed |= is_parent;
        }
    }
    let (mut with_users, mut short, mut bare) = (0, 0, 0);
    for (place, row) in (1..).zip(block) {
        let account = accounts[row.account.index()];
        // Of an account that is listed twice the last row counts.
        if account.row != place {
            continue;
        }
        let usage = row.usage.amount().unwrap_or(0.0);
        // Every number is truncated to a whole one.
        let exceeds = |sum: f64, count: u32| usage - sum > f64::from(count) + 1.0 + usage * GOOD;
        with_users += usize::from(exceeds(account.of_accounts, account.accounts));
        short += usize::from(exceeds(account.listed, account.children));
        bare += usize::from(account.children == 0);
    }
    let is_proven = || {
        shares_lack_users(rows, range.clone(), accounts) || ranks_lack_users(rows, range.clone())
    };
    // A tree of one account lacks nobody.
    block.len() > 1 && ((!has_several_users && bare > 0) || (short * 2 > with_users && is_proven()))
}

/// Returns whether most users have another `NormShares` than their part of the listed shares: on their own level, as in
/// an output with the `LevelFS` of Fair Tree, or else in the whole tree.
fn shares_lack_users(rows: &Rows, range: Range<usize>, accounts: &[AccountSums]) -> bool {
    let Some(norm) = rows.figures(Fact::NormShares) else {
        return false;
    };
    let is_fair_tree = rows.figures(Fact::LevelFs).is_some();
    let start = range.start;
    let (mut checked, mut differing) = (0, 0);
    for place in range {
        let row = &rows.rows[place];
        let account = &accounts[row.account.index()];
        let is_comparable = row.user.is_some() && account.row > 0 && !account.is_mixed;
        let Some(printed) = norm.at(place).filter(|_| is_comparable) else {
            continue;
        };
        let part = row.counted_shares() / account.shares.max(1.0);
        let above = norm.at(start + account.row - 1);
        let of_tree = above.map_or(part, |above| part * above.value);
        let is_printed = |number: f64| (printed.value - number).abs() <= 2.0 * printed.half_unit();
        checked += 1;
        differing += usize::from(!is_printed(part) && (is_fair_tree || !is_printed(of_tree)));
    }
    differing * 2 > checked
}

/// Returns whether many factors are no ranks among the listed users, in an output with the `LevelFS` of Fair Tree.
fn ranks_lack_users(rows: &Rows, range: Range<usize>) -> bool {
    let (Some(factors), Some(_)) = (rows.figures(Fact::FairShare), rows.figures(Fact::LevelFs))
    else {
        return false;
    };
    let users = range.filter(|&place| rows.rows[place].user.is_some());
    let factors: Vec<Figure> = users.filter_map(|place| factors.at(place)).collect();
    let count = factors.len() as f64;
    let is_rank = |factor: &Figure| {
        let rank = factor.value * count;
        (rank - rank.round()).abs() <= 2.0 * factor.half_unit() * count
    };
    let ranks = factors.iter().filter(|factor| is_rank(factor)).count();
    ranks * 4 < factors.len() * 3
}

/// Returns classic if users are missing, so that nothing can be computed again, but every printed factor can be a classic
/// one of the two numbers beside it under some dampening. Fair Tree's fit at most by chance.
pub(super) fn policy_of_factors(rows: &Rows) -> Option<Policy> {
    const DIGIT: f64 = 5e-7;
    const MOST_DAMPENING: f64 = 100.0;
    rows.incomplete?;
    let fits = (0..rows.rows.len()).filter_map(|place| {
        let of = [Fact::FairShare, Fact::EffectvUsage, Fact::NormShares];
        let of = of.map(|fact| Some(rows.figures(fact)?.at(place)?.value).filter(|&it| it > DIGIT));
        let [factor, effective, target] = [of[0]?, of[1]?, of[2]?];
        let power = (-factor.log2()).max(DIGIT);
        let dampening = effective / target / power;
        let nearest = dampening.round().clamp(1.0, MOST_DAMPENING);
        let error = DIGIT / effective + DIGIT / target + 2.0 * DIGIT / factor / power;
        Some((dampening - nearest).abs() <= nearest * error)
    });
    fits.reduce(|all, fits| all && fits)?
        .then_some(Policy::Classic)
}

/// Detects the policy of an output that always prints the same fields, and drops those that its rule does not compute.
pub(super) fn settle_policy(rows: &mut Rows) {
    let has = |fact| {
        let figures = rows.figures(fact);
        let mut figures = (0..rows.rows.len()).filter_map(|row| figures?.at(row));
        figures.any(|figure| figure.value != 0.0)
    };
    let (has_levels, has_factors) = (has(Fact::LevelFs), has(Fact::FairShare));
    let is_top = |row: &Row| row.user.is_none() && row.parent.is_none();
    let top = rows.rows.iter().position(is_top);
    let part = top.and_then(|top| rows.figures(Fact::NormShares)?.at(top));
    // Only Fair Tree has levels, and only under the other rules the root's part of all shares is 1: classic, or
    // DEPTH_OBLIVIOUS, which can be distinguished only by the configuration.
    rows.policy = match part.map(|figure| figure.value) {
        _ if has_levels => Some(Policy::FairTree),
        Some(1.0) => Some(Policy::Classic),
        Some(part) if part < 1.0 => Some(Policy::FairTree),
        _ => None,
    };
    let is_fair_tree = rows.policy == Some(Policy::FairTree);
    rows.figures.retain(|(fact, _)| match fact {
        Fact::LevelFs => is_fair_tree,
        // Under classic rules the controller keeps no factors up to 25.05.
        Fact::FairShare => is_fair_tree || has_factors,
        _ => true,
    });
    let mut columns = rows.figures.iter_mut();
    if let Some((_, factors)) = columns.find(|(fact, _)| *fact == Fact::FairShare) {
        for (place, row) in rows.rows.iter().enumerate() {
            // Fair Tree ranks only users. Classic rules also give accounts factors, but not the root.
            if is_top(row) || (is_fair_tree && row.user.is_none()) {
                factors.set_at(place, Figure::exact(f64::NAN));
            }
        }
    }
}
