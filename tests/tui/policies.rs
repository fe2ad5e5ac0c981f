//! The explorer under every policy: switching, settings, buckets, policies side by side, curves.

use crate::support::expected::Expected as _;
use crate::support::journey::{Journey, notice, scenario, told};
use crate::support::trees::{self, SEED};
use fairscope::model::{FairShare, SettingStep, Settings, Snapshot};
use fairscope::rules::policy::{ColumnId, Policy};
use fairscope::tui::{Dialog, Effect, Message, Options, Theme, Work};
use ratatui::style::Modifier;
use std::fmt::Write as _;

fn policy(journey: &Journey) -> Policy {
    scenario(journey).policy()
}

fn headings(journey: &mut Journey) -> String {
    journey.screen().lines().nth(2).unwrap().to_owned()
}

/// Makes a PBS tree with a custom formula.
fn with_formula() -> Snapshot {
    let mut snapshot = trees::pbs(SEED);
    snapshot.settings.formula.set = Some("ncpus * fairshare_factor".to_owned());
    snapshot
}

#[test]
fn disabled_fair_share_is_shown_in_the_title_until_it_is_enabled() {
    let mut snapshot = trees::pbs(SEED);
    snapshot.settings.formula.set = None;
    snapshot.settings.pbs.fair_share = FairShare::Never;
    for (width, height) in [(80, 24), (120, 40)] {
        let mut journey = Journey::with(snapshot.clone()).size(width, height);
        assert_eq!(policy(&journey), Policy::PbsWalk);
        let title = |journey: &mut Journey| journey.screen().lines().next().unwrap().to_owned();
        title(&mut journey).must_contain("fair_share off");
        headings(&mut journey).must_contain("Usage/perc");
        // The value goes to false, and back to true.
        journey.press(", <down> ] <esc>");
        title(&mut journey).must_lack("fair_share off");
        journey.press("u");
        title(&mut journey).must_contain("fair_share off");
    }
}

#[test]
fn p_cycles_through_the_policies() {
    let mut journey = Journey::on(SEED);
    let mut seen = vec![policy(&journey)];
    for _ in 0..Policy::ALL.len() - 2 {
        journey.press("p");
        notice(&journey).must_begin(&format!("policy: {}", policy(&journey).title()));
        let title = policy(&journey).title();
        journey.screen().lines().next().unwrap().must_contain(title);
        seen.push(policy(&journey));
    }
    assert_eq!(seen.pop(), Some(Policy::Pbs), "nobody wrote a formula");
    let all = Policy::ALL
        .iter()
        .filter(|policy| !matches!(policy, Policy::Formula | Policy::FairTreeDocumented));
    assert_eq!(seen, all.copied().collect::<Vec<_>>());
}

#[test]
fn a_scenario_is_named_after_its_example() {
    let mut journey = Journey::example("buckets").keys("+ w");
    journey.must_show("save scenario as: buckets.scenario.toml");
}

#[test]
fn the_prompt_for_shares_mentions_parent() {
    let mut journey = Journey::example("buckets").keys("e");
    let screen = journey.screen();
    screen.lines().last().unwrap().must_contain("parent");
}

#[test]
fn a_custom_formula_is_one_of_the_policies() {
    // PBS's order follows the formula, so the formula is the current policy and the last in the list.
    let mut journey = Journey::with(with_formula());
    assert_eq!(policy(&journey), Policy::Formula);
    journey.press("p");
    assert_eq!(policy(&journey), Policy::Pbs);
    for _ in 0..Policy::ALL.len() - 2 {
        journey.press("p");
    }
    assert_eq!(policy(&journey), Policy::Formula);
}

#[test]
fn every_policy_shows_its_own_columns_at_every_width() {
    for (width, fewest) in [(80, 4), (120, 6), (200, 8)] {
        // Without the why pane, which is beside the table on a wide screen.
        let mut journey = Journey::with(with_formula()).size(width, 40).keys("d d p");
        // `p` leaves out the rule that no scheduler has.
        let all = Policy::ALL.iter();
        for policy in all.filter(|&&policy| policy != Policy::FairTreeDocumented) {
            let headings = headings(&mut journey);
            let usual = policy.usual_columns();
            let shown = usual
                .iter()
                .filter(|column| headings.contains(column.heading()));
            assert!(
                shown.clone().count() >= fewest.min(usual.len()),
                "{} at {width}: {headings}",
                policy.name()
            );
            for column in [ColumnId::Shares, ColumnId::Rank] {
                assert!(headings.contains(column.heading()), "{width}: {headings}");
            }
            let is_wide = width == 200;
            assert!(!is_wide || !headings.contains('»'), "all fits: {headings}");
            journey.press("p");
        }
    }
}

