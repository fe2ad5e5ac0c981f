//! The large layout for a projector: its theme, its rows and columns, the pointer, and the keys that were pressed.

use crate::support::expected::Expected as _;
use crate::support::journey::{Journey, notice, scenario};
use crate::support::trees::SEED;
use fairscope::format::Example;
use fairscope::rules::policy::{ColumnId, Policy, RuleColumn};
use fairscope::tui::{Config, Options, Theme};
use ratatui::style::{Color, Modifier};

/// The screens, a page and a topic of the manual, by the keys that lead there.
const FRONTS: [&str; 7] = ["1", "2 g", "3 g", "4 g", "5", "gjj i3<enter>", "<f1>"];

/// Returns the background of the screen.
fn ground(journey: &mut Journey) -> Color {
    let buffer = journey.buffer();
    buffer[(buffer.area.width - 1, 1)].bg
}

fn ground_of(theme: &str) -> Color {
    let theme = Theme::named(theme).unwrap();
    theme.background.bg.unwrap_or_default()
}

/// Returns the lines of the screen from the heading of the table on.
fn lines(journey: &mut Journey) -> Vec<String> {
    let screen = journey.screen();
    screen.lines().skip(2).map(str::to_owned).collect()
}

#[test]
fn one_key_switches_the_layout_on_and_off_on_every_screen() {
    for keys in FRONTS {
        let mut journey = Journey::example("site").size(100, 30).keys("jjjj");
        journey.press(keys);
        journey.answer();
        let before = journey.buffer();
        journey.press("<f2>");
        assert_eq!(ground(&mut journey), ground_of("high-contrast"), "{keys}");
        assert_ne!(journey.buffer(), before, "{keys}");
        journey.press("<f2>");
        assert_eq!(journey.buffer(), before, "{keys}");
        journey.press("<f2>");
        for (width, height) in [(80, 24), (120, 40), (30, 8), (100, 30)] {
            journey.resize(width, height);
            assert_eq!(
                journey.screen().lines().count(),
                usize::from(height),
                "{keys}"
            );
        }
    }
}

#[test]
fn the_chosen_theme_comes_back_and_another_can_be_chosen_meanwhile() {
    let mut journey = Journey::on(SEED).keys("<f2>");
    assert_eq!(ground(&mut journey), ground_of("high-contrast"));
    journey.press("v t");
    assert!(journey.row("● high-contrast").contains('❯'), "it is marked");
    journey.press("<up> <esc>");
    assert_eq!(ground(&mut journey), ground_of("high-contrast"));
    journey.press(":theme<enter><up><enter>");
    assert_eq!(ground(&mut journey), ground_of("light"));
    notice(&journey).must_begin("theme: light");
    journey.press("j");
    assert_eq!(ground(&mut journey), ground_of("light"));
    journey.press("<f2>");
    assert_eq!(ground(&mut journey), ground_of("dark"));
    journey.press("<f2>");
    assert_eq!(
        ground(&mut journey),
        ground_of("high-contrast"),
        "each time"
    );
}

#[test]
fn terminals_with_few_colours_keep_their_theme() {
    for theme in ["mono", "sixteen"] {
        let options = Options {
            theme: Some(theme.into()),
            ..Options::default()
        };
        let snapshot = crate::support::trees::pbs(SEED);
        let mut journey = Journey::with_options(snapshot, options).keys("<f2>");
        let buffer = journey.buffer();
        let is_painted = |cell: &ratatui::buffer::Cell| {
            matches!(cell.bg, Color::Rgb(..)) || matches!(cell.fg, Color::Rgb(..))
        };
        assert!(!buffer.content.iter().any(is_painted), "{theme}");
        journey.must_show("▶");
    }
}

#[test]
fn few_columns_stand_apart() {
    for (example, width) in [("site", 80), ("small", 80), ("small", 120), ("flux", 120)] {
        let mut journey = Journey::example(example).size(width, 30).keys("$");
        let heading = |journey: &mut Journey| lines(journey)[0].clone();
        let count = |heading: &str| heading.split_whitespace().count();
        let before = heading(&mut journey);
        journey.press("<f2>");
        let after = heading(&mut journey);
        if width > 80 {
            assert!(count(&after) < count(&before), "{before}\n{after}");
        }
        for column in ["Shares", "Factor", "Rank"] {
            assert!(after.contains(column), "{example}: {column} in {after}");
        }
        // The name of the first column has blanks of its own.
        let columns = after.split_once("user").unwrap().1.trim_start();
        let columns = columns.replace("Of tree", "Target");
        let gaps = columns.split(|char: char| char != ' ');
        let narrow = gaps.filter(|gap| !gap.is_empty() && gap.len() < 2);
        assert_eq!(narrow.count(), 0, "{after}");
    }
}

