//! A part of a tree: what its levels lack, and what is known with it.

use crate::support::expected::Expected as _;
use crate::support::files::files_below;
use crate::support::loading::{codes, load_quietly, open};
use crate::support::{data, golden};
use fairscope::format::convert::convert;
use fairscope::format::{Format, Request, SourceKind};
use fairscope::model::{Kind, NodeId, Shares, Tree, path_of};
use fairscope::open::opened::Opened;
use fairscope::rules::policy::{ColumnId, Policy};
use fairscope::scenario::{Edit, Scenario};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Opens a table of `sshare`.
fn opened(table: &str) -> Opened {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("sshare.txt");
    fs::write(&path, table).unwrap();
    open(&path, None)
}

/// Returns the paths of the nodes that stand for what is not listed, with their shares and usage.
fn others(tree: &Tree) -> Vec<String> {
    let mut lines = Vec::new();
    for &node in tree.nodes() {
        if tree.kind(node) == Kind::Others {
            let path = path_of(tree, node).unwrap();
            let usage = tree.usage(node).amount().unwrap();
            lines.push(format!("{path} {} {usage}", tree.shares(node)));
        }
    }
    lines
}

fn node(tree: &Tree, path: &str) -> NodeId {
    fairscope::model::resolve(tree, path.as_bytes()).unwrap()
}

fn number(scenario: &Scenario, column: ColumnId, path: &str) -> Option<f64> {
    let node = node(scenario.tree(), path);
    scenario.evaluation().number(column, node)
}

/// Gives a node another number of shares.
fn give(scenario: &mut Scenario, node: NodeId, shares: i64) {
    let shares = Shares::new(shares);
    scenario.apply(Edit::SetShares { node, shares }).unwrap();
}

const HEADER: &str =
    "Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS\n";

/// A table of one account, of which one of two users is listed.
fn lab(rows: &str) -> Opened {
    opened(&format!(
        "{HEADER}root|||0.000000|1000||1.000000||\n lab||10|1.000000|1000|1.000000|1.000000||1.000000\n{rows}"
    ))
}

#[test]
fn what_a_level_lacks_is_one_node_with_its_shares_and_usage() {
    let opened = open(&data("slurm/part/own.txt"), None);
    assert_eq!(
        others(opened.scenario.tree()),
        [
            "engineering/ee/… 1 1800000",
            "engineering/mech/… 1 7654444",
            "humanities/history/… 1 60",
            "science/bio/… 1 3140000",
            "science/chem/… 1 4444594",
            "science/physics/… 6 1233333",
            "… 1 0",
        ]
    );
    assert_eq!(codes(&opened.source.problems), ["slurm-users-missing"]);
}

#[test]
fn an_edit_is_computed_with_what_is_not_listed() {
    let mut part = open(&data("slurm/part/own.txt"), None).scenario;
    let mut whole = open(&data("slurm/gold"), None).scenario;
    for scenario in [&mut part, &mut whole] {
        let alice = node(scenario.tree(), "science/physics/alice");
        give(scenario, alice, 30);
    }
    for path in ["science", "science/physics", "science/physics/alice"] {
        for column in [
            ColumnId::NormShares,
            ColumnId::EffectvUsage,
            ColumnId::LevelFs,
        ] {
            let own = number(&part, column, path).unwrap();
            let all = number(&whole, column, path).unwrap();
            assert!((own - all).abs() <= 2e-6 * all, "{path}: {own} and {all}");
        }
    }
}

#[test]
fn no_rank_is_known_of_a_part_and_fair_tree_s_factor_only_as_printed() {
    let mut scenario = open(&data("slurm/part/own.txt"), None).scenario;
    let alice = node(scenario.tree(), "science/physics/alice");
    assert_eq!(scenario.evaluation().rank(alice), None);
    assert_eq!(scenario.evaluation().least_rank(alice), Some(1));
    assert_eq!(
        number(&scenario, ColumnId::Factor, "alice"),
        Some(0.357_143)
    );
    give(&mut scenario, alice, 30);
    assert_eq!(number(&scenario, ColumnId::Factor, "alice"), None);
    assert_eq!(scenario.evaluation().rank(alice), None);
}

