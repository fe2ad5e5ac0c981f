//! Sources of the format `sacctmgr-dump`.

#![no_main]

use fairscope::format::Format;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| parsers::source(bytes, Some(Format::SacctmgrDump)));
