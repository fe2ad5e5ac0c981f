//! Reads a tree and its settings.

use super::document::{Document, plain};
use super::rows::{TreeRow, amount};
use super::write::default_root;
use crate::base::number::amount as amount_for_people;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::flux;
use crate::format::input::{Input, Meter};
use crate::format::problem::Place;
use crate::format::stated::{self, StatedSum, SumSource};
use crate::format::{Format, LoadError, LoadResult, Loaded, OnProgress, Request};
use crate::model::{
    Amounts, BinRow, Bins, FairShare, JOB_RESOURCES, Kind, Moment, NodeId, Position, Recorded,
    Scheduler, Settings, Shares, Snapshot, Tree, TreeBuilder, Usage, UsageState, moment_of,
};
use crate::rules::policy::Policy;
use crate::rules::policy::formula::{FORMULA, Formula};
use jiff::tz::TimeZone;
use std::sync::Arc;
use toml::de::DeTable;

pub(super) fn parse<'a>(
    mut document: Document<'a>,
    top: &DeTable<'a>,
    request: &Request,
    report: OnProgress<'_>,
) -> LoadResult<Loaded> {
    let file = document.problems.file.clone();
    let Some(table) = document.table(top, "tree") else {
        let what = if top.contains_key("tree") {
            "tree is not a table; write [tree] on a line of its own and below it rows = '''...'''"
        } else {
            "[tree] and [source] are missing; expected a tree with rows, or a scenario with the path of its source"
        };
        return Err(LoadError::Refused(sentence!("{file}: {what}")));
    };
    document.check_keys(table, "root rows recorded jobs");
    let ignored = "the tree is read without a scheduler";
    let advice = "write pbs, slurm or flux".into();
    let problem = ("toml-unknown-scheduler", ignored, advice);
    let scheduler = document.named(top, "scheduler", Scheduler::named, problem);
    let mut settings = Settings {
        scheduler,
        ..Settings::default()
    };
    let sets_unknown = configure(&mut document, top, &mut settings);
    let is_pbs = settings.scheduler == Some(Scheduler::Pbs);
    let mut reader = TreeReader::new(document, table, is_pbs);
    reader.rows(table, report)?;
    let unknown = is_pbs.then(|| reader.unknown(&settings));
    if let (Some(unknown), true) = (unknown, sets_unknown) {
        reader.settle_unknown(unknown, settings.pbs.unknown_shares);
    }
    reader.records(table);
    if let Some(unknown) = unknown {
        reader.builder.follow_pbs(unknown);
    }
    let mut tree = reader.builder.build();
    let mut document = reader.document;
    let mut recorded = reader.recorded;
    if !reader.bins.is_empty() {
        set_bins(&mut tree, &mut recorded, &reader.bins);
    }
    jobs(&mut document, table, request, &tree, &mut recorded)?;
    if let Some(count) = unknown.and_then(|unknown| tree.shares(unknown).count())
        && !sets_unknown
    {
        // PBS has one number for both.
        settings.pbs.unknown_shares = i32::try_from(count).unwrap_or(i32::MAX);
    }
    let counted = if is_pbs {
        SumSource::Users
    } else {
        SumSource::Stated
    };
    stated::check(&tree, &reader.stated, counted, &mut document.problems);
    let mut source = request.file_source(Format::Toml);
    let unit = document.string(top, "usage_unit");
    let unit = unit.or_else(|| is_pbs.then_some(&*settings.pbs.fairshare_usage_res));
    unit.unwrap_or_default().clone_into(&mut source.usage_unit);
    source.taken = moment(&mut document, top, "taken", &TimeZone::UTC);
    let policy = policy(&mut document, top);
    let snapshot = Snapshot::new(tree, settings, source, recorded);
    Ok(Loaded {
        policy,
        ..Loaded::new(snapshot, document.problems)
    })
}

pub(super) fn policy<'a>(document: &mut Document<'a>, table: &DeTable<'a>) -> Option<Policy> {
    let known: Vec<_> = Policy::ALL.iter().map(|policy| policy.name()).collect();
    let advice = sentence!("expected one of {}", known.join(", "));
    let problem = ("toml-unknown-policy", "it is ignored", advice);
    document.named(table, "policy", Policy::named, problem)
}