#[test]
fn what_is_not_listed_cannot_be_edited() {
    let mut scenario = open(&data("slurm/part/own.txt"), None).scenario;
    let others = node(scenario.tree(), "science/physics/…");
    let refused = scenario.apply(Edit::SetShares {
        node: others,
        shares: Shares::new(1),
    });
    assert_eq!(
        refused.unwrap_err().to_string(),
        "science/physics/… stands for what is not listed and cannot be given shares; choose a listed node"
    );
    assert!(scenario.apply(Edit::Remove { node: others }).is_err());
}

#[test]
fn norm_shares_that_contradict_each_other_leave_a_level_unknown() {
    let opened = lab(
        "  lab|ann|1|0.250000|400|0.400000|0.400000|0.500000|0.625000\n  lab|bob|1|0.100000|100|0.100000|0.100000|0.400000|1.000000\n",
    );
    // What the others used is known.
    assert_eq!(others(opened.scenario.tree()), ["lab/… 1 500"]);
    let problems = &opened.source.problems;
    assert!(
        codes(problems).contains(&"slurm-norm-shares"),
        "{:?}",
        codes(problems)
    );
    let sentence = problems
        .list()
        .iter()
        .map(ToString::to_string)
        .find(|it| it.contains("contradict"));
    sentence
        .unwrap()
        .must_contain("lab/bob the level has at least 10 shares, by those of lab/ann at most 4");
    let ann = node(opened.scenario.tree(), "lab/ann");
    assert_eq!(
        opened
            .scenario
            .evaluation()
            .number(ColumnId::NormShares, ann),
        Some(0.25)
    );
}

#[test]
fn listed_shares_above_those_of_the_level_leave_it_unknown() {
    let opened = lab(
        "  lab|ann|3|0.750000|400|0.400000|0.400000|0.500000|1.875000\n  lab|bob|3|0.750000|100|0.100000|0.100000|0.400000|7.500000\n",
    );
    assert!(
        codes(&opened.source.problems).contains(&"slurm-norm-shares"),
        "{:?}",
        codes(&opened.source.problems)
    );
    let mut scenario = opened.scenario;
    assert_eq!(
        number(&scenario, ColumnId::NormShares, "lab/ann"),
        Some(0.75)
    );
    let ann = node(scenario.tree(), "lab/ann");
    give(&mut scenario, ann, 4);
    assert_eq!(number(&scenario, ColumnId::NormShares, "lab/ann"), None);
}

#[test]
fn members_that_used_more_than_their_account_leave_nothing_to_the_others() {
    let opened = lab(
        "  lab|ann|1|0.250000|1400|1.000000|1.400000|0.500000|0.178571\n  lab|bob|1|0.250000|0|0.000000|0.000000|0.600000|inf\n",
    );
    assert!(
        codes(&opened.source.problems).contains(&"slurm-usage-exceeded"),
        "{:?}",
        codes(&opened.source.problems)
    );
    assert_eq!(others(opened.scenario.tree()), ["lab/… 2 0"]);
}

#[test]
fn rounding_leaves_no_others() {
    let opened = lab(
        "  lab|ann|1|0.500000|499|0.499600|0.499600|0.500000|1.000801\n  lab|bob|1|0.500000|500|0.500400|0.500400|0.400000|0.999201\n",
    );
    assert_eq!(others(opened.scenario.tree()), [""; 0]);
}

#[test]
fn an_account_without_its_row_is_told_by_the_part_that_a_member_has() {
    let table = "Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS\n\
                 operator|usera|1|0.000294|16143667|0.013077|0.013077|0.005285|0.022459\n";
    let opened = opened(table);
    let tree = opened.scenario.tree();
    let level = node(tree, "operator/…");
    assert_eq!(tree.shares(level), Shares::new(3400));
    // The level of the account itself is not known.
    assert_eq!(
        number(&opened.scenario, ColumnId::NormShares, "operator"),
        None
    );
    assert_eq!(
        number(&opened.scenario, ColumnId::LevelFs, "operator/usera"),
        Some(0.022_459)
    );
}

