//! PBS's `job_sort_formula`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| parsers::formula(bytes));
