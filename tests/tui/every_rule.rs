//! The columns of every rule: four rules on one row, while an edit is typed too.

use crate::support::expected::Expected as _;
use crate::support::journey::{Journey, caption, notice, scenario};
use crate::support::trees::SEED;
use fairscope::format::{Example, Request};
use fairscope::rules::policy::{ColumnId, Policy, RuleColumn};
use fairscope::tui::recent::Kept;
use fairscope::tui::{Config, Dialog, Effect, Memory, Message, Options};

fn headings(journey: &mut Journey) -> String {
    let screen = journey.screen();
    screen.lines().nth(2).unwrap_or_default().to_owned()
}

/// Returns the line of the table that shows a node.
fn line_of(journey: &mut Journey, name: &str) -> String {
    let screen = journey.screen();
    let line = screen
        .lines()
        .find(|line| line.contains(&format!("  {name} ")));
    line.expect("a row").to_owned()
}

#[test]
fn one_key_goes_from_the_columns_of_the_policy_to_those_of_every_rule_and_back() {
    let mut journey = Journey::on(SEED).size(80, 24);
    let own = journey.screen();
    journey.press("$");
    let headings = "Effective Factor pbs    Weight           Buckets  Rank";
    journey.must_show(headings);
    notice(&journey).must_begin("columns of every rule");
    journey.press("$");
    notice(&journey).must_begin("columns of the policy");
    journey.press("<esc>");
    assert_eq!(journey.screen(), own);
}

#[test]
fn columns_chosen_one_by_one_come_after_those_of_every_rule() {
    let mut journey = Journey::on(SEED).size(100, 30);
    journey.press("v c");
    journey.press("TreeUsage<enter><esc>");
    journey.press("$");
    notice(&journey).must_begin("columns of the policy");
    journey.press("$");
    notice(&journey).must_begin("columns of every rule");
    journey.press("$");
    notice(&journey).must_begin("your own columns");
}

#[test]
fn every_rule_stands_on_each_screen_from_60_columns_on() {
    for (width, height) in [(60, 18), (66, 20), (70, 20), (80, 24), (100, 30)] {
        let mut journey = Journey::on(SEED).size(width, height).keys("$");
        notice(&journey).must_begin("columns of every rule;");
        let headings = headings(&mut journey);
        for heading in ["Factor pbs", "Buckets", "Rank"] {
            assert!(headings.contains(heading), "{width}: {headings}");
        }
        assert!(width == 100 || headings.ends_with('»'), "{headings}");
        journey.press(">>>>>");
        let scrolled = self::headings(&mut journey);
        assert!(width == 100 || scrolled.contains("Served"), "{scrolled}");
    }
    let mut journey = Journey::on(SEED).size(50, 18).keys("$");
    let told = "every rule needs a list of 60 columns, and this one has 50; $ shows the next";
    assert_eq!(notice(&journey), told);
    journey.must_hide("Buckets");
}

#[test]
fn every_rule_keeps_shares_factor_and_buckets_where_it_is_large() {
    for tree in ["site", "buckets", "small"] {
        let mut journey = Journey::example(tree).size(80, 24).keys("<f2>");
        let shown = headings(&mut journey);
        for heading in ["Shares", "Factor pbs", "Buckets", "Rank"] {
            assert!(shown.contains(heading), "{tree}: {shown}");
        }
        shown.must_end("»");
        journey.press(">>>>>");
        headings(&mut journey).must_contain("Served");
    }
}

#[test]
fn shares_and_usage_give_way_to_names_that_would_be_cut() {
    let names = ["postdoc_physics_0123", "postdoc_physics_0124"];
    let [first, second] = names;
    let drawing = format!("group 10\n  {first} 1\n  {second} 2\n");
    for width in [80, 90, 100, 110, 120] {
        let mut journey = Journey::on(&drawing).size(width, 30).keys("d d $");
        let shown = headings(&mut journey);
        for heading in ["Effective", "Factor pbs", "Weight", "Buckets", "Rank"] {
            assert!(shown.contains(heading), "{width}: {shown}");
        }
        let is_whole = names.iter().all(|name| journey.screen().contains(name));
        let has_shares = shown.contains("Shares") || shown.contains("Usage");
        assert!(is_whole || !has_shares, "{width}: {shown}");
        assert!(is_whole || width < 90, "{width}: {}", journey.screen());
    }
}

