//! The problems of a table of banks.

use crate::base::shown::Shown;
use crate::format::problem::problems;

problems! {
    /// What is wrong or odd in a table of banks.
    pub(super) enum BankProblem {
        BadRow { line: Shown }, Error "flux-bad-row",
            "{line} is not a row of a bank or user; it was left out",
            "give the output of flux account view-bank ROOT -t -P as it was printed";
        SecondRoot { name: Shown }, Error "flux-second-root",
            "{name} is not below the first bank; it was left out",
            "give the output of one command";
        SecondTable { left_out: Shown }, Error "flux-second-table",
            "a second table begins here; {left_out} left out",
            "give the output of one command";
        SameTable { left_out: Shown }, Note "flux-same-table",
            "the same table begins here once more; {left_out} left out",
            "nothing needs to be done";
        RowsLeftOut { line: Shown }, Warning "flux-rows-left-out",
            "rows were left out here: {line}; sums and ranks count only the listed ones",
            "give all lines of flux account view-bank ROOT -t -P";
        NegativeShares { whose: String, shares: Shown }, Warning "flux-odd-shares",
            "the shares of {whose} are {shares}; Flux reads them as a very large number",
            "set them with flux account edit-user or edit-bank, --shares=NUMBER";
        OddShares { whose: String, shares: Shown, read: i64 }, Warning "flux-odd-shares",
            "the shares of {whose} are {shares}; expected a whole number; they are read as {read}",
            "set them with flux account edit-user or edit-bank, --shares=NUMBER";
        OddUsage { whose: String, usage: Shown, counted: f64 }, Warning "flux-odd-usage",
            "the usage of {whose} is {usage}; expected a number from 0 up; it is counted as {counted}",
            "run flux account-update-usage, or flux account clear-usage BANK";
    }
}
