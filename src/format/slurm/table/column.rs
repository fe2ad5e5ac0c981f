//! The columns of the tables of `sshare` and `sacctmgr`, under all names they ever had.

use crate::format::sheet::kind::{CellKind, ColumnRule};
use crate::model::Fact;

/// The command that prints a table. They give some names to different columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format) enum Command {
    Sshare,
    Sacctmgr,
    Sreport,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format) enum SlurmColumn {
    Account,
    User,
    Cluster,
    Partition,
    Id,
    RawShares,
    RawUsage,
    /// A column that is recorded beside shares and usage: a number, or a text whose cells look like one.
    Recorded(Fact),
    ParentId,
    ParentName,
    Left,
    /// The description of an account: free text, by default the account's name.
    Description,
    Organization,
    Login,
    Used,
    TresName,
    /// A column that a tree does not use.
    Unknown,
}

/// The names of columns: those that all commands use in one sense, and those of each. Case, blanks and hyphens in them do
/// not matter. The first name of a column is its present one.
const NAMES: [(&str, SlurmColumn); 8] = [
    ("Account", SlurmColumn::Account),
    ("User", SlurmColumn::User),
    ("Cluster", SlurmColumn::Cluster),
    ("Partition", SlurmColumn::Partition),
    ("ID", SlurmColumn::Id),
    ("GrpTRESMins", SlurmColumn::Recorded(Fact::GrpTresMins)),
    ("SlurmAccount", SlurmColumn::Account),
    ("SlurmUser", SlurmColumn::User),
];
const NAMES_OF_SSHARE: [(&str, SlurmColumn); 15] = [
    ("RawShares", SlurmColumn::RawShares),
    ("NormShares", SlurmColumn::Recorded(Fact::NormShares)),
    ("RawUsage", SlurmColumn::RawUsage),
    ("NormUsage", SlurmColumn::Recorded(Fact::NormUsage)),
    ("EffectvUsage", SlurmColumn::Recorded(Fact::EffectvUsage)),
    ("FairShare", SlurmColumn::Recorded(Fact::FairShare)),
    ("FairShare Raw", SlurmColumn::Recorded(Fact::FairShareRaw)),
    ("LevelFS", SlurmColumn::Recorded(Fact::LevelFs)),
    ("GrpCPUMins", SlurmColumn::Recorded(Fact::GrpTresMins)),
    ("GrpTRESRaw", SlurmColumn::Recorded(Fact::GrpTresRaw)),
    ("TRESRunMins", SlurmColumn::Recorded(Fact::TresRunMins)),
    ("CPURunMins", SlurmColumn::Recorded(Fact::TresRunMins)),
    ("NormalizedShares", SlurmColumn::Recorded(Fact::NormShares)),
    ("NormalizedUsage", SlurmColumn::Recorded(Fact::NormUsage)),
    ("EffectiveUsage", SlurmColumn::Recorded(Fact::EffectvUsage)),
];
const NAMES_OF_SACCTMGR: [(&str, SlurmColumn); 10] = [
    ("Share", SlurmColumn::RawShares),
    ("FairShare", SlurmColumn::RawShares),
    ("RawShares", SlurmColumn::RawShares),
    ("ParentID", SlurmColumn::ParentId),
    ("Par ID", SlurmColumn::ParentId),
    ("ParentName", SlurmColumn::ParentName),
    ("Par Name", SlurmColumn::ParentName),
    ("LFT", SlurmColumn::Left),
    ("Descr", SlurmColumn::Description),
    ("Org", SlurmColumn::Organization),
];
const NAMES_OF_SREPORT: [(&str, SlurmColumn); 3] = [
    ("Login", SlurmColumn::Login),
    ("Used", SlurmColumn::Used),
    ("TRES Name", SlurmColumn::TresName),
];

/// Names of columns of which one at least makes a table that of associations: sshare has none of them.
pub(super) const ONLY_OF_SACCTMGR: &str =
    "share parentid parid parentname parname lft rgt qos defqos grpjobs maxjobs maxwall";

/// Names of columns that sacctmgr never prints.
pub(super) const ONLY_OF_SSHARE: &str = "rawusage normshares normusage effectvusage levelfs";

