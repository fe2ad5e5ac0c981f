//! Facts as they were read: the tree, its names, its settings and its origin.
//!
//! Nothing here computes a scheduler's number, and nothing here knows a file, a terminal or a clock. The layers above
//! read these types. Only `format` creates them, and only `scenario` changes a copy.

mod bins;
mod date;
mod duration;
mod format;
pub mod generate;
mod incomplete;
mod job;
mod kind;
mod listing;
mod names;
mod node;
mod noun;
mod order;
mod origin;
mod path;
mod printed_numbers;
mod quantity;
mod recorded;
mod settings;
mod snapshot;
mod tree;
mod usage_state;

pub use bins::{BinRow, Bins};
pub use date::date_of;
pub use duration::{duration_for_people, duration_of, seconds_of};
pub use format::Format;
pub use incomplete::Incomplete;
pub use job::FinishedJob;
pub use kind::Kind;
pub use listing::Listing;
pub use names::{NameId, NameInterner, Names};
pub use node::{Ids, NodeId};
pub use noun::Noun;
pub use order::Order;
pub use origin::{Origin, OutputFile, Subject};
pub use path::{
    DEEPEST_PATH, PathError, Paths, escape_name, path_for_people, path_of, resolve, resolve_briefly,
};
pub use printed_numbers::PrintedNumbers;
pub use quantity::{Shares, Usage};
pub use recorded::{EXACT, Fact, Figure, Figures, Recorded, Texts, UsagePrecision};
pub use settings::{
    Campaign, FairShare, Flux, Formula, JOB_RESOURCES, LINEAGE_SINCE, MOST_LEVELS, Measured, Pace,
    ParentFactors, Pbs, Premise, Scheduler, SettingError, Settings, Slurm, TieOrder, Time,
    UsageResetPeriod, release_of,
};
pub use snapshot::{Snapshot, Source};
pub use tree::{Children, Position, Record, Tree, TreeBuilder};
pub use usage_state::{Amounts, SteadyPeriod, UsageState};
