//! A plan in words: the changes that cannot be applied and why, the notes, and when it takes effect.

mod verdict;

pub use verdict::{standing, verdict};

use super::convert;
use crate::analysis::plan::slurm::NO_CLUSTER;
use crate::analysis::plan::{
    DefaultAccount, Effect, NameFault, Note, OmissionReason, SettingFault, SharesFault, Statement,
};
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{Scheduler, duration_for_people};

/// What there is to say, with the nodes it is said of: `physics, chem and 3 more: why`.
fn about<T>(about: &Statement<T>, sentence: Shown) -> Shown {
    let more = about.count - about.named.len();
    let named = match &about.named[..] {
        [] => return sentence,
        named if more > 0 => sentence!("{} and {more} more", named.join(", ")),
        [only] => only.clone(),
        [first @ .., last] => sentence!("{} and {last}", first.join(", ")),
    };
    sentence!("{named}: {sentence}")
}

/// Returns the changes that cannot be applied to a scheduler, with their nodes.
#[must_use]
pub fn cannot(refused: &Statement<OmissionReason>, scheduler: Scheduler) -> Shown {
    about(refused, reason(&refused.what, scheduler))
}

/// Returns the notes to read before a plan is run, with their nodes.
#[must_use]
pub fn note(noted: &Statement<Note>, scheduler: Scheduler) -> Shown {
    about(noted, knowledge(&noted.what, scheduler))
}

/// Returns the scheduler's word for an account.
const fn account(scheduler: Scheduler) -> &'static str {
    match scheduler {
        Scheduler::Flux => "bank",
        Scheduler::Pbs | Scheduler::Slurm => "account",
    }
}

/// Returns why a part of a scenario cannot be applied to a scheduler.
#[must_use]
pub fn reason(reason: &OmissionReason, scheduler: Scheduler) -> Shown {
    let (title, account) = (scheduler.title(), account(scheduler));
    match reason {
        OmissionReason::Name(fault) => name_fault(*fault, scheduler).into(),
        OmissionReason::Shares(fault) => shares_fault(*fault).into(),
        OmissionReason::Cluster { name, fault } => {
            let fault = name_fault(*fault, scheduler);
            sentence!("the cluster {}: {fault}", shown(name.as_bytes()))
        }
        OmissionReason::SeveralAccounts => sentence!(
            "{title} knows every {account} by its name alone, and several have this one; give them names of their own first"
        ),
        OmissionReason::SeveralAssociations => sentence!(
            "several associations look like this one here, and a command of {title} would mean them all; open a dump that tells them apart, such as sshare with -m or --json"
        ),
        OmissionReason::AccountTaken => sentence!(
            "{title} has one {account} of a name, and this one is taken; choose another name"
        ),
        OmissionReason::UserTaken => sentence!(
            "{title} has a user once in each {account}, and this name is taken; choose another name"
        ),
        OmissionReason::Mixed => sentence!(
            "a {account} of {title} holds either {account}s or users, not both; put it under another one"
        ),
        OmissionReason::AccountRenamed => sentence!(
            "{title} cannot rename {account}s; add the {account} under its new name, move what it holds, and remove the old one"
        ),
        OmissionReason::UserRenamed => sentence!(
            "{title} cannot rename; add the user under the new name and remove the old one"
        ),
        OmissionReason::NewNameTaken => {
            sentence!("{title} has a user of the new name already; choose another name")
        }
        OmissionReason::RenamedInPart => sentence!(
            "{title} renames a user in all associations at once, and needs the new name to be free then; rename every association of the user, nobody else to the same name, and add nobody under the old name"
        ),
        OmissionReason::StaysBehind => {
            "it stays where it is, for what it should go under cannot be made or moved".into()
        }
        OmissionReason::HoldsWhatStays => "it is kept, for something below it cannot go".into(),
        OmissionReason::UsageIsCounted => usage_is_counted(scheduler).into(),
        OmissionReason::UsageBelow => "rawusage=0 on an account forgets the usage of everything below it too; set the usage of each of them to 0 as well, or only theirs".into(),
        OmissionReason::TieOrder => {
            "TieOrder is given by the version of Slurm; no setting changes it".into()
        }
        OmissionReason::Setting { key, value, fault } => {
            sentence!("{key}={value}{}", setting_fault(*fault, scheduler))
        }
        OmissionReason::GroupUsage => "the usage of a group is the sum of its entities'; set theirs".into(),
        OmissionReason::NotRecordable => {
            "PBS keeps usage only of names of up to 49 letters, digits and . - _ :".into()
        }
        OmissionReason::BelowRootWord => "PBS takes the word root for the root of the tree, so nothing can be put under a group of that name".into(),
        OmissionReason::NameTaken => "PBS has that name already; choose another name".into(),
        OmissionReason::NotInLine => "a name in resource_group cannot be empty, hold a blank or begin with # or *; choose another name".into(),
        OmissionReason::LongLine => "PBS reads lines of at most 254 bytes; choose a shorter name".into(),
        OmissionReason::SplitLines => "resource_group has lines that PBS reads as several, for they are longer than 255 bytes or hold a NUL, and they are in the way; break them up and open the file again".into(),
        OmissionReason::OtherInFile(name) => sentence!(
            "resource_group is not the file that the tree was read from: {} is another one there; open it again",
            shown(name)
        ),
        OmissionReason::MissingInFile(path) => sentence!(
            "resource_group is not the file that the tree was read from: {path} is not in it; open it again"
        ),
        OmissionReason::InTheWay => {
            "resource_group stays as it is: what was left out of it is in the way of the rest".into()
        }
        OmissionReason::FormulaQuotes => {
            "job_sort_formula holds quotes or what cannot be seen; set it with qmgr by hand".into()
        }
        OmissionReason::ConfigUnread(line) => sentence!(
            "sched_config was not read, so it cannot be changed here: write {line} in it and send the scheduler a HUP"
        ),
        OmissionReason::Lost(loss) => convert::loss(loss),
    }
}