#[test]
fn rows_of_one_level_tell_that_another_is_missing() {
    let Some(field) = golden("field") else { return };
    let opened = open(&field.join("one-account-left-out/after_nopc.txt"), None);
    assert_eq!(others(opened.scenario.tree()), ["… 1 0"]);
    assert_eq!(codes(&opened.source.problems), ["slurm-users-missing"]);
    assert!(!opened.source.verification.differs());
}

/// Returns a table without some of its columns.
fn without(table: &str, columns: &[&str]) -> String {
    let mut kept = Vec::new();
    let mut text = String::new();
    for (line, row) in table.lines().enumerate() {
        let cells: Vec<&str> = row.split('|').collect();
        if line == 0 {
            for (place, cell) in cells.iter().enumerate() {
                if !columns.contains(cell) {
                    kept.push(place);
                }
            }
        }
        let cells: Vec<&str> = kept.iter().map(|&place| cells[place]).collect();
        text.push_str(&cells.join("|"));
        text.push('\n');
    }
    text
}

const WHOLE: &str = "Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS\n\
                     root|||0.000000|1000||1.000000||\n \
                     lab||3|0.750000|600|0.600000|0.600000||1.250000\n  \
                     lab|ann|1|0.250000|150|0.150000|0.250000|0.666667|1.000000\n  \
                     lab|bob|3|0.750000|450|0.450000|0.750000|0.666667|1.000000\n \
                     bio||1|0.250000|400|0.400000|0.400000||0.625000\n  \
                     bio|cid|1|1.000000|400|0.400000|1.000000|0.333333|1.000000\n";

#[test]
fn usage_is_told_as_a_portion_where_its_column_is_missing() {
    for missing in [
        &["RawUsage"][..],
        &["RawUsage", "NormUsage"],
        &["RawUsage", "NormUsage", "EffectvUsage"],
    ] {
        let opened = opened(&without(WHOLE, missing));
        let tree = opened.scenario.tree();
        let usage = tree.usage(node(tree, "lab/bob")).amount().unwrap();
        assert!((usage - 0.45).abs() < 1e-9, "{missing:?}: {usage}");
        assert_eq!(codes(&opened.source.problems), ["slurm-no-usage"]);
        assert!(!opened.source.verification.differs(), "{missing:?}");
        assert_eq!(
            opened.scenario.base().source.usage_unit,
            "portion of all usage"
        );
    }
}

#[test]
fn shares_are_told_in_millionths_where_their_column_is_missing() {
    let opened = opened(&without(WHOLE, &["RawShares"]));
    let tree = opened.scenario.tree();
    assert_eq!(tree.shares(node(tree, "lab/bob")), Shares::new(750_000));
    assert_eq!(codes(&opened.source.problems), ["slurm-no-shares"]);
    assert!(!opened.source.verification.differs());
}

#[test]
fn what_no_column_tells_is_blank() {
    let columns = ["RawUsage", "NormUsage", "EffectvUsage", "LevelFS"];
    let opened = opened(&without(WHOLE, &columns));
    for column in [
        ColumnId::Usage,
        ColumnId::EffectvUsage,
        ColumnId::LevelFs,
        ColumnId::Served,
    ] {
        assert_eq!(number(&opened.scenario, column, "lab"), None, "{column:?}");
    }
    assert_eq!(
        number(&opened.scenario, ColumnId::NormShares, "lab"),
        Some(0.75)
    );
}