/// Reads a moment in Unix seconds. One that is none is a problem.
pub(super) fn moment<'a>(
    document: &mut Document<'a>,
    table: &DeTable<'a>,
    key: &str,
    zone: &TimeZone,
) -> Option<i64> {
    let value = table.get(key)?;
    let text = plain(value.get_ref()).unwrap_or_default();
    let moment = moment_of(&text, zone);
    if moment.is_err() {
        let (key, text) = (shown(key.as_bytes()), shown(text.as_bytes()));
        let message = sentence!("{key} is {text}, which is not a time; it is not read");
        let advice = "write a time such as 2026-11-21T00:00:00Z";
        document.warn(value, "toml-bad-time", message, advice);
    }
    moment.ok().map(Moment::usual)
}

/// Records the bins of the rows, as a database of flux-accounting has them.
fn set_bins(tree: &mut Tree, recorded: &mut Recorded, rows: &[BinRow]) {
    let bins = Arc::new(Bins::of(tree.id_count(), rows));
    recorded.set_bins(Arc::clone(&bins));
    let ids = (0..tree.id_count()).map(NodeId::from_index);
    let amounts = ids.map(|id| tree.usage(id).amount().unwrap_or(0.0));
    let state = UsageState::of(tree, Amounts::Doubles(amounts.collect()));
    tree.set_usage_state(Some(state.with_bins(bins)));
}

/// Reads the finished jobs of Flux, which are written as CSV.
fn jobs<'a>(
    document: &mut Document<'a>,
    table: &DeTable<'a>,
    request: &Request,
    tree: &Tree,
    recorded: &mut Recorded,
) -> LoadResult<()> {
    let (Some(value), Some(text)) = (table.get("jobs"), document.string(table, "jobs")) else {
        return Ok(());
    };
    // As many empty lines as there are before it, so that a problem has its line of the file.
    let above = document.first_line(value).saturating_sub(1);
    let mut csv = vec![b'\n'; usize::try_from(above).unwrap_or(0)];
    csv.extend_from_slice(text.as_bytes());
    let input = Input::of(request.path(), csv, None);
    flux::jobs::read(&input, tree, recorded, &mut document.problems)
}

struct TreeReader<'a> {
    document: Document<'a>,
    builder: TreeBuilder,
    is_pbs: bool,
    /// By row number, the root first; `None` for a row that was left out.
    rows: Vec<Option<UsageRow>>,
    /// The usage that rows state for accounts with members.
    stated: Vec<StatedSum>,
    recorded: Recorded,
    bins: Vec<BinRow>,
}

/// The usage in a row of the tree.
#[derive(Clone, Copy)]
struct UsageRow {
    node: NodeId,
    usage: Usage,
    /// 0 for the root, which need not have a line.
    line: u64,
}

impl<'a> TreeReader<'a> {
    fn new(mut document: Document<'a>, table: &DeTable<'a>, is_pbs: bool) -> Self {
        let text = document.string(table, "root");
        let parsed = TreeRow::parse(text.unwrap_or_else(|| default_root(is_pbs)));
        let row = parsed.unwrap_or_else(|(_, error)| {
            if let Some(value) = table.get("root") {
                let message = sentence!("{error}; the default root is used");
                let advice = "write the root as in \"root 1\"";
                document.refuse(value, "toml-bad-row", message, advice);
            }
            TreeRow::parse(default_root(is_pbs))
                .expect("a root needs a name and a number of shares")
        });
        let mut reader = Self {
            document,
            builder: TreeBuilder::new(&row.name),
            is_pbs,
            rows: Vec::new(),
            stated: Vec::new(),
            recorded: Recorded::default(),
            bins: Vec::new(),
        };
        reader.settle_row(NodeId::ROOT, &row, 0);
        reader
    }

    /// Sets everything of a node but its usage, which is recorded in order at the end.
    fn settle_row(&mut self, node: NodeId, row: &TreeRow<'_>, line: u64) {
        let shares = row.shares.unwrap_or(Shares::new(1));
        self.builder.set_shares(node, shares);
        if row.shares.is_none() {
            self.recorded.without_shares.push(node);
        }
        if row.group != 0 {
            self.builder.set_group(node, row.group);
        }
        if let Some(partition) = &row.partition {
            self.builder.set_partition(node, partition);
        }
        if let Some(active) = row.active {
            self.builder.set_active(node, active);
        }
        let mut usage = row.usage;
        if !row.bins.is_empty() {
            usage = self.bins(node, row, line);
        }
        self.rows.push(Some(UsageRow { node, usage, line }));
    }

