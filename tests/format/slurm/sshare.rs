//! Output of `sshare`: every form of every version gives the same tree, and unusual rows are reported.

use crate::support::expected::Expected as _;
use crate::support::files::files_below;
use crate::support::loading::{codes, go_on, load_path, sentences};
use crate::support::{golden, laws};
use fairscope::format::input::Input;
use fairscope::format::{Format, LoadError, Loaded, OnProgress, Request};
use fairscope::model::{Fact, Incomplete, NodeId, Tree};
use fairscope::open::load_inputs;
use fairscope::rules::policy::Policy;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn try_read(text: &str) -> Result<Loaded, LoadError> {
    let input = Input {
        path: PathBuf::from("sshare.txt"),
        bytes: text.as_bytes().to_vec(),
        modified: Some(1_790_000_000),
    };
    let report: OnProgress<'_> = &mut go_on;
    load_inputs(vec![input], &Request::default(), report)
}

fn read(text: &str) -> Loaded {
    try_read(text).expect("it is a tree")
}

/// The error message for a text.
fn refusal(text: &str) -> String {
    try_read(text).expect_err("it is refused").to_string()
}

fn path(tree: &Tree, node: NodeId) -> String {
    let line = tree.line(node);
    let names = line
        .iter()
        .map(|&node| String::from_utf8_lossy(tree.name(node)));
    names.collect::<Vec<_>>().join(" > ")
}

/// The nodes below the root: path, shares, usage.
fn nodes(tree: &Tree) -> Vec<String> {
    tree.nodes()[1..]
        .iter()
        .map(|&node| {
            let usage = tree.usage(node).amount();
            let partition = tree.partition(node).map(String::from_utf8_lossy);
            format!(
                "{}{} {} {}",
                path(tree, node),
                partition.map_or(String::new(), |name| format!(" ({name})")),
                tree.shares(node),
                usage.map_or_else(|| "-".to_owned(), |usage| usage.to_string())
            )
        })
        .collect()
}

/// All files below a folder whose name contains `holds` and ends in `.txt`.
fn files(folder: &Path, holds: &str) -> Vec<PathBuf> {
    let mut files = files_below(folder);
    files.retain(|path| {
        let name = path.file_name().expect("a name").to_string_lossy();
        name.contains(holds) && path.extension() == Some("txt".as_ref())
    });
    files
}

/// Kinds of files that are refused, with a word of the message.
const REFUSED: &[(&str, &str)] = &[("sshare_a_allfields_wide.txt", "right-aligned accounts")];

/// Kinds that list only some users and are reported as partial.
const INCOMPLETE: &[&str] = &[
    "sshare_plain.txt",
    "sshare_m.txt",
    "root_sshare_P.txt",
    "sshare_u_cat_P.txt",
    "sshare_A_busy_P.txt",
    "sshare_A_passthru_P.txt",
    // Only users' rows: -U, or output for an ordinary user.
    "sshare_U_root.txt",
    "sshare_U_u_cat_P.txt",
    "root_sshare_U_P.txt",
    "alice_sshare_P.txt",
    "alice_sshare_U_P.txt",
    "alice_sshare_a_P.txt",
    "alice_sshare_a_l_P.txt",
    "alice_sshare_al.txt",
];

#[test]
fn every_output_is_read_or_refused_with_a_reason() {
    let Some(folder) = golden("slurm") else {
        return;
    };
    let mut table: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    for file in files(&folder, "sshare") {
        let kind = file
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if kind.ends_with("version.txt") || kind.ends_with("json_list.txt") {
            continue;
        }
        let counts = table.entry(kind.clone()).or_default();
        counts[0] += 1;
        let refused = REFUSED.iter().find(|(name, _)| *name == kind);
        match (load_path(&file), refused) {
            (Ok(loaded), None) => {
                counts[1] += 1;
                let recorded = &loaded.snapshot.recorded;
                assert_eq!(
                    recorded.incomplete.is_some(),
                    INCOMPLETE.contains(&&*kind),
                    "{}: {:?}",
                    file.display(),
                    recorded.incomplete
                );
                let bad = loaded.problems.list().iter();
                let mut bad = bad.filter(|it| matches!(it.code, "slurm-row" | "slurm-number"));
                assert_eq!(bad.next(), None);
            }
            (Err(error), Some((_, reason))) => {
                counts[2] += 1;
                error.to_string().must_contain(reason);
            }
            (Ok(_), Some(_)) => panic!("{} was read", file.display()),
            (Err(error), None) => panic!("{}: {error}", file.display()),
        }
    }
    println!("{:<32} files  read  refused", "kind");
    for (kind, [files, read, refused]) in table {
        println!("{kind:<32} {files:>5} {read:>5} {refused:>8}");
    }
}