#[test]
fn columns_that_were_chosen_are_shown() {
    let mut journey = Journey::on(SEED).keys("v c");
    journey.press("<space><esc> <f2>");
    let headings = lines(&mut journey)[0].clone();
    headings.must_lack("Shares");
    headings.must_contain("Of level");
}

#[test]
fn rows_are_apart_and_clicked_where_they_are_drawn() {
    let mut journey = Journey::on(SEED).size(120, 40).keys("<f2>");
    let rows = lines(&mut journey);
    let at = |name: &str| {
        let found = rows.iter().position(|line| line.contains(name));
        found.unwrap_or_else(|| panic!("no {name} in {rows:?}"))
    };
    assert_eq!(at("bob") % 2, at("cathy") % 2, "{rows:?}");
    assert_eq!(at("bob").abs_diff(at("cathy")), 2, "{rows:?}");
    for name in ["bob", "cathy", "suzy"] {
        let y = u16::try_from(at(name) + 2).unwrap();
        journey.click(40, y);
        assert_eq!(journey.selected(), name);
    }
    let between = u16::try_from(at("suzy") + 3).unwrap();
    journey.press("g");
    journey.click(40, between);
    assert_eq!(journey.selected(), "TREEROOT", "the blank line is no row");
}

#[test]
fn a_page_down_turns_as_many_rows_as_are_drawn() {
    for keys in ["x <f2>", "2 <f2>", "3 <f2>"] {
        let mut journey = Journey::example("equal150").size(100, 40).keys(keys);
        journey.answer();
        journey.press("g");
        let names = |journey: &mut Journey| -> Vec<String> {
            let lines = lines(journey);
            let words = lines.iter().flat_map(|line| line.split([' ', '/']));
            let names = words.filter(|word| word.starts_with("user") && word.len() == 7);
            names.map(str::to_owned).collect()
        };
        let before = names(&mut journey);
        assert!(before.len() > 3, "{keys}: {before:?}");
        journey.press("<ctrl-f>");
        let after = names(&mut journey);
        assert!(
            before.iter().any(|name| after.contains(name)),
            "{keys}: {before:?} {after:?}"
        );
        let selected = journey.row("▶");
        assert!(!selected.is_empty(), "{keys}: the pointer is on the screen");
    }
}

#[test]
fn a_low_screen_keeps_its_rows_together() {
    let mut journey = Journey::on(SEED).size(80, 14).keys("<f2>");
    let rows = lines(&mut journey);
    let at = |name: &str| rows.iter().position(|line| line.contains(name)).unwrap();
    assert_eq!(at("suzy").abs_diff(at("scott")), 1, "{rows:?}");
}

#[test]
fn the_selected_row_has_a_pointer_and_is_strong_from_end_to_end() {
    for keys in ["1", "2", "3"] {
        let mut journey = Journey::on(SEED).keys("jj <f2>");
        journey.press(keys);
        journey.answer();
        let buffer = journey.buffer();
        let y = (0..buffer.area.height)
            .find(|&y| buffer[(0, y)].symbol() == "▶")
            .unwrap_or_else(|| panic!("{keys}: no pointer"));
        let selected = Theme::named("high-contrast").unwrap().selected.bg.unwrap();
        for x in 0..60 {
            let cell = &buffer[(x, y)];
            assert!(cell.modifier.contains(Modifier::BOLD), "{keys} {x}");
            assert_eq!(cell.bg, selected, "{keys} {x}");
        }
        journey.press("<f2>");
        assert!(!journey.screen().contains('▶'), "{keys}");
    }
}

#[test]
fn pressed_keys_are_shown_with_what_the_last_one_does() {
    let mut journey = Journey::on(SEED).size(100, 30).keys("<f2>");
    let tabs = |journey: &mut Journey| journey.screen().lines().nth(1).unwrap().to_owned();
    journey.press("jjj");
    tabs(&mut journey).must_end("j ×3 Next row");
    journey.press("k p");
    tabs(&mut journey).must_end("j ×3  k  p Next policy");
    journey.press("v c <esc>");
    let shown = tabs(&mut journey);
    shown.must_end("v c  esc");
    journey.press("<ctrl-f>");
    tabs(&mut journey).must_end("^F One screen down");
    // At most a few of them.
    tabs(&mut journey).must_lack("j");
    journey.press("<f2> <f2>");
    assert!(!tabs(&mut journey).contains("^F"), "they are forgotten");
}

#[test]
fn what_is_typed_is_not_shown_twice() {
    let mut journey = Journey::on(SEED).size(100, 30).keys("<f2> / bo");
    let tabs = |journey: &mut Journey| journey.screen().lines().nth(1).unwrap().to_owned();
    tabs(&mut journey).must_end("/ Search names");
    journey.press("<enter>");
    tabs(&mut journey).must_end("/  enter");
    journey.press(": undo");
    tabs(&mut journey).must_lack('u'.to_string().repeat(2).as_str());
    tabs(&mut journey).must_contain(": All actions by name");
}

