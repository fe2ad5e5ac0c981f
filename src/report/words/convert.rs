//! What a format cannot hold of a tree, in words.

use crate::base::shown::{Shown, sentence};
use crate::source::format::{Fault, Loss, Named};

/// What a format cannot hold, and what was made of it.
pub fn loss(loss: &Loss) -> Shown {
    match loss {
        Loss::OfNodes(fault, nodes) => of_nodes(*fault, &named(nodes)),
        Loss::DefaultAccounts(users) => sentence!(
            "the edits move users out of their DefaultAccount, which is not changed: set another one before \
             loading the file, for {}",
            users.join(", ")
        ),
        Loss::Untold => "Description, Organization, DefaultAccount, AdminLevel, Coordinator, WCKeys, DefaultQOS, QOS \
             and limits exist only in a dump: none are written, and loading without clean keeps the existing ones"
            .into(),
        Loss::Cluster => {
            "the source names no cluster: write its name in the Cluster line instead of 'cluster'".into()
        }
        Loss::CleanLoad => "load the file without clean: on Slurm 24.11 sacctmgr load with clean removes the cluster's \
             associations first, and may then fail halfway with status 0"
            .into(),
        Loss::RecordOrder => {
            "the order in which usage was recorded is left out, so sums may differ in their last digit".into()
        }
        Loss::CsvSettings => "the name of the scheduler and its settings are left out, such as decay and the \
             unit of usage"
            .into(),
        Loss::FluxSettings => "the name of the scheduler and its settings are left out, such as decay and weights"
            .into(),
        Loss::Settings(keys) => sentence!("settings are left out: {}", keys.join(", ")),
        Loss::Age => "the age of associations is left out, and TieOrder=newest follows the order of the rows: \
             tied users may change order"
            .into(),
        Loss::Digits => "digits of usage inferred from other printed columns are left out: users that nearly tie may swap ranks"
            .into(),
        Loss::Columns(names) => sentence!(
            "the scheduler's other printed columns are left out, so the copy cannot be verified: {}",
            names.join(", ")
        ),
    }
}

/// `alice` or `alice and 3 more`.
fn named(nodes: &Named) -> Shown {
    let first = if nodes.first.is_empty() {
        "(the empty name)".into()
    } else {
        nodes.first.clone()
    };
    match nodes.more {
        0 => first,
        more => sentence!("{first} and {more} more"),
    }
}

fn of_nodes(fault: Fault, nodes: &str) -> Shown {
    match fault {
        Fault::PbsName => sentence!(
            "PBS separates fields by blanks and reads # and * as comments: {nodes} cannot be written and is left out together with its subtree"
        ),
        Fault::PbsNameTaken => sentence!(
            "PBS identifies nodes by name alone, and the name is taken: {nodes} is left out together with its subtree"
        ),
        Fault::PbsLine => {
            sentence!(
                "PBS reads lines of at most 254 bytes: {nodes} is left out together with its subtree"
            )
        }
        Fault::PbsParent => sentence!("PBS has no shares called parent: {nodes} gets 0 shares"),
        Fault::PbsShares => sentence!(
            "PBS stores shares up to 2147483647: those of {nodes} are written as the nearest possible number"
        ),
        Fault::PbsChildless => {
            sentence!("PBS reads a group without members as an entity: {nodes}")
        }
        Fault::PbsGroupUsage => sentence!(
            "PBS sums a group's usage from its entities: the usage given for {nodes} itself is left out"
        ),
        Fault::PbsUsage => sentence!(
            "PBS reads usage only of names of up to 49 letters, digits and . - _ : and only from 0 up: that of {nodes} will be refused"
        ),
        Fault::PbsLeastUsage => sentence!(
            "PBS does not write a usage of exactly 1, where every entity starts: {nodes} adds 1 less to its groups"
        ),
        Fault::PbsPartition => sentence!("PBS has no partitions: that of {nodes} is left out"),
        Fault::SlurmName => sentence!(
            "sacctmgr load refuses names that are empty, longer than 255 bytes, or contain = or a line end: {nodes} is left out together with its subtree"
        ),
        Fault::SlurmAccountTaken => sentence!(
            "Slurm identifies accounts by name alone, in lower case, and the name is taken: {nodes} is left out together with its subtree"
        ),
        Fault::SlurmUserTwice => sentence!(
            "Slurm has one association per user, account and partition: {nodes} appears twice and is written once"
        ),
        Fault::SlurmQuotes => sentence!("Slurm writes ` instead of quotes: {nodes} is changed"),
        Fault::SlurmCapitals => {
            sentence!(
                "Slurm makes names lower case when it loads them: that of {nodes} will change"
            )
        }
        Fault::SlurmBlanks => sentence!(
            "Slurm drops blanks around names since 26.05: that of {nodes} will change there"
        ),
        Fault::SlurmShares => sentence!(
            "Slurm stores shares from 0 to 2147483646: those of {nodes} are written as the nearest possible number"
        ),
        Fault::SlurmCrowded => {
            sentence!("a user of Slurm has no members: {nodes} is written as an account")
        }
        Fault::SlurmPartition => {
            sentence!("accounts of Slurm have no partition: that of {nodes} is left out")
        }
        Fault::SlurmUnknown => sentence!(
            "Slurm has no group for unknown users: PBS's {nodes} is written as an ordinary account"
        ),
        Fault::SlurmUsage => sentence!("sacctmgr load sets no usage: that of {nodes} is left out"),
        Fault::SlurmLimits => sentence!(
            "limits are left out, and loading without clean keeps them: GrpTRESMins of {nodes}"
        ),
        Fault::CsvName => sentence!(
            "a row must have a name: {nodes} is left out, and its members move one level up"
        ),
        Fault::CsvUsage => sentence!(
            "the recorded usage of {nodes} is left out: CSV accepts numbers from 0 up, and for PBS accounts the sum of their users"
        ),
        Fault::CsvParent => sentence!(
            "an account is identified by its name alone, and several have this one: {nodes} will be under another account of that name"
        ),
        Fault::FluxInactive => sentence!(
            "the JSON cannot mark a node as inactive, and Flux does not count inactive nodes: {nodes} is left out"
        ),
        Fault::FluxBelowInactive => {
            sentence!("members of an inactive bank are left out: {nodes}")
        }
        Fault::FluxParent => sentence!("Flux has no shares called parent: {nodes} is given 1"),
        Fault::FluxPartition => sentence!("Flux has no partitions: those of {nodes} are left out"),
        Fault::Groups => sentence!("PBS's group numbers are left out: those of {nodes}"),
        Fault::SlurmActive => {
            sentence!("Slurm has no inactive users: whether {nodes} is active is left out")
        }
        Fault::SlurmNewName => {
            sentence!("sacctmgr load does not accept {nodes} as a name: the old one is kept")
        }
        Fault::SlurmOpenQuote => sentence!(
            "the line of {nodes} opens a quote and does not close it: its edits are left out"
        ),
        Fault::SlurmWcKeys => sentence!(
            "WCKeys= on the line of a user aborts sacctmgr load without a message since Slurm 25.11: remove it from that of {nodes}"
        ),
        Fault::FluxBytes => {
            sentence!("JSON is Unicode: other bytes in the name of {nodes} are replaced")
        }
        Fault::FluxUsage => {
            sentence!("JSON has only finite numbers: the usage of {nodes} is written as 0")
        }
    }
}
