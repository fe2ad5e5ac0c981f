//! Asciicasts: read, checked and shown.

use serde_json::Value;
use std::num::NonZeroU16;

/// Reads a cast, and checks every line by the description of asciicast v2.
#[track_caller]
pub(crate) fn events(cast: &str) -> (Value, Vec<(f64, String, String)>) {
    let mut lines = cast.lines();
    let header: Value = serde_json::from_str(lines.next().expect("a header")).unwrap();
    assert_eq!(header["version"], 2);
    for size in ["width", "height"] {
        assert!(
            header[size].as_u64().is_some_and(|size| size > 0),
            "{header}"
        );
    }
    let mut last = 0.0;
    let events = lines.map(|line| {
        let event: Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let event = event.as_array().expect("an array");
        let [time, code, data] = &event[..] else {
            panic!("three values: {line}");
        };
        let time = time.as_f64().expect("a number");
        assert!(time >= last, "times do not decrease: {line}");
        last = time;
        let (code, data) = (code.as_str().expect("text"), data.as_str().expect("text"));
        assert!(["o", "i", "m", "r"].contains(&code), "{line}");
        if code == "r" {
            let (width, height) = data.split_once('x').expect("a size");
            assert!(
                width.parse::<u16>().is_ok() && height.parse::<u16>().is_ok(),
                "{line}"
            );
        }
        (time, code.to_owned(), data.to_owned())
    });
    (header, events.collect())
}

/// Returns the screen that a terminal shows at the end of a cast.
#[track_caller]
pub(crate) fn last_screen(cast: &str) -> String {
    let (header, events) = events(cast);
    let size = |name: &str| {
        let size = u16::try_from(header[name].as_u64().unwrap()).unwrap();
        NonZeroU16::new(size).unwrap()
    };
    let mut parser = vt100::Parser::new(size("height"), size("width"), 0);
    for (_, code, data) in events {
        match &*code {
            "o" => parser.process(data.as_bytes()),
            "r" => {
                let (width, height) = data.split_once('x').unwrap();
                parser
                    .screen_mut()
                    .set_size(height.parse().unwrap(), width.parse().unwrap());
            }
            _ => {}
        }
    }
    let screen = parser.screen().contents();
    screen
        .lines()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect()
}
