//! Random command lines that make sense about a source.

use crate::support::random::Random;
use fairscope::rules::policy::Policy;

/// Stands for the source in the words of a command line.
pub(crate) const SOURCE: &str = "@";

/// Stands for the source as it was before its mutation.
pub(crate) const ORIGINAL: &str = "@0";

/// The forms of tables, and those of sentences.
const TABLES: [&str; 6] = ["tree", "table", "csv", "json", "markdown", "html"];
const SENTENCES: [&str; 4] = ["text", "json", "markdown", "html"];

/// Returns the words of a command line. `nodes` are paths of nodes that may exist.
pub(crate) fn question(random: &mut Random, nodes: &[String]) -> Vec<String> {
    let table = pick(random, &TABLES);
    let prose = pick(random, &SENTENCES);
    let node = pick_name(random, nodes);
    let other = pick_name(random, nodes);
    let edit = edit(random, nodes);
    let line: Vec<String> = match random.below(22) {
        0..=2 => words(&["show", SOURCE, "--format-out", table]),
        3..=4 => words(&["rank", SOURCE, "--format-out", table]),
        5 => words(&["explain", SOURCE, &node, "--format-out", prose]),
        6 => words(&["explain", SOURCE, &node, &other, "--format-out", prose]),
        7 => words(&["policies", SOURCE, "--format-out", table]),
        8 => words(&["whatif", SOURCE, "--edit", &edit, "--format-out", table]),
        9 => words(&["diff", ORIGINAL, SOURCE, "--format-out", table]),
        10 => words(&["diff", SOURCE, ORIGINAL, "--format-out", table]),
        11 => words(&["timeline", ORIGINAL, SOURCE, "--format-out", "csv"]),
        12 => {
            let goal = goal(random, &other);
            words(&[
                "solve",
                SOURCE,
                "--node",
                &node,
                "--goal",
                &goal,
                "--format-out",
                prose,
            ])
        }
        13 if random.below(2) == 0 => advice(random, &node, &other, prose),
        13 => words(&["solve", SOURCE, "--node", &node, "--format-out", prose]),
        14 => words(&[
            "simulate",
            SOURCE,
            "--until",
            "7d",
            "--node",
            &node,
            "--format-out",
            table,
        ]),
        15 => words(&[
            "simulate",
            SOURCE,
            "--until",
            "1d",
            "--cores",
            "8",
            "--format-out",
            table,
        ]),
        16 => {
            let scheduler = pick(random, &["pbs", "slurm", "flux"]);
            words(&[
                "plan",
                SOURCE,
                "--edit",
                &edit,
                "--for",
                scheduler,
                "--format-out",
                prose,
            ])
        }
        17..=18 => words(&["check", SOURCE, "--format-out", prose]),
        19..=20 => {
            let to = pick(
                random,
                &["csv", "toml", "flux-json", "sacctmgr-dump", "pbs"],
            );
            if to == "pbs" {
                words(&["convert", SOURCE, "--to", to, "--out", "converted"])
            } else {
                words(&["convert", SOURCE, "--to", to])
            }
        }
        _ => words(&["pbsfs", SOURCE]),
    };
    if line[0] != "pbsfs" && random.below(4) == 0 {
        let policy = Policy::ALL[random.below(Policy::ALL.len())];
        return [line, words(&["--policy", policy.name()])].concat();
    }
    line
}

/// Returns a goal of `solve`.
fn goal(random: &mut Random, other: &str) -> String {
    match random.below(5) {
        0 => "rank<=1".to_owned(),
        1 => "factor>=0.9".to_owned(),
        2 => "share>=10%".to_owned(),
        3 => "on-target".to_owned(),
        _ => format!("ahead-of {other}"),
    }
}

/// Returns a question about goals of a site, which may contradict each other.
fn advice(random: &mut Random, node: &str, other: &str, prose: &str) -> Vec<String> {
    let portion = format!("share({node}) >= {}%", random.below(120));
    let ahead = format!("ahead({node}, {other})");
    let goals = ["--goal", &portion, "--goal", &ahead];
    let rest = ["--within", "1s", "--format-out", prose];
    words(&[&["advise", SOURCE], &goals[..], &rest].concat())
}

/// Returns an edit in the edit language.
pub(crate) fn edit(random: &mut Random, nodes: &[String]) -> String {
    let node = pick_name(random, nodes);
    let other = pick_name(random, nodes);
    let number = pick(
        random,
        &[
            "7",
            "0",
            "+10",
            "*2",
            "50% of level",
            "+20%",
            "-=1",
            "parent",
            "4294967295",
            "-5",
        ],
    );
    match random.below(14) {
        0..=2 => format!("shares {node}={number}"),
        3..=4 => format!("usage {node}={number}"),
        5 => format!("add {node}/new shares=5"),
        6 => format!("remove {node}"),
        7 => format!("move {node} to {other}"),
        8 => format!("rename {node} to new"),
        9 => format!("scale {node} to 100"),
        10 => format!("split {node} to 10"),
        11 => format!("trade {node}={number}"),
        12 => format!("charge {node} nodes=4 time=2:00:00"),
        _ => "wait 7d".to_owned(),
    }
}

pub(crate) fn pick<'a>(random: &mut Random, from: &[&'a str]) -> &'a str {
    from[random.below(from.len())]
}

fn pick_name(random: &mut Random, from: &[String]) -> String {
    from[random.below(from.len())].clone()
}

fn words(line: &[&str]) -> Vec<String> {
    line.iter().map(|&word| word.to_owned()).collect()
}
