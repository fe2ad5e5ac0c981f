//! The columns of the tables of `sshare` and `sacctmgr`, under all names they ever had.

/// The command that prints a table. They give some names to different columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format::slurm) enum Command {
    Sshare,
    Sacctmgr,
}

/// The kind of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format::slurm) enum Column {
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
    ParentId,
    ParentName,
    Left,
    /// The description of an account: free text, by default the account's name.
    Description,
    /// The organization of an account: free text.
    Organization,
    /// A column that a tree does not use.
    Unknown,
}

/// The form of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format::slurm) enum CellKind {
    /// Any text; cut if it is too long.
    Text,
    /// Digits, which are never cut and shift the rest of their line to the right.
    Whole,
    /// A number with decimals.
    Decimal,
}

/// The names of columns without blanks and hyphens, in lower case: those that both commands use in one sense, and those
/// of each.
const NAMES: [(&str, Column); 6] = [
    ("account", Column::Account),
    ("user", Column::User),
    ("cluster", Column::Cluster),
    ("partition", Column::Partition),
    ("id", Column::Id),
    ("grptresmins", Column::GrpTresMins),
];
const NAMES_OF_SSHARE: [(&str, Column); 12] = [
    ("rawshares", Column::RawShares),
    ("normshares", Column::NormShares),
    ("rawusage", Column::RawUsage),
    ("normusage", Column::NormUsage),
    ("effectvusage", Column::EffectvUsage),
    ("fairshare", Column::FairShare),
    ("fairshareraw", Column::FairShareRaw),
    ("levelfs", Column::LevelFs),
    ("grpcpumins", Column::GrpTresMins),
    ("grptresraw", Column::GrpTresRaw),
    ("tresrunmins", Column::TresRunMins),
    ("cpurunmins", Column::TresRunMins),
];
const NAMES_OF_SACCTMGR: [(&str, Column); 10] = [
    ("share", Column::RawShares),
    ("fairshare", Column::RawShares),
    ("rawshares", Column::RawShares),
    ("parentid", Column::ParentId),
    ("parid", Column::ParentId),
    ("parentname", Column::ParentName),
    ("parname", Column::ParentName),
    ("lft", Column::Left),
    ("descr", Column::Description),
    ("org", Column::Organization),
];

/// Names of columns of which one at least makes a table that of associations: sshare has none of them.
pub(super) const ONLY_OF_SACCTMGR: &[&str] = &[
    "share",
    "parentid",
    "parid",
    "parentname",
    "parname",
    "lft",
    "rgt",
    "qos",
    "defqos",
    "grpjobs",
    "maxjobs",
    "maxwall",
];

/// Names of columns that sacctmgr never prints.
pub(super) const ONLY_OF_SSHARE: &[&str] = &[
    "rawusage",
    "normshares",
    "normusage",
    "effectvusage",
    "levelfs",
];

impl Column {
    /// Returns the column of a header's cell, or `None`. If the width cut a name of `sshare` to `RawSh+`, it is the only
    /// one that begins so.
    pub(super) fn named(command: Command, header: &[u8]) -> Option<Self> {
        let own = match command {
            Command::Sshare => &NAMES_OF_SSHARE[..],
            Command::Sacctmgr => &NAMES_OF_SACCTMGR,
        };
        let names = || NAMES.iter().chain(own);
        let name = plain(header);
        if let Some((_, column)) = names().find(|(known, _)| *known == name) {
            return Some(*column);
        }
        // sacctmgr has too many columns that a tree does not use.
        let start = name
            .strip_suffix('+')
            .filter(|_| command == Command::Sshare)?;
        let similar = names().filter(|(known, _)| known.starts_with(start));
        let mut similar = similar.map(|(_, column)| *column);
        let first = similar.next()?;
        similar.all(|other| other == first).then_some(first)
    }

    pub(in crate::format::slurm) const fn kind(self) -> CellKind {
        match self {
            Self::Id | Self::ParentId | Self::Left | Self::RawShares | Self::RawUsage => {
                CellKind::Whole
            }
            Self::NormShares
            | Self::NormUsage
            | Self::EffectvUsage
            | Self::FairShare
            | Self::LevelFs => CellKind::Decimal,
            _ => CellKind::Text,
        }
    }

    /// Returns its width in `sshare` unless another is asked for.
    pub(in crate::format::slurm) const fn usual_width(self) -> usize {
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

    /// Returns its present name in `sshare`.
    pub(in crate::format::slurm) const fn name(self) -> &'static str {
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
            _ => "(unknown)",
        }
    }
}

impl CellKind {
    /// Returns whether a cell can be of such a column. An empty one always can.
    pub(in crate::format::slurm) fn fits(self, cell: &[u8]) -> bool {
        let is_number = |bytes: &[u8]| {
            let is_part = |byte: &u8| byte.is_ascii_digit() || b".e+-".contains(byte);
            bytes.iter().any(u8::is_ascii_digit) && bytes.iter().all(is_part)
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

/// Returns a name without blanks and hyphens, in lower case. Up to 14.11 it was `Raw Shares` and `Fair-share`.
pub(super) fn plain(name: &[u8]) -> String {
    let letters = name.iter().filter(|byte| !b" -\t".contains(byte));
    letters
        .map(|byte| char::from(byte.to_ascii_lowercase()))
        .collect()
}
