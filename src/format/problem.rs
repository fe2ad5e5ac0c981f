//! Problems: what is odd or wrong in an input, where, what was assumed, how to fix it.

use crate::base::shown::{Shown, sentence};
use crate::base::table::table;

table! {
    /// How bad a problem is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Severity {
        Note, "note", "Worth knowing";
        Warning, "warning", "Accepted, but probably not what was meant";
        Error, "error", "Not parsed and left out";
    }
}

/// Something odd or wrong in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// A stable code for scripts: `pbs-duplicate-name`.
    pub code: &'static str,
    /// The file, as the user knows it.
    pub file: Shown,
    /// The line, from 1; `None` in a binary file.
    pub line: Option<u64>,
    /// The column, from 1; `None` if unknown.
    pub column: Option<u64>,
    /// What was wrong and what was assumed.
    pub message: Shown,
    /// How to fix it.
    pub advice: Shown,
    /// The key of the file that is not read, and so not written back. `None` if the problem is another one.
    pub unread_key: Option<Shown>,
}

impl Problem {
    /// Creates a problem about a file as a whole.
    pub fn about(
        severity: Severity,
        code: &'static str,
        file: &Shown,
        message: impl Into<Shown>,
        advice: impl Into<Shown>,
    ) -> Self {
        Self {
            severity,
            code,
            file: file.clone(),
            line: None,
            column: None,
            message: message.into(),
            advice: advice.into(),
            unread_key: None,
        }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:", self.file)?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
            if let Some(column) = self.column {
                write!(f, "{column}:")?;
            }
        }
        write!(f, " {}: ", self.severity.name())?;
        write!(f, "{}; {}", self.message, self.advice)
    }
}

/// A kind of problem of one format, with what it is about. Its words are made only when it is reported.
pub(crate) trait ProblemKind {
    /// Returns its words.
    fn words(&self) -> ProblemWords;
}

/// What is said of a problem, wherever it is.
pub(crate) struct ProblemWords {
    /// How bad it is.
    pub(crate) severity: Severity,
    /// Its stable code.
    pub(crate) code: &'static str,
    /// What was wrong and what was assumed.
    pub(crate) message: Shown,
    /// How to fix it.
    pub(crate) advice: Shown,
}

