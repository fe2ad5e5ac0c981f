//! The job_sort_formula compared with Python and with the real scheduler.

use crate::support::data;
use crate::support::expected::Expected as _;
use crate::support::pbs::{bits, cases, text};
use fairscope::base::number::Value;
use fairscope::model::{Kind, NodeId, Position, Settings, Shares, TreeBuilder};
use fairscope::rules::policy::formula::{EvalError, Formula, FormulaError, Inputs};
use fairscope::rules::policy::{ColumnId, Policy};
use std::collections::{BTreeMap, HashMap};

/// A number as PBS stores it.
#[expect(clippy::cast_possible_truncation, reason = "PBS stores it in 32 bits")]
fn single(number: f64) -> f32 {
    number as f32
}

type Job = BTreeMap<String, f64>;

/// The values of a job and a node, read from `name=number` in the table.
struct Given {
    fairshare: HashMap<String, f64>,
    job: Job,
}

impl Given {
    fn read(fields: &[&str]) -> Self {
        let mut given = Self {
            fairshare: HashMap::new(),
            job: Job::new(),
        };
        for field in fields {
            let (name, number) = field.split_once('=').expect("a name and a number");
            let number = number.parse().expect("a number");
            if name.starts_with("fairshare") {
                given.fairshare.insert(name.to_owned(), number);
            } else {
                given.job.insert(name.to_owned(), number);
            }
        }
        given
    }

    fn inputs(&self) -> Inputs<'_> {
        Inputs {
            fairshare_perc: single(self.fairshare["fairshare_perc"]),
            fairshare_tree_usage: single(self.fairshare["fairshare_tree_usage"]),
            fairshare_factor: self.fairshare["fairshare_factor"],
            job: &self.job,
        }
    }
}

fn outcome(formula: &str, given: &Given) -> String {
    let formula = match Formula::parse(formula, &given.job) {
        Ok(formula) => formula,
        Err(error) => return error.sentence().into(),
    };
    match formula.value(&given.inputs()) {
        Ok(value) if value.is_nan() => "nan".to_owned(),
        Ok(value) => format!("{:08x}", value.to_bits()),
        Err(error) => format!("{error:?}"),
    }
}

#[test]
fn golden_formulas_have_the_values_of_python() {
    let table = std::fs::read_to_string(data("formula.tsv")).expect("the table of formulas");
    let mut given = HashMap::new();
    let (mut compared, mut different) = (0, Vec::new());
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        if fields[0] == "job" {
            given.insert(fields[1].to_owned(), Given::read(&fields[2..]));
            continue;
        }
        let [expected, job, formula] = fields[..] else {
            panic!("three fields: {line}");
        };
        let own = outcome(formula, &given[job]);
        compared += 1;
        if own != expected {
            different.push(format!("{formula}: Python has {expected}, fairscope {own}"));
        }
    }
    println!("{compared} formulas compared, {} differ", different.len());
    assert!(compared > 300);
    assert!(different.is_empty(), "{}", different.join("\n"));
}

fn settings(formula: &str) -> Settings {
    let mut settings = Settings::default();
    settings.set("job_sort_formula", formula).expect("a text");
    settings
}