#[test]
fn every_built_in_tree_shows_all_columns_of_every_rule_on_a_wide_screen() {
    for example in Example::ALL {
        let mut journey = Journey::example(example.name()).size(120, 40);
        let shown = headings(&mut journey);
        for column in RuleColumn::EVERY_RULE {
            let heading = column.heading();
            assert!(shown.contains(&*heading), "{}: {shown}", example.name());
        }
    }
}

#[test]
fn a_sorted_heading_has_room_for_its_mark() {
    for (keys, heading) in [("", "Effective"), ("", "Factor pbs"), ("$", "EffectvUsage")] {
        let mut journey = Journey::example("site").size(80, 24).keys(keys);
        let shown = headings(&mut journey);
        let before = shown.split(heading).next().unwrap_or_default();
        let x = u16::try_from(before.chars().count()).expect("it is on the screen");
        journey.click(x + 2, 2);
        let sorted = headings(&mut journey);
        let is_marked = ['▼', '▲'].map(|mark| sorted.contains(&format!("{heading}{mark}")));
        assert!(is_marked.contains(&true), "{sorted}");
    }
}

/// Returns the names of the lines of the open menu that match what was typed.
fn found(journey: &Journey) -> Vec<String> {
    let Some(Dialog::Menu(menu)) = journey.app.dialog() else {
        panic!("the menu is open");
    };
    let passing = menu.passing();
    let names = passing.iter().map(|item| item.name.to_string());
    names.collect()
}

#[test]
fn every_number_of_every_rule_is_found_among_the_columns() {
    for (typed, name) in [
        ("pbs:factor", "[x] Factor"),
        ("pbs:rank", "[x] Rank"),
        ("classic:factor", "[ ] Factor classic"),
        ("Factor classic", "[ ] Factor classic"),
        ("flux:rank", "[ ] Rank flux"),
        ("flux:served", "[ ] Served flux"),
        ("flux:weight", "[ ] Weight flux"),
        ("level-based:priority_fs_raw", "[ ] Buckets level-based"),
        ("tickets:tickets", "[ ] Tickets tickets"),
        ("tickets", "[ ] Tickets tickets"),
    ] {
        let mut journey = Journey::on(SEED).keys("v c");
        for letter in typed.chars().filter(|&letter| letter != ' ') {
            journey.press(&letter.to_string());
        }
        let found = found(&journey);
        assert_eq!(found.first().map(String::as_str), Some(name), "{typed}");
    }
    for rule in Policy::ALL {
        let number = match rule {
            Policy::Formula => "formula_value",
            _ => "factor",
        };
        for column in ["served", "rank", number] {
            let name = format!("{}:{column}", rule.name());
            let journey = Journey::on(SEED).keys("v c").keys(&name);
            let Some(Dialog::Menu(menu)) = journey.app.dialog() else {
                panic!("the menu is open");
            };
            let first = menu.passing().first().map(|item| item.words.clone());
            let first = first.unwrap_or_default();
            assert!(first.starts_with(&format!("{name} ")), "{name}: {first}");
        }
    }
}

#[test]
fn shown_columns_of_the_rule_in_force_are_unticked_and_sorted_by() {
    let mut journey = Journey::example("site").size(120, 40);
    journey.press("P pbs<enter>");
    assert_eq!(scenario(&journey).policy(), Policy::Pbs);
    journey.must_show("Factor pbs");
    journey.press("s");
    for heading in ["Effective", "Factor pbs", "Weight", "Buckets"] {
        assert!(found(&journey).contains(&heading.to_owned()), "{heading}");
    }
    journey.press("<esc> v c");
    assert!(
        found(&journey).contains(&"[x] Factor pbs".to_owned()),
        "{:?}",
        found(&journey)
    );
    journey.press("pbs:factor");
    // The rule's own column is another one than that of the preset.
    assert_eq!(found(&journey)[..2], ["[ ] Factor", "[x] Factor pbs"]);
    journey.press("<down> <enter><esc>");
    journey.must_hide("Factor pbs");
}

