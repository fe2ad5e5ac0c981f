//! A user's own settings: what the file may hold, what is refused, and what comes of it.

use crate::support::expected::Expected as _;
use crate::support::journey::{Journey, notice};
use crate::support::trees::{self, SEED};
use fairscope::base::shown::Shown;
use fairscope::rules::policy::Policy;
use fairscope::tui::{Action, Config, Message, Options};

/// The settings with every key and its default, commented out.
const DOCUMENTED: &str = include_str!("../../assets/config.toml");

/// Returns the documented settings with every key in force.
pub(crate) fn uncommented() -> String {
    let is_key = |line: &str| line.starts_with('#') && !line.starts_with("# ");
    let lines = DOCUMENTED
        .lines()
        .map(|line| if is_key(line) { &line[1..] } else { line });
    lines.collect::<Vec<_>>().join("\n")
}

fn read(text: &str) -> Config {
    Config::parse(&Shown::from("config.toml"), text.as_bytes())
}

fn refusals(text: &str) -> Vec<String> {
    let config = read(text);
    config.refused.iter().map(ToString::to_string).collect()
}

/// Starts the explorer with a file of settings, and opens the tree of the design document.
fn explorer(text: &str) -> Journey {
    Journey::with_options(trees::pbs(SEED), read(text).below(Options::default()))
}

#[test]
fn the_documented_defaults_are_the_defaults() {
    assert_eq!(read(""), Config::default());
    assert_eq!(read(DOCUMENTED), Config::default(), "all is commented out");
    let text = uncommented();
    assert_eq!(read(&text), Config::default(), "{text}");
    assert!(refusals(&text).is_empty(), "{:?}", refusals(&text));
}

#[test]
fn every_key_is_documented_in_a_sentence() {
    let lines: Vec<&str> = DOCUMENTED.lines().collect();
    let mut keys = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        assert!(line.is_empty() || line.starts_with('#'), "{line}");
        let Some(setting) = line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')) else {
            continue;
        };
        let above = lines[place - 1];
        assert!(above.starts_with("# ") && above.ends_with('.'), "{line}");
        let key = setting.split(" = ").next().unwrap();
        keys.push(key.trim_matches(['[', ']']));
    }
    let (example, keys) = keys.split_last().unwrap();
    assert_eq!(keys, Config::KEYS);
    assert!(Action::named(example).is_some());
}

#[test]
fn what_is_refused_is_named_with_its_line_and_what_is_accepted() {
    for (text, expected) in [
        (
            "\nthme = \"dark\"",
            "config.toml:2: unknown key 'thme'; did you mean 'theme'? (theme, ascii, mouse, screen, columns, keys)",
        ),
        (
            "theme = \"drak\"",
            "config.toml:1: unknown theme 'drak'; did you mean 'dark'? (auto, dark, light, high-contrast, sixteen, mono)",
        ),
        (
            "theme = true",
            "config.toml:1: theme is not text; expected one of auto, dark, light, high-contrast, sixteen, mono, in quotes",
        ),
        (
            "ascii = \"yes\"",
            "config.toml:1: ascii is none of true, false and \"auto\"",
        ),
        (
            "mouse = 1",
            "config.toml:1: mouse is neither true nor false",
        ),
        (
            "screen = \"rankings\"",
            "config.toml:1: unknown screen 'rankings'; did you mean 'ranking'? (tree, ranking, policies, time, plan)",
        ),
        (
            "columns = [\"shares\", \"fator\"]",
            "config.toml:1: unknown column 'fator'; did you mean 'factor'? (`fairscope help columns` lists them)",
        ),
        (
            "columns = \"shares\"",
            "config.toml:1: columns is not a list; expected names such as [\"shares\", \"rank\"]",
        ),
        (
            "[keys]\nundoo = [\"u\"]",
            "config.toml:2: unknown action 'undoo'; did you mean 'undo'? (`fairscope help keys` lists them)",
        ),
        (
            "[keys]\nsay_why = [\"u\"]",
            "config.toml:2: the action 'say_why' is now called 'note'",
        ),
        (
            "[keys]\nundo = [\"pageup\"]",
            "config.toml:2: unknown key 'pageup'; did you mean 'page-up'? (a character, up, down, left, right, home, end, \
             page-up, page-down, enter, esc, tab, space, backspace, delete or f1 to f12; ctrl- or shift- before it; or two keys such as \"t g\")",
        ),
        (
            "[keys]\nundo = \"u\"",
            "config.toml:2: undo is not a list; expected keys such as [\"u\", \"ctrl-z\"]",
        ),
        (
            &format!("[keys]\nundo = [{}]", "\"u\",".repeat(1234)),
            "config.toml:2: undo has 1,234 keys; expected at most 16",
        ),
        (
            "[keys]\nundo = [\"x\"]\nredo = [\"x\"]",
            "config.toml:3: the key 'x' is given to two actions, redo and undo",
        ),
        (
            "keys = 1",
            "config.toml:1: keys is not a table; expected [keys] and actions below it",
        ),
        (
            "mouse = false\ntheme = dark",
            "config.toml:2: this is not TOML: string values must be quoted, expected literal string",
        ),
    ] {
        assert_eq!(refusals(text), [expected], "{text}");
    }
    let raw = Config::parse(&Shown::from("config.toml"), b"theme = \"dark\"\n# \xff");
    let said: Vec<&str> = raw.refused.iter().map(|text| &**text).collect();
    assert_eq!(said, ["config.toml:2: this is not UTF-8"]);
    assert_eq!(
        Config {
            refused: Vec::new(),
            ..raw
        },
        Config::default()
    );
}