#[test]
fn a_copy_of_a_part_is_a_part_or_says_that_it_is_none() {
    let scenario = open(&data("slurm/part/own.txt"), None).scenario;
    for format in [Format::Csv, Format::Toml] {
        let conversion = convert(
            scenario.base(),
            scenario.tree(),
            scenario.settings(),
            format,
        );
        let (name, file) = conversion.unwrap().files.remove(0);
        let folder = TempDir::new().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, file).unwrap();
        let copy = open(&path, None).scenario;
        assert_eq!(others(copy.tree()), others(scenario.tree()));
        let alice = node(copy.tree(), "science/physics/alice");
        assert_eq!(copy.evaluation().rank(alice), None);
    }
    for format in [Format::SacctmgrDump, Format::FluxJson, Format::Pbs] {
        let conversion = convert(
            scenario.base(),
            scenario.tree(),
            scenario.settings(),
            format,
        )
        .unwrap();
        let losses = super::super::losses(&conversion);
        let told =
            "what is not listed is left out, so the portions of 7 levels are larger than they are";
        assert!(losses.iter().any(|loss| loss == told), "{losses:?}");
        for (_, file) in &conversion.files {
            String::from_utf8_lossy(file).must_lack("…");
        }
    }
}

/// The rows that a user sees, or one account, or accounts alone.
#[derive(Clone, Copy, Debug)]
enum View<'a> {
    Own(&'a str),
    Account(&'a str),
    Accounts,
}

impl View<'_> {
    fn has(self, account: &str, user: &str) -> bool {
        match self {
            Self::Own(own) => user.is_empty() || user == own,
            Self::Account(own) => account.trim() == own,
            Self::Accounts => user.is_empty(),
        }
    }
}

/// Returns how far the sum of the shares of each level above a node may be off, as a part of it, by the printed digits.
fn doubt(tree: &Tree, node: NodeId) -> f64 {
    let mut doubt = 0.0;
    let mut above = tree.parent(node);
    while let Some(account) = above {
        for other in tree.children(account) {
            if let Some(bounds) = tree.unlisted_shares(other) {
                let listed = tree
                    .children(account)
                    .filter_map(|child| tree.shares(child).count());
                doubt += (bounds.most - bounds.least) as f64 / listed.sum::<i64>() as f64;
            }
        }
        above = tree.parent(account);
    }
    doubt
}

/// Compares the numbers of a part with those of the whole tree, as far as its digits go. Returns how many it compared.
fn compare(part: &Scenario, whole: &Scenario, name: &str) -> usize {
    let mut compared = 0;
    let tree = part.tree();
    // A few rows do not always tell the rule that printed them.
    if part.policy() != whole.policy() {
        return compared;
    }
    for &own in tree.nodes() {
        let Some(path) = path_of(tree, own).filter(|_| tree.kind(own) != Kind::Others) else {
            continue;
        };
        let Ok(other) = fairscope::model::resolve(whole.tree(), path.as_bytes()) else {
            continue;
        };
        let least = |column| {
            let numbers = [
                part.evaluation().number(column, own),
                whole.evaluation().number(column, other),
            ];
            numbers
                .into_iter()
                .flatten()
                .filter(|number| *number > 0.0)
                .fold(1.0, f64::min)
        };
        let of_shares = 1.1e-6 / least(ColumnId::NormShares) + doubt(tree, own);
        let of_usage = 2e-6 / least(ColumnId::EffectvUsage);
        for (column, digits) in [
            (ColumnId::NormShares, of_shares),
            (ColumnId::EffectvUsage, of_usage),
            (ColumnId::LevelFs, of_shares + of_usage),
        ] {
            let Some(number) = part.evaluation().number(column, own) else {
                continue;
            };
            let all = whole.evaluation().number(column, other).unwrap_or(f64::NAN);
            let off = (number - all).abs();
            // Usage that is printed as 0 may be less than 1.
            let is_cut = number.is_infinite() && all > 1e12;
            let is_same =
                number.to_bits() == all.to_bits() || off <= digits * all + 1.1e-6 || is_cut;
            assert!(
                is_same,
                "{name}: {} of {path} is {number}, of the whole tree {all}",
                column.name()
            );
            compared += 1;
        }
        if let (Some(least), Some(rank)) = (
            part.evaluation().least_rank(own),
            whole.evaluation().rank(other),
        ) {
            assert!(
                least <= rank,
                "{name}: {path} is at best {least}, but {rank}"
            );
        }
        let is_ranked = part.evaluation().rank(own).is_some();
        assert!(
            !is_ranked || tree.user_count() == whole.tree().user_count(),
            "{name}: {path}"
        );
    }
    compared
}

