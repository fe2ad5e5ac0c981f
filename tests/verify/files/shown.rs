//! Displayed numbers never contradict the scheduler's output. Tested on every settled dump, each file alone and with
//! its configuration, before any edit and after an edit and its undo.

use super::capture::Capture;
use super::open;
use crate::support::files::files_below;
use crate::support::{data, golden};
use crate::verify::FACTS;
use fairscope::format::{FilesBeside, Request};
use fairscope::model::{EXACT, Fact, Figure, Kind, NodeId, Shares, Usage};
use fairscope::rules::policy::ColumnId;
use fairscope::scenario::{Edit, Scenario};
use std::collections::BTreeMap;
use std::path::Path;

/// Counts of compared numbers in the files of one kind.
#[derive(Default)]
struct Count {
    files: usize,
    numbers: usize,
    factors: usize,
    ranks: usize,
    /// Numbers displayed as printed although no usage gives them.
    marked: usize,
    contradictions: usize,
}

/// Whether a number prints as the scheduler printed its own; JSON writers get the last of 17 digits wrong.
fn is_printed_so(shown: f64, figure: Figure) -> bool {
    if !shown.is_finite() || figure.decimals == EXACT {
        let off = (shown - figure.value).abs();
        return shown.to_bits() == figure.value.to_bits() || off <= figure.value * 2e-15;
    }
    match usize::try_from(figure.decimals) {
        // The controller rounds to six decimals before scontrol prints two.
        Ok(2) => {
            let packed: f64 = format!("{shown:.6}").parse().expect("a number");
            format!("{packed:.2}") == format!("{:.2}", figure.value)
        }
        Ok(decimals) => format!("{shown:.decimals$}") == format!("{:.decimals$}", figure.value),
        Err(_) => (shown - figure.value).abs() <= figure.half_unit(),
    }
}

/// The numbers of a scenario that contradict the scheduler.
fn contradictions(scenario: &Scenario, count: &mut Count) -> Vec<String> {
    let (tree, evaluation) = (scenario.tree(), scenario.evaluation());
    let recorded = &scenario.base().recorded;
    let mut wrong = Vec::new();
    let name = |node: NodeId| String::from_utf8_lossy(tree.name(node)).into_owned();
    for fact in FACTS {
        let column = ColumnId::computing(fact).expect("every policy of Slurm's computes it");
        for &node in tree.nodes() {
            let figure = recorded.figure(fact, node);
            let shown = evaluation.number(column, node);
            let (Some(figure), Some(shown)) = (figure, shown) else {
                continue;
            };
            count.numbers += 1;
            count.factors += usize::from(fact == Fact::FairShare);
            count.marked += usize::from(evaluation.is_printed(column, node));
            if !is_printed_so(shown, figure) {
                let (name, fact, value) = (name(node), fact.name(), figure.value);
                wrong.push(format!("{fact} of {name}: {shown}, printed {value}"));
            }
        }
    }
    let mut users: Vec<(f64, u32, NodeId)> = Vec::new();
    for &node in tree.nodes() {
        if tree.kind(node) == Kind::User
            && let Some(figure) = recorded.figure(Fact::FairShare, node)
            && let Some(rank) = evaluation.rank(node)
        {
            users.push((figure.value, rank, node));
        }
    }
    users.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    count.ranks += users.len();
    for pair in users.windows(2) {
        let [(factor, rank, node), (next_factor, next_rank, next)] = [pair[0], pair[1]];
        if factor > next_factor && rank >= next_rank {
            let (name, next) = (name(node), name(next));
            wrong.push(format!(
                "{name} has rank {rank} for {factor}, {next} has {next_rank} for {next_factor}"
            ));
        }
    }
    wrong
}

/// Charges the first user, changes the last user's shares, and undoes both.
fn edit_and_undo(scenario: &mut Scenario) {
    let users = scenario.tree().nodes().iter().copied();
    let users: Vec<NodeId> = users
        .filter(|&node| scenario.tree().kind(node) == Kind::User)
        .collect();
    let (Some(&first), Some(&last)) = (users.first(), users.last()) else {
        return;
    };
    let used = scenario.tree().usage(first).amount().unwrap_or(0.0);
    let usage = Usage::new(used + 86_400.0);
    scenario
        .apply(Edit::SetUsage { node: first, usage })
        .unwrap();
    let shares = Shares::new(12_345);
    scenario
        .apply(Edit::SetShares { node: last, shares })
        .unwrap();
    assert!(scenario.evaluation() != &**scenario.baseline());
    assert!(scenario.undo().is_some());
    assert!(scenario.undo().is_some());
}

fn hold_all(root: &Path) {
    let mut kinds: BTreeMap<String, Count> = BTreeMap::new();
    let mut wrong = Vec::new();
    let paths = files_below(root);
    for capture in paths.iter().filter_map(|path| Capture::of(root, path)) {
        if capture.label.is_unsettled() {
            continue;
        }
        for (has_config, ending) in [(false, ""), (true, " + config")] {
            if has_config && !capture.can_have_config() {
                continue;
            }
            let request = Request {
                beside: FilesBeside {
                    config: has_config.then(|| capture.config()),
                    ..FilesBeside::default()
                },
                ..Request::to_open(capture.path.to_owned())
            };
            let Ok(mut opened) = open(&request) else {
                continue;
            };
            if opened.scenario.base().recorded.is_empty() {
                continue;
            }
            let kind = format!("{}{ending}", capture.file);
            let count = kinds.entry(kind).or_default();
            count.files += 1;
            let marked = count.marked;
            let mut found = contradictions(&opened.scenario, count);
            if count.marked > marked && !capture.is_part() {
                found.push(format!("{} numbers are marked", count.marked - marked));
            }
            let before = opened.scenario.evaluation().clone();
            edit_and_undo(&mut opened.scenario);
            if *opened.scenario.evaluation() != before {
                found.push("an edit and its undo change something".to_owned());
            }
            count.contradictions += found.len();
            if !found.is_empty() {
                let name = capture.name();
                wrong.push(format!("{name}{ending}: {}", found.join("; ")));
            }
        }
    }
    println!(
        "{:44} files numbers factors  ranks marked contradictions",
        "kind of file"
    );
    let mut total = Count::default();
    for (kind, count) in &kinds {
        let line = |name: &str, count: &Count| {
            println!(
                "{name:44} {:5} {:7} {:7} {:6} {:6} {:14}",
                count.files,
                count.numbers,
                count.factors,
                count.ranks,
                count.marked,
                count.contradictions
            );
        };
        line(kind, count);
        total.files += count.files;
        total.numbers += count.numbers;
        total.factors += count.factors;
        total.contradictions += count.contradictions;
    }
    println!(
        "{} files: {} numbers, {} factors among them, {} contradictions",
        total.files, total.numbers, total.factors, total.contradictions
    );
    assert!(total.files > 0);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn displayed_numbers_agree_with_the_captures_kept_with_the_tests() {
    hold_all(&data("slurm/captures"));
}

#[test]
fn golden_displayed_numbers_agree_with_slurms_output() {
    if let Some(root) = golden("slurm") {
        hold_all(&root);
    }
}
