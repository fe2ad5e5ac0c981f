//! Sessions of a user, key by key.

use crate::support::expected::Expected as _;
use crate::support::journey::{Journey, notice};
use crate::support::trees::{self, SEED};
use fairscope::base::shown::Shown;
use fairscope::format::{Problem, Progress, ProgressUnit, Request, Severity};
use fairscope::tui::{
    Confirm, Dialog, Effect, Message, Options, Overwrite, TerminalEffect, Theme, Work,
};

#[test]
fn the_tree_opens_unfolded_with_the_first_account_selected() {
    let mut journey = Journey::on(SEED);
    assert_eq!(journey.selected(), "group2");
    for name in [
        "TREEROOT", "group2", "scott", "suzy", "group1", "cathy", "bob", "unknown",
    ] {
        journey.row(name);
    }
}

#[test]
fn shares_typed_into_the_cell_move_ranks_before_enter_is_pressed() {
    let mut journey = Journey::on(SEED).keys("jj e 0");
    assert!(
        journey.row("suzy").contains("0.000000"),
        "the preview is live: {}",
        journey.row("suzy")
    );
    assert!(
        journey.row("suzy").contains("▼ 1"),
        "ranks move in the same frame: {}",
        journey.row("suzy")
    );
    journey.press("<esc>");
    assert!(
        journey.row("suzy").contains("0.381553"),
        "esc leaves the cell as it was"
    );
    assert!(
        journey
            .app
            .session()
            .unwrap()
            .scenario
            .history()
            .is_untouched()
    );
}

#[test]
fn enter_applies_an_edit_and_marks_the_cell() {
    let mut journey = Journey::on(SEED).keys("jj e 0 <enter>");
    journey.row("suzy").must_contain("*0");
    journey
        .screen()
        .lines()
        .next()
        .unwrap()
        .must_contain("1 edit ●");
}

#[test]
fn amounts_are_absolute_or_relative() {
    for (typed, kept) in [
        ("20", "*20"),
        ("+10", "*70"),
        ("-10", "*50"),
        ("*2", "*120"),
        ("50%<space>of<space>level", "*40"),
    ] {
        let mut journey = Journey::on(SEED).keys("jj e").keys(typed).keys("<enter>");
        assert!(
            journey.row("suzy").contains(kept),
            "{typed}: {}",
            journey.row("suzy")
        );
    }
}

#[test]
fn an_invalid_amount_is_refused_and_the_prompt_keeps_it() {
    let mut journey = Journey::on(SEED).keys("jj e 2x <enter>");
    assert!(
        matches!(journey.app.dialog(), Some(Dialog::Prompt(_))),
        "the prompt stays open"
    );
    journey.must_show("expected a number such as 20, +10, *1.2, +20% or 50% of level");
    journey.press("<backspace><enter>");
    journey.row("suzy").must_contain("*2 ");
}

#[test]
fn shares_out_of_the_range_of_the_scheduler_are_refused() {
    let mut journey = Journey::on(SEED).keys("jj e 2147483648");
    journey.must_show("2147483648 shares do not fit");
    journey.press("<backspace> <enter>");
    assert!(
        journey.row("suzy").contains("*214,748,364") || journey.row("suzy").contains("*214,74")
    );
}

#[test]
fn plus_and_minus_nudge_shares_down_to_zero() {
    let mut journey = Journey::on("a 1\nb 1\n").keys("+ + -");
    journey.row("a ").must_contain("*2");
    journey.press("- - -");
    journey.row("a ").must_contain("*0");
    assert_eq!(notice(&journey), "shares cannot be negative");
}

#[test]
fn undo_and_redo_reach_the_first_and_the_last_edit() {
    let mut journey = Journey::on(SEED);
    let untouched = journey.screen();
    for _ in 0..50 {
        journey.press("+");
    }
    let edited = journey.row("group2");
    for _ in 0..51 {
        journey.press("u");
    }
    assert_eq!(
        notice(&journey),
        "nothing to undo: this is the source as it was read"
    );
    journey.press("<esc>");
    assert_eq!(journey.screen(), untouched);
    for _ in 0..50 {
        journey.press("U");
    }
    assert_eq!(journey.row("group2"), edited);
}

