//! The problems of an output of `sshare`.

use crate::base::shown::Shown;
use crate::format::problem::problems;

problems! {
    /// What is wrong with an output, or assumed.
    pub(super) enum SshareProblem {
        NoHeader { columns: String }, Note "slurm-no-header",
            "there is no header line; by their content the columns were identified as {columns}",
            "run sshare without -n if they are not";
        NoShares, Warning "slurm-no-shares",
            "the column RawShares is missing; every node was given 1 share",
            "add RawShares to -o, or run sshare -a -l -P";
        UnknownColumn { name: Shown }, Note "slurm-column",
            "unknown column '{name}\'; it was left out",
            "nothing needs to be done if you do not need it";
        AboveHeader { line: Shown }, Note "slurm-row",
            "a line above the header was left out: {line}",
            "nothing needs to be done if it is a comment";
        FewCells { count: usize, columns: usize }, Warning "slurm-row",
            "the row has {count} cells; expected {columns}; missing cells are read as empty",
            "check whether the line was cut, and print the output again";
        NoRow { columns: usize, what: String, line: Shown }, Error "slurm-row",
            "the row is not one of {columns} columns: {what}; it was left out: {line}",
            "check whether the line was cut or edited; names with odd characters are safe in sshare -a --json";
        NoNumber { cell: Shown, column: &'static str }, Error "slurm-number",
            "{cell} in the column {column} is not a number that Slurm prints there; the cell is read as empty",
            "check whether the line was cut or edited";
        RowsLeftOut { line: Shown }, Warning "slurm-rows-left-out",
            "rows were left out here: {line}; sums and ranks count only the listed ones",
            "run sshare -a -l -P and give all of its lines";
        SecondRoot { left_out: Shown }, Error "slurm-second-root",
            "a second account root begins here, as in the outputs of two clusters in one file; {left_out} left out from here on",
            "give each output a file of its own, or run sshare -M, which names the clusters";
        SecondTable, Warning "slurm-second-table",
            "a second table begins here; its rows are read as those of one tree with the rows above",
            "give each output a file of its own";
        SameTable { left_out: Shown }, Note "slurm-same-table",
            "the same table begins here once more; {left_out} left out",
            "nothing needs to be done";
        Flat, Warning "slurm-flat",
            "no row is indented, and only the indentation shows which account is above which; all accounts were put under root",
            "print the output again without trimming its lines, or give sacctmgr dump as well, which names the account above";
        FewBlanks { user: Shown, account: Shown }, Warning "slurm-flat",
            "the indentation was lost, as when runs of blanks become one: {user} is not deeper than its account {account}, \
             and only the indentation shows which account is above which; accounts may be below others than printed",
            "print the output again and keep its blanks: sshare -a -l -P; or give sacctmgr dump as well, which names the \
             account above";
        LeadingBlank { count: Shown, names: String }, Warning "slurm-leading-blank",
            "{count} has more blanks before it than levels; its name is assumed to begin with blanks: {names}",
            "check the account with sacctmgr show assoc tree; sshare -a --json keeps such names";
        CutName { are: Shown, names: String }, Warning "slurm-cut-name",
            "{are} cut to the width of the column and end in +: {names}; different names may look the same",
            "run sshare -a -l -P, which cuts nothing";
        CutAlike { were: Shown, names: String }, Warning "slurm-cut-alike",
            "{were} cut to the same name as an earlier one; a number was added to distinguish them: {names}",
            "run sshare -a -l -P, which cuts nothing";
        Slash { are: Shown, treatment: &'static str, names: String }, Warning "slurm-slash",
            "{are} printed below a name with a slash and {treatment}: {names}",
            "give sshare -a --json or sacctmgr dump as well, which name the account above";
    }
}
