//! Findings about probable mistakes in a tree and its settings.

use super::scenario;
use crate::support::associations::drawn;
use crate::support::golden;
use crate::support::trees::SEED;
use fairscope::format::Problems;
use fairscope::model::{Incomplete, Scheduler};
use fairscope::report::{View, lint};
use fairscope::rules::policy::Policy;
use fairscope::scenario::Scenario;
use std::sync::Arc;

fn found(drawing: &str, edits: &[&str]) -> Vec<String> {
    let (scenario, problems) = scenario(drawing, edits);
    let findings = lint::findings(&View::of(&scenario, &problems));
    let line =
        |finding: &fairscope::format::Problem| format!("{}: {}", finding.code, finding.message);
    findings.list().iter().map(line).collect()
}

#[test]
fn a_healthy_tree_has_no_findings() {
    assert_eq!(found(SEED, &[]), [] as [&str; 0]);
}

#[test]
fn usage_without_shares_is_reported_with_the_effect_in_pbs() {
    assert_eq!(
        found(SEED, &["shares bob=0"]),
        [
            "zero-shares-with-usage: group1/bob used 100, but its target is 0%: PBS never runs its jobs, because \
             fairshare_enforce_no_shares is true"
        ]
    );
    let edits = ["shares bob=0", "set fairshare_enforce_no_shares=false"];
    assert_eq!(
        found(SEED, &edits),
        [
            "zero-shares-with-usage: group1/bob used 100, but its target is 0%: its factor is 0 and its jobs run last"
        ]
    );
}

#[test]
fn usage_of_unlisted_entities_is_found_unless_unknown_has_shares() {
    let edits = ["add unknown/zed shares=1 usage=5"];
    assert_eq!(
        found(SEED, &edits),
        [
            "unknown-usage-no-shares: unknown/zed used 5, but it is not in resource_group and unknown_shares is 0: PBS \
             never runs its jobs, because fairshare_enforce_no_shares is true"
        ]
    );
    let edits = ["add unknown/zed shares=1 usage=5", "set unknown_shares=10"];
    assert_eq!(found(SEED, &edits), [] as [&str; 0]);
}

#[test]
fn share_outliers_are_found_among_four_or_more_siblings() {
    assert_eq!(
        found("a 10\nb 12\nc 8\nd 120", &[]),
        [
            "share-outlier: d has 120 shares, 10 times the 12 of its next sibling: each of its siblings gets little"
        ]
    );
    assert_eq!(found("a 10\nb 12\nd 120", &[]), [] as [&str; 0]);
    assert_eq!(
        found("a 10\nb 12\nc 8\nd 60", &[]),
        [
            "share-outlier: d has 60 shares, 5 times the 12 of its next sibling: each of its siblings gets little"
        ]
    );
    assert_eq!(found("a 10\nb 12\nc 8\nd 59", &[]), [] as [&str; 0]);
}

#[test]
fn account_shares_above_children_without_shares_are_found() {
    assert_eq!(
        found("a 10\n  b 0\n  c 0\nd 10", &[]),
        [
            "account-share-unused: a has 10 shares, but all of its members have 0: its share is lost, and nobody \
             else gets it"
        ]
    );
}

#[test]
fn overflowing_sums_of_shares_are_found() {
    assert_eq!(
        found("a 2147483647 | 1\nb 1 | 1", &[])[..1],
        [
            "level-shares-wrap: the shares below TREEROOT add up to 2147483648, more than the 2,147,483,647 that PBS \
             can store: the sum overflows, and the portions are wrong"
        ]
    );
}

#[test]
fn all_outliers_of_a_tree_are_one_finding() {
    let families =
        "x 1\n  a 10\n  b 12\n  c 8\n  d 240\ny 1\n  e 1\n  f 1\n  g 2\n  h 1\n  i 500\n  j 600";
    assert_eq!(
        found(families, &[]),
        [
            "share-outlier: 3 nodes have at least 5 times the shares of their next sibling: y/j (600, next 2), \
             y/i (500, next 2), x/d (240, next 12); each of the others gets little"
        ]
    );
}

