use super::*;
use std::io::Write;
use std::sync::Arc;

fn counting(n: usize) -> Vec<u8> {
    (0..n).map(|i| (i % 251) as u8).collect()
}

/// Every range of the source gives what the model has, and every range that leaves it an error.
fn check(source: &dyn Source, model: &[u8]) {
    assert_eq!(source.len(), model.len() as u64);
    for start in 0..=model.len() {
        for end in start..=model.len() {
            let range = start as u64..end as u64;
            assert_eq!(source.read(range.clone()).expect("inside").as_ref(), &model[start..end]);
            let mut buffer = vec![0; end - start];
            source.read_into(range.start, &mut buffer).expect("inside");
            assert_eq!(buffer, &model[start..end]);
        }
        assert!(source.read(start as u64..model.len() as u64 + 1).is_err());
    }
    assert!(source.read(u64::MAX - 1..u64::MAX).is_err());
}

#[test]
fn memory_file_and_map() {
    let model = counting(40);
    check(&Memory::new(model.clone()), &model);
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(&model).expect("written");
    check(&FileSource::open(file.path()).expect("opened"), &model);
    #[cfg(feature = "mmap")]
    #[allow(unsafe_code)]
    // SAFETY: nobody else knows the file.
    check(&unsafe { Mapped::open(file.path()) }.expect("mapped"), &model);
    assert!(FileSource::open(std::path::Path::new(".")).is_err());
}

#[test]
fn a_family_is_filled_with_zeros() {
    let part = |n| Arc::new(Memory::new(counting(n))) as Arc<dyn Source>;
    let family = Family::new(vec![part(10), part(7), part(3)], 10);
    let mut model = [counting(10), counting(7)].concat();
    model.resize(20, 0);
    model.extend(counting(3));
    model.resize(30, 0);
    check(&family, &model);
}

#[test]
fn a_multi_file_has_holes() {
    let part = |n| Arc::new(Memory::new(counting(n))) as Arc<dyn Source>;
    let multi = Multi::new(vec![(1000, part(5)), (0, part(10))]);
    assert_eq!(multi.len(), 1005);
    assert_eq!(multi.read(8..10).expect("inside").as_ref(), [8, 9]);
    assert_eq!(multi.read(1001..1003).expect("inside").as_ref(), [1, 2]);
    assert_eq!((multi.available(8), multi.available(500), multi.available(1001)), (2, 0, 4));
    assert!(multi.read(9..11).is_err());
    assert!(multi.read(1004..1006).is_err());
}

#[test]
fn extents_name_what_they_lack() {
    let model = counting(40);
    let extents = Extents::new(40);
    assert!(extents.read(5..9).expect_err("nothing yet").is_missing());
    assert!(extents.prefetch(&[8..12, 30..50], Kind::Data).expect_err("nothing yet").is_missing());
    assert_eq!(extents.take_missing(), [5..12, 30..40]);
    assert_eq!(extents.take_missing(), []);
    extents.insert(6, model[6..10].to_vec());
    extents.insert(12, model[12..14].to_vec());
    assert!(extents.read(4..15).expect_err("gaps").is_missing());
    assert_eq!(extents.take_missing(), [4..6, 10..12, 14..15]);
    extents.insert(0, model.clone());
    check(&extents, &model);
    let other = Extents::new(40);
    let mut rounds = 0;
    let fetch = |r: Range<u64>| Ok(model[r.start as usize..r.end as usize].to_vec());
    let bytes = other.run(
        || {
            rounds += 1;
            other.read(0..3)?;
            Ok(other.read(7..9)?.to_vec())
        },
        fetch,
    );
    assert_eq!((bytes.expect("fetched"), rounds), (vec![7, 8], 3));
}

#[test]
fn a_trace_is_in_order() {
    let traced = Traced::new(Arc::new(Memory::new(counting(9))));
    traced.read(1..4).expect("inside");
    traced.read_into(5, &mut [0; 2]).expect("inside");
    assert_eq!(traced.take_log(), [1..4, 5..7]);
    assert_eq!(traced.take_log(), []);
}

#[test]
fn a_refreshed_file_is_as_it_is_now() {
    let mut written = tempfile::NamedTempFile::new().expect("a file");
    written.write_all(&[1; 100]).expect("written");
    let open = || Arc::new(FileSource::open(written.path()).expect("opened"));
    let (kept, direct, whole) = (open(), open(), open());
    direct.keep_nothing();
    let parts = Family::new(vec![Arc::new(Traced::new(whole)) as Arc<dyn Source>], 200);
    let parts = Multi::new(vec![(0, Arc::new(parts) as Arc<dyn Source>)]);
    let first = |source: &dyn Source| source.read(0..1).expect("inside")[0];
    assert_eq!((first(&*kept), first(&*direct), first(&parts)), (1, 1, 1));
    std::fs::write(written.path(), [2; 150]).expect("written over");
    assert_eq!((first(&*kept), first(&*direct), first(&parts)), (1, 2, 1));
    assert_eq!(kept.len(), 100);
    kept.refresh().expect("refreshed");
    parts.refresh().expect("refreshed");
    assert_eq!((first(&*kept), first(&parts), kept.len()), (2, 2, 150));
    check(&*kept, &[2; 150]);
    parts.keep_nothing();
    std::fs::write(written.path(), [3; 150]).expect("written over");
    assert_eq!((first(&*kept), first(&parts)), (2, 3));
}
