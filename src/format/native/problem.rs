//! The problems of our own files: what is said about each of them, and how to fix it.
//!
//! Unknown keys are no problems of this table. They are reported with the known key that is nearest.

use crate::base::shown::Shown;
use crate::format::problem::problems;

problems! {
    /// What is odd or wrong in a tree or a scenario of ours.
    pub(super) enum NativeProblem {
        NotATable { key: &'static str }, Warning "toml-not-a-table",
            "{key} is not a table and is not read",
            "write [{key}] on a line of its own and its keys below";
        NotText { key: &'static str }, Warning "toml-not-text",
            "{key} is not text and is not read",
            "write it in quotes";
        UnknownScheduler { name: Shown }, Warning "toml-unknown-scheduler",
            "unknown scheduler '{name}\'; the tree is read without a scheduler",
            "write pbs, slurm or flux";
        UnknownLiveScheduler { name: Shown }, Warning "toml-unknown-scheduler",
            "unknown scheduler '{name}\'; the path is opened instead",
            "write slurm, pbs or flux";
        UnknownPolicy { name: Shown, known: String }, Warning "toml-unknown-policy",
            "unknown policy '{name}\'; it is ignored",
            "expected one of {known}";
        UnknownFormat { name: Shown, known: String }, Warning "toml-unknown-format",
            "unknown format '{name}\'; the format of the source is detected from its content",
            "expected one of {known}";
        UnknownZone { name: Shown }, Warning "toml-unknown-timezone",
            "unknown time zone '{name}\'; times without an offset are UTC",
            "write a name such as Europe/Berlin";
        NotATime { key: &'static str, text: Shown }, Warning "toml-bad-time",
            "{key} is {text}, which is not a time; it is not read",
            "write a time such as 2026-11-21T00:00:00Z";
        RefusedSetting { error: Shown }, Warning "toml-bad-setting",
            "{error}; the default is used",
            "correct the value, or remove the line";
        RefusedState { key: Shown, text: Shown }, Warning "toml-bad-setting",
            "{key} cannot be {text}; the default is used",
            "correct the value, or remove the line";
        FactorIsNoNumber, Warning "toml-bad-setting",
            "fairshare_decay_factor is not a number; every usage becomes 1 at the next decay",
            "correct the value, or remove the line";
        NeverDecays, Warning "toml-bad-setting",
            "fairshare_decay_time is not above 0; PBS never decays usage then",
            "correct the value, or remove the line";
        RefusedFormula { key: &'static str, column: usize, error: Shown }, Warning "toml-bad-setting",
            "{key}, column {column} of it: {error}; the formula is ignored",
            "correct the formula, or remove the line";
        UnknownShares { stated: Shown, set: i32 }, Warning "toml-unknown-shares",
            "the row unknown has {stated} shares, but unknown_shares is {set}; PBS has one number for both, and the setting is used",
            "correct one of the two, or remove unknown_shares";
        BinsSum { stated: Shown, sum: Shown }, Warning "toml-bins-sum",
            "the usage is {stated}, but the bins add up to {sum}",
            "correct one of them, or write - for the usage";
        NoRows, Warning "toml-bad-row",
            "[tree] has no rows, so the tree is only a root",
            "write rows = '''...''' with one node on each line";
        RowsNotText, Error "toml-bad-row",
            "rows is not text, so the tree is only a root",
            "write the rows between ''' and '''";
        Root { error: Shown }, Error "toml-bad-row",
            "{error}; the default root is used",
            "write the root as in \"root 1\"";
        Row { error: Shown }, Error "toml-bad-row",
            "{error}; the row was left out",
            "write rows as in: alice 2 1200.5";
        RowLevel { level: Shown }, Error "toml-bad-row",
            "the level {level} has no account above it; the row was left out",
            "levels count from 1 below the root and grow by one; put the name in quotes if it begins with @";
        Record { token: Shown }, Error "toml-bad-row",
            "{token} is not a row with usage; the record was left out",
            "write row numbers as in 4 or 4=12.5, or remove recorded to count in the order of the rows";
        TreeInScenario, Warning "toml-tree-in-scenario",
            "there are both [tree] and [source]; [tree] is not read",
            "remove one of the two: a file is a tree or a scenario";
        LooseEdits { name: String }, Warning "toml-bad-scenario",
            "there are edits outside any [[scenario]]; they are put into a scenario of their own, {name}",
            "write [[scenario.edit]] below the scenario they belong to";
        ScenariosNotAList, Warning "toml-bad-scenario",
            "scenario is not a list of scenarios and is not read",
            "write [[scenario]] above each, and name = \"...\" below it";
        ScenarioNotATable, Error "toml-bad-scenario",
            "the scenario is not a table; it was left out",
            "write [[scenario]] above each, and name = \"...\" below it";
        ScenarioWithoutName { given: String }, Warning "scenario-renamed",
            "the scenario has no name; it is called {given}",
            "give it a name of its own, as in: name = \"more for physics\"";
        ScenarioNameTaken { name: Shown, given: String }, Warning "scenario-renamed",
            "a scenario before this one is called {name} too; it is called {given}",
            "give it a name of its own, as in: name = \"more for physics\"";
        ShownNotABool, Warning "toml-bad-scenario",
            "shown is neither true nor false and is not read",
            "write shown = true in one of the scenarios";
        ShownTwice, Warning "toml-bad-scenario",
            "another scenario before this one is shown first already",
            "write shown = true in one of the scenarios";
        EditsNotAList, Warning "toml-bad-edit",
            "edit is not a list of edits and is not read",
            "write [[edit]] above each";
        EditNotATable, Error "toml-bad-edit",
            "the edit is not a table; it was left out",
            "write it like this: do = \"shares group1/bob=20\"";
        EditWithoutText, Error "toml-bad-edit",
            "the edit does not say what to do; it was left out",
            "write it like this: do = \"shares group1/bob=20\"";
        MoreNotAList, Warning "toml-not-a-list",
            "more is not a list of paths and is not read",
            "write it like this: more = [\"sshare.txt\"]";
        MoreNotAPath, Warning "toml-not-text",
            "one entry of more is not a path and is not read",
            "write it like this: more = [\"sshare.txt\"]";
        ChangedFile { path: Shown }, Warning "toml-source-changed",
            "{path} has changed since the scenario was saved; the edits apply to the current tree",
            "look through the edits, and save the scenario again";
        ChangedTree { path: Shown }, Warning "toml-source-changed",
            "the tree of {path} is not the one that the scenario was saved on; the edits apply to the current one",
            "look through the edits, and save the scenario again";
        ChangedExample, Warning "toml-source-changed",
            "the built-in tree is not the one that the scenario was saved on; the edits apply to the current one",
            "look through the edits, and save the scenario again";
    }
}
