//! The data and outputs of flux-accounting: its database, its JSON, its tables.
//!
//! All of them contain banks, and associations of a user with a bank. Usage belongs to associations. A bank has the sum
//! of its users, which is what `flux account-update-fshare` computes, whatever else is stored with the bank.

#[cfg_attr(not(feature = "terminal"), path = "flux/database/unread.rs")]
pub mod database;
pub mod jobs;
pub mod json;
mod sqlite_file;
pub mod view_bank;

pub(crate) use database::open_database;
pub use database::ran_jobs;
pub(crate) use sqlite_file::MAGIC;

use super::input::{self, PathKind};
use super::problem::{Place, Problems, problems};
use super::text::parsed;
use super::{Format, LoadResult, Request};
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{
    Fact, Kind, NameId, NodeId, Position, Recorded, Scheduler, Settings, Shares, Snapshot, Tree,
    TreeBuilder,
};
use hashbrown::HashMap;
use std::ffi::OsStr;
use std::path::Path;

/// The decimals with which flux-accounting stores a fair-share.
const FAIRSHARE_DECIMALS: i8 = 6;

/// The setting that shows or hides inactive associations and banks.
const INACTIVE: &str = "inactive";

problems! {
/// What is odd about the banks of a source of any form.
    enum BankProblem {
        HiddenInactive { counts: Shown }, Note "flux-inactive",
            "{counts} left out: Flux counts neither them nor the members of an inactive bank",
            "give --set inactive=show to see them";
        ShownInactive { counts: Shown }, Note "flux-inactive",
            "{counts} shown without numbers: Flux counts neither them nor the members of an inactive bank",
            "leave out --set inactive=show to hide them";
        Sum { bank: Shown, usage: f64, sum: f64, more: Shown, advice: &'static str }, Note "flux-bank-usage",
            "the bank {bank} has a usage of {usage}, but its users have {sum}{more}; the usage of the users counts, as in flux account-update-fshare",
            "{advice}";
    }
}

/// Returns whether a path is an SQLite database; `false` if it does not exist.
pub(crate) fn is_database(path: &Path) -> LoadResult<bool> {
    if path.as_os_str() == "-" || !matches!(input::look(path), Ok(PathKind::File)) {
        return Ok(false);
    }
    match input::open(path) {
        Ok(file) => Ok(sqlite_file::begins_with(file, MAGIC)),
        Err(_) if path.extension() == Some(OsStr::new("db")) => {
            Err(sqlite_file::not_readable(path))
        }
        // The next reader of the file reports why it cannot be read.
        Err(_) => Ok(false),
    }
}

/// The inactive banks and associations, which Flux does not count: left out, or shown without numbers.
#[derive(Clone, Copy, Default)]
struct Inactive {
    /// Whether they are in the tree.
    is_shown: bool,
    /// How many banks are inactive.
    banks: usize,
    /// How many associations are inactive.
    users: usize,
}

impl Inactive {
    /// Starts the count; the request says whether inactive ones are shown.
    fn of(request: &Request) -> LoadResult<Self> {
        let mut settings = Settings::default();
        for (key, value) in &request.settings {
            if key == INACTIVE {
                settings.set(INACTIVE, value)?;
            }
        }
        Ok(Self {
            is_shown: settings.flux.shows_inactive,
            ..Self::default()
        })
    }

    /// Reports how many there are, and how to see or hide them.
    fn tell(self, problems: &mut Problems) {
        let mut counts = Vec::new();
        if self.users > 0 {
            counts.push(counted(
                self.users,
                "inactive association",
                "inactive associations",
            ));
        }
        if self.banks > 0 {
            counts.push(counted(self.banks, "inactive bank", "inactive banks"));
        }
        if counts.is_empty() {
            return;
        }
        let counts = Shown::joined(counts, " and ");
        let problem = if self.is_shown {
            BankProblem::ShownInactive { counts }
        } else {
            BankProblem::HiddenInactive { counts }
        };
        problems.report(Place::WHOLE, problem);
    }
}

/// Builds a tree of banks and associations, without those that Flux does not count.
struct BankBuilder {
    /// The nodes so far.
    tree: TreeBuilder,
    /// What flux-accounting stored beside shares and usage.
    recorded: Recorded,
    /// The inactive ones so far.
    inactive: Inactive,
}

/// Where a bank is in the tree.
#[derive(Clone, Copy)]
struct BankPlace {
    /// `None` for a bank that is left out.
    node: Option<NodeId>,
    /// Whether it and all banks above it are active.
    counts: bool,
}

impl BankBuilder {
    /// Starts without banks.
    fn new(tree: TreeBuilder, inactive: Inactive) -> Self {
        Self {
            tree,
            recorded: Recorded::default(),
            inactive,
        }
    }

    /// Adds a bank below another, or as the root. Flux never asks whether the root is active.
    fn bank(&mut self, above: Option<BankPlace>, name: &[u8], is_active: bool) -> BankPlace {
        let Some(above) = above else {
            self.tree.rename_root(name);
            return BankPlace {
                node: Some(NodeId::ROOT),
                counts: true,
            };
        };
        let counts = above.counts && is_active;
        self.inactive.banks += usize::from(!is_active);
        let mut node = None;
        if let Some(parent) = above.node
            && (counts || self.inactive.is_shown)
        {
            let name = self.tree.intern(name);
            let own = self.tree.push(parent, name, Kind::Account, Position::Last);
            if !is_active {
                self.mark_inactive(own);
            }
            node = Some(own);
        }
        BankPlace { node, counts }
    }

    /// Counts an association, and returns the node of its bank unless it is left out.
    fn bank_of_user(&mut self, bank: BankPlace, is_active: bool) -> Option<NodeId> {
        self.inactive.users += usize::from(!is_active);
        let counts = bank.counts && is_active;
        if counts || self.inactive.is_shown {
            return bank.node;
        }
        None
    }

    /// Adds an association below the node of its bank.
    fn user(&mut self, bank: NodeId, name: NameId, active: bool, shares: i64, used: f64) -> NodeId {
        let node = self.tree.push(bank, name, Kind::User, Position::Last);
        self.tree.set_shares(node, held_shares(shares));
        self.tree.record(node, used, true);
        if !active {
            self.mark_inactive(node);
        }
        node
    }

    /// Notes that Flux does not count a node.
    fn mark_inactive(&mut self, node: NodeId) {
        self.tree.set_active(node, false);
        self.recorded.set_text(Fact::Active, node, "false");
    }
}

/// Returns shares as the tree holds them: its lowest number represents `parent`, and Flux reads the next one alike.
fn held_shares(shares: i64) -> Shares {
    Shares::new(shares.max(i64::MIN + 1))
}

/// Banks whose own usage is not that of their users.
#[derive(Default)]
struct OtherSums {
    /// How many there are.
    count: usize,
    /// The one that was found first.
    first: Option<OtherSum>,
}

/// A bank whose own usage is not that of its users.
struct OtherSum {
    /// Its name.
    bank: Shown,
    /// Its own usage.
    usage: f64,
    /// The usage of its users.
    sum: f64,
}

impl OtherSums {
    /// Counts a bank.
    fn add(&mut self, bank: &[u8], usage: f64, sum: f64) {
        self.count += 1;
        if self.first.is_none() {
            let bank = shown(bank);
            self.first = Some(OtherSum { bank, usage, sum });
        }
    }

    /// Reports the first of them and how many more there are.
    fn tell(self, advice: &'static str, problems: &mut Problems) {
        let Some(first) = self.first else {
            return;
        };
        let more = match self.count {
            1 => Shown::default(),
            count => sentence!(", and {} more such banks", count - 1),
        };
        let problem = BankProblem::Sum {
            bank: first.bank,
            usage: first.usage,
            sum: first.sum,
            more,
            advice,
        };
        problems.report(Place::WHOLE, problem);
    }
}

/// The part by which a bank's usage and that of its users may differ, because old tables print six digits.
const ROUNDING: f64 = 1e-5;

/// Reports banks whose own usage is not that of their users, where both have some. Where inactive users are left out, a bank
/// may have more.
fn note_sums(tree: &Tree, recorded: &Recorded, inactive: Inactive, problems: &mut Problems) {
    let Some(stated) = recorded.figures(Fact::JobUsage) else {
        return;
    };
    let mut sums = Vec::with_capacity(tree.node_count());
    for &node in tree.nodes() {
        sums.push(match tree.kind(node) {
            Kind::User | Kind::Others => tree.usage(node).amount().unwrap_or(0.0),
            Kind::Account => 0.0,
        });
    }
    tree.order().sum_up(&mut sums, |above, below| above + below);
    let are_some_left_out = inactive.users + inactive.banks > 0;
    let mut others = OtherSums::default();
    for (&node, &sum) in tree.nodes().iter().zip(&sums) {
        let Some(figure) = stated.get(node) else {
            continue;
        };
        let has_users = tree.kind(node) == Kind::Account && tree.has_children(node);
        let usage = figure.value;
        // A bank of a database has none until flux account-update-usage ran.
        let have_both = usage > 0.0 && sum > 0.0;
        let may_have_more = are_some_left_out && usage > sum;
        let allowed = figure.half_unit() + ROUNDING * usage.max(sum);
        let differs = (usage - sum).abs() > allowed;
        if has_users && have_both && differs && !may_have_more {
            others.add(tree.name(node), usage, sum);
        }
    }
    let advice = "run flux account-update-usage, which computes the usage of banks again; users that were removed may have \
                  used the rest";
    others.tell(advice, problems);
}

/// Returns a snapshot of a tree of Flux.
fn snapshot(
    tree: Tree,
    mut settings: Settings,
    recorded: Recorded,
    request: &Request,
    format: Format,
) -> Snapshot {
    settings.scheduler = Some(Scheduler::Flux);
    let mut source = request.file_source(format);
    // Unless the weights of nodes, cores and GPUs were changed.
    "node-seconds".clone_into(&mut source.usage_unit);
    Snapshot::new(tree, settings, source, recorded)
}

/// Returns the users of a tree by bank and name. If a bank has several places in the tree, its first place has them.
fn users_by_bank(tree: &Tree) -> HashMap<(&[u8], &[u8]), NodeId> {
    let mut users = HashMap::with_capacity(tree.user_count());
    for &node in tree.nodes() {
        if let Some(bank) = tree.parent(node)
            && tree.kind(node) == Kind::User
        {
            let names = (tree.name(bank), tree.name(node));
            users.entry(names).or_insert(node);
        }
    }
    users
}

// Numbers as flux-accounting's own reader parses them: from text that may continue after the number.

/// Why a text is no number of shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CountError {
    /// It does not begin with a number.
    Text,
    /// The number does not fit 64 bits.
    Range,
}

