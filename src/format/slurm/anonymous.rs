//! Outputs of Slurm's commands with pseudonyms, written anew from the associations that were read.

use super::rows::{Row, Rows};
use super::table::SlurmColumn;
use super::{assoc_mgr, json, sshare};
use crate::format::input::Input;
use crate::format::{Format, LoadResult};
use crate::model::{
    Fact, Figure, NameId, Named, Pseudonyms, Shares, Texts, TieOrder, UsagePrecision,
};
use SlurmColumn::Recorded;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::ControlFlow;

/// The columns of `sshare` in the order in which they are written, where the output has them.
const COLUMNS: &[SlurmColumn] = &[
    SlurmColumn::Account,
    SlurmColumn::User,
    SlurmColumn::Cluster,
    SlurmColumn::Partition,
    SlurmColumn::Id,
    SlurmColumn::RawShares,
    SlurmColumn::RawUsage,
    Recorded(Fact::NormShares),
    Recorded(Fact::NormUsage),
    Recorded(Fact::EffectvUsage),
    Recorded(Fact::FairShare),
    Recorded(Fact::LevelFs),
    Recorded(Fact::GrpTresMins),
    Recorded(Fact::GrpTresRaw),
    Recorded(Fact::TresRunMins),
    Recorded(Fact::FairShareRaw),
];

/// Returns the associations of `sshare`, its JSON or the controller with pseudonyms, in the same form.
pub(in crate::format) fn anonymised(input: &Input, pseudonyms: &Pseudonyms) -> LoadResult<Vec<u8>> {
    let report = &mut |_: &_| ControlFlow::Continue(());
    let rows = match input.path.to_str() {
        Some("sshare.json") => json::read(input, report)?,
        Some("assoc_mgr.txt") => assoc_mgr::read(input, report)?,
        _ => sshare::read(input, report)?,
    };
    let output = Anonymous::new(&rows, pseudonyms);
    let text = match rows.format {
        Format::SlurmJson => output.json(),
        Format::AssocMgr => output.assoc_mgr(),
        _ => output.sshare(),
    };
    Ok(text.into_bytes())
}

/// An association under its pseudonyms.
struct Association<'a> {
    /// What was read of it.
    row: &'a Row,
    /// Its place among the rows.
    place: usize,
    /// How many associations are above it.
    depth: usize,
    /// The cluster; empty if the output does not state it.
    cluster: String,
    /// The account; for a user its account.
    account: String,
    /// The user; empty for the account itself.
    user: String,
    /// The partition of a user; empty for all.
    partition: String,
    /// The parent of an account; empty for a user.
    parent: String,
}

impl Association<'_> {
    /// Returns what orders a family. Users come before the accounts beside them.
    fn order(&self) -> impl Ord + '_ {
        let is_account = (self.user.is_empty(), self.row.user.is_none());
        let names = (&self.user, &self.account, &self.partition);
        (&self.cluster, is_account, names, self.place)
    }
}

/// The associations of an output in the order of their pseudonyms, accounts depth first.
struct Anonymous<'a> {
    /// The output as it was read.
    rows: &'a Rows,
    /// The pseudonyms of one key.
    pseudonyms: &'a Pseudonyms,
    /// The associations as they are written.
    list: Vec<Association<'a>>,
}

impl<'a> Anonymous<'a> {
    /// Gives the associations of an output their pseudonyms and their order.
    fn new(rows: &'a Rows, pseudonyms: &'a Pseudonyms) -> Self {
        let mut output = Self {
            rows,
            pseudonyms,
            list: Vec::new(),
        };
        let mut list = Vec::with_capacity(rows.rows.len());
        for (place, row) in rows.rows.iter().enumerate() {
            list.push(Association {
                row,
                place,
                depth: 0,
                cluster: output.pseudonym(Named::Cluster, row.cluster),
                account: output.pseudonym(Named::Account, Some(row.account)),
                user: output.pseudonym(Named::User, row.user),
                partition: output.pseudonym(Named::Partition, row.partition),
                parent: output.pseudonym(Named::Account, row.parent),
            });
        }
        list.sort_by(|one, other| one.order().cmp(&other.order()));
        output.list = depth_first(list);
        output
    }

