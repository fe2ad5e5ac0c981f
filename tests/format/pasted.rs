//! Tables that lost their form where they were pasted: the same tree, or a problem or refusal that names what was lost.

use crate::support::expected::Expected as _;
use crate::support::loading::{codes, go_on};
use fairscope::format::input::Input;
use fairscope::format::{LoadError, Loaded, Request};
use fairscope::model::Incomplete;
use fairscope::open::load_inputs;
use std::fmt::Write;
use std::path::PathBuf;

const FIXED: &str = "\
Account                    User  RawShares  NormShares    RawUsage  EffectvUsage  FairShare 
-------------------- ---------- ---------- ----------- ----------- ------------- ---------- 
root                                          0.000000    28148974      1.000000            
 root                      root          1    0.009901           0      0.000000   1.000000 
 chem                                   30    0.297030     9454444      0.335872            
  lab                                    1    1.000000     9454444      1.000000            
   lab                     kate          2    0.666667     9454444      1.000000   0.333333 
   lab                      leo          1    0.333333           0      0.000000   0.666667 
 bio                                    70    0.693069    18694530      0.664128            
  bio                       mia     parent    1.000000    18694530      1.000000   0.500000 
";

const BANKS: &str = "\
Bank                            Username              Active           RawShares            RawUsage           Fairshare
root                                                    true                1000               133.0
 chem                                                   true                1000               121.0
  chem                             alice                true               10000               100.0            0.285714
  chem                               bob                true                1000                21.0            0.142857
";

const ASSOCIATIONS: &str = "\
Account                          User  Partition     Share     ID 
-------------------- ---------------- ---------- --------- ------ 
root                                                     1      1 
 root                            root                    1      2 
 chem                                                   30      4 
  lab                                                    1      5 
   lab                           kate                    2      6 
";

fn try_read(text: &str) -> Result<Loaded, LoadError> {
    let input = Input {
        path: PathBuf::from("table.txt"),
        bytes: text.as_bytes().to_vec(),
        modified: None,
    };
    load_inputs(vec![input], &Request::default(), &mut go_on)
}

/// The nodes with their parents, shares and usage.
fn nodes(loaded: &Loaded) -> Vec<String> {
    let tree = &loaded.snapshot.tree;
    let mut nodes = Vec::new();
    for &node in tree.nodes() {
        let name = String::from_utf8_lossy(tree.name(node));
        let parent = tree.parent(node).map(|parent| tree.name(parent));
        let parent = String::from_utf8_lossy(parent.unwrap_or_default());
        let usage = tree.usage(node).amount();
        nodes.push(format!("{parent} > {name} {} {usage:?}", tree.shares(node)));
    }
    nodes
}

/// A table with another mark between its cells, of which every word and every run of blanks between them is one.
fn with_bars(fixed: &str, widths: &[usize]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for line in fixed.lines().filter(|line| !line.starts_with("---")) {
        let mut cells = Vec::new();
        let mut start = 0;
        for (place, width) in widths.iter().enumerate() {
            let cell = &line[start..line.len().min(start + width)];
            let is_first = place == 0;
            cells.push(
                if is_first {
                    cell.trim_end()
                } else {
                    cell.trim()
                }
                .to_owned(),
            );
            start += width + 1;
        }
        rows.push(cells);
    }
    rows
}

fn joined(mark: &str) -> String {
    let rows = with_bars(FIXED, &[20, 10, 10, 11, 11, 13, 10]);
    let lines: Vec<String> = rows.iter().map(|row| row.join(mark)).collect();
    lines.join("\n") + "\n"
}

/// Each line of a text, changed.
fn each_line(text: &str, change: impl Fn(&str) -> String) -> String {
    text.lines().map(|line| change(line) + "\n").collect()
}

/// A line with one blank for each run of blanks, apart from those at its beginning.
fn collapsed(line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    let words: Vec<&str> = line.split_whitespace().collect();
    " ".repeat(indent) + &words.join(" ")
}

/// A line in pieces of so many characters.
fn wrapped(line: &str, width: usize) -> String {
    let characters: Vec<char> = line.chars().collect();
    let pieces: Vec<String> = characters
        .chunks(width)
        .map(|piece| piece.iter().collect())
        .collect();
    pieces.join("\n")
}

