//! `sched_config`: the fairshare settings, read as the scheduler reads them.
//!
//! Follows `parse_config` and `scan` of OpenPBS 23.06 (`src/scheduler/parse.cpp`) and `res_to_num` and `is_num`
//! (`misc.cpp`). Other lines are checked only for what the scheduler would log about any line.

use super::complaint::{Complaint, Fault, File};
use super::strtol::{is_space, strtol, whole};
use crate::model::{FairShare, Pbs};

/// Options of the scheduler that do not concern fairshare and are not obsolete.
const OTHERS: &[&[u8]] = &[
    b"allow_aoe_calendar",
    b"backfill_prime",
    b"by_queue",
    b"dedicated_prefix",
    b"job_sort_key",
    b"max_job_check",
    b"mom_resources",
    b"node_sort_key",
    b"nonprimetime_prefix",
    b"peer_queue",
    b"preempt_attempts",
    b"preemptive_sched",
    b"prime_exempt_anytime_queues",
    b"primetime_prefix",
    b"provision_policy",
    b"resource_unset_infinite",
    b"resources",
    b"resv_confirm_ignore",
    b"round_robin",
    b"server_dyn_res",
    b"smp_cluster_dist",
    b"strict_ordering",
    b"update_comments",
];

/// Options that the scheduler still accepts but calls obsolete, and their replacements.
const OBSOLETE: &[(&[u8], &str)] = &[
    (b"backfill", "set backfill_depth with qmgr"),
    (
        b"half_life",
        "write fairshare_decay_time and fairshare_decay_factor",
    ),
    (
        b"help_starving_jobs",
        "use eligible_time in job_sort_formula",
    ),
    (b"log_filter", "set log_events with qmgr"),
    (b"max_starve", "use eligible_time in job_sort_formula"),
    (b"node_group_key", "set it with qmgr"),
    (b"preempt_order", "set it with qmgr"),
    (b"preempt_prio", "set it with qmgr"),
    (b"preempt_queue_prio", "set it with qmgr"),
    (b"preempt_sort", "set it with qmgr"),
    (b"sort_nodes", "write node_sort_key"),
    (b"sort_queues", "delete the line"),
    (b"strict_fifo", "write strict_ordering"),
];

/// The time in which a line applies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LinePeriod {
    Always,
    Prime,
    NonPrime,
    Never,
}

impl LinePeriod {
    fn named(word: &[u8]) -> Option<Self> {
        match word {
            b"all" | b"ALL" => Some(Self::Always),
            b"prime" | b"PRIME" => Some(Self::Prime),
            b"non_prime" | b"NON_PRIME" => Some(Self::NonPrime),
            b"none" | b"NONE" => Some(Self::Never),
            _ => None,
        }
    }
}

/// The words of a line. A word ends at a blank, or at the requested delimiter. Quotes keep blanks in a word.
struct Words<'a> {
    rest: Option<&'a [u8]>,
}

impl<'a> Words<'a> {
    fn next(&mut self, delimiter: u8) -> Option<&'a [u8]> {
        let rest = self.rest.take()?;
        let ends = |byte: u8| is_space(byte) || byte == delimiter;
        let start = rest.iter().position(|&byte| !ends(byte))?;
        let rest = &rest[start..];
        let quote = rest.first().filter(|byte| matches!(byte, b'"' | b'\''));
        let (word, end) = match quote {
            Some(&quote) => {
                let word = &rest[1..];
                (word, word.iter().position(|&byte| byte == quote))
            }
            None => (rest, rest.iter().position(|&byte| ends(byte))),
        };
        let Some(end) = end else {
            return Some(word);
        };
        self.rest = Some(&word[end + 1..]);
        Some(&word[..end])
    }
}

/// Returns the lines of the file with the number of their first part: a backslash at the end joins the next.
fn lines(bytes: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let mut lines: Vec<(u64, Vec<u8>)> = Vec::new();
    let mut is_joined = false;
    for (number, part) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let kept = part.strip_suffix(b"\\").unwrap_or(part);
        match lines.last_mut().filter(|_| is_joined) {
            Some((_, line)) => line.extend_from_slice(kept),
            None => lines.push((number, kept.to_vec())),
        }
        is_joined = kept.len() < part.len();
    }
    lines
}

/// Reads the file, starting from PBS's defaults.
pub(super) fn parse(bytes: &[u8], complaints: &mut Vec<Complaint>) -> Pbs {
    let mut reader = SchedConfigReader {
        settings: Pbs::default(),
        prime: false,
        non_prime: false,
        has_read_a_time: false,
        line: 0,
        complaints,
    };
    for (number, line) in lines(bytes) {
        let end = line.iter().position(|&byte| byte == 0);
        let line = &line[..end.unwrap_or(line.len())];
        let first = line.iter().find(|&&byte| !is_space(byte));
        if !matches!(first, None | Some(b'#' | b'*')) {
            reader.line = number;
            reader.line(line);
        }
    }
    reader.settings.fair_share = FairShare::of(reader.prime, reader.non_prime);
    reader.settings
}