    /// Returns the pseudonym of a name of a kind; that of an empty one without a name.
    fn pseudonym(&self, kind: Named, name: Option<NameId>) -> String {
        let names = self.rows.names.names();
        let name = match name {
            Some(name) => names.bytes(name),
            None => b"",
        };
        self.pseudonyms.of(kind, name)
    }

    /// Returns the number of a column as it was printed.
    fn figure(&self, fact: Fact, association: &Association<'_>) -> Option<Figure> {
        let figures = self.rows.figures(fact)?;
        figures.at(association.place)
    }

    /// Returns the number of a column, which may be infinite.
    fn number(&self, fact: Fact, association: &Association<'_>) -> Option<f64> {
        let figure = self.figure(fact, association)?;
        Some(figure.value)
    }

    /// Returns the texts of a column; `None` if the output does not have it.
    fn texts(&self, fact: Fact) -> Option<&Texts> {
        for (own, texts) in &self.rows.texts {
            if *own == fact {
                return Some(texts);
            }
        }
        None
    }

    /// Returns resources with their amounts, or another text of known words; empty if there is none.
    fn text(&self, fact: Fact, association: &Association<'_>) -> String {
        let text = match self.texts(fact) {
            Some(texts) => texts.at(association.place).unwrap_or_default(),
            None => "",
        };
        match fact {
            // The reader takes nothing but a number in hexadecimal digits.
            Fact::FairShareRaw => text.to_owned(),
            Fact::DefAssoc if matches!(text, "Yes" | "No") => text.to_owned(),
            Fact::GrpTresMins | Fact::GrpTresRaw | Fact::TresRunMins => {
                self.pseudonyms.resources(text)
            }
            _ => String::new(),
        }
    }

    /// Returns whether the output has a column.
    fn has(&self, column: SlurmColumn) -> bool {
        match column {
            SlurmColumn::Account | SlurmColumn::User => return true,
            Recorded(fact) if column.has_decimals() => {
                return self.rows.figures(fact).is_some();
            }
            Recorded(fact) => return self.texts(fact).is_some(),
            _ => {}
        }
        for row in &self.rows.rows {
            let has_cell = match column {
                SlurmColumn::Cluster => row.cluster.is_some(),
                SlurmColumn::Partition => row.partition.is_some(),
                SlurmColumn::Id => row.id > 0,
                SlurmColumn::RawShares => row.shares.is_some(),
                _ => row.usage.amount().is_some(),
            };
            if has_cell {
                return true;
            }
        }
        false
    }

    /// Returns the cell of one of the columns that are written.
    fn cell(&self, column: SlurmColumn, association: &Association<'_>) -> String {
        let row = association.row;
        match column {
            SlurmColumn::Account => {
                let indentation = " ".repeat(association.depth);
                indentation + &association.account
            }
            SlurmColumn::User => association.user.clone(),
            SlurmColumn::Cluster => association.cluster.clone(),
            SlurmColumn::Partition => association.partition.clone(),
            SlurmColumn::Id => row.id.to_string(),
            SlurmColumn::RawShares => match row.shares {
                Some(shares) => shares.to_string(),
                None => String::new(),
            },
            Recorded(fact) if column.has_decimals() => {
                let figure = self.figure(fact, association);
                printed(figure)
            }
            Recorded(fact) => self.text(fact, association),
            _ => match row.usage.amount() {
                Some(usage) => format!("{usage:.0}"),
                None => String::new(),
            },
        }
    }

    /// Writes a table as `sshare -P` does, with the columns that the output has.
    fn sshare(&self) -> String {
        let mut columns = Vec::new();
        let mut text = String::new();
        let mut bar = "";
        for &column in COLUMNS {
            if self.has(column) {
                columns.push(column);
                text.push_str(bar);
                text.push_str(column.name());
                bar = "|";
            }
        }
        text.push('\n');
        for association in &self.list {
            bar = "";
            for &column in &columns {
                text.push_str(bar);
                text.push_str(&self.cell(column, association));
                bar = "|";
            }
            text.push('\n');
        }
        text
    }