impl SlurmColumn {
    /// Returns the column of a header's cell, or `None`. `RawSh+`, cut in `sshare`, is the only one that begins so.
    pub(super) fn named(command: Command, header: &[u8]) -> Option<Self> {
        let own = match command {
            Command::Sshare => &NAMES_OF_SSHARE[..],
            Command::Sacctmgr => &NAMES_OF_SACCTMGR,
            Command::Sreport => &NAMES_OF_SREPORT,
        };
        let letters = |known: &'static str| {
            let letters = known.bytes().filter(|&byte| byte != b' ');
            letters.map(|byte| byte.to_ascii_lowercase())
        };
        let mut names = NAMES.iter().chain(own);
        let name = plain(header);
        if let Some((_, column)) = names.find(|(known, _)| letters(known).eq(name.bytes())) {
            return Some(*column);
        }
        // sacctmgr has too many columns that a tree does not use.
        let start = name.strip_suffix('+');
        let start = start.filter(|_| command == Command::Sshare)?;
        let begins = |known| letters(known).take(start.len()).eq(start.bytes());
        let similar = NAMES.iter().chain(own).filter(|(known, _)| begins(*known));
        let mut similar = similar.map(|(_, column)| *column);
        let first = similar.next()?;
        similar.all(|other| other == first).then_some(first)
    }

    /// Returns the form of its cells, and its width in `sshare` unless another is asked for.
    const fn form(self) -> (CellKind, usize) {
        match self {
            Self::Account => (CellKind::Name, 20),
            Self::User | Self::Cluster | Self::ParentName | Self::Login => (CellKind::Name, 10),
            Self::Id => (CellKind::Count, 6),
            Self::ParentId | Self::Left | Self::RawShares => (CellKind::Count, 10),
            Self::RawUsage => (CellKind::Count, 11),
            Self::Recorded(Fact::FairShare) => (CellKind::Portion, 10),
            Self::Recorded(Fact::LevelFs) => (CellKind::Number, 10),
            Self::Recorded(Fact::NormShares | Fact::NormUsage) => (CellKind::Portion, 11),
            Self::Recorded(Fact::EffectvUsage) => (CellKind::Portion, 13),
            Self::Partition => (CellKind::Name, 12),
            Self::Recorded(Fact::GrpTresMins | Fact::GrpTresRaw | Fact::TresRunMins) => {
                (CellKind::Amounts, 30)
            }
            _ => (CellKind::Text, 10),
        }
    }

    /// Returns what stands in it. Empty are the numbers of the root, the user of an account, and what few rows have.
    pub(in crate::format::slurm) const fn rule(self) -> ColumnRule {
        let blank = match self {
            Self::Account | Self::RawUsage => 20,
            Self::Recorded(Fact::NormShares | Fact::EffectvUsage) => 10,
            Self::Recorded(Fact::TresRunMins) => 4,
            Self::RawShares | Self::Recorded(Fact::LevelFs) => 3,
            Self::User | Self::Recorded(Fact::NormUsage) => 2,
            _ => 1,
        };
        ColumnRule {
            kind: self.kind(),
            blank,
            is_account: matches!(self, Self::Account),
        }
    }

    pub(in crate::format::slurm) const fn kind(self) -> CellKind {
        self.form().0
    }

    pub(in crate::format::slurm) const fn usual_width(self) -> usize {
        self.form().1
    }

    /// Returns its present name in `sshare`.
    pub(in crate::format::slurm) fn name(self) -> &'static str {
        let mut names = NAMES.iter().chain(&NAMES_OF_SSHARE);
        let known = names.find(|(_, column)| *column == self);
        known.map_or("(unknown)", |(name, _)| name)
    }
}

/// Returns a name without blanks, hyphens and underscores, in lower case. Up to 14.11 it was `Raw Shares` and
/// `Fair-share`.
pub(in crate::format) fn plain(name: &[u8]) -> String {
    let letters = name.iter().filter(|byte| !b" -_\t".contains(byte));
    let lower = letters.map(|byte| char::from(byte.to_ascii_lowercase()));
    lower.collect()
}

impl Command {
    /// Returns the column of a heading, or `None` if the command has none of that name.
    pub(in crate::format) fn column(self, heading: &[u8]) -> Option<SlurmColumn> {
        SlurmColumn::named(self, heading)
    }
}
