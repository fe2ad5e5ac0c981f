//! The tree in its five output forms.

use super::{scenario, written};
use crate::support::data;
use crate::support::expected::Expected as _;
use crate::support::json::{node_lines, number};
use crate::support::trees::SEED;
use fairscope::report::{Field, Form, Options, RowOrder, View, show};
use fairscope::rules::policy::ColumnId;

fn shown(lines: &str, options: &Options, form: Form) -> String {
    let (scenario, problems) = scenario(lines, &[]);
    let view = View::of(&scenario, &problems);
    written(|out| show::write(out, &view, options, form))
}

#[test]
fn a_tree_is_drawn_with_its_numbers() {
    insta::assert_snapshot!(shown(SEED, &Options::default(), Form::Tree), @r#"
    Group / user  Shares  Of level  Of tree  Usage  TreeUsage    Factor  Rank
    TREEROOT          -1      0.0%   100.0%  1,201   0.000000  1.000000
    ├─ group2         60     60.0%    60.0%  1,001   0.833472  0.381798
    │  ├─ scott       40     40.0%    24.0%  1,000   0.832973  0.090201     4
    │  └─ suzy        60     60.0%    36.0%      1   0.500416  0.381553     3
    ├─ group1         40     40.0%    40.0%    201   0.167361  0.748253
    │  ├─ cathy       50     50.0%    20.0%    100   0.125312  0.647718     1
    │  └─ bob         50     50.0%    20.0%    100   0.125312  0.647718     1
    └─ unknown         0      0.0%     0.0%      1   0.000833  0.000000
    "#);
}

#[test]
fn csv_has_the_columns_of_json_in_their_order() {
    let csv = shown(SEED, &Options::default(), Form::Csv);
    insta::assert_snapshot!(csv, @r#"
    path,name,kind,depth,shares,usage,rank,parent,factor,group_percentage,fairshare_perc,fairshare_tree_usage,fairshare_factor,usage_over_perc,walk_rank
    ,TREEROOT,account,0,-1,1201.0,,,1.0,0.0,1.0,0.0,1.0,1201.0,
    group2,group2,account,1,60,1001.0,,0,0.3817975576140751,0.6,0.6,0.83347213,0.3817975576140751,1668.3332670397256,
    group2/scott,scott,user,2,40,1000.0,4,1,0.09020063360431713,0.4,0.24000001,0.8329725,0.09020063360431713,4166.666501098215,4
    group2/suzy,suzy,user,2,60,1.0,3,1,0.38155282536615737,0.6,0.36,0.50041634,0.38155282536615737,2.7777776673988104,3
    group1,group1,account,1,40,201.0,,0,0.7482533143998252,0.4,0.4,0.16736053,0.7482533143998252,502.4999925121666,
    group1/cathy,cathy,user,2,50,100.0,1,4,0.6477184907549601,0.5,0.2,0.12531224,0.6477184907549601,499.9999925494195,1
    group1/bob,bob,user,2,50,100.0,1,4,0.6477184907549601,0.5,0.2,0.12531224,0.6477184907549601,499.9999925494195,1
    unknown,unknown,account,1,0,1.0,,0,0.0,0.0,0.0,0.00083263946,0.0,-1.0,
    "#);
    let json: serde_json::Value =
        serde_json::from_str(&shown(SEED, &Options::default(), Form::Json)).expect("it is JSON");
    let header: Vec<&str> = csv.lines().next().expect("a header").split(',').collect();
    let fields: Vec<_> = fairscope::report::Field::all(fairscope::rules::policy::Policy::Pbs)
        .iter()
        .map(|field| field.name())
        .collect();
    assert_eq!(header, fields);
    for node in json["nodes"].as_array().expect("nodes") {
        assert_eq!(node.as_object().expect("a node").len(), header.len());
    }
}

#[test]
fn json_keeps_every_bit_and_names_its_source() {
    let text = shown(SEED, &Options::default(), Form::Json);
    let json: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(json["schema"], "fairscope/1");
    assert_eq!(json["source"]["taken"], "2023-11-14T22:13:20Z");
    assert_eq!(json["user_count"], 4);
    assert_eq!(json["policy"]["settings"]["unknown_shares"], 0);
    let nodes = json["nodes"].as_array().expect("nodes");
    let root = &nodes[0];
    assert_eq!((&root["path"], &root["parent"]), (&"".into(), &().into()));
    assert_eq!(root["shares"], -1);
    let scott = nodes.iter().find(|node| node["name"] == "scott");
    let scott = scott.expect("scott is in the tree");
    assert_eq!(scott["parent"], 1);
    assert_eq!(scott["rank"], 4);
    assert_eq!(scott["factor"].to_string(), "0.09020063360431713");
    // 0.24 as PBS stores it, as the shortest text of a 32-bit float.
    text.must_contain("\"fairshare_perc\": 0.24000001");
}

#[test]
fn json_writes_infinities_and_nan_as_words_and_missing_values_as_null() {
    let (scenario, problems) = scenario("a 5 | inf\nb 5 | 10", &[]);
    let view = View::of(&scenario, &problems);
    let text = written(|out| show::write(out, &view, &Options::default(), Form::Json));
    let json: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let a = &json["nodes"][1];
    assert_eq!(a["name"], "a");
    assert_eq!(a["usage"], "inf");
    assert_eq!(a["fairshare_tree_usage"], "nan");
    assert!(json["nodes"][0]["rank"].is_null());
    let csv = written(|out| show::write(out, &view, &Options::default(), Form::Csv));
    csv.must_contain("a,a,user,1,5,inf,");
}

#[test]
fn parents_in_a_subtree_refer_to_its_own_rows() {
    let (scenario, problems) = scenario(SEED, &[]);
    let view = View::of(&scenario, &problems);
    let options = Options {
        node: fairscope::model::resolve(scenario.tree(), b"group2").ok(),
        ..Options::default()
    };
    let text = written(|out| show::write(out, &view, &options, Form::Json));
    let json: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let rows: Vec<(&str, Option<u64>)> = json["nodes"]
        .as_array()
        .expect("nodes")
        .iter()
        .map(|node| {
            (
                node["path"].as_str().expect("a path"),
                node["parent"].as_u64(),
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("group2", None),
            ("group2/scott", Some(0)),
            ("group2/suzy", Some(0))
        ]
    );
    let options = Options {
        depth: Some(1),
        ..Options::default()
    };
    let text = written(|out| show::write(out, &view, &options, Form::Tree));
    assert_eq!(text.lines().count(), 1 + 4);
}

#[test]
fn a_sorted_tree_keeps_users_below_their_accounts() {
    let sort = RowOrder {
        field: Field::Name,
        is_descending: false,
    };
    let options = Options {
        sort: Some(sort),
        columns: Some(vec![Field::Kind]),
        ..Options::default()
    };
    insta::assert_snapshot!(shown(SEED, &options, Form::Tree), @r#"
    Group / user  Kind
    TREEROOT      group
    ├─ group1     group
    │  ├─ bob     user
    │  └─ cathy   user
    ├─ group2     group
    │  ├─ scott   user
    │  └─ suzy    user
    └─ unknown    group
    "#);
    insta::assert_snapshot!(shown(SEED, &options, Form::Markdown), @r#"
    | Kind |
    | --- |
    | group |
    | user |
    | user |
    | group |
    | group |
    | user |
    | user |
    | group |
    "#);
}

#[test]
fn nodes_without_a_number_sort_last_in_both_directions() {
    for is_descending in [false, true] {
        let options = Options {
            sort: Some(RowOrder {
                field: Field::current(ColumnId::Rank),
                is_descending,
            }),
            columns: Some(vec![Field::Kind]),
            ..Options::default()
        };
        let csv = shown(SEED, &options, Form::Csv);
        let kinds: Vec<&str> = csv.lines().skip(1).collect();
        assert_eq!(kinds[..4], ["user"; 4]);
        assert_eq!(kinds[4..], ["account"; 4]);
    }
}

#[test]
fn the_ranking_lists_rank_1_first() {
    let (scenario, problems) = scenario(SEED, &[]);
    let view = View::of(&scenario, &problems);
    let text = written(|out| show::write_ranking(out, &view, &Options::default(), Form::Table));
    insta::assert_snapshot!(text, @r#"
    Rank  Path          Of tree  Usage  TreeUsage    Factor
       1  group1/cathy    20.0%    100   0.125312  0.647718
       1  group1/bob      20.0%    100   0.125312  0.647718
       3  group2/suzy     36.0%      1   0.500416  0.381553
       4  group2/scott    24.0%  1,000   0.832973  0.090201
    "#);
}

#[test]
fn hostile_names_are_escaped_in_text_and_kept_whole_in_json_and_csv() {
    let lines = "a\u{1b}[31m,\"x\u{9b}\u{202e} 1 | 5";
    for form in [
        Form::Tree,
        Form::Table,
        Form::Markdown,
        Form::Csv,
        Form::Json,
    ] {
        let text = shown(lines, &Options::default(), form);
        let is_control = |char: char| char.is_control() && char != '\n';
        assert!(!text.contains(is_control), "{text:?}");
        text.must_lack("\u{202e}");
    }
    // The path that CSV gives leads back to the node.
    let columns = Some(vec![Field::Path]);
    let options = Options {
        columns,
        ..Options::default()
    };
    let csv = shown(lines, &options, Form::Csv);
    let path = csv.lines().nth(2).expect("the node's row");
    let path = path.trim_matches('"').replace("\"\"", "\"");
    let (scenario, _) = scenario(lines, &[]);
    assert!(
        fairscope::model::resolve(scenario.tree(), path.as_bytes()).is_ok(),
        "{path}"
    );
    let json = shown(lines, &Options::default(), Form::Json);
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    let names: Vec<&str> = json["nodes"]
        .as_array()
        .expect("nodes")
        .iter()
        .filter_map(|node| node["name"].as_str())
        .collect();
    assert!(
        names.contains(&"a\u{1b}[31m,\"x\u{9b}\u{202e}"),
        "{names:?}"
    );
}

#[test]
fn deep_chains_are_written_in_every_form() {
    let mut lines = String::from("n0 1");
    for depth in 1..2_000 {
        use std::fmt::Write as _;
        write!(lines, "\n{:indent$}n{depth} 1", "", indent = 2 * depth).expect("a string takes it");
    }
    // OpenMetrics are written of metrics alone.
    let forms = Form::ALL.iter().filter(|form| **form != Form::OpenMetrics);
    for form in forms {
        assert!(shown(&lines, &Options::default(), *form).lines().count() > 2_000);
    }
    let json = shown(&lines, &Options::default(), Form::Json);
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    let nodes = json["nodes"].as_array().expect("nodes");
    assert!(nodes[512]["path"].is_string());
    assert!(nodes[513]["path"].is_null());
}

/// The bits of a number in the real scheduler's memory.
fn bits(node: &serde_json::Value, name: &str) -> u64 {
    let text = node[name].as_str().expect("bits are hexadecimal text");
    u64::from_str_radix(text, 16).expect("bits are hexadecimal text")
}

#[test]
fn golden_json_gives_back_the_schedulers_bits() {
    let text = std::fs::read_to_string(data("seed/nodes.jsonl")).expect("it is there");
    let json = shown(SEED, &Options::default(), Form::Json);
    let nodes = node_lines(&json);
    assert_eq!(text.lines().count(), nodes.len());
    for (line, node) in text.lines().zip(nodes) {
        let real: serde_json::Value = serde_json::from_str(line).expect("it is JSON");
        assert_eq!(real["name"], number(node, "name"));
        for (column, real_bits) in [
            ("group_percentage", "group_percentage_bits"),
            ("fairshare_perc", "tree_percentage_bits"),
            ("fairshare_tree_usage", "usage_factor_bits"),
        ] {
            let single: f32 = number(node, column).parse().expect("it is a number");
            assert_eq!(
                u64::from(single.to_bits()),
                bits(&real, real_bits),
                "{column}"
            );
        }
        for (column, real_bits) in [
            ("usage", "usage_bits"),
            ("factor", "fairshare_factor_bits"),
            ("fairshare_factor", "fairshare_factor_bits"),
            ("usage_over_perc", "usage_over_perc_bits"),
        ] {
            let double: f64 = number(node, column).parse().expect("it is a number");
            assert_eq!(double.to_bits(), bits(&real, real_bits), "{column}");
        }
    }
}
