//! `sched_config`: the fairshare settings, read as the scheduler reads them.
//!
//! Follows `parse_config` and `scan` of OpenPBS 23.06 (`src/scheduler/parse.cpp`). Other lines are checked only for what
//! the scheduler would log about any line.

use super::line::{c_string, is_skipped};
use super::number::{int, is_space, is_time, resource, strtol, whole};
use crate::base::shown::{Shown, shown, shown_text};
use crate::format::problem::{Problems, problems};
use crate::model::{FairShare, Pbs};
use memchr::memchr;

problems! {
    /// What is wrong or odd in a `sched_config`.
    enum ConfigProblem {
        NoOption, Error "pbs-config-line",
            "the line is not a name, a colon and a value; PBS leaves it out", "write NAME: VALUE, or # before a comment";
        UnknownPeriod { word: Shown }, Warning "pbs-config-prime",
            "{word} after the value is not one of prime, non_prime, all, none; PBS reads it as all",
            "delete the word, put a value with blanks in quotes, and comments on their own lines";
        UnreadPeriod { name: Shown, word: Shown }, Warning "pbs-config-prime-unread",
            "{name} has no prime option: PBS does not read {word} after the value, which counts at all times",
            "delete the word; only fair_share differs in prime time";
        Obsolete { name: Shown, instead: &'static str }, Note "pbs-config-obsolete",
            "{name} is obsolete; PBS still accepts the line", "{instead}";
        UnknownOption { name: Shown }, Warning "pbs-config-unknown",
            "unknown option '{name}\'; the line has no effect",
            "check the spelling, including lower case, or delete the line";
        NoTruth { name: Shown, value: Shown, is_true: bool }, Warning "pbs-config-boolean",
            "{name} is {value}, neither true nor false; PBS reads it as {is_true}", "write true or false";
        NoTime { name: Shown, value: Shown }, Warning "pbs-config-time",
            "{name} is {value}, not a time; PBS logs an error and reads the number as seconds", "write HH:MM:SS";
        BadDecayTime { value: Shown, seconds: String }, Warning "pbs-config-decay-time",
            "the decay time {value} is {seconds} to PBS; usage does not decay as it should",
            "write HH:MM:SS, without fractions of a second";
        NoDecayFactor { value: Shown }, Error "pbs-config-decay-factor",
            "fairshare_decay_factor {value} is not a number; PBS leaves the line out",
            "write a number between 0 and 1, such as 0.5";
        DecayFactorOutside { value: Shown }, Error "pbs-config-decay-factor",
            "fairshare_decay_factor {value} is not between 0 and 1 as a 32-bit float; PBS leaves the line out",
            "write a number between 0 and 1, such as 0.5";
        DecayFactorNan, Error "pbs-config-decay-factor",
            "fairshare_decay_factor is nan; PBS accepts it, and every usage becomes 1 at the next decay",
            "write a number between 0 and 1, such as 0.5";
        BadShares { value: Shown, held: i32 }, Warning "pbs-config-shares",
            "unknown_shares is {value}, not a whole number from 0 up; PBS uses {held}", "write digits only";
        UnknownEntity { value: Shown }, Warning "pbs-config-entity",
            "unknown fairshare_entity '{value}\'; usage is charged to GROUP:USER instead",
            "write euser, egroup, Account_Name, queue or egroup:euser";
    }
}

/// Options of the scheduler that do not concern fairshare and are not obsolete.
const OTHERS: &[&str] = &[
    "allow_aoe_calendar",
    "backfill_prime",
    "by_queue",
    "dedicated_prefix",
    "job_sort_key",
    "max_job_check",
    "mom_resources",
    "node_sort_key",
    "nonprimetime_prefix",
    "peer_queue",
    "preempt_attempts",
    "preemptive_sched",
    "prime_exempt_anytime_queues",
    "primetime_prefix",
    "provision_policy",
    "resource_unset_infinite",
    "resources",
    "resv_confirm_ignore",
    "round_robin",
    "server_dyn_res",
    "smp_cluster_dist",
    "strict_ordering",
    "update_comments",
];

/// Returns what to do about an option that the scheduler still accepts but calls obsolete; `None` for other options.
fn replacement(name: &[u8]) -> Option<&'static str> {
    Some(match name {
        b"backfill" => "set backfill_depth with qmgr",
        b"half_life" => "write fairshare_decay_time and fairshare_decay_factor",
        b"help_starving_jobs" | b"max_starve" => "use eligible_time in job_sort_formula",
        b"log_filter" => "set log_events with qmgr",
        b"node_group_key"
        | b"preempt_order"
        | b"preempt_prio"
        | b"preempt_queue_prio"
        | b"preempt_sort" => "set it with qmgr",
        b"sort_nodes" => "write node_sort_key",
        b"sort_queues" => "delete the line",
        b"strict_fifo" => "write strict_ordering",
        _ => return None,
    })
}

/// When a line applies.
#[derive(Clone, Copy, PartialEq)]
struct LinePeriod {
    /// In prime time.
    prime: bool,
    /// In non-prime time.
    non_prime: bool,
}