#[test]
fn every_one_of_many_refusals_has_its_line() {
    let lines = (1..=2_000).map(|line| format!("k{line} = 1\n"));
    let refused = refusals(&lines.collect::<String>());
    assert_eq!(refused.len(), 2_000);
    for (refusal, line) in refused.iter().zip(1..) {
        refusal.must_begin(&format!("config.toml:{line}: unknown key 'k{line}'"));
    }
}

#[test]
fn names_in_refusals_are_safe_to_print() {
    for text in [
        "\"a\\u001b[2J\" = 1",
        "theme = \"\\u202e\"",
        "[keys]\n\"\\u0007\" = []",
        "theme = \u{1b}[2J",
    ] {
        let said = refusals(text);
        assert!(!said.is_empty(), "{text:?}");
        assert!(
            said.iter()
                .all(|said| said.is_ascii() && !said.contains('\u{1b}') && !said.contains('\u{7}')),
            "{said:?}"
        );
    }
}

#[test]
fn what_is_not_refused_is_taken_over() {
    let mut journey =
        explorer("theme = \"light\"\nmouse = 3\ncolumns = [\"rank\", \"fator\", \"shares\"]");
    let screen = journey.screen();
    let headings: Vec<&str> = screen.lines().nth(2).unwrap().split_whitespace().collect();
    let columns = &headings[headings.len() - 2..];
    assert_eq!(columns, ["Rank", "Shares"], "{screen}");
    let said = notice(&journey).to_owned();
    said.must_contain("config.toml:2: mouse is neither");
    said.must_contain("1 more line");
    journey.must_show("mouse is neither");
    journey.press("j");
    assert_eq!(notice(&journey), "", "until the next key");
}

#[test]
fn a_tree_opens_on_the_chosen_screen() {
    let screens = ["tree", "ranking", "policies", "time", "plan"];
    for (screen, key) in screens.iter().zip(["1", "2", "3", "4", "5"]) {
        let mut journey = explorer(&format!("screen = \"{screen}\""));
        journey.answer();
        let mut usual = Journey::on(SEED).keys(key);
        usual.answer();
        assert_eq!(journey.screen(), usual.screen(), "{screen}");
    }
}

#[test]
fn columns_that_the_policy_lacks_are_left_out_and_come_back() {
    let mut journey = explorer("columns = [\"level_fs\", \"shares\"]");
    let headings = |journey: &mut Journey| journey.screen().lines().nth(2).unwrap().to_owned();
    headings(&mut journey).must_lack("LevelFS");
    let place = Policy::ALL
        .iter()
        .position(|&policy| policy == Policy::FairTree);
    journey.press(&format!(
        "P <home> {} <enter>",
        "<down>".repeat(place.unwrap())
    ));
    let line = headings(&mut journey);
    line.must_contain("LevelFS");
    line.must_contain("Shares");
    line.must_lack("Rank");
}

