//! The sentences of the problems: what is wrong, what PBS makes of it, how to mend it.

use super::Fault;
use crate::format::Severity;
use crate::shown::shown;

/// What some editors put before the text of a file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A fault in words.
pub(super) struct Told {
    pub(super) severity: Severity,
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) advice: &'static str,
}

fn told(
    severity: Severity,
    code: &'static str,
    message: impl Into<String>,
    advice: &'static str,
) -> Told {
    Told {
        severity,
        code,
        message: message.into(),
        advice,
    }
}

impl Fault {
    /// The fault in words.
    pub(super) fn told(&self) -> Told {
        self.told_of_group()
            .or_else(|| self.told_of_usage())
            .or_else(|| self.told_of_config())
            .expect("every fault belongs to one of the three files")
    }

    #[expect(clippy::too_many_lines, reason = "a table: an arm for each fault")]
    fn told_of_group(&self) -> Option<Told> {
        use Severity::{Error, Warning};
        Some(match self {
            Self::TooFewFields { fields, .. } => told(
                Error,
                "pbs-too-few-fields",
                format!(
                    "the line has {fields} of the four fields name, group number, parent, shares; PBS leaves it out"
                ),
                "write all four, separated by blanks or tabs",
            ),
            Self::DuplicateName { name, .. } if matches!(&name[..], b"TREEROOT" | b"unknown") => {
                told(
                    Error,
                    "pbs-duplicate-name",
                    format!(
                        "{} is a name of PBS's own; the line is left out",
                        shown(name)
                    ),
                    "choose another name; the shares of unknown are set by unknown_shares in sched_config",
                )
            }
            Self::DuplicateName { name, .. } => told(
                Error,
                "pbs-duplicate-name",
                format!(
                    "{} was defined on an earlier line; PBS keeps the first and leaves this line out",
                    shown(name)
                ),
                "delete one of the two lines, or rename one: PBS knows nodes by name alone",
            ),
            Self::MissingParent { name, parent, .. } if name == parent => told(
                Error,
                "pbs-missing-parent",
                format!("{} is its own parent; PBS leaves the line out", shown(name)),
                "name the group it belongs to, or root",
            ),
            Self::MissingParent { name, parent, .. } => told(
                Error,
                "pbs-missing-parent",
                format!(
                    "the parent {} of {} is not defined on an earlier line; PBS leaves the line out",
                    shown(parent),
                    shown(name)
                ),
                "define the parent above this line, or write root",
            ),
            Self::BadShares { name, text, .. } if text.ends_with(b"\r") => told(
                Error,
                "pbs-crlf",
                format!(
                    "the line of {} ends in a carriage return, which spoils the shares {}; PBS leaves it out",
                    shown(name),
                    shown(text)
                ),
                "give the file Unix line ends: sed -i 's/\\r$//' FILE",
            ),
            Self::BadShares { name, text, .. } => told(
                Error,
                "pbs-bad-shares",
                format!(
                    "the shares {} of {} are not a whole number; PBS leaves the line out",
                    shown(text),
                    shown(name)
                ),
                "write digits only, and a blank before a comment",
            ),
            Self::BadGroup { name, text, .. } => told(
                Error,
                "pbs-bad-cresgroup",
                format!(
                    "the group number {} of {} is not a whole number; PBS leaves the line out",
                    shown(text),
                    shown(name)
                ),
                "write any whole number; PBS only shows it",
            ),
            Self::SharesWrap { name, held } => told(
                Warning,
                "pbs-shares-wrap",
                format!(
                    "the shares of {} do not fit 32 bits; PBS holds {held} in their place",
                    shown(name)
                ),
                "divide the shares of all siblings by the same number",
            ),
            Self::NegativeShares { name, held } => told(
                Warning,
                "pbs-negative-shares",
                format!(
                    "{} has {held} shares; PBS takes them and computes percentages below 0 or above 100",
                    shown(name)
                ),
                "write 0 or more",
            ),
            Self::RootName => told(
                Warning,
                "pbs-root-name",
                "a node is called root, but as a parent root always means the top of the tree",
                "choose another name if anything is to stand below it",
            ),
            Self::NulByte => told(
                Warning,
                "pbs-nul-byte",
                "the line holds a NUL; PBS does not see what follows it on the line",
                "delete the byte",
            ),
            Self::LineSplit => told(
                Warning,
                "pbs-line-split",
                "the line is longer than 255 bytes; PBS reads each 255 bytes as a line of its own, and counts them in its messages",
                "shorten the line",
            ),
            Self::UnrecordableName { name } if name.starts_with(BYTE_ORDER_MARK) => told(
                Warning,
                "pbs-byte-order-mark",
                format!(
                    "the file begins with a byte order mark, which PBS makes part of the name {}; its usage is lost at the next read",
                    shown(name)
                ),
                "remove the mark: sed -i '1s/^\\xEF\\xBB\\xBF//' FILE",
            ),
            Self::NoNodes => told(
                Warning,
                "pbs-no-nodes",
                "no line gives a node, so the tree holds only what PBS adds itself, the group unknown",
                "check what should have written the file; a line is a name, a group number, a parent and shares",
            ),
            Self::UnrecordableName { name } => told(
                Warning,
                "pbs-unrecordable-name",
                format!(
                    "{} cannot own usage: PBS reads back only names of at most 49 letters, digits, blanks and . - _ : so its usage is lost at the next read",
                    shown(name)
                ),
                "rename the entity",
            ),
            _ => return None,
        })
    }