/// Compares views of a whole table with it, before and after an edit.
fn compare_views(path: &Path) -> usize {
    let table = fs::read_to_string(path).unwrap();
    let mut lines = table.lines();
    let header = lines.next().unwrap();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split('|').collect()).collect();
    let place = header.split('|').position(|cell| cell == "User").unwrap();
    let whole = open(path, None).scenario;
    let mut views = vec![View::Accounts];
    for row in rows.iter().step_by(rows.len() / 4 + 1) {
        views.push(View::Account(row[0].trim()));
    }
    let users: Vec<&str> = rows
        .iter()
        .map(|row| row[place])
        .filter(|user| !user.is_empty())
        .collect();
    for user in users.iter().step_by(users.len() / 4 + 1) {
        views.push(View::Own(user));
    }
    let mut compared = 0;
    for view in views {
        let mut text = format!("{header}\n");
        for row in &rows {
            if view.has(row[0], row[place]) {
                text.push_str(&row.join("|"));
                text.push('\n');
            }
        }
        let name = format!("{}: {view:?}", path.display());
        let mut part = opened(&text).scenario;
        compared += compare(&part, &whole, &name);
        let nodes = part.tree().nodes().iter().copied();
        let mut edited = nodes
            .skip(1)
            .filter(|&node| part.tree().kind(node) != Kind::Others);
        let Some(edited) = edited.find(|&node| part.tree().shares(node).count().is_some()) else {
            continue;
        };
        let path = path_of(part.tree(), edited).unwrap();
        let mut other = whole.clone();
        let Ok(same) = fairscope::model::resolve(other.tree(), path.as_bytes()) else {
            continue;
        };
        let count = part.tree().shares(edited).count().unwrap();
        let more = (count * 3 + 5).min(1_000_000_000);
        give(&mut part, edited, more);
        give(&mut other, same, more);
        compared += compare(&part, &other, &name);
    }
    compared
}

#[test]
fn golden_parts_have_the_numbers_of_their_whole_trees() {
    let mut compared = 0;
    for folder in ["slurm", "slurm_real", "slurm_jobs"] {
        let Some(root) = golden(folder) else { return };
        for file in files_below(&root) {
            let name = file
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let label = file.to_string_lossy();
            // Between two calculations the columns of the whole table contradict each other.
            let is_unsettled = [
                "just-",
                "cancelled",
                "rawusage-reset",
                "removed-live",
                "running-and",
                "15b-",
                "clock",
                "/before/",
                "/minutes/",
                "/sprio/",
                "-tick/",
            ];
            let is_whole = ["sshare_a_l_P.txt", "ref.psv", "sshare.psv"].contains(&&name[..]);
            if is_whole && !is_unsettled.iter().any(|part| label.contains(part)) {
                compared += compare_views(&file);
            }
        }
    }
    assert!(compared > 5_000, "only {compared} numbers");
}

#[test]
fn without_a_column_of_usage_no_edit_is_computed() {
    let table = "Account|User|RawShares|NormShares|FairShare\nroot|||0.000000|\n lab||1|1.000000|\n  lab|ann|1|0.500000|1.000000\n  lab|bob|1|0.500000|0.500000\n";
    let mut scenario = opened(table).scenario;
    assert_eq!(
        number(&scenario, ColumnId::NormShares, "lab/ann"),
        Some(0.5)
    );
    let ann = node(scenario.tree(), "lab/ann");
    give(&mut scenario, ann, 3);
    assert_eq!(number(&scenario, ColumnId::NormShares, "lab/ann"), None);
    assert_eq!(scenario.evaluation().rank(ann), None);
}

#[test]
fn flux_counts_the_usage_that_is_not_listed() {
    let opened = open(&data("slurm/part/own.txt"), Some(Policy::Flux));
    let weight = number(
        &opened.scenario,
        ColumnId::WeightedUsage,
        "science/physics/…",
    );
    let used = weight.unwrap();
    assert!((used - 1_233_333.0 / 11_109_876.0).abs() < 1e-6, "{used}");
}

