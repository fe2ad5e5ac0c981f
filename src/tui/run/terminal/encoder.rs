//! Cells as the bytes that draw them: only what differs from the cell before is sent.
//!
//! ratatui's own encoder sends both colours when one changes, and changes them for blanks, of which only the background
//! can be seen. On a slow line a key is then twice as long under way.

use crossterm::cursor::{MoveTo, MoveToColumn};
use crossterm::queue;
use crossterm::style::{Attribute, Print, SetAttribute, SetBackgroundColor, SetForegroundColor};
use ratatui::backend::IntoCrossterm as _;
use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};
use std::io::{self, Write};

/// How each modifier is switched on and off. Some are switched off together.
const MODIFIERS: [(Modifier, Attribute, Attribute); 9] = [
    (Modifier::BOLD, Attribute::Bold, Attribute::NormalIntensity),
    (Modifier::DIM, Attribute::Dim, Attribute::NormalIntensity),
    (Modifier::ITALIC, Attribute::Italic, Attribute::NoItalic),
    (
        Modifier::UNDERLINED,
        Attribute::Underlined,
        Attribute::NoUnderline,
    ),
    (
        Modifier::SLOW_BLINK,
        Attribute::SlowBlink,
        Attribute::NoBlink,
    ),
    (
        Modifier::RAPID_BLINK,
        Attribute::RapidBlink,
        Attribute::NoBlink,
    ),
    (Modifier::REVERSED, Attribute::Reverse, Attribute::NoReverse),
    (Modifier::HIDDEN, Attribute::Hidden, Attribute::NoHidden),
    (
        Modifier::CROSSED_OUT,
        Attribute::CrossedOut,
        Attribute::NotCrossedOut,
    ),
];

/// The modifiers that can be seen on a blank.
const SEEN_ON_BLANKS: Modifier = Modifier::UNDERLINED
    .union(Modifier::REVERSED)
    .union(Modifier::CROSSED_OUT);

/// What the terminal writes with, and where.
struct Pen {
    fg: Color,
    bg: Color,
    modifier: Modifier,
    /// The cell after the last one written.
    next: Option<(u16, u16)>,
}

/// Writes the bytes that draw these cells, and leaves the terminal without colours and modifiers.
///
/// # Errors
/// If writing fails.
pub(super) fn encode<'a>(
    out: &mut impl Write,
    cells: impl Iterator<Item = (u16, u16, &'a Cell)>,
) -> io::Result<()> {
    let mut pen = Pen {
        fg: Color::Reset,
        bg: Color::Reset,
        modifier: Modifier::empty(),
        next: None,
    };
    for (x, y, cell) in cells {
        pen.go(out, x, y)?;
        pen.take(out, cell)?;
        queue!(out, Print(cell.symbol()))?;
        pen.next = Some((x + 1, y));
    }
    queue!(out, SetAttribute(Attribute::Reset))
}

impl Pen {
    /// Moves to a cell.
    fn go(&self, out: &mut impl Write, x: u16, y: u16) -> io::Result<()> {
        match self.next {
            Some(next) if next == (x, y) => Ok(()),
            // Not by a distance: terminals disagree about how wide some characters are.
            Some((_, line)) if line == y => queue!(out, MoveToColumn(x)),
            _ => queue!(out, MoveTo(x, y)),
        }
    }

    /// Takes on what can be seen of a cell's style.
    fn take(&mut self, out: &mut impl Write, cell: &Cell) -> io::Result<()> {
        let is_blank =
            cell.symbol() == " " && !(cell.modifier | self.modifier).intersects(SEEN_ON_BLANKS);
        if cell.modifier != self.modifier && !is_blank {
            self.take_modifier(out, cell.modifier)?;
        }
        if cell.fg != self.fg && !is_blank {
            queue!(out, SetForegroundColor(cell.fg.into_crossterm()))?;
            self.fg = cell.fg;
        }
        if cell.bg != self.bg {
            queue!(out, SetBackgroundColor(cell.bg.into_crossterm()))?;
            self.bg = cell.bg;
        }
        Ok(())
    }