/// Kinds that show all users, and whether they show partitions.
const WHOLE: &[(&str, bool)] = &[
    ("sshare_a.txt", false),
    ("sshare_al.txt", false),
    ("sshare_a_P.txt", false),
    ("sshare_a_l_P.txt", false),
    ("sshare_a_l_p.txt", false),
    ("sshare_a_l_P_n.txt", false),
    ("sshare_a_m_P.txt", true),
    ("sshare_a_l_m_P.txt", true),
    ("sshare_a_allfields_wideleft.txt", true),
];

fn without_partitions(nodes: &[String]) -> Vec<String> {
    let strip = |node: &String| match (node.rfind(" ("), node.rfind(") ")) {
        (Some(start), Some(end)) if start < end => {
            format!("{}{}", &node[..start], &node[end + 1..])
        }
        _ => node.clone(),
    };
    nodes.iter().map(strip).collect()
}

/// The numbers of a column, as bits.
fn figures(loaded: &Loaded, fact: Fact) -> Vec<String> {
    let tree = &loaded.snapshot.tree;
    let recorded = &loaded.snapshot.recorded;
    let mut figures: Vec<String> = tree
        .nodes()
        .iter()
        .filter_map(|&node| {
            let figure = recorded.figure(fact, node)?;
            let bits = figure.value.to_bits();
            Some(format!("{} {bits:x} {}", path(tree, node), figure.decimals))
        })
        .collect();
    figures.sort();
    figures
}

