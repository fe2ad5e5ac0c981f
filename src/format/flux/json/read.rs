//! Reads banks and users from nested JSON, level by level.

use crate::base::number::counted;
use crate::base::places::Places;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::flux::{OtherSums, held_shares};
use crate::format::input::{Input, Meter, without_mark};
use crate::format::problem::{Place, Problems};
use crate::format::text::json_fault;
use crate::format::{LoadError, LoadResult, OnProgress, Refusal};
use crate::model::{Fact, Figure, Kind, NameId, NodeId, Position, Recorded, TreeBuilder, Usage};
use serde_json::error::Category;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The relative difference of a bank's usage from that of its users below which it may be due to rounding.
const ROUNDING: f64 = 1e-9;

/// How to fix a value that is not used.
const ADVICE: &str = "export it again with flux account export-db -F, or correct the value";

/// How to fix a file that is not read.
const AGAIN: &str = "export it again with flux account export-db -F";

/// The most levels of banks: as many as serde_json goes down by default.
const MOST_LEVELS: usize = 128;

/// How much of a value is shown.
const LONGEST_WORD: usize = 20;

/// The keys of an object with their values as they are written. As in Python the last of two equal keys counts.
type Members<'a> = BTreeMap<String, &'a RawValue>;

struct Object {
    /// The place of its parent bank; its own for the root.
    above: u32,
    bank: Option<NameId>,
    user: Option<NameId>,
    shares: Option<i64>,
    usage: Option<f64>,
}

pub(super) struct BankReader<'a> {
    file: Shown,
    text: &'a [u8],
    meter: Meter<'a>,
    builder: TreeBuilder,
    objects: Vec<Object>,
    places: Places<'a>,
    problems: Problems,
}

/// The banks and users below a bank, of which the first ones are read.
struct Level<'a> {
    /// The place of the bank.
    above: u32,
    elements: std::vec::IntoIter<&'a RawValue>,
}

impl<'a> BankReader<'a> {
    pub(super) fn new(input: &'a Input, report: OnProgress<'a>) -> Self {
        let file = input.name();
        let text = without_mark(&input.bytes);
        Self {
            text,
            meter: Meter::new(file.clone(), Some(text.len() as u64), report),
            problems: Problems::of(file.clone()),
            file,
            builder: TreeBuilder::new(b"root"),
            objects: Vec::new(),
            places: Places::new(text),
        }
    }

