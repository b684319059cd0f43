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
#[cfg(feature = "wasm")]
fn in_order(n: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..n).collect();
    numbers.sort_unstable_by(|a, b| compare(*a, *b).then(a.cmp(b)));
    numbers
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
}
