//! MurmurHash3_x64_128, the hash of Bloom indexes.

const C1: u64 = 0x87c3_7b91_1142_53d5;
const C2: u64 = 0x4cf5_ad43_2745_937f;

/// The low and the high 64 bits of the hash.
pub(super) fn hash(bytes: &[u8], seed: u32) -> (u64, u64) {
    let (mut h1, mut h2) = (u64::from(seed), u64::from(seed));
    let mut blocks = bytes.chunks_exact(16);
    for block in &mut blocks {
        let (k1, k2) = (word(block, 0), word(block, 8));
        h1 = (h1 ^ mixed1(k1)).rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52dc_e729);
        h2 = (h2 ^ mixed2(k2)).rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x3849_5ab5);
    }
    let tail = blocks.remainder();
    if tail.len() > 8 {
        h2 ^= mixed2(word(tail, 8));
    }
    if !tail.is_empty() {
        h1 ^= mixed1(word(tail, 0));
    }
    h1 ^= bytes.len() as u64;
    h2 ^= bytes.len() as u64;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    h1 = finished(h1);
    h2 = finished(h2);
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    (h1, h2)
}

fn mixed1(k: u64) -> u64 {
    k.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2)
}

fn mixed2(k: u64) -> u64 {
    k.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1)
}

fn finished(mut k: u64) -> u64 {
    k ^= k >> 33;
    k = k.wrapping_mul(0xff51_afd7_ed55_8ccd);
    k ^= k >> 33;
    k = k.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    k ^ k >> 33
}

/// Up to eight bytes from a place on, least significant first.
fn word(bytes: &[u8], from: usize) -> u64 {
    bytes.iter().skip(from).take(8).rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

#[cfg(test)]
#[test]
fn published_values() {
    assert_eq!(hash(b"", 0), (0, 0));
    assert_eq!(hash(b"hello", 0), (0xcbd8_a7b3_41bd_9b02, 0x5b1e_906a_48ae_1d19));
    let fox = b"The quick brown fox jumps over the lazy dog";
    assert_eq!(hash(fox, 0), (0xe34b_bc7b_bc07_1b6c, 0x7a43_3ca9_c49a_9347));
}
