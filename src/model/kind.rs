//! The kinds of nodes.

/// Whether a node groups others or can own jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An inner node: PBS group, Slurm account, Flux bank. The root is one.
    Account,
    /// A leaf that can own jobs: PBS entity, Slurm user association, Flux association.
    User,
}

impl Kind {
    /// Returns the word for it on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::User => "user",
        }
    }
}
