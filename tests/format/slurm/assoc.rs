//! Output of `sacctmgr show assoc` and `show account withassoc`.

use crate::support::captures;
use crate::support::loading::{go_on, load_path, load_quietly, sentences};
use crate::support::{golden, laws};
use fairscope::base::shown::shown;
use fairscope::format::input::Input;
use fairscope::format::slurm::assoc;
use fairscope::format::slurm::rows::Rows;
use fairscope::format::{LoadError, Loaded, Request};
use fairscope::model::{Incomplete, Kind, NodeId, Shares, Snapshot};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

/// Every folder of the golden set that holds one capture of a cluster.
pub(super) fn captures() -> Vec<PathBuf> {
    let Some(root) = golden("slurm") else {
        return Vec::new();
    };
    captures::folders(&root)
}

/// An association: parent account, name, partition, shares.
pub(super) type Association = (String, String, String, String);

/// The associations that sshare printed in a capture, sorted, without the root.
pub(super) fn shown_by_sshare(capture: &Path) -> Vec<Association> {
    /// Columns after Account and User: Cluster, Partition, ID, RawShares and nine others.
    const BEHIND: usize = 13;
    let bytes = std::fs::read(capture.join("sshare_a_P_allfields.txt")).expect("a capture");
    let text = String::from_utf8(bytes).expect("captures are UTF-8");
    let mut above: Vec<String> = Vec::new();
    let mut found = Vec::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split('|').collect();
        let (names, behind) = cells.split_at(cells.len() - BEHIND);
        let names = names.join("|");
        let (partition, shares) = (behind[1].to_owned(), behind[3].to_owned());
        if let Some(account) = names.strip_suffix('|') {
            let indent = account.len() - account.trim_start_matches(' ').len();
            above.truncate(indent);
            let name = account[above.len()..].to_owned();
            let mut parent = above.last().cloned().unwrap_or_default();
            // Since 23.11, slash/name sorts between slash and its accounts and takes one of them as a child.
            if name == "zebra" && parent == "slash/name" {
                "slash".clone_into(&mut parent);
            }
            above.push(name.clone());
            if !parent.is_empty() {
                found.push((parent, name, String::new(), shares));
            }
        } else {
            // Since 23.11, accounts such as * sort before the users of their parent account.
            let indent = names.len() - names.trim_start_matches(' ').len();
            above.truncate(indent);
            let account = above.last().expect("users stand below accounts").clone();
            let names = names.trim_start_matches(' ');
            let user = names.strip_prefix(account.trim_start_matches(' '));
            let user = user.expect("a user's row repeats the account");
            found.push((account, user[1..].to_owned(), partition, shares));
        }
    }
    found.sort();
    found
}

/// The associations of a tree, sorted, without the root.
pub(super) fn loaded_associations(snapshot: &Snapshot) -> Vec<Association> {
    let tree = &snapshot.tree;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let association = |&node: &NodeId| {
        let parent = tree.parent(node).expect("root is left out");
        (
            text(tree.name(parent)),
            text(tree.name(node)),
            text(tree.partition(node).unwrap_or_default()),
            tree.shares(node).to_string(),
        )
    };
    let mut all: Vec<Association> = tree.nodes()[1..].iter().map(association).collect();
    all.sort();
    all
}

pub(super) fn open(request: &Request) -> Result<Loaded, LoadError> {
    load_quietly(request)
}

/// The request for a file of a cluster of the captures.
pub(super) fn gold(path: PathBuf) -> Request {
    Request {
        cluster: Some("gold".to_owned()),
        ..Request::to_open(path)
    }
}

pub(super) fn input(text: &[u8]) -> Input {
    Input {
        path: "assoc.txt".into(),
        bytes: text.to_vec(),
        modified: Some(7),
    }
}

fn read(text: &str) -> Rows {
    assert!(assoc::is(text.as_bytes()));
    let rows = assoc::read(&input(text.as_bytes()), &mut go_on);
    rows.expect("the text is a table")
}

