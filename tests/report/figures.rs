//! Drawings in characters: what they show, and that they fit every width.

use fairscope::base::ascii::spelling;
use fairscope::base::number::Unit;
use fairscope::base::shown::{Shown, cells, shown};
use fairscope::report::drawing::{Curve, Drawing, Figure, Moment};
use fairscope::report::{Frame, drawn};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;

/// Returns days as moments, and a name for each node.
fn drawing(days: usize, names: &[&str], figures: Vec<Figure>) -> Drawing {
    let mut moments = Vec::new();
    for day in 0..days {
        moments.push(Moment {
            at: day as f64,
            text: Shown::again(format!("day {day}")),
        });
    }
    Drawing {
        moments,
        names: names.iter().map(|name| shown(name.as_bytes())).collect(),
        figures,
        note: None,
    }
}

/// Returns a figure with a line for each node.
fn figure(unit: Unit, lines: &[&[f64]]) -> Figure {
    let mut curves = Vec::new();
    for (name, values) in lines.iter().enumerate() {
        curves.extend(Curve::new(name, false, values.iter().copied().map(Some)));
    }
    Figure {
        heading: "Usage".into(),
        unit,
        curves,
    }
}

/// Returns the lines of a drawing in so many cells.
fn lines(drawing: &Drawing, width: usize) -> Vec<String> {
    let frame = Frame {
        width: Some(width),
        ..Frame::default()
    };
    let lines = drawn(drawing, frame).into_iter();
    lines
        .map(|line| line.text().trimmed().to_string())
        .collect()
}

/// Returns a drawing as one text.
fn text(drawing: &Drawing, width: usize) -> String {
    lines(drawing, width).join("\n")
}