#[test]
fn the_factor_is_shown_at_80_columns_under_every_policy() {
    let mut journey = Journey::example("buckets").size(80, 24).keys("$");
    for _ in Policy::ALL {
        let headings = headings(&mut journey);
        let factor = policy(&journey).factor_column();
        assert!(
            headings.contains("Factor") || headings.contains(factor.heading()),
            "{}: {headings}",
            policy(&journey).name()
        );
        // Names four levels down are long enough to be told apart.
        journey.row("GradStu");
        journey.press("p");
    }
}

#[test]
fn ranks_and_their_changes_are_never_cut() {
    for users in [9, 10_000, 100_001] {
        let mut drawing = String::new();
        for user in 0..users {
            let _ = writeln!(drawing, "u{user} {user}");
        }
        let mut journey = Journey::on(&drawing).size(80, 24).keys("G");
        for shares in ["999999", "0"] {
            journey.press(&format!("e{shares} <enter>"));
            let row = journey.row(&format!("u{} ", users - 1));
            row.must_lack("…");
        }
    }
}

#[test]
fn chosen_columns_are_replaced_by_those_of_the_next_policy() {
    let mut journey = Journey::on(SEED).keys("vc <space> <esc>");
    headings(&mut journey).must_lack("Shares");
    journey.press("p");
    headings(&mut journey).must_contain("Shares");
}

#[test]
fn a_sort_by_a_column_that_the_policy_lacks_is_dropped_on_all_screens() {
    let of_tree = "s of tree<enter>";
    let mut journey = Journey::on(SEED).keys(of_tree).keys("2").keys(of_tree);
    journey.must_show("by Of tree");
    journey.press("p");
    journey.must_show("by rank");
    journey.press("1");
    journey.must_show("tree order");
    let mut journey = Journey::on(SEED).keys("s <down> <enter> p");
    assert!(
        journey.screen().contains("by name"),
        "a name is a name under every policy"
    );
}

#[test]
fn edits_and_rank_changes_are_kept_when_the_policy_changes() {
    let mut journey = Journey::on(SEED).keys("jj e 0 <enter>");
    for _ in 0..3 {
        journey.press("p");
        journey.row("suzy").must_contain("*0");
        journey
            .screen()
            .lines()
            .next()
            .unwrap()
            .must_contain("1 edit");
    }
    // The changes of the policy are undone one by one, and then the edit.
    while journey.row("suzy").contains('*') {
        assert!(
            notice(&journey).starts_with("policy: ")
                || notice(&journey).contains("change of policy")
        );
        journey.press("u");
    }
    assert_eq!(policy(&journey), Policy::Pbs);
}

#[test]
fn a_change_of_the_policy_is_undone_and_redone() {
    let mut journey = Journey::on(SEED).keys("p");
    let other = policy(&journey);
    assert_ne!(other, Policy::Pbs);
    journey.press("u");
    assert_eq!(policy(&journey), Policy::Pbs);
    assert_eq!(
        notice(&journey),
        "undid the change of policy: PBS fairshare"
    );
    journey.press("U");
    assert_eq!(policy(&journey), other);
    // An edit made after it is undone first, and a new change drops what could be redone.
    journey.press("1 j + u");
    assert_eq!(policy(&journey), other);
    journey.press("u P <home><down><down> <enter> U");
    assert_eq!(policy(&journey), Policy::FairTree, "{}", notice(&journey));
}

#[test]
fn the_menu_of_policies_marks_the_current_policy() {
    let mut journey = Journey::on(SEED).size(160, 40).keys("P");
    for policy in Policy::ALL {
        let row = journey.row(policy.title());
        let first = policy
            .help()
            .split([',', ';', ':', '(', '.'])
            .next()
            .unwrap();
        row.must_contain(first);
        assert_eq!(row.contains('●'), *policy == Policy::Pbs, "{row}");
    }
    journey.press("<down> <down> <enter>");
    assert_eq!(policy(&journey), Policy::FairTree);
    assert!(journey.app.dialog().is_none());
}

#[test]
fn choosing_the_formula_prompts_for_it_and_esc_cancels() {
    let mut journey = Journey::on(SEED).keys("P <end> <enter>");
    assert!(matches!(journey.app.dialog(), Some(Dialog::Prompt(_))));
    assert_eq!(
        policy(&journey),
        Policy::Formula,
        "its numbers are on the screen"
    );
    journey.must_show("job_sort_formula: fairshare_factor");
    journey.press("<esc>");
    assert_eq!(policy(&journey), Policy::Pbs);
    let session = journey.app.session().unwrap();
    assert!(session.scenario.history().is_untouched());
}

