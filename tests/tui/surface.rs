//! The map of the factor over usage and share.

use crate::support::expected::Expected as _;
use crate::support::journey::{Journey, scenario};
use crate::support::trees::SEED;
use fairscope::rules::policy::{ColumnId, Policy};
use fairscope::tui::{Dialog, Options, Theme};
use ratatui::style::Color;

/// The characters of the steps of a tenth.
const INKS: [char; 10] = [' ', '.', ':', '-', '=', '+', '*', '#', '%', '@'];

/// Returns the tenth that a factor is in.
fn step(factor: f64) -> usize {
    (1..10)
        .filter(|&tenth| factor * 10.0 >= f64::from(tenth))
        .count()
}

/// Returns the step of classic fair-share, by the formula of the manual.
fn classic(used: f64, share: f64) -> usize {
    let factor = if share > 0.0 {
        (-used / share).exp2()
    } else {
        0.0
    };
    step(factor)
}

/// Returns the step of `LEVEL_BASED`, by the formula of the manual.
fn level_based(used: f64, share: f64) -> usize {
    let factor = if share > 0.0 {
        (-used / (0.1 + 0.9 * share)).exp2()
    } else {
        1.0
    };
    step(factor)
}

/// An explorer with the theme, on the example of buckets.
fn with(options: Options) -> Journey {
    let base = Journey::example("buckets");
    let base = base.app.session().unwrap().scenario.base().clone();
    Journey::with_options(base, options)
}

/// The rows of the plots on the screen: the places of their first and last row.
fn rows(journey: &mut Journey) -> (usize, usize) {
    let screen = journey.screen();
    let at = |text: &str| {
        let mut lines = screen.lines().enumerate();
        let found = lines.find(|(_, line)| line.contains(text));
        found.unwrap_or_else(|| panic!("no {text} in\n{screen}")).0
    };
    (at("1.00"), at("0.00"))
}

/// Returns where each plot begins and ends in the screen's columns.
fn plots(journey: &mut Journey) -> Vec<(usize, usize)> {
    let (top, bottom) = rows(journey);
    let lines: Vec<Vec<char>> = journey
        .screen()
        .lines()
        .map(|line| line.chars().collect())
        .collect();
    let is_scale = |x: &usize| lines[top][*x..].starts_with(&['1', '.', '0', '0']);
    let starts = (0..lines[top].len() - 4).filter(is_scale);
    let plots = starts.map(|x| {
        let axis = &lines[bottom + 1][x + 5..];
        let cells = axis.iter().take_while(|&&char| matches!(char, '─' | '-'));
        (x + 5, x + 5 + cells.count())
    });
    plots.collect()
}

#[test]
fn the_map_shows_the_formula_in_force_and_the_factor_of_the_node() {
    let mut journey = Journey::example("buckets").size(79, 24).keys("jjj v h");
    let screen = journey.screen();
    for text in [
        "factor F by usage U and share S",
        "LEVEL_BASED: F = 2^-(U / (0.1 + 0.9 S))",
        "X F = 0.800005 at U = 0.104624, S = 0.250000 of its level: GradStudent",
        "1 U",
        "0.5",
    ] {
        assert!(screen.contains(text), "{text} in\n{screen}");
    }
    assert!(!screen.contains("classic"), "one map:\n{screen}");
    screen.must_lack("…");
    journey.press("j");
    journey.must_show("of its level: bob");
    journey.press("x");
    assert!(journey.app.dialog().is_none());
}

#[test]
fn two_maps_are_beside_each_other_at_80_columns() {
    let mut journey = Journey::example("buckets").size(80, 24).keys("jjj v h");
    journey.must_show_all(&["classic: F = 2^-(U / S)", "LEVEL_BASED:F=2^-(U/(0.1+0.9S))"]);
    assert_eq!(plots(&mut journey).len(), 2);
    journey.must_hide("…");
    let mut journey = Journey::example("buckets").keys("jjj v h");
    journey.must_show_all(&[
        "classic: F = 2^-(U / S)",
        "LEVEL_BASED: F = 2^-(U / (0.1 + 0.9 S))",
        "X classic F = 0.748",
        "LEVEL_BASED F = 0.800005 at",
        "LEVEL_BASED gives F = 1, a full bucket, at S = 0",
    ]);
    assert_eq!(plots(&mut journey).len(), 2);
    journey.press("P <home><down><down><down>");
    let mut journey = Journey::on(SEED).keys("v h");
    journey.must_show("PBS fairshare: F = 2^-(U / S)");
}

#[test]
fn the_map_has_the_dampening_in_force() {
    let mut journey = Journey::example("equal150").size(79, 24).keys("j v h");
    journey.must_hide("d =");
    journey.press("]]");
    journey.must_show_all(&[
        "classic: F = 2^-(U / (S d)), d = 3",
        "d is Slurm's FairShareDampeningFactor",
    ]);
}