#[test]
fn repeated_shares_and_wide_spreads_without_a_gap_are_not_outliers() {
    let classes = "x 1\n  a 1\n  b 1\n  c 1\n  d 10\ny 1\n  e 1\n  f 1\n  g 1\n  h 10";
    assert_eq!(found(classes, &[]), [] as [&str; 0]);
    let wide = "a 1\nb 4\nc 16\nd 64\ne 256\nf 1024";
    assert_eq!(found(wide, &[]), [] as [&str; 0]);
}

#[test]
fn real_sites_have_fewer_than_five_outliers() {
    let Some(public) = golden("public") else {
        return;
    };
    let mut families = Vec::new();
    for (folder, separator, column) in [("fasrc_census", ',', 1), ("wynton_sge", '\t', 0)] {
        for entry in std::fs::read_dir(public.join(folder)).expect("a folder") {
            let text = std::fs::read(entry.expect("a file").path()).expect("a file");
            let text = String::from_utf8_lossy(&text).into_owned();
            let count = |line: &str| {
                line.split(separator)
                    .nth(column)?
                    .trim()
                    .parse::<i64>()
                    .ok()
            };
            let counts: Vec<i64> = text.lines().filter_map(count).collect();
            if counts.len() > 20 {
                families.push(counts);
            }
        }
    }
    let mut most = 0;
    for counts in &families {
        let lines = counts.iter().enumerate();
        let drawing: Vec<String> = lines
            .map(|(place, count)| format!("n{place}/ {count}\n  u{place} 1"))
            .collect();
        let outliers = outliers_of(&drawing.join("\n"));
        most = most.max(outliers);
    }
    println!(
        "{} families of real sites, at most {most} outliers",
        families.len()
    );
    assert!(families.len() > 100 && most < 5);
}

/// Number of nodes reported with shares far from their siblings'.
fn outliers_of(drawing: &str) -> usize {
    let scenario = Scenario::new(Arc::new(drawn(drawing)), Policy::FairTree);
    let problems = Problems::default();
    let findings = lint::findings(&View::of(&scenario, &problems));
    let mut outliers = findings
        .list()
        .iter()
        .filter(|it| it.code == "share-outlier");
    let first = outliers.next().map(|it| {
        let count = it
            .message
            .split(' ')
            .next()
            .and_then(|word| word.parse().ok());
        count.unwrap_or(1)
    });
    assert!(outliers.next().is_none(), "it is one finding");
    first.unwrap_or(0)
}

/// The findings in a Slurm tree under Fair Tree.
fn found_in_slurm(drawing: &str, settings: &[(&str, &str)]) -> Vec<String> {
    let mut snapshot = drawn(drawing);
    for (key, value) in settings {
        snapshot.settings.set(key, value).expect("a setting");
    }
    let scenario = Scenario::new(Arc::new(snapshot), Policy::FairTree);
    let problems = Problems::default();
    let findings = lint::findings(&View::of(&scenario, &problems));
    findings
        .list()
        .iter()
        .map(|finding| finding.code.to_owned())
        .collect()
}

#[test]
fn slurms_stored_value_for_parent_is_not_a_share_count() {
    assert_eq!(
        found_in_slurm("a/ 2147483647\n  u 1 | 5\nb/ 1\n  v 1 | 5", &[]),
        ["parent-sentinel"]
    );
}

#[test]
fn an_account_without_users_is_one_finding_for_its_whole_subtree() {
    assert_eq!(
        found_in_slurm("a/ 1\n  b/ 1\n  c/ 1\nd/ 1\n  u 1 | 5", &[]),
        ["account-without-users"]
    );
}

#[test]
fn usage_that_never_decays_is_found() {
    let never = [("PriorityDecayHalfLife", "0")];
    assert_eq!(
        found_in_slurm("u 1 | 5\nv 1 | 6", &never),
        ["half-life-zero"]
    );
    let monthly = [
        ("PriorityDecayHalfLife", "0"),
        ("PriorityUsageResetPeriod", "MONTHLY"),
    ];
    assert_eq!(
        found_in_slurm("u 1 | 5\nv 1 | 6", &monthly),
        [] as [&str; 0]
    );
}