/// Why the plan changes no setting, behind its key and value.
const fn setting_fault(fault: SettingFault, scheduler: Scheduler) -> &'static str {
    match fault {
        SettingFault::Unknown => match scheduler {
            Scheduler::Slurm => " is nothing that slurm.conf can say",
            Scheduler::Flux => " is no setting of flux-accounting",
            Scheduler::Pbs => " is no setting of PBS",
        },
        SettingFault::DropsUsage => {
            ": flux account edit-config sets it, but throws away all usage counted so far; plan it by hand"
        }
        SettingFault::LaterJobs => {
            ": flux account edit-config sets it, and only jobs that end later are counted by it; plan it by hand"
        }
        SettingFault::OfPriority => {
            ": the weight of a factor of priority is set with flux account edit-factor; plan it by hand"
        }
    }
}

/// Returns why a scheduler's commands would misread a name.
#[must_use]
pub const fn name_fault(fault: NameFault, scheduler: Scheduler) -> &'static str {
    match fault {
        NameFault::NotText => {
            "the name is not UTF-8, and a terminal cannot be trusted to pass it on"
        }
        NameFault::Empty => match scheduler {
            Scheduler::Flux => "Flux has no empty names",
            Scheduler::Pbs | Scheduler::Slurm => "an empty name means every name to sacctmgr",
        },
        NameFault::TooLong => "the name has more than 255 bytes, and Slurm's database cuts it",
        NameFault::Invisible => {
            "the name holds a character that cannot be seen, and nobody could check the command"
        }
        NameFault::Capitals => {
            "sacctmgr turns capital letters into small ones and would mean another name"
        }
        NameFault::List => "sacctmgr takes a comma or a bracket in a name for a list of names",
        NameFault::Quotes => "sacctmgr replaces quotes in a name and would mean another one",
        NameFault::Equals => "sacctmgr takes what stands before a = for the name of an option",
        NameFault::Hyphen => "a name that begins with a hyphen is taken for an option",
        NameFault::Blanks => {
            "the name begins or ends with a blank, which newer versions of sacctmgr leave out"
        }
    }
}

/// Why a scheduler does not take shares.
const fn shares_fault(fault: SharesFault) -> &'static str {
    match fault {
        SharesFault::ParentNumber => "sacctmgr takes 2147483647 shares for the word parent",
        SharesFault::OutOfRange => {
            "sacctmgr takes whole numbers of shares from 0 to 2147483646, or parent"
        }
        SharesFault::NoParent => "Flux has no shares called parent",
        SharesFault::BankBelowOne => "flux account edit-bank takes shares from 1 up",
        SharesFault::Negative => {
            "Flux takes shares of -1 for 1, and other negative ones for very many"
        }
        SharesFault::NotHeld => {
            "PBS holds shares in whole numbers up to 2147483647; give it such a number"
        }
    }
}

/// Why usage cannot be changed otherwise than by forgetting all of it, or at all.
const fn usage_is_counted(scheduler: Scheduler) -> &'static str {
    match scheduler {
        Scheduler::Flux => {
            "flux-accounting computes usage from its job records; it cannot be set (flux account clear-usage BANK forgets that of a whole bank)"
        }
        Scheduler::Pbs | Scheduler::Slurm => {
            "Slurm counts usage from its jobs; all that sacctmgr can set it to is 0"
        }
    }
}

