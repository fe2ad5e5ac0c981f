//! CSV files, with the exact message for each kind of invalid row.

use crate::support::expected::Expected as _;
use crate::support::loading::{go_on, sentences};
use crate::support::trees::outline;
use fairscope::format::{LoadError, Loaded, Request, csv};
use fairscope::model::{Kind, NodeId, Settings, Shares, Tree, resolve};
use fairscope::rules::policy::{ColumnId, Policy};
use std::ops::ControlFlow;

fn load(text: &[u8]) -> Result<Loaded, LoadError> {
    let request = Request::to_open("tree.csv");
    csv::parse(text.to_vec(), &request, &mut go_on)
}

fn tree(text: &str) -> Tree {
    let loaded = load(text.as_bytes()).expect("the text has a header");
    assert_eq!(sentences(&loaded.problems), Vec::<String>::new(), "{text}");
    loaded.snapshot.tree
}

fn problem(row: &str) -> String {
    let loaded =
        load(format!("parent,name,shares,usage,type,active\n,a,1,,account\n{row}\n").as_bytes());
    sentences(&loaded.expect("the text has a header").problems).join("\n")
}

#[test]
fn rows_form_a_tree_below_an_added_root() {
    let tree = tree(
        "parent,name,shares,usage,type\n,physics,40,,\nphysics,bob,1,2.5,\n,zoe,parent,,user\n",
    );
    assert_eq!(tree.name(NodeId::ROOT), b"root");
    assert_eq!(
        outline(&tree),
        [
            " 1 none account",
            "physics 40 none account",
            "physics/bob 1 2.5 user",
            "zoe parent none user"
        ]
    );
}

#[test]
fn columns_in_any_order_byte_order_mark_and_crlf_are_accepted() {
    let tree =
        tree("\u{feff}Type,SHARES,name,parent\r\naccount,40,a,\r\nuser,1,b,a\r\nuser,2,c,a\r\n");
    assert_eq!(
        outline(&tree),
        [" 40 none account", "b 1 none user", "c 2 none user"]
    );
    assert_eq!(tree.name(NodeId::ROOT), b"a");
}

#[test]
fn a_single_top_level_account_is_the_root_but_a_user_is_not() {
    let with_account = tree("parent,name,shares\n,top,7\ntop,bob,1\n");
    assert_eq!(with_account.name(NodeId::ROOT), b"top");
    assert_eq!(with_account.shares(NodeId::ROOT), Shares::new(7));
    let with_user = tree("parent,name,shares\n,bob,1\n");
    assert_eq!(with_user.name(NodeId::ROOT), b"root");
    assert_eq!(with_user.node_count(), 2);
}

#[test]
fn a_row_named_root_or_of_type_root_is_the_root() {
    let by_name = tree("parent,name,shares\n,a,1\n,root,5\nroot,b,1\n");
    assert_eq!(
        outline(&by_name),
        [" 5 none account", "a 1 none user", "b 1 none user"]
    );
    let by_type = tree("parent,name,shares,type\n,TREEROOT,,root\n,a,1,user\nTREEROOT,b,1,user\n");
    assert_eq!(by_type.name(NodeId::ROOT), b"TREEROOT");
    assert_eq!(by_type.node_count(), 3);
}

#[test]
fn the_members_of_a_second_root_are_put_below_the_first() {
    let text = "parent,name,shares,usage,type\n,root,1,,root\n,root,7,900,account\nroot,physics,40,300,account\n";
    let loaded = load(text.as_bytes()).expect("the text has a header");
    assert_eq!(
        outline(&loaded.snapshot.tree),
        [" 1 none account", "physics 40 300 account"]
    );
    let problems = sentences(&loaded.problems).join("\n");
    problems.must_contain("3: warning: root is a second root; the root on line 2 has its members, and its shares and usage are not read");
}

