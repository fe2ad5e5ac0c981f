//! Reads banks and users from nested JSON, without recursion.

use super::lexer::Lexer;
use crate::base::number::counted;
use crate::base::places::Places;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::flux::held_shares;
use crate::format::input::{Input, Meter};
use crate::format::problem::{Place, Problems};
use crate::format::text::parsed;
use crate::format::{LoadError, LoadResult, OnProgress};
use crate::model::{Fact, Figure, Kind, NameId, NodeId, Position, Recorded, TreeBuilder, Usage};

/// The relative difference of a bank's usage from that of its users below which it may be due to rounding.
const ROUNDING: f64 = 1e-9;

/// How to fix a value that is not used.
const ADVICE: &str = "export it again with flux account export-db -F, or correct the value";

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
    lexer: Lexer<'a>,
    meter: Meter<'a>,
    builder: TreeBuilder,
    objects: Vec<Object>,
    /// The objects and lists that are not closed yet, each with whether it is a list: the object, or that whose
    /// children are listed.
    open: Vec<(u32, bool)>,
    places: Places<'a>,
    problems: Problems,
}

impl<'a> BankReader<'a> {
    pub(super) fn new(input: &'a Input, report: OnProgress<'a>) -> Self {
        let file = input.name();
        let length = input.bytes.len() as u64;
        Self {
            lexer: Lexer::new(file.clone(), &input.bytes),
            meter: Meter::new(file.clone(), Some(length), report),
            problems: Problems::of(file.clone()),
            file,
            builder: TreeBuilder::new(b"root"),
            objects: Vec::new(),
            open: Vec::new(),
            places: Places::new(&input.bytes),
        }
    }

    pub(super) fn read(&mut self) -> LoadResult<()> {
        self.lexer.expect(b'{', "the opening brace of JSON")?;
        let mut is_fresh = true;
        while !self.lexer.takes(b'}') {
            if !is_fresh {
                self.lexer.expect(b',', "a comma or the closing brace")?;
            }
            is_fresh = false;
            let key = self.lexer.string("a key in quotes")?;
            self.lexer.expect(b':', "a colon")?;
            if *key != *b"root" {
                self.lexer.skip()?;
            } else if self.objects.is_empty() {
                self.open_object(0)?;
                self.read_open()?;
            } else {
                let why = "there is a second root; a tree has only one";
                return Err(self.lexer.refuse(why));
            }
        }
        if self.objects.is_empty() {
            let why = "the key root, which contains the tree, is missing";
            return Err(self.lexer.refuse(why));
        }
        if self.lexer.peek().is_some() {
            return Err(self.lexer.unexpected("the end of the file"));
        }
        Ok(())
    }

    /// Reads the next element of a list: a bank or a user. Anything else is left out.
    fn read_element(&mut self, above: u32) -> LoadResult<()> {
        if self.lexer.peek() == Some(b'{') {
            return self.open_object(above);
        }
        let (value, start) = self.lexer.value()?;
        self.refuse(start, "an element of children", value, "a bank or a user");
        Ok(())
    }

    /// Reports a value that is not what its key needs, which `expected` says.
    fn refuse(&mut self, start: usize, key: &str, value: &[u8], expected: &str) {
        let place = self.places.of(start);
        let value = Lexer::start_of(value);
        let message = sentence!("{key} is {value}; expected {expected}; it is left out");
        self.problems
            .refuse(place, "flux-bad-value", message, ADVICE);
    }

    fn warn(&mut self, start: usize, code: &'static str, message: Shown) {
        let place = self.places.of(start);
        self.problems.warn(place, code, message, ADVICE);
    }

    fn open_object(&mut self, above: u32) -> LoadResult<()> {
        self.lexer
            .expect(b'{', "the opening brace of a bank or user")?;
        let object = u32::try_from(self.objects.len()).expect("no input is larger than 2 GiB");
        self.objects.push(Object {
            above,
            bank: None,
            user: None,
            shares: None,
            usage: None,
        });
        self.open.push((object, false));
        let (at, count) = (self.lexer.at as u64, self.objects.len());
        self.meter.at(at, count)
    }