    /// Takes the bins of a row and returns its usage: what it states, or else the sum of the bins.
    fn bins(&mut self, node: NodeId, row: &TreeRow<'_>, line: u64) -> Usage {
        let bins = (0..).zip(&row.bins);
        self.bins.extend(bins.map(|(period, &usage)| BinRow {
            node,
            period,
            usage,
        }));
        let sum: f64 = row.bins.iter().sum();
        let Some(stated) = row.usage.amount() else {
            return Usage::new(sum);
        };
        if (stated - sum).abs() > stated.max(sum) * 1e-6 {
            let [given, total] = [stated, sum].map(amount_for_people);
            let message = sentence!("the usage is {given}, but the bins add up to {total}");
            let advice = "correct one of them, or write - for the usage";
            let problems = &mut self.document.problems;
            problems.warn(line, "toml-bins-sum", message, advice);
        }
        row.usage
    }

    fn rows(&mut self, table: &DeTable<'_>, report: OnProgress<'_>) -> LoadResult<()> {
        let Some(value) = table.get("rows") else {
            let message = "[tree] has no rows, so the tree is only a root";
            let advice = "write rows = '''...''' with one node on each line";
            let problems = &mut self.document.problems;
            problems.warn(Place::WHOLE, "toml-bad-row", message, advice);
            return Ok(());
        };
        let Some(text) = value.get_ref().as_str() else {
            let message = "rows is not text, so the tree is only a root".into();
            self.refuse(Place::WHOLE, message, "write the rows between ''' and '''");
            return Ok(());
        };
        self.builder.reserve(text.len() / 16);
        self.rows.reserve(text.len() / 16);
        // The accounts that the next row may belong to: the indentation of each, and its node.
        let mut line: Vec<(usize, NodeId)> = Vec::new();
        let first = self.document.first_line(value);
        let file = self.document.problems.file.clone();
        let mut meter = Meter::new(file, Some(text.len() as u64), report);
        for (number, row) in (first..).zip(text.lines()) {
            let read = row.as_ptr().addr() - text.as_ptr().addr();
            meter.at(read as u64, self.builder.len())?;
            self.row(number, row, &mut line);
        }
        Ok(())
    }

    fn row(&mut self, number: u64, row: &str, line: &mut Vec<(usize, NodeId)>) {
        let text = row.trim_start_matches([' ', '\t']);
        if text.is_empty() || text.starts_with('#') {
            return;
        }
        let mut indent = row.len() - text.len();
        let mut row_at = indent;
        if let Some(leveled) = text.strip_prefix('@') {
            let (level, after) = leveled.split_once([' ', '\t']).unwrap_or((leveled, ""));
            row_at = row.len() - after.trim_start_matches([' ', '\t']).len();
            match level.parse::<usize>() {
                Ok(level) if level >= 1 && level <= line.len() + 1 => {
                    line.truncate(level - 1);
                    indent = indent.max(line.last().map_or(0, |&(above, _)| above + 1));
                }
                _ => {
                    let message = sentence!(
                        "the level {} has no account above it; the row was left out",
                        shown(level.as_bytes())
                    );
                    self.rows.push(None);
                    let advice = "levels count from 1 below the root and grow by one; put the name in quotes if it begins with @";
                    return self.refuse((number, indent as u64 + 1), message, advice);
                }
            }
        } else {
            while line.pop_if(|&mut (above, _)| above >= indent).is_some() {}
        }
        let row = match TreeRow::parse(&row[row_at..]) {
            Ok(row) => row,
            Err((at, message)) => {
                self.rows.push(None);
                let message = sentence!("{message}; the row was left out");
                let advice = "write rows as in: alice 2 1200.5";
                let column = (row_at + at) as u64 + 1;
                return self.refuse((number, column), message, advice);
            }
        };
        let parent = line.last().map_or(NodeId::ROOT, |&(_, parent)| parent);
        if self.builder.kind(parent) == Kind::User {
            self.builder.set_kind(parent, Kind::Account);
        }
        let name = self.builder.intern(&row.name);
        let kind = row.kind.unwrap_or(Kind::User);
        let node = self.builder.push(parent, name, kind, Position::Last);
        self.settle_row(node, &row, number);
        line.push((indent, node));
    }

