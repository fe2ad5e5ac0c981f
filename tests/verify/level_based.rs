//! Dumps of `LEVEL_BASED` from `sshare -l` of Slurm 14.11.0pre3: detection of the policy and PriorityLevels by words.

use super::loaded;
use crate::support::expected::Expected as _;
use crate::support::slurm::{Case, Row, cases};
use fairscope::format::Request;
use fairscope::model::{Fact, Kind, NodeId};
use fairscope::open::opened::Opened;
use fairscope::rules::policy::Policy;
use fairscope::trust::verify::ColumnCheck;
use fairscope::trust::verify::{Evidence, KnownSetting};
use std::fmt::Write as _;

fn opened(text: &str, settings: &[(&str, &str)]) -> Opened {
    let given = settings.iter();
    let given = given.map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    let request = Request {
        settings: given.collect(),
        ..Request::default()
    };
    let loaded = loaded(text, &request);
    Opened::new(loaded, None)
}

/// Output of `sshare -l` for a case, in fixed-width columns or with bars.
fn printed(case: &Case, rows: &[Row], with_bars: bool) -> String {
    let mut text = if with_bars {
        "Account|User|Raw Shares|Norm Shares|Raw Usage|Norm Usage|Effectv Usage|FairShare|FairShare Raw|GrpCPUMins|\
         CPURunMins\n"
            .to_owned()
    } else {
        format!(
            "{:>20} {:>10} {:>10} {:>11} {:>11} {:>11} {:>13} {:>10} {:>16} {:>11} {:>15} \n",
            "Account",
            "User",
            "Raw Shares",
            "Norm Shares",
            "Raw Usage",
            "Norm Usage",
            "Effectv Usage",
            "FairShare",
            "FairShare Raw",
            "GrpCPUMins",
            "CPURunMins"
        ) + "-------------------- ---------- ---------- ----------- ----------- ----------- ------------- ---------- \
             ---------------- ----------- --------------- \n"
    };
    let fixed = |row: &Row, column: &str| {
        row.number(column)
            .map_or_else(String::new, |number| format!("{number:.6}"))
    };
    for row in rows {
        let node = row.node;
        let name = |node: NodeId| String::from_utf8_lossy(case.tree.name(node)).into_owned();
        let is_user = case.tree.kind(node) == Kind::User;
        let above = case.tree.parent(node);
        let is_root = above.is_none();
        let account = match above.filter(|_| is_user) {
            Some(above) => name(above),
            None => name(node),
        };
        let user = if is_user { name(node) } else { String::new() };
        let shares = match case.tree.shares(node).count() {
            _ if is_root => String::new(),
            Some(count) => count.to_string(),
            None => "parent".to_owned(),
        };
        let usage = row.text("usage_raw").expect("usage");
        let usage: f64 = usage.parse().expect("a number");
        let usage = format!("{:.0}", usage.trunc());
        let word = row.word("priority_fs_raw").expect("a word");
        let norm_usage = if is_root {
            String::new()
        } else {
            fixed(row, "usage_norm")
        };
        let factor = if is_user {
            fixed(row, "factor")
        } else {
            String::new()
        };
        let (shown, norm_shares, effective) = (
            format!("{}{account}", " ".repeat(case.tree.depth(node) as usize)),
            fixed(row, "shares_norm"),
            fixed(row, "usage_efctv"),
        );
        if with_bars {
            let _ = writeln!(
                text,
                "{shown}|{user}|{shares}|{norm_shares}|{usage}|{norm_usage}|{effective}|{factor}|{word:X}|0|0"
            );
        } else {
            let (shown, user) = (cut(&shown, 20), cut(&user, 10));
            let _ = writeln!(
                text,
                "{shown:<20} {user:>10} {shares:>10} {norm_shares:>11} {usage:>11} {norm_usage:>11} {effective:>13} \
                 {factor:>10} {word:016X} {:>11} {:>15} ",
                0, 0
            );
        }
    }
    text
}

/// A name truncated to the width of its column as Slurm does.
fn cut(name: &str, width: usize) -> String {
    match name.get(..width - 1) {
        Some(start) if name.len() > width => format!("{start}+"),
        _ => name.to_owned(),
    }
}

/// Whether the evidence names a range of levels that includes this number.
fn may_be(evidence: &Evidence, levels: &str) -> bool {
    let levels: u8 = levels.parse().expect("a number");
    let Evidence::Words { levels: range, .. } = evidence else {
        return false;
    };
    range.is_some_and(|(first, last)| (first..=last).contains(&levels))
}

/// The faults in how a dump with this number of levels was opened.
fn faults(opened: &Opened, levels: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let scenario = &opened.scenario;
    let verification = &opened.source.verification;
    if scenario.policy() != Policy::LevelBased || verification.policy != Some(Policy::LevelBased) {
        faults.push(format!("{:?} is in force", scenario.policy()));
    }
    if verification.differs() || verification.stale.is_some() {
        faults.push(format!("{:?}", verification.columns));
    }
    let set = scenario.settings().slurm.priority_levels;
    let evidence = &verification.detected.as_ref().expect("a rule").evidence;
    if set.is_none_or(|set| set.to_string() != levels) && !may_be(evidence, levels) {
        faults.push(format!(
            "PriorityLevels {set:?} and not {levels}: {evidence:?}"
        ));
    }
    faults
}