#[test]
fn a_weight_below_the_number_of_users_is_found() {
    let weight =
        |weight| found_in_slurm("u 1 | 5\nv 1 | 6", &[("PriorityWeightFairShare", weight)]);
    assert_eq!(weight("1"), ["weight-too-small"]);
    assert_eq!(weight("0"), ["weight-too-small"]);
    assert_eq!(weight("2"), [] as [&str; 0]);
}

#[test]
fn a_used_account_without_shares_is_found_if_portions_refer_to_the_level() {
    assert_eq!(
        found_in_slurm("a/ 0 | 5\n  u 1 | 5\nb/ 1\n  v 1 | 5", &[]),
        ["zero-shares-with-usage"]
    );
}

/// The findings in a tree under a policy, with this scheduler or none.
fn found_under(
    policy: Policy,
    scheduler: Option<Scheduler>,
    settings: &[(&str, &str)],
) -> Vec<String> {
    let mut snapshot = drawn("u 1 | 5\nv 1 | 6");
    snapshot.settings.scheduler = scheduler;
    for (key, value) in settings {
        snapshot.settings.set(key, value).expect("a setting");
    }
    let scenario = Scenario::new(Arc::new(snapshot), policy);
    let problems = Problems::default();
    let findings = lint::findings(&View::of(&scenario, &problems));
    let codes = findings
        .list()
        .iter()
        .map(|finding| finding.code.to_owned());
    codes.collect()
}

#[test]
fn settings_of_every_source_are_checked() {
    let never = [
        ("PriorityDecayHalfLife", "0"),
        ("PriorityWeightFairShare", "1"),
    ];
    let both = ["half-life-zero", "weight-too-small"];
    assert_eq!(
        found_under(Policy::FairTree, None, &never),
        both,
        "CSV and TOML"
    );
    let slurm = Some(Scheduler::Slurm);
    assert_eq!(found_under(Policy::LevelBased, slurm, &never), both);
    let flux = [("decay_factor", "1"), ("fairshare_weight", "1")];
    assert_eq!(
        found_under(Policy::Flux, Some(Scheduler::Flux), &flux),
        both
    );
    assert_eq!(found_under(Policy::Flux, None, &flux), both);
    let pbs = [
        ("fairshare_decay_time", "10000:00:00"),
        ("job_sort_formula", "ncpus"),
    ];
    let of_pbs = ["half-life-long", "weight-too-small"];
    assert_eq!(
        found_under(Policy::Formula, Some(Scheduler::Pbs), &pbs),
        of_pbs
    );
    for (policy, scheduler) in [
        (Policy::FairTree, None),
        (Policy::Classic, slurm),
        (Policy::Flux, Some(Scheduler::Flux)),
        (Policy::Pbs, Some(Scheduler::Pbs)),
    ] {
        assert_eq!(
            found_under(policy, scheduler, &[]),
            [] as [&str; 0],
            "{}",
            policy.name()
        );
    }
}

#[test]
fn a_half_life_of_years_is_found() {
    let days = |days: &str| found_in_slurm("u 1 | 5\nv 1 | 6", &[("PriorityDecayHalfLife", days)]);
    assert_eq!(days("366-0"), ["half-life-long"]);
    assert_eq!(days("365-0"), [] as [&str; 0]);
}

#[test]
fn no_user_is_reported_missing_if_the_source_is_partial() {
    let drawing = "a/ 1\n  u 1 | 5\nb/ 1";
    assert_eq!(found_in_slurm(drawing, &[]), ["account-without-users"]);
    let mut snapshot = drawn(drawing);
    let recorded = Arc::make_mut(&mut snapshot.recorded);
    recorded.incomplete = Some(Incomplete::SshareUsers);
    let scenario = Scenario::new(Arc::new(snapshot), Policy::FairTree);
    let problems = Problems::default();
    assert_eq!(lint::findings(&View::of(&scenario, &problems)).list(), []);
    // The usage is that of an unlisted user.
    assert_eq!(
        found_in_slurm("a/ 1\n  u 1 | 5\nb/ 1 | 7", &[]),
        [] as [&str; 0]
    );
}