    fn read_open(&mut self) -> LoadResult<()> {
        // Whether the innermost one has no element yet.
        let mut is_fresh = true;
        while let Some(&(object, is_list)) = self.open.last() {
            let (end, name) = if is_list {
                (b']', "bracket")
            } else {
                (b'}', "brace")
            };
            if self.lexer.takes(end) {
                self.open.pop();
                is_fresh = false;
                continue;
            }
            if !is_fresh {
                self.lexer
                    .expect(b',', &format!("a comma or the closing {name}"))?;
            }
            let depth = self.open.len();
            if is_list {
                self.read_element(object)?;
            } else {
                self.read_member(object)?;
            }
            is_fresh = self.open.len() > depth;
        }
        Ok(())
    }

    fn read_member(&mut self, place: u32) -> LoadResult<()> {
        let key = self.lexer.string("a key in quotes")?;
        self.lexer.expect(b':', "a colon")?;
        if *key == *b"children" && self.lexer.takes(b'[') {
            self.open.push((place, true));
            return Ok(());
        }
        let object = &mut self.objects[place as usize];
        if matches!(&*key, b"bank" | b"username") && self.lexer.peek() == Some(b'"') {
            let name = self.lexer.string("a name in quotes")?;
            let name = Some(self.builder.intern(&name));
            if *key == *b"bank" {
                object.bank = name;
            } else {
                object.user = name;
            }
            return Ok(());
        }
        let (value, start) = self.lexer.value()?;
        match &*key {
            b"children" if value == b"null" => {}
            b"children" => self.refuse(start, "children", value, "a list of banks and users"),
            b"bank" => self.refuse(start, "bank", value, "a name in quotes"),
            b"username" => self.refuse(start, "username", value, "a name in quotes"),
            b"shares" => {
                object.shares = whole(value);
                if object.shares.is_none() {
                    let value = Lexer::start_of(value);
                    let message = sentence!(
                        "the shares are {value}; expected a whole number of 64 bits; 1 is assumed"
                    );
                    self.warn(start, "flux-odd-shares", message);
                }
            }
            b"usage" => {
                object.usage = usage(value);
                if object.usage.is_none() {
                    let value = Lexer::start_of(value);
                    let message = sentence!(
                        "the usage is {value}; expected a number from 0 up; it is counted as 0"
                    );
                    self.warn(start, "flux-odd-usage", message);
                }
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> LoadResult<(TreeBuilder, Recorded, Problems)> {
        let mut recorded = Recorded::default();
        if self.objects[0].user.is_some() {
            return Err(LoadError::Refused(sentence!(
                "{}: the root is a user; expected a bank; export it again with flux account export-db -F",
                self.file
            )));
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
                        odd.other += 1;
                        odd.first_other.get_or_insert((node, usage, sum));
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
    /// Banks whose usage is not the sum of their users, and the first of them with both numbers.
    other: usize,
    first_other: Option<(NodeId, f64, f64)>,
    nameless: usize,
    below_users: usize,
}

impl Oddities {
    fn tell(&self, builder: &TreeBuilder, problems: &mut Problems) {
        if let Some((node, usage, sum)) = self.first_other {
            let name = shown(builder.name(node));
            let more = match self.other {
                1 => String::new(),
                other => format!(", and {} more such banks", other - 1),
            };
            let message = sentence!(
                "the bank {name} has a usage of {usage}, but its users have {sum}{more}; the usage of the users \
                 counts, as in flux account-update-fshare"
            );
            let advice = "look for inactive users: export-db -F lists them like active ones, and fairshare-emulate \
                          uses the bank's usage unchanged";
            problems.note(Place::WHOLE, "flux-bank-usage", message, advice);
        }
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

/// Returns a number of usage; `None` if it is none, or below 0.
fn usage(text: &[u8]) -> Option<f64> {
    let usage: Option<f64> = parsed(text);
    usage.filter(|usage| usage.is_finite() && *usage >= 0.0)
}

/// Returns a whole number, also one written as `2.0`.
fn whole(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let parts = text.split_once('.');
    let whole = parts.filter(|(_, fraction)| fraction.bytes().all(|byte| byte == b'0'));
    whole.map_or(text, |(whole, _)| whole).parse().ok()
}