/// A table whose columns begin where their headings do.
fn aligned_left() -> String {
    let rows = with_bars(FIXED, &[20, 10, 10, 11, 11, 13, 10]);
    let mut text = String::new();
    for row in rows {
        for cell in row {
            write!(text, "{cell:<14}").expect("it is a text");
        }
        text.push('\n');
    }
    text
}

#[test]
fn disguises_of_a_table_give_its_tree() {
    let markdown = {
        let rows = joined(" | ");
        let mut lines: Vec<String> = rows.lines().map(|row| format!("| {row} |")).collect();
        lines.insert(1, "|---|---|---|---|---|---|---|".to_owned());
        lines.join("\n")
    };
    let jira = {
        let bars = joined("|");
        let mut lines = bars.lines();
        let headings = lines.next().expect("headings").replace('|', "||");
        let rows: Vec<String> = lines.map(|line| format!("|{line}|\n")).collect();
        format!("||{headings}||\n{}", rows.concat())
    };
    let spaced = FIXED
        .replace("RawShares", "Raw Shares")
        .replace("NormShares", "Norm Shares")
        .replace("EffectvUsage", "Effective Usage");
    let disguises = [
        ("TABs", joined("\t")),
        ("commas", joined(",")),
        ("semicolons", joined(";")),
        ("Markdown", markdown),
        ("Jira", jira),
        ("column -t", aligned_left()),
        ("collapsed", each_line(FIXED, collapsed)),
        (
            "runs of blanks as TABs",
            each_line(FIXED, |line| {
                collapsed(line).replace(' ', "\t").replacen(
                    '\t',
                    " ",
                    line.len() - line.trim_start().len(),
                )
            }),
        ),
        ("wrapped at 80", each_line(FIXED, |line| wrapped(line, 80))),
        ("wrapped at 50", each_line(FIXED, |line| wrapped(line, 50))),
        ("spaced headings", spaced),
        (
            "long headings",
            joined("|")
                .replace("NormShares", "NormalizedShares")
                .replace("Account", "SlurmAccount"),
        ),
        (
            "upper case",
            joined("\t")
                .replace("Account", "ACCOUNT")
                .replace("RawShares", "RAWSHARES"),
        ),
        (
            "thousands",
            joined("|")
                .replace("28148974", "28,148,974")
                .replace("9454444", "9.454.444"),
        ),
        (
            "decimal commas",
            FIXED.replace("0.", "0,").replace("1.", "1,"),
        ),
        ("twice", format!("{FIXED}\n{FIXED}")),
    ];
    let expected = nodes(&try_read(FIXED).expect("it is a tree"));
    for (name, text) in disguises {
        let loaded = try_read(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        assert_eq!(nodes(&loaded), expected, "{name}\n{text}");
        // Bars around rows are removed and told.
        let problems = loaded.problems.without(&["pasted-text"]);
        let found = codes(&problems);
        let is_twice = name == "twice";
        assert!(
            found
                .iter()
                .all(|code| is_twice && *code == "slurm-same-table"),
            "{name}: {found:?}"
        );
    }
}

#[test]
fn disguises_of_other_tables_give_their_trees() {
    for (text, name) in [(BANKS, "banks"), (ASSOCIATIONS, "associations")] {
        let expected = nodes(&try_read(text).expect("it is a tree"));
        let disguises = [
            ("collapsed", each_line(text, collapsed)),
            ("wrapped", each_line(text, |line| wrapped(line, 50))),
            ("upper case", {
                let (headings, rows) = text.split_once('\n').expect("headings");
                format!("{}\n{rows}", headings.to_uppercase())
            }),
            ("twice", format!("{text}\n{text}")),
        ];
        for (disguise, text) in disguises {
            let loaded = try_read(&text);
            let loaded =
                loaded.unwrap_or_else(|error| panic!("{name}, {disguise}: {error}\n{text}"));
            assert_eq!(nodes(&loaded), expected, "{name}, {disguise}\n{text}");
        }
    }
}

#[test]
fn headings_that_no_tree_needs_are_joined_where_they_were_wrapped() {
    let whole = "Cluster|Account|User|Partition|Share|ID|ParentID|ParentName|GrpTRESMins|GrpJobs|Priority|QOS|Def QOS\n\
        gold|root|||1|1|0|||||normal|\ngold| chem|||5|2|1|root||||normal|\ngold|  chem|ann||1|3|2|||||normal|\n";
    let expected = nodes(&try_read(whole).expect("it is a tree"));
    let read = try_read(&each_line(whole, |line| wrapped(line, 80))).expect("it is a tree");
    assert_eq!(nodes(&read), expected);
}

#[test]
fn lost_indentation_is_a_problem_or_refused() {
    let once = |line: &str| {
        line.split(' ')
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let one_blank = |line: &str| {
        let blank = if line.starts_with(' ') { " " } else { "" };
        format!("{blank}{}", once(line))
    };
    for text in [FIXED, ASSOCIATIONS] {
        for changed in [each_line(text, once), each_line(text, one_blank)] {
            let loaded = try_read(&changed).expect("it is a tree");
            let found = codes(&loaded.problems);
            assert!(
                found
                    .iter()
                    .any(|code| matches!(*code, "slurm-flat" | "slurm-no-parents")),
                "{found:?}\n{changed}"
            );
            let recorded = &loaded.snapshot.recorded;
            assert_eq!(
                recorded.incomplete,
                Some(Incomplete::WithoutParents),
                "{changed}"
            );
        }
    }
    for changed in [each_line(BANKS, once), each_line(BANKS, one_blank)] {
        let error = try_read(&changed).expect_err("it is refused").to_string();
        error.must_contain("as when blanks are lost");
    }
}

#[test]
fn tabs_for_the_blanks_before_accounts_change_no_name() {
    let parents = "Cluster|Account|User|Share|ParentName\ngold|root||1|\ngold| chem||5|root\n\
        gold|  org||2|chem\ngold|   org|ann|1|\n";
    let bare = "Cluster|Account|User|Share\ngold|root||1\ngold| chem||5\ngold|  org||2\ngold|   org|ann|1\n";
    let with_tabs = |text: &str| text.replace("   ", "\t").replace("  ", "\t");
    let expected = nodes(&try_read(parents).expect("it is a tree"));
    let read = try_read(&with_tabs(parents)).expect("it is a tree");
    assert_eq!(nodes(&read), expected);
    assert!(
        !codes(&read.problems).contains(&"slurm-flat"),
        "{:?}",
        codes(&read.problems)
    );
    let read = try_read(&with_tabs(bare)).expect("it is a tree");
    assert_eq!(nodes(&read).len(), expected.len());
    assert!(
        codes(&read.problems).contains(&"slurm-flat"),
        "{:?}",
        codes(&read.problems)
    );
    let recorded = &read.snapshot.recorded;
    assert_eq!(recorded.incomplete, Some(Incomplete::WithoutParents));
}

#[test]
fn rows_left_out_are_a_problem_and_no_node() {
    for (text, code) in [
        (FIXED, "slurm-rows-left-out"),
        (ASSOCIATIONS, "slurm-rows-left-out"),
        (BANKS, "flux-rows-left-out"),
    ] {
        let whole = try_read(text).expect("it is a tree");
        for mark in ["...", "[...]", "<snip>", "[…]"] {
            let elided = text.replacen("\n  ", &format!("\n{mark}\n  "), 1);
            let loaded = try_read(&elided).expect("it is a tree");
            assert_eq!(nodes(&loaded).len(), nodes(&whole).len(), "{elided}");
            assert!(codes(&loaded.problems).contains(&code), "{elided}");
        }
    }
}

#[test]
fn words_that_fit_two_columns_equally_are_no_row() {
    let text =
        "Account User Cluster Partition RawShares RawUsage\nroot 1 5\nchem ann gpu 1 5\nchem 1 5\n";
    let loaded = try_read(text).expect("it is a tree");
    assert_eq!(nodes(&loaded).len(), 2);
    let found = codes(&loaded.problems);
    assert!(found.contains(&"slurm-row"), "{found:?}");
}
