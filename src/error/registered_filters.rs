/// Where registered filters are described, each at an anchor of its own.
const PAGE: &str = "https://github.com/HDFGroup/hdf5_plugins/blob/master/docs/RegisteredFilterPlugins.md";

/// Registered filter numbers, sorted, the names they are registered under, and where in [`PAGE`] they are
/// described, empty where the page does not have them yet.
const FILTERS: &[(u16, &str, &str)] = &[
    (1, "deflate", ""),
    (2, "shuffle", ""),
    (3, "fletcher32", ""),
    (4, "szip", ""),
    (5, "nbit", ""),
    (6, "scaleoffset", ""),
    (257, "hzip", "hzip"),
    (258, "fpzip", "fpzip"),
    (305, "LZO", "lzo"),
    (307, "bzip2", "bzip2"),
    (32000, "LZF", "lzf"),
    (32001, "Blosc", "blosc"),
    (32002, "MAFISC", "mafisc"),
    (32003, "Snappy", "snappy"),
    (32004, "LZ4", "lz4"),
    (32005, "APAX", "apax"),
    (32006, "CBF", "cbf"),
    (32007, "JPEG-XR", "jpeg-xr"),
    (32008, "bitshuffle", "bitshuffle"),
    (32009, "SPDP", "spdp"),
    (32010, "LPC-Rice", "lpc-rice"),
    (32011, "CCSDS-123", "ccsds-123"),
    (32012, "JPEG-LS", "jpeg-ls"),
    (32013, "ZFP", "zfp"),
    (32014, "fpzip", "fpzip"),
    (32015, "Zstandard", "zstandard"),
    (32016, "B3D", "b3d"),
    (32017, "SZ", "sz"),
    (32018, "FCIDECOMP", "fcidecomp"),
    (32019, "JPEG", "jpeg"),
    (32020, "VBZ", "vbz"),
    (32021, "FAPEC", "fapec"),
    (32022, "BitGroom", "bitgroom"),
    (32023, "Granular BitRound", "gbr"),
    (32024, "SZ3", "sz3"),
    (32025, "Delta-Rice", "delta-rice"),
    (32026, "Blosc2", "blosc2"),
    (32027, "FLAC", "flac"),
    (32028, "SPERR", "sperr"),
    (32029, "TERSE/PROLIX", "trpx"),
    (32030, "FFMPEG", "ffmpeg"),
    (32031, "JPEG2000", "jpeg2000"),
    (32032, "BitRound", "bitround"),
    (32033, "HTJ2K", ""),
];

/// Numbers up to this one are the library's own.
const LAST_OF_THE_LIBRARY: u16 = 255;

fn registered(id: u16) -> Option<(&'static str, &'static str)> {
    let found = FILTERS.binary_search_by_key(&id, |(number, ..)| *number).ok()?;
    let (_, name, anchor) = FILTERS[found];
    Some((name, anchor))
}

/// The name a filter's number is registered under, `None` for a number that is not registered.
#[must_use]
pub fn registered_filter_name(id: u16) -> Option<&'static str> {
    registered(id).map(|(name, _)| name)
}

/// The address of the page that describes a registered filter, `None` for a number that is not registered and
/// for a filter of the library itself, which the specification describes.
#[must_use]
pub fn registered_filter_page(id: u16) -> Option<String> {
    let (_, anchor) = registered(id).filter(|_| id > LAST_OF_THE_LIBRARY)?;
    Some(if anchor.is_empty() { PAGE.to_owned() } else { format!("{PAGE}#{anchor}") })
}

#[cfg(test)]
#[test]
fn the_table_is_sorted() {
    assert!(FILTERS.is_sorted_by_key(|(id, ..)| *id));
    assert_eq!(registered_filter_name(32008), Some("bitshuffle"));
    assert_eq!(registered_filter_name(32767), None);
    assert!(registered_filter_page(32017).is_some_and(|page| page.ends_with(".md#sz")));
    assert_eq!(registered_filter_page(6), None);
}