struct SchedConfigReader<'a> {
    settings: Pbs,
    /// Whether fairshare is on in prime time.
    prime: bool,
    /// Whether it is on in non-prime time.
    non_prime: bool,
    /// The scheduler does not reset this flag: after one valid time it accepts any number as a time.
    has_read_a_time: bool,
    line: u64,
    complaints: &'a mut Vec<Complaint>,
}

impl SchedConfigReader<'_> {
    fn complain(&mut self, fault: Fault) {
        self.complaints.push(Complaint {
            file: File::SchedConfig,
            line: Some(self.line),
            column: None,
            fault,
        });
    }

    fn line(&mut self, line: &[u8]) {
        let mut words = Words { rest: Some(line) };
        let (name, value, prime) = (words.next(b':'), words.next(b' '), words.next(b' '));
        let (Some(name), Some(value)) = (name, value) else {
            return self.complain(Fault::ConfigLine);
        };
        let obsolete = OBSOLETE.iter().find(|(known, _)| *known == name);
        let mut fault = prime
            .filter(|word| LinePeriod::named(word).is_none())
            .map(|word| Fault::ConfigPrime {
                word: word.to_vec(),
            });
        let period = prime
            .and_then(LinePeriod::named)
            .unwrap_or(LinePeriod::Always);
        // The scheduler keeps one message per line, the last.
        match self.option(name, value, period) {
            Ok(()) => {}
            Err(latest) => fault = Some(latest),
        }
        if let Some(fault) = fault {
            self.complain(fault);
        }
        if let Some((_, instead)) = obsolete {
            self.complain(Fault::ConfigObsolete {
                name: name.to_vec(),
                instead,
            });
        }
    }

    /// Sets one option. The error is what the scheduler logs about its value.
    fn option(&mut self, name: &[u8], value: &[u8], period: LinePeriod) -> Result<(), Fault> {
        let text = || String::from_utf8_lossy(value).into_owned();
        match name {
            b"fair_share" => {
                let is_on = self.boolean(name, value);
                if matches!(period, LinePeriod::Always | LinePeriod::Prime) {
                    self.prime = is_on;
                }
                if matches!(period, LinePeriod::Always | LinePeriod::NonPrime) {
                    self.non_prime = is_on;
                }
            }
            b"fairshare_enforce_no_shares" => {
                self.settings.fairshare_enforce_no_shares = self.boolean(name, value);
            }
            b"prime_spill" => {
                if period != LinePeriod::Never {
                    self.time(value);
                }
                return self.check_time(name, value);
            }
            b"half_life" | b"fairshare_decay_time" => {
                let seconds = self.time(value);
                self.settings.fairshare_decay_time = seconds;
                self.check_time(name, value)?;
                if seconds <= 0 {
                    self.complain(Fault::ConfigNoDecay {
                        text: value.to_vec(),
                        seconds,
                    });
                }
            }
            b"unknown_shares" => self.unknown_shares(value),
            b"fairshare_decay_factor" => return self.decay_factor(value),
            b"fairshare_usage_res" => self.settings.fairshare_usage_res = text(),
            b"fairshare_entity" => {
                self.settings.fairshare_entity = text();
                let known: &[&[u8]] = &[
                    b"euser",
                    b"egroup",
                    b"Account_Name",
                    b"queue",
                    b"egroup:euser",
                ];
                if !known.contains(&value) {
                    return Err(Fault::ConfigEntity {
                        text: value.to_vec(),
                    });
                }
            }
            _ => {
                let is_known = OTHERS.contains(&name)
                    || OBSOLETE.iter().any(|(obsolete, _)| *obsolete == name);
                if !is_known {
                    return Err(Fault::ConfigUnknown {
                        name: name.to_vec(),
                    });
                }
            }
        }
        Ok(())
    }

    /// Returns a word as the scheduler's whole number: -1 for an invalid one.
    fn number(value: &[u8]) -> i64 {
        if value.eq_ignore_ascii_case(b"true") {
            1
        } else if value.eq_ignore_ascii_case(b"false") {
            0
        } else if value.first().is_some_and(u8::is_ascii_digit) {
            strtol(value).0
        } else {
            -1
        }
    }

    /// Returns a word as a truth value: everything but `false` and 0 is true.
    fn boolean(&mut self, name: &[u8], value: &[u8]) -> bool {
        let is_plain = [b"true".as_slice(), b"false", b"0", b"1"]
            .iter()
            .any(|word| value.eq_ignore_ascii_case(word));
        let is_true = Self::number(value) != 0;
        if !is_plain {
            self.complain(Fault::ConfigBoolean {
                name: name.to_vec(),
                text: value.to_vec(),
                is_true,
            });
        }
        is_true
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the scheduler stores a long in an int without a look"
    )]
    fn unknown_shares(&mut self, value: &[u8]) {
        let held = Self::number(value) as i32;
        self.settings.unknown_shares = held;
        if whole(value) != Some(i64::from(held)) {
            self.complain(Fault::ConfigShares {
                text: value.to_vec(),
                held,
            });
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the scheduler reads a double and keeps a float"
    )]
    fn decay_factor(&mut self, value: &[u8]) -> Result<(), Fault> {
        let fault = |factor| Fault::ConfigDecayFactor {
            text: value.to_vec(),
            factor,
        };
        let number = std::str::from_utf8(value)
            .ok()
            .and_then(|text| text.trim_start().parse::<f64>().ok());
        let factor = number.ok_or_else(|| fault(None))? as f32;
        if factor <= 0.0 || factor >= 1.0 {
            return Err(fault(Some(factor)));
        }
        // A NaN is accepted, as in the scheduler.
        self.settings.fairshare_decay_factor = factor;
        if factor.is_nan() {
            self.complain(fault(Some(factor)));
        }
        Ok(())
    }

    fn check_time(&self, name: &[u8], value: &[u8]) -> Result<(), Fault> {
        if self.has_read_a_time {
            return Ok(());
        }
        Err(Fault::ConfigTime {
            name: name.to_vec(),
            text: value.to_vec(),
        })
    }

    /// Returns a word as seconds, read as the scheduler reads any resource; `i64::MIN` if it is no number.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "out of range is looked at first, and the scheduler cuts fractions off"
    )]
    fn time(&mut self, value: &[u8]) -> i64 {
        let (amount, is_time) = resource(value);
        self.has_read_a_time |= is_time;
        let range = -9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0;
        if range.contains(&amount) {
            amount as i64
        } else {
            i64::MIN
        }
    }
}

