//! The columns of the tables of `sshare`, `sacctmgr` and `sreport`, under all names they ever had.

use crate::format::sheet::kind::{CellKind, ColumnRule};
use crate::model::Fact;
use SlurmColumn::Recorded;

/// The command that prints a table. They give some names to different columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// `sshare`.
    Sshare,
    /// `sacctmgr show assoc`.
    Sacctmgr,
    /// `sreport cluster AccountUtilizationByUser`.
    Sreport,
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SlurmColumn {
    /// The account, or the account of a user.
    Account,
    /// The user; empty in the row of an account.
    User,
    /// The cluster.
    Cluster,
    /// The partition of a user's association.
    Partition,
    /// Slurm's number of the association.
    Id,
    /// The raw shares.
    RawShares,
    /// The usage, as a whole number.
    RawUsage,
    /// A column that is recorded beside shares and usage: a number, or a text whose cells look like one.
    Recorded(Fact),
    /// The number of the account above.
    ParentId,
    /// The name of the account above.
    ParentName,
    /// The place in the lists of Slurm up to 23.02.
    Left,
    /// The description of an account: free text, by default the account's name.
    Description,
    /// The organization of an account: free text.
    Organization,
    /// The user, as `sreport` calls it.
    Login,
    /// The usage of a period.
    Used,
    /// The resource that was used.
    TresName,
    /// A column that a tree does not use.
    Unknown,
}

/// Names of columns, without blanks. Case, blanks and hyphens in them do not matter.
type Names = &'static [(&'static str, SlurmColumn)];

/// The names that all commands use in one sense.
const NAMES: Names = &[
    ("Account", SlurmColumn::Account),
    ("User", SlurmColumn::User),
    ("Cluster", SlurmColumn::Cluster),
    ("Partition", SlurmColumn::Partition),
    ("ID", SlurmColumn::Id),
    ("GrpTRESMins", Recorded(Fact::GrpTresMins)),
    ("SlurmAccount", SlurmColumn::Account),
    ("SlurmUser", SlurmColumn::User),
];

/// The names in `sshare`. The first name of a column is its present one, as people are told it.
const NAMES_OF_SSHARE: Names = &[
    ("RawShares", SlurmColumn::RawShares),
    ("NormShares", Recorded(Fact::NormShares)),
    ("RawUsage", SlurmColumn::RawUsage),
    ("NormUsage", Recorded(Fact::NormUsage)),
    ("EffectvUsage", Recorded(Fact::EffectvUsage)),
    ("FairShare", Recorded(Fact::FairShare)),
    ("FairShare Raw", Recorded(Fact::FairShareRaw)),
    ("FairShareRaw", Recorded(Fact::FairShareRaw)),
    ("LevelFS", Recorded(Fact::LevelFs)),
    ("GrpCPUMins", Recorded(Fact::GrpTresMins)),
    ("GrpTRESRaw", Recorded(Fact::GrpTresRaw)),
    ("TRESRunMins", Recorded(Fact::TresRunMins)),
    ("CPURunMins", Recorded(Fact::TresRunMins)),
    ("NormalizedShares", Recorded(Fact::NormShares)),
    ("NormalizedUsage", Recorded(Fact::NormUsage)),
    ("EffectiveUsage", Recorded(Fact::EffectvUsage)),
];

/// The names in `sacctmgr`.
const NAMES_OF_SACCTMGR: Names = &[
    ("Share", SlurmColumn::RawShares),
    ("FairShare", SlurmColumn::RawShares),
    ("RawShares", SlurmColumn::RawShares),
    ("ParentID", SlurmColumn::ParentId),
    ("ParID", SlurmColumn::ParentId),
    ("ParentName", SlurmColumn::ParentName),
    ("ParName", SlurmColumn::ParentName),
    ("LFT", SlurmColumn::Left),
    ("Descr", SlurmColumn::Description),
    ("Org", SlurmColumn::Organization),
];

/// The names in `sreport`.
const NAMES_OF_SREPORT: Names = &[
    ("Login", SlurmColumn::Login),
    ("Used", SlurmColumn::Used),
    ("TRESName", SlurmColumn::TresName),
];

/// Plain names of columns of which one at least makes a table that of associations: `sshare` has none of them.
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

/// Plain names of columns that `sacctmgr` never prints.
pub(super) const ONLY_OF_SSHARE: &[&str] = &[
    "rawusage",
    "normshares",
    "normusage",
    "effectvusage",
    "levelfs",
];