#[test]
fn usage_is_edited_on_nodes_that_record_it() {
    let mut journey = Journey::on(SEED).keys("jj E 2000 <enter>");
    journey.row("suzy").must_contain("*2,000");
    assert!(
        journey.row("group2").contains("3,001"),
        "PBS adds what was recorded to its ancestors"
    );
    journey.press("kk E");
    assert_eq!(
        notice(&journey),
        "the usage here is the sum of the users'; change the usage of a user below it"
    );
}

#[test]
fn accounts_show_how_their_best_user_moved() {
    let mut journey = Journey::on(SEED).keys("jj e 6000000 <enter> k E 1 <enter>");
    journey.row("group2").must_contain("▲");
}

#[test]
fn search_jumps_while_typing_and_steps_with_n() {
    let mut journey = Journey::on(SEED).keys("/ B");
    assert_eq!(
        journey.selected(),
        "bob",
        "no name has the large letter, so the small one does"
    );
    journey.press("<backspace> T");
    assert_eq!(journey.selected(), "TREEROOT");
    journey.press("<enter> n");
    assert_eq!(
        journey.selected(),
        "TREEROOT",
        "a large letter that a name has finds only itself"
    );
    journey.press("/ t");
    assert_eq!(journey.selected(), "TREEROOT", "it begins with the letter");
    journey.press("<enter> n");
    assert_eq!(journey.selected(), "scott", "then those that contain it");
    journey.must_show("/t 2 of 3");
    journey.press("n");
    assert_eq!(journey.selected(), "cathy");
    journey.press("N");
    assert_eq!(journey.selected(), "scott");
    journey.press("/ zzz <esc>");
    assert_eq!(journey.selected(), "scott", "leaving the search goes back");
}

#[test]
fn a_search_with_a_slash_finds_paths_step_by_step() {
    let drawing = "science 5\n  physics 3\n    astro 1\n      alice 1\n    al 1\n  biology 2\n    allan 1\nalbert 1\n";
    let mut journey = Journey::on(drawing).keys("/ phys/al <enter>");
    assert_eq!(journey.selected(), "al", "a whole name comes first");
    journey.must_show("/phys/al 1 of 2");
    journey.press("n");
    assert_eq!(
        journey.selected(),
        "alice",
        "accounts between may be left out"
    );
    journey.press("/ sci/bio/ <enter>");
    assert_eq!(journey.selected(), "biology");
    journey.press("/ bio/alice");
    journey.must_show("no match");
    journey.press("<esc> / SCI/al");
    assert!(
        journey.screen().contains("no match"),
        "a large letter finds only itself"
    );
}

#[test]
fn search_unfolds_the_accounts_above_a_match() {
    let mut journey = Journey::on(SEED).keys("X / bob <enter>");
    assert_eq!(journey.selected(), "bob");
    journey.row("bob");
}

#[test]
fn folding_hides_and_counts_the_nodes_below() {
    let mut journey = Journey::on(SEED).keys("<space>");
    journey.must_hide("scott");
    journey.row("group2").must_contain("▸ group2");
    journey.press("l");
    journey.row("scott");
    journey.press("l");
    assert_eq!(journey.selected(), "scott");
    journey.press("h");
    assert_eq!(
        journey.selected(),
        "group2",
        "left goes to the account above"
    );
    journey.press("h");
    assert!(!journey.screen().contains("scott"), "left folds");
}

#[test]
fn filters_show_only_matching_rows_and_the_accounts_above() {
    let mut journey = Journey::on(SEED).keys("f <down> <enter>");
    journey.must_show("only over-served");
    journey.row("scott");
    journey.row("group2");
    journey.must_hide("bob");
    journey.press("<esc>");
    journey.row("bob");
}

#[test]
fn a_filter_without_matches_is_reported() {
    let mut journey = Journey::on(SEED).keys("2 f edited <enter>");
    journey.must_show("no node is edited; esc shows everything");
    journey.press("j k e <enter> + u g G");
}