#[test]
fn the_line_of_a_node_has_its_numbers_and_its_moments() {
    let usage = figure(Unit::Usage, &[&[0.0, 500.0, 500.0, 2000.0]]);
    let drawing = drawing(4, &["alice"], vec![usage]);
    insta::assert_snapshot!(text(&drawing, 60), @r"
    Usage
    2,000 │                  ●
          │                 ╭╯
    1,500 │                ╭╯
          │               ╭╯
    1,000 │              ╭╯
          │             ╭╯
      500 │     ╭●─────●╯
          │  ╭──╯
        0 │●─╯
          └───────────────────
           day 0         day 3
    ");
}

#[test]
fn the_first_rank_is_at_the_top_and_each_rank_has_a_row() {
    let ranks = figure(Unit::Rank, &[&[1.0, 3.0], &[2.0, 1.0], &[3.0, 2.0]]);
    let drawing = drawing(2, &["alice", "bob", "kim"], vec![ranks]);
    insta::assert_snapshot!(text(&drawing, 60), @r"
    a alice  b bob  c kim  + several lines
    Usage, first at the top
    1 │aaa   bbbbbb
    2 │bbb++++++ccc
    3 │cccccc   aaa
      └────────────
       day 0  day 1
    ");
}

#[test]
fn where_several_lines_are_there_is_a_sign() {
    let usage = figure(Unit::Usage, &[&[100.0, 100.0, 50.0], &[100.0, 100.0, 0.0]]);
    let drawing = drawing(3, &["alice", "bob"], vec![usage]);
    let lines = lines(&drawing, 60);
    assert_eq!(lines[0], "a alice  b bob  + several lines");
    let top = lines.iter().find(|line| line.contains("100 │"));
    let top = top.expect("a row of the largest number");
    assert!(top.contains("│+++++++"), "{top}");
    assert!(!top.contains(['a', 'b']), "{top}");
}

#[test]
fn what_is_missing_is_a_gap() {
    let mut usage = figure(Unit::Usage, &[&[8.0, 8.0, 8.0, 8.0, 4.0]]);
    usage.curves[0].values[2] = None;
    let drawing = drawing(5, &["alice"], vec![usage]);
    let text = text(&drawing, 60);
    assert!(text.contains("8 │●─────●           ●"), "{text}");
}

#[test]
fn the_line_under_another_setting_is_dotted_and_below_the_others() {
    let mut usage = figure(Unit::Usage, &[&[9.0, 9.0, 9.0]]);
    let other = Curve::new(0, true, [9.0, 0.0, 0.0].map(Some));
    usage.curves.extend(other);
    let mut drawing = drawing(3, &["alice"], vec![usage]);
    drawing.note = Some("Dotted: another setting.".into());
    let lines = lines(&drawing, 60);
    assert!(lines[1].ends_with("│●─────●─────●") || lines[2].ends_with("│●─────●─────●"));
    assert!(
        lines.iter().any(|line| line.ends_with("·······")),
        "{lines:?}"
    );
    assert!(lines.contains(&"Dotted: another setting.".to_owned()));
}

#[test]
fn a_quantity_that_never_changes_is_a_sentence() {
    let ranks = figure(Unit::Rank, &[&[7.0, 7.0], &[7.0, 7.0]]);
    let drawing = drawing(2, &["alice", "bob"], vec![ranks]);
    assert_eq!(lines(&drawing, 60), ["Usage: 7 throughout", ""]);
}

#[test]
fn what_one_node_of_several_has_throughout_is_its_line() {
    let ranks = figure(Unit::Rank, &[&[7.0, 7.0]]);
    let drawing = drawing(2, &["alice", "an account"], vec![ranks]);
    insta::assert_snapshot!(text(&drawing, 60), @r"
    a alice  b an account
    Usage, first at the top
    7 │aaaaaaaaaaaa
    8 │
      └────────────
       day 0  day 1
    ");
}

#[test]
fn numbers_near_each_other_are_told_apart() {
    let usage = figure(Unit::Usage, &[&[1000.0, 1004.0, 1010.0]]);
    let drawing = drawing(3, &["alice"], vec![usage]);
    let lines = lines(&drawing, 60);
    let marked = lines.iter().filter(|line| line.contains('●'));
    assert_eq!(marked.count(), 3, "{lines:?}");
}

#[test]
fn many_moments_become_their_means() {
    let numbers: Vec<f64> = (0..5000).map(f64::from).collect();
    let usage = figure(Unit::Usage, &[&numbers]);
    let drawing = drawing(5000, &["alice"], vec![usage]);
    let lines = lines(&drawing, 80);
    assert!(lines.iter().all(|line| cells(line) <= 80));
    assert!(lines[1].starts_with("6,000 │") && lines[1].trim_end().len() < 12);
    let rising: Vec<usize> = lines.iter().filter_map(|line| line.find('╭')).collect();
    assert!(
        rising.len() > 5 && rising.is_sorted_by(|a, b| a > b),
        "{lines:?}"
    );
}

#[test]
fn without_room_there_is_no_plot_and_nothing_beside_it() {
    let usage = figure(Unit::Fraction, &[&[0.1, 0.9], &[0.9, 0.1]]);
    let drawing = drawing(2, &["alice", "bob"], vec![usage]);
    assert!(lines(&drawing, 17).is_empty());
    assert!(!lines(&drawing, 18).is_empty());
}

#[test]
fn a_single_moment_is_no_line() {
    let usage = figure(Unit::Usage, &[&[1.0], &[2.0]]);
    assert!(lines(&drawing(1, &["alice", "bob"], vec![usage]), 80).is_empty());
}

/// Any line of numbers, with gaps.
fn any_values(moments: usize) -> impl Strategy<Value = Vec<Option<f64>>> {
    let number = prop_oneof![
        0.0..1.0,
        0.0..1e4,
        0.0..1e20,
        (1_u32..200).prop_map(f64::from),
        Just(0.0)
    ];
    vec(weighted(0.9, number), moments)
}

/// Any drawing of a few nodes.
fn any_drawing() -> impl Strategy<Value = Drawing> {
    let units = prop_oneof![
        Just(Unit::Usage),
        Just(Unit::Portion),
        Just(Unit::Fraction),
        Just(Unit::Ratio),
        Just(Unit::Rank),
        Just(Unit::Count)
    ];
    (1_usize..40, 1_usize..12).prop_flat_map(move |(moments, names)| {
        let lines = vec(any_values(moments), names * 2);
        let names = vec("[a-zé日]{1,20}", names);
        (lines, names, units.clone(), "[a-z0-9 :-]{0,20}").prop_map(
            move |(lines, names, unit, text)| {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                let mut any = figure(unit, &[]);
                for (place, values) in lines.into_iter().enumerate() {
                    let is_other = place >= names.len();
                    any.curves
                        .extend(Curve::new(place % names.len(), is_other, values));
                }
                let mut drawing = drawing(moments, &names, vec![any]);
                for moment in &mut drawing.moments {
                    moment.text = shown(text.as_bytes());
                }
                drawing.note = Some("Thin and dotted: the target.".into());
                drawing
            },
        )
    })
}

proptest! {
    #[test]
    fn no_line_of_a_drawing_is_wider_than_its_frame(
        drawing in any_drawing(),
        width in 0_usize..=200,
        is_page: bool,
        is_ascii: bool,
    ) {
        let frame = Frame { width: Some(width), is_page, is_ascii };
        for line in drawn(&drawing, frame) {
            let text = line.text();
            prop_assert!(cells(&text) <= width.max(1), "{width}: {text}");
            if is_ascii {
                let is_drawn = |char: char| char.is_ascii() || spelling(char).is_some();
                prop_assert!(text.chars().all(is_drawn), "{text}");
            }
        }
    }

    #[test]
    fn every_node_is_in_the_legend_and_in_the_plot(drawing in any_drawing(), width in 60_usize..=200) {
        let text = text(&drawing, width);
        let Some((legend, plot)) = text.split_once("Usage") else {
            return Ok(());
        };
        if !plot.contains('│') || drawing.names.len() < 2 {
            return Ok(());
        }
        for (name, letter) in drawing.names.iter().zip('a'..) {
            prop_assert!(legend.contains(&format!("{letter} {name}")), "{text}");
        }
        for curve in &drawing.figures[0].curves {
            let letter = ('a'..).nth(curve.name).expect("few nodes");
            let is_drawn = curve.is_other || plot.contains(letter) || plot.contains('+');
            prop_assert!(is_drawn, "{letter}: {text}");
        }
    }
}
