//! The columns of `sshare`, under all names they ever had.

/// The kind of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Account,
    User,
    Cluster,
    Partition,
    Id,
    RawShares,
    NormShares,
    RawUsage,
    NormUsage,
    EffectvUsage,
    FairShare,
    /// The 64-bit priority of LEVEL_BASED.
    FairShareRaw,
    LevelFs,
    GrpTresMins,
    GrpTresRaw,
    TresRunMins,
    /// An unknown column.
    Unknown,
}

/// The form of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellKind {
    /// Any text; cut if it is too long.
    Text,
    /// Digits, which are never cut and shift the rest of their line to the right.
    Whole,
    /// A number with decimals.
    Decimal,
}

/// The names of headers without blanks and hyphens, in lower case.
const NAMES: &[(&str, Column)] = &[
    ("account", Column::Account),
    ("user", Column::User),
    ("cluster", Column::Cluster),
    ("partition", Column::Partition),
    ("id", Column::Id),
    ("rawshares", Column::RawShares),
    ("normshares", Column::NormShares),
    ("rawusage", Column::RawUsage),
    ("normusage", Column::NormUsage),
    ("effectvusage", Column::EffectvUsage),
    ("fairshare", Column::FairShare),
    ("fairshareraw", Column::FairShareRaw),
    ("levelfs", Column::LevelFs),
    ("grptresmins", Column::GrpTresMins),
    ("grpcpumins", Column::GrpTresMins),
    ("grptresraw", Column::GrpTresRaw),
    ("tresrunmins", Column::TresRunMins),
    ("cpurunmins", Column::TresRunMins),
];

use Column::{
    Account, Cluster, EffectvUsage, FairShare, GrpTresMins, GrpTresRaw, Id, LevelFs, NormShares,
    NormUsage, Partition, RawShares, RawUsage, TresRunMins, User,
};

/// The columns that `sshare` prints, from the fewest to the most. Without a header the first that fits is used.
pub(super) const USUAL: &[&[Column]] = &[
    &[
        Account,
        User,
        RawShares,
        NormShares,
        RawUsage,
        EffectvUsage,
        FairShare,
    ],
    &[
        Account,
        User,
        Partition,
        RawShares,
        NormShares,
        RawUsage,
        EffectvUsage,
        FairShare,
    ],
    &[
        Account,
        User,
        RawShares,
        NormShares,
        RawUsage,
        NormUsage,
        EffectvUsage,
        FairShare,
    ],
    LONG,
    &[
        Account,
        User,
        RawShares,
        NormShares,
        RawUsage,
        NormUsage,
        EffectvUsage,
        FairShare,
        LevelFs,
        GrpTresMins,
        TresRunMins,
    ],
    LONG_WITH_PARTITION,
    &[
        Account,
        User,
        Partition,
        RawShares,
        NormShares,
        RawUsage,
        NormUsage,
        EffectvUsage,
        FairShare,
        LevelFs,
        GrpTresMins,
        TresRunMins,
    ],
    &[
        Account,
        User,
        Cluster,
        Partition,
        Id,
        RawShares,
        NormShares,
        RawUsage,
        NormUsage,
        EffectvUsage,
        FairShare,
        LevelFs,
        GrpTresMins,
        TresRunMins,
    ],
    &[
        Account,
        User,
        Cluster,
        Partition,
        Id,
        RawShares,
        NormShares,
        RawUsage,
        NormUsage,
        EffectvUsage,
        FairShare,
        LevelFs,
        GrpTresMins,
        GrpTresRaw,
        TresRunMins,
    ],
];

/// The columns of `-l` without Fair Tree.
pub(super) const LONG: &[Column] = &[
    Account,
    User,
    RawShares,
    NormShares,
    RawUsage,
    NormUsage,
    EffectvUsage,
    FairShare,
    GrpTresMins,
    TresRunMins,
];

