//! Problems: what is odd or wrong in an input, where, what was assumed, how to mend it.

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Accepted, but probably not what was meant.
    Warning,
    /// Not understood and left out.
    Error,
}

impl Severity {
    /// Returns the word of the screen and of JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
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
    pub file: String,
    /// The line, from 1; a binary file has none.
    pub line: Option<u64>,
    /// The column, from 1.
    pub column: Option<u64>,
    /// What was wrong and what was made of it.
    pub message: String,
    /// How to mend it.
    pub advice: String,
}

impl Problem {
    /// Something about a line of a file.
    #[must_use]
    pub fn at_line(
        severity: Severity,
        code: &'static str,
        file: &str,
        line: u64,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self {
            severity,
            code,
            file: file.to_owned(),
            line: Some(line),
            column: None,
            message: message.into(),
            advice: advice.into(),
        }
    }

    /// Something about a file as a whole.
    #[must_use]
    pub fn about(
        severity: Severity,
        code: &'static str,
        file: &str,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self {
            line: None,
            ..Self::at_line(severity, code, file, 0, message, advice)
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
        write!(
            f,
            " {}: {}; {}",
            self.severity.name(),
            self.message,
            self.advice
        )
    }
}

/// The problems of one load: the first ones in full, all of them counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    kept: Vec<Problem>,
    dropped: usize,
}

impl Problems {
    /// How many are kept in full: a file of a million bad lines must not fill the memory.
    pub const KEPT: usize = 10_000;

    /// Adds a problem.
    pub fn push(&mut self, problem: Problem) {
        if self.kept.len() < Self::KEPT {
            self.kept.push(problem);
        } else {
            self.dropped += 1;
        }
    }

    /// Adds a problem that is only put into words if it is kept.
    pub fn push_with(&mut self, problem: impl FnOnce() -> Problem) {
        if self.kept.len() < Self::KEPT {
            self.kept.push(problem());
        } else {
            self.dropped += 1;
        }
    }

    /// Adds all problems of another list.
    pub fn append(&mut self, other: Self) {
        self.dropped += other.dropped;
        for problem in other.kept {
            self.push(problem);
        }
    }

    /// The same without the problems of some codes.
    #[must_use]
    pub fn without(mut self, codes: &[&str]) -> Self {
        self.kept.retain(|problem| !codes.contains(&problem.code));
        self
    }

    /// Returns the problems kept in full, in the order they were found.
    #[must_use]
    pub fn list(&self) -> &[Problem] {
        &self.kept
    }

    /// Returns how many problems there are, those not kept included.
    #[must_use]
    pub fn count(&self) -> usize {
        self.kept.len() + self.dropped
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }
}
