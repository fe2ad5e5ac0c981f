//! Reads banks and users from nested JSON, level by level.

use crate::base::number::counted;
use crate::base::places::Places;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::flux::{OtherSums, held_shares};
use crate::format::input::{Input, Meter, without_mark};
use crate::format::problem::{Place, Problems, problems};
use crate::format::text::json_fault;
use crate::format::{LoadError, LoadResult, OnProgress, Refusal};
use crate::model::{Fact, Figure, Kind, NameId, NodeId, Position, Recorded, TreeBuilder, Usage};
use serde_json::error::Category;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::mem;

/// The relative difference of a bank's usage from that of its users below which it may be due to rounding.
const ROUNDING: f64 = 1e-9;

/// How to fix a file that is not read.
const AGAIN: &str = "export it again with flux account export-db -F";

/// The most levels of banks: as many as serde_json goes down by default.
const MOST_LEVELS: usize = 128;

/// How much of a value is shown.
const LONGEST_WORD: usize = 20;

problems! {
/// What can be wrong in a file.
    enum ExportProblem {
        BadValue { key: &'static str, value: Shown, expected: &'static str }, Error "flux-bad-value",
            "{key} is {value}; expected {expected}; it is left out",
            "export it again with flux account export-db -F, or correct the value";
        OddShares { value: Shown }, Warning "flux-odd-shares",
            "the shares are {value}; expected a whole number of 64 bits; 1 is assumed",
            "export it again with flux account export-db -F, or correct the value";
        OddUsage { value: Shown }, Warning "flux-odd-usage",
            "the usage is {value}; expected a number from 0 up; it is counted as 0",
            "export it again with flux account export-db -F, or correct the value";
        WithoutUsers { banks: Shown }, Note "flux-bank-without-users",
            "{banks} and no users; the usage counts on their level but not above it",
            "give each its users, if they are missing";
        Nameless { objects: Shown }, Error "flux-nameless",
            "{objects} neither bank nor username; left out together with its subtree",
            "give each a \"bank\" or a \"username\"";
        BelowUser { objects: Shown }, Error "flux-below-user",
            "{objects} below a user, which cannot have members; left out",
            "put them below a bank";
    }
}

/// The keys of an object with their values as they are written. As in Python the last of two equal keys counts.
type Members<'a> = BTreeMap<String, &'a RawValue>;

/// A bank or a user.
struct Object {
    /// The place of its parent bank; its own for the root.
    above: u32,
    /// The name of the bank; `None` without one.
    bank: Option<NameId>,
    /// The name of the user; `None` for a bank.
    user: Option<NameId>,
    /// The shares; `None` if they are missing or wrong.
    shares: Option<i64>,
    /// The usage; `None` if it is missing or wrong.
    usage: Option<f64>,
}

/// Reads the objects of a file.
pub(super) struct BankReader<'a> {
    /// The file, as people know it.
    file: Shown,
    /// The text of the file.
    text: &'a [u8],
    /// How much of it was read.
    meter: Meter<'a>,
    /// The names, and later the nodes.
    builder: TreeBuilder,
    /// Each behind its parent, the root first.
    objects: Vec<Object>,
    /// The lines and columns of the text.
    places: Places<'a>,
    /// What is wrong so far.
    problems: Problems,
}

/// A tree as its objects tell it.
pub(super) struct ExportedTree {
    /// The banks and users.
    pub(super) builder: TreeBuilder,
    /// What Flux stored beside shares and usage.
    pub(super) recorded: Recorded,
    /// What is wrong or odd.
    pub(super) problems: Problems,
}

/// The banks and users below a bank, of which the first ones are read.
struct Level<'a> {
    /// The place of the bank.
    above: u32,
    /// Those that are still to be read.
    elements: std::vec::IntoIter<&'a RawValue>,
}

impl<'a> BankReader<'a> {
    /// Starts to read a file.
    pub(super) fn new(input: &'a Input, report: OnProgress<'a>) -> Self {
        let file = input.name();
        let text = without_mark(&input.bytes);
        Self {
            text,
            meter: Meter::of_text(file.clone(), text, report),
            problems: Problems::of(file.clone()),
            file,
            builder: TreeBuilder::new(b"root"),
            objects: Vec::new(),
            places: Places::new(text),
        }
    }

    /// Reads all objects.
    pub(super) fn read(&mut self) -> LoadResult<()> {
        let export: Members = match serde_json::from_slice(self.text) {
            Ok(export) => export,
            Err(error) => return Err(self.not_json(&error)),
        };
        let Some(root) = export.get("root") else {
            let what = "the key root, which contains the tree, is missing";
            return Err(Refusal::because(&self.file, what, AGAIN).into());
        };
        let Some(level) = self.read_object(0, root)? else {
            let what = format!("root is {}; expected a bank", start_of(root));
            return Err(self.refusal(root, &what, AGAIN));
        };
        let mut open = vec![level];
        while let Some(level) = open.last_mut() {
            let Some(element) = level.elements.next() else {
                open.pop();
                continue;
            };
            let above = level.above;
            let Some(below) = self.read_object(above, element)? else {
                let key = "an element of children";
                self.refuse(element, key, "a bank or a user");
                continue;
            };
            if open.len() == MOST_LEVELS && below.elements.len() > 0 {
                let what = format!("banks are nested more than {MOST_LEVELS} levels deep");
                let advice = "open the database of flux-accounting instead";
                return Err(self.refusal(element, &what, advice));
            }
            open.push(below);
        }
        Ok(())
    }