#[test]
fn a_factor_of_0_has_no_least_rank() {
    let opened = lab("  lab|ann|1|0.250000|400|0.400000|0.400000|0.000000|0.000000\n");
    let ann = node(opened.scenario.tree(), "lab/ann");
    assert_eq!(opened.scenario.evaluation().least_rank(ann), None);
}

#[test]
fn shares_of_portions_are_not_derived_where_a_level_may_have_shares_parent() {
    let table = "Account|User|NormShares|RawUsage|EffectvUsage|FairShare\nroot||0.000000|1000|1.000000|\n lab||1.000000|1000|1.000000|\n  lab|ann|0.136364|100|0.100000|0.600000\n";
    let opened = opened(table);
    let ann = node(opened.scenario.tree(), "lab/ann");
    assert_eq!(opened.scenario.evaluation().rank(ann), None);
    assert_eq!(number(&opened.scenario, ColumnId::LevelFs, "lab/ann"), None);
}

/// The own view of a user in the columns that `sshare` prints without -l.
const SHORT: &str = "Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare\nroot|||0.000000|1000|1.000000|\n lab||3|0.750000|600|0.600000|\n  lab|ann|1|0.250000|150|0.250000|0.666667\n bio||1|0.250000|400|0.400000|\n";

#[test]
fn factors_of_users_alone_are_of_fair_tree() {
    let mut part = opened(SHORT).scenario;
    let mut whole = opened(WHOLE).scenario;
    assert_eq!(part.policy(), Policy::FairTree);
    for scenario in [&mut part, &mut whole] {
        let lab = node(scenario.tree(), "lab");
        give(scenario, lab, 5);
    }
    assert!(compare(&part, &whole, "without LevelFS") > 0);
    assert_eq!(number(&part, ColumnId::Factor, "lab/ann"), None);
}

#[test]
fn one_user_of_an_account_that_used_more_is_not_all_users() {
    for columns in [&["NormShares"][..], &["RawUsage"]] {
        let opened = opened(&without(SHORT, columns));
        let ann = node(opened.scenario.tree(), "lab/ann");
        assert_eq!(opened.scenario.evaluation().rank(ann), None, "{columns:?}");
        assert!(
            codes(&opened.source.problems).contains(&"slurm-users-missing"),
            "{columns:?}"
        );
    }
}

#[test]
fn usage_of_less_than_a_digit_tells_no_ratio() {
    let little = WHOLE
        .replace("|150|0.150000|0.250000|", "|0|0.000000|0.000000|")
        .replace("0.666667|1.000000", "0.666667|99999999.0");
    let without_levels = opened(&without(&little, &["RawUsage", "LevelFS"])).scenario;
    let level = number(&without_levels, ColumnId::LevelFs, "lab/ann");
    assert_eq!(level, None);
    let level = number(&without_levels, ColumnId::LevelFs, "lab/bob");
    assert!(level.is_some());
    let with_levels = opened(&without(&little, &["RawUsage"])).scenario;
    let level = number(&with_levels, ColumnId::LevelFs, "lab/ann");
    assert!(level.is_some_and(f64::is_finite), "{level:?}");
}

#[test]
fn members_whose_digits_do_not_tell_their_order_have_no_rank() {
    let mut scenario = opened(&without(WHOLE, &["RawUsage"])).scenario;
    let users = ["lab/ann", "lab/bob", "bio/cid"];
    let ranks = |scenario: &Scenario| {
        let mut ranks = Vec::new();
        for user in users {
            let user = node(scenario.tree(), user);
            ranks.push(scenario.evaluation().rank(user));
        }
        ranks
    };
    assert_eq!(ranks(&scenario), [Some(1), Some(1), Some(3)]);
    let lab = node(scenario.tree(), "lab");
    give(&mut scenario, lab, 5);
    // Ann and bob are exactly level, or nearly.
    assert_eq!(ranks(&scenario), [None, None, Some(3)]);
}

