//! Tables on a terminal: they fit its width, and what they leave out is known.

use super::scenario;
use crate::support::expected::Expected as _;
use crate::support::trees::SEED;
use fairscope::base::shown::cells;
use fairscope::format::Problems;
use fairscope::model::generate::{Shape, generate};
use fairscope::report::{Field, Form, Options, Output, View, policies, show, whatif};
use fairscope::rules::policy::{ColumnId, Comparison, Policy};
use fairscope::scenario::Scenario;
use std::io;
use std::sync::Arc;

/// A report on its way to a writer.
type Report<'a> = &'a dyn Fn(&mut Output<'_>) -> io::Result<()>;

/// Returns a report for lines of so many cells, and the headings that it left out.
fn fitted(width: Option<usize>, report: Report<'_>) -> (String, Vec<String>) {
    let mut bytes = Vec::new();
    let mut out = Output::new(&mut bytes, width);
    report(&mut out).expect("writing to memory does not fail");
    let left_out = out.left_out.iter().map(ToString::to_string).collect();
    let text = String::from_utf8(bytes).expect("reports are UTF-8");
    (text, left_out)
}

/// Asserts that a table fits each of these widths, with all of its rows, and leaves nothing out in silence.
#[track_caller]
fn assert_fits(what: &str, report: Report<'_>) {
    let (whole, left_out) = fitted(None, report);
    assert!(left_out.is_empty(), "{left_out:?}");
    for width in [60, 80, 100, 120, 300] {
        let (text, left_out) = fitted(Some(width), report);
        let widest = text.lines().map(cells).max().unwrap_or(0);
        assert!(widest <= width, "{what}, {width} cells:\n{text}");
        assert_eq!(left_out.is_empty(), text == whole, "{what}, {width} cells");
        assert_eq!(text.lines().count(), whole.lines().count(), "{what}");
        let head = text.lines().next().unwrap_or_default();
        for heading in &left_out {
            assert!(whole.contains(&**heading), "{what}: {heading}");
            assert!(!head.contains(&format!("  {heading}  ")), "{what}: {head}");
        }
    }
}

#[test]
fn tables_fit_the_width_of_the_terminal() {
    let snapshot = Arc::new(generate(60, Shape::Skewed, 3));
    let problems = Problems::default();
    for &policy in Policy::ALL {
        let scenario = Scenario::new(Arc::clone(&snapshot), policy);
        let view = View::of(&scenario, &problems);
        let options = Options::default();
        let name = policy.name();
        assert_fits(name, &|out| show::write(out, &view, &options, Form::Tree));
        assert_fits(name, &|out| show::write(out, &view, &options, Form::Table));
        assert_fits(name, &|out| {
            show::write_ranking(out, &view, &options, Form::Table)
        });
    }
}

#[test]
fn sentences_are_wrapped_at_the_width_of_the_terminal() {
    let (scenario, problems) = scenario(SEED, &["shares scott=300"]);
    let view = View::of(&scenario, &problems);
    let options = whatif::Options::default();
    let report: Report<'_> = &|out| whatif::write(out, &scenario, &view, Form::Text, &options);
    let (whole, _) = fitted(None, report);
    let sentence = whole.lines().next().unwrap_or_default();
    assert!(cells(sentence) > 80, "{sentence}");
    for width in 20..=200 {
        let (text, _) = fitted(Some(width), report);
        let head = text.lines().take_while(|line| !line.is_empty());
        let lines: Vec<&str> = head.collect();
        assert_eq!(lines.join(" "), sentence, "{width} cells");
        assert!(lines.iter().all(|line| cells(line) <= width), "{text}");
    }
}

#[test]
fn the_rank_and_what_decides_it_are_left_out_last() {
    let (scenario, problems) = scenario(SEED, &[]);
    let view = View::of(&scenario, &problems);
    let options = Options::default();
    let show: Report<'_> = &|out| show::write(out, &view, &options, Form::Tree);
    let (narrow, left_out) = fitted(Some(44), show);
    let head = narrow.lines().next().unwrap_or_default();
    head.must_contain("Rank");
    head.must_contain("Shares");
    assert!(!left_out.contains(&"Rank".to_owned()), "{left_out:?}");
    // What is left out at one width is left out at every smaller one, except where a narrow column fits in its place.
    let counts = [50, 70, 90, 130].map(|width| fitted(Some(width), show).1.len());
    assert!(counts.is_sorted_by(|a, b| a >= b), "{counts:?}");
    assert_eq!(counts[3], 0);
}

#[test]
fn columns_that_were_asked_for_are_all_there() {
    let (scenario, problems) = scenario(SEED, &[]);
    let view = View::of(&scenario, &problems);
    let columns = [
        ColumnId::Usage,
        ColumnId::FairsharePerc,
        ColumnId::Factor,
        ColumnId::Rank,
    ];
    let options = Options {
        columns: Some(columns.map(Field::current).to_vec()),
        ..Options::default()
    };
    let report: Report<'_> = &|out| show::write(out, &view, &options, Form::Tree);
    let (whole, _) = fitted(None, report);
    let (narrow, left_out) = fitted(Some(40), report);
    assert!(left_out.is_empty(), "{left_out:?}");
    for heading in columns.map(ColumnId::heading) {
        whole.must_contain(heading);
        narrow.must_contain(heading);
    }
}

#[test]
fn the_comparison_of_policies_keeps_its_spread() {
    let (scenario, problems) = scenario(SEED, &[]);
    let view = View::of(&scenario, &problems);
    let comparison = Comparison::new(scenario.basis(), Policy::ALL);
    let options = policies::Options::default();
    let report: Report<'_> = &|out| policies::write(out, &view, &comparison, &options, Form::Table);
    let (narrow, left_out) = fitted(Some(80), report);
    let head = narrow.lines().next().unwrap_or_default();
    head.must_end("Spread …");
    assert!(cells(head) <= 80, "{head}");
    assert!(!left_out.is_empty());
}
