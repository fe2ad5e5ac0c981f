//! Outputs of Slurm's commands with pseudonyms, written anew from the associations that were read.

use super::rows::{Row, Rows};
use super::{assoc_mgr, json, sshare};
use crate::format::input::Input;
use crate::format::{Format, LoadResult};
use crate::model::{Fact, Figure, NameId, Named, Pseudonyms, Shares, TieOrder, UsagePrecision};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::ControlFlow;

/// The columns of `sshare` that are written, each where the output has it.
const FIGURES: [(&str, Fact); 5] = [
    ("NormShares", Fact::NormShares),
    ("NormUsage", Fact::NormUsage),
    ("EffectvUsage", Fact::EffectvUsage),
    ("FairShare", Fact::FairShare),
    ("LevelFS", Fact::LevelFs),
];
const RESOURCES: [(&str, Fact); 3] = [
    ("GrpTRESMins", Fact::GrpTresMins),
    ("GrpTRESRaw", Fact::GrpTresRaw),
    ("TRESRunMins", Fact::TresRunMins),
];

/// Returns the associations of `sshare`, its JSON or the controller with pseudonyms, in the same form.
pub(in crate::format) fn anonymised(input: &Input, pseudonyms: &Pseudonyms) -> LoadResult<Vec<u8>> {
    let report = &mut |_: &_| ControlFlow::Continue(());
    let rows = match input.path.to_str() {
        Some("sshare.json") => json::read(input, report)?,
        Some("assoc_mgr.txt") => assoc_mgr::read(input, report)?,
        _ => sshare::read(input, report)?,
    };
    let output = Anonymous::of(&rows, pseudonyms);
    Ok(match rows.format {
        Format::SlurmJson => output.json(),
        Format::AssocMgr => output.assoc_mgr(),
        _ => output.sshare(),
    }
    .into_bytes())
}

/// An association under its pseudonyms.
struct Association {
    /// Its place among the rows.
    row: usize,
    depth: usize,
    cluster: String,
    account: String,
    user: String,
    partition: String,
    parent: String,
}

/// The associations of an output in the order of their pseudonyms, accounts depth first.
struct Anonymous<'a> {
    rows: &'a Rows,
    pseudonyms: &'a Pseudonyms,
    list: Vec<Association>,
}

impl<'a> Anonymous<'a> {
    fn of(rows: &'a Rows, pseudonyms: &'a Pseudonyms) -> Self {
        let text = |named, name: Option<NameId>| {
            let name = name.map_or(&b""[..], |name| rows.names.names().bytes(name));
            pseudonyms.of(named, name)
        };
        let association = |(place, row): (usize, &Row)| Association {
            row: place,
            depth: 0,
            cluster: text(Named::Cluster, row.cluster),
            account: text(Named::Account, Some(row.account)),
            user: text(Named::User, row.user),
            partition: text(Named::Partition, row.partition),
            parent: text(Named::Account, row.parent),
        };
        let mut list: Vec<Association> = rows.rows.iter().enumerate().map(association).collect();
        // Users come before the accounts beside them.
        list.sort_by(|a, b| {
            let key = |one: &Association| (one.user.is_empty(), rows.rows[one.row].user.is_none());
            (&a.cluster, key(a))
                .cmp(&(&b.cluster, key(b)))
                .then_with(|| (&a.user, &a.account).cmp(&(&b.user, &b.account)))
                .then_with(|| (&a.partition, a.row).cmp(&(&b.partition, b.row)))
        });
        let list = depth_first(list, rows);
        Self {
            rows,
            pseudonyms,
            list,
        }
    }

    fn row(&self, association: &Association) -> &Row {
        &self.rows.rows[association.row]
    }

    fn figure(&self, fact: Fact, association: &Association) -> Option<Figure> {
        self.rows.figures(fact)?.at(association.row)
    }

    /// Returns resources with their amounts, or another text of known words; empty if there is none.
    fn text(&self, fact: Fact, association: &Association) -> String {
        let mut columns = self.rows.texts.iter();
        let column = columns.find(|(own, _)| *own == fact);
        let text = column.and_then(|(_, texts)| texts.at(association.row));
        let text = text.unwrap_or_default();
        match fact {
            // The reader takes nothing but a number in hexadecimal digits.
            Fact::FairShareRaw => text.to_owned(),
            Fact::DefAssoc if ["Yes", "No"].contains(&text) => text.to_owned(),
            Fact::GrpTresMins | Fact::GrpTresRaw | Fact::TresRunMins => {
                self.pseudonyms.resources(text)
            }
            _ => String::new(),
        }
    }

