//! The tests' own side of the pseudo-terminal: a wait that would be over before its keys have done anything fails.

use super::explorer;
use crate::support::terminal::Terminal;

#[test]
#[should_panic(expected = "was on the screen before \"j\", so it is no answer")]
fn what_the_screen_showed_before_the_keys_is_no_answer_to_them() {
    let mut terminal = explorer();
    terminal.send("j");
    terminal.wait_for("4 Time");
}

#[test]
#[should_panic(expected = "so their echo would do as an answer")]
fn what_the_keys_spell_is_no_answer_to_them() {
    let mut terminal = explorer();
    terminal.send("/zzz");
    terminal.wait_for("zzz");
}

#[test]
#[should_panic(expected = "so its absence is no answer")]
fn what_was_never_there_cannot_go() {
    let mut terminal = explorer();
    terminal.send("j");
    terminal.wait_without("already there");
}

#[test]
#[should_panic(expected = "the help held before \"j\" were sent")]
fn what_holds_before_the_keys_is_no_answer_to_them() {
    let mut terminal = explorer();
    terminal.send_until("j", "the help", |terminal| {
        terminal.screen().contains("? help")
    });
}

#[test]
#[should_panic(expected = "more keys are sent before an answer to \"j\" was awaited")]
fn keys_are_answered_before_more_are_sent() {
    let mut terminal = explorer();
    terminal.send("j");
    terminal.send("j");
}

#[test]
fn a_frame_is_shown_when_it_is_whole() {
    let frame = "stty -echo; printf 'before \\033[?2026hmiddle'; read key; printf ' after\\033[?2026l'; read key";
    let mut terminal = Terminal::shell(&["-c", frame]);
    terminal.wait_for("before");
    assert_eq!(terminal.screen().trim_end(), "before");
    terminal.send("\n");
    terminal.wait_for("middle");
    assert_eq!(terminal.screen().trim_end(), "before middle after");
}
