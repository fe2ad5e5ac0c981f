//! Conversions between formats and the losses they report.

use super::losses;
use crate::support::loading::{go_on, load_quietly};
use fairscope::base::shown::shown;
use fairscope::format::convert::convert;
use fairscope::format::{Conversion, Example, Format, Request, csv, native};
use fairscope::model::generate::{Shape, generate};
use fairscope::model::{NodeId, Snapshot};
use fairscope::open::example;
use fairscope::rules::policy::Policy;
use std::ops::ControlFlow;
use std::path::PathBuf;

fn converted(snapshot: &Snapshot, to: Format) -> Conversion {
    let conversion = convert(snapshot, &snapshot.tree, &snapshot.settings, to);
    conversion.expect("there are no edits")
}

fn file(snapshot: &Snapshot, to: Format, name: &str) -> Vec<u8> {
    let conversion = converted(snapshot, to);
    let mut files = conversion.files.into_iter();
    files
        .find(|(file, _)| file == name)
        .expect("the conversion holds the file")
        .1
}

fn from_csv(text: &str) -> Snapshot {
    let bytes = text.as_bytes().to_vec();
    let loaded = csv::parse(bytes, &Request::default(), &mut |_| {
        ControlFlow::Continue(())
    });
    loaded.expect("the text is a tree").snapshot
}

#[test]
fn the_example_converts_to_a_resource_group_in_loading_order() {
    let snapshot = example(Example::Small).snapshot;
    let text = String::from_utf8(file(&snapshot, Format::Pbs, "resource_group")).unwrap();
    assert_eq!(
        text,
        "# name\tgroup number\tparent\tshares\ngroup1\t10\troot\t40\ngroup2\t11\troot\t60\n\
         suzy\t14\tgroup2\t60\nscott\t15\tgroup2\t40\nbob\t12\tgroup1\t50\ncathy\t13\tgroup1\t50\n"
    );
}

#[test]
fn usage_files_equal_those_of_pbs() {
    let Some(folder) = crate::support::golden("pbs/01-seed-example") else {
        return;
    };
    let mut snapshot = example(Example::Small).snapshot;
    snapshot.settings.pbs.last_decay = 1_700_000_000;
    let saved = std::fs::read(folder.join("usage")).unwrap();
    let ours = file(&snapshot, Format::Pbs, "usage");
    assert_eq!(ours[..32], saved[..32], "the header");
    // The golden file has another order.
    let records = |file: &[u8]| {
        let mut records: Vec<Vec<u8>> = file[32..].chunks(64).map(<[u8]>::to_vec).collect();
        records.sort();
        records
    };
    assert_eq!(records(&ours), records(&saved));
}

#[test]
fn losses_in_pbs_files_are_reported() {
    let snapshot = from_csv(
        "parent,name,shares,usage,type,partition\n,a b,1,,account,\n,c,parent,,user,\n,d,5000000000,,user,\n\
         ,e,1,5,account,\n,f,1,1,user,\n,g@x,1,7,user,\ne,c,1,,user,gpu\n",
    );
    let losses = losses(&converted(&snapshot, Format::Pbs));
    assert_eq!(
        losses,
        [
            "PBS separates fields by blanks and reads # and * as comments: a b cannot be written and is left out together with its subtree",
            "PBS identifies nodes by name alone, and the name is taken: c is left out together with its subtree",
            "PBS has no shares called parent: those of c are written as 0",
            "PBS stores shares up to 2147483647: those of d are written as the nearest possible number",
            "PBS reads a group without members as an entity: a b",
            "PBS sums a group's usage from its entities: the usage given for e itself is left out",
            "PBS reads usage only of names of up to 49 letters, digits and . - _ : and only from 0 up: that of g@x will be refused",
            "PBS does not write a usage of exactly 1, where every entity starts: f adds 1 less to its groups",
            "PBS has no partitions: that of c is left out",
        ]
    );
}

#[test]
fn losses_in_csv_are_reported() {
    let snapshot = example(Example::Small).snapshot;
    let losses = losses(&converted(&snapshot, Format::Csv));
    assert_eq!(
        losses,
        [
            "PBS's group numbers are left out: those of group2 and 6 more",
            "the name of the scheduler and its settings are left out, such as decay and the unit of usage",
        ]
    );
}