impl Command {
    /// Returns the column of a heading, or `None` if the command has none of that name. In `sshare` names may be cut, as
    /// `RawSh+`, if no other column's name begins so.
    pub(crate) fn column(self, heading: &[u8]) -> Option<SlurmColumn> {
        let own = match self {
            Self::Sshare => NAMES_OF_SSHARE,
            Self::Sacctmgr => NAMES_OF_SACCTMGR,
            Self::Sreport => NAMES_OF_SREPORT,
        };
        let name = plain(heading);
        for (known, column) in NAMES.iter().chain(own) {
            if known.eq_ignore_ascii_case(&name) {
                return Some(*column);
            }
        }
        // sacctmgr has too many columns that a tree does not use.
        if self != Self::Sshare {
            return None;
        }
        let start = name.strip_suffix('+')?;
        let mut only = None;
        for (known, column) in NAMES.iter().chain(own) {
            let Some(beginning) = known.get(..start.len()) else {
                continue;
            };
            if !beginning.eq_ignore_ascii_case(start) {
                continue;
            }
            if only.is_some() && only != Some(*column) {
                return None;
            }
            only = Some(*column);
        }
        only
    }
}

/// What the cells of a column hold, and how wide it is.
struct ColumnForm {
    /// What its cells hold.
    kind: CellKind,
    /// Its width in `sshare` unless another is asked for, in characters.
    width: usize,
    /// How unlikely an empty cell is, from 0. Empty are the numbers of the root, the user of an account, and what few rows
    /// have.
    blank: u32,
}

impl SlurmColumn {
    /// Returns what its cells hold, and how wide it is.
    const fn form(self) -> ColumnForm {
        let (kind, width, blank) = match self {
            Self::Account => (CellKind::Name, 20, 20),
            Self::User => (CellKind::Name, 10, 2),
            Self::Cluster | Self::ParentName | Self::Login => (CellKind::Name, 10, 1),
            Self::Partition => (CellKind::Name, 12, 1),
            Self::Id => (CellKind::Count, 6, 1),
            Self::ParentId | Self::Left => (CellKind::Count, 10, 1),
            Self::RawShares => (CellKind::Count, 10, 3),
            Self::RawUsage => (CellKind::Count, 11, 20),
            Recorded(Fact::FairShare) => (CellKind::Portion, 10, 1),
            Recorded(Fact::LevelFs) => (CellKind::Number, 10, 3),
            Recorded(Fact::NormShares) => (CellKind::Portion, 11, 10),
            Recorded(Fact::NormUsage) => (CellKind::Portion, 11, 2),
            Recorded(Fact::EffectvUsage) => (CellKind::Portion, 13, 10),
            Recorded(Fact::TresRunMins) => (CellKind::Amounts, 30, 4),
            Recorded(Fact::GrpTresMins | Fact::GrpTresRaw) => (CellKind::Amounts, 30, 1),
            _ => (CellKind::Text, 10, 1),
        };
        ColumnForm { kind, width, blank }
    }

    /// Returns the rule by which cells that lost their places are told apart.
    pub(crate) const fn rule(self) -> ColumnRule {
        ColumnRule {
            kind: self.kind(),
            blank: self.form().blank,
            is_account: matches!(self, Self::Account),
        }
    }

    /// Returns what its cells hold.
    pub(crate) const fn kind(self) -> CellKind {
        self.form().kind
    }

    /// Returns its width in `sshare` unless another is asked for, in characters.
    pub(crate) const fn usual_width(self) -> usize {
        self.form().width
    }

    /// Returns whether its cells are numbers with decimals.
    pub(crate) const fn has_decimals(self) -> bool {
        matches!(self.kind(), CellKind::Portion | CellKind::Number)
    }

    /// Returns its present name in `sshare`.
    pub(crate) fn name(self) -> &'static str {
        for (name, column) in NAMES.iter().chain(NAMES_OF_SSHARE) {
            if *column == self {
                return name;
            }
        }
        "(unknown)"
    }
}

/// Returns a name without blanks, hyphens and underscores, in lower case. Up to 14.11 it was `Raw Shares` and
/// `Fair-share`.
pub(crate) fn plain(name: &[u8]) -> String {
    let mut plain = String::with_capacity(name.len());
    for byte in name {
        if !b" -_\t".contains(byte) {
            plain.push(char::from(byte.to_ascii_lowercase()));
        }
    }
    plain
}