#[test]
fn sorting_orders_siblings_and_reverses() {
    let mut journey = Journey::on(SEED).keys("s <down> <enter>");
    let order = |journey: &mut Journey| {
        let screen = journey.screen();
        let place = |name: &str| screen.find(name).unwrap();
        (
            place("group1") < place("group2"),
            place("bob") < place("cathy"),
        )
    };
    assert_eq!(order(&mut journey), (true, true), "by name");
    journey.press("S");
    assert_eq!(order(&mut journey), (false, false), "from the other end");
}

#[test]
fn the_ranking_lists_the_highest_rank_first() {
    let mut journey = Journey::on(SEED).keys("2");
    let screen = journey.screen();
    let names: Vec<&str> = ["cathy", "bob", "suzy", "scott"]
        .into_iter()
        .filter(|name| screen.contains(name))
        .collect();
    assert_eq!(names.len(), 4);
    let mut places: Vec<usize> = names
        .iter()
        .map(|name| screen.find(name).unwrap())
        .collect();
    let found = places.clone();
    places.sort_unstable();
    assert_eq!(places, found);
    journey.press("G <enter>");
    assert_eq!(journey.selected(), "scott");
    assert!(
        journey.screen().contains("Group / user"),
        "enter jumps to the tree"
    );
}

#[test]
fn the_columns_of_the_ranking_move_once_for_an_edit_and_come_back_with_undo() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut journey = Journey::on(SEED).keys("2");
        journey.resize(width, height);
        let heading = |journey: &mut Journey| {
            let screen = journey.screen();
            screen.lines().nth(2).expect("a heading").to_owned()
        };
        let before = heading(&mut journey);
        before.must_lack("Before");
        before.must_contain("Usage");
        let was = |journey: &mut Journey| journey.row("suzy");
        let untouched = was(&mut journey);
        journey.press("/suzy<enter><esc> e 1");
        let typed = heading(&mut journey);
        typed.must_contain("Before");
        typed.must_contain("Usage");
        journey.press("<enter>");
        assert_eq!(heading(&mut journey), typed, "kept");
        assert_ne!(was(&mut journey), untouched);
        journey.press("u");
        assert_eq!(heading(&mut journey), before, "taken back");
        assert_eq!(
            was(&mut journey).replace('❯', " "),
            untouched.replace('❯', " ")
        );
    }
}

#[test]
fn columns_can_be_chosen_and_scrolled() {
    let mut journey = Journey::on(SEED).keys("vc <space> <esc>");
    journey.screen().lines().nth(2).unwrap().must_lack("Shares");
    journey.press("vc <space> <esc> >");
    assert!(
        !journey.screen().lines().nth(2).unwrap().contains("Shares"),
        "scrolled out on the left"
    );
    journey.screen().lines().nth(2).unwrap().must_contain("«");
}

#[test]
fn quitting_with_unsaved_edits_asks_once() {
    let journey = Journey::on(SEED).keys("q");
    assert_eq!(
        journey.effects,
        [Effect::Quit],
        "nothing to lose, nothing asked"
    );
    let mut journey = Journey::on(SEED).keys("+ q");
    assert!(journey.effects.is_empty());
    journey.must_show("1 edit is not saved");
    journey.press("<esc>");
    assert!(journey.app.dialog().is_none());
    journey.press("q y");
    assert_eq!(journey.effects, [Effect::Quit]);
}

#[test]
fn saving_asks_for_a_path_and_marks_the_edits_as_saved() {
    let mut journey = Journey::on(SEED).keys("+ w");
    journey.must_show("drawn.scenario.toml");
    journey.press("<enter>");
    let saves: Vec<_> = journey
        .effects
        .iter()
        .filter(|effect| matches!(effect, Effect::Work(Work::Save { .. })))
        .collect();
    let [
        Effect::Work(Work::Save {
            path,
            contents,
            overwrite: Overwrite::Never,
            ..
        }),
    ] = saves[..]
    else {
        panic!("{saves:?}")
    };
    contents.must_contain("shares group2=61");
    journey.send(Message::Saved(path.clone(), None));
    journey.effects.clear();
    journey.press("q");
    assert_eq!(journey.effects, [Effect::Quit]);
}

