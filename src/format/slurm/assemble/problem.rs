//! The problems of combining outputs.

use crate::base::shown::Shown;
use crate::format::problem::problems;
use crate::format::slurm::rows::USERS_MISSING;

/// The code of the problem that outputs have different usage.
pub(crate) const OF_TWO_MOMENTS: &str = "slurm-outputs-of-two-moments";

problems! {
    /// What is wrong or odd in outputs that form one tree.
    pub(super) enum AssembleProblem {
        OtherCluster { other: Shown, own: Shown }, Warning "slurm-other-cluster",
            "it has the settings of the cluster {other}, but the tree is from {own}",
            "give the scontrol show config of the tree's own cluster";
        TwoMoments { associations: Shown, kept: Shown }, Warning OF_TWO_MOMENTS,
            "the usage of {associations} differs from that in {kept}, so the two were printed at different times; usage and factors are from {kept} only",
            "take both outputs at the same time";
        ViewJoined { rows: Shown, base: Shown }, Note "slurm-views-joined",
            "it lists {rows} more than {base}, of the same moment: the tree has those of both",
            "nothing needs to be done";
        PeriodLeftOut, Note "slurm-period-left-out",
            "its usage is that of a period and was left out, because another output has the usage that Slurm ranks by",
            "nothing needs to be done";
        NeverUsage, Note "slurm-no-usage",
            "it has shares but no usage, so all usage is 0",
            "give the output of sshare -a -l -P as well";
        NoUsage, Warning "slurm-no-usage",
            "it has shares but no usage, so all usage is 0",
            "give the output of sshare -a -l -P as well";
        UnknownUsage, Warning "slurm-no-usage",
            "nothing in it tells usage, so nothing is computed: only the printed numbers are shown",
            "add RawUsage or EffectvUsage to -o, or run sshare -a -l -P";
        UsageOfPortions { column: &'static str }, Warning "slurm-no-usage",
            "the column RawUsage is missing; usage is the portion of all usage, from {column}",
            "for usage in Slurm's own unit run sshare -a -l -P";
        SharesOfPortions, Warning "slurm-no-shares",
            "the column RawShares is missing; shares are millionths of their level, from NormShares",
            "add RawShares to -o, or run sshare -a -l -P";
        UsageOfPeriod { unit: String, accuracy: String }, Warning "slurm-usage-of-period",
            "usage is {unit} as sreport counts it{accuracy}: it has not decayed and is not RawUsage, so Slurm's own factors differ",
            "for Slurm's own numbers run sshare -a -l -P";
        UnknownInPeriod { are: Shown, base: Shown, names: String }, Warning "slurm-outputs-differ",
            "{are} not in {base} and left out together with the usage: {names}",
            "print shares of the same time; sreport does not show partitions, and without -P it cuts names";
        OutputDiffers { difference: Shown }, Warning "slurm-outputs-differ",
            "{difference}",
            "take both outputs at the same time, with -m where associations have partitions";
        OutputsDifferAlike { difference: Shown, others: String }, Warning "slurm-outputs-differ",
            "{difference}; the same holds for {others}",
            "take both outputs at the same time, with -m where associations have partitions";
        DuplicateRows { are_listed: String }, Warning "slurm-duplicate-row",
            "{are_listed} again; the first row counts",
            "check whether two outputs were written into one file";
        NoRoot, Warning "slurm-no-root",
            "account root is missing: accounts were filtered, or your site shows you only some; portions count only the listed ones",
            "run sshare -a -l -P without -A and -u, as an operator";
        Orphans { names: String, they_were: &'static str }, Warning "slurm-orphan",
            "the account above {names} is missing; {they_were} put under root",
            "give the output of sacctmgr dump or sshare -a --json first, which name the account above";
        UsersWithoutAccount { names: String }, Warning "slurm-user-without-account",
            "the accounts of {names} have no row of their own; they were made under root with 1 share",
            "run sshare -a -l -P without -A, -u and -U";
        AccountLoop, Error "slurm-account-loop",
            "accounts are above one another in a circle, and one of each circle was put under root",
            "look at the accounts with sacctmgr show assoc tree";
        SharesMissing { levels: Shown, account: Shown, missing: Shown, sum: Shown }, Warning USERS_MISSING,
            "by their NormShares, {levels} more members than are listed: in {account}, {missing} of {sum} are of members that are not; no rank is known",
            "run sshare -a -l -P without -A and -u, and give all of its rows";
        SumsDiffer { one: Shown, least: Shown, other: Shown, most: Shown }, Error "slurm-norm-shares",
            "RawShares and NormShares contradict each other: by those of {one} the level has at least {least} shares, by those of {other} at most {most}; what the level lacks is unknown",
            "print it again; the numbers of one table must be of one moment";
        SharesExceeded { account: Shown, listed: Shown, sum: Shown, row: Shown }, Error "slurm-norm-shares",
            "the listed members of {account} have {listed} shares, but by the NormShares of {row} its level has at most {sum}; what the level lacks is unknown",
            "print it again; the numbers of one table must be of one moment";
        UsageExceeded { account: Shown, used: Shown, usage: Shown }, Warning "slurm-usage-exceeded",
            "the listed members of {account} used {used}, more than its own {usage}; what is not listed counts as unused",
            "print it again; the numbers of one table must be of one moment";
        SameUsers { are_listed: String }, Note "slurm-same-user",
            "{are_listed} more than once; each row is an association of its own, probably of one partition",
            "run sshare with -m to see the partitions";
    }
}