    /// Returns the error of a text that is no such JSON.
    fn not_json(&self, error: &serde_json::Error) -> LoadError {
        let place = format!("{}:{}", error.line(), error.column());
        let what = json_fault(error);
        let clause = match error.classify() {
            Category::Eof => "the JSON ends in the middle".to_owned(),
            Category::Data => what,
            Category::Syntax | Category::Io => format!("this is not JSON: {what}"),
        };
        Refusal::at(&self.file, &place, &clause, AGAIN).into()
    }

    /// Returns the error of a file that is not read because of a value.
    fn refusal(&self, value: &RawValue, what: &str, advice: &str) -> LoadError {
        let (line, column) = self.places.of(self.offset(value));
        let place = format!("{line}:{column}");
        Refusal::at(&self.file, &place, what, advice).into()
    }

    /// Returns where a value begins, which is a slice of the text.
    fn offset(&self, value: &RawValue) -> usize {
        value.get().as_ptr().addr() - self.text.as_ptr().addr()
    }

    /// Reports a problem of a value.
    fn report(&mut self, value: &RawValue, problem: ExportProblem) {
        let place = self.places.of(self.offset(value));
        self.problems.report(place, problem);
    }

    /// Reports a value that is not what its key needs.
    fn refuse(&mut self, value: &RawValue, key: &'static str, expected: &'static str) {
        let problem = ExportProblem::BadValue {
            key,
            value: start_of(value),
            expected,
        };
        self.report(value, problem);
    }

    /// Reads a bank or a user, and returns what is below it; `None` if the value is no object.
    fn read_object(&mut self, above: u32, value: &'a RawValue) -> LoadResult<Option<Level<'a>>> {
        let Ok(members) = serde_json::from_str::<Members<'a>>(value.get()) else {
            return Ok(None);
        };
        let count = self.objects.len();
        let place = u32::try_from(count).expect("no input is larger than 2 GiB");
        let object = Object {
            above,
            bank: self.name(&members, "bank"),
            user: self.name(&members, "username"),
            shares: self.shares(&members),
            usage: self.usage(&members),
        };
        self.objects.push(object);
        let offset = self.offset(value) as u64;
        self.meter.at(offset, self.objects.len())?;
        Ok(Some(Level {
            above: place,
            elements: self.children(&members).into_iter(),
        }))
    }

    /// Reads a name of an object.
    fn name(&mut self, members: &Members, key: &'static str) -> Option<NameId> {
        let value = members.get(key)?;
        if let Ok(name) = serde_json::from_str::<String>(value.get()) {
            return Some(self.builder.intern(name.as_bytes()));
        }
        self.refuse(value, key, "a name in quotes");
        None
    }

    /// Reads the shares of an object.
    fn shares(&mut self, members: &Members) -> Option<i64> {
        let value = members.get("shares")?;
        let shares = whole(value.get());
        if shares.is_none() {
            let start = start_of(value);
            let problem = ExportProblem::OddShares { value: start };
            self.report(value, problem);
        }
        shares
    }

    /// Reads the usage of an object.
    fn usage(&mut self, members: &Members) -> Option<f64> {
        let value = members.get("usage")?;
        let usage = usage(value.get());
        if usage.is_none() {
            let start = start_of(value);
            let problem = ExportProblem::OddUsage { value: start };
            self.report(value, problem);
        }
        usage
    }