#[test]
fn portions_of_less_than_a_digit_are_not_all_of_a_level() {
    let table = "Account|User|NormShares|RawUsage|EffectvUsage|FairShare|LevelFS\nroot||0.000000|1000|1.000000||\n \
                 lab||1.000000|1000|1.000000||1.000000\n  lab|ann|0.000000|100|0.100000|0.600000|0.000000\n";
    let opened = opened(table);
    let tree = opened.scenario.tree();
    assert_eq!(others(tree), ["lab/… 999999 900"]);
    let ann = node(tree, "lab/ann");
    assert_eq!(opened.scenario.evaluation().rank(ann), None);
    assert_eq!(
        number(&opened.scenario, ColumnId::Factor, "lab/ann"),
        Some(0.6)
    );
}

/// Opens the views that several users have of a whole table.
fn joined(views: &[String]) -> Opened {
    let folder = TempDir::new().unwrap();
    let mut paths = Vec::new();
    for (place, view) in views.iter().enumerate() {
        let path = folder.path().join(format!("{place}.txt"));
        fs::write(&path, view).unwrap();
        paths.push(path);
    }
    let path = paths.remove(0);
    let request = Request {
        source: SourceKind::Path { path, more: paths },
        ..Request::default()
    };
    Opened::new(load_quietly(&request).unwrap(), None)
}

/// Returns a table without the rows of other users.
fn own(table: &str, user: &str) -> String {
    let mut text = String::new();
    for (line, row) in table.lines().enumerate() {
        let own = row.split('|').nth(1).unwrap();
        if line == 0 || own.is_empty() || own == user {
            text.push_str(row);
            text.push('\n');
        }
    }
    text
}

#[test]
fn views_of_one_moment_complete_each_other() {
    let ann = own(WHOLE, "ann");
    let bob = own(WHOLE, "bob");
    let cid = own(WHOLE, "cid");
    let two = joined(&[ann.clone(), bob.clone()]);
    assert_eq!(others(two.scenario.tree()), ["bio/… 1 400"]);
    assert_eq!(
        codes(&two.source.problems),
        ["slurm-users-missing", "slurm-views-joined"]
    );
    let all = joined(&[ann.clone(), bob.clone(), cid]);
    assert_eq!(others(all.scenario.tree()), [""; 0]);
    let ann_node = node(all.scenario.tree(), "lab/ann");
    assert_eq!(all.scenario.evaluation().rank(ann_node), Some(1));
    // Usage of another moment is not put beside it.
    let later = bob.replace("|600|", "|700|");
    let apart = joined(&[ann, later]);
    assert!(
        others(apart.scenario.tree()).contains(&"lab/… 3 450".to_owned()),
        "{:?}",
        others(apart.scenario.tree())
    );
    assert!(
        codes(&apart.source.problems).contains(&"slurm-outputs-of-two-moments"),
        "{:?}",
        codes(&apart.source.problems)
    );
}

#[test]
fn users_of_the_root_alone_are_a_part() {
    let table = "Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare\nroot|||0.000000|1000|1.000000|\n \
                 root|ann|1|0.100000|300|0.300000|0.300000\n root|bob|0|0.000000|0|0.000000|0.200000\n";
    let opened = opened(table);
    let mut scenario = opened.scenario;
    assert_eq!(scenario.policy(), Policy::FairTree);
    assert_eq!(others(scenario.tree()), ["… 9 700"]);
    let bob = node(scenario.tree(), "bob");
    assert_eq!(scenario.evaluation().rank(bob), None);
    give(&mut scenario, bob, 2);
    assert_eq!(scenario.evaluation().rank(bob), None);
}

#[test]
fn a_column_that_classic_rules_fill_with_zeros_is_no_level() {
    let table = "Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS\n \
                 lab||10|0.100000|500|0.500000|0.500000||0.000000\n  lab|ann|1|0.050000|100|0.100000|0.300000|0.015625|0.000000\n";
    let scenario = opened(table).scenario;
    for path in ["lab", "lab/ann"] {
        assert_eq!(number(&scenario, ColumnId::LevelFs, path), None, "{path}");
    }
}