#[test]
fn a_typed_formula_is_an_edit_and_becomes_the_policy() {
    let mut journey = Journey::on(SEED).keys("P <end> <enter> +1 <enter>");
    assert_eq!(policy(&journey), Policy::Formula);
    notice(&journey).must_begin("policy: PBS formula");
    let session = journey.app.session().unwrap();
    let formula = session.scenario.settings().formula.text();
    formula.must_end("+1");
    assert_eq!(session.scenario.history().edits().len(), 1);
    journey.press("u");
    let session = journey.app.session().unwrap();
    assert!(!session.scenario.settings().formula.text().ends_with("+1"));
    let journey = Journey::on(SEED).keys("P <end> <enter> <enter>");
    assert_eq!(policy(&journey), Policy::Formula);
    let session = journey.app.session().unwrap();
    assert!(
        session.scenario.history().is_untouched(),
        "nothing was changed"
    );
}

#[test]
fn settings_are_previewed_while_they_are_typed() {
    let mut journey = Journey::example("buckets").keys(", <enter>");
    journey.must_show("PriorityLevels: 4");
    journey.press("1");
    assert!(
        !journey.row("GradStudent").contains("AAAA 1234"),
        "one level, one bucket: {}",
        journey.row("GradStudent")
    );
    journey.press("<esc>");
    journey
        .row("GradStudent")
        .must_contain("AAAA 1234 7777 CCCC");
    let session = journey.app.session().unwrap();
    assert!(session.scenario.history().is_untouched());
}

#[test]
fn an_invalid_setting_is_refused_with_the_accepted_values() {
    for bad in ["0", "17"] {
        let mut journey = Journey::example("buckets")
            .size(200, 40)
            .keys(", <enter>")
            .keys(bad)
            .keys("<enter>");
        assert!(
            matches!(journey.app.dialog(), Some(Dialog::Prompt(_))),
            "the prompt stays open"
        );
        let sentence =
            format!("PriorityLevels cannot be {bad}; expected a whole number from 1 to 16");
        journey.must_show(&sentence);
    }
    let mut journey = Journey::on(SEED).keys("ppp").size(200, 40);
    assert_eq!(policy(&journey), Policy::Classic);
    journey.press(", <enter> 0 <enter>");
    journey.must_show("FairShareDampeningFactor cannot be 0; expected a whole number from 1");
}

#[test]
fn a_sentence_too_long_for_the_line_of_its_prompt_is_shown_above_it() {
    let mut journey = Journey::example("buckets")
        .size(80, 24)
        .keys(", <enter> 17");
    let screen = journey.screen();
    let lines: Vec<&str> = screen.lines().rev().take(3).collect();
    assert_eq!(lines[0].trim(), "PriorityLevels: 17");
    let sentence = [lines[2].trim(), lines[1].trim()].join(" ");
    assert!(
        sentence.starts_with("PriorityLevels cannot be 17; expected"),
        "{screen}"
    );
    assert!(
        sentence.ends_with("or auto for the depth of the tree"),
        "{screen}"
    );
}

#[test]
fn the_menu_of_settings_shows_their_values() {
    let mut journey = Journey::example("buckets").keys(",");
    let row = journey.row("PriorityLevels");
    row.must_contain("PriorityLevels 4");
    row.must_contain("How many levels have a bucket");
    let screen = journey.screen();
    screen.must_contain("a whole number from 1 to 16");
}

#[test]
fn brackets_change_the_setting_under_the_cursor_of_the_menu() {
    let mut journey = Journey::example("buckets").keys(", ]");
    assert_eq!(notice(&journey), "PriorityLevels is now 5");
    let row = journey.row("PriorityLevels");
    assert!(row.contains("PriorityLevels 5"), "the menu stays: {row}");
    // On the Time screen, the way usage decays comes first in the menu.
    let mut journey = Journey::example("buckets").keys("4 ]");
    assert_eq!(notice(&journey), "PriorityDecayHalfLife is now 8-00:00:00");
    journey.press(", [");
    assert_eq!(notice(&journey), "PriorityDecayHalfLife is now 7-00:00:00");
    journey.press("<down> ]");
    assert_eq!(notice(&journey), "PriorityUsageResetPeriod is now NOW");
    journey.press("[");
    assert_eq!(notice(&journey), "PriorityUsageResetPeriod is now NONE");
    journey.press("<down> [");
    assert_eq!(notice(&journey), "PriorityCalcPeriod is now 00:04:00");
    let mut journey = Journey::on(crate::support::trees::SEED).keys("4 , <down> ]");
    assert_eq!(notice(&journey), "fairshare_decay_factor is now 0.55");
    journey.press("<up> [");
    assert_eq!(notice(&journey), "fairshare_decay_time is now 82800");
}