    fn take_modifier(&mut self, out: &mut impl Write, modifier: Modifier) -> io::Result<()> {
        let mut left = self.modifier;
        for (one, _, off) in MODIFIERS {
            if left.contains(one) && !modifier.contains(one) {
                queue!(out, SetAttribute(off))?;
                let together = MODIFIERS.iter().filter(|&&(.., other)| other == off);
                together.for_each(|&(other, ..)| left.remove(other));
            }
        }
        for (one, on, _) in MODIFIERS {
            if modifier.contains(one) && !left.contains(one) {
                queue!(out, SetAttribute(on))?;
            }
        }
        self.modifier = modifier;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::encode;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use ratatui::backend::{Backend as _, CrosstermBackend};
    use ratatui::buffer::Cell;
    use ratatui::style::{Color, Modifier, Style};
    use std::num::NonZeroU16;

    const SIZE: (u16, u16) = (12, 3);

    fn cell() -> impl Strategy<Value = Cell> {
        let color = || {
            prop_oneof![
                Just(Color::Reset),
                Just(Color::Indexed(3)),
                Just(Color::Indexed(130)),
                Just(Color::Rgb(1, 2, 3)),
            ]
        };
        let modifier = prop_oneof![
            3 => Just(Modifier::empty()),
            1 => Just(Modifier::BOLD),
            1 => Just(Modifier::DIM),
            1 => Just(Modifier::UNDERLINED),
            1 => Just(Modifier::REVERSED),
            1 => Just(Modifier::ITALIC | Modifier::REVERSED),
        ];
        let symbol = prop::sample::select(&[" ", "a", "é", "│"][..]);
        (symbol, color(), color(), modifier).prop_map(|(symbol, fg, bg, modifier)| {
            let mut cell = Cell::new(symbol);
            cell.set_style(Style::new().fg(fg).bg(bg).add_modifier(modifier));
            cell
        })
    }

    /// Returns what a terminal shows after two frames, cell by cell; a blank's own colour cannot be seen.
    fn screen(frames: &[Vec<u8>]) -> Vec<String> {
        let size = |cells| NonZeroU16::new(cells).expect("it has cells");
        let mut terminal = vt100::Parser::new(size(SIZE.1), size(SIZE.0), 0);
        for frame in frames {
            terminal.process(frame);
        }
        let places = (0..SIZE.1).flat_map(|y| (0..SIZE.0).map(move |x| (x, y)));
        let cell = |(x, y)| {
            let cell = terminal.screen().cell(y, x).expect("it is on the screen");
            let text = cell.contents();
            let marks = (cell.underline(), cell.inverse());
            let is_blank = text.trim().is_empty();
            let seen = (!is_blank || cell.underline() || cell.inverse())
                .then(|| (cell.fgcolor(), cell.bold(), cell.dim(), cell.italic()));
            let text = if is_blank { " " } else { text };
            format!("{text:?} {:?} {marks:?} {seen:?}", cell.bgcolor())
        };
        places.map(cell).collect()
    }

    proptest! {
        #[test]
        fn the_screen_is_the_same_as_with_both_colours_always(
            frames in vec(vec((any::<u16>(), cell()), 1..30), 1..3),
        ) {
            let (mut ours, mut plain) = (Vec::new(), Vec::new());
            for frame in &frames {
                let mut cells: Vec<(u16, u16, &Cell)> = Vec::new();
                let count = SIZE.0 * SIZE.1;
                let mut places: Vec<(u16, &Cell)> =
                    frame.iter().map(|(place, cell)| (place % count, cell)).collect();
                places.sort_by_key(|&(place, _)| place);
                places.dedup_by_key(|&mut (place, _)| place);
                cells.extend(places.into_iter().map(|(at, cell)| (at % SIZE.0, at / SIZE.0, cell)));
                let mut short = Vec::new();
                encode(&mut short, cells.iter().copied()).expect("memory takes all");
                let mut long = Vec::new();
                let mut backend = CrosstermBackend::new(&mut long);
                backend.draw(cells.iter().copied()).expect("memory takes all");
                prop_assert!(short.len() <= long.len());
                ours.push(short);
                plain.push(long);
            }
            prop_assert_eq!(screen(&ours), screen(&plain));
        }
    }
}
