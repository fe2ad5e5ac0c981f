//! Files and options that are given together, as administrators of Slurm and Flux would, and the errors of those that
//! conflict.

use super::seed;
use crate::support::command::{Run, answered};
use crate::support::data;
use crate::support::expected::Expected as _;
use crate::support::stand_in::{StandIn, captured};

fn path(name: &str) -> String {
    let path = data(name).into_os_string();
    path.into_string().expect("the path of the tests is UTF-8")
}

fn printed(args: &[&str]) -> String {
    Run::fairscope(args).run().success()
}

#[test]
fn every_slurm_output_gives_the_same_tree() {
    let gold = path("slurm/gold");
    let [tree, settings] =
        ["sshare.txt", "scontrol_config.txt"].map(|name| format!("{gold}/{name}"));
    let expected = printed(&["rank", &gold]);
    assert_eq!(expected.lines().count(), 15, "14 users: {expected}");
    for args in [
        &["rank", &tree, "--config", &settings][..],
        &["rank", &tree, &settings],
        &["rank", &settings, &tree],
        &["rank", &settings, "--with", &tree],
        &["rank", "--format", "sshare", &tree, "--cluster", "gold"],
    ] {
        assert_eq!(printed(args), expected, "{args:?}");
    }
    let piped = std::fs::read(&tree).expect("it is ours");
    for args in [&["rank", "-"][..], &["rank", "-", "--config", &settings]] {
        let shown = Run::fairscope(args).input(piped.clone()).run().success();
        assert_eq!(shown, expected, "{args:?}");
    }
    // Without a command and without a terminal, fairscope runs `show`.
    assert_eq!(
        printed(&[&tree, "--config", &settings]),
        printed(&["show", &gold])
    );
}

#[test]
fn shares_of_a_dump_and_usage_of_sshare_combine_into_one_tree() {
    let (dump, tree) = (path("slurm/gold.cfg"), path("slurm/gold/sshare.txt"));
    let columns = ["--format-out", "csv", "--columns", "path,shares,usage,rank"];
    let sorted = |text: String| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let together = Run::fairscope(["show", &dump, &tree]).args(columns);
    let alone = Run::fairscope(["show", &tree]).args(columns);
    assert_eq!(
        sorted(together.run().success()),
        sorted(alone.run().success())
    );
}

#[test]
fn explain_uses_all_outputs_given() {
    let (dump, tree) = (path("slurm/gold.cfg"), path("slurm/gold/sshare.txt"));
    let text = printed(&["explain", &dump, "bob", "--with", &tree]);
    text.must_begin("bob is 9th of 14");
    let two = printed(&["explain", &dump, "bob", "alice", "--with", &tree]);
    two.must_contain("diverge at science/physics");
}

#[test]
fn options_that_conflict_are_refused() {
    let (tree, settings) = (captured("sshare.json"), captured("scontrol_config.txt"));
    let database = path("flux/21_inactive/input.db");
    let nothing = StandIn::empty();
    for (args, complaint) in answered(
        "
        show SEED TREE
            only outputs of Slurm's commands can be combined
        show SEED --config SETTINGS
            which cannot be combined with
        show DATABASE TREE
            only outputs of Slurm's commands can be combined
        show SEED --cluster gold
            is pbs, which has no clusters; leave out --cluster
        show DATABASE --cluster gold
            is flux-db, which has no clusters
        show TREE --cluster silver
            unknown cluster 'silver';
        show TREE --usage usage
            need a resource_group file of PBS
        show SETTINGS
            settings without a tree
        show - --config -
            standard input can be read only once; give the other source as a file
        rank - -
            standard input can be read only once
        show --live flux --config SETTINGS
            --config is for Slurm only, not for --live flux; leave it out
        show --live pbs --with TREE
            --with is for Slurm
        rank --live pbs --cluster gold
            --cluster is for Slurm
    ",
        &[
            ("DATABASE", &database),
            ("SEED", &seed()),
            ("SETTINGS", &settings),
            ("TREE", &tree),
        ],
    ) {
        let said = nothing.fairscope(&args).run().failure(2);
        assert!(said.contains(complaint), "{args:?}: {said}");
    }
}
