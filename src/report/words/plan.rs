//! A plan in words: the changes that cannot be applied and why, the notes, when it takes effect, and its verification.

use super::listed;
use crate::analysis::plan::slurm::NO_CLUSTER;
use crate::analysis::plan::verify::{ChangeStatus, ChangeVerdict, Finding, Observed};
use crate::analysis::plan::{DefaultAccount, Effect, Note, OmissionReason, Statement, Tested};
use crate::base::number::word_for;
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{Scheduler, Shares, Usage, duration_for_people};

/// Returns what there is to say, with the nodes it is said of: `physics, chem and 3 more: why`.
fn about<T>(about: &Statement<T>, sentence: Shown) -> Shown {
    if about.named.is_empty() {
        return sentence;
    }
    let mut named = about.named.clone();
    let more = about.count - named.len();
    if more > 0 {
        named.push(sentence!("{more} more"));
    }
    sentence!("{}: {sentence}", listed(&named))
}

/// Returns the changes that cannot be applied, with their nodes.
pub fn cannot(refused: &Statement<OmissionReason>) -> Shown {
    about(refused, Shown::error(&refused.what))
}

/// Returns the notes to read before a plan is run, with their nodes.
pub fn note(noted: &Statement<Note>, scheduler: Scheduler) -> Shown {
    about(noted, knowledge(&noted.what, scheduler))
}

/// Returns a fault that was seen in a version of Slurm, and whether it was looked for in that of the source.
fn seen(fault: &'static str, tested: &Tested) -> Shown {
    match tested {
        Tested::Seen => fault.into(),
        Tested::Untried(version) => {
            sentence!("{fault}; this was not tried on {version}, the version of the source")
        }
        Tested::Unstated => sentence!("{fault}; the source does not state its version"),
    }
}

/// Returns a note in words.
fn knowledge(note: &Note, scheduler: Scheduler) -> Shown {
    let is_flux = scheduler == Scheduler::Flux;
    match note {
        Note::NoCluster => sentence!(
            "the source does not name its cluster: write its name instead of {NO_CLUSTER}, or give it with --cluster NAME; without cluster= a command would change every cluster"
        ),
        Note::Part => {
            "only a part of the tree is listed: what an account has beyond it is not seen here, and the rollback restores only what is listed".into()
        }
        Note::UserMoves if is_flux => {
            "a user moves by a new association, which does not get the usage, limits and queues of the old one".into()
        }
        Note::UserMoves => "a user moves by a new association without usage; the old account keeps the usage, and limits and QOS of the old association are not copied".into(),
        Note::RenamedEverywhere => "newname renames a user in every cluster of the accounting database; the operating system must know the new name too".into(),
        Note::UsageForgotten => "rawusage=0 clears usage at once and permanently, and only while slurmctld runs; the rollback cannot restore it".into(),
        Note::Deletes if is_flux => "delete-user and delete-bank do not delete: they make the row inactive, and adding it again restores its old values; a bank includes its sub-banks and their users".into(),
        Note::Deletes => "stop at the first command that fails: deletions come last, and sacctmgr refuses to delete an association with running or waiting jobs; the rollback restores shares, but not limits, usage, or partitions that the source does not show".into(),
        Note::Adds => "a user or bank that was deleted before returns with its old shares, whatever add-user and add-bank say, so shares are set afterwards; users of a bank that ever had sub-banks do not count, even if the sub-banks are inactive; a new association has a fair-share of 0.5 until account-update-fshare runs".into(),
        Note::HasJobs { jobs, more } => {
            let run = word_for(jobs.len() + more, "job runs or waits", "jobs run or wait");
            let mut named = jobs.clone();
            if *more > 0 {
                named.push(sentence!("{more} more"));
            }
            sentence!("its {run} ({}), so sacctmgr refuses to delete it", listed(&named))
        }
        Note::SettlesLater => "under DEPTH_OBLIVIOUS the first calculation after an addition gives wrong numbers to the siblings; wait for the second one".into(),
        Note::IgnoredDeletion(tested) => seen(
            "Slurm 24.11.5 does not delete a name with a backslash: sacctmgr answers Nothing deleted, and the name stays",
            tested,
        ),
        Note::LostAtRestart(tested) => seen(
            "on Slurm 24.11.5 the next restart of slurmctld loses users two levels below, because the new parent sorts after the old one: they get FairShare 0. Choose a parent that sorts earlier, or roll back before the restart",
            tested,
        ),
        Note::OmittedInDump(tested) => seen(
            "after this move sacctmgr dump of Slurm 24.11.5 omits users that are added two levels below, even after a rollback; compare the dump with sacctmgr show assoc",
            tested,
        ),
        Note::RecordStays => "the rollback deletes only the association and leaves the record of the account; delete it with sacctmgr delete account name=NAME if no other cluster uses it".into(),
        Note::SharesOneWay { shares, fault } => {
            sentence!("no command restores its {shares} shares: {fault}")
        }
        Note::Default { user, account } => {
            let user = shown(user);
            let account = default_account(account);
            sentence!("{user}: {account}")
        }
        Note::WriteSetting { key, value, before } => {
            let back = match before {
                Some(before) => sentence!("{key}={before} to roll back"),
                None => sentence!(
                    "the current value to roll back: the source does not show {key}, so note it down first"
                ),
            };
            sentence!("write {key}={value} in slurm.conf before scontrol reconfigure, and {back}")
        }
        Note::Muted { line, text } => sentence!(
            "line {line} of resource_group, which PBS ignored until now, would become valid, so it is commented out: {}",
            shown(text)
        ),
        Note::WrittenAnew => "resource_group is rewritten without its current comments".into(),
        Note::RecordDropped => "PBS knows it from its usage record alone, which cannot be restored once it is dropped".into(),
        Note::SaveFiles(names) => {
            let first = names.first().copied().unwrap_or_default();
            sentence!(
                "copy the new {} to sched_priv/{first}.new; run the commands as root on the scheduler's host. Check diff {first} {first}.new first: any other difference means that the file changed after fairscope read it",
                names.join(" and ")
            )
        }
        Note::FormulaUntold => "the source does not show job_sort_formula: note down its value from qmgr -c 'print sched' first; the rollback unsets it".into(),
        Note::FormulaOfServer => "the older form is qmgr -c 'set server job_sort_formula = ...': if qmgr -c 'print server' shows one, write server instead of sched default, because PBS refuses two different formulas".into(),
        Note::SetsUsage => "pbsfs -s writes the live usage and must not run during scheduling, so scheduling is turned off meanwhile (if it was off before, leave out the last command); usage charged since the snapshot is overwritten".into(),
        Note::DropsRecords => "removed and renamed entities get a usage of 1, so that pbsfs drops their records: otherwise PBS would count them under unknown".into(),
        Note::TimeLeftOut { passed } => {
            let change = match passed {
                0 => "future usage".into(),
                &passed => {
                    let time = duration_for_people(passed);
                    sentence!("{time} clock change")
                }
            };
            sentence!("the {change} is not part of the plan, so its numbers differ from those of the scenario")
        }
    }
}