    /// Returns the group `unknown` of a PBS tree: its row, or a new node after all others.
    fn unknown(&mut self, settings: &Settings) -> NodeId {
        let builder = &mut self.builder;
        let is_unknown = |&node: &NodeId| {
            builder.parent(node) == Some(NodeId::ROOT) && builder.name(node) == b"unknown"
        };
        let mut nodes = (1..builder.len()).map(NodeId::from_index);
        if let Some(node) = nodes.find(is_unknown) {
            return node;
        }
        let name = builder.intern(b"unknown");
        let node = builder.push(NodeId::ROOT, name, Kind::Account, Position::Last);
        builder.set_group(node, 1);
        let shares = i64::from(settings.pbs.unknown_shares);
        builder.set_shares(node, Shares::new(shares));
        node
    }

    /// Gives the group `unknown` the shares of the setting. A row with others is reported: PBS has one number for both.
    fn settle_unknown(&mut self, unknown: NodeId, set: i32) {
        let set = Shares::new(i64::from(set));
        let stated = self.builder.shares(unknown);
        if stated == set {
            return;
        }
        self.builder.set_shares(unknown, set);
        let mut rows = self.rows.iter().flatten();
        let line = rows.find(|row| row.node == unknown).map(|row| row.line);
        let place = line.map_or(Place::WHOLE, Place::from);
        let message = sentence!(
            "the row unknown has {stated} shares, but unknown_shares is {set}; PBS has one number for both, and the \
             setting is used"
        );
        let advice = "correct one of the two, or remove unknown_shares";
        let problems = &mut self.document.problems;
        problems.warn(place, "toml-unknown-shares", message, advice);
    }

    /// Records the usage: first in the listed order, and the rest in the order of the rows.
    fn records(&mut self, table: &DeTable<'a>) {
        let mut is_recorded = vec![false; self.builder.len()];
        if let Some(value) = table.get("recorded") {
            let first = self.document.first_line(value);
            let text = self.document.string(table, "recorded");
            for (number, line) in (first..).zip(text.unwrap_or_default().lines()) {
                for token in line.split_ascii_whitespace() {
                    if let Some((node, amount, is_odd)) = self.record(token) {
                        is_recorded[node.index()] = true;
                        let adds = is_odd == self.builder.has_children(node);
                        self.builder.record(node, amount, adds);
                    } else {
                        let message = sentence!(
                            "{} is not a row with usage; the record was left out",
                            shown(token.as_bytes())
                        );
                        let advice = "write row numbers as in 4 or 4=12.5, or remove recorded to count in the order of the rows";
                        self.refuse(number, message, advice);
                    }
                }
            }
        }
        for UsageRow { node, usage, line } in std::mem::take(&mut self.rows).into_iter().flatten() {
            let (false, Some(amount)) = (is_recorded[node.index()], usage.amount()) else {
                continue;
            };
            let has_members = self.builder.has_children(node);
            if has_members {
                self.stated.push(StatedSum {
                    account: node,
                    usage: amount,
                    line,
                });
            }
            if self.builder.kind(node) == Kind::User || self.is_pbs && !has_members {
                self.builder.record(node, amount, true);
            } else if !self.is_pbs {
                self.builder.set_usage(node, usage);
            }
        }
    }

    /// Reads `ROW`, `ROW=AMOUNT`, each with an optional `~` at the end.
    fn record(&self, token: &str) -> Option<(NodeId, f64, bool)> {
        let plain = token.strip_suffix('~');
        let mut fields = plain.unwrap_or(token).splitn(2, '=');
        let row = fields.next()?.parse::<usize>().ok()?;
        let UsageRow { node, usage, .. } = (*self.rows.get(row)?)?;
        let stated = fields.next();
        let amount = stated.map_or_else(|| usage.amount(), amount)?;
        Some((node, amount, plain.is_some()))
    }

    fn refuse(&mut self, place: impl Into<Place>, message: Shown, advice: &'static str) {
        let problems = &mut self.document.problems;
        problems.refuse(place, "toml-bad-row", message, advice);
    }
}

/// How many resources of the file itself are named in messages about unknown keys.
const MOST_NAMED: usize = 64;

/// Settings in a file that `--set` does not know: PBS's state beside them.
const STATE_KEYS: &[&str] = &["fair_share_prime", "fair_share_non_prime", "last_decay"];

