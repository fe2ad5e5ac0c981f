//! Facts as they were read: the tree, its names, its settings and its origin.
//!
//! Nothing here computes a scheduler's number, and nothing here knows a file, a terminal or a clock. The layers above
//! read these types. Only `format` creates them, and only `scenario` changes a copy.

mod bins;
mod duration;
mod format;
pub mod generate;
mod moment;
mod names;
mod node;
mod order;
mod path;
mod printed;
mod pseudonyms;
mod quantity;
mod recorded;
mod settings;
mod snapshot;
mod tree;

pub use bins::{BinRow, Bins, FinishedJob};
pub(crate) use duration::duration_forms;
pub use duration::{DurationError, DurationForm, duration_for_people, duration_of, seconds_of};
pub use format::Format;
pub(crate) use moment::LAST_MOMENT;
pub use moment::{ClockReading, Moment, MomentError, WrittenTime, date_of, moment_of};
pub use names::{NameId, NameInterner, Names};
pub use node::{Ids, Kind, NodeId};
pub use order::Order;
pub use path::{
    DEEPEST_PATH, PathError, Paths, escape_name, path_for_people, path_of, resolve, resolve_briefly,
};
pub(crate) use path::{nodes_meant, only};
pub use printed::{PrintedColumns, PrintedNumber, PrintedNumbers, UsageEstimate};
pub(crate) use pseudonyms::Named;
pub use pseudonyms::Pseudonyms;
pub use quantity::{Shares, Usage};
pub use recorded::{EXACT, Fact, Figure, Figures, Incomplete, Recorded, Texts, UsagePrecision};
pub use settings::{
    BillingError, BillingRule, Campaign, FairShare, Flux, Formula, JOB_RESOURCES, LINEAGE_SINCE,
    MOST_LEVELS, Measured, Noun, Pace, ParentFactors, Pbs, Premise, PriorityWeights, Scheduler,
    SettingError, SettingStep, Settings, Slurm, TieOrder, Time, UsageResetPeriod, release_of,
};
pub(crate) use settings::{BillingWeights, is_time};
pub use snapshot::{Origin, OutputFile, Snapshot, Source, Subject};
pub use tree::{
    Amounts, Listing, Part, Position, Record, ShareBounds, SteadyPeriod, Tree, TreeBuilder,
    UnlistedLevel, UsageState,
};
pub(crate) use tree::{OTHERS, RoundedUsage};