/// Defines the problems of a format, one a row: the variant and what it is about, the severity and the code, what is
/// wrong, how to fix it. The last two may name what the problem is about in braces.
macro_rules! problems {
    (
        $(#[$meta:meta])*
        $vis:vis enum $Name:ident {
            $($variant:ident $({ $($field:ident: $type:ty),* })?,
                $severity:ident $code:expr, $message:literal, $advice:literal;)*
        }
    ) => {
        $(#[$meta])*
        $vis enum $Name {
            $($variant $({ $($field: $type),* })?,)*
        }

        impl $crate::format::problem::ProblemKind for $Name {
            fn words(&self) -> $crate::format::problem::ProblemWords {
                match self {
                    $(Self::$variant $({ $($field),* })? => $crate::format::problem::ProblemWords {
                        severity: $crate::format::problem::Severity::$severity,
                        code: $code,
                        message: $crate::base::shown::sentence!($message),
                        advice: $crate::base::shown::sentence!($advice),
                    },)*
                }
            }
        }
    };
}

pub(crate) use problems;

/// Defines the functions that add a problem, by its severity.
macro_rules! adding {
    ($($(#[$meta:meta])* $name:ident $severity:ident;)*) => {
        $($(#[$meta])* pub(crate) fn $name(
            &mut self,
            place: impl Into<Place>,
            code: &'static str,
            message: impl Into<Shown>,
            advice: impl Into<Shown>,
        ) {
            self.add(Severity::$severity, place, code, message, advice);
        })*
    };
}

/// The problems of one load: the first ones are kept, all are counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    /// The file that is being read, as the user knows it.
    pub(crate) file: Shown,
    kept: Vec<Problem>,
    dropped: usize,
}

impl Problems {
    /// How many are kept. A file of a million bad lines must not fill the memory.
    pub const KEPT: usize = 10_000;

    /// Returns no problems yet, of a file.
    pub(crate) fn of(file: Shown) -> Self {
        Self {
            file,
            ..Self::default()
        }
    }

    /// Adds a problem.
    pub fn push(&mut self, problem: Problem) {
        self.push_with(|| problem);
    }

    /// Adds a problem whose words are built only if it is kept.
    pub(crate) fn push_with(&mut self, problem: impl FnOnce() -> Problem) {
        if self.kept.len() < Self::KEPT {
            self.kept.push(problem());
        } else {
            self.dropped += 1;
        }
    }

    adding! {
        /// Adds what is worth knowing.
        note Note;
        /// Adds what was accepted, but probably not meant.
        warn Warning;
        /// Adds what was left out.
        refuse Error;
    }

    /// Adds a problem by its parts.
    pub(crate) fn add(
        &mut self,
        severity: Severity,
        place: impl Into<Place>,
        code: &'static str,
        message: impl Into<Shown>,
        advice: impl Into<Shown>,
    ) {
        let problem = self.problem(severity, place, code, message, advice);
        self.push(problem);
    }

    /// Adds a problem of a format.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a problem is made where it is reported"
    )]
    pub(crate) fn report(&mut self, place: impl Into<Place>, kind: impl ProblemKind) {
        if self.kept.len() >= Self::KEPT {
            self.dropped += 1;
            return;
        }
        let words = kind.words();
        self.add(
            words.severity,
            place,
            words.code,
            words.message,
            words.advice,
        );
    }

    /// Adds the warning that a key is not read.
    pub(crate) fn warn_unread(
        &mut self,
        place: impl Into<Place>,
        code: &'static str,
        key: Shown,
        advice: impl Into<Shown>,
    ) {
        let message = sentence!("unknown key '{key}\'; it is not read");
        let problem = self.problem(Severity::Warning, place, code, message, advice);
        self.push(Problem {
            unread_key: Some(key),
            ..problem
        });
    }

    fn problem(
        &self,
        severity: Severity,
        place: impl Into<Place>,
        code: &'static str,
        message: impl Into<Shown>,
        advice: impl Into<Shown>,
    ) -> Problem {
        let place = place.into();
        let file = place.file.as_ref().unwrap_or(&self.file);
        Problem {
            line: place.line,
            column: place.column,
            ..Problem::about(severity, code, file, message, advice)
        }
    }

    /// Adds all problems of another list.
    pub fn append(&mut self, other: Self) {
        self.dropped += other.dropped;
        for problem in other.kept {
            self.push(problem);
        }
    }

    /// Puts them in the order of their lines.
    pub(crate) fn sort(&mut self) {
        self.kept.sort_by_key(|problem| problem.line);
    }

    /// Returns the problems without those of some codes.
    pub fn without(mut self, codes: &[&str]) -> Self {
        self.kept.retain(|problem| !codes.contains(&problem.code));
        self
    }

    /// Returns what could not be read.
    pub(crate) fn errors(&self) -> Self {
        let mut errors = Self::of(self.file.clone());
        for problem in &self.kept {
            if problem.severity == Severity::Error {
                errors.push(problem.clone());
            }
        }
        errors
    }

    /// Returns the kept problems, in the order in which they were found.
    pub fn list(&self) -> &[Problem] {
        &self.kept
    }

    /// Returns how many problems there are, including those not kept.
    pub fn count(&self) -> usize {
        self.kept.len() + self.dropped
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }
}

/// Where a problem is, as far as that is known.
pub(crate) struct Place {
    /// The file; `None` for the one that is being read.
    file: Option<Shown>,
    /// The line, from 1.
    line: Option<u64>,
    /// The column, from 1.
    column: Option<u64>,
}

impl Place {
    /// The whole file that is being read.
    pub(crate) const WHOLE: Self = Self {
        file: None,
        line: None,
        column: None,
    };
}

impl From<Shown> for Place {
    fn from(file: Shown) -> Self {
        Self {
            file: Some(file),
            ..Self::WHOLE
        }
    }
}

impl From<u64> for Place {
    fn from(line: u64) -> Self {
        Self {
            line: Some(line),
            ..Self::WHOLE
        }
    }
}

impl From<u32> for Place {
    fn from(line: u32) -> Self {
        u64::from(line).into()
    }
}

impl From<(u64, u64)> for Place {
    fn from((line, column): (u64, u64)) -> Self {
        Self {
            line: Some(line),
            column: Some(column),
            file: None,
        }
    }
}
