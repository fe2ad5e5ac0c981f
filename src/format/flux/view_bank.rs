//! The table of `flux account view-bank ROOT -t`, with or without `-P`, and of the old `flux account-shares`.
//!
//! Every user may print it, while the database is only for administrators. Banks are indented by their depth, and the
//! row of a user repeats the name of its bank, one blank deeper.

mod row;

use super::number::{leading_count, leading_number};
use super::{Inactive, snapshot};
use crate::base::shown::{sentence, shown, shown_text};
use crate::format::input::{Input, Meter, without_mark};
use crate::format::{Format, LoadError, Loaded, OnProgress, Problems, Request};
use crate::model::{
    Fact, Figure, Kind, NodeId, Position, Recorded, Settings, Shares, TreeBuilder, UsagePrecision,
};
use row::{BankRow, BankTableLayout};

const FAIRSHARE_DECIMALS: i8 = 6;

/// The decimals to which the usage of the first bank is rounded.
const ROOT_DECIMALS: i8 = 2;

/// Returns whether the text begins with the header of such a table.
pub fn is(text: &[u8]) -> bool {
    header(text).is_some()
}

/// Returns the layout that the header announces, and the number of its line from 0. The command itself may come before
/// it.
fn header(text: &[u8]) -> Option<(usize, BankTableLayout)> {
    let mut lines = text.split(|&byte| byte == b'\n').enumerate();
    let (at, line) =
        lines.find(|(_, line)| !line.trim_ascii().is_empty() && !line.starts_with(b"$"))?;
    Some((at, BankTableLayout::of_header(line)?))
}

/// Reads it.
///
/// # Errors
/// If it has no header or no bank, or the user cancelled.
pub fn parse(
    input: &Input,
    request: &Request,
    report: OnProgress<'_>,
) -> Result<Loaded, LoadError> {
    let bytes = &input.bytes;
    let text = without_mark(bytes);
    let Some((at, layout)) = header(text) else {
        return Err(LoadError::Refused(sentence!(
            "{} does not begin with Bank, Username, Active, RawShares, RawUsage, Fairshare; give the output of flux \
             account view-bank ROOT -t -P",
            input.name()
        )));
    };
    let mut table = BankTable {
        layout,
        builder: TreeBuilder::new(b"root"),
        recorded: Recorded::default(),
        problems: Problems::of(input.name()),
        inactive: Inactive::of(request)?,
        line: Vec::new(),
        has_root: false,
    };
    let mut meter = Meter::new(input.name(), Some(bytes.len() as u64), report);
    let mut read = 0;
    for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
        read += line.len() as u64 + 1;
        meter.at(read, table.builder.len())?;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if number > at as u64 + 1 && !line.trim_ascii().is_empty() {
            table.take(number, line);
        }
    }
    if !table.has_root {
        return Err(LoadError::Refused(sentence!(
            "{} has a header but no banks; give the output of flux account view-bank ROOT -t -P",
            input.name()
        )));
    }
    table.inactive.tell(&mut table.problems);
    let mut recorded = table.recorded;
    recorded.usage_precision = if layout.is_rounded() {
        UsagePrecision::Decimals(0)
    } else {
        UsagePrecision::Exact
    };
    let settings = Settings::default();
    let mut snapshot = snapshot(table.builder, settings, recorded, request, Format::ViewBank);
    snapshot.source.taken = input.modified;
    Ok(Loaded::new(snapshot, table.problems))
}

struct OpenBank {
    name: Vec<u8>,
    /// `None` for a bank that is left out.
    node: Option<NodeId>,
    /// Whether it and all banks above it are active.
    counts: bool,
}

struct BankTable {
    layout: BankTableLayout,
    builder: TreeBuilder,
    recorded: Recorded,
    problems: Problems,
    inactive: Inactive,
    /// The banks from the root to the last one.
    line: Vec<OpenBank>,
    has_root: bool,
}