#[test]
fn keys_of_ones_own_take_the_place_of_the_usual_ones() {
    let mut journey = explorer("[keys]\ndown = [\"n\"]\nundo = []\nquit = [\"ctrl-q\"]");
    let before = journey.selected();
    journey.press("j");
    assert_eq!(journey.selected(), before, "j has no action now");
    journey.press("n");
    assert_ne!(journey.selected(), before);
    journey.press("+ u");
    assert!(
        journey.app.session().unwrap().has_unsaved_edits(),
        "nothing undoes"
    );
    journey.press("<esc>");
    journey.must_show("^Q quit");
}

#[test]
fn the_command_line_overrides_the_file() {
    let config = "theme = \"light\"\nascii = false\nmouse = true";
    let given = Options {
        theme: Some("mono".into()),
        is_ascii: true,
        without_mouse: true,
        ..Options::default()
    };
    let options = read(config).below(given);
    assert_eq!(options.theme.as_deref(), Some("mono"));
    let options = options.suited_to(|_| None);
    assert!(options.is_ascii && options.without_mouse);
    let options = read("theme = \"light\"\nascii = true\nmouse = false").below(Options::default());
    let options = options.suited_to(|name| (name == "LANG").then(|| "C.UTF-8".into()));
    assert_eq!(options.theme.as_deref(), Some("light"));
    assert!(options.is_ascii && options.without_mouse);
}

#[test]
fn the_file_overrides_what_the_terminal_says() {
    let in_locale_c = |text| {
        let options = read(text).below(Options::default());
        options.suited_to(|name| (name == "NO_COLOR").then(|| "1".into()))
    };
    assert!(in_locale_c("").is_ascii);
    assert!(!in_locale_c("ascii = false").is_ascii);
    assert_eq!(in_locale_c("").theme.as_deref(), Some("mono"));
    let theme = in_locale_c("theme = \"dark\"").theme;
    assert_eq!(theme.as_deref(), Some("dark"));
    assert_eq!(
        in_locale_c("theme = \"auto\"").theme.as_deref(),
        Some("mono")
    );
}

#[test]
fn refusals_are_told_once_a_tree_is_open() {
    let mut journey = Journey::empty(read("thme = 1").below(Options::default()));
    assert_eq!(notice(&journey), "");
    journey.send(Message::Example);
    notice(&journey).must_contain("unknown key 'thme'");
}

#[test]
fn a_chosen_theme_says_how_to_keep_it() {
    let options = Options {
        config_file: "~/.config/fairscope/config.toml".into(),
        ..Options::default()
    };
    let mut journey = Journey::with_options(trees::pbs(SEED), options)
        .keys("v t <down> <enter>")
        .size(80, 24);
    let said = "theme: light; theme = \"light\" in ~/.config/fairscope/config.toml keeps it";
    assert_eq!(notice(&journey), said);
    assert!(journey.screen().contains(said), "whole at 80 cells");
}

#[test]
fn a_deep_value_is_refused() {
    for open in ["[", "{a="] {
        let text = format!("mouse = false\ncolumns = {}", open.repeat(100_000));
        let config = read(&text);
        assert!(config.without_mouse, "the line before it holds");
        assert!(!config.refused.is_empty());
    }
}

proptest::proptest! {
    #[test]
    fn every_text_is_read_or_refused_in_text_that_is_safe(
        at in 0_usize..2_000,
        length in 0_usize..40,
        noise in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..40),
    ) {
        let mut bytes = uncommented().into_bytes();
        let from = at.min(bytes.len());
        let until = (from + length).min(bytes.len());
        bytes.splice(from..until, noise);
        let config = Config::parse(&Shown::from("config.toml"), &bytes);
        for refusal in &config.refused {
            assert_eq!(&Shown::again(refusal.to_string()), refusal);
            refusal.must_begin("config.toml:");
        }
    }
}