/// The rows as text: parent, account, user, partition, shares, id.
fn lines(rows: &Rows) -> Vec<String> {
    let name = |id: Option<_>| {
        id.map_or_else(
            || "-".to_owned(),
            |id| shown(rows.names.names().bytes(id)).into(),
        )
    };
    let line = |row: &fairscope::format::slurm::rows::Row| {
        format!(
            "{} > {} {} {} {} #{}",
            name(row.parent),
            name(Some(row.account)),
            name(row.user),
            name(row.partition),
            row.shares
                .map_or_else(|| "-".to_owned(), |shares| shares.to_string()),
            row.id
        )
    };
    rows.rows.iter().map(line).collect()
}

#[test]
fn tables_of_the_golden_set_have_the_associations_that_sshare_prints() {
    // Facts left out of the comparison: the parents of accounts, and partitions.
    let kinds = [
        ("sacctmgr_assoc_tree_P.txt", true, true),
        ("sacctmgr_assoc_tree_default_P.txt", true, true),
        ("sacctmgr_assoc_tree_both_P.txt", true, true),
        ("sacctmgr_assoc_tree.txt", true, true),
        ("sacctmgr_assoc_default_P.txt", false, true),
        ("sacctmgr_account_P.txt", true, false),
    ];
    let captures = captures();
    for (kind, has_parents, has_partitions) in kinds {
        let (mut loaded, mut refused) = (0, 0);
        for capture in &captures {
            let path = capture.join(kind);
            let Ok(bytes) = std::fs::read(&path) else {
                continue;
            };
            assert!(assoc::is(&bytes), "{}", path.display());
            let is_odd = capture.to_string_lossy().contains("12-odd-names");
            let Ok(opened) = open(&gold(path.clone())) else {
                refused += 1;
                continue;
            };
            loaded += 1;
            let tree = &opened.snapshot.tree;
            assert_eq!(tree.kind(NodeId::ROOT), Kind::Account);
            // Names are truncated, or the order of lineages looks like depth.
            if is_odd && !kind.ends_with("tree_P.txt") && !kind.ends_with("account_P.txt") {
                continue;
            }
            let known: Vec<Vec<u8>> = tree
                .nodes()
                .iter()
                .filter(|&&node| tree.kind(node) == Kind::Account)
                .map(|&node| tree.name(node).to_vec())
                .collect();
            let plain = |all: Vec<Association>, users: &dyn Fn(&Association) -> bool| {
                let mut all: Vec<Association> = all
                    .into_iter()
                    .map(|association| {
                        let is_user = users(&association);
                        let (mut parent, name, mut partition, shares) = association;
                        if !has_parents && !is_user {
                            parent.clear();
                        }
                        if !has_partitions {
                            partition.clear();
                        }
                        (parent, name, partition, shares)
                    })
                    .collect();
                // Slurm 22.05 prints this association without its cluster.
                all.retain(|association| has_partitions || association.1 != "back\\slash");
                all.sort();
                all
            };
            let is_user = |association: &Association| {
                let name = association.1.as_bytes();
                !known.iter().any(|account| account == name)
            };
            assert_eq!(
                plain(loaded_associations(&opened.snapshot), &is_user),
                plain(shown_by_sshare(capture), &is_user),
                "{}",
                path.display()
            );
        }
        println!(
            "{kind}: {} files, {loaded} loaded, {refused} refused",
            loaded + refused
        );
        assert_eq!(refused, 0, "{kind}");
    }
}

#[test]
fn parents_are_found_by_id_in_any_column() {
    let rows = read(
        "ID|ParentID|Account|User|Share\n7|3|physics|ann|parent\n9|3|lattice||4\n3|1|physics||2147483647\n1|0|root||1\n",
    );
    assert_eq!(
        lines(&rows),
        [
            "- > physics ann - parent #7",
            "physics > lattice - - 4 #9",
            "root > physics - - parent #3",
            "- > root - - 1 #1",
        ]
    );
    assert_eq!(sentences(&rows.problems), Vec::<String>::new());
    assert_eq!(rows.taken, Some(7));
    assert_eq!(rows.incomplete, None);
}

