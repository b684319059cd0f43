#![no_main]
libfuzzer_sys::fuzz_target!(|input: &[u8]| h5kit_fuzz::selection(input));