#[test]
fn golden_values_and_order_equal_the_real_schedulers() {
    let (mut compared, mut skipped, mut different) = (0, 0, Vec::new());
    for case in cases() {
        let Some(parsed) = case.parsed() else {
            continue;
        };
        let tree = &parsed.tree;
        let by_name: HashMap<_, _> = tree
            .nodes()
            .iter()
            .map(|&node| (tree.name(node), node))
            .collect();
        // The values that real one-keyword formulas gave for every node, as doubles.
        let objects = case.objects("nodes.jsonl");
        for (formula, key) in [
            ("fairshare_perc", "formula_fairshare_perc"),
            ("fair_share_perc", "formula_fair_share_perc"),
            ("fairshare_tree_usage", "formula_fairshare_tree_usage"),
            ("fairshare_factor", "formula_fairshare_factor"),
            (
                "pow(2, -(fairshare_tree_usage/fairshare_perc))",
                "formula_pow",
            ),
        ] {
            let understood = Formula::parse(formula, &Job::new()).expect("a formula");
            let evaluation = Policy::Pbs.evaluate(tree, &parsed.settings);
            for (&node, object) in tree.nodes().iter().zip(&objects) {
                // States written by pbsfs were not evaluated.
                if object.get(format!("{key}_bits")).is_none() {
                    skipped += 1;
                    continue;
                }
                let job = Job::new();
                let inputs =
                    Inputs::of_node(&evaluation, node, &job).expect("PBS has numbers for it");
                let own = match understood.value(&inputs) {
                    Ok(value) => value,
                    Err(error) => {
                        assert!(error.makes_zero(), "{}: {formula}: {error}", case.name);
                        0.0
                    }
                };
                let real = single(f64::from_bits(bits(object, key)));
                compared += 1;
                if own.to_bits() != real.to_bits() && !(own.is_nan() && real.is_nan()) {
                    different.push(format!(
                        "{}: {formula} of {}: {real}, ours {own}",
                        case.name,
                        text(object, "name").escape_ascii()
                    ));
                }
            }
        }
        // The jobs in the real scheduler's order.
        let mut order = case.objects("order-factor.jsonl");
        // The place of a NaN is undefined in PBS's sort; here it is last.
        order.sort_by_key(|object| object["formula_value"] == "nan");
        let settings = Settings {
            formula: settings("fairshare_factor").formula,
            ..parsed.settings.clone()
        };
        let evaluation = Policy::Formula.evaluate(tree, &settings);
        let mut last = None;
        for object in &order {
            let Some(&node) = by_name.get(&text(object, "entity")[..]) else {
                continue;
            };
            let Value::Single(own) = evaluation.value(ColumnId::FormulaValue, node) else {
                panic!("{}: a user has a value", case.name);
            };
            let real: f32 = object["formula_value"]
                .as_str()
                .and_then(|text| {
                    text.trim_start_matches('-')
                        .parse()
                        .ok()
                        .map(|number: f32| {
                            if text.starts_with('-') {
                                -number
                            } else {
                                number
                            }
                        })
                })
                .expect("a number");
            compared += 2;
            if own.to_bits() != real.to_bits() && !(own.is_nan() && real.is_nan()) {
                different.push(format!("{}: {object}: ours {own}", case.name));
            }
            let rank = evaluation.rank(node).expect("a user has a rank");
            if last.is_some_and(|last| rank < last) {
                different.push(format!("{}: {object} has rank {rank}", case.name));
            }
            last = Some(rank);
        }
    }
    println!(
        "{compared} numbers compared, {} differ; {skipped} were never computed by the scheduler",
        different.len()
    );
    assert!(different.is_empty(), "{}", different.join("\n"));
}

fn refused(formula: &str) -> FormulaError {
    Formula::parse(formula, &Job::new()).expect_err("it is no formula")
}

#[test]
fn misspelt_keywords_are_reported_with_the_nearest_known_one() {
    assert_eq!(
        refused("2*fairshre_perc + 1").to_string(),
        "job_sort_formula: unknown name 'fairshre_perc'; did you mean 'fairshare_perc'?\n  \
         2*fairshre_perc + 1\n    ^^^^^^^^^^^^^"
    );
}

#[test]
fn invalid_formulas_are_refused_with_the_position_of_the_error() {
    for (formula, start, sentence) in [
        (
            "",
            0,
            "the formula ends here; expected a number, a name or a bracket",
        ),
        (
            "1 +",
            3,
            "the formula ends here; expected a number, a name or a bracket",
        ),
        (
            "(1",
            2,
            "the formula ends here; expected an operator or a closing bracket",
        ),
        (
            "1)",
            1,
            "unexpected ); expected an operator or the end of the formula",
        ),
        (
            "1 2",
            2,
            "unexpected 2; expected an operator or the end of the formula",
        ),
        ("012", 0, "012 is not a number"),
        ("2x", 0, "2x is not a number"),
        ("1__0", 0, "1__0 is not a number"),
        ("1 & 2", 2, "& is not valid in a formula here"),
        (
            "1 + not 2",
            4,
            "unexpected not; expected a number, a name or a bracket",
        ),
        ("1 if 2", 6, "the formula ends here; expected else"),
        ("pow(2)", 0, "pow takes 2 arguments, not 1"),
        ("max(2)", 0, "max takes 2 arguments or more, not 1"),
        ("round(1, 2, 3)", 0, "round takes 1 to 2 arguments, not 3"),
        (
            "sqrt",
            0,
            "the function sqrt has no arguments; write its arguments in brackets after it",
        ),
        ("sqr(2)", 0, "unknown function 'sqr'; did you mean 'sqrt'?"),
        (
            "math.pow(2, 3)",
            0,
            "PBS imports the functions of math by name and does not accept math itself; leave out `math.`, as in \
             pow(2, 3)",
        ),
        (
            "fair_share_factor",
            0,
            "unknown name 'fair_share_factor'; did you mean 'fairshare_factor'?",
        ),
        (
            "foo_licenses * 2",
            0,
            "unknown name 'foo_licenses'; if it is a resource of your site, give the job an amount with --set \
             resources.foo_licenses=1",
        ),
        ("1 + é", 4, "é is not valid in a formula here"),
    ] {
        let error = refused(formula);
        assert_eq!(
            (error.span().start, error.sentence()),
            (start, sentence.into()),
            "{formula}"
        );
    }
}

