//! Every parser, fed with bytes. The targets for cargo-fuzz in `tests/fuzz/targets` call these functions, too.
//!
//! They hold what a parser promises of any bytes: an answer, and sentences about what is wrong.

use fairscope::analysis::solve::Goal;
use fairscope::format::input::Input;
use fairscope::format::{Format, Loaded, Request};
use fairscope::model::{DurationForm, Settings, Tree, TreeBuilder, moment_of, resolve, seconds_of};
use fairscope::open::opened::Opened;
use fairscope::open::{load, load_inputs};
use fairscope::rules::policy::formula::Formula;
use fairscope::scenario::{parse, write};
use fairscope::tui::{Decoder, Keymap};
use jiff::tz::TimeZone;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Reads bytes as a source, of a format or of one that their content tells.
pub fn source(bytes: &[u8], format: Option<Format>) {
    let input = Input {
        path: "fuzzed".into(),
        bytes: bytes.to_vec(),
        modified: None,
    };
    let request = Request {
        format,
        ..Request::to_open("fuzzed")
    };
    // What a scenario refers to is not the parser's matter, and may be any file of this machine.
    let is_scenario = bytes.windows(8).any(|word| word == b"scenario") && names_toml(bytes, format);
    if is_scenario {
        return;
    }
    match load_inputs(vec![input], &request, &mut |_| ControlFlow::Continue(())) {
        Ok(loaded) => open(loaded),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn names_toml(bytes: &[u8], format: Option<Format>) -> bool {
    let is_open = || bytes.windows(9).any(|word| word == b"fairscope");
    format == Some(Format::Toml) || (format.is_none() && is_open())
}

/// Reads bytes as a database of flux-accounting.
///
/// # Panics
/// If there is no room for a temporary file.
pub fn database(bytes: &[u8]) {
    let file = tempfile::NamedTempFile::new().expect("there is room");
    std::fs::write(file.path(), bytes).expect("there is room");
    let request = Request {
        format: Some(Format::FluxDb),
        ..Request::to_open(file.path().to_owned())
    };
    if let Ok(loaded) = load(&request, &mut |_| ControlFlow::Continue(())) {
        open(loaded);
    }
}

/// Opens what was loaded, and writes its problems.
fn open(loaded: Loaded) {
    let opened = Opened::new(loaded, None);
    let _ = opened.scenario.evaluation();
    for problem in opened.source.problems.list() {
        assert!(!problem.to_string().is_empty());
    }
}

/// Reads a line of the edit language, writes it and reads it again; then as a path, a goal and a duration.
///
/// # Panics
/// If an edit is written as a line that is no edit.
pub fn line(bytes: &[u8]) {
    // No reader hands on a longer line.
    let bytes = &bytes[..bytes.len().min(1 << 20)];
    let (tree, settings) = (tree(), Settings::default());
    if let Ok(edit) = parse(bytes, &tree, &settings) {
        let written = write(&edit, &tree);
        let is_one = !written.contains('\n');
        assert!(!is_one || parse(written.as_bytes(), &tree, &settings).is_ok());
    }
    let _ = resolve(&tree, bytes);
    let _ = Goal::parse(bytes, &tree);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = seconds_of(text, DurationForm::Common);
        let _ = seconds_of(text, DurationForm::SlurmSetting);
        let _ = moment_of(text, &TimeZone::UTC);
    }
}

/// Reads a formula.
pub fn formula(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let job = BTreeMap::from([("ncpus".to_owned(), 1.0)]);
        match Formula::parse(text, &job) {
            Ok(formula) => assert_eq!(formula.text(), text),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// Reads a keymap.
pub fn keymap(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = Keymap::parse(text);
    }
}

/// Reads bytes as keys of a terminal, in two parts, and moves the clock forward by time.
///
/// # Panics
/// If the input stays incomplete however long nothing follows.
pub fn keys(bytes: &[u8]) {
    /// A terminal sends far less at once, and an unoptimised build takes seconds for millions of keys.
    const LONGEST: usize = 1 << 18;
    let bytes = &bytes[..bytes.len().min(LONGEST)];
    let mut decoder = Decoder::default();
    let (one, two) = bytes.split_at(bytes.len() / 2);
    let _ = (decoder.push(one), decoder.push(two));
    for _ in 0..8 {
        if decoder.patience().is_some() {
            let _ = decoder.time_out();
        }
    }
    assert!(decoder.patience().is_none());
    assert!(!decoder.push(b"\x03").is_empty());
}

fn tree() -> Tree {
    use fairscope::model::{Kind, NodeId, Position, Shares};
    let mut builder = TreeBuilder::new(b"root");
    let group = builder.intern(b"group1");
    let group = builder.push(NodeId::ROOT, group, Kind::Account, Position::Last);
    for name in [&b"bob"[..], b"alice"] {
        let name = builder.intern(name);
        let user = builder.push(group, name, Kind::User, Position::Last);
        builder.set_shares(user, Shares::new(10));
    }
    builder.build()
}
