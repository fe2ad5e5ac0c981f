//! Why a tree is incomplete.

/// Why the levels of a tree cannot be summed: parts of it are not in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incomplete {
    /// Users are missing, as when `sshare` runs without `-a`.
    SshareUsers,
    /// Users are missing, as when `scontrol show assoc_mgr` runs with `users=`.
    AssocMgrUsers,
    /// `sshare` reports that it ran without `-a`.
    SshareOwn,
    /// `sshare` reports that only some accounts or users were requested.
    SshareChosen,
    /// A report of usage lists only users with usage.
    WithoutUsage,
    /// The output does not state the parents of accounts.
    WithoutParents,
    /// The account `root` is missing.
    WithoutRoot,
    /// Accounts of some users are missing.
    WithoutAccounts,
}

impl Incomplete {
    /// Returns the reason, with `it` for the source.
    pub const fn clause(self) -> &'static str {
        match self {
            Self::SshareUsers => "users are missing from it, as when sshare runs without -a",
            Self::AssocMgrUsers => {
                "users are missing from it, as when scontrol show assoc_mgr runs with users="
            }
            Self::SshareOwn => "sshare was run without -a, so other users are not in it",
            Self::SshareChosen => "sshare was asked for some accounts or users only",
            Self::WithoutUsage => "it lists only users with usage",
            Self::WithoutParents => "it does not show which account is below which",
            Self::WithoutRoot => "account root is missing, so the tree is incomplete",
            Self::WithoutAccounts => "accounts of some users are not in it",
        }
    }
}