/// Returns what becomes of a user's default account in Slurm, behind the user's name.
fn default_account(account: &DefaultAccount) -> Shown {
    match account {
        DefaultAccount::Replaced { old, new } => {
            let old = shown(old);
            let new = shown(new);
            sentence!("{old} is the user's default account, which Slurm does not delete, so {new} is made the default first")
        }
        DefaultAccount::Guessed {
            old,
            new,
            comes_back,
        } => {
            let old = shown(old);
            let new = shown(new);
            let back = if *comes_back {
                sentence!(
                    ", and the rollback makes {old} the default: if another account is the default, leave out both lines"
                )
            } else {
                sentence!(
                    ": if the default is not {old}, leave out that line; otherwise the rollback needs a line that makes {old} the default again"
                )
            };
            sentence!(
                "the source does not show the default account, which Slurm does not delete; {new} is made the default first{back}"
            )
        }
        DefaultAccount::NoOther => "sacctmgr refuses to delete an association with the default account while the user keeps others, and there is no other account to make the default meanwhile".into(),
        DefaultAccount::Meanwhile(account) => sentence!(
            "Slurm does not delete an association with the default account while the user keeps others, so the user is in the account {} while the commands run",
            shown(account)
        ),
        DefaultAccount::Last(account) => sentence!(
            "the source does not show the default account, which Slurm deletes last; {} is made the default first, and after the rollback the default may differ from before",
            shown(account)
        ),
    }
}

