//! Pages about nodes and files: solving for a goal, the causes of a rank, two nodes compared, two trees compared.

use super::{copied, edited, folder, notice};
use crate::support::expected::Expected as _;
use crate::support::journey::{Journey, caption};
use crate::support::trees::{self, SEED};
use fairscope::tui::Options;

#[test]
fn a_page_about_a_node_closes_when_the_node_is_removed() {
    let mut journey = Journey::on(SEED).keys("gj a new<space>shares=5<enter>");
    assert_eq!(journey.selected(), "new");
    journey.press("I");
    journey.answer();
    journey.press("u");
    notice(&journey).must_contain("not in this tree");
    journey.must_show("Group / user");
}

#[test]
fn an_answer_is_applied_and_can_be_undone() {
    let mut journey = Journey::on(SEED).keys("gjj i3<enter>");
    assert_eq!(journey.selected(), "scott");
    journey.answer();
    journey.must_show_all(&[
        "rank<=3",
        "1,898 shares: rank 3 of 4",
        "shares group2/scott=1898",
        "space apply it",
    ]);
    journey.press("<enter>");
    assert_eq!(
        caption(&journey),
        "scott 40 → 1,898 shares: 4th to 3rd; 1 other falls; u undoes it"
    );
    assert_eq!(journey.selected(), "scott");
    journey.must_show("1 edit");
    journey.press("u");
    journey.must_hide("1 edit");
}

#[test]
fn an_unreachable_goal_offers_nothing_to_apply() {
    let mut journey = Journey::on(SEED).keys("gjj i1<enter>");
    journey.answer();
    journey.must_show_all(&["Impossible", "no number of shares"]);
    journey.must_hide("apply it");
    journey.press("<enter>");
    journey.must_show("Impossible");
    journey.press("<esc>");
    journey.must_hide("1 edit");
}

#[test]
fn a_goal_already_reached_is_reported() {
    let mut journey = Journey::on(SEED).keys("gjj i4<enter>");
    journey.answer();
    journey.must_show("The goal is already reached");
    journey.must_hide("apply it");
}

#[test]
fn a_goal_is_answered_from_the_tree_with_its_edits() {
    let mut journey = Journey::on(SEED).keys("gjj e1898<enter> i3<enter>");
    journey.answer();
    journey.must_show("The goal is already reached");
}

#[test]
fn the_causes_of_a_rank_are_reported_for_users_and_accounts() {
    for (keys, title) in [
        ("gj I", "What the rank of group2 depends on"),
        ("gjj I", "What the rank of group2/scott depends on"),
    ] {
        let mut journey = Journey::on(SEED).keys(keys);
        journey.answer();
        journey.must_show_all(&[title, "Users ahead of it"]);
        journey.press("y");
        assert_eq!(notice(&journey), "copied what it depends on");
        copied(&journey).must_contain(title);
    }
}

#[test]
fn two_marked_nodes_are_compared_wherever_the_cursor_is() {
    let mut journey = Journey::on(SEED).keys("gjj m jj m g c m");
    journey.answer();
    journey.must_show_all(&[
        "group2/scott and group1/cathy",
        "diverge at TREEROOT",
        "Side by side",
        "Level by level",
        "How group2/scott could get ahead",
    ]);
    journey.press("y");
    assert_eq!(notice(&journey), "copied the comparison");
    copied(&journey).must_contain("group1/cathy");
}

#[test]
fn the_marked_node_is_compared_with_the_one_under_the_cursor() {
    let mut journey = Journey::on(SEED).keys("gjj m c m");
    journey.answer();
    journey.must_show("group2/scott and group2/suzy");
}

#[test]
fn marks_used_for_a_comparison_are_cleared_when_it_closes() {
    for leave in ["<esc>", "2", "q"] {
        let mut journey = Journey::on(SEED).keys("gjj m jj m c m");
        journey.answer();
        journey.must_show("group2/scott and group1/cathy");
        journey.press(leave);
        journey.must_hide("marked");
        // The next edit is therefore of the row under the cursor.
        let selected = journey.selected();
        journey.press("e");
        journey.must_show(&format!("shares of {selected}: "));
    }
    // If there were too many marks to compare, they are kept.
    let mut journey = Journey::on(SEED).keys("gjj m m m c m");
    journey.must_show("● 3 marked");
}

#[test]
fn an_answer_is_chosen_from_the_list_and_applied() {
    let mut journey = Journey::on(SEED).keys("gjj i3<enter>");
    journey.answer();
    journey.must_show_all(&[
        "To try it",
        "shares group2=0",
        "❯  shares group2/scott=1898",
    ]);
    // The edits go from the top level down. At first the cursor is on that of the node's own shares.
    journey.press("k");
    journey.must_show("❯  shares group2=0");
    journey.press("<enter>");
    let said_of_group = caption(&journey);
    said_of_group.must_begin("group2 60 → ");
    assert_eq!(journey.selected(), "scott");
    journey.must_show("1 edit");
}

