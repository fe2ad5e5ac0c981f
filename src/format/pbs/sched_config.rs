//! `sched_config`: the fairshare settings, read as the scheduler reads them.
//!
//! Follows `parse_config` and `scan` of OpenPBS 23.06 (`src/scheduler/parse.cpp`). Other lines are checked only for what
//! the scheduler would log about any line.

use super::number::{int, is_space, resource, strtol, whole};
use crate::base::shown::{Shown, sentence, shown, shown_text};
use crate::format::problem::Problems;
use crate::model::{FairShare, Pbs};

/// Options of the scheduler that do not concern fairshare and are not obsolete.
const OTHERS: &str = "allow_aoe_calendar backfill_prime by_queue dedicated_prefix job_sort_key max_job_check \
                      mom_resources node_sort_key nonprimetime_prefix peer_queue preempt_attempts preemptive_sched \
                      prime_exempt_anytime_queues primetime_prefix provision_policy resource_unset_infinite resources \
                      resv_confirm_ignore round_robin server_dyn_res smp_cluster_dist strict_ordering update_comments";

const USE_ELIGIBLE_TIME: &str = "use eligible_time in job_sort_formula";

/// Options that the scheduler still accepts but calls obsolete, and their replacements.
const OBSOLETE: &[(&[u8], &str)] = &[
    (b"backfill", "set backfill_depth with qmgr"),
    (
        b"half_life",
        "write fairshare_decay_time and fairshare_decay_factor",
    ),
    (b"help_starving_jobs", USE_ELIGIBLE_TIME),
    (b"log_filter", "set log_events with qmgr"),
    (b"max_starve", USE_ELIGIBLE_TIME),
    (b"node_group_key", "set it with qmgr"),
    (b"preempt_order", "set it with qmgr"),
    (b"preempt_prio", "set it with qmgr"),
    (b"preempt_queue_prio", "set it with qmgr"),
    (b"preempt_sort", "set it with qmgr"),
    (b"sort_nodes", "write node_sort_key"),
    (b"sort_queues", "delete the line"),
    (b"strict_fifo", "write strict_ordering"),
];

/// What usage can be charged to.
const ENTITIES: &str = "euser egroup Account_Name queue egroup:euser";

/// Options of fairshare whose word for the time the scheduler does not read, beside those that begin with `fairshare_`.
const FOR_ALL_TIMES: [&[u8]; 2] = [b"unknown_shares", b"half_life"];

/// Whether a line applies in prime time, and in non-prime time.
type LinePeriod = (bool, bool);

fn period(word: &[u8]) -> Option<LinePeriod> {
    match word {
        b"all" | b"ALL" => Some((true, true)),
        b"prime" | b"PRIME" => Some((true, false)),
        b"non_prime" | b"NON_PRIME" => Some((false, true)),
        b"none" | b"NONE" => Some((false, false)),
        _ => None,
    }
}

/// The words of a line. A word ends at a blank, or at the requested delimiter. Quotes keep blanks in a word.
struct Words<'a>(Option<&'a [u8]>);

