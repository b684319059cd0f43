use std::sync::OnceLock;

use h5kit::encoding::h5col::{IndexUse, Predicate, Table, tables};

use super::options;

/// Tables with indexes of all kinds.
fn all() -> &'static [Table] {
    static TABLES: OnceLock<Vec<Table>> = OnceLock::new();
    TABLES.get_or_init(|| {
        let files: [&[u8]; 2] =
            [include_bytes!("../../testdata/h5col/kinds.h5"), include_bytes!("../../testdata/h5col/stations.h5")];
        let files = files.into_iter().map(|bytes| options().from_bytes(bytes).expect("a file"));
        let groups = files.flat_map(|file| tables(&file).expect("tables"));
        groups.map(|group| Table::open(&group).expect("a table")).collect()
    })
}

/// Asks a query of every table: what is shown of it parses to the same, and indexes find what a scan finds.
pub fn query(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let Ok(predicate) = text.parse::<Predicate>() else { return };
    let shown = predicate.to_string();
    // As text, since NaN is not even itself.
    assert_eq!(shown.parse::<Predicate>().map(|again| again.to_string()), Ok(shown.clone()));
    for table in all() {
        let rows = |indexes| table.select(predicate.clone()).indexes(indexes).rows().map_err(|e| e.to_string());
        let scanned = rows(IndexUse::Never);
        assert_eq!(rows(IndexUse::Always), scanned, "{shown}");
        assert_eq!(rows(IndexUse::WhereCheaper), scanned, "{shown}");
        let negated = table.select(!predicate.clone()).indexes(IndexUse::Never).rows();
        if let (Ok(rows), Ok(others)) = (&scanned, negated) {
            assert!(rows.intersection(&others).is_empty(), "{shown}");
        }
    }
}