    /// Returns a number of JSON, which has no infinity: Slurm writes the word.
    fn json_number(&self, fact: Fact, association: &Association<'_>) -> Value {
        match self.number(fact, association) {
            Some(number) if number.is_infinite() => json!("Infinity"),
            number => json!(number),
        }
    }

    /// Returns resources, whose amounts become larger by a factor.
    fn json_resources(&self, fact: Fact, factor: f64, association: &Association<'_>) -> Vec<Value> {
        let mut resources = Vec::new();
        let text = self.text(fact, association);
        for entry in text.split(',') {
            let Some((name, amount)) = entry.rsplit_once('=') else {
                continue;
            };
            let Ok(amount) = amount.parse::<f64>() else {
                continue;
            };
            let value = amount * factor;
            resources.push(json!({ "name": name, "value": value }));
        }
        resources
    }

    /// Returns an association as an entry of `shares`.
    fn json_association(&self, one: &Association<'_>) -> Value {
        let usage = one.row.usage.amount();
        let mut tres_usage = Vec::new();
        if let Some(usage) = usage
            && self.rows.usage_precision != UsagePrecision::Whole
        {
            tres_usage.push(json!({ "name": "billing", "value": usage }));
        }
        let (name, parent, kind) = if one.row.user.is_some() {
            (&one.user, &one.account, "USER")
        } else {
            (&one.account, &one.parent, "ASSOCIATION")
        };
        json!({
            "id": one.row.id,
            "cluster": one.cluster,
            "name": name,
            "parent": parent,
            "partition": one.partition,
            "shares": one.row.shares.map(stored),
            "shares_normalized": self.json_number(Fact::NormShares, one),
            "usage": usage.map(f64::trunc),
            "usage_normalized": self.json_number(Fact::NormUsage, one),
            "effective_usage": self.json_number(Fact::EffectvUsage, one),
            "fairshare": {
                "factor": self.json_number(Fact::FairShare, one),
                "level": self.json_number(Fact::LevelFs, one),
            },
            "tres": {
                "usage": tres_usage,
                "group_minutes": self.json_resources(Fact::GrpTresMins, 1.0, one),
                "run_seconds": self.json_resources(Fact::TresRunMins, 60.0, one),
            },
            "type": [kind],
        })
    }

    /// Writes JSON as `sshare --json` does, in the forms that all data parsers have in common.
    fn json(&self) -> String {
        let mut associations = Vec::with_capacity(self.list.len());
        for association in &self.list {
            associations.push(self.json_association(association));
        }
        let version = self.rows.version.as_deref().unwrap_or_default();
        let cluster = self.list.first().map(|first| first.cluster.as_str());
        json!({
            "shares": { "shares": associations },
            "meta": {
                "slurm": {
                    "release": Pseudonyms::version(version),
                    "cluster": cluster,
                },
            },
            "errors": [],
            "warnings": [],
        })
        .to_string()
    }

    /// Returns a number as the controller prints it, with two decimals.
    fn rounded(&self, fact: Fact, association: &Association<'_>) -> String {
        let number = self.number(fact, association);
        let printed = number.unwrap_or(f64::NAN);
        format!("{printed:.2}")
    }

