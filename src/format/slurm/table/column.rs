//! The columns of the tables of `sshare` and `sacctmgr`, under all names they ever had.

use crate::model::Fact;

/// The command that prints a table. They give some names to different columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format::slurm) enum Command {
    Sshare,
    Sacctmgr,
    Sreport,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format::slurm) enum SlurmColumn {
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format::slurm) enum CellKind {
    /// Any text; cut if it is too long.
    Text,
    /// Digits, which are never cut and shift the rest of their line to the right.
    Whole,
    Decimal,
}

/// The names of columns: those that all commands use in one sense, and those of each. Case, blanks and hyphens in them do
/// not matter. The first name of a column is its present one.
const NAMES: [(&str, SlurmColumn); 6] = [
    ("Account", SlurmColumn::Account),
    ("User", SlurmColumn::User),
    ("Cluster", SlurmColumn::Cluster),
    ("Partition", SlurmColumn::Partition),
    ("ID", SlurmColumn::Id),
    ("GrpTRESMins", SlurmColumn::Recorded(Fact::GrpTresMins)),
];
const NAMES_OF_SSHARE: [(&str, SlurmColumn); 12] = [
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
            Self::Account => (CellKind::Text, 20),
            Self::Id => (CellKind::Whole, 6),
            Self::ParentId | Self::Left | Self::RawShares => (CellKind::Whole, 10),
            Self::RawUsage => (CellKind::Whole, 11),
            Self::Recorded(Fact::FairShare | Fact::LevelFs) => (CellKind::Decimal, 10),
            Self::Recorded(Fact::NormShares | Fact::NormUsage) => (CellKind::Decimal, 11),
            Self::Recorded(Fact::EffectvUsage) => (CellKind::Decimal, 13),
            Self::Partition => (CellKind::Text, 12),
            Self::Recorded(Fact::GrpTresMins | Fact::GrpTresRaw | Fact::TresRunMins) => {
                (CellKind::Text, 30)
            }
            _ => (CellKind::Text, 10),
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
    let lower = letters.map(|byte| char::from(byte.to_ascii_lowercase()));
    lower.collect()
}
