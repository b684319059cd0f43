//! Sorting by comparison, where equal ones stay in their order.
//!
//! Each type that the standard library sorts costs some kilobytes of code. In the JavaScript package all of them are sorted by
//! one function, which sorts their numbers.

use std::cmp::Ordering;

/// Sorts as `slice::sort_by` does.
#[cfg(not(feature = "wasm"))]
pub(crate) fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    items.sort_by(compare);
}

/// Sorts as `slice::sort_by` does.
#[cfg(feature = "wasm")]
pub(crate) fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let mut to = vec![0; items.len()];
    for (place, item) in in_order(items.len(), &|a, b| compare(&items[a], &items[b])).into_iter().enumerate() {
        to[item] = place;
    }
    for i in 0..items.len() {
        while to[i] != i {
            let place = to[i];
            items.swap(i, place);
            to.swap(i, place);
        }
    }
}

/// The numbers of `n` things in order.
#[cfg(any(test, feature = "wasm"))]
fn in_order(n: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut sorted: Vec<usize> = (0..n).collect();
    let mut width = 1;
    while width < n {
        let mut merged = Vec::with_capacity(n);
        for run in sorted.chunks(2 * width) {
            let (mut a, mut b) = run.split_at(width.min(run.len()));
            while let (Some((x, after_x)), Some((y, after_y))) = (a.split_first(), b.split_first()) {
                let next = if compare(*x, *y).is_le() {
                    a = after_x;
                    x
                } else {
                    b = after_y;
                    y
                };
                merged.push(*next);
            }
            merged.extend_from_slice(a);
            merged.extend_from_slice(b);
        }
        (sorted, width) = (merged, 2 * width);
    }
    sorted
}

#[cfg(test)]
#[test]
fn equal_ones_stay_in_order() {
    let mut words = ["pear", "fig", "plum", "date", "kiwi", "lime", "nut", "apple", "elder"];
    sort_by(&mut words, |a, b| a.len().cmp(&b.len()));
    assert_eq!(words, ["fig", "nut", "pear", "plum", "date", "kiwi", "lime", "apple", "elder"]);
    let mut numbers: Vec<u64> = (0..1000).map(|i| i * 7919 % 1000).collect();
    sort_by(&mut numbers, u64::cmp);
    assert!(numbers.into_iter().eq(0..1000));
    for n in [0, 1, 2, 7, 100, 1000] {
        let (key, mut expected) = (|i: usize| i * 37 % 11, (0..n).collect::<Vec<_>>());
        expected.sort_by_key(|i| key(*i));
        assert_eq!(in_order(n, &|a, b| key(a).cmp(&key(b))), expected);
    }
}