    /// Returns the values below a bank; none where `children` is missing or null.
    fn children(&mut self, members: &Members<'a>) -> Vec<&'a RawValue> {
        let Some(value) = members.get("children") else {
            return Vec::new();
        };
        if let Ok(children) = serde_json::from_str::<Option<Vec<&RawValue>>>(value.get()) {
            return children.unwrap_or_default();
        }
        self.refuse(value, "children", "a list of banks and users");
        Vec::new()
    }

    /// Makes the tree of the objects.
    pub(super) fn finish(mut self) -> LoadResult<ExportedTree> {
        let objects = mem::take(&mut self.objects);
        if objects[0].user.is_some() {
            let what = "the root is a user; expected a bank";
            return Err(Refusal::because(&self.file, what, AGAIN).into());
        }
        let sums = sums(&objects);
        let mut recorded = Recorded::default();
        let mut oddities = Oddities::default();
        // By the place of the object; `None` for one that is left out.
        let mut nodes: Vec<Option<NodeId>> = Vec::with_capacity(objects.len());
        self.builder.reserve(objects.len());
        for (object, sum) in objects.iter().zip(sums) {
            let node = if nodes.is_empty() {
                self.name_root(object);
                Some(NodeId::ROOT)
            } else {
                let above = object.above as usize;
                let parent = nodes[above];
                self.add_node(object, &objects[above], parent, &mut oddities)
            };
            nodes.push(node);
            let Some(node) = node else {
                continue;
            };
            let shares = object.shares.unwrap_or(1);
            self.builder.set_shares(node, held_shares(shares));
            if object.shares.is_none() {
                recorded.without_shares.push(node);
            }
            if object.user.is_some() {
                let usage = object.usage.unwrap_or(0.0);
                self.builder.record(node, usage, true);
                continue;
            }
            let Some(usage) = object.usage else {
                continue;
            };
            recorded.set(Fact::JobUsage, node, Figure::exact(usage));
            match sum {
                Some(sum) if are_different(sum, usage) => {
                    let bank = self.builder.name(node);
                    oddities.other_sums.add(bank, usage, sum);
                }
                None if usage > 0.0 => {
                    oddities.without_users += 1;
                    self.builder.set_usage(node, Usage::new(usage));
                }
                _ => {}
            }
        }
        oddities.tell(&mut self.problems);
        Ok(ExportedTree {
            builder: self.builder,
            recorded,
            problems: self.problems,
        })
    }

    /// Gives the root its name.
    fn name_root(&mut self, root: &Object) {
        if let Some(bank) = root.bank {
            let name = self.builder.name_bytes(bank).to_vec();
            self.builder.rename_root(&name);
        }
    }

    /// Adds the node of an object below another; `None` if it is left out.
    fn add_node(
        &mut self,
        object: &Object,
        above: &Object,
        parent: Option<NodeId>,
        oddities: &mut Oddities,
    ) -> Option<NodeId> {
        if above.user.is_some() {
            oddities.below_users += 1;
            return None;
        }
        let Some(name) = object.user.or(object.bank) else {
            oddities.nameless += 1;
            return None;
        };
        let kind = if object.user.is_some() {
            Kind::User
        } else {
            Kind::Account
        };
        Some(self.builder.push(parent?, name, kind, Position::Last))
    }
}

/// Returns whether two sums differ by more than rounding.
fn are_different(sum: f64, usage: f64) -> bool {
    let difference = (sum - usage).abs();
    difference > ROUNDING * sum.max(usage)
}

/// Returns, by object, the usage of the users below; `None` without users.
fn sums(objects: &[Object]) -> Vec<Option<f64>> {
    let mut sums = vec![None; objects.len()];
    for place in (1..objects.len()).rev() {
        let object = &objects[place];
        if object.user.is_some() {
            sums[place] = Some(object.usage.unwrap_or(0.0));
        }
        if let Some(usage) = sums[place] {
            let above = &mut sums[object.above as usize];
            let others = above.unwrap_or(0.0);
            *above = Some(others + usage);
        }
    }
    sums
}

/// What is odd about objects, counted.
#[derive(Default)]
struct Oddities {
    /// Banks with usage and no users.
    without_users: usize,
    /// Banks whose own usage is not that of their users.
    other_sums: OtherSums,
    /// Objects that are neither a bank nor a user.
    nameless: usize,
    /// Objects below a user.
    below_users: usize,
}

impl Oddities {
    /// Reports them.
    fn tell(self, problems: &mut Problems) {
        let advice = "look for inactive users: export-db -F lists them like active ones, and fairshare-emulate uses the \
                      bank's usage unchanged";
        self.other_sums.tell(advice, problems);
        if self.without_users > 0 {
            let banks = counted(self.without_users, "bank has usage", "banks have usage");
            problems.report(Place::WHOLE, ExportProblem::WithoutUsers { banks });
        }
        if self.nameless > 0 {
            let objects = counted(self.nameless, "object has", "objects have");
            problems.report(Place::WHOLE, ExportProblem::Nameless { objects });
        }
        if self.below_users > 0 {
            let objects = counted(self.below_users, "object is", "objects are");
            problems.report(Place::WHOLE, ExportProblem::BelowUser { objects });
        }
    }
}

/// Returns the beginning of a value for people.
fn start_of(value: &RawValue) -> Shown {
    let text = value.get().as_bytes();
    match text.split_at_checked(LONGEST_WORD) {
        Some((start, rest)) if !rest.is_empty() => sentence!("{}…", shown(start)),
        _ => shown(text),
    }
}

/// Returns a number of usage; `None` if it is none, or below 0.
fn usage(text: &str) -> Option<f64> {
    let usage: f64 = text.parse().ok()?;
    if usage.is_finite() && usage >= 0.0 {
        return Some(usage);
    }
    None
}

/// Returns a whole number, also one written as `2.0`.
fn whole(text: &str) -> Option<i64> {
    let whole = match text.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|byte| byte == b'0') => whole,
        _ => text,
    };
    whole.parse().ok()
}