    #[expect(clippy::too_many_lines, reason = "a table: an arm for each fault")]
    fn told_of_usage(&self) -> Option<Told> {
        use Severity::{Error, Note, Warning};
        Some(match self {
            Self::NoUsage => told(
                Note,
                "pbs-no-usage",
                "there is no usage file; every entity begins with a usage of 1",
                "name one with --usage if there is one",
            ),
            Self::NoHeader { length } => told(
                Warning,
                "pbs-short-usage",
                format!(
                    "the file has {}, too few for a header and the time of the last decay; PBS reads no usage from it",
                    if *length == 1 {
                        "1 byte".to_owned()
                    } else {
                        format!("{length} bytes")
                    }
                ),
                "an interrupted write leaves such a file: look for usage.bak beside it",
            ),
            Self::BadVersion { version } => told(
                Error,
                "pbs-bad-version",
                format!(
                    "the header says version {version}, and PBS reads version 2; no usage is read"
                ),
                "restore the file from usage.bak or a backup",
            ),
            Self::BigEndian => told(
                Error,
                "pbs-big-endian",
                "the file was written on a machine with the other byte order; PBS on this machine reads no usage from it",
                "read it where it was written, and enter the usage here with pbsfs -s",
            ),
            Self::ThirtyTwoBit => told(
                Error,
                "pbs-32-bit",
                "the file was written by a 32-bit PBS, whose records have another size; PBS on this machine reads no usage from it",
                "read it where it was written, and enter the usage here with pbsfs -s",
            ),
            Self::BadLastDecay { last_decay } => told(
                Error,
                "pbs-bad-last-decay",
                format!(
                    "the last decay at {last_decay} Unix seconds is before the year 2000; PBS takes the header for damaged and reads no usage"
                ),
                "restore the file from usage.bak or a backup",
            ),
            Self::BadMagic => told(
                Error,
                "pbs-bad-magic",
                "the file does not begin with PBS_MAG! and is no version 1 either; PBS reads it as version 1 all the same and makes nonsense entities of it",
                "restore the file from usage.bak or a backup",
            ),
            Self::OldUsage => told(
                Note,
                "pbs-old-usage",
                "the file is of version 1, with names of at most 8 bytes; PBS reads it and writes version 2 from then on",
                "nothing needs to be done",
            ),
            Self::CutRecord {
                record,
                length,
                expected,
            } => told(
                Warning,
                "pbs-cut-record",
                format!(
                    "record {record}, the last, has {length} of {expected} bytes; PBS drops it without a word"
                ),
                "an interrupted write leaves such a file: compare it with usage.bak",
            ),
            Self::InvalidRecord {
                record,
                name,
                amount,
                is_valid_name,
            } => {
                let reason = if *is_valid_name {
                    format!("the usage {amount} is not 0 or more")
                } else {
                    "the name has other bytes than letters, digits, blanks and . - _ : or no end"
                        .to_owned()
                };
                told(
                    Error,
                    "pbs-invalid-record",
                    format!(
                        "record {record}, of {}: {reason}; PBS leaves it out",
                        entity(name)
                    ),
                    "rename the entity, or set its usage again with pbsfs -s",
                )
            }
            Self::GroupRecord { record, name } => told(
                Warning,
                "pbs-group-record",
                format!(
                    "record {record} is of {}, which is a group; it overwrites what the group's entities added so far",
                    entity(name)
                ),
                "let PBS write the file anew: pbsfs -s of any entity drops the record",
            ),
            Self::RepeatedRecord { record, name } => told(
                Warning,
                "pbs-repeated-record",
                format!(
                    "record {record} is of {}, which has one already; the last one counts for itself, but all of them count for the groups above",
                    entity(name)
                ),
                "let PBS write the file anew: pbsfs -s of any entity drops the repetition",
            ),
            Self::InfiniteUsage { record, name } => told(
                Warning,
                "pbs-infinite-usage",
                format!(
                    "record {record}, of {}, is infinite; so is the usage of every group above it",
                    entity(name)
                ),
                "set the usage again with pbsfs -s",
            ),
            Self::UnknownEntities { count, first } => told(
                Note,
                "pbs-unknown-entity",
                unknown_entities(*count, first),
                "add them to resource_group, or give unknown shares with unknown_shares in sched_config",
            ),
            _ => return None,
        })
    }