#[test]
fn the_keys_of_columns_and_policy_are_suggested_at_80_columns() {
    let mut own = Journey::on(SEED).size(80, 24);
    let mut example = Journey::example("site").size(80, 24);
    for (journey, last) in [(&mut own, "p policy"), (&mut example, "o open")] {
        journey.must_show_all(&["p policy", "$ columns", "/ find", "e shares"]);
        journey.press("j e80<enter> <down>");
        let kept = ["$ columns", "u undo", "w save", "e shares", last];
        journey.must_show_all(&kept);
    }
}

#[test]
fn keys_that_a_low_screen_leaves_out_are_counted() {
    let mut journey = Journey::on(SEED).size(60, 12).keys("t");
    journey.must_show("more: esc ? lists them");
    let mut journey = Journey::on(SEED).size(80, 24).keys("t");
    journey.must_hide("more: esc");
}

#[test]
fn every_rule_moves_while_a_number_is_typed() {
    let mut journey = Journey::on(SEED).size(80, 24).keys("$");
    let before = line_of(&mut journey, "scott");
    let numbers = "0.832973   0.090201  0.400000 67D17ABB 38BB5A65";
    before.must_contain(numbers);
    journey.press("/suzy<enter>e90");
    let typed = line_of(&mut journey, "scott");
    let numbers = "0.832896   0.043843  0.307692 67D17ABB 28B311B6";
    typed.must_contain(numbers);
    journey.press("<esc>");
    assert_eq!(line_of(&mut journey, "scott"), before);
}

#[test]
fn every_rule_stays_under_another_policy() {
    let mut journey = Journey::on(SEED).size(80, 24).keys("$ p");
    journey.answer();
    let headings = "Effective Factor pbs    Weight           Buckets  Rank";
    journey.must_show_all(&["Slurm LEVEL_BASED", headings]);
}

#[test]
fn an_example_opens_with_every_rule_and_a_schedulers_tree_with_its_own_columns() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut journey = Journey::example("site").size(width, height);
        let columns = ["Effective", "Factor pbs", "Weight", "Buckets", "Rank"];
        journey.must_show_all(&columns);
    }
    let mut journey = Journey::on(SEED).size(120, 40);
    journey.must_hide("Buckets");
    let config = Config {
        columns: vec![ColumnId::Usage.into()],
        ..Config::default()
    };
    let mut journey = Journey::empty(config.below(Options::default())).size(120, 40);
    journey.send(Message::Open(Box::new(Request::to_open("example:site"))));
    journey.answer();
    journey.must_hide("Buckets");
}

#[test]
fn columns_are_kept_for_a_source() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tree.csv");
    let tree = "parent,name,shares,usage\n,ann,20,500\n,ben,5,1\n";
    std::fs::write(&path, tree).expect("it is written");
    let kept = |words: &[&str]| {
        let words = words.iter().map(|&word| word.to_owned());
        Effect::Memory(Memory::KeepWords(
            Kept::Columns,
            path.clone(),
            words.collect(),
        ))
    };
    let mut journey = Journey::remembering(folder.path(), &path).keys("$");
    assert!(
        journey.effects.contains(&kept(&["every-rule"])),
        "{:?}",
        journey.effects
    );
    journey.press("$");
    assert!(journey.effects.contains(&kept(&[])), "those of the policy");

    let mut again = Journey::remembering(folder.path(), &path);
    let recalled = |words: &[&str]| {
        let words = words.iter().map(|word| word.as_bytes().to_vec());
        Message::Recalled(Kept::Columns, path.clone(), words.collect())
    };
    again.send(recalled(&["every-rule"]));
    again.must_show_all(&["Effective", "Buckets"]);
    again.send(recalled(&[
        "shares",
        "flux:weight",
        "rank",
        "no such column",
    ]));
    again.must_show_all(&["Shares", "Weight", "Rank"]);
    again.must_hide("Buckets");
}