#[test]
fn an_existing_file_is_replaced_only_after_a_question() {
    let mut journey = Journey::on(SEED);
    journey.send(Message::Ask(Confirm::Replace(
        "x.toml".into(),
        "text".to_owned(),
    )));
    journey.must_show("x.toml is already there");
    journey.press("y");
    assert_eq!(
        journey.effects,
        [Effect::Work(Work::Save {
            path: "x.toml".into(),
            contents: "text".to_owned(),
            overwrite: Overwrite::Always,
            sources: vec![Request::default()],
        })]
    );
}

#[test]
fn problems_are_listed_with_lines_and_remedies() {
    let mut loaded = trees::loaded(trees::pbs(SEED));
    let file = "resource_group".into();
    let (message, advice) = ("the shares are odd", "write a number");
    loaded.problems.push(Problem {
        line: Some(7),
        ..Problem::about(Severity::Warning, "test-problem", &file, message, advice)
    });
    let mut journey = Journey::empty(Options::default());
    journey.send(Message::Loaded(trees::opened(loaded)));
    journey.must_show("1 problem: press !");
    journey.press("!");
    journey.answer();
    let screen = journey.screen();
    for text in [
        "resource_group:7",
        "test-problem",
        "the shares are odd",
        "write a number",
    ] {
        assert!(screen.contains(text), "{text} in\n{screen}");
    }
}

#[test]
fn problems_of_one_kind_are_one_line() {
    let mut loaded = trees::loaded(trees::pbs(SEED));
    let file = "resource_group".into();
    for line in 1..=1_000 {
        let message = Shown::again(format!("the shares {line} are odd"));
        let advice = Shown::again(format!("write {}", line / 3));
        loaded.problems.push(Problem {
            line: Some(line),
            ..Problem::about(Severity::Warning, "test-problem", &file, message, advice)
        });
    }
    let mut journey = Journey::empty(Options::default());
    journey.send(Message::Loaded(trees::opened(loaded)));
    journey.press("!");
    journey.answer();
    let screen = journey.screen();
    for text in [
        "resource_group:1: ",
        "the shares 1 are odd (and 999 more of this",
        "on lines 2, 3, 4, 5, …",
        "write 0",
    ] {
        assert!(screen.contains(text), "{text} in\n{screen}");
    }
    screen.must_lack("the shares 2");
}

#[test]
fn a_failed_load_keeps_the_open_tree() {
    let mut journey = Journey::on(SEED).keys("o nowhere <enter>");
    assert!(
        journey
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Work(Work::Load(_))))
    );
    journey.must_show("opening nowhere");
    journey.send(Message::LoadFailed("nowhere: there is no such file".into()));
    journey.row("scott");
    journey.must_show("there is no such file");
}

#[test]
fn loading_can_be_cancelled() {
    let mut journey = Journey::on(SEED).keys("o big <enter> <esc>");
    assert!(
        journey.effects.contains(&Effect::Work(Work::CancelLoad)),
        "{:?}",
        journey.effects
    );
    journey.send(Message::LoadCancelled);
    assert!(journey.app.loading().is_none());
}

#[test]
fn the_progress_of_a_file_is_in_bytes_and_that_of_the_clock_in_days() {
    let mut journey = Journey::on(SEED).keys("o big <enter>");
    let progress = |unit, done, total| Progress {
        unit,
        done,
        total: Some(total),
        ..Progress::default()
    };
    let bytes = progress(ProgressUnit::Bytes, 1_380_000_000, 220_000_000_000);
    journey.send(Message::Progress(bytes));
    journey.must_show("1.38 GB of 220 GB");
    let seconds = progress(ProgressUnit::Seconds, 1_380_000_000, 220_000_000_000);
    journey.send(Message::Progress(seconds));
    journey.must_show("15,972 d of 2,546,296 d");
}

#[test]
fn a_second_tree_opens_beside_the_first() {
    let mut journey = Journey::on(SEED).keys("+");
    journey.send(Message::Loaded(trees::opened(trees::loaded(trees::pbs(
        "other 1\n",
    )))));
    journey.must_show("tree 2 of 2");
    journey.press("<ctrl-n>");
    journey.row("scott");
    journey.press("<ctrl-n> q");
    assert!(
        journey.screen().contains("1 edit is not saved"),
        "edits of a tree in the back are not lost either"
    );
}

