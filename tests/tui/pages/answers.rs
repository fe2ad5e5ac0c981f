//! Pages about nodes and files: what it takes, what a rank hangs on, two nodes, two trees.

use super::{assert_hides, assert_shows, copied, edited, folder, said};
use crate::support::journey::Journey;
use crate::support::trees::SEED;

#[test]
fn a_page_about_a_node_goes_when_the_node_does() {
    let mut journey = Journey::on(SEED).keys("gj a new<space>shares=5<enter>");
    assert_eq!(journey.selected(), "new");
    journey.press("I");
    journey.answer();
    journey.press("u");
    assert!(
        said(&journey).contains("not in this tree"),
        "{}",
        said(&journey)
    );
    assert_shows(&mut journey, &["Account / user"]);
}

#[test]
fn what_it_takes_is_applied_and_can_be_taken_back() {
    let mut journey = Journey::on(SEED).keys("gjj i3<enter>");
    assert_eq!(journey.selected(), "scott");
    journey.answer();
    assert_shows(
        &mut journey,
        &[
            "rank<=3",
            "By its own shares",
            "shares group2/scott=1898",
            "space apply it",
        ],
    );
    journey.press("<enter>");
    assert!(said(&journey).contains("applied"), "{}", said(&journey));
    assert_eq!(journey.selected(), "scott");
    assert_shows(&mut journey, &["1 edit"]);
    journey.press("u");
    assert_hides(&mut journey, "1 edit");
}

#[test]
fn what_cannot_be_reached_has_nothing_to_apply() {
    let mut journey = Journey::on(SEED).keys("gjj i1<enter>");
    journey.answer();
    assert_shows(&mut journey, &["Impossible", "no number of shares"]);
    assert_hides(&mut journey, "apply it");
    journey.press("<enter>");
    assert_shows(&mut journey, &["Impossible"]);
    journey.press("<esc>");
    assert_hides(&mut journey, "1 edit");
}

#[test]
fn what_is_reached_already_says_so() {
    let mut journey = Journey::on(SEED).keys("gjj i4<enter>");
    journey.answer();
    assert_shows(&mut journey, &["It is reached already"]);
    assert_hides(&mut journey, "apply it");
}

#[test]
fn a_goal_is_answered_from_the_tree_with_its_edits() {
    let mut journey = Journey::on(SEED).keys("gjj e1898<enter> i3<enter>");
    journey.answer();
    assert_shows(&mut journey, &["It is reached already"]);
}

#[test]
fn what_a_rank_hangs_on_is_said_of_users_and_accounts() {
    for (keys, title) in [
        ("gj I", "What the rank of group2 hangs on"),
        ("gjj I", "What the rank of group2/scott hangs on"),
    ] {
        let mut journey = Journey::on(SEED).keys(keys);
        journey.answer();
        assert_shows(&mut journey, &[title, "Its shares, its levels"]);
        journey.press("y");
        assert_eq!(said(&journey), "copied what it hangs on");
        assert!(copied(&journey).contains(title));
    }
}

#[test]
fn two_marked_nodes_are_compared_wherever_the_cursor_is() {
    let mut journey = Journey::on(SEED).keys("gjj m jj m g |");
    journey.answer();
    assert_shows(
        &mut journey,
        &[
            "group2/scott and group1/cathy",
            "part at TREEROOT",
            "Side by side",
            "Level by level",
            "What would bring group2/scott ahead",
        ],
    );
    journey.press("y");
    assert_eq!(said(&journey), "copied the comparison");
    assert!(copied(&journey).contains("group1/cathy"));
}

#[test]
fn the_marked_node_is_compared_with_the_one_under_the_cursor() {
    let mut journey = Journey::on(SEED).keys("gjj m |");
    journey.answer();
    assert_shows(&mut journey, &["group2/scott and group2/suzy"]);
}

#[test]
fn an_account_is_compared_with_a_user_below_it() {
    let mut journey = Journey::on(SEED).keys("gj m m |");
    journey.answer();
    assert_shows(&mut journey, &["group2 and group2/scott", "Side by side"]);
    // Neither can come ahead of the other: the one holds the other.
    assert_hides(&mut journey, "What would bring");
}

#[test]
fn three_marks_are_too_many_to_compare() {
    let mut journey = Journey::on(SEED).keys("gjj m m m |");
    assert!(
        said(&journey).contains("3 nodes are marked, and two are compared"),
        "{}",
        said(&journey)
    );
    assert_shows(&mut journey, &["Account / user"]);
}

#[test]
fn another_file_is_the_old_tree_and_edits_count() {
    let folder = folder();
    let mut journey = edited(folder.path().to_owned()).keys("O tree.csv<enter>");
    journey.answer();
    assert_shows(&mut journey, &["tree.csv to what is open", "group2/scott"]);
    journey.press("y");
    assert_eq!(said(&journey), "copied the differences");
    assert!(copied(&journey).contains("group1/cathy"));
}

#[test]
fn a_goal_begins_as_a_rank_and_a_word_is_another_goal() {
    let mut journey = Journey::on(SEED).keys("gjj i");
    assert_shows(&mut journey, &["goal of scott: rank<="]);
    journey.press("ahead-of <space>group1/bob<enter>");
    journey.answer();
    assert_shows(&mut journey, &["ahead-of group1/bob"]);
    journey.press("<esc> i factor>=0.2<enter>");
    journey.answer();
    assert_shows(&mut journey, &["factor>=0.2"]);
}

#[test]
fn what_is_no_goal_is_said_and_can_be_mended() {
    let mut journey = Journey::on(SEED).keys("gjj i<enter>");
    assert_shows(&mut journey, &["rank<= cannot be wanted"]);
    journey.press("2<enter>");
    journey.answer();
    assert_shows(&mut journey, &["rank<=2"]);
}

#[test]
fn nothing_is_asked_of_the_root_and_too_few_marks() {
    let mut journey = Journey::on(SEED).keys("g i");
    assert!(said(&journey).contains("choose an account or a user"));
    journey.press("I");
    journey.answer();
    assert!(said(&journey).contains("root"), "{}", said(&journey));
    assert_shows(&mut journey, &["Account / user"]);
    journey.press("|");
    assert!(
        said(&journey).contains("m marks a node"),
        "{}",
        said(&journey)
    );
}

#[test]
fn a_file_that_cannot_be_read_leaves_the_tree() {
    let mut journey = Journey::on(SEED).keys("O /nowhere/tree.csv<enter>");
    journey.answer();
    // The path stands in its prompt, to be mended.
    assert_shows(
        &mut journey,
        &["/nowhere/tree.csv", "does not exist", "Account / user"],
    );
}
