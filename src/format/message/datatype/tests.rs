use super::*;
use crate::bytes::{Block, Emit, Widths};
use crate::format::testing::both_ways;

fn read(bytes: &[u8]) -> Datatype {
    both_ways(bytes, 8, |b| Datatype::decode(b, 8), Datatype::encode)
}

const U8: [u8; 12] = [0x10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0];
const I16_BE: [u8; 12] = [0x10, 0x09, 0, 0, 2, 0, 0, 0, 0, 0, 16, 0];
const F64: [u8; 20] = [0x11, 0x20, 63, 0, 8, 0, 0, 0, 0, 0, 64, 0, 52, 11, 0, 52, 0xff, 3, 0, 0];

#[test]
fn numbers() {
    let Class::FixedPoint(number) = read(&I16_BE).class else { panic!("an integer") };
    assert_eq!((number.signed, number.bits.order, number.bits.precision), (true, ByteOrder::Big, 16));
    let Class::FloatingPoint(number) = read(&F64).class else { panic!("a float") };
    assert!(number.is_ieee(11, 52));
    assert!(!number.is_ieee(8, 23));
}

#[test]
fn vax_order_counts_from_version_3() {
    let mut bytes = F64;
    bytes[0] = 0x31;
    bytes[1] = 0x61;
    assert!(matches!(read(&bytes).class, Class::FloatingPoint(f) if f.bits.order == ByteOrder::Vax));
    bytes[0] = 0x11;
    assert!(matches!(read(&bytes).class, Class::FloatingPoint(f) if f.bits.order == ByteOrder::Big));
}

#[test]
fn compound_of_every_version() {
    let v1 = [
        &[0x16, 1, 0, 0, 8, 0, 0, 0][..],
        b"a\0\0\0\0\0\0\0",
        &[4, 0, 0, 0],
        &[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        &[3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        &U8,
    ]
    .concat();
    let members = read(&v1).members().to_vec();
    assert_eq!((members[0].name.display().as_ref(), members[0].offset), ("a", 4));
    assert!(matches!(&members[0].datatype.class, Class::Array { dims, .. } if dims == &[3]));
    let v2 = [&[0x26, 1, 0, 0, 8, 0, 0, 0][..], b"seven77\0", &[2, 0, 0, 0], &U8].concat();
    assert_eq!(read(&v2).members()[0].offset, 2);
    for version in [3, 4, 5] {
        let v3 = [&[version << 4 | 6, 1, 0, 0, 8, 0, 0, 0][..], b"a\0", &[7], &U8].concat();
        assert_eq!(read(&v3).members()[0].offset, 7);
    }
}

#[test]
fn enumeration_array_variable_length_reference_complex() {
    let v1 = [&[0x18, 2, 0, 0, 1, 0, 0, 0][..], &U8, b"NO\0\0\0\0\0\0", b"YES\0\0\0\0\0", &[0, 1]].concat();
    let Class::Enumeration { members, .. } = read(&v1).class else { panic!("an enumeration") };
    assert_eq!(members, [("NO".into(), vec![0]), ("YES".into(), vec![1])]);
    let v2 = [&[0x2a, 0, 0, 0, 6, 0, 0, 0, 1, 0, 0, 0][..], &[3, 0, 0, 0], &[0, 0, 0, 0], &I16_BE].concat();
    assert_eq!(read(&v2).array_elements(), 3);
    let v3 = [&[0x3a, 0, 0, 0, 6, 0, 0, 0, 1][..], &[3, 0, 0, 0], &I16_BE].concat();
    assert_eq!(read(&v3).array_elements(), 3);
    let string = [&[0x19, 0x01, 0x01, 0, 16, 0, 0, 0][..], &U8].concat();
    let string = read(&string);
    assert!(matches!(string.class, Class::VariableLength { is_string: true, charset: Charset::Utf8, .. }));
    assert!(string.has_heap_data());
    let reference = read(&[0x47, 0x12, 0, 0, 18, 0, 0, 0]);
    assert_eq!(reference.class, Class::Reference { kind: ReferenceKind::ObjectRevised, encoding_version: 1 });
    let complex = [&[0x5b, 1, 0, 0, 16, 0, 0, 0][..], &F64].concat();
    assert!(matches!(read(&complex).class, Class::Complex { homogeneous: true, form: 0, .. }));
}

#[test]
fn opaque_keeps_its_padding() {
    let bytes = [&[0x15, 8, 0, 0, 3, 0, 0, 0][..], b"tag\0\0\0\0\0"].concat();
    assert_eq!(read(&bytes).class, Class::Opaque { tag: "tag".into(), stored_tag_size: 8 });
}

#[test]
fn what_cannot_be_is_refused() {
    let refused = |bytes: &[u8]| Datatype::decode(Block::new(bytes, 0, Widths::default()), 8).expect_err("refused");
    let mut wide = I16_BE;
    wide[10] = 17;
    assert_eq!(refused(&wide).field(), "bit precision");
    let outside = [&[0x36, 1, 0, 0, 2, 0, 0, 0][..], b"a\0", &[2], &U8].concat();
    assert_eq!(refused(&outside).field(), "byte offset of member");
    let mut deep = U8.to_vec();
    for _ in 0..9 {
        deep = [&[0x19, 0, 0, 0, 16, 0, 0, 0][..], &deep].concat();
    }
    assert_eq!(refused(&deep).field(), "nesting");
    assert!(matches!(refused(&[0x60, 0, 0, 0, 1, 0, 0, 0]).fault(), crate::error::Fault::Version(6)));
    let sized_wrong = [&[0x3a, 0, 0, 0, 7, 0, 0, 0, 1][..], &[3, 0, 0, 0], &I16_BE].concat();
    assert_eq!(refused(&sized_wrong).field(), "size");
}

#[test]
fn encoding_says_what_does_not_fit() {
    let datatype = Datatype {
        version: 3,
        size: 4,
        class: Class::Array { dims: vec![1; 300], base: Box::new(read(&U8)), old: None },
        reserved_bits: 0,
    };
    assert!(Emit::encode(Widths::default(), |to| datatype.encode(to)).is_err());
}