#[test]
fn a_policy_that_compares_siblings_says_so_beside_the_map() {
    let mut journey = Journey::example("site").size(80, 24).keys("v h");
    assert_eq!(scenario(&journey).policy(), Policy::FairTree);
    journey.must_show_all(&[
        "classic: F = 2^-(U / S)",
        "the current policy has no such map: it compares siblings",
    ]);
}

#[test]
fn one_key_switches_between_the_curves_and_the_map() {
    let mut journey = Journey::example("buckets").keys("jjj C");
    assert!(matches!(journey.app.dialog(), Some(Dialog::Curves)));
    journey.press("C");
    journey.must_show_all(&["factor F by usage U and share S", "C curves"]);
    journey.press("C");
    assert!(matches!(journey.app.dialog(), Some(Dialog::Curves)));
    journey.must_show("C map");
}

#[test]
fn characters_tell_the_steps_where_there_are_no_colours() {
    let ascii = Options {
        is_ascii: true,
        ..Options::default()
    };
    let mono = Options {
        theme: Some("mono".into()),
        ..Options::default()
    };
    let sixteen = Options {
        theme: Some("sixteen".into()),
        ..Options::default()
    };
    for options in [ascii, mono, sixteen] {
        for (width, height) in [(80, 24), (120, 40)] {
            // The root is marked at U = 1, S = 0.
            let mut journey = with(options.clone())
                .size(width, height)
                .keys("P level <enter> g v h");
            let (top, bottom) = rows(&mut journey);
            let plots = plots(&mut journey);
            let rules = [level_based, classic];
            let rules = if plots.len() == 1 {
                vec![rules[0]]
            } else {
                vec![rules[1], rules[0]]
            };
            let screen = journey.buffer();
            let mut checked = 0;
            for (&(left, right), rule) in plots.iter().zip(rules) {
                for y in top..=bottom {
                    for x in left..right {
                        let used = (x - left) as f64 / (right - left - 1) as f64;
                        let share = 1.0 - (y - top) as f64 / (bottom - top) as f64;
                        let place = (u16::try_from(x).unwrap(), u16::try_from(y).unwrap());
                        let symbol = screen[place].symbol();
                        if y == bottom && x + 3 >= right {
                            continue;
                        }
                        let expected = INKS[rule(used, share)].to_string();
                        assert_eq!(symbol, expected, "U = {used}, S = {share}");
                        checked += 1;
                    }
                }
            }
            assert!(checked > 700, "{checked}");
        }
    }
}

#[test]
fn colours_tell_the_same_steps_twice_as_finely() {
    for name in ["dark", "light", "high-contrast"] {
        let theme = Theme::named(name).unwrap();
        let colors: Vec<Color> = theme.ramp.iter().map(|style| style.bg.unwrap()).collect();
        let options = Options {
            theme: Some(name.into()),
            ..Options::default()
        };
        let mut journey = with(options).keys("P level <enter> g v h");
        let (top, bottom) = rows(&mut journey);
        let plots = plots(&mut journey);
        let screen = journey.buffer();
        for (&(left, right), rule) in plots.iter().zip([classic, level_based]) {
            for y in top..bottom {
                for x in left..right {
                    let used = (x - left) as f64 / (right - left - 1) as f64;
                    let lines = (2 * (bottom - top) + 1) as f64;
                    let share = |line: usize| 1.0 - line as f64 / lines;
                    let cell = &screen[(u16::try_from(x).unwrap(), u16::try_from(y).unwrap())];
                    let line = 2 * (y - top);
                    assert_eq!(cell.symbol(), "▀");
                    assert_eq!(cell.fg, colors[rule(used, share(line))]);
                    assert_eq!(cell.bg, colors[rule(used, share(line + 1))]);
                }
            }
        }
    }
}

#[test]
fn the_node_is_marked_at_its_usage_and_share() {
    let mut journey = Journey::example("buckets").keys("jjj v h");
    let numbers = scenario(&journey).evaluation();
    let node = journey.app.session().unwrap().selected();
    let used = numbers.number(ColumnId::EffectvUsage, node).unwrap();
    let share = numbers.number(ColumnId::NormShares, node).unwrap();
    let (top, bottom) = rows(&mut journey);
    let plots = plots(&mut journey);
    let screen = journey.screen();
    let lines: Vec<Vec<char>> = screen.lines().map(|line| line.chars().collect()).collect();
    for (left, right) in plots {
        let x = left as f64 + used * (right - left - 1) as f64;
        let y = bottom as f64 - share * (bottom - top) as f64;
        let is_near = |place: usize, exact: f64| (place as f64 - exact).abs() <= 0.5;
        let marked = (left..right).filter(|&at| is_near(at, x));
        let is_marked = |at: usize| {
            let mut rows = (top..=bottom).filter(|&row| is_near(row, y));
            rows.any(|row| lines[row][at] == 'X')
        };
        assert!(marked.into_iter().any(is_marked), "{screen}");
    }
}

#[test]
fn a_map_on_a_screen_too_small_is_replaced_by_a_message() {
    let mut journey = Journey::example("buckets").size(40, 12).keys("v h");
    journey.must_show("too small for a map");
    journey.resize(80, 24);
    journey.must_show("LifeSciences");
}