#[test]
fn the_goals_of_a_site_are_kept_by_all_edits_of_one_proposal() {
    let typed = "ishare(group1/bob)>=25%;keep(others);keep(group2/suzy)<enter>";
    for start in ["gg", "gjj"] {
        let mut journey = Journey::on(SEED)
            .size(80, 24)
            .keys(&format!("{start} {typed}"));
        journey.answer();
        let shown = [
            "all goals hold",
            "share(group1/bob)>=25%",
            "Who pays",
            "❯  shares group1/cathy",
        ];
        journey.must_show_all(&shown);
        journey.press("<enter>");
        let said = caption(&journey);
        said.must_contain(" shares: ");
        journey.must_show("1 edit");
    }
    let mut journey = Journey::on(SEED).keys("gjj ishare(nobody)>=25%;<enter>");
    journey.must_show("nobody");
    let mut journey = Journey::on(SEED).keys("gjj iahead(bob,suzy);ahead(suzy,bob)<enter>");
    journey.answer();
    journey.must_show_all(&["No shares", "Nearest"]);
}

#[test]
fn an_answer_is_chosen_with_the_mouse() {
    let mut journey = Journey::on(SEED).keys("gjj i3<enter>");
    journey.answer();
    let screen = journey.screen();
    let row = screen
        .lines()
        .position(|line| line.trim_start().starts_with("shares group2="))
        .expect("an edit");
    journey.click(6, u16::try_from(row).unwrap());
    journey.must_show("❯  shares group2=0");
    journey.must_hide("1 edit");
    journey.press("<enter>");
    let said = caption(&journey);
    said.must_begin("group2 60 → ");
}

#[test]
fn a_choice_off_the_screen_is_shown_before_it_is_applied() {
    let mut journey = Journey::on(SEED).keys("gjj i3<enter>");
    journey.answer();
    journey.resize(80, 9);
    let _ = journey.screen();
    journey.press("<enter>");
    notice(&journey).must_contain("applies this one");
    journey.must_show("❯  shares group2/scott=1898");
    journey.press("<enter>");
    let said = caption(&journey);
    said.must_begin("scott 40 → 1,898 shares: ");
}

#[test]
fn a_page_scrolls_by_lines_while_no_choice_is_on_the_screen() {
    let mut journey = Journey::on(SEED).keys("gjj m jj m c m").size(80, 24);
    journey.answer();
    journey.must_show("1-20 of 42");
    journey.press("j");
    journey.must_show("2-21 of 42");
    // Scrolling on reaches the choice and puts the cursor on it.
    for _ in 0..60 {
        let _ = journey.screen();
        journey.press("j");
    }
    journey.must_show("❯  shares group2=333");
}

#[test]
fn the_edit_that_reverses_an_order_is_applied_from_the_comparison() {
    let mut journey = Journey::on(SEED).keys("gjj m c m");
    journey.answer();
    journey.must_show_all(&["could get ahead", "To try it", "❯"]);
    journey.press("<enter>");
    if notice(&journey).contains("applies this one") {
        let _ = journey.screen();
        journey.press("<enter>");
    }
    caption(&journey).must_contain(" shares: ");
    journey.must_show("1 edit");
}

#[test]
fn an_account_is_compared_with_a_user_below_it() {
    let mut journey = Journey::on(SEED).keys("gj m m c m");
    journey.answer();
    journey.must_show_all(&["group2 and group2/scott", "Side by side"]);
    // An account and a user below it do not compete, so neither can come ahead of the other.
    journey.must_hide("could get ahead");
}

#[test]
fn three_marks_are_too_many_to_compare() {
    let mut journey = Journey::on(SEED).keys("gjj m m m c m");
    notice(&journey).must_contain("3 nodes are marked, but two are needed");
    journey.must_show("Group / user");
}

#[test]
fn a_comparison_takes_the_other_file_as_old_and_includes_edits() {
    let folder = folder();
    let mut journey = edited(folder.path().to_owned()).keys("O tree.csv<enter>");
    journey.answer();
    journey.must_show_all(&["Differences from ", "tree.csv", "group2/scott"]);
    journey.press("y");
    assert_eq!(notice(&journey), "copied the differences");
    copied(&journey).must_contain("group1/cathy");
}