    #[expect(clippy::too_many_lines, reason = "a table: an arm for each fault")]
    fn told_of_config(&self) -> Option<Told> {
        use Severity::{Error, Note, Warning};
        Some(match self {
            Self::NoConfig => told(
                Note,
                "pbs-no-config",
                "there is no sched_config; PBS's defaults are used",
                "name one with --sched-config, or set what differs with --set",
            ),
            Self::ConfigLine => told(
                Error,
                "pbs-config-line",
                "the line is not a name, a colon and a value; PBS leaves it out",
                "write NAME: VALUE, or # before a comment",
            ),
            Self::ConfigUnknown { name } => told(
                Warning,
                "pbs-config-unknown",
                format!("{} is not an option PBS knows; the line has no effect", shown(name)),
                "check the spelling, small letters included, or delete the line",
            ),
            Self::ConfigObsolete { name, instead } => told(
                Note,
                "pbs-config-obsolete",
                format!("{} is obsolete; PBS still takes the line", shown(name)),
                instead,
            ),
            Self::ConfigPrime { word } => told(
                Warning,
                "pbs-config-prime",
                format!(
                    "{} after the value is not one of prime, non_prime, all, none; PBS takes it as all",
                    shown(word)
                ),
                "delete the word, put a value with blanks in quotes, and comments on their own lines",
            ),
            Self::ConfigBoolean {
                name,
                text,
                is_true,
            } => told(
                Warning,
                "pbs-config-boolean",
                format!(
                    "{} is {}, neither true nor false; PBS takes it as {is_true}",
                    shown(name),
                    shown(text)
                ),
                "write true or false",
            ),
            Self::ConfigTime { name, text } => told(
                Warning,
                "pbs-config-time",
                format!(
                    "{} is {}, not a time; PBS complains and takes the number as seconds",
                    shown(name),
                    shown(text)
                ),
                "write HH:MM:SS",
            ),
            Self::ConfigNoDecay { text, seconds } => told(
                Warning,
                "pbs-config-decay-time",
                format!(
                    "the decay time {} is {} to PBS; usage does not decay as it should",
                    shown(text),
                    if *seconds == i64::MIN {
                        "minus infinity".to_owned()
                    } else {
                        format!("{seconds} seconds")
                    }
                ),
                "write HH:MM:SS, without fractions of a second",
            ),
            Self::ConfigShares { text, held } => told(
                Warning,
                "pbs-config-shares",
                format!("unknown_shares is {} to be read as a number; PBS takes {held}", shown(text)),
                "write digits only",
            ),
            Self::ConfigDecayFactor { text, factor } => told(
                Error,
                "pbs-config-decay-factor",
                match factor {
                    Some(factor) if factor.is_nan() => {
                        "fairshare_decay_factor is nan; PBS takes it, and every usage becomes 1 at the next decay"
                            .to_owned()
                    }
                    Some(_) => format!(
                        "fairshare_decay_factor {} is not between 0 and 1 as a 32-bit float; PBS leaves the line out",
                        shown(text)
                    ),
                    None => format!(
                        "fairshare_decay_factor {} is not a number; PBS leaves the line out",
                        shown(text)
                    ),
                },
                "write a number between 0 and 1, such as 0.5",
            ),
            Self::ConfigEntity { text } => told(
                Warning,
                "pbs-config-entity",
                format!(
                    "fairshare_entity {} is not one PBS knows; usage is charged to GROUP:USER instead",
                    shown(text)
                ),
                "write euser, egroup, Account_Name, queue or egroup:euser",
            ),
            _ => return None,
        })
    }
}

/// A name in a sentence; an empty one has a word too.
fn entity(name: &[u8]) -> String {
    if name.is_empty() {
        "an empty name".to_owned()
    } else {
        shown(name)
    }
}

fn unknown_entities(count: usize, first: &[Vec<u8>]) -> String {
    let names: Vec<String> = first.iter().map(|name| entity(name)).collect();
    let names = names.join(", ");
    let more = count - first.len();
    let (who, verb) = match (count, more) {
        (1, _) => (names, "is"),
        (_, 0) => (names, "are"),
        _ => (format!("{names} and {more} more entities"), "are"),
    };
    format!(
        "{who} {verb} not in resource_group; PBS puts such entities under unknown with 1 share each"
    )
}
