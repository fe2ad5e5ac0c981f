//! The commands that print tables, and what each prints in its columns.

use crate::format::flux::view_bank::{self, BankTableLayout};
use crate::format::sheet::kind::ColumnRule;
use crate::format::slurm::table::{Command, LineSplit, TableLayout};
use crate::format::text::is_one_of;

/// A command that prints a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Printer {
    /// One of Slurm's.
    Slurm(Command),
    /// `flux account view-bank`.
    ViewBank,
}

/// Where the cells of a line are that a command printed.
#[derive(Clone, Debug)]
pub(super) enum PrintedLayout {
    /// One of Slurm's tables.
    Slurm(TableLayout),
    /// The table of `view-bank`.
    ViewBank(BankTableLayout),
}

/// Headings of associations that no tree needs.
const NOT_READ: &[&str] = &[
    "Priority",
    "GrpJobs",
    "GrpTRES",
    "GrpSubmit",
    "GrpWall",
    "GrpTRESRunMin",
    "MaxJobs",
    "MaxTRES",
    "MaxTRESPerNode",
    "MaxSubmit",
    "MaxWall",
    "MaxTRESMins",
    "QOS",
    "Def QOS",
    "RGT",
];

impl Printer {
    /// All of them, in the order in which headings are compared with theirs.
    pub(super) const ALL: &[Self] = &[
        Self::Slurm(Command::Sreport),
        Self::Slurm(Command::Sacctmgr),
        Self::ViewBank,
        Self::Slurm(Command::Sshare),
    ];

    /// Returns whether a text is the heading of a column.
    pub(super) fn has(self, heading: &[u8]) -> bool {
        match self {
            Self::Slurm(command) => {
                let is_not_read = command == Command::Sacctmgr && is_one_of(heading, NOT_READ);
                is_not_read || command.column(heading).is_some()
            }
            Self::ViewBank => view_bank::is_heading(heading),
        }
    }

    /// Returns what stands below headings, or `None` if they are not those of a table of this command.
    pub(super) fn columns(self, headings: &[Vec<u8>]) -> Option<Vec<ColumnRule>> {
        match self {
            Self::Slurm(command) => TableLayout::rules(command, headings),
            Self::ViewBank => view_bank::rules(headings),
        }
    }

    /// Returns where the cells are below a line of headings, if the command printed it.
    pub(super) fn layout(self, header: &[u8], below: Option<&[u8]>) -> Option<PrintedLayout> {
        match self {
            Self::Slurm(command) => {
                let layout = TableLayout::of_header(command, header, below)?;
                Some(PrintedLayout::Slurm(layout))
            }
            Self::ViewBank => {
                let layout = BankTableLayout::of_header(header)?;
                Some(PrintedLayout::ViewBank(layout))
            }
        }
    }
}

impl PrintedLayout {
    /// Returns whether the reader of the command's tables reads each of the rows. `fitting` is how many fit what the columns
    /// hold.
    pub(super) fn reads_all(&self, rows: &[&[u8]], fitting: usize) -> bool {
        match self {
            Self::Slurm(_) if fitting * 2 < rows.len() => false,
            Self::Slurm(_) => rows.iter().all(|row| self.cells(row).is_some()),
            Self::ViewBank(layout) => layout.reads_all(rows),
        }
    }

    /// Returns whether the headings stand where the layout has them.
    pub(super) fn has_headings(&self, names: &[Vec<u8>]) -> bool {
        match self {
            Self::Slurm(layout) => layout.has_headings(names),
            Self::ViewBank(_) => true,
        }
    }

    /// Returns the cells of a row; `None` if it is not one that the command prints.
    pub(super) fn cells<'a>(&self, line: &'a [u8]) -> Option<Vec<&'a [u8]>> {
        match self {
            Self::Slurm(layout) => {
                let mut cells = Vec::new();
                match layout.divide(line.trim_ascii_end(), &mut cells) {
                    LineSplit::Whole => Some(cells),
                    _ => None,
                }
            }
            Self::ViewBank(layout) => layout.cells_alone(line),
        }
    }
}