impl<'a> Words<'a> {
    fn next(&mut self, delimiter: u8) -> Option<&'a [u8]> {
        let rest = self.0.take()?;
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
        self.0 = Some(&word[end + 1..]);
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

/// Reads the file of this name, starting from PBS's defaults. Also returns what is wrong or odd.
pub(super) fn parse(bytes: &[u8], file: Shown) -> (Pbs, Problems) {
    let mut reader = SchedConfigReader {
        problems: Problems::of(file),
        ..SchedConfigReader::default()
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
    (reader.settings, reader.problems)
}

#[derive(Default)]
struct SchedConfigReader {
    settings: Pbs,
    /// Whether fairshare is on in prime time.
    prime: bool,
    non_prime: bool,
    /// The scheduler does not reset this flag: after one valid time it accepts any number as a time.
    has_read_a_time: bool,
    line: u64,
    problems: Problems,
}

impl SchedConfigReader {
    fn warn(&mut self, code: &'static str, message: Shown, advice: &'static str) {
        self.problems.warn(self.line, code, message, advice);
    }

    fn line(&mut self, line: &[u8]) {
        let mut words = Words(Some(line));
        let (name, value, prime) = (words.next(b':'), words.next(b' '), words.next(b' '));
        let (Some(name), Some(value)) = (name, value) else {
            let message = "the line is not a name, a colon and a value; PBS leaves it out";
            let advice = "write NAME: VALUE, or # before a comment";
            let (line, code) = (self.line, "pbs-config-line");
            return self.problems.refuse(line, code, message, advice);
        };
        let named = prime.map_or(Some((true, true)), period);
        let is_logged = self.option(name, value, named.unwrap_or((true, true)));
        // The scheduler keeps one message per line, the last.
        if let (Some(word), None, false) = (prime, named, is_logged) {
            let message = sentence!(
                "{} after the value is not one of prime, non_prime, all, none; PBS reads it as all",
                shown(word)
            );
            let advice = "delete the word, put a value with blanks in quotes, and comments on their own lines";
            self.warn("pbs-config-prime", message, advice);
        }
        let is_of_period = named.is_some_and(|period| period != (true, true));
        let is_unread = FOR_ALL_TIMES.contains(&name) || name.starts_with(b"fairshare_");
        if let (Some(word), true) = (prime, is_of_period && is_unread) {
            let message = sentence!(
                "{} has no prime option: PBS does not read {} after the value, which counts at all times",
                shown(name),
                shown(word)
            );
            let advice = "delete the word; only fair_share differs in prime time";
            self.warn("pbs-config-prime-unread", message, advice);
        }
        if let Some((_, instead)) = OBSOLETE.iter().find(|(known, _)| *known == name) {
            let message = sentence!("{} is obsolete; PBS still accepts the line", shown(name));
            let code = "pbs-config-obsolete";
            self.problems.note(self.line, code, message, *instead);
        }
    }

    /// Sets one option. Returns whether the scheduler logs that its value is wrong.
    fn option(&mut self, name: &[u8], value: &[u8], (prime, non_prime): LinePeriod) -> bool {
        let text = || String::from_utf8_lossy(value).into_owned();
        match name {
            b"fair_share" => {
                let is_on = self.boolean(name, value);
                if prime {
                    self.prime = is_on;
                }
                if non_prime {
                    self.non_prime = is_on;
                }
            }
            b"fairshare_enforce_no_shares" => {
                self.settings.fairshare_enforce_no_shares = self.boolean(name, value);
            }
            b"prime_spill" => {
                if prime || non_prime {
                    self.time(value);
                }
                return self.is_no_time(name, value);
            }
            b"half_life" | b"fairshare_decay_time" => {
                let seconds = self.time(value);
                self.settings.fairshare_decay_time = seconds;
                if self.is_no_time(name, value) {
                    return true;
                }
                if seconds <= 0 {
                    let seconds = match seconds {
                        i64::MIN => "minus infinity".to_owned(),
                        seconds => format!("{seconds} seconds"),
                    };
                    let message = sentence!(
                        "the decay time {} is {seconds} to PBS; usage does not decay as it should",
                        shown_text(value)
                    );
                    let advice = "write HH:MM:SS, without fractions of a second";
                    self.warn("pbs-config-decay-time", message, advice);
                }
            }
            b"unknown_shares" => self.unknown_shares(value),
            b"fairshare_decay_factor" => return self.is_no_factor(value),
            b"fairshare_usage_res" => self.settings.fairshare_usage_res = text(),
            b"fairshare_entity" => {
                self.settings.fairshare_entity = text();
                if ENTITIES.split(' ').all(|known| known.as_bytes() != value) {
                    let message = sentence!(
                        "unknown fairshare_entity '{}\'; usage is charged to GROUP:USER instead",
                        shown_text(value)
                    );
                    let advice = "write euser, egroup, Account_Name, queue or egroup:euser";
                    self.warn("pbs-config-entity", message, advice);
                    return true;
                }
            }
            _ if OTHERS.split(' ').any(|known| known.as_bytes() == name) => {}
            _ if OBSOLETE.iter().any(|(known, _)| *known == name) => {}
            _ => {
                let message =
                    sentence!("unknown option '{}\'; the line has no effect", shown(name));
                let advice = "check the spelling, including lower case, or delete the line";
                self.warn("pbs-config-unknown", message, advice);
                return true;
            }
        }
        false
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
        let words = [&b"true"[..], b"false", b"0", b"1"];
        let is_plain = words.iter().any(|word| value.eq_ignore_ascii_case(word));
        let is_true = Self::number(value) != 0;
        if !is_plain {
            let (name, value) = (shown(name), shown_text(value));
            let message =
                sentence!("{name} is {value}, neither true nor false; PBS reads it as {is_true}");
            self.warn("pbs-config-boolean", message, "write true or false");
        }
        is_true
    }

    fn unknown_shares(&mut self, value: &[u8]) {
        let held = int(Self::number(value));
        self.settings.unknown_shares = held;
        if whole(value) != Some(i64::from(held)) {
            let message = sentence!(
                "unknown_shares is {}, not a whole number from 0 up; PBS uses {held}",
                shown(value)
            );
            self.warn("pbs-config-shares", message, "write digits only");
        }
    }

    /// Sets the factor unless it is none, and returns whether that is logged.
    #[expect(clippy::cast_possible_truncation, reason = "PBS keeps a 32-bit float")]
    fn is_no_factor(&mut self, value: &[u8]) -> bool {
        let number = str::from_utf8(value).ok().map(str::trim_start);
        let number = number.and_then(|text| text.parse::<f64>().ok());
        let factor = number.map(|number| number as f32);
        // The scheduler accepts NaN, too.
        let is_held = |factor: &f32| factor.is_nan() || (*factor > 0.0 && *factor < 1.0);
        if let Some(held) = factor.filter(is_held) {
            self.settings.fairshare_decay_factor = held;
        }
        let message = match factor {
            Some(factor) if factor.is_nan() => {
                "fairshare_decay_factor is nan; PBS accepts it, and every usage becomes 1 at the next decay".into()
            }
            Some(factor) if is_held(&factor) => return false,
            Some(_) => sentence!(
                "fairshare_decay_factor {} is not between 0 and 1 as a 32-bit float; PBS leaves the line out",
                shown_text(value)
            ),
            None => sentence!(
                "fairshare_decay_factor {} is not a number; PBS leaves the line out",
                shown_text(value)
            ),
        };
        let advice = "write a number between 0 and 1, such as 0.5";
        let code = "pbs-config-decay-factor";
        self.problems.refuse(self.line, code, message, advice);
        !factor.is_some_and(f32::is_nan)
    }

    /// Returns whether a word is logged as no time.
    fn is_no_time(&mut self, name: &[u8], value: &[u8]) -> bool {
        if !self.has_read_a_time {
            let (name, value) = (shown(name), shown_text(value));
            let message = sentence!(
                "{name} is {value}, not a time; PBS logs an error and reads the number as seconds"
            );
            self.warn("pbs-config-time", message, "write HH:MM:SS");
        }
        !self.has_read_a_time
    }

    /// Returns a word as seconds, read as the scheduler reads any resource; `i64::MIN` if it is no number.
    #[expect(clippy::cast_possible_truncation, reason = "PBS cuts fractions off")]
    fn time(&mut self, value: &[u8]) -> i64 {
        let (amount, is_time) = resource(value);
        self.has_read_a_time |= is_time;
        let range = -9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0;
        let is_held = range.contains(&amount);
        if is_held { amount as i64 } else { i64::MIN }
    }
}
