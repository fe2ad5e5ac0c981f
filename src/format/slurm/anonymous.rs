//! Outputs of Slurm's commands with pseudonyms, written anew from the associations that were read.

use super::rows::{Row, Rows};
use super::{assoc_mgr, json, sshare};
use crate::format::input::Input;
use crate::format::{Format, LoadResult};
use crate::model::{Fact, Figure, NameId, Named, Pseudonyms, Shares, TieOrder, UsagePrecision};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::ControlFlow;

/// What a column of `sshare` holds.
#[derive(Clone, Copy)]
enum Content {
    /// The account, below its parent by so many blanks.
    Account,
    /// The user; empty for the account itself.
    User,
    /// The cluster.
    Cluster,
    /// The partition of a user's association.
    Partition,
    /// Slurm's number of the association.
    Id,
    /// The raw shares.
    Shares,
    /// The usage, as a whole number.
    Usage,
    /// A number as it was printed.
    Figure(Fact),
    /// Resources with their amounts, or another text.
    Text(Fact),
}

/// A column of `sshare` that is written where the output has it.
struct WrittenColumn {
    /// Its heading.
    heading: &'static str,
    /// Its cells.
    content: Content,
}

/// A column with a heading.
const fn column(heading: &'static str, content: Content) -> WrittenColumn {
    WrittenColumn { heading, content }
}

/// The columns in the order in which they are written.
const COLUMNS: &[WrittenColumn] = &[
    column("Account", Content::Account),
    column("User", Content::User),
    column("Cluster", Content::Cluster),
    column("Partition", Content::Partition),
    column("ID", Content::Id),
    column("RawShares", Content::Shares),
    column("RawUsage", Content::Usage),
    column("NormShares", Content::Figure(Fact::NormShares)),
    column("NormUsage", Content::Figure(Fact::NormUsage)),
    column("EffectvUsage", Content::Figure(Fact::EffectvUsage)),
    column("FairShare", Content::Figure(Fact::FairShare)),
    column("LevelFS", Content::Figure(Fact::LevelFs)),
    column("GrpTRESMins", Content::Text(Fact::GrpTresMins)),
    column("GrpTRESRaw", Content::Text(Fact::GrpTresRaw)),
    column("TRESRunMins", Content::Text(Fact::TresRunMins)),
    column("FairShare Raw", Content::Text(Fact::FairShareRaw)),
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
        self.rows.figures(fact)?.at(association.place)
    }

    /// Returns the number of a column, which may be infinite.
    fn number(&self, fact: Fact, association: &Association<'_>) -> Option<f64> {
        Some(self.figure(fact, association)?.value)
    }

    /// Returns resources with their amounts, or another text of known words; empty if there is none.
    fn text(&self, fact: Fact, association: &Association<'_>) -> String {
        let mut text = "";
        for (own, texts) in &self.rows.texts {
            if *own == fact {
                text = texts.at(association.place).unwrap_or_default();
            }
        }
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
    fn has(&self, content: Content) -> bool {
        let mut rows = self.rows.rows.iter();
        match content {
            Content::Account | Content::User => true,
            Content::Cluster => rows.any(|row| row.cluster.is_some()),
            Content::Partition => rows.any(|row| row.partition.is_some()),
            Content::Id => rows.any(|row| row.id > 0),
            Content::Shares => rows.any(|row| row.shares.is_some()),
            Content::Usage => rows.any(|row| row.usage.amount().is_some()),
            Content::Figure(fact) => self.rows.figures(fact).is_some(),
            Content::Text(fact) => self.rows.texts.iter().any(|(own, _)| *own == fact),
        }
    }

    /// Returns the cell of a column.
    fn cell(&self, content: Content, association: &Association<'_>) -> String {
        let row = association.row;
        match content {
            Content::Account => {
                let indentation = " ".repeat(association.depth);
                format!("{indentation}{}", association.account)
            }
            Content::User => association.user.clone(),
            Content::Cluster => association.cluster.clone(),
            Content::Partition => association.partition.clone(),
            Content::Id => row.id.to_string(),
            Content::Shares => match row.shares {
                Some(shares) => shares.to_string(),
                None => String::new(),
            },
            Content::Usage => match row.usage.amount() {
                Some(usage) => format!("{usage:.0}"),
                None => String::new(),
            },
            Content::Figure(fact) => printed(self.figure(fact, association)),
            Content::Text(fact) => self.text(fact, association),
        }
    }

    /// Writes a table as `sshare -P` does, with the columns that the output has.
    fn sshare(&self) -> String {
        let mut columns: Vec<&WrittenColumn> = COLUMNS.iter().collect();
        columns.retain(|column| self.has(column.content));
        let headings: Vec<&str> = columns.iter().map(|column| column.heading).collect();
        let mut text = headings.join("|");
        text.push('\n');
        for association in &self.list {
            let mut bar = "";
            for column in &columns {
                text.push_str(bar);
                text.push_str(&self.cell(column.content, association));
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
        for entry in self.text(fact, association).split(',') {
            if let Some((name, amount)) = entry.rsplit_once('=')
                && let Ok(amount) = amount.parse::<f64>()
            {
                resources.push(json!({ "name": name, "value": amount * factor }));
            }
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
        format!("{:.2}", number.unwrap_or(f64::NAN))
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

/// An account of a cluster.
type AccountKey = (Option<NameId>, NameId);

/// Puts associations, whose families are in order, below their accounts. Those whose account is missing are at the top.
fn depth_first(list: Vec<Association<'_>>) -> Vec<Association<'_>> {
    let mut accounts: HashMap<AccountKey, usize> = HashMap::new();
    for (place, Association { row, .. }) in list.iter().enumerate() {
        if row.user.is_none() {
            accounts.entry((row.cluster, row.account)).or_insert(place);
        }
    }
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); list.len()];
    let mut tops = Vec::new();
    for (place, Association { row, .. }) in list.iter().enumerate() {
        let account = match row.above() {
            Some(above) => accounts.get(&(row.cluster, above)),
            None => None,
        };
        match account {
            Some(&account) if account != place => members[account].push(place),
            _ => tops.push(place),
        }
    }
    // Accounts that are below each other come last, as they are reached from no top.
    let mut pending: Vec<Pending> = Vec::new();
    for place in (0..list.len()).rev() {
        pending.push(Pending { place, depth: 0 });
    }
    for place in tops.into_iter().rev() {
        pending.push(Pending { place, depth: 0 });
    }
    let mut left: Vec<Option<Association<'_>>> = list.into_iter().map(Some).collect();
    let mut ordered = Vec::with_capacity(left.len());
    while let Some(Pending { place, depth }) = pending.pop() {
        let Some(mut association) = left[place].take() else {
            continue;
        };
        association.depth = depth;
        ordered.push(association);
        for &member in members[place].iter().rev() {
            let depth = depth + 1;
            pending.push(Pending {
                place: member,
                depth,
            });
        }
    }
    ordered
}