#[test]
fn the_default_goal_is_on_target_and_a_number_is_a_rank() {
    let mut journey = Journey::on(SEED).keys("gjj i");
    journey.must_show("goal of scott: on-target");
    journey.press("<enter>");
    journey.answer();
    journey.must_show_all(&[
        "Solve for a goal: group2/scott, on-target",
        "group2/scott uses 83.3% of all usage, target ",
    ]);
    journey.press("<esc> i 3<enter>");
    journey.answer();
    journey.must_show("rank<=3");
    journey.press("<esc> i ahead-of <space>group1/bob<enter>");
    journey.answer();
    journey.must_show("ahead-of group1/bob");
    journey.press("<esc> i factor>=0.2<enter>");
    journey.answer();
    journey.must_show("factor>=0.2");
}

#[test]
fn an_invalid_goal_is_refused_and_can_be_corrected() {
    let mut journey = Journey::on(SEED).keys("gjj i share>=<enter>");
    journey.must_show("share>= is not a valid share");
    journey.press("5%<enter>");
    journey.answer();
    journey.must_show("share>=0.05");
}

#[test]
fn the_root_and_too_few_marks_are_refused() {
    let mut journey = Journey::on(SEED).keys("g ifactor>=1<enter>");
    journey.answer();
    notice(&journey).must_contain("choose a node below it");
    journey.press("I");
    journey.answer();
    notice(&journey).must_contain("root");
    journey.must_show("Group / user");
    journey.press("c m");
    notice(&journey).must_contain("m marks a node");
}

#[test]
fn a_file_that_cannot_be_read_keeps_the_open_tree() {
    let mut journey = Journey::on(SEED).keys("O /nowhere/tree.csv<enter>");
    journey.answer();
    // The path is still in the prompt and can be corrected.
    journey.must_show_all(&[
        "/nowhere/tree.csv",
        "no such file or directory",
        "Group / user",
    ]);
}

#[test]
fn the_page_of_a_user_opens_with_the_explorer_and_by_a_key() {
    let options = Options {
        user: Some("suzy".into()),
        ..Options::default()
    };
    let mut journey = Journey::with_options(trees::pbs(SEED), options).size(80, 24);
    assert_eq!(journey.selected(), "suzy");
    journey.must_show("computing");
    journey.answer();
    let page = [
        "Fairshare of suzy",
        "You rank 3rd of 4. You have used nothing. Your group group2 has used 139% of",
        "If you stop and all others go on: you stay 3rd, because group2 keeps using",
        "does not know a job's age",
    ];
    journey.must_show_all(&page);
    journey.press("y");
    copied(&journey).must_contain("You rank 3rd of 4");
    journey.press("<esc>");
    journey.must_hide("does not know");
    // On a group the key opens the page of its first user, and on a user its own.
    journey.press("gj c u");
    notice(&journey).must_begin("suzy is the first user of group2");
    journey.answer();
    journey.must_show("Fairshare of suzy");
    journey.press("<esc> gjj c u");
    journey.answer();
    journey.must_show("Fairshare of scott");
    // An edit below the page changes it.
    journey.press("<esc> e 90 <enter> c u");
    journey.answer();
    journey.press("u");
    journey.answer();
    journey.must_show("Fairshare of scott");
}

#[test]
fn an_unknown_user_is_refused_beside_the_tree() {
    let options = Options {
        user: Some("suzi".into()),
        ..Options::default()
    };
    let mut journey = Journey::with_options(trees::pbs(SEED), options);
    notice(&journey).must_begin("unknown user 'suzi'; did you mean 'suzy'?");
    journey.must_show("Group / user");
}

#[test]
fn a_page_tells_what_the_verification_found() {
    let request = fairscope::format::Request::to_open(crate::support::data(
        "slurm/captures/17-stale-after-change/26.05/1-just-changed",
    ));
    let loaded = fairscope::open::load(&request, &mut |_| std::ops::ControlFlow::Continue(()));
    let snapshot = loaded.expect("outputs of Slurm").snapshot;
    let mut journey = Journey::with(snapshot).keys("/mia<enter> c u");
    journey.answer();
    journey.must_show_all(&[
        "Fairshare of mia",
        "The recorded columns are from several moments",
    ]);
}

#[test]
fn the_title_of_a_comparison_is_not_cut_behind_a_long_path() {
    let folder = folder();
    let long = folder
        .path()
        .join("a-very-long-name-of-a-directory/with-another-one-below-it");
    std::fs::create_dir_all(&long).expect("a directory");
    std::fs::copy(folder.path().join("tree.csv"), long.join("tree.csv")).expect("a copy");
    let mut journey = edited(folder.path().to_owned()).size(80, 24);
    journey.press("O a-very-long-name-of-a-directory/with-another-one-below-it/tree.csv<enter>");
    journey.answer();
    journey.must_show_all(&["Differences from ", "/tree.csv"]);
}