impl BankTable {
    fn take(&mut self, number: u64, line: &[u8]) {
        let blanks = line.iter().take_while(|&&byte| byte == b' ').count();
        // A name may begin with blanks. A row is at most one level below the last bank.
        let depth = blanks.min(self.line.len());
        let bank = depth.checked_sub(1).map(|above| &self.line[above].name[..]);
        let Some(row) = self.layout.row(line, depth, bank) else {
            let message = sentence!(
                "{} is not a row of a bank or user; it was left out",
                shown_text(line.trim_ascii())
            );
            let advice = "give the output of flux account view-bank ROOT -t -P as it was printed";
            return self
                .problems
                .refuse(number, "flux-bad-row", message, advice);
        };
        if depth == 0 && self.has_root {
            let message = sentence!(
                "{} is not below the first bank; it was left out",
                shown(row.name)
            );
            let (code, advice) = ("flux-second-root", "give the output of one command");
            return self.problems.refuse(number, code, message, advice);
        }
        let shares = self.shares(number, &row);
        let usage = self.usage(number, &row);
        if row.user.is_some() {
            self.line.truncate(depth);
            self.take_user(&row, shares, usage);
        } else {
            self.take_bank(&row, depth, shares, usage);
        }
    }

    fn take_bank(&mut self, row: &BankRow<'_>, depth: usize, shares: i64, usage: f64) {
        self.line.truncate(depth);
        let is_root = depth == 0;
        // Flux never asks whether the root is active.
        let is_active = row.is_active || is_root;
        let above = self.line.last();
        let counts = above.is_none_or(|above| above.counts) && is_active;
        let node = match above.map(|above| above.node) {
            None => {
                self.has_root = true;
                self.builder.rename_root(row.name);
                Some(NodeId::ROOT)
            }
            Some(Some(parent)) if counts || self.inactive.is_shown => {
                let name = self.builder.intern(row.name);
                Some(
                    self.builder
                        .push(parent, name, Kind::Account, Position::Last),
                )
            }
            Some(_) => None,
        };
        self.inactive.banks += usize::from(!is_active);
        if let Some(node) = node {
            self.builder.set_shares(node, Shares::new(shares));
            let decimals = match (self.layout.is_rounded(), is_root) {
                (true, _) => 0,
                (false, true) => ROOT_DECIMALS,
                (false, false) => crate::model::EXACT,
            };
            let figure = Figure {
                value: usage,
                decimals,
            };
            self.recorded.set(Fact::JobUsage, node, figure);
            if !is_active {
                self.mark_inactive(node);
            }
        }
        self.line.push(OpenBank {
            name: row.name.to_vec(),
            node,
            counts,
        });
    }

    fn take_user(&mut self, row: &BankRow<'_>, shares: i64, usage: f64) {
        self.inactive.users += usize::from(!row.is_active);
        let Some(above) = self.line.last() else {
            return;
        };
        let is_wanted = (above.counts && row.is_active) || self.inactive.is_shown;
        let (Some(bank), Some(user)) = (above.node.filter(|_| is_wanted), row.user) else {
            return;
        };
        let name = self.builder.intern(user);
        let node = self.builder.push(bank, name, Kind::User, Position::Last);
        self.builder.set_shares(node, Shares::new(shares));
        self.builder.record(node, usage, true);
        let (value, is_number) = leading_number(row.fairshare);
        if is_number {
            let decimals = FAIRSHARE_DECIMALS;
            self.recorded
                .set(Fact::Fairshare, node, Figure { value, decimals });
        }
        if !row.is_active {
            self.mark_inactive(node);
        }
    }

    fn mark_inactive(&mut self, node: NodeId) {
        self.builder.set_active(node, false);
        self.recorded.set_text(Fact::Active, node, "false");
    }

    fn shares(&mut self, number: u64, row: &BankRow<'_>) -> i64 {
        let (shares, is_whole) = leading_count(row.shares).unwrap_or((0, false));
        if !is_whole || shares < 0 {
            let meaning = if is_whole {
                "Flux reads them as a very large number".to_owned()
            } else {
                format!("expected a whole number; they are read as {shares}")
            };
            let message = sentence!(
                "the shares of {} are {}; {meaning}",
                row.label(),
                shown(row.shares)
            );
            let advice = "set them with flux account edit-user or edit-bank, --shares=NUMBER";
            self.problems
                .warn(number, "flux-odd-shares", message, advice);
        }
        shares.max(i64::MIN + 1)
    }

    fn usage(&mut self, number: u64, row: &BankRow<'_>) -> f64 {
        let (usage, is_number) = leading_number(row.usage);
        let counted = if usage.is_finite() {
            usage.max(0.0)
        } else {
            0.0
        };
        if !is_number || counted.to_bits() != (usage + 0.0).to_bits() {
            let message = sentence!(
                "the usage of {} is {}; expected a number from 0 up; it is counted as {counted}",
                row.label(),
                shown(row.usage)
            );
            let advice = "run flux account-update-usage, or flux account clear-usage BANK";
            self.problems
                .warn(number, "flux-odd-usage", message, advice);
        }
        counted
    }
}