#[test]
fn help_of_the_tree_lists_every_action_with_its_keys() {
    // Higher than all actions in one column, and wide enough for the longest sentence in one line.
    let mut journey = Journey::on(SEED).size(78, 200).keys("?");
    let screen = journey.screen();
    let lines: Vec<String> = screen.lines().map(str::to_owned).collect();
    for action in fairscope::tui::Action::ALL {
        let mut words = action.help().split(' ');
        let first = words.next().unwrap();
        assert!(
            lines.iter().any(|line| line.contains(first)),
            "{} in\n{screen}",
            action.name()
        );
    }
    assert_eq!(screen.matches("Fold all").count(), 1, "{screen}");
}

#[test]
fn the_palette_runs_the_chosen_action() {
    let mut journey = Journey::on(SEED).keys(": fold_all <down> <up> <enter>");
    assert!(journey.app.dialog().is_none());
    let mut folded = Journey::on(SEED).keys("X");
    assert_eq!(journey.screen(), folded.screen());
}

#[test]
fn a_click_selects_folds_and_sorts() {
    let mut journey = Journey::on(SEED);
    let line = |journey: &mut Journey, text: &str| {
        let screen = journey.screen();
        u16::try_from(screen.lines().position(|line| line.contains(text)).unwrap()).unwrap()
    };
    let suzy = line(&mut journey, "suzy");
    journey.click(20, suzy);
    assert_eq!(journey.selected(), "suzy");
    let group = line(&mut journey, "▾ group1");
    journey.click(3, group);
    assert!(
        !journey.screen().contains("cathy"),
        "a click on the triangle folds"
    );
    journey.click(2, 2);
    assert!(
        journey.screen().contains("by name ▲"),
        "a click on a heading sorts"
    );
    journey.click(10, 1);
    assert!(
        journey.screen().contains("by rank"),
        "a click on a tab opens its screen"
    );
}

#[test]
fn every_screen_can_be_drawn_at_any_size() {
    let ways = [
        "",
        "2",
        "?",
        ":",
        "s",
        "vc",
        "/s",
        "jje12",
        "+q",
        "+w",
        "d",
        "dd",
        "o",
        "f",
        "x G",
        "3",
        "3d",
        "3dd",
        "P",
        "PG<enter>",
        "p",
        "pd",
        "p]]]",
        ",",
        ",<enter>1",
        "C",
        "pCj",
        "3C",
        "vh",
        "vhj",
        "mmM",
        "mme5",
        "mmE1",
        "a new",
        "r2",
        "T/",
        "F",
        "F<enter>1",
        "LmmL",
        ";",
        "++H",
        "t",
        "v",
        "c",
        "? edit",
    ];
    for keys in ways {
        let mut journey = Journey::on(SEED).keys(keys);
        for width in 0..=40 {
            for height in 0..=12 {
                journey.resize(width, height);
            }
        }
        journey.resize(1, 1);
        journey.resize(200, 50);
        assert!(journey.screen().contains("fairscope"), "after {keys}");
    }
}

#[test]
fn a_terminal_too_small_is_reported() {
    let mut journey = Journey::on(SEED).size(19, 5);
    assert_eq!(journey.screen().trim(), "too small: 20x5");
    journey.resize(20, 5);
    journey.must_show("1 Tree");
}

#[test]
fn control_characters_in_names_never_reach_a_cell() {
    let mut snapshot = trees::pbs(SEED);
    let node = snapshot.tree.nodes()[2];
    snapshot
        .tree
        .rename(node, b"\x1b]0;owned\x07\x9b31m\xe2\x80\xae");
    let mut journey = Journey::with(snapshot);
    for keys in ["", "2", "e", "<esc> y", "u", "/"] {
        journey.press(keys);
        let screen = journey.screen();
        assert!(
            !screen
                .chars()
                .any(|char| char.is_control() && char != '\n' || char == '\u{202e}'),
            "{screen:?}"
        );
    }
    journey.press("<esc> 1 j");
    journey.row(r"\e]0;owned\x07\x9B31m\u{202e}");
}

