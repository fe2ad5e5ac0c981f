//! Environment variables and the options they set.

use fairscope::tui::{Options, Theme};
use ratatui::style::Color;

fn suited(options: Options, variables: &[(&str, &str)]) -> Options {
    options.suited_to(|name| {
        let set = variables.iter().find(|(set, _)| *set == name)?;
        Some(set.1.into())
    })
}

fn theme(variables: &[(&str, &str)]) -> (Option<String>, bool) {
    let options = suited(Options::default(), variables);
    (options.theme, options.has_only_palette)
}

#[test]
fn the_theme_follows_the_colours_of_the_terminal() {
    for (variables, expected) in [
        (
            &[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")][..],
            (None, false),
        ),
        (&[("TERM", "xterm"), ("COLORTERM", "24bit")], (None, false)),
        (&[("TERM", "xterm-kitty")], (None, false)),
        (&[("TERM", "xterm-direct")], (None, false)),
        (&[("TERM", "xterm-256color")], (None, true)),
        (&[("TERM", "vte-256color")], (None, true)),
        (
            &[("TERM", "screen-256color"), ("COLORTERM", "truecolor")],
            (None, true),
        ),
        (&[("TERM", "xterm")], (Some("sixteen"), false)),
        (
            &[("TERM", "screen"), ("COLORTERM", "truecolor")],
            (Some("sixteen"), false),
        ),
        (&[("TERM", "linux")], (Some("sixteen"), false)),
        (&[("TERM", "vt220")], (Some("mono"), false)),
        (
            &[("TERM", "dumb"), ("COLORTERM", "truecolor")],
            (Some("mono"), false),
        ),
        (&[], (Some("mono"), false)),
        (
            &[("TERM", "xterm-kitty"), ("NO_COLOR", "1")],
            (Some("mono"), false),
        ),
        (&[("TERM", "xterm-kitty"), ("NO_COLOR", "")], (None, false)),
    ] {
        let expected = (expected.0.map(str::to_owned), expected.1);
        assert_eq!(theme(variables), expected, "{variables:?}");
    }
}

#[test]
fn a_requested_theme_is_kept() {
    let asked = Options {
        theme: Some("light".to_owned()),
        ..Options::default()
    };
    let options = suited(asked, &[("TERM", "linux"), ("NO_COLOR", "1")]);
    assert_eq!(options.theme.as_deref(), Some("light"));
}

#[test]
fn a_locale_without_utf_8_uses_ascii() {
    for (variables, is_ascii) in [
        (&[("LANG", "C.UTF-8")][..], false),
        (&[("LANG", "de_DE.utf8")], false),
        (&[("LANG", "C")], true),
        (&[], true),
        (&[("LANG", "C.UTF-8"), ("LC_CTYPE", "C")], true),
        (&[("LANG", "C"), ("LC_CTYPE", "en_US.UTF-8")], false),
        (&[("LC_ALL", "POSIX"), ("LC_CTYPE", "en_US.UTF-8")], true),
        (&[("LC_ALL", ""), ("LC_CTYPE", "en_US.UTF-8")], false),
    ] {
        let options = suited(Options::default(), variables);
        assert_eq!(options.is_ascii, is_ascii, "{variables:?}");
    }
    let asked = Options {
        is_ascii: true,
        ..Options::default()
    };
    assert!(suited(asked, &[("LANG", "C.UTF-8")]).is_ascii);
}

#[test]
fn a_palette_holds_the_closest_colours() {
    let theme = Theme::named("dark").unwrap().in_palette();
    assert_eq!(theme.over.fg, Some(Color::Indexed(178)));
    assert_eq!(theme.under.fg, Some(Color::Indexed(74)));
    assert_eq!(theme.text.fg, Some(Color::Indexed(188)));
    assert_eq!(theme.background.bg, Some(Color::Indexed(234)));
    assert_eq!(theme.account.fg, None);
}