#[test]
fn generated_trees_depend_only_on_the_seed_and_fit_every_format() {
    for shape in [Shape::Balanced, Shape::Skewed, Shape::Flat, Shape::Chain] {
        let (one, other) = (generate(1000, shape, 7), generate(1000, shape, 7));
        for format in Format::WRITABLE {
            assert_eq!(converted(&one, *format), converted(&other, *format));
        }
        let losses = losses(&converted(&one, Format::Pbs));
        assert_eq!(losses, Vec::<String>::new(), "{shape:?}");
        let users = if shape == Shape::Chain { 1 } else { 1000 };
        assert_eq!(one.tree.user_count(), users, "{shape:?}");
    }
    assert_ne!(
        file(&generate(100, Shape::Flat, 1), Format::Csv, "tree.csv"),
        file(&generate(100, Shape::Flat, 2), Format::Csv, "tree.csv")
    );
}

#[test]
fn generating_no_users_gives_an_empty_tree() {
    for shape in [Shape::Balanced, Shape::Skewed, Shape::Flat, Shape::Chain] {
        assert_eq!(generate(0, shape, 1).tree.records().len(), 0, "{shape:?}");
    }
}

/// The golden cases that can be loaded.
fn golden_cases() -> Vec<(String, Snapshot)> {
    let Some(folder) = crate::support::golden("pbs") else {
        return Vec::new();
    };
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the golden folder can be read") {
        let path = entry.expect("the golden folder can be read").path();
        if path.join("resource_group").is_file() {
            let name = path.display().to_string();
            cases.extend(load_folder(path).map(|snapshot| (name, snapshot)));
        }
    }
    cases
}

fn load_folder(path: PathBuf) -> Option<Snapshot> {
    let request = Request::to_open(path);
    let loaded = load_quietly(&request);
    loaded.ok().map(|loaded| loaded.snapshot)
}

/// Every fact of every node in tree order, with numbers as bits.
fn facts(snapshot: &Snapshot) -> Vec<String> {
    let tree = &snapshot.tree;
    let evaluation = Policy::Pbs.evaluate(tree, &snapshot.settings);
    let fact = |&node: &NodeId| {
        let numbers: Vec<_> = Policy::Pbs
            .columns()
            .iter()
            .map(|&column| evaluation.number(column, node))
            .map(|number| number.map(|number| if number.is_nan() { 0 } else { number.to_bits() }))
            .collect();
        let (name, depth) = (shown(tree.name(node)), tree.depth(node));
        format!(
            "{depth} {name} {} {} {numbers:?}",
            tree.shares(node),
            tree.group(node)
        )
    };
    tree.nodes().iter().map(fact).collect()
}

#[test]
fn golden_trees_round_trip_through_our_format_bit_for_bit() {
    let cases = golden_cases();
    for (name, snapshot) in &cases {
        let bytes = file(snapshot, Format::Toml, "tree.toml");
        let loaded = native::parse(&bytes, &Request::default(), &mut go_on, None);
        let read = loaded.unwrap();
        assert!(read.problems.is_empty(), "{name}: {:?}", read.problems);
        assert_eq!(facts(&read.snapshot), facts(snapshot), "{name}");
        assert_eq!(read.snapshot.settings.pbs, snapshot.settings.pbs, "{name}");
        assert_eq!(
            file(&read.snapshot, Format::Toml, "tree.toml"),
            bytes,
            "{name}"
        );
    }
    println!("{} trees compared, 0 differ", cases.len());
}

#[test]
fn golden_trees_keep_their_order_in_a_written_resource_group() {
    let cases = golden_cases();
    let mut compared = 0;
    for (name, snapshot) in &cases {
        let conversion = converted(snapshot, Format::Pbs);
        if !conversion.losses.is_empty() {
            println!("{name}: {:?}", conversion.losses);
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        for (file, bytes) in &conversion.files {
            std::fs::write(folder.path().join(file), bytes).unwrap();
        }
        let read = load_folder(folder.path().to_owned()).unwrap();
        let order = |snapshot: &Snapshot| {
            let tree = &snapshot.tree;
            let names = tree.nodes().iter().map(|&node| shown(tree.name(node)));
            // Entities known only from usage records come back in the order of the records.
            let mut names: Vec<_> = names.collect();
            let unknown = tree.unknown().map_or(0..0, |node| tree.order().span(node));
            names[unknown].sort();
            names
        };
        assert_eq!(order(&read), order(snapshot), "{name}");
        compared += 1;
    }
    println!("{compared} trees compared, 0 differ");
}
