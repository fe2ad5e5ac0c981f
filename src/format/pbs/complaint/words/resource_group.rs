//! The sentences about `resource_group`.

use super::{FaultText, fault_text};
use crate::base::shown::{sentence, shown, shown_text};
use crate::format::Severity::{Error, Warning};
use crate::format::pbs::Fault;

/// The bytes that some editors put at the beginning of a file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl Fault {
    /// Returns the text of a fault of this file, or `None` for one of another.
    #[expect(clippy::too_many_lines, reason = "a table, one row a fault")]
    pub(super) fn of_resource_group(&self) -> Option<FaultText> {
        Some(match self {
            Self::TooFewFields { fields, .. } => fault_text(
                Error,
                "pbs-too-few-fields",
                sentence!(
                    "the line has {fields} of the four fields name, group number, parent, shares; PBS leaves it out"
                ),
                "write all four, separated by blanks or tabs",
            ),
            Self::DuplicateName { name, .. } if matches!(&name[..], b"TREEROOT" | b"unknown") => {
                fault_text(
                    Error,
                    "pbs-duplicate-name",
                    sentence!(
                        "{} is a name that PBS reserves; the line is left out",
                        shown(name)
                    ),
                    "choose another name; the shares of unknown are set by unknown_shares in sched_config",
                )
            }
            Self::DuplicateName { name, .. } => fault_text(
                Error,
                "pbs-duplicate-name",
                sentence!(
                    "{} was defined on an earlier line; PBS keeps the first and leaves this line out",
                    shown(name)
                ),
                "delete one of the two lines, or rename one: PBS knows nodes by name alone",
            ),
            Self::MissingParent { name, parent, .. } if name == parent => fault_text(
                Error,
                "pbs-missing-parent",
                sentence!("{} is its own parent; PBS leaves the line out", shown(name)),
                "write the group it belongs to, or root",
            ),
            Self::MissingParent { name, parent, .. } => fault_text(
                Error,
                "pbs-missing-parent",
                sentence!(
                    "the parent {} of {} is not defined on an earlier line; PBS leaves the line out",
                    shown(parent),
                    shown(name)
                ),
                "define the parent above this line, or write root",
            ),
            Self::BadShares { name, text, .. } if text.ends_with(b"\r") => fault_text(
                Error,
                "pbs-crlf",
                sentence!(
                    "the line of {} ends in a carriage return, which spoils the shares {}; PBS leaves it out",
                    shown(name),
                    shown_text(text)
                ),
                "give the file Unix line ends: sed -i 's/\\r$//' FILE",
            ),
            Self::BadShares { name, text, .. } => fault_text(
                Error,
                "pbs-bad-shares",
                sentence!(
                    "the shares {} of {} are not a whole number; PBS leaves the line out",
                    shown_text(text),
                    shown(name)
                ),
                "write digits only, and a blank before a comment",
            ),
            Self::BadGroup { name, text, .. } => fault_text(
                Error,
                "pbs-bad-cresgroup",
                sentence!(
                    "the group number {} of {} is not a whole number; PBS leaves the line out",
                    shown_text(text),
                    shown(name)
                ),
                "write any whole number; PBS only shows it",
            ),
            Self::SharesWrap { name, held } => fault_text(
                Warning,
                "pbs-shares-wrap",
                sentence!(
                    "the shares of {} do not fit 32 bits; PBS stores {held} instead",
                    shown(name)
                ),
                "divide the shares of all siblings by the same number",
            ),
            Self::NegativeShares { name, held } => fault_text(
                Warning,
                "pbs-negative-shares",
                sentence!(
                    "{} has {held} shares; PBS accepts them and computes percentages below 0 or above 100",
                    shown(name)
                ),
                "write 0 or more",
            ),
            Self::RootName => fault_text(
                Warning,
                "pbs-root-name",
                "a node is called root, but as a parent root always means the top of the tree",
                "choose another name if it should have members",
            ),
            Self::NulByte => fault_text(
                Warning,
                "pbs-nul-byte",
                "the line holds a NUL; PBS does not see what follows it on the line",
                "delete the byte",
            ),
            Self::LineSplit => fault_text(
                Warning,
                "pbs-line-split",
                "the line is longer than 255 bytes; PBS reads each 255 bytes as a line of its own, and counts them in its messages",
                "shorten the line",
            ),
            Self::UnrecordableName { name } if name.starts_with(BYTE_ORDER_MARK) => fault_text(
                Warning,
                "pbs-byte-order-mark",
                sentence!(
                    "the file begins with a byte order mark, which PBS makes part of the name {}; its usage is lost at the next read",
                    shown(name)
                ),
                "remove the mark: sed -i '1s/^\\xEF\\xBB\\xBF//' FILE",
            ),
            Self::NoNodes => fault_text(
                Warning,
                "pbs-no-nodes",
                "no line defines a node, so the tree has only the group unknown, which PBS adds itself",
                "check what should have written the file; a line is a name, a group number, a parent and shares",
            ),
            Self::UnrecordableName { name } => fault_text(
                Warning,
                "pbs-unrecordable-name",
                sentence!(
                    "{} cannot own usage: PBS reads back only names of at most 49 letters, digits, blanks and . - _ : so its usage is lost at the next read",
                    shown(name)
                ),
                "rename the entity",
            ),
            _ => return None,
        })
    }
}
