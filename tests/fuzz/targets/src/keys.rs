//! What a terminal sends.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| parsers::keys(bytes));
