//! What is wrong with jobs, and how many are left out or doubtful.

use crate::base::number::counted;
use crate::base::shown::Shown;
use crate::format::problem::{Place, Problems, problems};
use crate::model::{ClockReading, Moment};

problems! {
    /// What is wrong with a job, or with several.
    pub(super) enum JobProblem {
        Cells { count: usize, expected: usize }, Error "slurm-jobs-line",
            "{count} cells instead of {expected}; the job was left out",
            "print it again with sacct -P, without fields that may hold a bar";
        LateTime { why: Shown }, Warning "slurm-jobs-time",
            "the job was left out: {why}",
            "expected times such as 2026-11-23T20:48:02 or 2026-11-23T20:48:02+01:00, or seconds since 1970";
        NoTimes { start: Shown, end: Shown }, Warning "slurm-jobs-time",
            "Start is {start} and End is {end}, which are not both times; the job was left out",
            "expected times such as 2026-11-23T20:48:02 or 2026-11-23T20:48:02+01:00, or seconds since 1970";
        EndsEarly, Warning "slurm-jobs-time",
            "the job ends before it starts, and was left out",
            "check the clocks of the nodes, and sacctmgr show runawayjobs";
        Resources { allocated: Shown }, Warning "slurm-jobs-tres",
            "AllocTRES is {allocated}, which is not NAME=COUNT behind commas; the job was left out",
            "print it again with sacct -P";
        UnknownUser { user: Shown, account: Shown }, Warning "slurm-jobs-unknown",
            "the tree has no user '{user}\' in the account {account}; the job was left out",
            "give the tree of that time, or add the association";
        BeforeBoot { began: Shown, booted: Shown }, Note "slurm-jobs-before-boot",
            "{began} began before BOOT_TIME{booted}: the calculations before that are taken to be as regular as those since, an error of at most one period of each of these jobs",
            "for exact usage begin with a tree that was saved since then: --add-usage";
        OtherClusters { jobs: Shown }, Warning "slurm-jobs-cluster",
            "{jobs} of other clusters left out", "name the cluster with sacct -M";
        Twice { jobs: Shown }, Warning "slurm-jobs-twice",
            "{jobs} printed twice, and charged once", "nothing needs to be done";
        Billed { jobs: Shown }, Warning "slurm-jobs-billing",
            "{jobs} charged by billing= of AllocTRES, a whole number, for the weights of the partition give another one",
            "save scontrol show partition and scontrol show config of that time";
        Submissions { jobs: Shown }, Warning "slurm-jobs-submitted",
            "{jobs} of several components (heterogeneous), without what Slurm 26.05 charges for them at their submission",
            "print JobID and Submit, too; jobs that never began, and versions between 24.11 and 26.05, are not known well enough";
        SkippedHour { jobs: Shown }, Warning "slurm-jobs-zone",
            "{jobs} with a time in an hour that the clock of the time zone skipped, taken as if it had not",
            "give the time zone of the cluster with --timezone";
        HourShownTwice { jobs: Shown }, Warning "slurm-jobs-clock",
            "{jobs} with a time in the hour that the clock showed twice, taken to be the first one",
            "print times with SLURM_TIME_FORMAT=%s";
        LastRunOnly { jobs: Shown }, Warning "slurm-jobs-requeued",
            "{jobs} or more put back into the queue, of which only the last run is in the file",
            "run sacct with -D";
    }
}

/// How many rows are left out or doubtful.
#[derive(Default)]
pub(super) struct Counts {
    /// All that were read.
    pub(super) rows: usize,
    /// Steps of jobs, which are charged with their job.
    pub(super) steps: usize,
    /// Of other clusters.
    pub(super) others: usize,
    /// Printed before.
    pub(super) repeated: usize,
    /// Charged by the printed billing.
    pub(super) billed: usize,
    /// With a time that the clock showed twice.
    pub(super) twice_shown: usize,
    /// With a time that the clock skipped.
    pub(super) skipped: usize,
    /// Components of heterogeneous jobs whose charge at their submission is not known.
    pub(super) submissions: usize,
    /// Begun before the controller was started.
    pub(super) early: usize,
    /// Whether a job was restarted.
    pub(super) has_restarts: bool,
    /// Whether a run is there that ended because its job was put back into the queue.
    pub(super) has_requeued: bool,
}

impl Counts {
    /// Counts a job whose times are doubtful.
    pub(super) fn count_readings(&mut self, times: &[Moment]) {
        if times.iter().any(|time| time.reading == ClockReading::Twice) {
            self.twice_shown += 1;
        }
        if times
            .iter()
            .any(|time| time.reading == ClockReading::Skipped)
        {
            self.skipped += 1;
        }
    }

    /// Reports what was left out or assumed.
    pub(super) fn report(&self, problems: &mut Problems) {
        let others = JobProblem::OtherClusters {
            jobs: jobs(self.others),
        };
        let repeated = JobProblem::Twice {
            jobs: jobs(self.repeated),
        };
        let billed = JobProblem::Billed {
            jobs: jobs(self.billed),
        };
        let submissions = JobProblem::Submissions {
            jobs: jobs(self.submissions),
        };
        let skipped = JobProblem::SkippedHour {
            jobs: jobs(self.skipped),
        };
        let twice_shown = JobProblem::HourShownTwice {
            jobs: jobs(self.twice_shown),
        };
        for (count, problem) in [
            (self.others, others),
            (self.repeated, repeated),
            (self.billed, billed),
            (self.submissions, submissions),
            (self.skipped, skipped),
            (self.twice_shown, twice_shown),
        ] {
            if count > 0 {
                problems.report(Place::WHOLE, problem);
            }
        }
        if self.has_restarts && !self.has_requeued {
            problems.report(Place::WHOLE, JobProblem::LastRunOnly { jobs: jobs(1) });
        }
    }
}

/// Returns a count of jobs in words.
pub(super) fn jobs(count: usize) -> Shown {
    counted(count, "job", "jobs")
}
