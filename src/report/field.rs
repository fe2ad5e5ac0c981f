//! The fields of a row of a report, by name.

mod column;

pub(super) use column::{PlacedNode, parent_place};

use super::{View, room};
use crate::base::number::Alignment;
use crate::model::{Recorded, Settings};
use crate::rules::policy::{ColumnId, Policy};
use std::borrow::Cow;

/// One field of a row: a fact about the node, or a number of the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// The path from the root.
    Path,
    /// The name.
    Name,
    /// `account` or `user`.
    Kind,
    /// Steps from the root.
    Depth,
    /// The index of the parent's row.
    Parent,
    /// A number.
    Column(ColumnId),
}

/// The fields that every policy has, in the order of JSON and CSV.
const COMMON: [Field; 9] = [
    Field::Path,
    Field::Name,
    Field::Kind,
    Field::Depth,
    Field::Column(ColumnId::Shares),
    Field::Column(ColumnId::Usage),
    Field::Column(ColumnId::Rank),
    Field::Parent,
    Field::Column(ColumnId::Factor),
];

impl Field {
    /// Returns the name on the command line, in JSON and in CSV.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Name => "name",
            Self::Kind => "kind",
            Self::Depth => "depth",
            Self::Parent => "parent",
            Self::Column(column) => column.name(),
        }
    }

    /// Returns the heading of a table for people.
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Path => "Path",
            Self::Name => "Name",
            Self::Kind => "Kind",
            Self::Depth => "Depth",
            Self::Parent => "Parent",
            Self::Column(column) => column.heading(),
        }
    }

    /// Returns the side on which its column is aligned.
    pub const fn alignment(self) -> Alignment {
        match self {
            Self::Path | Self::Name | Self::Kind => Alignment::Left,
            Self::Depth | Self::Parent => Alignment::Right,
            Self::Column(column) => column.alignment(),
        }
    }

    /// Returns the place in the order in which columns get room, or `None` if the field is always there.
    fn order(self, view: &View<'_>) -> Option<u8> {
        match self {
            Self::Path | Self::Name => None,
            Self::Kind | Self::Depth | Self::Parent => Some(room::ASKED),
            Self::Column(column) => Some(room::order(view, column)),
        }
    }

    /// Returns the fields of a policy's rows, in the order of JSON and CSV.
    pub fn all(policy: Policy) -> Vec<Self> {
        let columns = policy.columns().iter().copied().map(Self::Column);
        COMMON.into_iter().chain(columns).collect()
    }

    /// Returns the fields that can be requested by name: those of the rows, those of the screen, and the recorded ones.
    pub fn offered(policy: Policy, settings: &Settings, recorded: &Recorded) -> Vec<Self> {
        let points =
            Some(ColumnId::PriorityPoints).filter(|_| policy.has_priority_points(settings));
        let extra = policy.extra_columns().iter().copied().chain(points);
        let recorded = recorded.facts().map(ColumnId::Recorded);
        let served = [ColumnId::Served];
        let further = extra.chain(served).chain(recorded).map(Self::Column);
        Self::all(policy).into_iter().chain(further).collect()
    }

    /// Returns the fields for machines: the requested ones, else all.
    pub(super) fn machine<'a>(view: &View<'_>, asked: Option<&'a [Self]>) -> Cow<'a, [Self]> {
        asked.map_or_else(|| Self::all(view.policy).into(), Cow::Borrowed)
    }

    /// Returns the default fields for people.
    pub fn usual(view: &View<'_>) -> Vec<Self> {
        let columns = view.usual_columns().into_iter();
        columns.map(Self::Column).collect()
    }
}
