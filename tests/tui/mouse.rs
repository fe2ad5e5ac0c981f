//! The mouse: clicks on hints, buttons, lists and the chart, double clicks and the wheel.

use crate::support::journey::{Journey, notice, scenario};
use crate::support::trees::SEED;
use fairscope::tui::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use fairscope::tui::{AnswerPurpose, Dialog, EditPurpose, Effect, Message, Purpose, Work};
use ratatui::layout::Position;

/// Returns where a text is on the screen.
#[track_caller]
fn place(journey: &mut Journey, text: &str) -> (u16, u16) {
    let screen = journey.screen();
    let found = screen.lines().enumerate().find_map(|(y, line)| {
        let at = line.find(text)?;
        Some((line[..at].chars().count(), y))
    });
    let (x, y) = found.unwrap_or_else(|| panic!("no {text:?} in\n{screen}"));
    (u16::try_from(x).unwrap(), u16::try_from(y).unwrap())
}

#[track_caller]
fn click(journey: &mut Journey, text: &str) {
    let (x, y) = place(journey, text);
    journey.click(x, y);
}

#[track_caller]
fn double_click(journey: &mut Journey, text: &str, right: u16) {
    let (x, y) = place(journey, text);
    journey.click(x + right, y);
    journey.send(Message::DoubleClick(Position::new(x + right, y)));
}

#[test]
fn hints_are_clicked() {
    let mut journey = Journey::on(SEED).keys("jj");
    click(&mut journey, "e shares");
    assert!(
        matches!(journey.app.dialog(), Some(Dialog::Prompt(prompt)) if matches!(prompt.purpose, Purpose::Edit(EditPurpose::Shares(_))))
    );
    journey.press("<esc>");
    click(&mut journey, "5 plan");
    assert!(
        journey
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Work(Work::Run(_))))
    );
    journey.answer();
    click(&mut journey, "q back");
    journey.must_show("Group / user");
}

#[test]
fn the_buttons_of_a_prompt_are_clicked() {
    let mut journey = Journey::on(SEED).keys("jj e 55");
    click(&mut journey, "esc cancel");
    assert!(journey.app.dialog().is_none());
    assert!(scenario(&journey).history().edits().is_empty());
    journey.press("e 55");
    click(&mut journey, "enter ");
    assert!(journey.app.dialog().is_none());
    assert_eq!(scenario(&journey).history().edits().len(), 1);
}

#[test]
fn the_answers_to_a_question_are_clicked() {
    let mut journey = Journey::on(SEED).keys("jj + q");
    click(&mut journey, "esc stay");
    assert!(journey.app.dialog().is_none());
    journey.press("q");
    click(&mut journey, "y quit");
    assert!(
        journey.effects.contains(&Effect::Quit),
        "{:?}",
        journey.effects
    );
}

#[test]
fn the_history_is_clicked_and_a_click_beside_a_list_closes_it() {
    let mut journey = Journey::on(SEED).keys("jj + + H");
    click(&mut journey, "the source as it was read");
    assert!(journey.app.dialog().is_none());
    assert!(scenario(&journey).history().edits().is_empty());
    for keys in ["H", "?", "s", ":"] {
        journey.press(keys);
        assert!(journey.app.dialog().is_some(), "{keys}");
        journey.click(0, 1);
        assert!(journey.app.dialog().is_none(), "{keys}");
        journey.press("<esc>");
    }
}

#[test]
fn a_click_inside_help_leaves_it_open() {
    let mut journey = Journey::on(SEED).keys("?");
    click(&mut journey, "On this screen");
    assert!(journey.app.dialog().is_some());
}

#[test]
fn keys_behind_a_prefix_are_clicked() {
    let mut journey = Journey::on(SEED).keys("t");
    click(&mut journey, "Set the goal");
    assert!(
        matches!(journey.app.dialog(), Some(Dialog::Prompt(prompt)) if prompt.purpose == Purpose::Answer(AnswerPurpose::TimeGoal))
    );
    let mut journey = Journey::on(SEED).keys("t");
    journey.click(1, 5);
    assert!(
        !journey.screen().contains("Set the goal"),
        "a click beside it closes it"
    );
}

#[test]
fn two_clicks_edit_shares_or_usage() {
    let mut journey = Journey::on(SEED);
    double_click(&mut journey, "suzy", 1);
    let shares = |journey: &Journey| matches!(journey.app.dialog(), Some(Dialog::Prompt(prompt)) if matches!(prompt.purpose, Purpose::Edit(EditPurpose::Shares(_))));
    assert!(shares(&journey));
    assert_eq!(journey.selected(), "suzy");
    journey.press("<esc>");
    let (usage, _) = place(&mut journey, "Usage  ");
    let (name, _) = place(&mut journey, "suzy");
    double_click(&mut journey, "suzy", usage - name);
    assert!(
        matches!(journey.app.dialog(), Some(Dialog::Prompt(prompt)) if matches!(prompt.purpose, Purpose::Edit(EditPurpose::Usage(_))))
    );
    journey.press("<esc>");
    // Two clicks on a triangle fold and unfold.
    double_click(&mut journey, "▾ group1", 0);
    assert!(journey.app.dialog().is_none());
    journey.must_show("cathy");
}

#[test]
fn two_clicks_on_an_answer_apply_it() {
    let mut journey = Journey::on(SEED).keys("gjj i3<enter>");
    journey.answer();
    double_click(&mut journey, "shares group2/scott=", 0);
    assert_eq!(
        scenario(&journey).history().edits().len(),
        1,
        "{}",
        notice(&journey)
    );
}

#[test]
fn a_click_or_drag_on_the_chart_moves_the_clock() {
    let mut journey = Journey::on(SEED).keys("4");
    journey.answer();
    let (x, y) = place(&mut journey, "└▲");
    let passed = |journey: &Journey| scenario(journey).settings().time.passed;
    assert_eq!(passed(&journey), 0);
    journey.click(x + 31, y - 2);
    journey.answer();
    let there = passed(&journey);
    assert!(there > 0);
    let drag = |x| {
        Message::Mouse(MouseEvent {
            kind: MouseEventKind::Drag(MouseButton::Left),
            column: x,
            row: y - 2,
            modifiers: KeyModifiers::NONE,
        })
    };
    journey.send(drag(x + 21));
    journey.answer();
    assert!(passed(&journey) < there, "back as well");
    journey.send(drag(x + 1));
    journey.answer();
    assert_eq!(passed(&journey), 0);
}

#[test]
fn the_wheel_moves_in_every_list() {
    let mut journey = Journey::on(SEED).keys("jj + k + j + k + H");
    let wheel = |kind| {
        Message::Mouse(MouseEvent {
            kind,
            column: 60,
            row: 20,
            modifiers: KeyModifiers::NONE,
        })
    };
    journey.send(wheel(MouseEventKind::ScrollUp));
    assert!(
        matches!(journey.app.dialog(), Some(Dialog::History(list)) if list.cursor == 1),
        "{:?}",
        journey.app.dialog()
    );
    journey.press("<esc> ?");
    journey.resize(80, 24);
    let before = journey.screen();
    journey.send(wheel(MouseEventKind::ScrollDown));
    assert_ne!(journey.screen(), before);
    journey.send(wheel(MouseEventKind::ScrollUp));
    assert_eq!(journey.screen(), before);
}
