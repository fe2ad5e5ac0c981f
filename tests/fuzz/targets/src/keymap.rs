//! Keymaps.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| parsers::keymap(bytes));
