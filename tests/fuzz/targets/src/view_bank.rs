//! Sources of the format `view-bank`.

#![no_main]

use fairscope::format::Format;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| parsers::source(bytes, Some(Format::ViewBank)));
