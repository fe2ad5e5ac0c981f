//! The sentences about `sched_config`.

use super::{FaultText, fault_text};
use crate::base::shown::{sentence, shown, shown_text};
use crate::format::Severity::{Error, Note, Warning};
use crate::format::pbs::Fault;

impl Fault {
    /// Returns the text of a fault of this file, or `None` for one of another.
    #[expect(clippy::too_many_lines, reason = "a table, one row a fault")]
    pub(super) fn of_sched_config(&self) -> Option<FaultText> {
        Some(match self {
            Self::ConfigLine => fault_text(
                Error,
                "pbs-config-line",
                "the line is not a name, a colon and a value; PBS leaves it out",
                "write NAME: VALUE, or # before a comment",
            ),
            Self::ConfigUnknown { name } => fault_text(
                Warning,
                "pbs-config-unknown",
                sentence!("unknown option '{}\'; the line has no effect", shown(name)),
                "check the spelling, including lower case, or delete the line",
            ),
            Self::ConfigObsolete { name, instead } => fault_text(
                Note,
                "pbs-config-obsolete",
                sentence!("{} is obsolete; PBS still accepts the line", shown(name)),
                instead,
            ),
            Self::ConfigPrime { word } => fault_text(
                Warning,
                "pbs-config-prime",
                sentence!(
                    "{} after the value is not one of prime, non_prime, all, none; PBS reads it as all",
                    shown(word)
                ),
                "delete the word, put a value with blanks in quotes, and comments on their own lines",
            ),
            Self::ConfigBoolean {
                name,
                text,
                is_true,
            } => fault_text(
                Warning,
                "pbs-config-boolean",
                sentence!(
                    "{} is {}, neither true nor false; PBS reads it as {is_true}",
                    shown(name),
                    shown_text(text)
                ),
                "write true or false",
            ),
            Self::ConfigTime { name, text } => fault_text(
                Warning,
                "pbs-config-time",
                sentence!(
                    "{} is {}, not a time; PBS logs an error and reads the number as seconds",
                    shown(name),
                    shown_text(text)
                ),
                "write HH:MM:SS",
            ),
            Self::ConfigNoDecay { text, seconds } => fault_text(
                Warning,
                "pbs-config-decay-time",
                sentence!(
                    "the decay time {} is {} to PBS; usage does not decay as it should",
                    shown_text(text),
                    if *seconds == i64::MIN {
                        "minus infinity".to_owned()
                    } else {
                        format!("{seconds} seconds")
                    }
                ),
                "write HH:MM:SS, without fractions of a second",
            ),
            Self::ConfigShares { text, held } => fault_text(
                Warning,
                "pbs-config-shares",
                sentence!("unknown_shares is {}, not a whole number from 0 up; PBS uses {held}", shown(text)),
                "write digits only",
            ),
            Self::ConfigDecayFactor { text, factor } => fault_text(
                Error,
                "pbs-config-decay-factor",
                match factor {
                    Some(factor) if factor.is_nan() => {
                        "fairshare_decay_factor is nan; PBS accepts it, and every usage becomes 1 at the next decay"
                            .into()
                    }
                    Some(_) => sentence!(
                        "fairshare_decay_factor {} is not between 0 and 1 as a 32-bit float; PBS leaves the line out",
                        shown_text(text)
                    ),
                    None => sentence!(
                        "fairshare_decay_factor {} is not a number; PBS leaves the line out",
                        shown_text(text)
                    ),
                },
                "write a number between 0 and 1, such as 0.5",
            ),
            Self::ConfigEntity { text } => fault_text(
                Warning,
                "pbs-config-entity",
                sentence!(
                    "unknown fairshare_entity '{}\'; usage is charged to GROUP:USER instead",
                    shown_text(text)
                ),
                "write euser, egroup, Account_Name, queue or egroup:euser",
            ),
            _ => return None,
        })
    }
}
