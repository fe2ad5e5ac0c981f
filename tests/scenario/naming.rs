//! Names in the edit language: partitions, blanks and quotes.

use crate::support::associations::drawn;
use fairscope::format::Example;
use fairscope::model::{Kind, resolve};
use fairscope::open::example;
use fairscope::rules::policy::Policy;
use fairscope::scenario::{Scenario, parse, write};
use std::sync::Arc;

fn scenario() -> Scenario {
    let mut snapshot = drawn("physics/ 1\n  alice 1 | 5\nblank/ 1\nat@x/ 1");
    let blank = resolve(&snapshot.tree, b"blank").unwrap();
    snapshot.tree.rename(blank, b"x y");
    Scenario::new(Arc::new(snapshot), Policy::FairTree)
}

/// Applies an edit and asserts that its text parses to the same edit.
fn edit(scenario: &mut Scenario, text: &str) -> Result<(), String> {
    let parsed = parse(text.as_bytes(), scenario.tree(), scenario.settings());
    let edit = parsed.map_err(|error| error.to_string())?;
    let written = write(&edit, scenario.tree());
    let again = parse(written.as_bytes(), scenario.tree(), scenario.settings());
    assert_eq!(again.as_ref(), Ok(&edit), "{text}: {written}");
    scenario.apply(edit).map_err(|error| error.to_string())
}

#[test]
fn users_are_added_for_a_partition() {
    let mut scenario = scenario();
    edit(&mut scenario, "add physics/alice@gpu shares=3").unwrap();
    edit(&mut scenario, "add physics/dave@gpu shares=4").unwrap();
    let tree = scenario.tree();
    let dave = resolve(tree, b"physics/dave@gpu").unwrap();
    assert_eq!(
        (tree.name(dave), tree.partition(dave)),
        (&b"dave"[..], Some(&b"gpu"[..]))
    );
    assert_eq!(
        edit(&mut scenario, "add physics/dave@gpu shares=4"),
        Err("physics already holds dave@gpu; choose another name".to_owned())
    );
    while scenario.undo().is_some() {}
    assert!(resolve(scenario.tree(), b"physics/dave@gpu").is_err());
}

#[test]
fn an_at_sign_without_a_partition_belongs_to_the_name() {
    let mut scenario = scenario();
    for (text, path) in [
        (r"add physics/dave\@gpu shares=4", r"physics/dave\@gpu"),
        ("add at\\@x/u@dom shares=4", r"at\@x/u@dom"),
        ("add physics/a@b kind=account", r"physics/a\@b"),
    ] {
        edit(&mut scenario, text).unwrap();
        assert!(resolve(scenario.tree(), path.as_bytes()).is_ok(), "{path}");
    }
    assert_eq!(
        edit(&mut scenario, "add physics/dave@ shares=4"),
        Err("a partition cannot be empty; expected ACCOUNT/USER@PARTITION, or write \\@ for an @ in a name".to_owned())
    );
    let mut pbs = Scenario::new(Arc::new(example(Example::Small).snapshot), Policy::Pbs);
    edit(&mut pbs, "add group1/dave@gpu shares=4").unwrap();
    let dave = resolve(pbs.tree(), br"group1/dave\@gpu").unwrap();
    assert_eq!(pbs.tree().name(dave), b"dave@gpu");
}

#[test]
fn names_may_contain_blanks_and_paths_may_be_quoted() {
    let mut scenario = scenario();
    for text in [
        "add x y/new lab shares=3 kind=account",
        "add \"x y/new lab/zoe to b\" shares=2",
        "add 'physics/ both ' shares=1",
        "shares 'x y/new lab'=7",
        "charge \"x y/new lab/zoe to b\" cpus=2 time=1:00:00",
        "move \"x y/new lab\" to physics",
        "move physics to \"x y\"",
        "rename \"x y/physics/new lab\" to \"newer lab\"",
        "remove 'x y/physics/newer lab'",
    ] {
        edit(&mut scenario, text).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
    let tree = scenario.tree();
    let both = resolve(tree, b"x y/physics/ both ").unwrap();
    assert_eq!(
        (tree.name(both), tree.kind(both)),
        (&b" both "[..], Kind::User)
    );
    assert_eq!(
        edit(&mut scenario, "add physics/zoe share=3"),
        Err(
            "add physics/zoe share=3 is not complete; expected add PATH shares=5, optionally usage=N or kind=account"
                .to_owned()
        )
    );
}
