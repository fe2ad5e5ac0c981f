//! Slurm's reasons why a job waits, in words.

use crate::base::shown::{Shown, sentence, shown};

/// Reasons by their beginning, in words. The first that fits counts; words without a text are those that a priority tells.
const REASONS: &[(&str, &str)] = &[
    ("Priority", ""),
    ("Resources", ""),
    ("None", ""),
    ("JobHeldUser", "held by its user"),
    ("JobHeldAdmin", "held by an administrator"),
    ("JobHoldMaxRequeue", "held after failed starts"),
    ("DependencyNever", "depends on a job that failed"),
    ("Dependency", "waits for another job"),
    ("BeginTime", "its begin time has not come"),
    ("JobArrayTaskLimit", "its array runs its most tasks"),
    ("Licenses", "waits for licenses"),
    ("Reservation", "waits for its reservation"),
    ("ReqNodeNotAvail", "its nodes are not available"),
    ("NodeDown", "its node is down"),
    ("Nodes required", "its nodes are down, drained or reserved"),
    ("BadConstraints", "no node has what it requests"),
    ("PartitionDown", "its partition is down"),
    ("PartitionInactive", "its partition is inactive"),
    ("PartitionNodeLimit", "its partition allows fewer nodes"),
    ("PartitionTimeLimit", "its partition allows less time"),
    ("InvalidAccount", "its account is not valid"),
    ("InvalidQOS", "its QOS is not valid"),
    ("Cleaning", "its last run is not cleaned up yet"),
];

/// Returns why a job waits that no priority can tell, or `None` if the reason is one of priority and free resources.
pub(crate) fn reason(reason: &[u8]) -> Option<Shown> {
    let name = shown(reason);
    for (start, words) in REASONS {
        if name.starts_with(start) {
            return (!words.is_empty()).then(|| (*words).into());
        }
    }
    Some(if name.starts_with("Assoc") {
        sentence!("a limit of its association or account: {name}")
    } else if name.starts_with("QOS") {
        sentence!("a limit of its QOS: {name}")
    } else {
        sentence!("Slurm's reason is {name}")
    })
}
