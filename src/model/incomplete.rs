//! Why a tree is only a part of one.

/// Why the levels of a tree cannot be summed: parts of it are not in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incomplete {
    /// Users are missing, as when `sshare` runs without `-a`.
    SshareUsers,
    /// Users are missing, as when `scontrol show assoc_mgr` runs with `users=`.
    AssocMgrUsers,
    /// `sshare` says itself that it ran without `-a`.
    SshareOwn,
    /// `sshare` says itself that it was asked for some accounts or users.
    SshareChosen,
    /// A report of usage lists only users who have some.
    WithoutUsage,
    /// The output does not tell the accounts above accounts.
    WithoutParents,
    /// The account `root` is missing.
    WithoutRoot,
    /// Accounts of some users are missing.
    WithoutAccounts,
}