#[test]
fn brackets_change_the_main_setting_by_one_edit_each() {
    let mut journey = Journey::example("buckets").keys("] ] ]");
    assert_eq!(notice(&journey), "PriorityLevels is now 7");
    journey.press("[");
    assert_eq!(notice(&journey), "PriorityLevels is now 6");
    let done = |journey: &Journey| {
        let session = journey.app.session().unwrap();
        session.scenario.history().edits().len()
    };
    assert_eq!(done(&journey), 4);
    journey.press("u u u u");
    journey
        .row("GradStudent")
        .must_contain("AAAA 1234 7777 CCCC");
    journey.press("[ [ [");
    assert_eq!(notice(&journey), "PriorityLevels is now 1");
    journey.press("[");
    notice(&journey).must_begin("PriorityLevels cannot be 0");
    assert_eq!(done(&journey), 3);
}

#[test]
fn a_setting_with_choices_cycles_through_them() {
    let mut journey = Journey::example("buckets").keys("p");
    assert_eq!(policy(&journey), Policy::FairTree);
    for order in ["lineage", "newest", "name"] {
        journey.press("]");
        assert_eq!(notice(&journey), format!("TieOrder is now {order}"));
    }
    journey.press("[");
    assert_eq!(notice(&journey), "TieOrder is now newest");
}

#[test]
fn a_policy_without_settings_is_reported() {
    let mut journey = Journey::on(SEED).keys("ppppp");
    assert_eq!(policy(&journey), Policy::Tickets);
    for key in ["[", "]"] {
        journey.press(key);
        assert_eq!(notice(&journey), "Slurm TICKET_BASED has no settings");
    }
    for keys in ["ppppp <esc>", ""] {
        let mut journey = Journey::on(SEED).size(160, 40).keys(keys);
        assert!(journey.screen().contains(", settings"), "{keys}");
    }
}

#[test]
fn the_settings_of_the_tree_are_listed_on_every_screen_with_their_purpose() {
    for screen in ["1", "2", "3", "4", "1 ppppp <esc>"] {
        let mut journey = Journey::on(SEED).keys(screen);
        journey.press(",");
        for (key, purpose) in [
            ("fairshare_entity euser", "Whom a job charges"),
            ("fairshare_usage_res cput", "What a job is charged"),
            ("fairshare_enforce_no_shares true", "never run"),
            ("fairshare_decay_time 86400", "The time between two decays"),
            ("unknown_shares 0", "The shares of the group unknown"),
            ("job_sort_formula", "What PBS sorts jobs by"),
        ] {
            let row = journey.row(key);
            assert!(row.contains(purpose), "{screen}: {row}");
        }
    }
    let mut journey = Journey::on(SEED).keys(", entity");
    let screen = journey.screen();
    for part in [
        "(euser)",
        "(egroup)",
        "(Account_Name)",
        "queue",
        "(egroup:euser)",
    ] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    journey.press("<enter><ctrl-u>queue<enter>");
    let settings = &crate::support::journey::scenario(&journey).settings().pbs;
    assert_eq!(settings.fairshare_entity, "queue");
}

#[test]
fn f1_on_a_policy_shows_its_reference_card() {
    let mut journey = Journey::on(SEED).keys("P depth <f1>");
    let screen = journey.screen();
    screen.must_contain("classic, depth-oblivious and tickets");
    screen.must_contain("FairShareDampeningFactor");
    assert!(
        !screen.contains("LEVEL_BASED"),
        "only this section: {screen}"
    );
    journey.press("<esc>");
    assert_eq!(policy(&journey), Policy::Pbs, "the policy stays");
    let mut journey = Journey::on(SEED).keys(", <f1>");
    journey.must_show("Settings: keys, values and defaults");
}

#[test]
fn a_priority_word_is_drawn_as_one_bucket_per_level() {
    let mut journey = Journey::example("buckets");
    for (name, word) in [
        ("LifeSciences", " AAAA ···· ···· ····"),
        ("Biology", " AAAA 1234 ···· ····"),
        ("DrBob", " AAAA 1234 7777 ····"),
        ("GradStudent", " AAAA 1234 7777 CCCC "),
    ] {
        journey.row(name).must_contain(word);
    }
    assert!(
        !journey.row("root").contains('·'),
        "the root stands above all levels"
    );
}

#[test]
fn buckets_not_aligned_with_hexadecimal_digits_get_their_own_digits() {
    let mut journey = Journey::example("buckets").keys("]]]");
    let row = journey.row("GradStudent");
    row.must_contain(" 155 025 0EE 199 ··· ··· ··· ");
}

