//! The problems of a table of associations.

use super::COMMAND;
use crate::base::shown::Shown;
use crate::format::problem::problems;

problems! {
    /// What is wrong or odd in a table of associations.
    pub(super) enum AssocProblem {
        NoHeader, Note "slurm-no-header",
            "there is no header line; by their content the columns were identified as those of sacctmgr show assoc",
            "run sacctmgr without -n if they are not";
        OtherCells { count: usize, columns: usize, line: Shown }, Error "slurm-cells",
            "the line has {count} cells and the header {columns}: {line}; it is left out",
            "a name contains the separator |, or the line is not of this table; sshare --json shows every name";
        NoRow { line: Shown }, Error "slurm-row",
            "the line has no shares and is no row of the table; it was left out: {line}",
            "nothing needs to be done if it is a sentence";
        NoAccount, Error "slurm-row-without-account",
            "the line names no account, so it is left out",
            "{COMMAND}";
        RowsLeftOut { line: Shown }, Warning "slurm-rows-left-out",
            "rows were left out here: {line}; sums and ranks count only the listed ones",
            "{COMMAND} and give all of its lines";
        BadShares { text: Shown }, Error "slurm-shares",
            "the shares are {text}, which is not a number of shares; 1 is assumed",
            "expected a whole number from 0 to 2147483646, or parent";
        NoParents, Warning "slurm-no-parents",
            "it does not show which account is below which, so all are put under root and no user is ranked",
            "{COMMAND}";
        FewBlanks { user: Shown, account: Shown }, Warning "slurm-flat",
            "the indentation was lost, as when runs of blanks become one: {user} is not deeper than its account {account}, and only the indentation shows which account is above which; accounts may be below others than printed",
            "{COMMAND}";
        BarInName { names: String }, Warning "slurm-bar-in-name",
            "names contain the separator |; their ends were found by the numbers after them: {names}",
            "compare with sshare --json, which shows every name";
        CutName { names: String }, Warning "slurm-cut-name",
            "names were longer than their column and are cut: {names}",
            "{COMMAND}";
        SlashInName, Note "slurm-slash-in-name",
            "a name contains a /, by which Slurm sorts since 23.11, so indentation may show an account under the wrong one",
            "{COMMAND}";
        NoAssociation { count: Shown }, Note "slurm-no-association",
            "{count} shown without a cluster and left out",
            "compare with sacctmgr show assoc, which lists all associations of a cluster";
        SameTable { left_out: Shown }, Note "slurm-same-table",
            "the same table begins here once more; {left_out} left out",
            "nothing needs to be done";
    }
}