#[test]
fn dumps_of_any_number_of_levels_are_recognised_by_their_words() {
    let (mut dumps, mut told, mut words, mut undecided) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    for case in cases() {
        for table in case.tables("level-") {
            let rows = case.table(&table);
            let levels = table.trim_start_matches("level-").trim_end_matches(".tsv");
            if rows.len() < 2 {
                continue;
            }
            for with_bars in [false, true] {
                let text = printed(&case, &rows, with_bars);
                let opened = opened(&text, &[]);
                let faults = faults(&opened, levels);
                if !faults.is_empty() {
                    wrong.push(format!("{}/{table} {with_bars}: {faults:?}", case.name));
                }
                dumps += 1;
                told += usize::from(opened.scenario.settings().slurm.priority_levels.is_some());
                let of_words = |column: &&ColumnCheck| column.fact == Fact::FairShareRaw;
                if let Some(column) = opened.source.verification.columns.iter().find(of_words) {
                    words += column.equal;
                    undecided += column.undecided;
                }
            }
        }
    }
    println!(
        "{dumps} dumps, PriorityLevels told in {told}; {words} words verified, {undecided} undecided"
    );
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn output_of_sshare_itself_is_recognised() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for case in cases() {
        let Some(text) = case.text("sshare-level-4.txt") else {
            continue;
        };
        count += 1;
        let opened = opened(&text, &[]);
        let mut faults = faults(&opened, "4");
        if case.tree.node_count() == 1 {
            // The number of levels is unknown, so no user is ranked.
            faults.retain(|fault| !fault.contains("PriorityLevels"));
        }
        if !faults.is_empty() {
            wrong.push(format!("{}: {faults:?}", case.name));
        }
    }
    println!("{count} dumps that sshare printed");
    assert_eq!(wrong, Vec::<String>::new());
}

fn kept(name: &str) -> Case {
    let mut cases = cases().into_iter();
    let case = cases.find(|case| case.name == name);
    case.expect("it is kept with the tests")
}

#[test]
fn levels_are_recognised_in_dumps_with_missing_users() {
    let case = kept("seed-AAAA12347777CCCC");
    let text = printed(&case, &case.table("level-7.tsv"), true);
    let of_users = |line: &&str| line.split('|').nth(1).is_some_and(str::is_empty);
    let header = text.lines().take(1);
    let accounts: Vec<&str> = header.chain(text.lines().filter(of_users)).collect();
    let opened = opened(&accounts.join("\n"), &[]);
    assert!(opened.source.verification.unverified.is_some());
    assert_eq!(opened.scenario.policy(), Policy::LevelBased);
    assert_eq!(opened.scenario.settings().slurm.priority_levels, Some(7));
}

#[test]
fn given_levels_take_precedence_and_the_dump_keeps_its_own() {
    let case = kept("ties");
    let text = printed(&case, &case.table("level-7.tsv"), true);
    let opened = opened(&text, &[("PriorityLevels", "3")]);
    assert_eq!(opened.scenario.settings().slurm.priority_levels, Some(3));
    let verification = &opened.source.verification;
    assert!(!verification.differs(), "{:?}", verification.columns);
    assert_eq!(verification.settings, [KnownSetting::PriorityLevels(7)]);
    let headline = fairscope::report::dump::headline_of(
        verification,
        Policy::LevelBased,
        opened.scenario.settings(),
    );
    assert_eq!(
        headline.as_deref(),
        Some(
            "policy: LEVEL_BASED with PriorityLevels=3 (dump: LEVEL_BASED with PriorityLevels=7, verified 10/10)"
        )
    );
}

#[test]
fn words_of_level_based_are_recognised_in_any_column() {
    let case = kept("ties");
    let text = printed(&case, &case.table("level-7.tsv"), true);
    let dump = opened(&text, &[]);
    let recorded = &dump.scenario.base().recorded;
    // The form with bars omits leading zeros.
    text.must_contain("|1.000000||0|0|0\n");
    let root = recorded.text(Fact::FairShareRaw, NodeId::ROOT);
    assert_eq!(root, Some("0000000000000000"));
    let rows = case.table("level-7.tsv");
    let last = rows.last().and_then(|row| row.word("priority_fs_raw"));
    let word = last.expect("a word");
    let put = |other: &str| text.replace(&format!("|{word:X}|"), &format!("|{other}|"));
    let other = format!("{:016X}", word ^ 1 << 60);
    let dump = opened(&put(&other), &[]);
    let view = fairscope::report::View::of(&dump.scenario, &dump.source.problems);
    let lines = fairscope::report::check::summary(&view, &dump.source.verification).join("\n");
    let difference = format!("recorded {other}, computed {word:016X}");
    lines.must_contain("first difference in FairShare Raw: ");
    lines.must_contain(&difference);
    let broken = opened(&put("9X0"), &[]);
    let problems = broken.source.problems.list();
    assert!(
        problems
            .iter()
            .any(|problem| problem.code == "slurm-number"),
        "{problems:?}"
    );
}