#[test]
fn the_usage_of_accounts_without_members_counts_in_the_accounts_above() {
    for root in ["", ",root,1,,account\n"] {
        let parent = if root.is_empty() { "" } else { "root" };
        let text = format!(
            "parent,name,shares,usage,type\n{root}{parent},physics,40,300,account\n{parent},bio,60,,account\n\
             bio,cells,1,100,account\n"
        );
        let tree = tree(&text);
        let policies = Policy::ALL.iter();
        for &policy in policies.filter(|&&policy| policy != Policy::Formula) {
            let evaluation = policy.evaluate(&tree, &Settings::default());
            let used = tree
                .nodes()
                .iter()
                .map(|&node| evaluation.number(ColumnId::Usage, node));
            let is_pbs = [Policy::Pbs, Policy::PbsWalk].contains(&policy);
            let own = if is_pbs { 1.0 } else { 0.0 };
            let expected = [400.0 + own, 300.0, 100.0 + own, 100.0].map(Some);
            assert_eq!(used.collect::<Vec<_>>(), expected, "{}", policy.name());
        }
    }
}

#[test]
fn blanks_around_names_count_only_in_quotes() {
    let text =
        "parent, name , shares, partition\n, a, 3,\na, b , 2, gpu\n a ,c,1,\na,\" d \",1,\n,z,1,\n";
    let tree = tree(text);
    let read = outline(&tree);
    assert_eq!(
        read[1..],
        [
            "a 3 none account",
            "a/b@gpu 2 none user",
            "a/c 1 none user",
            "a/ d  1 none user",
            "z 1 none user"
        ]
    );
    let again = load(&csv::write(&tree)).expect("it is read");
    assert_eq!(outline(&again.snapshot.tree), read);
}

#[test]
fn names_keep_arbitrary_bytes_commas_quotes_and_line_ends() {
    let loaded = load(b"parent,name,shares\n,\"a,\"\"b\nc\",1\n,caf\xe9,2\n").unwrap();
    let tree = loaded.snapshot.tree;
    assert_eq!(tree.name(NodeId::from_index(1)), b"a,\"b\nc");
    assert_eq!(tree.name(NodeId::from_index(2)), b"caf\xe9");
}

#[test]
fn accounts_keep_their_own_usage_and_users_their_row_order() {
    let text =
        "parent,name,shares,usage,type\n,a,1,500,acct\n,g,1,,bank\ng,u,1,3,entity\na,v,1,4,\n";
    let loaded = load(text.as_bytes()).unwrap();
    assert_eq!(
        sentences(&loaded.problems),
        [
            "tree.csv:2: note: the usage of a is 500, but that of its users is 4 in total; the usage of the account is used as given; nothing needs to be done if users that were removed used the rest"
        ]
    );
    let tree = loaded.snapshot.tree;
    let recorded: Vec<_> = tree
        .records()
        .iter()
        .map(|record| tree.name(record.node))
        .collect();
    assert_eq!(recorded, [b"u", b"v"]);
    let a = resolve(&tree, b"a").unwrap();
    assert_eq!(tree.usage(a).amount(), Some(500.0));
    assert_eq!(tree.kind(a), Kind::Account);
}

#[test]
fn partitions_and_activity_are_read() {
    let tree = tree("parent,name,shares,partition,active\n,g,1,,\ng,u,1,gpu,1\ng,u,1,,0\n");
    let node = resolve(&tree, b"u@gpu").unwrap();
    assert_eq!(tree.active(node), Some(true));
}