#[test]
fn site_resources_are_known_if_the_job_sets_them() {
    let job = Job::from([("foo_licenses".to_owned(), 3.0)]);
    let formula = Formula::parse("foo_licenses / 2", &job).expect("a formula");
    let inputs = Inputs {
        fairshare_perc: 0.0,
        fairshare_tree_usage: 0.0,
        fairshare_factor: 0.0,
        job: &job,
    };
    assert_eq!(formula.value(&inputs), Ok(1.5));
    assert_eq!(formula.with_numbers(&inputs), "3 / 2");
}

#[test]
fn too_deeply_nested_formulas_are_refused_but_long_ones_are_not() {
    let deep = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
    refused(&deep)
        .sentence()
        .must_contain("nested more than 200 deep");
    let powers = vec!["2"; 100_000].join("**");
    refused(&powers)
        .sentence()
        .must_contain("nested more than 200 deep");
    let given = Given::read(&[
        "fairshare_perc=0",
        "fairshare_tree_usage=0",
        "fairshare_factor=0",
    ]);
    let long = vec!["1"; 100_000].join("+");
    assert_eq!(
        outcome(&long, &given),
        format!("{:08x}", 100_000_f32.to_bits())
    );
    let signs = format!("{}1", "-".repeat(100_001));
    assert_eq!(
        outcome(&signs, &given),
        format!("{:08x}", (-1_f32).to_bits())
    );
    let denied = format!("{}1", "not ".repeat(100_001));
    assert_eq!(outcome(&denied, &given), "00000000");
}

#[test]
fn results_beyond_our_numbers_are_refused() {
    let given = Given::read(&[
        "fairshare_perc=0",
        "fairshare_tree_usage=0",
        "fairshare_factor=0",
    ]);
    for (formula, error) in [
        ("10 ** 39", EvalError::TooLarge),
        ("(-8) ** 0.5", EvalError::Complex),
        ("round(1234.5, -2)", EvalError::Rounding),
    ] {
        assert_eq!(outcome(formula, &given), format!("{error:?}"));
        assert!(!error.makes_zero());
    }
}

/// Three users; the shares and usage of the last two are the same.
fn small() -> fairscope::model::Tree {
    let mut builder = TreeBuilder::new(b"TREEROOT");
    for (name, shares, usage) in [
        ("a", 10, 100.0),
        ("b", 0, 5.0),
        ("c", 10, 7.0),
        ("d", 10, 7.0),
    ] {
        let interned = builder.intern(name.as_bytes());
        let node = builder.push(NodeId::ROOT, interned, Kind::User, Position::Last);
        builder.set_shares(node, Shares::new(shares));
        builder.record(node, usage, true);
    }
    builder.build()
}

#[test]
fn ties_of_the_formula_are_broken_by_the_walk() {
    let tree = small();
    let evaluation = Policy::Formula.evaluate(&tree, &settings("1"));
    let ranks: Vec<_> = tree.nodes()[1..]
        .iter()
        .map(|&node| evaluation.rank(node))
        .collect();
    assert_eq!(ranks, [Some(3), Some(4), Some(1), Some(1)]);
}

#[test]
fn a_value_that_python_cannot_compute_is_0() {
    let tree = small();
    let evaluation = Policy::Formula.evaluate(&tree, &settings("1 / fairshare_perc"));
    let value = |index: usize| evaluation.value(ColumnId::FormulaValue, tree.nodes()[index]);
    assert_eq!(value(2), Value::Single(0.0));
    assert_eq!(value(0), Value::Null, "accounts run no jobs");
    assert_eq!(evaluation.rank(tree.nodes()[2]), Some(4));
}

#[test]
fn without_a_formula_there_are_no_values_and_no_ranks() {
    let tree = small();
    let evaluation = Policy::Formula.evaluate(&tree, &settings("1 +"));
    let user = tree.nodes()[1];
    assert_eq!(evaluation.value(ColumnId::FormulaValue, user), Value::Null);
    assert_eq!(evaluation.rank(user), None);
    assert!(evaluation.number(ColumnId::FairsharePerc, user).is_some());
}