    /// Writes blocks as `scontrol show assoc_mgr flags=assoc` does, one a line, with the fields that are read.
    fn assoc_mgr(&self) -> String {
        let mut text = "Current Association Manager state\n\nAssociation Records\n\n".to_owned();
        for one in &self.list {
            let Association {
                row,
                cluster,
                account,
                user,
                partition,
                parent,
                ..
            } = one;
            let id = row.id;
            // Writing to a String cannot fail, here and below.
            let _ = write!(
                text,
                "ClusterName={cluster} Account={account} UserName={user} Partition={partition} Priority=0 ID={id}"
            );
            let shares = row.shares.map_or(0, stored);
            let norm_shares = self.rounded(Fact::NormShares, one);
            let factor = self.rounded(Fact::FairShare, one);
            let _ = write!(
                text,
                " SharesRaw/Norm/Level/Factor={shares}/{norm_shares}/0/{factor}"
            );
            let usage = row.usage.amount().unwrap_or(f64::NAN);
            let norm_usage = self.rounded(Fact::NormUsage, one);
            let effective = self.rounded(Fact::EffectvUsage, one);
            let _ = write!(
                text,
                " UsageRaw/Norm/Efctv={usage:.2}/{norm_usage}/{effective} ParentAccount={parent}"
            );
            if row.left > 0 {
                let _ = write!(text, " Lft={}", row.left);
            }
            if self.rows.tie_order == Some(TieOrder::Lineage) {
                text.push_str(" Lineage=/");
            }
            let default = self.text(Fact::DefAssoc, one);
            if !default.is_empty() {
                let _ = write!(text, " DefAssoc={default}");
            }
            let minutes = self.text(Fact::GrpTresMins, one);
            let _ = writeln!(text, " GrpTRESMins={minutes}");
        }
        text
    }
}

/// Returns shares as Slurm stores them, which has a number for `parent`.
fn stored(shares: Shares) -> i64 {
    shares.count().unwrap_or(Shares::STORED_PARENT)
}

/// Returns a number with the digits that were printed of it.
fn printed(figure: Option<Figure>) -> String {
    let Some(Figure { value, decimals }) = figure else {
        return String::new();
    };
    if value.is_infinite() {
        return "inf".to_owned();
    }
    match usize::try_from(decimals) {
        Ok(decimals) if decimals <= 32 => format!("{value:.decimals$}"),
        Ok(_) => value.to_string(),
        // `sshare` has four decimals of a number that is too wide for its column.
        Err(_) => format!("{value:.4e}"),
    }
}

/// An association that is to be placed.
struct Pending {
    /// Its place among the associations.
    place: usize,
    /// How many are above it.
    depth: usize,
}

/// What distinguishes an account from the others.
#[derive(PartialEq, Eq, Hash)]
struct AccountKey {
    /// Its cluster; `None` if the output does not state it.
    cluster: Option<NameId>,
    /// Its name.
    name: NameId,
}

/// Puts associations, whose families are in order, below their accounts. Those whose account is missing are at the top.
fn depth_first(list: Vec<Association<'_>>) -> Vec<Association<'_>> {
    let mut accounts = HashMap::new();
    for (place, association) in list.iter().enumerate() {
        let row = association.row;
        if row.user.is_none() {
            let key = AccountKey {
                cluster: row.cluster,
                name: row.account,
            };
            accounts.entry(key).or_insert(place);
        }
    }
    let mut members = vec![Vec::new(); list.len()];
    let mut tops = Vec::new();
    for (place, association) in list.iter().enumerate() {
        let row = association.row;
        let mut account = None;
        if let Some(name) = row.above() {
            let cluster = row.cluster;
            account = accounts.get(&AccountKey { cluster, name });
        }
        match account {
            Some(&account) if account != place => members[account].push(place),
            _ => tops.push(place),
        }
    }
    // Accounts that are below each other come last, as they are reached from no top.
    tops.extend(0..list.len());
    let mut pending = Vec::new();
    for place in tops.into_iter().rev() {
        pending.push(Pending { place, depth: 0 });
    }
    let mut left = Vec::new();
    for association in list {
        left.push(Some(association));
    }
    let mut ordered = Vec::with_capacity(left.len());
    while let Some(Pending { place, depth }) = pending.pop() {
        let Some(mut association) = left[place].take() else {
            continue;
        };
        association.depth = depth;
        ordered.push(association);
        for &member in members[place].iter().rev() {
            pending.push(Pending {
                place: member,
                depth: depth + 1,
            });
        }
    }
    ordered
}