#[test]
fn columns_of_early_versions_and_trailing_bars_are_read() {
    let rows = read(
        "Cluster|Account|User|Share|ID|LFT|Par ID|Par Name|GrpTRESMins|\ngold|root|||1|1|0|||\n\
         gold| chem||5|2|4|1|root|cpu=9|\ngold|  chem|bob|3|4|5|2|||\n",
    );
    assert_eq!(
        lines(&rows),
        [
            "- > root - - - #1",
            "root > chem - - 5 #2",
            "- > chem bob - 3 #4"
        ]
    );
    assert_eq!(rows.rows[1].left, 4);
    assert_eq!(rows.texts[0].1.at(1), Some("cpu=9"));
}

#[test]
fn indentation_gives_parents_and_further_blanks_belong_to_the_name() {
    let rows = read(
        "Account|User|Share\nroot||1\n root|root|1\n   lead||2\n    lead|ann|3\n a||4\n  b||5\n   b|bob|6\n c||7\n",
    );
    assert_eq!(
        lines(&rows),
        [
            "- > root - - 1 #0",
            "- > root root - 1 #0",
            "root > \\x20\\x20lead - - 2 #0",
            "- > \\x20\\x20lead ann - 3 #0",
            "root > a - - 4 #0",
            "a > b - - 5 #0",
            "- > b bob - 6 #0",
            "root > c - - 7 #0",
        ]
    );
}

#[test]
fn accounts_without_parents_are_placed_under_root_and_reported() {
    let rows = read("Account|User|Share\nroot||1\nroot|root|1\na||4\nb||5\nb|bob|6\n");
    assert_eq!(
        rows.incomplete.map(Incomplete::clause),
        Some("it does not show which account is below which")
    );
    assert_eq!(
        sentences(&rows.problems),
        [
            "assoc.txt: warning: it does not show which account is below which, so all are put under root and no user is ranked; run \
             sacctmgr -P show assoc tree format=Cluster,Account,User,Partition,Share,ID,ParentID,ParentName,GrpTRESMins"
        ]
    );
}

#[test]
fn bars_in_names_are_distinguished_from_separators() {
    let rows = read(
        "Account|User|Partition|Share|ID|ParentName\nroot|||1|1|\n pipe|name|||11|13|root\n  pipe|name|ann||2|46|\n\
         \u{20} pipe|name|m|pipe||2|47|\n a|||1|2\n x|y|z|1|2|3|4|5|6|7|8|9|1\n",
    );
    assert_eq!(
        lines(&rows),
        [
            "- > root - - 1 #1",
            "root > pipe|name - - 11 #13",
            "- > pipe|name ann - 2 #46",
            "- > pipe|name m|pipe - 2 #47",
        ]
    );
    assert_eq!(
        sentences(&rows.problems),
        [
            "assoc.txt:6: error: the line has 5 cells and the header 6:  a|||1|2; it is left out; a name contains the \
             separator |, or the line is not of this table; sshare --json shows every name",
            "assoc.txt:7: error: the line has 13 cells and the header 6:  x|y|z|1|2|3|4|5|6|7|8|9|1; it is left out; \
             a name contains the separator |, or the line is not of this table; sshare --json shows every name",
            "assoc.txt: warning: names contain the separator |; their ends were found by the numbers after them: pipe|name, pipe|name/ann, pipe|name/m|pipe; compare with sshare --json, which shows every name",
        ]
    );
}

#[test]
fn of_columns_with_one_name_only_the_first_holds_bars() {
    let header = "Account|".repeat(200) + "Share\n";
    let rows = read(&(header + &"a|".repeat(206) + "1\n"));
    assert_eq!(lines(&rows), ["- > a|a|a|a|a|a|a - - 1 #0"]);
}

