//! What a format cannot hold of a tree, in words.

use crate::base::shown::{Shown, sentence};
use crate::source::format::{Fault, Loss, Named};

/// What a format cannot hold, and what was made of it.
#[must_use]
pub fn loss(loss: &Loss) -> Shown {
    match loss {
        Loss::OfNodes(fault, nodes) => of_nodes(*fault, &named(nodes)),
        Loss::DefaultAccounts(users) => sentence!(
            "the edits take users out of their DefaultAccount, which stays as it is: write another one before the \
             file is loaded, for {}",
            users.join(", ")
        ),
        Loss::Untold => "only a dump holds Description, Organization, DefaultAccount, AdminLevel, Coordinator, \
             WCKeys, DefaultQOS, QOS and limits: none are written, and loading without clean keeps those that there are"
            .into(),
        Loss::Cluster => {
            "the source names no cluster: write the name of yours in the Cluster line, in place of 'cluster'".into()
        }
        Loss::RecordOrder => {
            "the order in which usage was recorded is left out, so sums may differ in their last digit".into()
        }
        Loss::CsvSettings => "the scheduler's settings are left out, and so is which scheduler the tree is of: \
             the decay, the unit of usage and the like"
            .into(),
        Loss::FluxSettings => "the settings are left out, and so is which scheduler the tree is of: the decay, the \
             weights and the like"
            .into(),
        Loss::Settings(keys) => sentence!("settings are left out: {}", keys.join(", ")),
        Loss::Age => "which associations are newer is left out, and TieOrder=newest goes by the order of the rows: \
             who ties may stand in another order"
            .into(),
        Loss::Digits => "what the printed columns show of usage behind its digits is left out: users that nearly tie \
             may swap ranks"
            .into(),
        Loss::Columns(names) => sentence!(
            "what the scheduler printed beside shares and usage is left out, so nothing is verified there: {}",
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
            "PBS separates fields by blanks and takes # and * for comments: {nodes} cannot be written and is left out together with its subtree"
        ),
        Fault::PbsNameTaken => sentence!(
            "PBS knows nodes by name alone and the name is taken: {nodes} is left out together with its subtree"
        ),
        Fault::PbsLine => {
            sentence!(
                "PBS reads lines of at most 254 bytes: {nodes} is left out together with its subtree"
            )
        }
        Fault::PbsParent => sentence!("PBS has no shares called parent: {nodes} gets 0 shares"),
        Fault::PbsShares => sentence!(
            "PBS holds shares up to 2147483647: those of {nodes} are written as the nearest it holds"
        ),
        Fault::PbsChildless => {
            sentence!("PBS takes a group without members for an entity: {nodes}")
        }
        Fault::PbsGroupUsage => sentence!(
            "PBS sums a group's usage from its entities: the usage given for {nodes} itself is left out"
        ),
        Fault::PbsUsage => sentence!(
            "PBS reads usage only of names of up to 49 letters, digits and . - _ : and only from 0 up: that of {nodes} will be refused"
        ),
        Fault::PbsLeastUsage => sentence!(
            "PBS does not write usage of exactly 1, what every entity starts at: {nodes} counts 1 less to its groups"
        ),
        Fault::PbsPartition => sentence!("PBS has no partitions: that of {nodes} is left out"),
        Fault::SlurmName => sentence!(
            "sacctmgr load takes no names that are empty, longer than 255 bytes, or hold = or a line end: {nodes} is left out together with its subtree"
        ),
        Fault::SlurmAccountTaken => sentence!(
            "Slurm knows accounts by name alone, without upper case, and the name is taken: {nodes} is left out together with its subtree"
        ),
        Fault::SlurmUserTwice => sentence!(
            "Slurm has one association of a user, an account and a partition: {nodes} stands twice and is written once"
        ),
        Fault::SlurmQuotes => sentence!(
            "Slurm keeps no quotes in names and puts ` in their place: {nodes} is written so"
        ),
        Fault::SlurmCapitals => {
            sentence!(
                "Slurm makes names lower case when it loads them: that of {nodes} will change"
            )
        }
        Fault::SlurmBlanks => sentence!(
            "Slurm drops blanks around names since 26.05: that of {nodes} will change there"
        ),
        Fault::SlurmShares => sentence!(
            "Slurm holds shares from 0 to 2147483646: those of {nodes} are written as the nearest it holds"
        ),
        Fault::SlurmCrowded => {
            sentence!("nobody stands below a user of Slurm: {nodes} is written as an account")
        }
        Fault::SlurmPartition => {
            sentence!("accounts of Slurm have no partition: that of {nodes} is left out")
        }
        Fault::SlurmUnknown => sentence!(
            "Slurm has no group for users that nobody named: PBS's {nodes} is written as an account like any other"
        ),
        Fault::SlurmUsage => sentence!("sacctmgr load takes no usage: that of {nodes} is left out"),
        Fault::SlurmLimits => sentence!(
            "limits are left out, and loading without clean keeps them: GrpTRESMins of {nodes}"
        ),
        Fault::CsvName => sentence!(
            "a row must have a name: {nodes} is left out, and what is below it goes one level up"
        ),
        Fault::CsvUsage => sentence!(
            "the recorded usage of {nodes} is left out: CSV holds numbers from 0 up, and of PBS accounts the sum of their users"
        ),
        Fault::CsvParent => sentence!(
            "an account is named by its name alone and several share one: {nodes} will stand under another account of that name"
        ),
        Fault::FluxInactive => sentence!(
            "the JSON cannot say who is inactive, and Flux does not count them: {nodes} is left out"
        ),
        Fault::FluxBelowInactive => {
            sentence!("what stands below an inactive bank is left out: {nodes}")
        }
        Fault::FluxParent => sentence!("Flux does not know the shares parent: {nodes} is given 1"),
        Fault::FluxPartition => sentence!("Flux has no partitions: those of {nodes} are left out"),
        Fault::Groups => sentence!("PBS's group numbers are left out: those of {nodes}"),
        Fault::SlurmActive => {
            sentence!("Slurm has no inactive users: whether {nodes} is active is left out")
        }
        Fault::SlurmNewName => {
            sentence!("sacctmgr load does not take {nodes} for a name: the old one stays")
        }
        Fault::SlurmOpenQuote => sentence!(
            "the line of {nodes} opens a quote and does not close it: its edits are left out"
        ),
        Fault::FluxBytes => {
            sentence!("JSON holds Unicode: bytes of the name of {nodes} that are none are replaced")
        }
        Fault::FluxUsage => {
            sentence!("JSON holds finite numbers: the usage of {nodes} is written as 0")
        }
    }
}