/// Reads an amount of a resource: a number, a truth value, a size or a time. Also returns whether it was a time.
fn resource(value: &[u8]) -> (f64, bool) {
    const UNLIMITED: f64 = f64::NEG_INFINITY;
    if value.eq_ignore_ascii_case(b"true") {
        return (1.0, false);
    }
    if value.eq_ignore_ascii_case(b"false") {
        return (0.0, false);
    }
    if !is_amount(value) {
        return (UNLIMITED, false);
    }
    let (first, rest) = leading_number(value);
    match rest.split_first() {
        Some((b':', rest)) => {
            let (second, rest) = leading_number(rest);
            let amount = match rest.strip_prefix(b":") {
                Some(third) => {
                    let (seconds, length) = strtol(third);
                    if length == third.len() {
                        first * 3600.0 + second * 60.0 + seconds as f64
                    } else {
                        UNLIMITED
                    }
                }
                None => first * 60.0 + second,
            };
            (amount, true)
        }
        Some((unit, rest)) => (size(first, *unit, rest), false),
        None => (first, false),
    }
}

/// Returns a size in kilobytes, as which a time with a unit is read.
fn size(amount: f64, unit: u8, rest: &[u8]) -> f64 {
    const KILO: f64 = 1024.0;
    const WORD: f64 = 8.0;
    let amount = match unit.to_ascii_lowercase() {
        b'm' => amount * KILO,
        b'g' => amount * KILO * KILO,
        b't' => amount * KILO * KILO * KILO,
        b'b' => (amount / KILO).ceil(),
        b'w' => (amount / KILO).ceil() * WORD,
        _ => amount,
    };
    if rest.first() == Some(&b'w') {
        amount * WORD
    } else {
        amount
    }
}

/// Returns whether a word looks like a number, a size or a time: digits and at most two colons, then a unit or a
/// fraction.
fn is_amount(value: &[u8]) -> bool {
    let value = match value.first() {
        Some(b'-' | b'+') => &value[1..],
        _ => value,
    };
    let end = value
        .iter()
        .position(|byte| !byte.is_ascii_digit() && *byte != b':');
    let Some(end) = end else {
        return value.split(|&byte| byte == b':').count() <= 3;
    };
    match value[end..].to_ascii_lowercase().as_slice() {
        [b'k' | b'm' | b'g' | b't', unit @ ..] => matches!(unit, [] | [b'b' | b'w']),
        [b'b' | b'w'] => true,
        [b'.', fraction @ ..] => fraction.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// Returns the number at the beginning of a word, 0 if there is none, and the rest.
fn leading_number(word: &[u8]) -> (f64, &[u8]) {
    let sign = usize::from(matches!(word.first(), Some(b'-' | b'+')));
    let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let length = sign + word[sign..].iter().take_while(|byte| is_part(byte)).count();
    let number = std::str::from_utf8(&word[..length])
        .ok()
        .and_then(|text| text.parse().ok());
    match number {
        Some(number) => (number, &word[length..]),
        None => (0.0, word),
    }
}
