//! What can be wrong in a database of flux-accounting.

use crate::base::shell::word;
use crate::base::shown::Shown;
use crate::format::problem::problems;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

/// Returns a bank's name as a word of a command for people.
pub(super) fn argument(bank: &[u8]) -> Shown {
    word(OsStr::from_bytes(bank), "NAME")
}

problems! {
/// What is odd or wrong in the tables, in the order of the tables.
    pub(super) enum DatabaseProblem {
        NewestInLog, Note "flux-wal-not-checkpointed",
            "the newest values are in the write-ahead log next to the database, the file that ends in -wal, and were read from there",
            "copy both files when you copy the database: the .db alone has older values";
        NewerSchema { version: i64, newest: i64 }, Warning "flux-newer-schema",
            "the database has schema {version}, and {newest} is the newest known; it was read by the names of its tables and columns",
            "compare the fair-shares with those that flux account view-bank prints";
        OddSetting { error: Shown, key: &'static str, value: String }, Warning "flux-odd-setting",
            "{error}; it is taken as {value}",
            "set it with flux account edit-config {key}=VALUE";

        NamelessBanks { rows: Shown }, Warning "flux-nameless-bank",
            "{rows} without a name was left out",
            "remove such rows, or give them a name";
        RepeatedBank { bank: Shown }, Warning "flux-repeated-bank",
            "the bank {bank} appears in several places; as in Flux, it has all of its associations and the shares of its first row in each",
            "give each bank a name of its own";
        HiddenAssociations { bank: Shown, associations: Shown }, Warning "flux-hidden-associations",
            "the bank {bank} has banks below it, so {associations} with it is ignored, as in Flux",
            "move the users to a bank of their own, or the banks below it elsewhere";
        BankLoop { bank: Shown, word: Shown }, Error "flux-bank-loop",
            "the bank {bank} is below itself, where Flux would loop endlessly; its lower place was left out",
            "move it with flux account edit-bank {word} --parent-bank=BANK";
        SecondRoot { bank: Shown, root: Shown, lost: Shown, word: Shown }, Warning "flux-second-root",
            "the bank {bank} is a second root; Flux uses the first, {root}; it was left out{lost}",
            "move it with flux account edit-bank {word} --parent-bank=BANK";
        NoParent { bank: Shown, lost: Shown, word: Shown }, Warning "flux-orphan-bank",
            "the bank {bank} does not say which bank is above it; it was left out{lost}",
            "move it with flux account edit-bank {word} --parent-bank=BANK";
        UnknownParent { bank: Shown, above: Shown, lost: Shown, word: Shown }, Warning "flux-orphan-bank",
            "the bank {bank} is below the bank {above}, which does not exist; it was left out{lost}",
            "move it with flux account edit-bank {word} --parent-bank=BANK";
        Unconnected { bank: Shown, above: Shown, root: Shown, lost: Shown, word: Shown }, Warning "flux-orphan-bank",
            "the bank {bank} is below the bank {above}, which is not connected to {root}; it was left out{lost}",
            "move it with flux account edit-bank {word} --parent-bank=BANK";

        NoUser { bank: Shown }, Warning "flux-no-username",
            "an association with bank {bank} names no user; it was left out",
            "remove the row, or give it a username";
        NoBank { user: Shown, bank: Shown }, Warning "flux-no-bank",
            "{user} has an association with the bank {bank}, which does not exist; Flux ignores it, and it was left out",
            "add the bank, or remove the user from it with flux account delete-user";
        OddBankShares { bank: Shown, text: Shown, shares: i64 }, Warning "flux-odd-shares",
            "the shares of the bank {bank} are {text}; expected a whole number; they are read as {shares}, as in Flux",
            "set them with flux account edit-bank BANK --shares=NUMBER";
        OddShares { user: Shown, bank: Shown, text: Shown, shares: i64 }, Warning "flux-odd-shares",
            "the shares of {user} of {bank} are {text}; expected a whole number; they are read as {shares}, as in Flux",
            "set them with flux account edit-user USER --bank=BANK --shares=NUMBER";
        NegativeShares { whose: Shown, shares: i64 }, Warning "flux-negative-shares",
            "the shares of {whose} are {shares}; Flux reads them as a very large number",
            "set them with flux account edit-user or edit-bank, --shares=NUMBER";
        OddUsage { user: Shown, bank: Shown, text: Shown, usage: f64 }, Warning "flux-odd-usage",
            "the usage of {user} of {bank} is {text}; expected a number from 0 up; it is counted as {usage}",
            "run flux account-update-usage, or flux account clear-usage BANK";

        BadJob { id: Shown, why: Shown }, Error "flux-jobs-bad-line",
            "job {id} was left out: {why}",
            "look at it with flux account view-job-records";
        UnreadJobs { rows: Shown }, Warning "flux-jobs-unread",
            "the table jobs could not be read beyond {rows}",
            "look at it with sqlite3 FILE 'PRAGMA integrity_check'";
        UnknownUsers { jobs: Shown }, Note "flux-jobs-unknown-user",
            "{jobs} of associations that are not in the tree, and left out",
            "give --set inactive=show if they are inactive";
    }
}
