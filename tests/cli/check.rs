//! `check`: what it verifies, which rule it detects, and its exit codes.

use crate::support::command::Run;
use crate::support::expected::Expected as _;
use std::path::PathBuf;

/// Output of `sshare -a -l -P` under Fair Tree.
const SETTLED: &str = "\
Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS|GrpTRESMins|TRESRunMins
root|||0.000000|1000||1.000000||||cpu=0
 root|root|1|0.166667|0|0.000000|0.000000|1.000000|inf||cpu=0
 bio||2|0.333333|750|0.750000|0.750000||0.444444||cpu=0
  bio|ann|1|0.500000|250|0.250000|0.333333|0.500000|1.500000||cpu=0
  bio|bob|1|0.500000|500|0.500000|0.666667|0.250000|0.750000||cpu=0
 chem||3|0.500000|250|0.250000|0.250000||2.000000||cpu=0
  chem|cay|1|1.000000|250|0.250000|1.000000|0.750000|1.000000||cpu=0
";

/// The same output under classic with a dampening factor of 5.
const DAMPENED: &str = "\
Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare
root|||1.000000|1000||1.000000|0.870551
 root|root|1|0.166667|0|0.000000|0.000000|1.000000
 bio||2|0.333333|750|0.750000|0.750000|0.732043
  bio|ann|1|0.166667|250|0.250000|0.500000|0.659754
  bio|bob|1|0.166667|500|0.500000|0.625000|0.594604
 chem||3|0.500000|250|0.250000|0.250000|0.933033
  chem|cay|1|0.500000|250|0.250000|0.250000|0.933033
";

fn file(folder: &tempfile::TempDir, text: &str) -> PathBuf {
    let path = folder.path().join("sshare.txt");
    std::fs::write(&path, text).expect("a temporary file");
    path
}

fn check(text: &str, more: &[&str]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = file(&folder, text);
    let mut arguments = vec!["check".to_owned(), path.to_string_lossy().into_owned()];
    arguments.extend(more.iter().map(|&text| text.to_owned()));
    let ran = Run::fairscope(arguments).run();
    (ran.code, String::from_utf8(ran.stdout).expect("UTF-8"))
}