/// What to know before a plan is run.
fn knowledge(note: &Note, scheduler: Scheduler) -> Shown {
    let is_flux = scheduler == Scheduler::Flux;
    match note {
        Note::NoCluster => sentence!(
            "the source does not name its cluster: write its name in place of {NO_CLUSTER}, or give it with --cluster NAME; without cluster= a command would change every cluster"
        ),
        Note::UserMoves if is_flux => {
            "a user moves by a new association; usage, limits and queues of the old one do not go along".into()
        }
        Note::UserMoves => "a user moves by a new association, which has used nothing; the old account keeps the usage, and limits and QOS of the old association do not go along".into(),
        Note::RenamedEverywhere => "newname gives a user another name in every cluster of the accounting database; the system must know the new name too".into(),
        Note::UsageForgotten => "rawusage=0 forgets usage for good, at once and only while slurmctld runs; the rollback cannot bring it back".into(),
        Note::Deletes if is_flux => "delete-user and delete-bank do not delete: they make the row inactive, and adding it again makes it active with what it had; a bank takes its sub-banks and their users along".into(),
        Note::Deletes => "stop at the first command that fails: what deletes comes last, and sacctmgr refuses to delete an association that has running jobs; the rollback brings shares back, not limits, usage, and partitions that the source does not show".into(),
        Note::Adds => "a user or bank that was deleted once comes back with the shares it had then, whatever add-user and add-bank say: so their shares are set behind; users of a bank that ever had sub-banks do not count, even if those are inactive".into(),
        Note::SharesOneWay { shares, fault } => {
            let fault = shares_fault(*fault);
            sentence!("no command gives it its {shares} shares back: {fault}")
        }
        Note::Default { user, account } => {
            sentence!("{}: {}", shown(user), default_account(account))
        }
        Note::WriteSetting { key, value, before } => {
            let back = match before {
                Some(before) => sentence!("{key}={before} to go back"),
                None => sentence!(
                    "what slurm.conf says now to go back: the source does not tell {key}, so note it down first"
                ),
            };
            sentence!("write {key}={value} in slurm.conf before scontrol reconfigure, and {back}")
        }
        Note::Muted { line, text } => sentence!(
            "line {line} of resource_group, which PBS passed over until now, would become valid; it is made a comment: {}",
            shown(text)
        ),
        Note::WrittenAnew => {
            "resource_group is written anew, without the comments of the one there is".into()
        }
        Note::RecordDropped => "PBS has it from its usage record alone, and nothing brings that back once it is dropped".into(),
        Note::SaveFiles(names) => {
            let first = names.first().copied().unwrap_or_default();
            sentence!(
                "first save {} in sched_priv under the same name with .new behind it, as in {first}.new; run the commands as root on the scheduler's host. Look at diff {first} {first}.new first: what it shows beside the edits somebody else changed since the file was read",
                names.join(" and ")
            )
        }
        Note::FormulaUntold => "the source does not tell job_sort_formula: note down what qmgr -c 'print sched' says of it first; the rollback unsets it".into(),
        Note::SetsUsage => "pbsfs -s writes the live usage: it must not run while the scheduler schedules, so scheduling is off meanwhile (if it was off before, leave the last command out); usage charged since the snapshot is overwritten".into(),
        Note::DropsRecords => "what is gone or has another name gets a usage of 1, for so pbsfs drops its record: else PBS would count it under unknown".into(),
        Note::TimeLeftOut { passed } => {
            let does = match passed {
                0 => "assumes who will use how much".into(),
                &passed => sentence!("lets {} pass", duration_for_people(passed)),
            };
            sentence!(
                "the scenario {does}: time is nothing to be run, so the plan holds its other edits alone, and numbers \
                 after it will differ from those of the scenario"
            )
        }
    }
}

/// What becomes of a user's default account in Slurm, behind the user's name.
fn default_account(account: &DefaultAccount) -> Shown {
    match account {
        DefaultAccount::Replaced { old, new } => sentence!(
            "{} is the user's default account, which Slurm does not delete, so {} is made the default first",
            shown(old),
            shown(new)
        ),
        DefaultAccount::Guessed {
            old,
            new,
            comes_back,
        } => {
            let [old, new] = [old, new].map(|name| shown(name));
            let back = if *comes_back {
                sentence!(
                    ", and the rollback makes {old} the default: if another account is the default, leave both lines out"
                )
            } else {
                sentence!(
                    ": if another account than {old} is the default, leave that line out, else the rollback needs a line that makes {old} the default again"
                )
            };
            sentence!(
                "the source does not show the default account, which Slurm does not delete; {new} is made the default first{back}"
            )
        }
        DefaultAccount::NoOther => "sacctmgr refuses to delete an association with the default account while the user keeps others, and there is no other account to make the default meanwhile".into(),
        DefaultAccount::Meanwhile(account) => sentence!(
            "Slurm does not delete an association with the default account while the user keeps others, so the user is put into the account {} for the time of the commands",
            shown(account)
        ),
        DefaultAccount::Last(account) => sentence!(
            "the source does not show the default account, which Slurm deletes last; {} is made the default first, and after the rollback the default is another one than before, perhaps",
            shown(account)
        ),
    }
}

/// Returns when and how a plan takes effect.
#[must_use]
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
        Effect::AsOwner => {
            "run them as the user flux, who owns the service: sudo -u flux COMMAND".into()
        }
        Effect::AtTheEnd => "nothing counts before the last two: account-update-fshare computes fair-share from the stored usage, account-priority-update passes it on to the waiting jobs".into(),
        Effect::AtReload => "the scheduler reads its files at the start and when it gets a HUP; ranks follow in its next cycle".into(),
        Effect::AtNextCycle => {
            "the scheduler reads the usage again at the start of its next cycle".into()
        }
    }
}
