//! Lines of the edit language, paths, goals and durations.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| parsers::line(bytes));