#[test]
fn every_number_of_levels_fits_its_column() {
    for width in [80, 120, 200] {
        let mut journey = Journey::example("buckets").size(width, 40).keys("$[[[");
        for levels in 1..=16_usize {
            // The name may be cut. The row is below three accounts and the root.
            let row = journey.screen().lines().nth(7).unwrap().to_owned();
            let digits = 64_usize.div_euclid(levels).div_ceil(4);
            headings(&mut journey).must_contain("FairShare Raw");
            let cells = row.chars().filter(|&char| char == '·').count();
            let below = levels.saturating_sub(4) * digits;
            assert_eq!(cells, below, "{levels} levels at {width}: {row}");
            journey.press("]");
        }
    }
}

#[test]
fn a_nodes_own_bucket_stands_out_without_colour() {
    let mono = Options {
        theme: Some("mono".to_owned()),
        ..Options::default()
    };
    let example = Journey::example("buckets");
    let base = || example.app.session().unwrap().scenario.base().clone();
    let open = |options| Journey::with_options(base(), options).keys("P level <enter> []");
    let mut coloured = open(Options::default());
    let mut journey = open(mono);
    let screen = journey.screen();
    let y = screen
        .lines()
        .position(|line| line.contains("GradStudent"))
        .unwrap();
    let line: Vec<char> = screen.lines().nth(y).unwrap().chars().collect();
    let place = |text: &str| {
        let text: Vec<char> = text.chars().collect();
        line.windows(text.len())
            .position(|part| part == text)
            .unwrap()
    };
    let buffer = journey.buffer();
    let modifier = |x: usize| {
        let (x, y) = (u16::try_from(x).unwrap(), u16::try_from(y).unwrap());
        buffer[(x, y)].modifier
    };
    let (inherited, own) = (modifier(place("7777")), modifier(place("CCCC")));
    assert!(
        own.contains(Modifier::BOLD | Modifier::UNDERLINED),
        "{own:?}"
    );
    assert!(!inherited.contains(Modifier::BOLD), "{inherited:?}");
    assert_eq!(coloured.screen(), screen, "and the text is the same");
}

#[test]
fn levels_have_different_colours_in_every_coloured_theme() {
    for (name, _) in Theme::ALL.iter().filter(|(name, _)| *name != "mono") {
        let theme = Theme::named(name).unwrap();
        for (level, style) in theme.buckets.iter().enumerate() {
            assert!(style.fg.is_some(), "{name}");
            assert!(!theme.buckets[..level].contains(style), "{name}: {level}");
        }
    }
}

#[test]
fn policies_are_shown_side_by_side_once_they_are_compared() {
    let mut journey = Journey::example("buckets").keys("3");
    journey.must_show("comparing…");
    assert!(matches!(journey.effects[..], [Effect::Work(Work::Run(_))]));
    journey.answer();
    journey.must_hide("comparing…");
    for heading in [
        "PBS", "Level", "Fair", "FairDoc", "Classic", "Depth", "Tickets", "Flux",
    ] {
        assert!(headings(&mut journey).contains(heading), "{heading}");
    }
    headings(&mut journey).must_lack("Formula");
    let spreads: Vec<u32> = journey
        .screen()
        .lines()
        .skip(3)
        .take(7)
        .map(|line| line.split_whitespace().last().unwrap().parse().unwrap())
        .collect();
    assert!(
        spreads.is_sorted_by(|a, b| a >= b),
        "by spread: {spreads:?}"
    );
    journey.must_show("agreement");
}

#[test]
fn ranks_that_differ_from_the_current_policy_carry_a_sign() {
    let mut journey = Journey::example("buckets").keys("3");
    journey.answer();
    let row = journey.row("GradStudent");
    // PBS ranks it 5th, the current policy LEVEL_BASED 4th.
    row.must_contain("5▼    4 ");
    let dan = journey.row("DrDan/dan");
    dan.must_contain("2▲    7 ");
}

#[test]
fn switching_the_policy_on_that_screen_changes_the_signs_and_compares_nothing_again() {
    let mut journey = Journey::example("buckets").keys("3");
    journey.answer();
    journey.press("pppppppp");
    assert_eq!(policy(&journey), Policy::LevelBased, "all round");
    journey.press("ppppppp");
    assert_eq!(policy(&journey), Policy::Pbs);
    assert!(journey.effects.is_empty(), "{:?}", journey.effects);
    let row = journey.row("GradStudent");
    row.must_contain("5     4▲");
}

