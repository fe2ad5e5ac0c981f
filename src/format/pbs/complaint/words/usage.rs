//! The sentences about the usage file.

use super::{FaultText, fault_text};
use crate::base::shown::{Shown, sentence, shown};
use crate::format::Severity::{Error, Note, Warning};
use crate::format::pbs::Fault;

impl Fault {
    /// Returns the text of a fault of this file, or `None` for one of another.
    #[expect(clippy::too_many_lines, reason = "a table, one row a fault")]
    pub(super) fn of_usage(&self) -> Option<FaultText> {
        Some(match self {
            Self::NoUsage => fault_text(
                Note,
                "pbs-no-usage",
                "there is no usage file; every entity begins with a usage of 1",
                "name one with --usage if there is one",
            ),
            Self::NoHeader { length } => fault_text(
                Warning,
                "pbs-short-usage",
                sentence!(
                    "the file has {}, too short for a header and the time of the last decay; PBS reads no usage from \
                     it",
                    if *length == 1 {
                        "1 byte".to_owned()
                    } else {
                        format!("{length} bytes")
                    }
                ),
                "an interrupted write leaves such a file: look for usage.bak next to it",
            ),
            Self::BadVersion { version } => fault_text(
                Error,
                "pbs-bad-version",
                sentence!(
                    "the header says version {version}, and PBS reads version 2; no usage is read"
                ),
                "restore the file from usage.bak or a backup",
            ),
            Self::BigEndian => fault_text(
                Error,
                "pbs-big-endian",
                "the file was written on a machine with the other byte order; PBS on this machine reads no usage from it",
                "read it where it was written, and enter the usage here with pbsfs -s",
            ),
            Self::ThirtyTwoBit => fault_text(
                Error,
                "pbs-32-bit",
                "the file was written by a 32-bit PBS, whose records have another size; PBS on this machine reads no usage from it",
                "read it where it was written, and enter the usage here with pbsfs -s",
            ),
            Self::BadLastDecay { last_decay } => fault_text(
                Error,
                "pbs-bad-last-decay",
                sentence!(
                    "the last decay at {last_decay} Unix seconds is before the year 2000; PBS treats the header as \
                     damaged and reads no usage"
                ),
                "restore the file from usage.bak or a backup",
            ),
            Self::BadMagic => fault_text(
                Error,
                "pbs-bad-magic",
                "the file does not begin with PBS_MAG! and is not version 1 either; PBS still reads it as version 1, \
                 with meaningless entities",
                "restore the file from usage.bak or a backup",
            ),
            Self::OldUsage => fault_text(
                Note,
                "pbs-old-usage",
                "the file is of version 1, with names of at most 8 bytes; PBS reads it and writes version 2 from then on",
                "nothing needs to be done",
            ),
            Self::CutRecord {
                record,
                length,
                expected,
            } => fault_text(
                Warning,
                "pbs-cut-record",
                sentence!(
                    "record {record}, the last, has {length} of {expected} bytes; PBS drops it silently"
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
                fault_text(
                    Error,
                    "pbs-invalid-record",
                    sentence!(
                        "record {record}, of {}: {reason}; PBS leaves it out",
                        entity(name)
                    ),
                    "rename the entity, or set its usage again with pbsfs -s",
                )
            }
            Self::GroupRecord { record, name } => fault_text(
                Warning,
                "pbs-group-record",
                sentence!(
                    "record {record} is of {}, which is a group; it overwrites what the group's entities added so far",
                    entity(name)
                ),
                "let PBS rewrite the file: pbsfs -s for any entity drops the record",
            ),
            Self::RepeatedRecord { record, name } => fault_text(
                Warning,
                "pbs-repeated-record",
                sentence!(
                    "record {record} is of {}, which has one already; the last one counts for itself, but all of them count for the groups above",
                    entity(name)
                ),
                "let PBS rewrite the file: pbsfs -s for any entity drops the repetition",
            ),
            Self::InfiniteUsage { record, name } => fault_text(
                Warning,
                "pbs-infinite-usage",
                sentence!(
                    "record {record}, of {}, is infinite; so is the usage of every group above it",
                    entity(name)
                ),
                "set the usage again with pbsfs -s",
            ),
            Self::UnknownEntities { count, first } => fault_text(
                Note,
                "pbs-unknown-entity",
                unknown_entities(*count, first),
                "add them to resource_group, or give unknown shares with unknown_shares in sched_config",
            ),
            _ => return None,
        })
    }
}

/// Returns a name for a sentence, also for an empty one.
fn entity(name: &[u8]) -> Shown {
    if name.is_empty() {
        "an empty name".into()
    } else {
        shown(name)
    }
}

fn unknown_entities(count: usize, first: &[Vec<u8>]) -> Shown {
    let names: Vec<Shown> = first.iter().map(|name| entity(name)).collect();
    let names = names.join(", ");
    let more = count - first.len();
    let (who, verb) = match (count, more) {
        (1, _) => (names, "is"),
        (_, 0) => (names, "are"),
        _ => (format!("{names} and {more} more entities"), "are"),
    };
    sentence!(
        "{who} {verb} not in resource_group; PBS puts such entities under unknown with 1 share each"
    )
}
