//! Screens as SVG, text and HTML: nothing from a name gets out as markup, nothing comes from elsewhere.

use crate::support::expected::Expected as _;
use crate::support::journey::Journey;
use fairscope::tui::Theme;
use fairscope::tui::encode;
use fairscope::tui::picture::{Paper, PictureForm};
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier, Style};

fn paper() -> Paper {
    Paper::of(&Theme::named("dark").expect("it is shipped"))
}

fn draw(form: PictureForm, lines: &[&str]) -> String {
    form.draw(&Buffer::with_lines(lines.iter().copied()), &paper())
}

#[test]
fn markup_in_a_name_is_text_in_every_form() {
    let lines = ["<script>alert('&amp;')</script>", "a & b > c \"d\""];
    assert_eq!(
        draw(PictureForm::Text, &lines),
        format!("{}\n{}\n", lines[0], lines[1])
    );
    for form in [PictureForm::Svg, PictureForm::Html] {
        let drawn = draw(form, &lines);
        drawn.must_contain("&lt;script&gt;alert('&amp;amp;')&lt;/script&gt;");
        drawn.must_contain("a &amp; b &gt; c");
        drawn.must_lack("<script");
    }
}

#[test]
fn what_a_terminal_acts_on_is_a_mark_in_every_form() {
    let symbols = "\x1b \x07 \n \t \u{9b} \u{202e} \u{200b} \x1b[2J a\x1b]0;t\x07";
    for symbol in symbols.split(' ') {
        let mut buffer = Buffer::with_lines(["abc"]);
        buffer.content[1].set_symbol(symbol);
        for &form in PictureForm::ALL {
            let drawn = form.draw(&buffer, &paper());
            assert!(drawn.contains("a\u{fffd}c"), "{symbol:?}: {drawn}");
            assert!(!drawn.contains(['\x1b', '\u{202e}']), "{drawn}");
        }
    }
}

#[test]
fn no_cell_of_a_terminal_carries_what_it_acts_on() {
    let drawn = |symbol: &str| {
        let mut cell = Cell::default();
        cell.set_symbol(symbol);
        let mut bytes = Vec::new();
        encode([(0, 0, &cell)].into_iter(), &mut bytes).unwrap();
        bytes
    };
    // Of control characters ratatui knows no width.
    for symbol in ["\u{202e}", "\u{200b}", "a\u{202e}"] {
        assert_eq!(drawn(symbol), drawn("\u{fffd}"), "{symbol:?}");
    }
    assert_ne!(drawn("é"), drawn("\u{fffd}"));
}

#[test]
fn a_wide_character_keeps_its_two_cells_and_its_neighbours() {
    let lines = ["漢字 x"];
    assert_eq!(draw(PictureForm::Text, &lines), "漢字 x\n");
    for form in [PictureForm::Svg, PictureForm::Html] {
        let drawn = draw(form, &lines);
        drawn.must_contain(">漢</text>");
        drawn.must_contain(">x</text>");
    }
}

#[test]
fn a_page_holds_the_vector_picture_below_the_first_line_as_its_title() {
    let lines = [" fairscope  site <b>", "second"];
    let page = draw(PictureForm::Html, &lines);
    page.must_contain("<title>fairscope site &lt;b&gt;</title>");
    page.must_contain(&draw(PictureForm::Svg, &lines));
}

#[test]
fn every_kind_of_colour_and_emphasis_is_drawn() {
    let mut buffer = Buffer::with_lines(["abcdef"]);
    let styles = [
        Style::new()
            .fg(Color::Rgb(1, 2, 3))
            .add_modifier(Modifier::BOLD),
        Style::new()
            .fg(Color::Red)
            .add_modifier(Modifier::UNDERLINED),
        Style::new()
            .fg(Color::Indexed(208))
            .add_modifier(Modifier::DIM),
        Style::new().fg(Color::Indexed(244)),
        Style::new().bg(Color::Indexed(9)),
        Style::new().add_modifier(Modifier::REVERSED),
    ];
    for (cell, style) in buffer.content.iter_mut().zip(styles) {
        cell.set_style(style);
    }
    for form in [PictureForm::Svg, PictureForm::Html] {
        let drawn = form.draw(&buffer, &paper());
        for colour in ["#010203", "#cd0000", "#ff8700", "#808080", "#ff0000"] {
            assert!(drawn.contains(colour), "{colour} {drawn}");
        }
        for emphasis in ["bold", "underline", "0.65"] {
            assert!(drawn.contains(emphasis), "{emphasis} {drawn}");
        }
    }
}

#[test]
fn a_page_and_a_picture_need_nothing_from_elsewhere() {
    let mut journey = Journey::example("site").keys("4");
    journey.answer();
    for form in [PictureForm::Svg, PictureForm::Html] {
        let drawn = form.draw(&journey.buffer(), &paper());
        let drawn = drawn.replace("http://www.w3.org/2000/svg", "");
        for foreign in [
            "http", "src=", "href", "url(", "@import", "<script", "<link",
        ] {
            assert!(!drawn.contains(foreign), "{form:?} {foreign}");
        }
    }
}

#[test]
fn text_is_the_screen_without_trailing_blanks() {
    let mut journey = Journey::example("site");
    let text = PictureForm::Text.draw(&journey.buffer(), &paper());
    assert_eq!(text, journey.screen() + "\n");
}
