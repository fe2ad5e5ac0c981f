//! Databases of flux-accounting.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| parsers::database(bytes));