impl LinePeriod {
    /// At all times.
    const ALL: Self = Self {
        prime: true,
        non_prime: true,
    };

    /// Returns the period that a word after a value names; `None` for other words.
    fn named(word: &[u8]) -> Option<Self> {
        let (prime, non_prime) = match word {
            b"all" | b"ALL" => return Some(Self::ALL),
            b"prime" | b"PRIME" => (true, false),
            b"non_prime" | b"NON_PRIME" => (false, true),
            b"none" | b"NONE" => (false, false),
            _ => return None,
        };
        Some(Self { prime, non_prime })
    }
}

/// Takes a word from the beginning of a line: up to a blank or the delimiter. Quotes keep blanks in a word. `None` at the
/// end of the line.
fn next_word<'a>(line: &mut &'a [u8], delimiter: u8) -> Option<&'a [u8]> {
    let is_end = |byte: &u8| is_space(*byte) || *byte == delimiter;
    let start = line.iter().position(|byte| !is_end(byte))?;
    let mut word = &line[start..];
    let end = match word[0] {
        quote @ (b'"' | b'\'') => {
            word = &word[1..];
            memchr(quote, word)
        }
        _ => word.iter().position(is_end),
    };
    let Some(end) = end else {
        *line = b"";
        return Some(word);
    };
    *line = &word[end + 1..];
    Some(&word[..end])
}

/// A line of the file, with the lines that continue it.
struct ConfigLine {
    /// The number of the first of them.
    number: u64,
    /// Their bytes.
    text: Vec<u8>,
}

/// Returns the lines of the file: a backslash at the end joins the next.
fn lines(bytes: &[u8]) -> Vec<ConfigLine> {
    let mut lines: Vec<ConfigLine> = Vec::new();
    let mut is_joined = false;
    for (number, part) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let text = part.strip_suffix(b"\\").unwrap_or(part);
        match lines.last_mut() {
            Some(line) if is_joined => line.text.extend_from_slice(text),
            _ => lines.push(ConfigLine {
                number,
                text: text.to_vec(),
            }),
        }
        is_joined = text.len() < part.len();
    }
    lines
}

/// Reads the file of this name, starting from PBS's defaults. Also returns what is wrong or odd.
pub(super) fn parse(bytes: &[u8], file: Shown) -> (Pbs, Problems) {
    let mut reader = SchedConfigReader {
        problems: Problems::of(file),
        ..SchedConfigReader::default()
    };
    for line in lines(bytes) {
        let text = c_string(&line.text);
        if !is_skipped(text) {
            reader.line = line.number;
            reader.line(text);
        }
    }
    reader.settings.fair_share = FairShare::of(reader.prime, reader.non_prime);
    (reader.settings, reader.problems)
}

/// Sets options as the scheduler does.
#[derive(Default)]
struct SchedConfigReader {
    /// The settings so far, without `fair_share`.
    settings: Pbs,
    /// Whether fairshare is on in prime time.
    prime: bool,
    /// Whether fairshare is on in non-prime time.
    non_prime: bool,
    /// The scheduler does not reset this flag: after one valid time it accepts any number as a time.
    has_read_a_time: bool,
    /// The number of the present line.
    line: u64,
    /// What is wrong or odd so far.
    problems: Problems,
}

impl SchedConfigReader {
    /// Adds a problem of the present line.
    fn report(&mut self, problem: ConfigProblem) {
        self.problems.report(self.line, problem);
    }

    /// Reads a line that is not a comment.
    fn line(&mut self, line: &[u8]) {
        let mut rest = line;
        let Some(name) = next_word(&mut rest, b':') else {
            return self.report(ConfigProblem::NoOption);
        };
        let Some(value) = next_word(&mut rest, b' ') else {
            return self.report(ConfigProblem::NoOption);
        };
        let word = next_word(&mut rest, b' ');
        let named = match word {
            Some(word) => LinePeriod::named(word),
            None => Some(LinePeriod::ALL),
        };
        let period = named.unwrap_or(LinePeriod::ALL);
        let is_logged = self.option(name, value, period);
        if let Some(word) = word {
            let is_unread =
                name.starts_with(b"fairshare_") || matches!(name, b"unknown_shares" | b"half_life");
            // The scheduler keeps one message per line, the last.
            if named.is_none() && !is_logged {
                let word = shown(word);
                self.report(ConfigProblem::UnknownPeriod { word });
            } else if period != LinePeriod::ALL && is_unread {
                let name = shown(name);
                let word = shown(word);
                self.report(ConfigProblem::UnreadPeriod { name, word });
            }
        }
        if let Some(instead) = replacement(name) {
            let name = shown(name);
            self.report(ConfigProblem::Obsolete { name, instead });
        }
    }

