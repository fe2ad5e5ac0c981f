//! Why a file cannot be read, in parts.

use crate::base::shown::Shown;

/// Why a file is not read: the file, what is wrong with it, and how to fix it. The parts stay apart, so that whoever
/// lists several files need not repeat the advice for each.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{joint}{reason}{}{advice}", if advice.is_empty() { "" } else { "; " })]
pub struct Refusal {
    /// The file, as safe text.
    file: Shown,
    /// What joins the file and the reason in a sentence.
    joint: &'static str,
    /// What is wrong, readable without the file's name: `a named pipe`, `holds no columns of sshare`.
    reason: Shown,
    /// How to fix it, or what to open instead; empty if the reason says it.
    advice: Shown,
}

impl Refusal {
    fn new(file: &str, joint: &'static str, reason: &str, advice: &str) -> Self {
        Self {
            file: Shown::again(file.to_owned()),
            joint,
            reason: Shown::again(reason.to_owned()),
            advice: Shown::again(advice.to_owned()),
        }
    }

    /// Refuses a file because of what it is: `a socket`.
    pub(super) fn is(file: &str, what: &str, advice: &str) -> Self {
        Self::new(file, " is ", what, advice)
    }

    /// Refuses a file because of what it does, verb first: `holds no associations`.
    pub(super) fn does(file: &str, what: &str, advice: &str) -> Self {
        Self::new(file, " ", what, advice)
    }

    /// Refuses a file because of a whole clause about it: `the JSON ends in the middle`.
    pub(super) fn because(file: &str, clause: &str, advice: &str) -> Self {
        Self::new(file, ": ", clause, advice)
    }

    /// Refuses a file because of a place in it, a line or a line and a column: `12:3`.
    pub(super) fn at(file: &str, place: &str, clause: &str, advice: &str) -> Self {
        Self::new(file, ":", &format!("{place}: {clause}"), advice)
    }

    /// Returns what is wrong, without the file and the advice.
    pub(super) fn reason(&self) -> &Shown {
        &self.reason
    }
}