#[test]
fn an_account_without_shares_is_reported_though_only_its_users_have_usage() {
    let tree = fairscope::open::example(fairscope::format::Example::Site);
    let scenario = Scenario::new(Arc::new(tree.snapshot), Policy::FairTree);
    let problems = Problems::default();
    let findings = lint::findings(&View::of(&scenario, &problems));
    let codes = findings
        .list()
        .iter()
        .map(|finding| (finding.code, finding.message.as_str()));
    let guests = codes.filter(|(code, _)| *code == "zero-shares-with-usage");
    let guests: Vec<_> = guests.map(|(_, message)| message.to_owned()).collect();
    assert_eq!(
        guests,
        ["guests used 1,250,000, but its target is 0%: it ranks last among its siblings"]
    );
}

#[test]
fn formulas_that_fail_or_reward_usage_are_reported() {
    let codes_under = |policy: Policy, edits: &[&str]| {
        let (mut scenario, problems) = scenario(SEED, edits);
        scenario.set_policy(policy);
        let findings = lint::findings(&View::of(&scenario, &problems));
        let codes: Vec<&str> = findings.list().iter().map(|finding| finding.code).collect();
        codes
    };
    let codes = |edits: &[&str]| codes_under(Policy::Formula, edits);
    let rising = "set job_sort_formula=100*fairshare_tree_usage";
    assert_eq!(codes(&[rising]), ["formula-rises-with-usage"]);
    let falling = "set job_sort_formula=100-100*fairshare_tree_usage";
    assert_eq!(codes(&[falling]), [] as [&str; 0]);
    let ratio = "set job_sort_formula=pow(2,-(fairshare_tree_usage/fairshare_perc))";
    assert_eq!(codes(&[ratio]), [] as [&str; 0]);
    assert!(
        codes(&[ratio, "shares bob=0"]).contains(&"formula-fails"),
        "{:?}",
        codes(&[ratio, "shares bob=0"])
    );
    // A formula that is set orders jobs whichever rule is looked at.
    for policy in [Policy::Pbs, Policy::PbsWalk, Policy::Flux] {
        assert!(
            codes_under(policy, &[rising]).contains(&"formula-rises-with-usage"),
            "{:?}",
            codes_under(policy, &[rising])
        );
    }
    for policy in [Policy::Pbs, Policy::PbsWalk] {
        assert!(
            codes_under(policy, &[ratio, "shares bob=0"]).contains(&"formula-fails"),
            "{:?}",
            codes_under(policy, &[ratio, "shares bob=0"])
        );
    }
    let broken = "set fairshare_usage_res=ncpus*";
    assert_eq!(codes(&[falling, broken]), ["usage-formula-broken"]);
}

#[test]
fn formulas_of_usage_that_charge_nothing_are_reported() {
    let found = |formula: &str| {
        let set = format!("set fairshare_usage_res={formula}");
        let (scenario, problems) = scenario(SEED, &[&set]);
        let findings = lint::findings(&View::of(&scenario, &problems));
        let told = findings.list().iter();
        let told = told.map(|it| (it.severity.name(), it.code, it.message.to_string()));
        told.collect::<Vec<_>>()
    };
    for sound in ["cput", "ncpus*walltime", "walltime/ncpus", "1"] {
        assert_eq!(found(sound), [], "{sound}");
    }
    let fails = |message: &str| [("warning", "usage-formula-fails", message.to_owned())];
    assert_eq!(
        found("1/0"),
        fails(
            "fairshare_usage_res has no value: it divides by zero; PBS uses 0 then, so it charges nothing"
        )
    );
    assert_eq!(
        found("walltime/(ncpus-ncpus)"),
        fails(
            "fairshare_usage_res has no value for a job with walltime=4 and ncpus=4: it divides by zero; PBS uses 0 \
             then, so it charges nothing"
        )
    );
    let named = |severity, name: &str, mistyped: &str| {
        let message = format!(
            "fairshare_usage_res names {name}{mistyped}, which only a site can have defined: without that resource the formula \
             fails, and PBS charges nothing"
        );
        [(severity, "usage-formula-name", message)]
    };
    assert_eq!(found("cputttt"), named("note", "cputttt", ""));
    assert_eq!(
        found("ncpus*waltime"),
        named("warning", "waltime", " (did you mean walltime?)")
    );
}