    /// Sets one option. Returns whether the scheduler logs that its value is wrong.
    fn option(&mut self, name: &[u8], value: &[u8], period: LinePeriod) -> bool {
        match name {
            b"fair_share" => {
                let is_on = self.truth(name, value);
                if period.prime {
                    self.prime = is_on;
                }
                if period.non_prime {
                    self.non_prime = is_on;
                }
                false
            }
            b"fairshare_enforce_no_shares" => {
                self.settings.fairshare_enforce_no_shares = self.truth(name, value);
                false
            }
            b"prime_spill" => {
                if period.prime || period.non_prime {
                    self.time(value);
                }
                self.is_no_time(name, value)
            }
            b"half_life" | b"fairshare_decay_time" => self.set_decay_time(name, value),
            b"unknown_shares" => {
                self.set_unknown_shares(value);
                false
            }
            b"fairshare_decay_factor" => self.set_decay_factor(value),
            b"fairshare_usage_res" => {
                self.settings.fairshare_usage_res = String::from_utf8_lossy(value).into_owned();
                false
            }
            b"fairshare_entity" => self.set_entity(value),
            _ => {
                let is_known = OTHERS.iter().any(|known| known.as_bytes() == name)
                    || replacement(name).is_some();
                if !is_known {
                    let name = shown(name);
                    self.report(ConfigProblem::UnknownOption { name });
                }
                !is_known
            }
        }
    }

    /// Returns a word as the scheduler's whole number: -1 for an invalid one.
    fn number(value: &[u8]) -> i64 {
        if value.eq_ignore_ascii_case(b"true") {
            1
        } else if value.eq_ignore_ascii_case(b"false") {
            0
        } else if let Some(b'0'..=b'9') = value.first() {
            strtol(value).0
        } else {
            -1
        }
    }

    /// Returns a word as a truth value: everything but `false` and 0 is true.
    fn truth(&mut self, name: &[u8], value: &[u8]) -> bool {
        let is_true = Self::number(value) != 0;
        match &value.to_ascii_lowercase()[..] {
            b"true" | b"false" | b"0" | b"1" => {}
            _ => {
                let name = shown(name);
                let value = shown_text(value);
                self.report(ConfigProblem::NoTruth {
                    name,
                    value,
                    is_true,
                });
            }
        }
        is_true
    }

    /// Sets what usage is charged to. Returns whether the scheduler logs that it is unknown.
    fn set_entity(&mut self, value: &[u8]) -> bool {
        self.settings.fairshare_entity = String::from_utf8_lossy(value).into_owned();
        let is_known = matches!(
            value,
            b"euser" | b"egroup" | b"Account_Name" | b"queue" | b"egroup:euser"
        );
        if !is_known {
            let value = shown_text(value);
            self.report(ConfigProblem::UnknownEntity { value });
        }
        !is_known
    }

    /// Sets the shares of the group of unknown entities.
    fn set_unknown_shares(&mut self, value: &[u8]) {
        let held = int(Self::number(value));
        self.settings.unknown_shares = held;
        if whole(value) != Some(i64::from(held)) {
            let value = shown(value);
            self.report(ConfigProblem::BadShares { value, held });
        }
    }

    /// Sets the factor unless it is none. Returns whether the scheduler logs that.
    #[expect(clippy::cast_possible_truncation, reason = "PBS keeps a 32-bit float")]
    fn set_decay_factor(&mut self, text: &[u8]) -> bool {
        let value = shown_text(text);
        let Ok(number) = String::from_utf8_lossy(text).trim_start().parse::<f64>() else {
            self.report(ConfigProblem::NoDecayFactor { value });
            return true;
        };
        let factor = number as f32;
        if factor <= 0.0 || factor >= 1.0 {
            self.report(ConfigProblem::DecayFactorOutside { value });
            return true;
        }
        self.settings.fairshare_decay_factor = factor;
        if factor.is_nan() {
            self.report(ConfigProblem::DecayFactorNan);
        }
        false
    }

    /// Sets the time between two decays. Returns whether the scheduler logs that it is no time.
    fn set_decay_time(&mut self, name: &[u8], text: &[u8]) -> bool {
        let seconds = self.time(text);
        self.settings.fairshare_decay_time = seconds;
        if self.is_no_time(name, text) {
            return true;
        }
        if seconds <= 0 {
            let value = shown_text(text);
            let seconds = match seconds {
                i64::MIN => "minus infinity".to_owned(),
                seconds => format!("{seconds} seconds"),
            };
            self.report(ConfigProblem::BadDecayTime { value, seconds });
        }
        false
    }

    /// Returns whether a word is logged as no time.
    fn is_no_time(&mut self, name: &[u8], value: &[u8]) -> bool {
        if !self.has_read_a_time {
            let name = shown(name);
            let value = shown_text(value);
            self.report(ConfigProblem::NoTime { name, value });
        }
        !self.has_read_a_time
    }

    /// Returns a word as seconds, read as the scheduler reads any resource; `i64::MIN` if it is no number.
    #[expect(clippy::cast_possible_truncation, reason = "PBS cuts fractions off")]
    fn time(&mut self, value: &[u8]) -> i64 {
        let amount = resource(value);
        self.has_read_a_time |= is_time(value);
        let range = -9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0;
        if range.contains(&amount) {
            amount as i64
        } else {
            i64::MIN
        }
    }
}