    fn has_text(&self, fact: Fact) -> bool {
        self.rows.texts.iter().any(|(own, _)| *own == fact)
    }

    /// Writes a table as `sshare -P` does, with the columns that the output has.
    fn sshare(&self) -> String {
        type Cell<'c> = Box<dyn Fn(&Association) -> String + 'c>;
        let mut columns: Vec<(&str, Cell<'_>)> = Vec::new();
        let any = |is_given: fn(&Row) -> bool| self.rows.rows.iter().any(is_given);
        columns.push((
            "Account",
            Box::new(|one| format!("{}{}", " ".repeat(one.depth), one.account)),
        ));
        columns.push(("User", Box::new(|one| one.user.clone())));
        if any(|row| row.cluster.is_some()) {
            columns.push(("Cluster", Box::new(|one| one.cluster.clone())));
        }
        if any(|row| row.partition.is_some()) {
            columns.push(("Partition", Box::new(|one| one.partition.clone())));
        }
        if any(|row| row.id > 0) {
            columns.push(("ID", Box::new(|one| self.row(one).id.to_string())));
        }
        if any(|row| row.shares.is_some()) {
            columns.push((
                "RawShares",
                Box::new(|one| {
                    let shares = self.row(one).shares;
                    shares.map(|shares| shares.to_string()).unwrap_or_default()
                }),
            ));
        }
        if any(|row| row.usage.amount().is_some()) {
            columns.push((
                "RawUsage",
                Box::new(|one| {
                    let usage = self.row(one).usage.amount();
                    usage.map(|usage| format!("{usage:.0}")).unwrap_or_default()
                }),
            ));
        }
        for (name, fact) in FIGURES {
            if self.rows.figures(fact).is_some() {
                columns.push((name, Box::new(move |one| printed(self.figure(fact, one)))));
            }
        }
        let raw = ("FairShare Raw", Fact::FairShareRaw);
        for (name, fact) in RESOURCES.into_iter().chain([raw]) {
            if self.has_text(fact) {
                columns.push((name, Box::new(move |one| self.text(fact, one))));
            }
        }
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        let mut made = names.join("|");
        made.push('\n');
        for one in &self.list {
            let cells = columns.iter().map(|(_, cell)| cell(one));
            made.push_str(&cells.collect::<Vec<_>>().join("|"));
            made.push('\n');
        }
        made
    }

    /// Writes JSON as `sshare --json` does, in the forms that all data parsers have in common.
    fn json(&self) -> String {
        let number = |fact, one: &Association| {
            // JSON has no infinity, and Slurm writes the word.
            match self.figure(fact, one).map(|figure| figure.value) {
                Some(value) if value.is_infinite() => serde_json::json!("Infinity"),
                value => serde_json::json!(value),
            }
        };
        let resources = |fact, scale: f64, one: &Association| {
            let text = self.text(fact, one);
            let resources = text.split(',').filter_map(|entry| entry.rsplit_once('='));
            let resources = resources.filter_map(|(name, amount)| {
                let value = amount.parse::<f64>().ok()? * scale;
                Some(serde_json::json!({ "name": name, "value": value }))
            });
            resources.collect::<Vec<_>>()
        };
        let has_billing = self.rows.usage_precision != UsagePrecision::Whole;
        let associations = self.list.iter().map(|one| {
            let row = self.row(one);
            let is_user = row.user.is_some();
            let usage = row.usage.amount();
            let billing = usage.filter(|_| has_billing);
            let billing =
                billing.map(|value| serde_json::json!({ "name": "billing", "value": value }));
            let (name, parent) = if is_user {
                (&one.user, &one.account)
            } else {
                (&one.account, &one.parent)
            };
            serde_json::json!({
                "id": row.id,
                "cluster": one.cluster,
                "name": name,
                "parent": parent,
                "partition": one.partition,
                "shares": row.shares.map(stored),
                "shares_normalized": number(Fact::NormShares, one),
                "usage": usage.map(f64::trunc),
                "usage_normalized": number(Fact::NormUsage, one),
                "effective_usage": number(Fact::EffectvUsage, one),
                "fairshare": {
                    "factor": number(Fact::FairShare, one),
                    "level": number(Fact::LevelFs, one),
                },
                "tres": {
                    "usage": billing.into_iter().collect::<Vec<_>>(),
                    "group_minutes": resources(Fact::GrpTresMins, 1.0, one),
                    "run_seconds": resources(Fact::TresRunMins, 60.0, one),
                },
                "type": [if is_user { "USER" } else { "ASSOCIATION" }],
            })
        });
        let associations: Vec<serde_json::Value> = associations.collect();
        let version = self.rows.version.as_deref().unwrap_or_default();
        let cluster = self.list.first().map(|one| one.cluster.as_str());
        serde_json::json!({
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

    /// Writes blocks as `scontrol show assoc_mgr flags=assoc` does, one a line, with the fields that are read.
    fn assoc_mgr(&self) -> String {
        let mut made = "Current Association Manager state\n\nAssociation Records\n\n".to_owned();
        let has_lineage = self.rows.tie_order == Some(TieOrder::Lineage);
        for one in &self.list {
            let row = self.row(one);
            let number = |fact| {
                let value = self.figure(fact, one).map(|figure| figure.value);
                format!("{:.2}", value.unwrap_or(f64::NAN))
            };
            // Writing to a String cannot fail, here and below.
            let _ = write!(
                made,
                "ClusterName={} Account={} UserName={} Partition={} Priority=0 ID={} \
                 SharesRaw/Norm/Level/Factor={}/{}/0/{} UsageRaw/Norm/Efctv={:.2}/{}/{}",
                one.cluster,
                one.account,
                one.user,
                one.partition,
                row.id,
                row.shares.map_or(0, stored),
                number(Fact::NormShares),
                number(Fact::FairShare),
                row.usage.amount().unwrap_or(f64::NAN),
                number(Fact::NormUsage),
                number(Fact::EffectvUsage),
            );
            let left = (row.left > 0).then(|| row.left.to_string());
            let lineage = has_lineage.then(|| "/".to_owned());
            let default = self.text(Fact::DefAssoc, one);
            let minutes = self.text(Fact::GrpTresMins, one);
            for (key, value) in [
                ("ParentAccount", Some(one.parent.clone())),
                ("Lft", left),
                ("Lineage", lineage),
                ("DefAssoc", Some(default).filter(|word| !word.is_empty())),
                ("GrpTRESMins", Some(minutes)),
            ] {
                if let Some(value) = value {
                    let _ = write!(made, " {key}={value}");
                }
            }
            made.push('\n');
        }
        made
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
    match usize::try_from(decimals) {
        _ if value.is_infinite() => "inf".to_owned(),
        Ok(decimals) if decimals <= 32 => format!("{value:.decimals$}"),
        Ok(_) => value.to_string(),
        // `sshare` has four decimals of a number that is too wide for its column.
        Err(_) => format!("{value:.4e}"),
    }
}

/// Puts associations, whose families are in order, below their accounts. Those whose account is missing are at the top.
fn depth_first(list: Vec<Association>, rows: &Rows) -> Vec<Association> {
    let mut accounts: HashMap<(Option<NameId>, NameId), usize> = HashMap::new();
    for (place, one) in list.iter().enumerate() {
        let row = &rows.rows[one.row];
        if row.user.is_none() {
            accounts.entry((row.cluster, row.account)).or_insert(place);
        }
    }
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); list.len()];
    let mut pending = Vec::new();
    for (place, one) in list.iter().enumerate() {
        let row = &rows.rows[one.row];
        let above = row
            .above()
            .and_then(|above| accounts.get(&(row.cluster, above)));
        match above.filter(|&&above| above != place) {
            Some(&above) => members[above].push(place),
            None => pending.push((place, 0)),
        }
    }
    pending.reverse();
    let mut list: Vec<Option<Association>> = list.into_iter().map(Some).collect();
    let mut made = Vec::with_capacity(list.len());
    // Accounts that are below each other come last, as they are reached from no top.
    let mut next = 0;
    loop {
        while let Some((place, depth)) = pending.pop() {
            if let Some(mut one) = list[place].take() {
                one.depth = depth;
                made.push(one);
                let below = members[place].iter().rev();
                pending.extend(below.map(|&member| (member, depth + 1)));
            }
        }
        match list[next..].iter().position(Option::is_some) {
            Some(left) => {
                next += left;
                pending.push((next, 0));
            }
            None => return made,
        }
    }
}