#[test]
fn keys_are_shown_on_pages_too() {
    let mut journey = Journey::on(SEED).size(100, 30).keys("j+ <f2> 5");
    journey.answer();
    journey.press("j");
    let screen = journey.screen();
    let tabs = screen.lines().nth(1).unwrap();
    tabs.must_end("j Next line or choice");
}

#[test]
fn the_sentence_about_an_example_has_blank_lines_around_it() {
    for example in Example::ALL {
        let mut journey = Journey::example(example.name()).size(80, 24).keys("<f2>");
        let screen = journey.screen();
        let lines: Vec<&str> = screen.lines().collect();
        let caption = example.caption();
        let first: String = caption.chars().take(30).collect();
        let at = lines.iter().position(|line| line.contains(&first));
        let at = at.unwrap_or_else(|| panic!("no {first:?} in\n{screen}"));
        assert_eq!(lines[at - 1].trim(), "", "{screen}");
        assert_eq!(lines[lines.len() - 2].trim(), "", "{screen}");
        let buffer = journey.buffer();
        let y = u16::try_from(at).unwrap();
        assert!(
            buffer[(2, y)].modifier.contains(Modifier::BOLD),
            "{:?}",
            buffer[(2, y)].modifier
        );
    }
}

#[test]
fn the_large_layout_keeps_to_ascii() {
    let options = Options {
        is_ascii: true,
        ..Options::default()
    };
    let snapshot = crate::support::trees::pbs(SEED);
    let mut journey = Journey::with_options(snapshot, options).keys("<f2> jjj");
    for keys in ["", "2", "3", "4", "5"] {
        journey.press(keys);
        journey.answer();
        let screen = journey.screen();
        assert!(screen.is_ascii(), "{keys}: {screen}");
    }
}

#[test]
fn nothing_is_cut_in_the_large_layout() {
    let mut cut = Vec::new();
    for example in Example::ALL {
        for screen in ["1", "2", "3", "4"] {
            let mut journey = Journey::example(example.name()).size(80, 24).keys("<f2>");
            journey.press(screen);
            journey.answer();
            let lines = super::cut::cut_lines(&journey.screen());
            let name = example.name();
            cut.extend(
                lines
                    .into_iter()
                    .map(|line| format!("{name} {screen}: {line}")),
            );
        }
    }
    assert!(cut.is_empty(), "{}", cut.join("\n"));
}

#[test]
fn the_sign_of_more_columns_covers_no_heading() {
    for keys in ["", "<f2>"] {
        let columns = [
            ColumnId::Shares,
            ColumnId::Usage,
            ColumnId::Served,
            ColumnId::Balance,
            ColumnId::Factor,
            ColumnId::Rank,
            ColumnId::Change,
        ];
        let columns = columns.map(RuleColumn::current).to_vec();
        let config = Config {
            columns,
            ..Config::default()
        };
        let options = config.below(Options::default());
        let snapshot = crate::support::trees::pbs(SEED);
        let mut journey = Journey::with_options(snapshot, options).keys(keys);
        for width in 40..90 {
            journey.resize(width, 24);
            let headings = lines(&mut journey)[0].clone();
            let last = headings.strip_suffix('»').unwrap_or(" ").rsplit(' ').next();
            let words = [
                "",
                "user",
                "Shares",
                "Usage",
                "Served",
                "share│usage",
                "Factor",
                "Rank",
            ];
            assert!(words.contains(&last.unwrap()), "{headings}");
        }
    }
}

#[test]
fn the_large_layout_keeps_shares_the_main_number_and_buckets_at_80_columns() {
    let mut journey = Journey::example("buckets").size(80, 24).keys("$ <f2>");
    for _ in Policy::ALL {
        let policy = scenario(&journey).policy();
        let headings = lines(&mut journey)[0].clone();
        let main = match policy {
            Policy::LevelBased => "FairShare Raw",
            Policy::FairTree | Policy::FairTreeDocumented => "LevelFS",
            Policy::Flux => "Weight",
            Policy::Tickets => "Tickets",
            Policy::PbsWalk => "Usage/perc",
            _ => "Factor",
        };
        headings.must_contain("Shares");
        headings.must_contain(main);
        journey.press("p");
    }
}

#[test]
fn blank_lines_between_rows_cost_at_most_a_third_of_them() {
    let below = |journey: &mut Journey, name: &str| {
        let screen = journey.screen();
        let row = screen.lines().position(|line| line.contains(name));
        let row = row.unwrap_or_else(|| panic!("{name} in\n{screen}"));
        screen.lines().nth(row + 1).unwrap_or_default().to_owned()
    };
    // Eight rows fit with blank lines, the 57 of the site do not.
    let mut few = Journey::on(SEED).size(120, 40).keys("<f2>");
    assert!(below(&mut few, "suzy").trim().is_empty());
    let mut many = Journey::example("site").size(80, 24).keys("<f2>");
    below(&mut many, "alice").must_contain("bob");
}
