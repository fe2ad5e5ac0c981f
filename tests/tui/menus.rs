//! Menus: the lines they offer, the lines they mark, and the effect of a choice.

use crate::support::expected::Expected as _;
use crate::support::journey::{Journey, notice};
use crate::support::trees::SEED;
use fairscope::format::Example;
use fairscope::report::outline::Filter;
use fairscope::rules::policy::Policy;
use fairscope::tui::{Dialog, Effect, Message, Work};

#[test]
fn b_offers_every_built_in_tree() {
    let mut journey = Journey::on(SEED).keys("b");
    for example in Example::ALL {
        let row = journey.row(example.name());
        row.must_contain(example.help());
    }
}

#[test]
fn a_built_in_tree_opens_beside_the_tree_that_is_open() {
    let mut journey = Journey::on(SEED).keys("b <down> <down> <down> <enter>");
    let request = match &journey.effects[..] {
        [Effect::Work(Work::Load(request))] => request.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(request.path().as_os_str(), "example:flux");
    journey.answer();
    let session = journey.app.session().unwrap();
    assert_eq!(session.scenario.policy(), Policy::Flux);
    journey.must_show("tree 2 of 2");
    journey.press("<ctrl-n>");
    assert_eq!(journey.selected(), "group2", "edits and all");
}

#[test]
fn a_built_in_tree_opens_where_nothing_is_open() {
    let mut journey = Journey::empty(fairscope::tui::Options::default()).keys("b <enter>");
    journey.answer();
    assert!(journey.app.session().is_some());
}

#[test]
fn the_first_screen_explains_how_to_open_another_tree() {
    let mut journey = Journey::empty(fairscope::tui::Options::default()).size(80, 24);
    journey.send(Message::Example);
    let screen = journey.screen();
    screen.must_contain(Example::Site.caption());
    let hints = screen.lines().last().unwrap_or_default();
    hints.must_begin(" ? help  o open  ");
    assert_eq!(journey.selected(), "astro", "who used most of its target");
}

#[test]
fn the_menu_of_columns_marks_exactly_the_columns_on_the_screen() {
    for width in [80, 120, 200] {
        let mut journey = Journey::example("buckets").size(width, 40).keys("$");
        let headings = journey.screen().lines().nth(2).unwrap().to_owned();
        journey.press("vc");
        let Some(Dialog::Menu(menu)) = journey.app.dialog() else {
            panic!("the menu is open");
        };
        for item in &menu.items {
            let heading = item.name.split_once("] ").unwrap().1;
            let is_marked = item.name.starts_with("[x]");
            // F alone is part of many words.
            let is_shown = headings.contains(&format!(" {heading}"))
                && (heading != "F" || headings.contains(" F "))
                && (heading != "Level" || headings.contains(" Level "));
            assert_eq!(is_marked, is_shown, "{heading} at {width}: {headings}");
        }
    }
}

#[test]
fn the_menu_of_sort_orders_uses_the_headings_of_the_columns() {
    let mut journey = Journey::example("buckets").size(200, 50).keys("s");
    for heading in ["NormShares", "EffectvUsage", "FairShare Raw", "Rank"] {
        journey.row(heading);
    }
}

#[test]
fn a_sentence_cut_in_a_menu_is_shown_in_full_below_for_the_selected_line() {
    let mut journey = Journey::on(SEED).size(80, 24).keys("P <down>");
    let screen = journey.screen();
    let text: String = screen
        .lines()
        .map(|line| line.trim_matches(|char: char| char == '│' || char == ' '))
        .collect::<Vec<_>>()
        .join(" ");
    assert!(text.contains(Policy::LevelBased.help()), "{screen}");
    assert!(!text.contains(Policy::Pbs.help()), "{screen}");
}

#[test]
fn every_line_of_every_menu_says_something_whole_at_80_columns() {
    for keys in ["s", "f", "P", "vc", "b", ":", "vt"] {
        let mut journey = Journey::example("buckets")
            .size(80, 24)
            .keys(keys)
            .keys("<home>");
        let Some(Dialog::Menu(menu)) = journey.app.dialog() else {
            panic!("{keys} opens a menu");
        };
        let items: Vec<_> = menu
            .items
            .iter()
            .map(|item| (item.name.clone(), item.help.clone()))
            .collect();
        for (place, (name, help)) in items.iter().enumerate() {
            let screen = journey.screen();
            screen.must_contain(&format!(" {} of {} ", place + 1, items.len()));
            let mut rows = screen.lines();
            let row = rows
                .find(|line| line.contains(&format!("❯ {name}")))
                .expect("the selected row");
            let said = row
                .split_once(name.as_str())
                .unwrap()
                .1
                .split("  │")
                .next()
                .unwrap()
                .trim_matches(['│', ' ']);
            let lines = screen.lines().map(|line| line.trim_matches(['│', ' ']));
            let text = lines.collect::<Vec<_>>().join(" ");
            let is_whole = said == help.as_str() || text.contains(help.as_str());
            assert!(is_whole, "{keys}: {help} is cut in\n{screen}");
            let rest = help.strip_prefix(said).unwrap_or(help);
            let is_clause =
                rest.is_empty() || said.is_empty() || rest.starts_with([',', ';', ':', '.', ' ']);
            assert!(is_clause, "{keys}: {said} ends inside a clause");
            journey.press("<down>");
        }
    }
}

#[test]
fn every_policy_can_sort_by_each_of_its_columns_and_filter_by_service() {
    let mut journey = Journey::example("buckets").size(80, 24);
    for _ in Policy::ALL {
        let title = journey.app.session().unwrap().scenario.policy().title();
        journey.press("s");
        let Some(Dialog::Menu(menu)) = journey.app.dialog() else {
            panic!("the menu is open");
        };
        let names: Vec<_> = menu.items.iter().map(|item| item.name.clone()).collect();
        journey.press("<esc>");
        let rows = journey.app.session().unwrap().pane().outline.rows().len();
        for (place, name) in names.iter().enumerate().skip(1) {
            journey.press(&format!("s <home> {} <enter>", "<down>".repeat(place)));
            assert!(
                journey.screen().contains(&format!("by {name} ")),
                "{title}: {name}: {}",
                journey.screen()
            );
            let session = journey.app.session().unwrap();
            assert_eq!(session.pane().outline.rows().len(), rows, "{title}: {name}");
        }
        journey.press("s <home> <enter>");
        let mut shown = Vec::new();
        for filter in ["<down>", "<down> <down>"] {
            journey.press(&format!("f <home> {filter} <enter>"));
            let session = journey.app.session().unwrap();
            let scenario = &session.scenario;
            let served = session.pane().outline.filter();
            let passes = |node| {
                let portions = scenario.policy().portions(scenario.evaluation(), node);
                portions.is_some_and(|(target, used)| match served {
                    Filter::OverServed => used > target,
                    _ => used < target,
                })
            };
            shown.extend(
                session
                    .pane()
                    .outline
                    .rows()
                    .iter()
                    .filter(|&&node| passes(node))
                    .copied(),
            );
            journey.press("<esc> <esc>");
        }
        let count = shown.len();
        shown.sort_unstable_by_key(|node| node.index());
        shown.dedup();
        assert_eq!(shown.len(), count, "{title}: nobody is both");
        journey.press("p");
    }
}

#[test]
fn hints_of_keys_follow_the_focus() {
    let mut journey = Journey::example("buckets");
    journey.must_show("q quit");
    for key in ["P", "s", "?", "C", ":"] {
        journey.press(key);
        assert!(!journey.screen().contains("q quit"), "{key}");
        journey.press("<esc>");
    }
    journey.press("C");
    journey.must_show("p policy · [ ] setting");
}

#[test]
fn a_menu_in_a_low_window_keeps_its_lines() {
    let mut journey = Journey::on(SEED).size(80, 9).keys("P");
    for policy in &Policy::ALL[..5] {
        journey.must_show(policy.title());
    }
}

#[test]
fn the_menu_of_filters_offers_only_filters_that_can_match() {
    let offers_unknown = |journey: &mut Journey| {
        let screen = journey.screen();
        screen.must_contain("zero shares");
        screen.contains("missing from resource_group")
    };
    let mut pbs = Journey::on(SEED).keys("f");
    assert!(offers_unknown(&mut pbs));
    for example in ["flux", "buckets"] {
        let mut other = Journey::example(example).keys("f");
        assert!(!offers_unknown(&mut other), "{example}");
    }
}

#[test]
fn keys_that_do_not_fit_are_left_out_from_the_left() {
    let foot = |width: u16| Journey::on(SEED).size(width, 24).keys("f").screen();
    let whole = foot(80);
    whole.must_contain("type to filter · enter choose · esc cancel ");
    let narrow = foot(40);
    narrow.must_contain("└ enter choose · esc cancel ");
    narrow.must_lack("type to filter");
}

#[test]
fn the_key_that_quits_leaves_a_list_in_which_nothing_is_typed() {
    let mut journey = Journey::on(SEED).keys("?");
    journey.must_show("q close");
    journey.press("q");
    journey.must_hide("q close");
    journey.press("s");
    journey.must_show("Sort siblings by");
    journey.press("q");
    journey.must_hide("Sort siblings by");
    // Among actions it finds its own.
    journey.press(": q");
    journey.must_show("❯ Quit");
}

#[test]
fn one_key_lists_the_whole_tree_by_what_was_served_and_one_goes_back() {
    let mut journey = Journey::on(SEED).size(80, 24).keys("A");
    notice(&journey).must_begin("the whole tree by Served, most over-served first");
    let rows = journey.screen();
    let mut served = Vec::new();
    for row in rows.lines().skip(3) {
        if row.contains("group") || row.contains("unknown") {
            served.push(row.to_owned());
        }
    }
    served[0].must_contain("unknown");
    served[1].must_contain("3.47x");
    assert!(
        served.iter().any(|row| row.contains("group2/scott ")),
        "{rows}"
    );
    // A row is a node of the tree: enter goes there, with the siblings in the same order.
    journey.press("/ cathy <enter> <enter>");
    notice(&journey).must_begin("siblings by Served");
    assert_eq!(journey.selected(), "cathy");
    journey.must_show("▾ group1");
    // Nothing is folded where there are no levels.
    for keys in ["x", "X", "l"] {
        let journey = Journey::on(SEED).keys("A").keys(keys);
        notice(&journey).must_begin("this list has no levels; A shows them");
    }
    let journey = Journey::on(SEED).keys("2 A");
    notice(&journey).must_begin("this list has no levels; s sorts it");
    // The order that was chosen stays, and the menu says over what it goes.
    let mut journey = Journey::on(SEED).keys("s name <enter> A");
    notice(&journey).must_begin("the whole tree by name, from a to z");
    journey.press("s");
    journey.must_show("Sort the whole tree by");
}

#[test]
fn on_a_narrow_screen_what_was_served_has_numbers_where_it_sorts() {
    let mut journey = Journey::on(SEED).size(80, 24);
    journey.must_hide("1.39x");
    journey.press("s served <enter>");
    journey.must_show("1.39x");
}

#[test]
fn sorting_goes_to_the_first_row_and_says_what_is_first() {
    let mut journey = Journey::on(SEED).keys("G s served <enter>");
    journey.must_show("by Served, most over-served first");
    assert_eq!(journey.selected(), "unknown");
    journey.press("s served <enter>");
    journey.must_show("by Served, most under-served first");
}