/// Reads `[settings]`, and returns whether `unknown_shares` was among them.
fn configure<'a>(document: &mut Document<'a>, top: &DeTable<'a>, settings: &mut Settings) -> bool {
    let Some(table) = document.table(top, "settings") else {
        return false;
    };
    let mut known: Vec<&str> = Settings::keys().collect();
    known.extend(STATE_KEYS.iter().chain(JOB_RESOURCES));
    // A site has resources of its own, of which a few are named beside the other keys.
    let is_own = |key: &str| Settings::expected(key).is_some();
    let keys = table.keys().map(|key| -> &str { key.get_ref() });
    let mut named = known.clone();
    named.extend(keys.filter(|key| is_own(key)).take(MOST_NAMED));
    document.check_other_keys(table, &named, is_own);
    for (key, value) in table {
        let key: &str = key.get_ref();
        if !known.contains(&key) && !is_own(key) {
            continue;
        }
        let text = plain(value.get_ref()).unwrap_or_default();
        let odd = if set_state(settings, key, &text).is_some() {
            no_decay(settings, key).map(Shown::from)
        } else if STATE_KEYS.contains(&key) {
            let text = shown(text.as_bytes());
            Some(sentence!("{key} cannot be {text}; the default is used"))
        } else {
            let refused = settings.set(key, &text).err();
            refused.map(|error| sentence!("{error}; the default is used"))
        };
        if let Some(message) = odd {
            let advice = "correct the value, or remove the line";
            document.warn(value, "toml-bad-setting", message, advice);
        }
    }
    if let Some((_, value)) = table.iter().find(|(key, _)| key.get_ref() == FORMULA)
        && let Err(error) = Formula::of(settings)
    {
        settings.formula.set = None;
        let (column, why) = (error.span().start + 1, error.sentence());
        let message = sentence!("{FORMULA}, column {column} of it: {why}; the formula is ignored");
        let advice = "correct the formula, or remove the line";
        document.warn(value, "toml-bad-setting", message, advice);
    }
    table.contains_key("unknown_shares")
}

/// Sets a value that PBS may hold although `--set` would refuse it. Returns `None` if it is none.
fn set_state(settings: &mut Settings, key: &str, text: &str) -> Option<()> {
    let pbs = &mut settings.pbs;
    let known = |fair_share| match fair_share {
        FairShare::Assumed => FairShare::Never,
        stated => stated,
    };
    match key {
        // The two halves of `fair_share`. A half that is not named is off, as in PBS.
        "fair_share_prime" => {
            let non_prime = known(pbs.fair_share).is_on_in_non_prime();
            pbs.fair_share = FairShare::of(text.parse().ok()?, non_prime);
        }
        "fair_share_non_prime" => {
            let prime = known(pbs.fair_share).is_on_in_prime();
            pbs.fair_share = FairShare::of(prime, text.parse().ok()?);
        }
        "last_decay" => pbs.last_decay = text.parse().ok()?,
        "unknown_shares" => pbs.unknown_shares = text.parse().ok()?,
        "fairshare_decay_factor" => {
            // PBS also accepts a factor that is no number.
            let factor: f32 = text.parse().ok()?;
            let is_held = factor.is_nan() || (factor > 0.0 && factor < 1.0);
            pbs.fairshare_decay_factor = Some(factor).filter(|_| is_held)?;
        }
        "fairshare_decay_time" => pbs.fairshare_decay_time = text.parse().ok()?,
        "fairshare_entity" => text.clone_into(&mut pbs.fairshare_entity),
        "fairshare_usage_res" => text.clone_into(&mut pbs.fairshare_usage_res),
        _ => return None,
    }
    Some(())
}

/// Returns the effect of a decay setting that PBS accepts and nobody can mean, or `None` for other settings.
fn no_decay(settings: &Settings, key: &str) -> Option<&'static str> {
    let pbs = &settings.pbs;
    match key {
        "fairshare_decay_factor" if pbs.fairshare_decay_factor.is_nan() => {
            Some("fairshare_decay_factor is not a number; every usage becomes 1 at the next decay")
        }
        "fairshare_decay_time" if pbs.fairshare_decay_time <= 0 => {
            Some("fairshare_decay_time is not above 0; PBS never decays usage then")
        }
        _ => None,
    }
}