    pub(super) fn read(&mut self) -> LoadResult<()> {
        let export: Members<'a> =
            serde_json::from_slice(self.text).map_err(|error| self.not_json(&error))?;
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
                self.refuse(element, "an element of children", "a bank or a user");
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

    fn refusal(&self, value: &RawValue, what: &str, advice: &str) -> LoadError {
        let (line, column) = self.places.of(self.offset(value));
        Refusal::at(&self.file, &format!("{line}:{column}"), what, advice).into()
    }

    /// Returns where a value begins, which is a slice of the text.
    fn offset(&self, value: &RawValue) -> usize {
        value.get().as_ptr().addr() - self.text.as_ptr().addr()
    }

    /// Reports a value that is not what its key needs, which `expected` says.
    fn refuse(&mut self, value: &RawValue, key: &str, expected: &str) {
        let place = self.places.of(self.offset(value));
        let value = start_of(value);
        let message = sentence!("{key} is {value}; expected {expected}; it is left out");
        self.problems
            .refuse(place, "flux-bad-value", message, ADVICE);
    }

    fn warn(&mut self, value: &RawValue, code: &'static str, message: Shown) {
        let place = self.places.of(self.offset(value));
        self.problems.warn(place, code, message, ADVICE);
    }

    /// Reads a bank or a user, and returns what is below it; `None` if the value is no object.
    fn read_object(&mut self, above: u32, value: &'a RawValue) -> LoadResult<Option<Level<'a>>> {
        let Ok(members) = serde_json::from_str::<Members<'a>>(value.get()) else {
            return Ok(None);
        };
        let place = u32::try_from(self.objects.len()).expect("no input is larger than 2 GiB");
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

    fn name(&mut self, members: &Members<'a>, key: &str) -> Option<NameId> {
        let value = members.get(key)?;
        if let Ok(name) = serde_json::from_str::<String>(value.get()) {
            return Some(self.builder.intern(name.as_bytes()));
        }
        self.refuse(value, key, "a name in quotes");
        None
    }

    fn shares(&mut self, members: &Members<'a>) -> Option<i64> {
        let value = members.get("shares")?;
        let shares = whole(value.get());
        if shares.is_none() {
            let message = sentence!(
                "the shares are {}; expected a whole number of 64 bits; 1 is assumed",
                start_of(value)
            );
            self.warn(value, "flux-odd-shares", message);
        }
        shares
    }

    fn usage(&mut self, members: &Members<'a>) -> Option<f64> {
        let value = members.get("usage")?;
        let usage = usage(value.get());
        if usage.is_none() {
            let message = sentence!(
                "the usage is {}; expected a number from 0 up; it is counted as 0",
                start_of(value)
            );
            self.warn(value, "flux-odd-usage", message);
        }
        usage
    }

    fn children(&mut self, members: &Members<'a>) -> Vec<&'a RawValue> {
        let Some(value) = members.get("children") else {
            return Vec::new();
        };
        let children = serde_json::from_str::<Option<Vec<&RawValue>>>(value.get());
        if children.is_err() {
            self.refuse(value, "children", "a list of banks and users");
        }
        children.ok().flatten().unwrap_or_default()
    }

    pub(super) fn finish(mut self) -> LoadResult<(TreeBuilder, Recorded, Problems)> {
        let mut recorded = Recorded::default();
        if self.objects[0].user.is_some() {
            let what = "the root is a user; expected a bank";
            return Err(Refusal::because(&self.file, what, AGAIN).into());
        }
        let sums = self.sums();
        let mut nodes = vec![None; self.objects.len()];
        let mut odd = Oddities::default();
        self.builder.reserve(self.objects.len());
        for (place, object) in self.objects.iter().enumerate() {
            let is_below_user = place > 0 && self.objects[object.above as usize].user.is_some();
            let node = if place == 0 {
                if let Some(bank) = object.bank {
                    let name = self.builder.name_bytes(bank).to_vec();
                    self.builder.rename_root(&name);
                }
                NodeId::ROOT
            } else {
                let Some(name) = object.user.or(object.bank).filter(|_| !is_below_user) else {
                    odd.below_users += usize::from(is_below_user);
                    odd.nameless += usize::from(!is_below_user);
                    continue;
                };
                let Some(parent) = nodes[object.above as usize] else {
                    continue;
                };
                let kind = object.user.map_or(Kind::Account, |_| Kind::User);
                self.builder.push(parent, name, kind, Position::Last)
            };
            nodes[place] = Some(node);
            let shares = held_shares(object.shares.unwrap_or(1));
            self.builder.set_shares(node, shares);
            if object.shares.is_none() {
                recorded.without_shares.push(node);
            }
            if object.user.is_some() {
                self.builder.record(node, object.usage.unwrap_or(0.0), true);
            } else if let Some(usage) = object.usage {
                recorded.set(Fact::JobUsage, node, Figure::exact(usage));
                match sums[place] {
                    None if usage > 0.0 => {
                        odd.given += 1;
                        self.builder.set_usage(node, Usage::new(usage));
                    }
                    Some(sum) if (sum - usage).abs() > ROUNDING * sum.max(usage) => {
                        odd.other_sums.add(node, usage, sum);
                    }
                    _ => {}
                }
            }
        }
        odd.tell(&self.builder, &mut self.problems);
        Ok((self.builder, recorded, self.problems))
    }

    /// Returns, by object, the usage of the users below; `None` without users.
    fn sums(&self) -> Vec<Option<f64>> {
        let mut sums = vec![None; self.objects.len()];
        for (place, object) in self.objects.iter().enumerate().rev() {
            if object.user.is_some() {
                sums[place] = Some(object.usage.unwrap_or(0.0));
            }
            if let Some(usage) = sums[place].filter(|_| place > 0) {
                let above: &mut Option<f64> = &mut sums[object.above as usize];
                *above = Some(above.unwrap_or(0.0) + usage);
            }
        }
        sums
    }
}

#[derive(Default)]
struct Oddities {
    /// Banks with usage and no users.
    given: usize,
    other_sums: OtherSums,
    nameless: usize,
    below_users: usize,
}

impl Oddities {
    fn tell(&self, builder: &TreeBuilder, problems: &mut Problems) {
        let advice = "look for inactive users: export-db -F lists them like active ones, and fairshare-emulate uses the \
                      bank's usage unchanged";
        let name = |bank| builder.name(bank);
        self.other_sums.tell(name, advice, problems);
        if self.given > 0 {
            let message = sentence!(
                "{} and no users; the usage counts on their level but not above it",
                counted(self.given, "bank has usage", "banks have usage")
            );
            let advice = "give each its users, if they are missing";
            problems.note(Place::WHOLE, "flux-bank-without-users", message, advice);
        }
        if self.nameless > 0 {
            let message = sentence!(
                "{} neither bank nor username; left out together with its subtree",
                counted(self.nameless, "object has", "objects have")
            );
            let advice = "give each a \"bank\" or a \"username\"";
            problems.refuse(Place::WHOLE, "flux-nameless", message, advice);
        }
        if self.below_users > 0 {
            let are = counted(self.below_users, "object is", "objects are");
            let message = sentence!("{are} below a user, which cannot have members; left out");
            let advice = "put them below a bank";
            problems.refuse(Place::WHOLE, "flux-below-user", message, advice);
        }
    }
}

/// Returns the beginning of a value for people.
fn start_of(value: &RawValue) -> Shown {
    let text = value.get().as_bytes();
    match text.get(..LONGEST_WORD) {
        Some(start) if text.len() > LONGEST_WORD => sentence!("{}…", shown(start)),
        _ => shown(text),
    }
}

/// Returns a number of usage; `None` if it is none, or below 0.
fn usage(text: &str) -> Option<f64> {
    let usage: f64 = text.parse().ok()?;
    (usage.is_finite() && usage >= 0.0).then_some(usage)
}

/// Returns a whole number, also one written as `2.0`.
fn whole(text: &str) -> Option<i64> {
    let whole = match text.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|byte| byte == b'0') => whole,
        _ => text,
    };
    whole.parse().ok()
}