#[test]
fn own_columns_are_kept_while_others_are_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tree.csv");
    let tree = "parent,name,shares,usage\n,ann,20,500\n,ben,5,1\n";
    std::fs::write(&path, tree).expect("it is written");
    let mut journey = Journey::remembering(folder.path(), &path).keys("v c");
    journey.press("flux:weight<enter><esc>");
    let kept = |journey: &Journey| {
        let effects = journey.effects.iter().rev();
        let mut words = effects.filter_map(|effect| match effect {
            Effect::Memory(Memory::KeepWords(Kept::Columns, _, words)) => Some(words.clone()),
            _ => None,
        });
        words.next().expect("columns are kept")
    };
    let own = kept(&journey);
    assert!(own.contains(&"flux:weight".to_owned()), "{own:?}");
    let own_headings = headings(&mut journey);
    for (keys, first) in [("$", "policy"), ("$", "every-rule")] {
        journey.press(keys);
        let words = kept(&journey);
        assert_eq!(words[0], first);
        assert_eq!(words[1..], own);
        let mut again = Journey::remembering(folder.path(), &path);
        let words = words.iter().map(|word| word.as_bytes().to_vec());
        let recalled = Message::Recalled(Kept::Columns, path.clone(), words.collect());
        again.send(recalled);
        assert_eq!(headings(&mut again), headings(&mut journey), "{first}");
        let more = if first == "policy" { "$ $" } else { "$" };
        again.press(more);
        notice(&again).must_begin("your own columns");
        assert_eq!(headings(&mut again), own_headings, "{first}");
    }
}

#[test]
fn own_columns_outlast_a_change_of_the_policy() {
    let mut journey = Journey::on(SEED).keys("v c");
    journey.press("flux:weight<enter><esc> p $ $");
    notice(&journey).must_begin("your own columns");
    journey.must_show("Weight");
}

#[test]
fn columns_left_out_for_the_width_are_announced_and_scrolled_to() {
    let mut journey = Journey::example("site").size(80, 24);
    headings(&mut journey).must_end("»");
    journey.press(">>>>>>");
    let scrolled = headings(&mut journey);
    scrolled.must_contain("Served");
    scrolled.must_lack("»");
    let mut journey = Journey::on(SEED).size(80, 24);
    headings(&mut journey).must_end("»");
    journey.press(">>>>>>");
    let scrolled = headings(&mut journey);
    scrolled.must_contain("Of level");
}

#[test]
fn users_with_blank_cells_are_told_when_a_tree_opens_with_every_rule() {
    let mut journey = Journey::example("site").size(80, 24);
    let blank = "pbs and flux know no parent shares: no rank for 8 users, such as student01";
    journey.must_show_all(&["astro used 2.7x its target", blank, "? help"]);
    journey.press("$");
    assert!(
        !notice(&journey).contains("no rank"),
        "none of the policy's columns is blank"
    );
    // A caption alone, where no cell is blank.
    let journey = Journey::example("small");
    caption(&journey).must_lack("no rank");

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tree.csv");
    let tree = "parent,name,shares,usage\n,a,20,\na,ann,parent,500\na,ben,5,1\n";
    std::fs::write(&path, tree).expect("it is written");
    let mut journey = Journey::remembering(folder.path(), &path);
    assert_eq!(caption(&journey), "");
    let words = vec![b"every-rule".to_vec()];
    journey.send(Message::Recalled(Kept::Columns, path, words));
    let told = caption(&journey);
    told.must_contain("pbs and flux know no parent shares: no rank for 1 user, such as ann");
}
