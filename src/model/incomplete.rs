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