/// The columns of `-l -m` without Fair Tree.
pub(super) const LONG_WITH_PARTITION: &[Column] = &[
    Account,
    User,
    Partition,
    RawShares,
    NormShares,
    RawUsage,
    NormUsage,
    EffectvUsage,
    FairShare,
    GrpTresMins,
    TresRunMins,
];

/// Returns a name without blanks and hyphens, in lower case. Up to 14.11 it was `Raw Shares` and `Fair-share`.
fn plain(name: &[u8]) -> Vec<u8> {
    let letters = name.iter().filter(|byte| !b" -\t".contains(byte));
    letters.map(u8::to_ascii_lowercase).collect()
}

impl Column {
    /// Returns the column of a header's cell, or `None`. If the width cut the name to `RawSh+`, it is the only one that
    /// begins so.
    pub(super) fn named(header: &[u8]) -> Option<Self> {
        let name = plain(header);
        let whole = NAMES.iter().find(|(known, _)| known.as_bytes() == name);
        if let Some((_, column)) = whole {
            return Some(*column);
        }
        let start = name.strip_suffix(b"+").filter(|start| !start.is_empty())?;
        let mut similar = NAMES
            .iter()
            .filter(|(known, _)| known.as_bytes().starts_with(start))
            .map(|(_, column)| *column);
        let first = similar.next()?;
        similar.all(|other| other == first).then_some(first)
    }

    /// Returns whether no other command's table has it.
    pub(super) const fn is_of_sshare(self) -> bool {
        matches!(
            self,
            Self::RawShares
                | Self::NormShares
                | Self::RawUsage
                | Self::NormUsage
                | Self::EffectvUsage
                | Self::FairShare
                | Self::FairShareRaw
                | Self::LevelFs
        )
    }

    /// Returns the form of its cells.
    pub(super) const fn look(self) -> CellKind {
        match self {
            Self::Id | Self::RawShares | Self::RawUsage => CellKind::Whole,
            Self::NormShares
            | Self::NormUsage
            | Self::EffectvUsage
            | Self::FairShare
            | Self::LevelFs => CellKind::Decimal,
            _ => CellKind::Text,
        }
    }

    /// Returns its default width.
    pub(super) const fn usual_width(self) -> usize {
        match self {
            Self::Account => 20,
            Self::Id => 6,
            Self::NormShares | Self::RawUsage | Self::NormUsage => 11,
            Self::Partition => 12,
            Self::EffectvUsage => 13,
            Self::GrpTresMins | Self::GrpTresRaw | Self::TresRunMins => 30,
            _ => 10,
        }
    }

    /// Returns its present name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Account => "Account",
            Self::User => "User",
            Self::Cluster => "Cluster",
            Self::Partition => "Partition",
            Self::Id => "ID",
            Self::RawShares => "RawShares",
            Self::NormShares => "NormShares",
            Self::RawUsage => "RawUsage",
            Self::NormUsage => "NormUsage",
            Self::EffectvUsage => "EffectvUsage",
            Self::FairShare => "FairShare",
            Self::FairShareRaw => "FairShare Raw",
            Self::LevelFs => "LevelFS",
            Self::GrpTresMins => "GrpTRESMins",
            Self::GrpTresRaw => "GrpTRESRaw",
            Self::TresRunMins => "TRESRunMins",
            Self::Unknown => "(unknown)",
        }
    }
}

impl CellKind {
    /// Returns whether a cell can be of such a column. An empty one always can.
    pub(super) fn fits(self, cell: &[u8]) -> bool {
        let is_number = |bytes: &[u8]| {
            let has_digit = bytes.iter().any(u8::is_ascii_digit);
            has_digit
                && bytes
                    .iter()
                    .all(|byte| byte.is_ascii_digit() || b".e+-".contains(byte))
        };
        match self {
            Self::Text => true,
            Self::Whole => {
                cell.iter().all(u8::is_ascii_digit) || cell == b"parent" || cell == b"1.000000"
            }
            Self::Decimal => {
                cell.is_empty()
                    || matches!(cell, b"inf" | b"nan" | b"-nan")
                    || (cell.contains(&b'.') && is_number(cell))
            }
        }
    }
}