#[test]
fn an_edit_starts_a_new_comparison_and_keeps_the_old_ranks_until_then() {
    let mut journey = Journey::example("buckets").keys("3");
    journey.answer();
    journey.press("/ Grad <enter>");
    let before = journey.row("GradStudent");
    journey.press("E 0 <enter>");
    assert_eq!(journey.selected(), "GradStudent");
    journey.must_show("comparing…");
    assert_eq!(
        before[4..],
        journey.row("GradStudent")[4..],
        "the old ranks"
    );
    journey.answer();
    journey.answer();
    journey.must_hide("comparing…");
    assert_ne!(before, journey.row("GradStudent"));
    assert_eq!(
        journey.selected(),
        "GradStudent",
        "the cursor stays on its user"
    );
    journey.press("u");
    journey.answer();
    assert_eq!(before, journey.row("GradStudent"));
}

#[test]
fn one_comparison_runs_at_a_time_and_only_on_its_screen() {
    let mut journey = Journey::example("buckets").keys("+ + 3 + + +");
    let asked = journey.effects.len();
    assert_eq!(asked, 1, "{:?}", journey.effects);
    journey.press("1");
    journey.answer();
    assert!(journey.effects.is_empty(), "the screen is not open");
    journey.press("3");
    assert_eq!(
        journey.effects.len(),
        1,
        "what came in between is asked about now"
    );
}

#[test]
fn an_answer_for_another_question_is_dropped() {
    let mut journey = Journey::example("buckets").keys("3");
    let Some(Effect::Work(Work::Run(comparing))) = journey.effects.pop() else {
        panic!("nothing was asked");
    };
    let answer = told(*comparing, "", None).pop();
    let mut other = Journey::example("small");
    let before = other.screen();
    other.send(answer.expect("it is answered"));
    assert_eq!(other.screen(), before);
}

#[test]
fn a_click_on_the_heading_of_a_policy_selects_it() {
    let mut journey = Journey::example("buckets").keys("3");
    journey.answer();
    let headings = headings(&mut journey);
    let before = headings.split("Classic").next().unwrap();
    let x = u16::try_from(before.chars().count()).unwrap();
    journey.click(x + 2, 2);
    assert_eq!(policy(&journey), Policy::Classic);
    notice(&journey).must_begin("policy: Slurm classic");
}

#[test]
fn the_screen_of_policies_has_no_columns_to_choose() {
    let journey = Journey::example("buckets").keys("3 vc");
    assert!(journey.app.dialog().is_none());
    notice(&journey).must_contain("scroll");
}

#[test]
fn policies_beyond_the_screen_can_be_scrolled_to() {
    let mut journey = Journey::example("buckets").size(44, 20).keys("3");
    headings(&mut journey).must_contain("»");
    headings(&mut journey).must_end("Apart");
    journey.press(">>>>");
    let headings = headings(&mut journey);
    headings.must_begin("«");
    headings.must_contain("Classic");
}

#[test]
fn a_user_stays_selected_from_this_screen_to_the_tree_and_back() {
    let mut journey = Journey::example("buckets").keys("3");
    journey.answer();
    journey.press("j");
    let selected = journey.selected();
    journey.press("1");
    journey.must_show("Account / user");
    assert_eq!(journey.selected(), selected);
    journey.press("3");
    assert_eq!(journey.selected(), selected);
}

#[test]
fn enter_on_a_user_opens_it_under_every_policy() {
    let mut journey = Journey::example("buckets").keys("3");
    journey.answer();
    journey.must_show("space explain");
    journey.press("j");
    let selected = journey.selected();
    journey.press("<enter>");
    journey.answer();
    let screen = journey.screen();
    screen.must_contain(&format!("{selected} under every policy"));
    journey.press("<esc>");
    journey.must_show("by spread");
    assert_eq!(journey.selected(), selected);
}

#[test]
fn tab_cycles_through_the_screens_and_a_click_opens_one() {
    let mut journey = Journey::example("buckets");
    for _ in 0..2 {
        for text in [
            "by rank",
            "by spread",
            "now day 0",
            "There are no edits yet",
            "why LifeSciences",
        ] {
            journey.press("<tab>");
            journey.answer();
            let screen = journey.screen();
            assert!(screen.contains(text), "{text} is not in\n{screen}");
        }
    }
    journey.click(20, 1);
    journey.must_show("by spread");
}