#[test]
fn wide_numbers_and_truncated_names_of_the_fixed_form_are_read() {
    let rows = read(
        &[
            "Account      User     Share     ID ",
            "-------- -------- --------- ------ ",
            "root                      1      1 ",
            " root        root 2147483646      2 ",
            " verylo+      bob         3     10 ",
        ]
        .join("\n"),
    );
    assert_eq!(
        lines(&rows),
        [
            "- > root - - 1 #1",
            "- > root root - 2147483646 #2",
            "- > verylo+ bob - 3 #10"
        ]
    );
    assert_eq!(
        sentences(&rows.problems),
        [
            "assoc.txt: warning: names were longer than their column and are cut: verylo+; run sacctmgr -P show assoc \
             tree format=Cluster,Account,User,Partition,Share,ID,ParentID,ParentName,GrpTRESMins"
        ]
    );
}

#[test]
fn unusual_rows_are_reported() {
    let rows = read(
        "Cluster|Account|ParentName|Share\ngold|root||\ngold|a|root|many\n|b||0\ngold||root|1\ngold|c/d|root|-3\n",
    );
    assert_eq!(rows.rows[1].shares, None);
    assert_eq!(
        sentences(&rows.problems),
        [
            "assoc.txt:3: error: the shares are many, which is not a number of shares; 1 is assumed; expected a whole \
             number from 0 to 2147483646, or parent",
            "assoc.txt:5: error: the line names no account, so it is left out; run sacctmgr -P show assoc tree \
             format=Cluster,Account,User,Partition,Share,ID,ParentID,ParentName,GrpTRESMins",
            "assoc.txt:6: error: the shares are -3, which is not a number of shares; 1 is assumed; expected a whole \
             number from 0 to 2147483646, or parent",
            "assoc.txt: note: 1 account is shown without a cluster and left out; compare with sacctmgr show assoc, \
             which lists all associations of a cluster",
        ]
    );
}

#[test]
fn tables_without_column_names_are_refused_with_the_command_to_run() {
    let text = b"1|1|24|0|root||\n2|22|23|1|root|root|\n";
    assert!(!assoc::is(text));
    let refused = assoc::read(&input(text), &mut go_on);
    assert_eq!(
        refused.expect_err("there is no header").to_string(),
        "assoc.txt has no line of column names such as Account and Share; run sacctmgr -P show assoc tree \
         format=Cluster,Account,User,Partition,Share,ID,ParentID,ParentName,GrpTRESMins, without -n"
    );
}

/// Rows as `sacctmgr -nP show assoc` prints them with its default columns.
fn headerless(count: usize, qos: &str) -> String {
    let row = |names: &str, shares: usize| format!("gold|{names}|{shares}|||||||||||||{qos}||\n");
    let mut text = row("root||", 1) + &row("root|root|", 1) + &row("a4||", 80);
    text.push_str(&row("a4|x|y|", 15));
    for number in 4..count {
        text.push_str(&row(&format!("a4|u{number}|"), number));
    }
    text
}

#[test]
fn tables_without_column_names_are_read_at_any_size() {
    // The beginning of a large file that is looked at ends within a line.
    let many = "queue-of-the-lab,".repeat(200);
    for (count, qos) in [
        (4, "normal"),
        (5, ""),
        (400, "normal"),
        (401, &many),
        (9_000, &many),
    ] {
        let text = headerless(count, qos);
        for text in [&text, text.trim_end()] {
            assert!(
                assoc::is(text.as_bytes()),
                "{count} {} {}",
                qos.len(),
                text.len()
            );
            let rows = read(text);
            let lines = lines(&rows);
            assert_eq!(lines.len(), count);
            assert_eq!(lines[3], "- > a4 x|y - 15 #0");
            if count > 4 {
                assert_eq!(lines[4], "- > a4 u4 - 4 #0");
            }
        }
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("assoc.txt");
        std::fs::write(&path, text).expect("it is written");
        for path in [&path, folder.path()] {
            let loaded = load_path(path);
            let tree = loaded.expect("a table").snapshot.tree;
            assert_eq!(tree.nodes().len(), count, "{}", path.display());
        }
    }
    // Lines that are no rows of the table.
    let text = headerless(9, "normal");
    for line in [
        "gold|a4|u1\n",
        "gold|a4|b|c|d|e|f|g|h|i||1|||||||||||||normal||\n",
    ] {
        assert!(
            !assoc::is(format!("{text}{line}{text}").as_bytes()),
            "{line}"
        );
    }
    // Most rows must have the columns of the first.
    let text = headerless(4, "normal") + &"gold|a4|x|y||15|||||||||||||normal||\n".repeat(4);
    assert!(!assoc::is(text.as_bytes()));
}