#[test]
fn invalid_rows_are_skipped_and_reported() {
    let cases = [
        (
            "a,bob,-5,,user,",
            "tree.csv:3:7: warning: the shares of bob are -5; PBS uses them as they are; Slurm and Flux read them as very large numbers; write a whole number from 0 to 2147483647",
        ),
        (
            "a,bob,1.5,,user,",
            "tree.csv:3:7: error: the shares of bob are \"1.5\"; expected a whole number of 64 bits, or parent; the row was left out; write a number such as 40",
        ),
        (
            "a,bob,1,nan,user,",
            "tree.csv:3:9: error: the usage of bob is \"nan\"; expected a number from 0 up, or nothing; the row was left out; write a number such as 1200.5",
        ),
        (
            "a,,1,,user,",
            "tree.csv:3:3: error: the row has no name and was left out; give it a name, or remove the row",
        ),
        (
            "b\u{1b},bob,1,,user,",
            "tree.csv:3:1: error: unknown account 'b\\e': no earlier row defines it; the row was left out; put the account's row before the rows below it, without the type user",
        ),
        (
            "a,bob,1,,boss,",
            "tree.csv:3:10: warning: the type of bob is \"boss\"; expected account, user or others; it is read as an account if a later row is below it, otherwise as a user; write account or user",
        ),
        (
            "a,bob,1,,user,yes",
            "tree.csv:3:15: warning: active is \"yes\"; expected 0 or 1; it is not used; write 1 for a user with jobs, 0 for one without, or nothing",
        ),
        (
            "a,bob,1,,user,1,x",
            "tree.csv:3:17: warning: the row of bob has 7 fields, but the header names 6; the others are not read; put a name that holds a comma in quotes, or remove the last fields",
        ),
        (
            "a,b,1,,user,\na,b,1,,user,",
            "tree.csv:4: warning: b appears twice under its account; both are kept; remove one of the two, or give it another name",
        ),
        (
            "a,a,1,,account,",
            "tree.csv:3:3: warning: the account a is already on line 2; later rows that name it are put under this one; give every account a name of its own, or keep each account's rows right below it",
        ),
    ];
    for (row, message) in cases {
        assert_eq!(problem(row), message);
    }
}

#[test]
fn an_ambiguous_parent_is_reported() {
    let loaded = load(b"parent,name,shares\n,g,1\n,x,1\ng,x,1\nx,u,1\n").unwrap();
    assert_eq!(
        sentences(&loaded.problems),
        [
            "tree.csv:5:1: warning: several earlier rows are called x; this row is put under the last one, on line 4; \
             give the intended one the type account and the others the type user"
        ]
    );
}

#[test]
fn line_numbers_count_crlf_and_blank_lines() {
    let loaded = load(b"parent,name,shares\r\n\r\n,a,1\r\n\r\n,b,x\r\n").unwrap();
    sentences(&loaded.problems)[0].must_begin("tree.csv:5:4: error");
}

#[test]
fn a_file_without_a_usable_header_is_refused() {
    let refusal = |text: &[u8]| load(text).unwrap_err().to_string();
    let rest = "; expected a first line that names the columns, at least parent, name and shares; \
                put this above the rows: parent,name,shares,usage,type";
    assert_eq!(refusal(b""), format!("tree.csv: it is empty{rest}"));
    assert_eq!(
        refusal(b"parent,name\na,b\n"),
        format!("tree.csv: the first line has no column shares{rest}")
    );
}

#[test]
fn loading_can_be_cancelled() {
    let text = format!("parent,name,shares\n{}", ",a,1\n".repeat(300_000));
    let cancelled = csv::parse(text.into_bytes(), &Request::default(), &mut |_| {
        ControlFlow::Break(())
    });
    assert!(matches!(cancelled, Err(LoadError::Cancelled)));
}

#[test]
fn usage_of_an_account_that_is_not_that_of_its_users_is_reported() {
    let text = "parent,name,shares,usage,type\n,a,40,201,account\na,x,1,100,user\na,y,1,100,user\n,b,60,900,account\n\
                b,z,1,1000,user\n";
    let loaded = load(text.as_bytes()).expect("it has a header");
    let found = loaded.problems.list().iter();
    let found: Vec<_> = found
        .map(|it| (it.code, it.line, it.message.to_string()))
        .collect();
    assert_eq!(
        found,
        [(
            "usage-sum-differs",
            Some(5),
            "the usage of b is 900, but that of its users is 1,000 in total; the usage of the account is used as given"
                .to_owned()
        )]
    );
}
