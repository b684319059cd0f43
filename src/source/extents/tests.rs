#![allow(clippy::single_range_in_vec_init, reason = "lists of ranges are what is tested")]

use super::*;
use proptest::prelude::*;

fn byte(at: u64) -> u8 {
    (at * 31 / 7) as u8
}

fn bytes(range: Range<u64>) -> Vec<u8> {
    range.map(byte).collect()
}

proptest! {
    /// Whatever is added and let go of in whatever order: what is there has the right bytes, and the rest is a gap.
    #[test]
    fn pieces_are_those_of_a_naive_model(steps in prop::collection::vec((0u64..500, 0u64..90, prop::bool::ANY), 1..40), budget in 0u64..400) {
        let (mut pieces, mut model) = (Pieces::default(), vec![false; 600]);
        for (turn, (at, length, data)) in (0..).zip(steps) {
            let kind = if data { Kind::Data } else { Kind::Structure };
            pieces.insert(at, bytes(at..at + length), kind, turn);
            model[at as usize..(at + length) as usize].fill(true);
        }
        let gaps: Vec<u64> = pieces.gaps(0..600).flatten().collect();
        let expected: Vec<u64> = (0..600).filter(|at| !model[*at as usize]).collect();
        prop_assert_eq!(&gaps, &expected);
        prop_assert_eq!(pieces.bytes(), 600 - gaps.len() as u64);
        for start in (0..600).step_by(7) {
            let end = (start..600).take_while(|at| model[*at as usize]).last().map_or(start, |at| at + 1);
            prop_assert_eq!(pieces.read(start..end, 0), bytes(start..end));
        }
        pieces.shrink(budget);
        prop_assert!(pieces.bytes() <= budget);
        prop_assert_eq!(pieces.gaps(0..600).flatten().count() as u64, 600 - pieces.bytes());
    }
}

/// What becomes of reads: ranges and what is in them.
fn requested(extents: &Extents, structures: &[Range<u64>], data: &[Range<u64>]) -> Vec<(Range<u64>, Kind)> {
    for range in structures {
        assert!(extents.read(range.clone()).expect_err("not there").is_missing());
    }
    assert!(extents.prefetch(data, Kind::Data).is_err() || data.is_empty());
    let fetching = Fetching { page: 100, gap: 50, longest: 1000, ahead: 800, small: 0 };
    extents.requests(&fetching).into_iter().map(|request| (request.range, request.kind)).collect()
}

#[test]
fn structures_come_with_what_is_near_and_data_exactly() {
    let extents = Extents::new(10_000);
    let asked = requested(&extents, &[105..110, 9990..9999], &[330..340, 1000..3500, 5000..5010]);
    let data = |range| (range, Kind::Data);
    let structure = |range| (range, Kind::Structure);
    let expected = [
        structure(55..200),
        data(330..340),
        data(1000..2000),
        data(2000..3000),
        data(3000..3500),
        data(5000..5010),
        structure(9900..10_000),
    ];
    assert_eq!(asked, expected);
    assert!(extents.requests(&Fetching::default()).is_empty());
    // What is near is fetched with it, and what is there already is not fetched again.
    extents.insert(400, bytes(400..450));
    extents.insert(480, bytes(480..500));
    assert_eq!(requested(&extents, &[445..452, 455..460], &[501..510]), [structure(450..510)]);
}

#[test]
fn what_is_small_comes_whole() {
    let extents = Extents::new(1000);
    extents.insert(100, bytes(100..300));
    assert!(extents.requests(&Fetching::default()).is_empty());
    assert!(extents.read(700..701).expect_err("not there").is_missing());
    let ranges: Vec<_> = extents.requests(&Fetching::default()).into_iter().map(|request| request.range).collect();
    assert_eq!(ranges, [0..100, 300..1000]);
}

#[test]
fn chains_are_read_ahead() {
    let extents = Extents::new(10_000);
    let mut at = 0;
    let mut lengths = Vec::new();
    while at < 4000 {
        let asked = requested(&extents, &[at..at + 10], &[]);
        let [(range, kind)] = asked.as_slice() else { panic!("{asked:?}") };
        lengths.push(range.end - range.start);
        extents.answer(&Request { range: range.clone(), kind: *kind }, bytes(range.clone()));
        assert_eq!(extents.read(at..at + 10).expect("it is there").as_ref(), bytes(at..at + 10));
        at = range.end;
    }
    assert_eq!(lengths, [100, 150, 350, 750, 750, 750, 750, 750]);
    // What stands elsewhere begins a chain anew.
    assert_eq!(requested(&extents, &[9000..9001], &[]), [(8950..9100, Kind::Structure)]);
}

#[test]
fn a_turn_keeps_what_it_needs_and_the_budget_what_is_read_often() {
    let extents = Arc::new(Extents::with_budget(10_000, 300));
    let add = |range: Range<u64>, kind| extents.answer(&Request { range: range.clone(), kind }, bytes(range));
    let turn = extents.begin();
    add(0..200, Kind::Structure);
    add(200..1000, Kind::Data);
    add(1000..1100, Kind::Structure);
    assert_eq!(extents.read(150..1100).expect("all is there").len(), 950);
    let other = extents.begin();
    drop(turn);
    assert_eq!(extents.kept(), 1100);
    drop(other);
    // Data goes first.
    assert_eq!(extents.kept(), 300);
    assert!(extents.read(0..200).is_ok() && extents.read(1000..1100).is_ok() && extents.read(500..501).is_err());
    // Of structures, what was not read for longest.
    let turn = extents.begin();
    assert!(extents.read(0..1).is_ok());
    add(2000..2100, Kind::Structure);
    drop(turn);
    assert_eq!(extents.kept(), 300);
    assert!(extents.read(0..200).is_ok() && extents.read(2000..2100).is_ok() && extents.read(1000..1001).is_err());
}
