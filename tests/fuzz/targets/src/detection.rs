//! Sources whose content tells their format.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| parsers::source(bytes, None));
