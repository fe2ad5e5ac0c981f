//! Sources of the format `flux-json`.

#![no_main]

use fairscope::format::Format;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| parsers::source(bytes, Some(Format::FluxJson)));