/// Returns when and how a plan takes effect.
pub fn effect(effect: &Effect) -> Shown {
    match effect {
        Effect::Committed => {
            "sacctmgr -i commits each command at once, without asking; slurmdbd passes it on to slurmctld".into()
        }
        Effect::AtCalculation { period, is_assumed } => {
            let assumed = if *is_assumed {
                " unless slurm.conf says otherwise"
            } else {
                ""
            };
            sentence!(
                "FairShare and LevelFS follow at the next calculation, every PriorityCalcPeriod ({period}{assumed})"
            )
        }
        Effect::AsOwner => "run them as the user flux, the owner of the service: sudo -u flux COMMAND".into(),
        Effect::AtTheEnd => "the edits take effect with the last two commands: account-update-fshare computes fair-share from the stored usage, and account-priority-update applies it to pending jobs".into(),
        Effect::AtReload => "the scheduler reads its files at the start and after a HUP; ranks change in its next cycle".into(),
        Effect::AtNextCycle => {
            "the scheduler reads the usage again at the start of its next cycle".into()
        }
        Effect::FormulaAtNextCycle => "only an admin of PBS, such as root, may set a formula; PBS evaluates it once in each cycle, at its start, so ranks change in the next cycle".into(),
    }
}

/// Returns the status of a change in the later dump, in a few words.
pub const fn standing(verdict: &ChangeVerdict) -> &'static str {
    match verdict.standing {
        _ if verdict.is_left_out => "left out of the plan",
        ChangeStatus::Applied => "applied",
        ChangeStatus::Before => "still as before",
        ChangeStatus::Other => "something else",
        ChangeStatus::Unknown => "this dump cannot tell",
    }
}

/// Returns what was to change and what there is now.
pub fn verdict(verdict: &ChangeVerdict) -> Shown {
    let standing = verdict.standing;
    match &verdict.finding {
        Finding::Added { name, wanted, now } => match (standing, *now) {
            (_, None) => sentence!("{name} was to be added and is not there"),
            (ChangeStatus::Applied, _) => {
                let shares = counted(*wanted);
                sentence!("{name} is there, with {shares}")
            }
            (ChangeStatus::Before, Some(now)) => {
                let shares = counted(now);
                sentence!("{name} still has {shares}, not {wanted}")
            }
            (ChangeStatus::Other | ChangeStatus::Unknown, Some(now)) => {
                let wanted = counted(*wanted);
                sentence!(
                    "{name} is there, but with {} instead of {wanted}",
                    counted(now)
                )
            }
        },
        Finding::Removed { name } => match standing {
            ChangeStatus::Applied => sentence!("{name} is gone"),
            _ => sentence!("{name} was to be removed and is still there"),
        },
        Finding::Placed {
            old,
            new,
            is_in_both,
        } => match standing {
            ChangeStatus::Applied => sentence!("{old} is now {new}"),
            ChangeStatus::Before => sentence!("{old} was to become {new} and is still there"),
            ChangeStatus::Other | ChangeStatus::Unknown => {
                let there = if *is_in_both {
                    "both are there"
                } else {
                    "neither is there"
                };
                sentence!("{old} was to become {new}, and {there}")
            }
        },
        Finding::Shares(name, Observed { before, after, now }) => match (standing, *now) {
            (_, None) => sentence!("{name} was to get {} and is not there", counted(*after)),
            (ChangeStatus::Applied, _) => sentence!("{name} has {}", counted(*after)),
            (ChangeStatus::Before, _) => {
                sentence!("{name} still has {}, not {after}", counted(*before))
            }
            (_, Some(now)) => match counted(now) {
                now if before == after => sentence!("{name} has {now}, not {after}"),
                now => sentence!("{name} has {now}, neither {after} nor {before} as before"),
            },
        },
        Finding::Usage(name, Observed { before, after, now }) => {
            let Some(now) = *now else {
                return sentence!("the usage of {name}: the dump has shares but no usage");
            };
            let was = usage(*before);
            let wanted = usage(*after);
            match standing {
                ChangeStatus::Applied => sentence!("{name} has {wanted}"),
                ChangeStatus::Before => sentence!("{name} still has {was}"),
                ChangeStatus::Other | ChangeStatus::Unknown => sentence!(
                    "{name} has {}, neither {wanted} nor {was}; jobs may have used more since",
                    usage(now)
                ),
            }
        }
        Finding::Setting(key, Observed { before, after, now }) => match (standing, now) {
            (_, None) => sentence!("{key}: the dump has no settings"),
            (ChangeStatus::Applied, _) => sentence!("{key} is {after}"),
            (ChangeStatus::Before, _) => sentence!("{key} is still {before}"),
            (_, Some(now)) => sentence!("{key} is {now}, neither {after} nor {before}"),
        },
    }
}

/// Returns shares with their word.
fn counted(shares: Shares) -> Shown {
    match shares.count() {
        Some(1) => "1 share".into(),
        Some(count) => sentence!("{count} shares"),
        None => "parent shares".into(),
    }
}

/// Returns a usage with its word.
fn usage(usage: Usage) -> Shown {
    match usage.amount() {
        None => "no usage".into(),
        Some(amount) => sentence!("usage of {amount}"),
    }
}
