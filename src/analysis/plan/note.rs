//! What to know before a plan is run, and when it takes effect.

use super::SharesFault;
use crate::model::Shares;

/// What to know before a plan is run. Names are as the tree has them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Note {
    /// The commands name no cluster, for the source does not tell its name.
    NoCluster,
    /// A user who moves starts anew.
    UserMoves,
    /// Slurm gives a user another name in every cluster.
    RenamedEverywhere,
    /// Slurm forgets usage for good.
    UsageForgotten,
    /// Something is deleted.
    Deletes,
    /// Something is added, which Flux may have had before.
    Adds,
    /// No command brings back the shares there are.
    SharesOneWay {
        /// The shares before.
        shares: Shares,
        /// Why they cannot be given.
        fault: SharesFault,
    },
    /// What becomes of a user's default account in Slurm.
    Default {
        /// The user's name.
        user: Vec<u8>,
        /// What becomes of it.
        account: DefaultAccount,
    },
    /// A line to write in `slurm.conf` by hand.
    WriteSetting {
        /// The key.
        key: &'static str,
        /// The value to write.
        value: String,
        /// The value to go back to; `None` where the source does not tell it.
        before: Option<String>,
    },
    /// A line of `resource_group` that PBS would take from now on becomes a comment.
    Muted {
        /// Its number, from 1.
        line: usize,
        /// What it says.
        text: Vec<u8>,
    },
    /// `resource_group` is written anew.
    WrittenAnew,
    /// PBS has the node from its usage record alone, which is dropped.
    RecordDropped,
    /// The files to save in `sched_priv` first, by name.
    SaveFiles(Vec<&'static str>),
    /// The source does not tell the `job_sort_formula` that is set, which the rollback unsets.
    FormulaUntold,
    /// `pbsfs` writes usage while scheduling is off.
    SetsUsage,
    /// What is gone has its usage record dropped.
    DropsRecords,
    /// The scenario's time is not part of the plan.
    TimeLeftOut {
        /// The seconds that pass in it; 0 where it only says who will use how much.
        passed: u64,
    },
}

/// What becomes of a user's default account, which Slurm does not delete while the user has others. Names are of accounts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DefaultAccount {
    /// It goes, so another one is made the default first.
    Replaced {
        /// The account that goes.
        old: Vec<u8>,
        /// The one that is made the default.
        new: Vec<u8>,
    },
    /// The same where the source does not show which account is the default.
    Guessed {
        /// The account that goes.
        old: Vec<u8>,
        /// The one that is made the default.
        new: Vec<u8>,
        /// Whether the rollback makes the old one the default again.
        comes_back: bool,
    },
    /// There is no other account to make the default meanwhile.
    NoOther,
    /// The user is put into another account for the time of the commands, to make that the default.
    Meanwhile(Vec<u8>),
    /// The user goes altogether, and the source does not show the default account; this one is taken for it.
    Last(Vec<u8>),
}

/// When and how a plan takes effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Slurm's commands count at once.
    Committed,
    /// Slurm's numbers follow at the next calculation.
    AtCalculation {
        /// `PriorityCalcPeriod`.
        period: String,
        /// Whether the source does not tell it.
        is_assumed: bool,
    },
    /// Flux's commands are for the user who owns the service.
    AsOwner,
    /// Nothing counts before the last two commands of Flux.
    AtTheEnd,
    /// PBS reads its files when it is told to.
    AtReload,
    /// PBS reads usage at the next cycle.
    AtNextCycle,
}