#[test]
fn many_problems_of_one_kind_are_one_line_with_their_number() {
    let of = |keys: usize, more: &[&str]| {
        let keys = (0..keys).map(|key| format!("k{key} = 1\n"));
        let keys = keys.collect::<String>();
        let text = format!("fairscope = 1\n{keys}[tree]\nrows = \"a 1\"\n");
        check(&text, more).1
    };
    let lines = |text: &str| {
        let lines = text
            .lines()
            .filter(|line| line.ends_with("[toml-unknown-key]"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lines(&of(10, &[])).len(), 10);
    let text = of(100, &[]);
    text.must_contain("100 problems in the source");
    let found = lines(&text);
    let (_, line) = found[0].split_once("sshare.txt:").unwrap();
    assert_eq!(
        line,
        "2:1: warning: unknown key 'k0'; it is not read (and 99 more of this kind, on lines 3, 4, 5, 6, …); expected one \
         of fairscope, policy, scheduler, usage_unit, taken, settings, tree, source, edit, scenario; correct it, or \
         remove the line [toml-unknown-key]"
    );
    assert_eq!(found.len(), 1);
    let json: serde_json::Value =
        serde_json::from_str(&of(100, &["--format-out", "json"])).unwrap();
    assert_eq!(json["problems"].as_array().map(Vec::len), Some(100));
}

#[test]
fn a_settled_dump_is_verified_and_its_rule_is_named() {
    let (code, text) = check(SETTLED, &[]);
    assert_eq!(
        text,
        "verified 6/6 NormShares, 6/6 NormUsage, 6/6 EffectvUsage, 6/6 LevelFS, 4/4 FairShare\n\
         the cluster ranks by Fair Tree: 6 of 6 rows agree\n\
         nothing to report about 7 nodes\n"
    );
    assert_eq!(code, Some(0));
}

#[test]
fn a_dampening_that_nothing_tells_is_said_to_be_assumed() {
    let lines = DAMPENED.lines();
    let without_factors = lines
        .map(|line| line.rsplit_once('|').expect("cells").0)
        .collect::<Vec<_>>()
        .join("\n");
    let note = "no settings were read, so FairShareDampeningFactor is unknown and 1 is assumed";
    let (_, text) = check(&without_factors, &[]);
    text.must_contain(note);
    for known in [
        &["--set", "FairShareDampeningFactor=5"],
        &["--policy", "fair-tree"],
    ] {
        let (_, text) = check(&without_factors, known);
        text.must_lack(note);
    }
    let (_, text) = check(DAMPENED, &[]);
    text.must_lack(note);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (path, picture) = (
        file(&folder, &without_factors),
        folder.path().join("out.txt"),
    );
    let paths = [path, picture.clone()].map(|path| path.to_string_lossy().into_owned());
    let [path, out] = &paths;
    let ran = Run::fairscope(["screenshot", path, "--size", "120x30", "--out", out]).run();
    assert_eq!(ran.code, Some(0));
    let screen = std::fs::read_to_string(picture).expect("a picture");
    let title = screen.lines().next().expect("a title");
    title.must_contain("dampening unknown, 1 assumed");
}

#[test]
fn an_altered_number_is_an_error_and_not_an_outdated_column() {
    let text = SETTLED.replace(
        "|0.666667|0.250000|0.750000|",
        "|0.666667|0.250000|0.950000|",
    );
    let (code, text) = check(&text, &[]);
    text.must_contain("[recorded-differs]");
    text.must_contain("first difference in LevelFS: bio/bob: recorded 0.95, computed 0.75");
    text.must_lack("slurm-stale-columns");
    assert_eq!(code, Some(1));
}

#[test]
fn usage_grown_since_the_last_calculation_is_reported_as_newer() {
    let text = SETTLED
        .replace("|1000||", "|1400||")
        .replace("|750|", "|1150|")
        .replace("|250|0.250000|0.333333|", "|650|0.250000|0.333333|");
    let (code, text) = check(&text, &[]);
    text.must_contain("note: EffectvUsage is older than RawUsage");
    text.must_lack("recorded-differs");
    text.must_contain("between two of its calculations");
    // That is the usual state of a busy cluster.
    assert_eq!(code, Some(0));
}

#[test]
fn json_holds_the_counts_of_every_column() {
    let (_, text) = check(SETTLED, &["--format-out", "json"]);
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let column = &json["verified"]["columns"]["FairShare"];
    assert_eq!(column["rows"], 4);
    assert_eq!(column["equal"], 4);
    assert_eq!(column["undecided"], 0);
    assert!(column["first_difference"].is_null());
    assert_eq!(json["verified"]["stale"], false);
    assert_eq!(json["detected"]["policy"], "fair-tree");
    assert_eq!(json["detected"]["certain"], true);
    assert!(json["detected"]["settings"].is_object());
}

#[test]
fn a_dump_is_verified_against_its_own_policy_when_another_is_chosen() {
    for (policy, name) in [
        ("level-based", "LEVEL_BASED"),
        ("classic", "classic"),
        ("fair-tree-documented", "Fair Tree as documented"),
        ("tickets", "TICKET_BASED"),
        ("pbs", "PBS fairshare"),
    ] {
        let (code, text) = check(SETTLED, &["--policy", policy]);
        let expected = format!(
            "policy: {name} (dump: Fair Tree, verified 4/4)\n\
             verified against Fair Tree 6/6 NormShares, 6/6 NormUsage, 6/6 EffectvUsage, 6/6 LevelFS, 4/4 FairShare\n\
             the cluster ranks by Fair Tree: 6 of 6 rows agree\n\
             nothing to report about 7 nodes\n"
        );
        assert_eq!(text, expected);
        assert_eq!(code, Some(0));
    }
}

#[test]
fn a_formula_on_a_dump_is_never_reported_as_verified() {
    let (_, text) = check(
        SETTLED,
        &["--policy", "formula", "--formula", "fairshare_perc"],
    );
    text.must_contain("policy: PBS formula (dump: Fair Tree, verified 4/4)");
    text.must_lack("recorded-differs");
}

#[test]
fn an_altered_number_is_reported_under_the_policy_of_the_dump() {
    let text = SETTLED.replace("|0.250000|0.750000||", "|0.750000|0.750000||");
    let (code, text) = check(&text, &["--policy", "level-based"]);
    text.must_contain("policy: LEVEL_BASED (dump: Fair Tree, 1 row differs)");
    text.must_contain(
        "1 of 4 recorded FairShare do not match these shares and this usage under Fair Tree",
    );
    assert_eq!(code, Some(1));
}

#[test]
fn overridden_settings_of_a_dump_are_reported() {
    let (_, text) = check(DAMPENED, &["--set", "FairShareDampeningFactor=2"]);
    text.must_contain("policy: classic with FairShareDampeningFactor=2 (dump: classic with FairShareDampeningFactor=5, verified \
             7/7)");
    let (_, text) = check(DAMPENED, &[]);
    text.must_lack("policy:");
}

#[test]
fn text_reports_begin_with_the_policy_of_the_dump_and_json_holds_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = file(&folder, SETTLED);
    let path = path.to_str().expect("UTF-8");
    let headline = "policy: LEVEL_BASED (dump: Fair Tree, verified 4/4)\n";
    for arguments in [
        &["show", path][..],
        &["show", path, "--format-out", "table"],
        &["show", path, "--format-out", "markdown"],
        &["rank", path],
        &["explain", path, "ann"],
        &["explain", path, "ann", "cay"],
    ] {
        let ran = Run::fairscope(arguments.iter().chain(&["--policy", "level-based"])).run();
        let text = String::from_utf8(ran.stdout).expect("UTF-8");
        assert!(text.starts_with(headline), "{arguments:?}: {text}");
        let ran = Run::fairscope(arguments).run();
        let text = String::from_utf8(ran.stdout).expect("UTF-8");
        assert!(!text.contains("dump:"), "{arguments:?}: {text}");
    }
    let ran = Run::fairscope([
        "show",
        path,
        "--policy",
        "level-based",
        "--format-out",
        "json",
    ])
    .run();
    let json: serde_json::Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    let dump = serde_json::json!({"policy": "fair-tree", "rows": 4, "equal": 4});
    assert_eq!(json["policy"]["dump"], dump);
}

#[test]
fn pbs_files_record_nothing_to_verify() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("resource_group");
    std::fs::write(&path, "ann 10 root 5\nbob 11 root 5\n").expect("a temporary file");
    let arguments = [
        "check".as_ref(),
        path.as_os_str(),
        "--format-out".as_ref(),
        "json".as_ref(),
    ];
    let ran = Run::fairscope(arguments).run();
    let json: serde_json::Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    assert_eq!(json["detected"]["policy"], "pbs-walk");
    assert_eq!(json["verified"]["columns"], serde_json::json!({}));
}
