//! From one format to another: the files, and what they cannot hold.

use super::{Format, csv, flux, native, pbs, slurm};
use crate::model::{Settings, Snapshot, Source, Tree};
use std::sync::Arc;

/// A tree in another format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conversion {
    /// The files by name, the one that holds the tree first.
    pub files: Vec<(String, Vec<u8>)>,
    /// What the format cannot hold and what was made of it, one sentence each.
    pub losses: Vec<String>,
}

/// Writes a tree and its settings in a format; `snapshot` says where they came from.
///
/// PBS needs three files: `resource_group`, `usage`, `sched_config`. The others need one.
#[must_use]
pub fn convert(snapshot: &Snapshot, tree: &Tree, settings: &Settings, to: Format) -> Conversion {
    match to {
        Format::Pbs => {
            let (resource_group, losses) = pbs::write::resource_group(tree);
            let file = |name: &str, contents| (name.to_owned(), contents);
            Conversion {
                files: vec![
                    file("resource_group", resource_group),
                    file("usage", pbs::write::usage(tree, settings.pbs.last_decay)),
                    file("sched_config", pbs::write::sched_config(settings)),
                ],
                losses,
            }
        }
        Format::Csv => {
            let mut losses = csv::losses(tree);
            if settings.scheduler.is_some() {
                losses.push(
                    "the scheduler's settings are left out, and so is which scheduler the tree is of: \
                     the decay, the unit of usage and the like"
                        .to_owned(),
                );
            }
            Conversion {
                files: vec![("tree.csv".to_owned(), csv::write(tree))],
                losses,
            }
        }
        Format::Toml => {
            let edited = Snapshot {
                tree: tree.clone(),
                settings: settings.clone(),
                source: Source::clone(&snapshot.source),
                recorded: Arc::default(),
            };
            Conversion {
                files: vec![(
                    "tree.toml".to_owned(),
                    native::write_tree(&edited, tree, None),
                )],
                losses: Vec::new(),
            }
        }
        Format::SacctmgrDump => slurm::dump::convert(snapshot, tree),
        Format::FluxJson => flux::json::convert(tree),
        Format::Sshare
        | Format::SlurmJson
        | Format::AssocMgr
        | Format::SacctmgrAssoc
        | Format::FluxDb
        | Format::ViewBank => {
            unreachable!("only writable formats are asked for: {}", to.name())
        }
    }
}
