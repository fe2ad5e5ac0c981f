//! Asciicasts: what appears on a terminal, with times, in version 2 of the form that asciinema plays: a header, and then
//! an event a line: output (`o`), a new size (`r`) or a mark (`m`).

use crate::tui::headless::Headless;
use crate::tui::picture::encode;
use crate::tui::script::{Recording, ScriptEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use serde_json::json;
use std::time::Duration;

/// Clears the screen and hides the cursor.
const CLEAR: &str = "\x1b[0m\x1b[2J\x1b[H\x1b[?25l";

/// Turns screens into the events of a cast.
#[derive(Debug)]
pub struct Cast {
    screen: Buffer,
    cursor: Option<(u16, u16)>,
}

impl Cast {
    /// Returns the cast of a recording as a whole. Its times are those of the recording divided by the speed; at speed 0
    /// everything happens at once.
    pub fn of(mut explorer: Headless, recording: &Recording, speed: f64) -> String {
        let (mut cast, mut lines) = Self::begin(recording.size);
        lines += &cast.frame(Duration::ZERO, explorer.screen(), explorer.cursor());
        let at = |time: Duration| {
            if speed == 0.0 {
                Duration::ZERO
            } else {
                Duration::try_from_secs_f64(time.as_secs_f64() / speed).unwrap_or(time)
            }
        };
        explorer.play_showing(&recording.script, &mut |explorer, event| {
            let now = at(explorer.now());
            if let Some(ScriptEvent::Caption(text)) = event {
                lines += &event_line(now, "m", text);
            }
            lines += &cast.frame(now, explorer.screen(), explorer.cursor());
        });
        // A player shows the last screen this long.
        lines + &event_line(at(recording.script.length), "o", "")
    }

    /// Returns a cast of a screen of that size, and its first lines.
    pub fn begin(size: Size) -> (Self, String) {
        // The picture is the same whatever the environment says of colours.
        crossterm::style::force_color_output(true);
        let header = json!({
            "version": 2,
            "width": size.width,
            "height": size.height,
            "title": "fairscope",
        });
        let cast = Self {
            screen: Buffer::empty(Rect::new(0, 0, size.width, size.height)),
            cursor: None,
        };
        let clear = event_line(Duration::ZERO, "o", CLEAR);
        (cast, format!("{header}\n{clear}"))
    }

    /// Returns the lines that make the screen before into this one; empty if nothing differs.
    pub fn frame(&mut self, at: Duration, screen: &Buffer, cursor: Option<(u16, u16)>) -> String {
        let mut lines = String::new();
        let mut output = String::new();
        if screen.area != self.screen.area {
            let size = screen.area.as_size().to_string();
            lines.push_str(&event_line(at, "r", &size));
            output.push_str(CLEAR);
            self.screen = Buffer::empty(screen.area);
            self.cursor = None;
        }
        output.push_str(&changes(&self.screen, screen));
        if !output.is_empty() || cursor != self.cursor {
            output.push_str(&placed(cursor));
            lines.push_str(&event_line(at, "o", &output));
        }
        self.screen.clone_from(screen);
        self.cursor = cursor;
        lines
    }
}

fn event_line(at: Duration, code: &str, data: &str) -> String {
    let data = json!(data);
    let (seconds, micros) = (at.as_secs(), at.subsec_micros());
    format!("[{seconds}.{micros:06}, \"{code}\", {data}]\n")
}

fn changes(before: &Buffer, after: &Buffer) -> String {
    let cells = before.diff(after);
    if cells.is_empty() {
        return String::new();
    }
    let mut bytes = Vec::new();
    encode(cells.into_iter(), &mut bytes).expect("writing to a Vec cannot fail");
    String::from_utf8(bytes).expect("sequences and cells are text")
}

/// Returns the output that shows the cursor in its place, or hides it.
fn placed(cursor: Option<(u16, u16)>) -> String {
    match cursor {
        Some((x, y)) => format!("\x1b[{};{}H\x1b[?25h", y + 1, x + 1),
        None => "\x1b[?25l".to_owned(),
    }
}