/// Shares and usage alone, for outputs with truncated names.
fn numbers(nodes: &[String]) -> Vec<String> {
    nodes
        .iter()
        .map(|node| node.rsplitn(3, ' ').take(2).collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn all_forms_of_one_capture_give_the_same_tree() {
    let Some(folder) = golden("slurm") else {
        return;
    };
    let (mut compared, mut cut) = (0, 0);
    for reference in files(&folder, "sshare_a_P_allfields") {
        let whole = load_path(&reference).expect("it is a tree");
        for &(kind, has_partitions) in WHOLE {
            let file = reference.with_file_name(kind);
            if !file.exists() {
                continue;
            }
            let other = load_path(&file).expect("it is a tree");
            let mut expected = nodes(&whole.snapshot.tree);
            let mut found = nodes(&other.snapshot.tree);
            if !has_partitions {
                expected = without_partitions(&expected);
            }
            let is_cut = other
                .problems
                .list()
                .iter()
                .any(|it| it.code == "slurm-cut-name");
            if is_cut {
                expected = numbers(&expected);
                found = numbers(&found);
                cut += 1;
            }
            expected.sort();
            found.sort();
            assert_eq!(found, expected, "{}", file.display());
            if !is_cut {
                let facts: Vec<Fact> = other.snapshot.recorded.facts().collect();
                let is_full = !kind.ends_with("sshare_al.txt");
                for fact in facts {
                    // A column of 10 characters truncates a large LevelFS.
                    if is_full || fact != Fact::LevelFs {
                        let [found, expected] = [&other, &whole].map(|it| figures(it, fact));
                        assert_eq!(found, expected, "{} {}", file.display(), fact.name());
                    }
                }
            }
            compared += 1;
        }
    }
    println!("{compared} outputs are the tree of -o with all fields, {cut} of them with cut names");
}

#[test]
fn parents_equal_those_that_sacctmgr_prints() {
    let Some(folder) = golden("slurm") else {
        return;
    };
    let mut compared = 0;
    for table in files(&folder, "sacctmgr_assoc_tree_P.txt") {
        let text = String::from_utf8_lossy(&std::fs::read(&table).expect("a file")).into_owned();
        let mut lines = text.lines();
        let header: Vec<&str> = lines.next().expect("a header").split('|').collect();
        let place = |name: &str| header.iter().position(|column| *column == name);
        let (Some(account), Some(user), Some(id), Some(parent)) = (
            place("Account"),
            place("User"),
            place("ID"),
            place("ParentName"),
        ) else {
            continue;
        };
        let reference = table.with_file_name("sshare_a_P_allfields.txt");
        let Ok(loaded) = load_path(&reference) else {
            continue;
        };
        let tree = &loaded.snapshot.tree;
        let mut above: BTreeMap<String, String> = BTreeMap::new();
        for &node in &tree.nodes()[1..] {
            if tree.kind(node) == fairscope::model::Kind::Account {
                let parent = tree.parent(node).expect("it is not the root");
                let name = |node| String::from_utf8_lossy(tree.name(node)).into_owned();
                above.insert(name(node), name(parent));
            }
        }
        for line in lines {
            let cells: Vec<&str> = line.split('|').collect();
            if cells.len() != header.len() || !cells[user].is_empty() || cells[parent].is_empty() {
                continue;
            }
            let name = cells[account].trim_start();
            let known = above.get(name).or_else(|| above.get(&format!(" {name}")));
            assert_eq!(
                known.map(String::as_str),
                Some(cells[parent]),
                "{}: {name}, {}",
                reference.display(),
                cells[id]
            );
            compared += 1;
        }
    }
    println!("{compared} accounts have the parent that sacctmgr names");
}

#[test]
fn published_excerpts_open() {
    let Some(folder) = golden("public/sshare_excerpts") else {
        return;
    };
    let open = |name: &str| load_path(folder.join(name)).expect("it is a tree");
    assert_eq!(
        open("aalborg_biocloud_sshare.txt")
            .snapshot
            .tree
            .node_count(),
        44
    );
    assert_eq!(
        open("nersc_pdsf_sshare_A.txt").snapshot.tree.node_count(),
        18
    );
    let epfl = open("epfl_scitas_account.txt");
    assert_eq!(
        nodes(&epfl.snapshot.tree)[..2],
        ["scitas-ge 1 1376", "scitas-ge > eroche 1 344"]
    );
    let slurmmon = open("slurmmon_classic_like_parsable.txt");
    assert_eq!(slurmmon.snapshot.tree.node_count(), 10);
}

#[test]
fn users_belong_to_the_account_above_and_parent_is_not_a_number() {
    let loaded = read(
        "\
Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare
root|||0.000000|100|1.000000|
 root|root|1|0.500000|0|0.000000|1.000000
 a||2147483647|0.500000|100|1.000000|
  a|u1|parent|0.500000|60|0.600000|0.666667
  b||1|0.500000|40|0.400000|
   b|u1|1|1.000000|40|1.000000|0.333333
",
    );
    assert_eq!(
        nodes(&loaded.snapshot.tree),
        [
            "root 1 0",
            "a parent 100",
            "a > u1 parent 60",
            "a > b 1 40",
            "a > b > u1 1 40",
        ]
    );
    assert_eq!(sentences(&loaded.problems), [""; 0]);
    assert_eq!(loaded.snapshot.source.taken, Some(1_790_000_000));
    assert_eq!(loaded.policy, Some(Policy::FairTree));
}

#[test]
fn headers_of_old_versions_have_blanks_and_hyphens() {
    let loaded = read("\x20            Account       User Raw Shares Norm Shares   Raw Usage Norm Usage Effectv Usage Fair-share 
-------------------- ---------- ---------- ----------- ----------- ---------- ------------- ---------- 
root                                     1    1.000000         120   1.000000      1.000000   0.500000 
 root                      root          1    0.500000           0   0.000000      0.000000   1.000000 
 chem                                    1    0.500000         120   1.000000      1.000000   0.250000 
  chem                      ada          1    0.500000         120   1.000000      1.000000   0.250000 
");
    assert_eq!(
        nodes(&loaded.snapshot.tree),
        ["root 1 0", "chem 1 120", "chem > ada 1 120"]
    );
    let recorded = &loaded.snapshot.recorded;
    let factor = recorded
        .figure(Fact::FairShare, NodeId::ROOT)
        .expect("it is printed");
    assert_eq!(
        (factor.value.to_bits(), factor.decimals),
        (0.5_f64.to_bits(), 6)
    );
    assert_eq!(sentences(&loaded.problems), [""; 0]);
}

#[test]
fn words_of_level_based_are_kept_as_text() {
    let loaded = read(
        "\
Account|User|Raw Shares|Norm Shares|Raw Usage|Effectv Usage|FairShare Raw|FairShare
root||1|1.000000|10|1.000000|0000000000000000|
 a|u|1|1.000000|10|1.000000|fedcba9876543210|0.996078
",
    );
    let tree = &loaded.snapshot.tree;
    let user = *tree.nodes().last().expect("there are nodes");
    let raw = loaded.snapshot.recorded.text(Fact::FairShareRaw, user);
    assert_eq!(raw, Some("FEDCBA9876543210"));
    assert_eq!(loaded.policy, Some(Policy::LevelBased));
}

#[test]
fn wide_numbers_shift_their_line() {
    let loaded = read(
        "\
Account                    User  RawShares  NormShares    RawUsage  EffectvUsage    LevelFS 
-------------------- ---------- ---------- ----------- ----------- ------------- ---------- 
root                                          0.000000 2123457776666680      1.000000            
 giant                          2147483646    0.999535 2123457776666680      0.529070 2.0000e+15 
  giant                      g1 1000000000    1.000000 2123457776666680      0.529070 1.0007e+03 
",
    );
    let tree = &loaded.snapshot.tree;
    assert_eq!(
        nodes(tree),
        [
            "giant 2147483646 2123457776666680",
            "giant > g1 1000000000 2123457776666680",
            // The rest of the giant's level.
            "… 999044 0"
        ]
    );
    let recorded = &loaded.snapshot.recorded;
    let figure = |index: usize| {
        let figure = recorded.figure(Fact::LevelFs, tree.nodes()[index]);
        let figure = figure.expect("it is printed");
        (figure.value, figure.decimals)
    };
    assert_eq!(figure(1), (2.0e15, -11));
    assert_eq!(figure(2), (1000.7, 1));
    assert_eq!(loaded.policy, Some(Policy::FairTree));
}

#[test]
fn the_long_form_without_level_fs_is_classic() {
    let head = "Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare";
    let long = format!("{head}|GrpTRESMins|TRESRunMins\n");
    let rows = "root||||10|1.000000|1.000000|||cpu=0,mem=0\n\
                \x20a||1|1.000000|10|1.000000|1.000000|||cpu=0,mem=0\n\
                \x20 a|u|1|1.000000|10|1.000000|1.000000|0.500000||cpu=0,mem=0\n";
    let loaded = read(&format!("{long}{rows}"));
    assert_eq!(loaded.policy, Some(Policy::Classic));
    // An explicit list of columns may omit LevelFS.
    let chosen = format!("{head}|TRESRunMins\n{}", rows.replace("||cpu", "|cpu"));
    assert_eq!(read(&chosen).policy, None);
}

#[test]
fn accounts_with_fairshare_and_a_root_of_one_are_classic() {
    let dump = |root: &str, account: &str| {
        let text = format!(
            "Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare\n\
             root|||{root}|10|1.000000|\n\
             \x20a||1|1.000000|10|1.000000|{account}\n\
             \x20 a|u|1|1.000000|10|1.000000|0.500000\n"
        );
        read(&text).policy
    };
    assert_eq!(dump("0.000000", "0.500000"), Some(Policy::Classic));
    assert_eq!(dump("1.000000", ""), Some(Policy::Classic));
    assert_eq!(dump("0.000000", ""), Some(Policy::FairTree));
}

#[test]
fn columns_may_come_in_any_order_and_width() {
    let loaded = read(
        "\x20     User RawSh+ Account           RawUsage
---------- ------ --------------- ----------
                  root                    12
      root      1  root                    0
                7  chem                   12
       ada      2   chem                  12
",
    );
    assert_eq!(
        nodes(&loaded.snapshot.tree),
        ["root 1 0", "chem 7 12", "chem > ada 2 12"]
    );
}

#[test]
fn lines_without_a_header_are_recognised_by_their_form() {
    let fixed = "\
root                                          0.000000         100      1.000000            \n \
root                      root          1    0.090909           0      0.000000   1.000000 \n \
a                                      10    0.909091         100      1.000000            \n  \
a                           u          1    1.000000         100      1.000000   0.500000 \n";
    let bars = "root|||0.000000|100|1.000000||\n root|root|1|0.090909|0|0.000000|1.000000|\n \
                a||10|0.909091|100|1.000000||\n  a|u|1|1.000000|100|1.000000|0.500000|\n";
    for text in [fixed, bars] {
        let loaded = read(text);
        assert_eq!(
            nodes(&loaded.snapshot.tree),
            ["root 1 0", "a 10 100", "a > u 1 100"]
        );
        assert_eq!(
            sentences(&loaded.problems),
            [
                "sshare.txt: note: there is no header line; by their content the columns were identified as Account, \
                 User, RawShares, NormShares, RawUsage, EffectvUsage, FairShare; run sshare without -n if they are \
                 not"
            ]
        );
    }
}

#[test]
fn other_tables_are_not_detected_as_sshare_output() {
    for text in [
        "parent,name,shares,usage\nroot,a,1,2\n",
        "parent|name|shares|usage\nroot|a|1|2\n",
        "grp1 10 root 60\nalice 11 grp1 20\n",
        "Cluster|Account|User|Partition|Share|ID|ParentName\ngold|root|||1|1|\ngold| a|||1|2|root\n",
        "Bank Username RawShares RawUsage Fairshare\nroot 1 0.0\n",
    ] {
        let other = try_read(text).map(|loaded| loaded.snapshot.source.format);
        assert!(!matches!(other, Ok(Format::Sshare)), "{text}");
    }
}

#[test]
fn pasted_comments_crlf_and_trailing_blanks_are_ignored() {
    let loaded = read(
        "\u{feff}# from the weekly report\r\n\
Account                    User  RawShares  NormShares    RawUsage  EffectvUsage  FairShare\r\n\
root                                          0.000000         100      1.000000\r\n \
root                      root          1    0.090909           0      0.000000   1.000000\r\n \
a                                      10    0.909091         100      1.000000\r\n  \
a                           u          1    1.000000         100      1.000000   0.500000   \r\n",
    );
    assert_eq!(
        nodes(&loaded.snapshot.tree),
        ["root 1 0", "a 10 100", "a > u 1 100"]
    );
    assert_eq!(sentences(&loaded.problems), [""; 0]);
}

proptest! {
    #![proptest_config(laws(256))]

    /// A code fence makes every line be looked at. Without one it is only looked at if a byte of it tells a prompt.
    #[test]
    fn prompts_are_left_out_with_and_without_a_code_fence(
        line in "(\\[?[a-z@: ]{0,6}\\]?[$#%>\u{276f}]|```)[ a-z]{0,3}(sshare|exit)?",
    ) {
        let table = "Account|User|RawShares|RawUsage\nroot|||9\n a||1|9\n  a|u|1|9\n";
        let names = |text: String| try_read(&text).ok().map(|loaded| nodes(&loaded.snapshot.tree));
        let bare = names(format!("{line}\n{table}"));
        let fenced = names(format!("```\n{line}\n{table}"));
        prop_assert_eq!(bare, fenced);
    }
}

#[test]
fn bars_in_names_are_recognised_by_their_context() {
    let loaded = read(
        "\
Account|User|Partition|RawShares|RawUsage
root||||9
 pipe|name|||11|9
  pipe|name|ann|marie|gpu|2|9
",
    );
    assert_eq!(
        nodes(&loaded.snapshot.tree),
        ["pipe|name 11 9", "pipe|name > ann|marie (gpu) 2 9"]
    );
    assert_eq!(sentences(&loaded.problems), [""; 0]);
}

#[test]
fn a_jump_of_the_indentation_is_part_of_the_name() {
    let loaded = read(
        "\
Account|User|RawShares|RawUsage
root|||9
  lead||23|9
   lead|u|1|9
 root|root|1|0
",
    );
    assert_eq!(
        nodes(&loaded.snapshot.tree),
        [" lead 23 9", " lead > u 1 9", "root 1 0"]
    );
    assert_eq!(
        sentences(&loaded.problems),
        [
            "sshare.txt:3: warning: 1 account has more blanks before it than levels; its name is assumed to begin with \
             blanks: \" lead\"; check the account with sacctmgr show assoc tree; sshare -a --json keeps such names"
        ]
    );
}

#[test]
fn accounts_below_a_name_with_a_slash_are_placed_by_matching_prefix() {
    let rows = "\
root|||0.000000|9
 slash||7|0.500000|7
  slash|ann|2|0.400000|7
 slash/name||7|0.500000|2
  slash/name|ann|2|0.666667|0
  own||1|0.333333|1
   own|u|1|1.000000|1
  zebra||3|0.600000|1
   zebra|u|1|1.000000|1
";
    let loaded = read(&format!(
        "Account|User|RawShares|NormShares|RawUsage\n{rows}"
    ));
    assert_eq!(
        nodes(&loaded.snapshot.tree),
        [
            "slash 7 7",
            "slash > ann 2 7",
            "slash > zebra 3 1",
            "slash > zebra > u 1 1",
            "slash/name 7 2",
            "slash/name > ann 2 0",
            "slash/name > own 1 1",
            "slash/name > own > u 1 1",
        ]
    );
    assert_eq!(
        sentences(&loaded.problems),
        [
            "sshare.txt:9: warning: 1 account is printed below a name with a slash and placed according to NormShares: \
             zebra; give sshare -a --json or sacctmgr dump as well, which name the account above"
        ]
    );
    let mut without = String::new();
    for line in rows.lines() {
        let cells: Vec<&str> = line.split('|').collect();
        let [account, user, shares, _, usage] = cells[..] else {
            panic!("{line}");
        };
        without += &[account, user, shares, usage].join("|");
        without.push('\n');
    }
    let loaded = read(&format!("Account|User|RawShares|RawUsage\n{without}"));
    assert!(
        nodes(&loaded.snapshot.tree).contains(&"slash/name > zebra 3 1".to_owned()),
        "{:?}",
        nodes(&loaded.snapshot.tree)
    );
    assert_eq!(
        sentences(&loaded.problems),
        [
            "sshare.txt:7: warning: 2 accounts are printed below a name with a slash and may belong to another account; \
          left there: own, zebra; give sshare -a --json or sacctmgr dump as well, which name the account above"
        ]
    );
}

#[test]
fn truncated_names_that_are_equal_stay_separate() {
    let loaded = read(
        "\
Account                    User  RawShares    RawUsage 
-------------------- ---------- ---------- ----------- 
root                                                 5 
 department-of-phys+                     1           3 
  department-of-phy+        ada          1           3 
 department-of-phys+                     2           2 
  department-of-phy+ bernadett+          1           2 
",
    );
    assert_eq!(
        nodes(&loaded.snapshot.tree),
        [
            "department-of-phys+ 1 3",
            "department-of-phys+ > ada 1 3",
            "department-of-phys+2 2 2",
            "department-of-phys+2 > bernadett+ 1 2",
        ]
    );
    assert_eq!(
        sentences(&loaded.problems),
        [
            "sshare.txt:4: warning: 3 names are cut to the width of the column and end in +: department-of-phys+, \
             department-of-phys+, bernadett+; different names may look the same; run sshare -a -l -P, which \
             cuts nothing",
            "sshare.txt:6: warning: 1 account was cut to the same name as an earlier one; a number was added to \
             distinguish them: department-of-phys+2; run sshare -a -l -P, which cuts nothing",
        ]
    );
}

#[test]
fn broken_rows_are_kept_if_possible() {
    let loaded = read(
        "\
Account|User|RawShares|NormShares|RawUsage
root|||0.000000|9
 a||x1|1.000000|9
  a|u|1
  a|v
  a|w|1|1.000000|9|8
  a|z|1|1.000000|9
",
    );
    assert_eq!(
        nodes(&loaded.snapshot.tree),
        ["a 1 9", "a > u 1 -", "a > z 1 9"]
    );
    assert_eq!(
        sentences(&loaded.problems),
        [
            "sshare.txt:3: error: x1 in the column RawShares is not a number that Slurm prints there; the cell is read \
             as empty; check whether the line was cut or edited",
            "sshare.txt:4: warning: the row has 3 cells; expected 5; missing cells are read as empty; check whether \
             the line was cut, and print the output again",
            "sshare.txt:5: error: the row is not one of 5 columns: it has 2 cells; it was left out:   a|v; check whether the line was cut or edited; names with odd characters are safe in sshare -a --json",
            "sshare.txt:6: error: the row is not one of 5 columns: it has 6 cells; it was left out:   a|w|1|1.000000|9|8; \
             check whether the line was cut or edited; names with odd characters are safe in sshare -a --json",
        ]
    );
}

#[test]
fn orphans_before_the_root_are_attached_to_their_account() {
    let loaded = read(
        "\
Account|User|RawShares|RawUsage
def-x_cpu|zoe|1|4
root|||9
 root|root|0|0
 def-x_cpu||1|9
  def-x_cpu|amy|1|5
",
    );
    assert_eq!(
        nodes(&loaded.snapshot.tree),
        [
            "root 0 0",
            "def-x_cpu 1 9",
            "def-x_cpu > zoe 1 4",
            "def-x_cpu > amy 1 5"
        ]
    );
}

#[test]
fn each_cluster_of_an_output_is_one_tree() {
    let text = "\
CLUSTER: gold
Account|User|RawShares|RawUsage
root|||9
 a||1|9
  a|u|1|9

CLUSTER: silver
Account|User|RawShares|RawUsage
root|||3
 b||1|3
  b|u|1|3
";
    assert_eq!(
        refusal(text),
        "sshare.txt holds 2 clusters: gold, silver; choose one with --cluster NAME"
    );
    let input = Input {
        path: PathBuf::from("sshare.txt"),
        bytes: text.as_bytes().to_vec(),
        modified: None,
    };
    let request = Request {
        cluster: Some("silver".to_owned()),
        ..Request::default()
    };
    let loaded = load_inputs(vec![input], &request, &mut go_on).expect("it is a tree");
    assert_eq!(nodes(&loaded.snapshot.tree), ["b 1 3", "b > u 1 3"]);
}

#[test]
fn output_without_a_tree_is_refused_with_the_command_to_run() {
    let head = "Account|User|RawShares|NormShares|RawUsage\n";
    assert_eq!(
        refusal(head),
        "sshare.txt contains columns of sshare but no row below them; run sshare -a -l -P"
    );
    assert_eq!(
        refusal("Account User RawShares NormShares RawUsage\nroot and nothing\na and nothing\n"),
        "sshare.txt contains columns of sshare but no row that fits them, as when pasting loses blanks; run sshare \
         -a -l -P"
    );
    assert_eq!(
        refusal("Account|RawShares|RawUsage\nroot||9\n a|1|9\n"),
        "sshare.txt has no column User, so accounts and users cannot be told apart; add User to -o, or run sshare -a \
         -l -P"
    );
    assert_eq!(
        refusal(
            "   Account    User  RawShares RawUsage\n\
             ---------- ------- ---------- --------\n      \
             root                           9\n         \
             a                  1        9\n"
        ),
        "sshare.txt has right-aligned accounts, which loses the indentation that shows which account is above which; \
         write the column as Account%-40, or run sshare -a -l -P"
    );
}

#[test]
fn rows_without_indentation_are_placed_under_the_root_and_reported() {
    let loaded =
        read("Account|User|RawShares|RawUsage\nroot|||9\na||1|9\nb||1|9\nb|u|1|9\na|v|1|0\n");
    assert_eq!(
        nodes(&loaded.snapshot.tree),
        ["a 1 9", "a > v 1 0", "b 1 9", "b > u 1 9"]
    );
    let flat = "sshare.txt: warning: no row is indented, and only the indentation shows which account is above which; \
                all accounts were put under root; print the output again without trimming its lines, or give sacctmgr \
                dump as well, which names the account above";
    assert!(
        sentences(&loaded.problems).contains(&flat.to_owned()),
        "{:?}",
        sentences(&loaded.problems)
    );
}

#[test]
fn missing_users_are_reported() {
    let head = "Account|User|RawShares|RawUsage\nroot|||900\n root|root|1|0\n";
    let loaded = read(&format!("{head} a||1|500\n b||1|400\n"));
    assert_eq!(
        loaded.snapshot.recorded.incomplete.map(Incomplete::clause),
        Some("users are missing from it, as when sshare runs without -a")
    );
    assert_eq!(
        sentences(&loaded.problems),
        [
            "sshare.txt: warning: the accounts have more users than are listed, so no rank is known; run sshare -a -l -P: without -a, or with -A and -u, sshare lists only some"
        ]
    );
    // The account keeps the usage of a removed user.
    let all = format!("{head} a||1|500\n  a|u|1|10\n b||1|400\n  b|v|1|400\n");
    assert_eq!(read(&all).snapshot.recorded.incomplete, None);
}

#[test]
fn usage_of_deleted_users_is_not_that_of_missing_ones() {
    let missing = |level_fs: &str, norm_shares: &str, factors: [&str; 2]| {
        let [first, second] = factors;
        // Only under classic rules the root's portion is all shares.
        let root = if level_fs == "LevelFS" { "0" } else { "1" };
        let text = format!(
            "Account|User|RawShares|NormShares|RawUsage|{level_fs}|FairShare\nroot|||{root}.000000|900||\n \
             a||1|0.500000|500|0.9|\n  a|u|1|{norm_shares}|10|50|{second}\n \
             b||1|0.500000|400|1.1|\n  b|v|1|{norm_shares}|10|50|{first}\n"
        );
        read(&text)
            .snapshot
            .recorded
            .incomplete
            .map(Incomplete::clause)
    };
    let ranks = ["1.000000", "0.500000"];
    assert_eq!(missing("LevelFS", "1.000000", ranks), None);
    let listed = Some("users are missing from it, as when sshare runs without -a");
    assert_eq!(missing("LevelFS", "0.500000", ranks), listed);
    assert_eq!(
        missing("LevelFS", "1.000000", ["0.750000", "0.250000"]),
        listed
    );
    // Classic rules multiply the parts of all levels, and their factors are no ranks.
    assert_eq!(missing("TRESRunMins", "0.500000", ["0.9", "0.8"]), None);
    assert_eq!(missing("TRESRunMins", "0.250000", ["0.9", "0.8"]), listed);
}

#[test]
fn an_account_in_the_last_line_is_put_where_its_shares_belong() {
    // Slurm up to 23.02 prints an account there that was just added below `b`.
    let text = "Account|User|RawShares|NormShares|RawUsage\nroot|||0.000000|900\n \
        a||1|0.500000|900\n  a|u|7|0.636364|500\n  b||4|0.363636|400\n   b|v|3|0.600000|400\n \
        c||1|0.500000|0\n  c|w|1|1.000000|0\n   new||2|0.400000|0\n    new|x|1|1.000000|0\n";
    let loaded = read(text);
    let tree = nodes(&loaded.snapshot.tree);
    assert!(tree.contains(&"a > b > new 2 0".to_owned()), "{tree:?}");
    assert!(tree.contains(&"a > b > new > x 1 0".to_owned()), "{tree:?}");
    assert_eq!(sentences(&loaded.problems), <[String; 0]>::default());
    // Its shares fit no account one level up.
    let loaded = read(&text.replace("new||2|0.400000", "new||2|0.300000"));
    let tree = nodes(&loaded.snapshot.tree);
    assert!(tree.contains(&"c >  new 2 0".to_owned()), "{tree:?}");
    assert_eq!(loaded.problems.count(), 1);
}

/// A reproducible pseudo-random number.
fn scramble(seed: &mut u64) -> usize {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*seed >> 40).expect("24 bits")
}

#[test]
fn damaged_outputs_are_read_or_refused_without_a_panic() {
    let Some(folder) = golden("slurm/12-odd-names") else {
        return;
    };
    let mut seed = 1;
    let (mut read, mut refused) = (0, 0);
    for file in files(&folder, "sshare_") {
        let whole = std::fs::read(&file).expect("a file");
        for _ in 0..20 {
            let mut bytes = whole.clone();
            for _ in 0..=scramble(&mut seed) % 6 {
                let place = scramble(&mut seed) % bytes.len();
                match scramble(&mut seed) % 4 {
                    0 => bytes[place] = b"| \n\t-#/+0a.\xff"[scramble(&mut seed) % 12],
                    1 => drop(bytes.remove(place)),
                    2 => bytes.truncate(place + 1),
                    _ => {
                        let end = (place + scramble(&mut seed) % 80).min(bytes.len());
                        drop(bytes.drain(place..end));
                        bytes.push(b' ');
                    }
                }
            }
            let input = Input {
                path: PathBuf::from("sshare.txt"),
                bytes,
                modified: None,
            };
            match load_inputs(vec![input], &Request::default(), &mut go_on) {
                Ok(_) => read += 1,
                Err(_) => refused += 1,
            }
        }
    }
    println!("{read} damaged outputs were read, {refused} refused");
}

#[test]
fn accounts_in_the_last_column_keep_their_indentation() {
    let loaded = read(
        "
 RawShares    RawUsage       User Account              
---------- ----------- ---------- -------------------- 
                   249            root                 
         0         249             a                   
        10         249         ax   a                  
",
    );
    assert_eq!(loaded.snapshot.tree.node_count(), 3);
    assert_eq!(sentences(&loaded.problems), Vec::<String>::new());
}

#[test]
fn lines_of_bars_alone_are_skipped() {
    let bars = "|".repeat(100_000);
    let header = "Account|User|RawShares|RawUsage\n";
    let loaded = read(&format!("{header}root||1|5\n root|u|1|5\n root|{bars}\n"));
    assert_eq!(loaded.snapshot.tree.node_count(), 2);
    sentences(&loaded.problems)[0].must_contain("it has 100002 cells");
    let why = refusal(&format!("Account|User|RawUsage{bars}\n"));
    why.must_contain("sshare.txt");
}

#[test]
fn accounts_and_users_named_like_titles_are_rows() {
    let bars = "Account|User|RawShares|RawUsage\nroot|||9\n Account||3|4\n  Account|User|1|4\n Bank||2|3\n  \
                Bank|Username|1|3\n Cluster||2|2\n  Cluster|Account|1|2\n";
    let fixed = "             Account       User  RawShares    RawUsage \n\
                 -------------------- ---------- ---------- ----------- \n\
                 root                                             9 \n\
                 \x20Account                                3           4 \n\
                 \x20 Account                  User          1           4 \n\
                 \x20Bank                                   2           3 \n\
                 \x20 Bank                 Username          1           3 \n\
                 \x20Cluster                                2           2 \n\
                 \x20 Cluster               Account          1           2 \n";
    for text in [bars, fixed] {
        let loaded = read(text);
        assert_eq!(
            nodes(&loaded.snapshot.tree),
            [
                "Account 3 4",
                "Account > User 1 4",
                "Bank 2 3",
                "Bank > Username 1 3",
                "Cluster 2 2",
                "Cluster > Account 1 2",
            ],
            "{text}"
        );
        let codes = codes(&loaded.problems);
        assert!(!codes.contains(&"slurm-line"), "{codes:?}");
    }
}
