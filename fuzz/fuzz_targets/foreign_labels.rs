#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| setsight_fuzz::foreign_labels(bytes));