#[test]
fn ascii_screens_contain_only_ascii() {
    let options = Options {
        is_ascii: true,
        ..Options::default()
    };
    let mut journey = Journey::with_options(trees::pbs("größe 5\nb 1\n"), options);
    for keys in ["", "+", "2", "?", "<esc>", "s", "<esc>", "!"] {
        journey.press(keys);
        let screen = journey.screen();
        assert!(screen.is_ascii(), "{keys}: {screen}");
        assert!(
            !screen.contains('?') || keys == "?" || screen.contains("? help"),
            "everything has a spelling:\n{screen}"
        );
    }
    journey.press("1");
    journey.row(r"gr\u{f6}\u{df}e");
}

#[test]
fn help_has_no_mouse_where_it_is_left_to_the_terminal() {
    for (without_mouse, is_there) in [(false, true), (true, false)] {
        let options = Options {
            without_mouse,
            ..Options::default()
        };
        let mut journey = Journey::with_options(trees::pbs(SEED), options).keys("?G");
        assert_eq!(journey.screen().contains("Mouse"), is_there);
    }
}

#[test]
fn every_theme_shows_the_same_text() {
    let screens: Vec<String> = Theme::ALL
        .iter()
        .map(|(name, _)| {
            let options = Options {
                theme: Some((*name).to_owned()),
                ..Options::default()
            };
            Journey::with_options(trees::pbs(SEED), options)
                .keys("jj e 300 <enter>")
                .screen()
        })
        .collect();
    assert!(screens.iter().all(|screen| *screen == screens[0]));
}

#[test]
fn a_wide_family_stays_aligned() {
    let lines: Vec<String> = (0..2000)
        .map(|user| format!("user{user:04} {} | {}", user % 7 + 1, user * 37 % 1000))
        .collect();
    let lines = lines.join(
        "
",
    );
    for (width, height) in [(80, 24), (120, 40), (200, 50)] {
        let mut journey = Journey::on(&lines)
            .size(width, height)
            .keys("/ user1234 <enter> e +5 <enter>");
        let screen = journey.screen();
        assert_eq!(journey.selected(), "user1234");
        let rows: Vec<&str> = screen
            .lines()
            .filter(|line| line.contains("/2,000"))
            .collect();
        let ends: std::collections::BTreeSet<usize> = rows
            .iter()
            .map(|row| row.chars().take_while(|&char| char != '/').count())
            .collect();
        assert!(
            rows.len() > 5 && ends.len() == 1,
            "ranks line up at {width}x{height}:\n{screen}"
        );
    }
}

#[test]
fn a_quick_escape_before_a_key_is_not_read_as_alt() {
    use fairscope::tui::event::{KeyCode, KeyEvent, KeyModifiers};
    let mut journey = Journey::on(SEED).keys("!");
    journey.send(Message::Key(KeyEvent::new(
        KeyCode::Char('2'),
        KeyModifiers::ALT,
    )));
    assert!(journey.app.dialog().is_none(), "the dialog is closed");
    assert!(
        journey.screen().contains("by rank"),
        "and the key did what it does"
    );
}

#[test]
fn the_ranking_shows_ranks_before_and_after_an_edit() {
    let mut journey = Journey::on(SEED).keys("2");
    let heading = |journey: &mut Journey| journey.screen().lines().nth(2).unwrap().to_owned();
    assert!(
        !heading(&mut journey).contains("Before"),
        "nothing was edited"
    );
    assert!(
        journey.row("scott").ends_with("4/4"),
        "blank until something changes"
    );
    journey.press("G E 1 <enter>");
    heading(&mut journey).must_contain("Before");
    let scott = journey.row("scott");
    let cells: Vec<&str> = scott.split_whitespace().rev().take(4).collect();
    assert_eq!(cells, ["2", "▲", "4", "2/4"], "{scott}");
}

#[test]
fn a_narrow_title_keeps_the_start_of_the_name() {
    let mut journey = Journey::example("buckets").size(30, 8);
    let screen = journey.screen();
    screen.must_begin(" the example buckets  ");
}

#[test]
fn a_screen_overwritten_by_another_program_is_redrawn() {
    let journey = Journey::on(SEED).keys("<ctrl-l>");
    assert_eq!(journey.effects, [Effect::Terminal(TerminalEffect::Redraw)]);
}
