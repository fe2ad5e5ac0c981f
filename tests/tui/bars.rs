//! The bars of the tree: how much of its target a node was served, at every width, with and without colours.

use crate::support::expected::Expected as _;
use crate::support::journey::Journey;
use crate::support::trees::SEED;
use fairscope::format::Example;
use fairscope::tui::{Message, Options};
use ratatui::style::Modifier;
use std::fmt::Write as _;

/// Returns the cells below a heading that is aligned right, as many as its column has.
fn below(journey: &mut Journey, heading: &str, cells: usize, row: &str) -> String {
    let headings = journey.screen().lines().nth(2).unwrap().to_owned();
    let at = headings.find(heading).expect("the column is on the screen");
    let end = headings[..at].chars().count() + heading.chars().count();
    let row = journey.row(row);
    row.chars().skip(end - cells).take(cells).collect()
}

/// Returns the bar and the multiple of a node.
fn served(journey: &mut Journey, row: &str) -> String {
    below(journey, "Served", 13, row)
}

fn site(options: Options) -> Journey {
    let mut journey = Journey::empty(options).size(120, 100);
    journey.send(Message::Example);
    journey
}

#[test]
fn a_bar_grows_left_below_the_target_and_right_above_it() {
    let mut journey = site(Options::default());
    for (row, expected) in [
        ("alice", "«██│    <.01x"),
        ("hana", "▉██│    0.22x"),
        ("dana", " ▋█│    0.39x"),
        ("admin ", "   │    1.00x"),
        ("chen", "   │▏   1.04x"),
        ("bob", "   │█▍  2.57x"),
        ("guests", "   │██»   inf"),
        ("karim", "«██│       0x"),
    ] {
        assert_eq!(served(&mut journey, row), expected, "{row}");
    }
    // A node without a target of its own has no bar: Slurm's `parent` instead of shares, and the root.
    for row in ["student01", "root"] {
        assert_eq!(served(&mut journey, row).trim(), "", "{row}");
    }
}

#[test]
fn only_the_rest_of_a_cell_on_the_left_is_drawn_in_reverse() {
    let mut journey = site(Options::default());
    let screen = journey.screen();
    let y = screen.lines().position(|line| line.contains(" dana "));
    let (y, buffer) = (u16::try_from(y.unwrap()).unwrap(), journey.buffer());
    let reversed = |symbol: &str| {
        let mut cells = (0..buffer.area.width).map(|x| &buffer[(x, y)]);
        let cell = cells.find(|cell| cell.symbol() == symbol).unwrap();
        cell.modifier.contains(Modifier::REVERSED)
    };
    assert!(reversed("▋"));
    assert!(!reversed("█"));
}

#[test]
fn a_bar_tells_the_multiple_in_a_level_of_500_at_80_columns() {
    let mut drawing = "lab 1\n".to_owned();
    for user in 0..500 {
        let usage = if user == 7 { 400 } else { 100 };
        let _ = writeln!(drawing, "  user{user:03} 1 | {usage}");
    }
    let mut journey = Journey::on(&drawing).size(80, 24).keys("<space>");
    assert_eq!(below(&mut journey, "Served", 7, "user007"), "   │██ ");
    assert_eq!(below(&mut journey, "Served", 7, "user008"), "  ▉│   ");
}

#[test]
fn the_sides_of_a_bar_are_told_apart_in_ascii() {
    let mut journey = site(Options {
        is_ascii: true,
        ..Options::default()
    });
    for (row, expected) in [
        ("alice", "<==|    <.01x"),
        ("dana", "  =|    0.39x"),
        ("astro ", "   |==  2.72x"),
        ("bob", "   |=   2.57x"),
        ("guests", "   |==>   inf"),
    ] {
        assert_eq!(served(&mut journey, row), expected, "{row}");
    }
}

#[test]
fn the_rule_below_the_table_explains_the_bars() {
    for (width, height, scale) in [
        (80, 24, " ─"),
        (120, 40, ", each cell doubles"),
        (200, 50, ", each cell doubles"),
    ] {
        let mut journey = Journey::on(SEED).size(width, height);
        journey.must_show(&format!("under-served ▐█│█▌ over-served{scale}"));
    }
    let mut journey = site(Options::default()).size(100, 24).keys("$");
    let short = "under-served ▐█│█▌ over-served";
    journey.must_show(short);
    let mut journey = Journey::on(SEED).keys("vc");
    while !journey.screen().contains("❯ [x] Served") {
        journey.press("<down>");
    }
    journey.press("<space> <esc>");
    assert!(
        !journey.screen().contains("over-served,"),
        "no bars, no legend"
    );
}

#[test]
fn target_and_usage_are_drawn_to_the_scale_of_the_largest_sibling() {
    let mut journey = site(Options::default()).keys("vc share│usage <enter> <esc>");
    // In a level of many, portions would be too small to be seen: the largest fills its side.
    let row = journey.row("optics");
    row.must_contain("██│▌");
    let row = journey.row("astro ");
    row.must_contain("███│████████>");
}

#[test]
fn an_example_says_what_it_shows_on_every_screen_until_it_is_left() {
    let mut journey = Journey::example("small").size(80, 24);
    for keys in ["1", "2", "3", "4"] {
        journey.press(keys);
        let caption = Example::Small.caption();
        journey.must_show(caption);
    }
    for &example in Example::ALL {
        let caption = example.caption();
        assert!(caption.chars().count() < 80, "{caption}");
        let mut journey = Journey::example(example.name()).size(80, 24);
        journey.must_show(caption);
    }
    Journey::on(SEED)
        .screen()
        .must_lack(Example::Small.caption());
}

#[test]
fn the_caption_of_an_example_is_gone_while_its_tree_shows_something_else() {
    let caption = Example::Small.caption();
    let mut journey = Journey::example("small").size(80, 24);
    journey.press("/suzy<enter><esc>e50<enter>");
    journey.must_hide(caption);
    journey.press("u");
    journey.must_show(caption);
    journey.press("p<down><enter>");
    journey.must_hide(caption);
}

#[test]
fn the_tree_has_at_least_fourteen_rows_and_why_is_beside_it_on_a_wide_screen() {
    let mut drawing = String::new();
    for user in 0..60 {
        let _ = writeln!(drawing, "user{user:02} 1 | {user}");
    }
    for (width, height) in [(80, 24), (100, 30), (120, 40), (160, 45), (200, 50)] {
        let mut journey = Journey::on(&drawing).size(width, height);
        let screen = journey.screen();
        let rows = screen.lines().filter(|line| line.contains(" user")).count();
        assert!(rows >= 14, "{width}x{height} has {rows} rows:\n{screen}");
        let rule = screen.lines().position(|line| line.contains("── why"));
        let is_beside = rule == Some(2);
        assert_eq!(is_beside, width >= 160, "{screen}");
    }
}

#[test]
fn the_why_pane_takes_the_rows_that_a_small_tree_leaves_blank() {
    for (width, height) in [(80, 24), (60, 18)] {
        let mut journey = Journey::on(SEED).size(width, height);
        let screen = journey.screen();
        let rule = screen.lines().position(|line| line.contains("── why"));
        let above = rule.and_then(|rule| screen.lines().nth(rule - 1));
        assert!(
            above.is_some_and(|row| !row.trim().is_empty()),
            "{width}x{height}:\n{screen}"
        );
    }
}

#[test]
fn a_folded_account_tells_how_many_nodes_it_holds_beside_its_name() {
    let mut journey = Journey::on(SEED).keys("g j h");
    let row = journey.row("group2");
    row.must_contain("▸ group2 (2) ");
}