#[test]
fn golden_tables_without_column_names_equal_those_with_them() {
    let Some(root) = golden("slurm_real") else {
        return;
    };
    let rows = |path: &str| {
        lines(&read(
            &std::fs::read_to_string(root.join(path)).expect(path),
        ))
    };
    let capture = rows("capture-22.05/assoc_P.txt");
    assert_eq!(rows("capture-22.05/assoc_nP.txt"), capture);
    assert_eq!(rows("headerless/22.05-sacctmgr-nP-show-assoc.txt"), capture);
    let later = rows("headerless/24.11-sacctmgr-nP-show-assoc.txt");
    assert_eq!(later.len(), capture.len());
    assert!(
        later.contains(&"- > a4 x|y - 15 #0".to_owned()),
        "{later:#?}"
    );
}

#[test]
fn sshare_output_is_not_read_as_sacctmgr_output() {
    let headers: [&[u8]; 4] = [
        b"Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare\n",
        b"Account|User|Cluster|Partition|ID|RawShares|FairShare|GrpTRESMins\n",
        b"parent,name,shares,usage,type\n",
        b"",
    ];
    for header in headers {
        assert!(!assoc::is(header), "{}", shown(header));
    }
}

#[test]
fn a_deep_chain_of_numbered_parents_is_read() {
    let chain = (2..100_000).map(|id| format!("a{id}||1|{id}|{}\n", id - 1));
    let text = format!(
        "Account|User|Share|ID|ParentID\nroot||1|1|0\n{}",
        chain.collect::<String>()
    );
    let rows = read(&text);
    assert_eq!(rows.rows.len(), 99_999);
    assert_eq!(rows.rows[1].shares, Some(Shares::new(1)));
    assert!(rows.rows[1..].iter().all(|row| row.parent.is_some()));
}

fn table() -> impl Strategy<Value = Vec<u8>> {
    let cell = prop_oneof![
        Just(String::new()),
        "[ab|/ +]{1,4}".prop_map(|text| text),
        "[0-9]{1,11}".prop_map(|text| text),
        Just("parent".to_owned()),
    ];
    let line = proptest::collection::vec(cell, 0..9).prop_map(|cells| cells.join("|"));
    let header = prop_oneof![
        Just("Account|User|Share|ID|ParentID|ParentName"),
        Just("Cluster|Account|Descr|Org|ParentName|User|Share|"),
        Just("Account User Share\n------- ---- -----"),
    ];
    (header, proptest::collection::vec(line, 0..20))
        .prop_map(|(header, lines)| format!("{header}\n{}", lines.join("\n")).into_bytes())
}

proptest! {
    #![proptest_config(laws(256))]

    #[test]
    fn arbitrary_bytes_and_tables_are_read_or_refused(bytes: Vec<u8>, table in table()) {
        for text in [bytes, table] {
            let _ = assoc::is(&text);
            let rows = assoc::read(&input(&text), &mut go_on);
            if let Ok(rows) = rows {
                let lines = text.split(|&byte| byte == b'\n').count();
                prop_assert!(rows.rows.len() <= lines);
            }
        }
    }
}

#[test]
fn rows_shorter_than_the_place_of_root_are_no_table() {
    assert!(!assoc::is(b"1|2|3|4|root||\n5|6\n"));
}