/// Returns the whole number at the beginning of a text, and whether nothing follows it: `2.9` is 2, `abc` is none.
fn leading_count(text: &[u8]) -> Result<(i64, bool), CountError> {
    let text = text.trim_ascii_start();
    let start = sign(text);
    let end = start + digits(&text[start..]);
    if end == start {
        return Err(CountError::Text);
    }
    let count = parsed(&text[..end]).ok_or(CountError::Range)?;
    Ok((count, end == text.len()))
}

/// Returns the number at the beginning of a text as SQLite reads it, else 0, and whether nothing follows it.
fn leading_number(text: &[u8]) -> (f64, bool) {
    let text = text.trim_ascii_start();
    let start = sign(text);
    let mut end = start + digits(&text[start..]);
    let mut has_digits = end > start;
    if text.get(end) == Some(&b'.') {
        let fraction = digits(&text[end + 1..]);
        has_digits |= fraction > 0;
        end += 1 + fraction;
    }
    if !has_digits {
        return (0.0, false);
    }
    if matches!(text.get(end), Some(b'e' | b'E')) {
        let exponent = end + 1 + sign(&text[end + 1..]);
        let length = digits(&text[exponent..]);
        if length > 0 {
            end = exponent + length;
        }
    }
    (parsed(&text[..end]).unwrap_or(0.0), end == text.len())
}

/// Returns the length of the sign before a number.
fn sign(text: &[u8]) -> usize {
    usize::from(matches!(text.first(), Some(b'-' | b'+')))
}

/// Returns how many digits a text begins with.
fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}
