//! Nothing that the program says by itself is cut on a screen of 80 by 24.

use super::leaving::places;
use crate::support::expected::Expected as _;
use crate::support::journey::Journey;
use fairscope::format::Example;
use fairscope::rules::policy::Policy;

/// What stands before the sign of a cut where nothing was cut: work that goes on, and a prefix that waits for a key.
const UNDER_WAY: [&str; 5] = ["computing", "comparing", "reading", "of it", "┌ t "];

/// Returns the lines of a screen on which something is cut.
pub(super) fn cut_lines(screen: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for line in screen.lines() {
        let mut places = line.match_indices('…');
        let is_cut = |at: usize| {
            let before = line[..at].trim_start_matches(['❯', '▶', '●', ' ']);
            // The path of a row is a name, which may be longer than any screen.
            let is_path = !before.contains(' ');
            !is_path && !UNDER_WAY.iter().any(|words| before.ends_with(words))
        };
        if places.any(|(at, _)| is_cut(at)) {
            lines.push(line.to_owned());
        }
    }
    lines
}

#[test]
fn no_dialog_cuts_its_words() {
    let mut cut = Vec::new();
    for (name, (start, keys)) in places() {
        let lines = cut_lines(&start.with(&keys).screen());
        cut.extend(lines.into_iter().map(|line| format!("{name}: {line}")));
    }
    assert!(cut.is_empty(), "{}", cut.join("\n"));
}

#[test]
fn no_screen_cuts_its_words() {
    let mut cut = Vec::new();
    for example in Example::ALL {
        let name = example.name();
        for policy in 0..Policy::ALL.len() {
            let policies = "p".repeat(policy);
            let mut journey = Journey::example(name).size(80, 24);
            journey.press(&policies);
            for screen in ["1", "2", "3", "4", "4 ta", "5", "1 +", "5"] {
                journey.press(screen);
                journey.answer();
                let lines = cut_lines(&journey.screen());
                let lines = lines.into_iter();
                cut.extend(lines.map(|line| format!("{name} {screen} {policies}: {line}")));
            }
        }
    }
    assert!(cut.is_empty(), "{}", cut.join("\n"));
}

#[test]
fn the_page_of_a_user_cuts_names_before_numbers() {
    let mut journey = Journey::example("site").size(80, 24);
    journey.press("/ lena <enter> c u");
    journey.answer();
    let row = journey.row("…lysis/lena");
    row.must_end("chemistry     2 d 11 h");
    journey.resize(120, 24);
    let row = journey.row("chemistry/catalysis/lena");
    row.must_end("chemistry     2 d 11 h");
}

#[test]
fn columns_that_can_be_left_out_give_way_to_whole_names() {
    const LONG: &str = "department_of_computational_physics";
    let mut journey = Journey::on(&format!("{LONG} 2\n  ann 1 | 20\n  bob 1 | 5"));
    for width in [120, 160, 200] {
        journey.resize(width, 30);
        let screen = journey.screen();
        screen.must_contain(&format!("▾ {LONG}"));
    }
    journey.resize(80, 24);
    let row = journey.row("▾ department_");
    row.must_contain("…");
    row.must_contain("physics");
}