#[test]
fn a_key_shows_the_table_of_agreement_where_there_is_no_room_for_all() {
    let mut journey = Journey::example("buckets").size(80, 24).keys("3");
    journey.answer();
    let shown = |journey: &mut Journey| {
        let screen = journey.screen();
        [screen.contains("── why "), screen.contains("agreement ·")]
    };
    assert_eq!(shown(&mut journey), [true, false]);
    journey.press("d");
    assert_eq!(shown(&mut journey), [false, true]);
    journey.press("d");
    assert_eq!(shown(&mut journey), [false, false]);
    journey.press("d");
    assert_eq!(shown(&mut journey), [true, false]);
    for (width, height) in [(200, 50), (120, 40)] {
        journey.resize(width, height);
        let screen = journey.screen();
        assert!(
            screen.contains("agreement ·") && screen.contains("── why "),
            "both have room: {screen}"
        );
    }
    journey.resize(80, 24);
    assert_eq!(shown(&mut journey), [true, false]);
    journey.press("d");
    journey.resize(60, 20);
    journey.must_hide("agreement ·");
}

#[test]
fn curves_mark_the_node_and_explain_each_letter() {
    let mut journey = Journey::example("buckets").keys("jjj C");
    let screen = journey.screen();
    for text in [
        "a classic, S = 0.0067: one of 150 equal accounts",
        "b the same, with FairShareDampeningFactor = 5",
        "c LEVEL_BASED at its steepest, S' = 0.1",
        "d classic, S = 0.2500: its share of its level",
        "e LEVEL_BASED, S' = 0.1 + 0.9 S = 0.3250",
        "usage of GradStudent: U = 0.104624",
        "1.00",
        "0.50",
        "0.00",
        "0.25",
    ] {
        assert!(screen.contains(text), "{text} in\n{screen}");
    }
    for letter in ['a', 'b', 'c', 'd', 'e'] {
        let plot = screen.lines().skip(2).take(27);
        assert!(plot.clone().any(|line| line.contains(letter)), "{letter}");
    }
    journey.press("j");
    assert!(
        journey.screen().contains("usage of bob"),
        "j goes to the next node"
    );
    journey.press("x");
    assert!(journey.app.dialog().is_none());
}

#[test]
fn curves_use_the_current_dampening() {
    let mut journey = Journey::example("equal150").keys("j C");
    journey.must_hide("FairShareDampeningFactor = 3");
    journey.press("]]");
    journey.must_show("FairShareDampeningFactor = 3");
}

#[test]
fn curves_on_a_screen_too_small_are_replaced_by_a_message() {
    let mut journey = Journey::example("buckets").size(40, 12).keys("C");
    journey.must_show("too small for curves");
    journey.resize(80, 24);
    journey.must_show("usage of LifeSciences");
}

#[test]
fn the_screens_of_policies_and_curves_contain_only_ascii_on_request() {
    let options = Options {
        is_ascii: true,
        ..Options::default()
    };
    let base = Journey::example("buckets");
    let base = base.app.session().unwrap().scenario.base().clone();
    let mut journey = Journey::with_options(base, options).keys("P level <enter>");
    assert_eq!(policy(&journey), Policy::LevelBased);
    for keys in ["", "C", "C", "<esc> P", "<esc> ,", "<esc> 3", "p"] {
        journey.press(keys);
        journey.answer();
        let screen = journey.screen();
        assert!(screen.is_ascii(), "{keys}: {screen}");
        screen.replace("? help", "").must_lack("?");
    }
}

#[test]
fn a_list_that_became_shorter_keeps_its_cursor_on_a_row() {
    let mut journey = Journey::on(SEED).keys("2 G 1 ;");
    journey.send(Message::Paste("remove group1/bob".to_owned()));
    // PBS's group of unknown users is selected, and with it nobody of the ranking.
    journey.press("<enter> G 2");
    let pane = journey.app.session().unwrap().pane();
    assert!(pane.cursor < pane.outline.rows().len(), "{}", pane.cursor);
}

#[test]
fn a_setting_is_stepped_as_its_row_says() {
    let journey = Journey::on(SEED).keys(", enforce ]");
    assert_eq!(notice(&journey), "fairshare_enforce_no_shares is now false");
    assert!(matches!(journey.app.dialog(), Some(Dialog::Menu(_))));
    for key in Settings::keys() {
        let mut settings = Settings::default();
        if let SettingStep::OneOf(values) = Settings::step(key) {
            for value in values() {
                assert_eq!(settings.set(key, value), Ok(()), "{key}");
            }
        }
        let expected = Settings::expected(key).expect("it is a setting");
        let is_choice = ["true or false", "hide or show", "true, false"];
        if is_choice.iter().any(|words| expected.starts_with(words)) {
            let step = Settings::step(key);
            assert!(matches!(step, SettingStep::OneOf(_)), "{key}: {step:?}");
        }
    }
}

