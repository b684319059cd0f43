/// Registered filter numbers and the names they are registered under, sorted by number.
const NAMES: &[(u16, &str)] = &[
    (1, "deflate"),
    (2, "shuffle"),
    (3, "fletcher32"),
    (4, "szip"),
    (5, "nbit"),
    (6, "scaleoffset"),
    (257, "hzip"),
    (258, "fpzip"),
    (305, "LZO"),
    (307, "bzip2"),
    (32000, "LZF"),
    (32001, "Blosc"),
    (32002, "MAFISC"),
    (32003, "Snappy"),
    (32004, "LZ4"),
    (32005, "APAX"),
    (32006, "CBF"),
    (32007, "JPEG-XR"),
    (32008, "bitshuffle"),
    (32009, "SPDP"),
    (32010, "LPC-Rice"),
    (32011, "CCSDS-123"),
    (32012, "JPEG-LS"),
    (32013, "ZFP"),
    (32014, "fpzip"),
    (32015, "Zstandard"),
    (32016, "B3D"),
    (32017, "SZ"),
    (32018, "FCIDECOMP"),
    (32019, "JPEG"),
    (32020, "VBZ"),
    (32021, "FAPEC"),
    (32022, "BitGroom"),
    (32023, "Granular BitRound"),
    (32024, "SZ3"),
    (32025, "Delta-Rice"),
    (32026, "Blosc2"),
    (32027, "FLAC"),
    (32028, "SPERR"),
    (32029, "TERSE/PROLIX"),
    (32030, "FFMPEG"),
    (32031, "JPEG2000"),
    (32032, "BitRound"),
    (32033, "HTJ2K"),
];

/// The name a filter's number is registered under, `None` for a number that is not registered.
#[must_use]
pub fn registered_filter_name(id: u16) -> Option<&'static str> {
    NAMES.binary_search_by_key(&id, |(number, _)| *number).ok().map(|i| NAMES[i].1)
}

#[cfg(test)]
#[test]
fn the_table_is_sorted() {
    assert!(NAMES.is_sorted_by_key(|(id, _)| *id));
    assert_eq!(registered_filter_name(32008), Some("bitshuffle"));
    assert_eq!(registered_filter_name(32767), None);
}