#[test]
fn one_key_goes_back_to_the_rule_of_the_source() {
    let mut journey = Journey::on(SEED).keys("p p p");
    assert_ne!(policy(&journey), Policy::Pbs);
    // What has no recorded numbers is called a source, as in the title.
    let told = "(the source used PBS fairshare)";
    notice(&journey).must_end(told);
    journey.press("v x");
    assert_eq!(policy(&journey), Policy::Pbs);
    notice(&journey).must_begin("policy: PBS");
    journey.press("v x");
    let own = "this is the source's own policy: PBS fairshare";
    assert_eq!(notice(&journey), own);
}

/// The headings of what the policies count as used.
const COUNTED: [&str; 4] = ["TreeUsage", "EffectvUsage", "Usage/level", "Usage/perc"];

#[test]
fn what_counts_as_used_is_in_each_table_at_80_columns() {
    for edit in ["", "jjj e80<enter>", "jjj E5<enter>"] {
        for tree in ["site", "buckets"] {
            let mut journey = Journey::example(tree).size(80, 24).keys("$").keys(edit);
            for _ in Policy::ALL {
                let headings = headings(&mut journey);
                let policy = policy(&journey).name();
                let is_counted = COUNTED.iter().any(|heading| headings.contains(heading));
                assert!(is_counted, "{tree} {edit}: {policy}: {headings}");
                let is_compared = edit.is_empty() || headings.contains('Δ');
                assert!(is_compared, "{tree} {edit}: {policy}: {headings}");
                journey.press("p");
            }
        }
    }
}

#[test]
fn a_thousand_users_leave_room_for_what_counts_as_used() {
    let mut drawing = String::new();
    for account in 0..12 {
        let _ = writeln!(drawing, "a{account} 10");
        for user in 0..100 {
            let _ = writeln!(drawing, "  u{account}-{user} {}", 10 + user);
        }
    }
    for edit in ["", "j e80<enter>"] {
        let mut journey = Journey::on(&drawing).size(80, 24).keys(edit);
        for _ in Policy::ALL {
            let headings = headings(&mut journey);
            let policy = policy(&journey).name();
            let is_counted = COUNTED.iter().any(|heading| headings.contains(heading));
            assert!(is_counted, "{edit}: {policy}: {headings}");
            journey.press("p");
        }
    }
}

#[test]
fn a_policy_that_ranks_by_its_factor_shows_it_on_a_narrow_screen() {
    let mut journey = Journey::example("site").size(60, 18).keys("$ k e80<enter>");
    journey.press("P classic<enter>");
    for name in [Policy::Classic, Policy::DepthOblivious] {
        assert_eq!(policy(&journey), name);
        let headings = headings(&mut journey);
        headings.must_contain("Factor");
        headings.must_contain("EffectvUsage");
        journey.press("p");
    }
}

#[test]
fn the_large_layout_scrolls_to_what_it_leaves_out() {
    let mut journey = Journey::example("site").size(80, 24).keys("$ <f2>");
    for _ in Policy::ALL {
        let name = policy(&journey).name();
        let first = headings(&mut journey);
        assert!(first.contains("Shares"), "{name}: {first}");
        assert!(first.ends_with('»'), "{name}: {first}");
        let mut seen = first.clone();
        for _ in 0..12 {
            journey.press(">");
            seen.push_str(&headings(&mut journey));
        }
        let is_counted = COUNTED.iter().any(|heading| seen.contains(heading));
        assert!(is_counted, "{name}: {seen}");
        assert!(!headings(&mut journey).ends_with('»'), "{name}");
        journey.press("p");
        assert!(!headings(&mut journey).starts_with('«'), "{name}");
    }
}

#[test]
fn leaving_the_rule_of_the_source_is_told_on_every_screen() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut journey = Journey::on(SEED).size(width, height).keys("p");
        for screen in ["1", "2", "3", "4", "5"] {
            journey.press(screen);
            journey.answer();
            let title = journey
                .screen()
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned();
            let told = "policy: Slurm LEVEL_BASED (source: PBS fairshare)";
            assert!(title.contains(told), "{screen}: {title}");
        }
        journey.press("1 v x");
        assert!(!journey.screen().contains("(source:"), "back");
    }
    // An example names its own rule.
    let mut journey = Journey::example("buckets");
    assert!(!journey.screen().contains("(source:"), "its own");
    journey.press("p v x");
    assert_eq!(policy(&journey), Policy::LevelBased);
}

#[test]
fn the_list_of_policies_says_at_80_columns_what_is_special_of_each() {
    let mut journey = Journey::example("small").size(80, 24).keys("P");
    for (title, help) in [
        ("Fair Tree as documented", "Children of tied accounts merge"),
        (
            "Slurm DEPTH_OBLIVIOUS",
            "Classic usage counted alike at every depth",
        ),
    ] {
        let row = journey.row(title);
        row.must_contain(help);
    }
}
