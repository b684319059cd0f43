//! What becomes of values: the Arrow type of a datatype, and arrays of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::builder::FixedSizeBinaryBuilder;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, GenericListArray, OffsetSizeTrait};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, FieldRef};
use half::f16;

use super::super::error::Result;
use super::super::kind::{Held, Kind};
use super::super::list::{Entries, Level, ListLevel};
use super::super::missing::Missing;
use super::super::values::{Data, Lists, Values};
use crate::encoding::arrow::{Made, booleans, dictionary, key_type, numbers, refused, text, valid};
use crate::format::message::datatype::{ByteOrder, Class, Datatype};

/// What becomes of values.
#[derive(Clone, Debug)]
pub(super) enum Form {
    Number(DataType),
    Boolean,
    Text,
    /// Bytes, so many each.
    Bytes(i32),
    /// Codes that have names; keys count the names.
    Names {
        key: DataType,
        codes: BTreeMap<i128, i128>,
        names: ArrayRef,
    },
    /// Codes that count labels.
    Labels {
        key: DataType,
        labels: ArrayRef,
    },
    Lists {
        large: bool,
        element: FieldRef,
        of: Box<Form>,
    },
}

impl Form {
    /// The form of single values.
    pub(super) fn of(datatype: &Datatype) -> Made<Self> {
        let size = datatype.size;
        Ok(match (Held::of(datatype), &datatype.class) {
            (Held::Boolean, _) => Self::Boolean,
            (Held::Text, _) => Self::Text,
            (Held::Signed | Held::Unsigned, Class::Enumeration { base, members }) => {
                let mut codes = BTreeMap::new();
                for ((_, stored), place) in members.iter().zip(0i128..) {
                    let code = code(base, stored);
                    let code = code.ok_or_else(|| format!("an enumeration of {base}, which has no Arrow form"))?;
                    // Of names for one code the first counts.
                    codes.entry(code).or_insert(place);
                }
                let names = text(members.iter().map(|(name, _)| name.as_bytes()), None)?;
                let key =
                    key_type(true, [1, 2, 4].into_iter().find(|n| members.len() >> (8 * n - 1) == 0).unwrap_or(8));
                Self::Names { key, codes, names }
            }
            (Held::Signed, _) => Self::Number(match size {
                ..=1 => DataType::Int8,
                2 => DataType::Int16,
                3..=4 => DataType::Int32,
                _ => DataType::Int64,
            }),
            (Held::Unsigned, _) => Self::Number(match size {
                ..=1 => DataType::UInt8,
                2 => DataType::UInt16,
                3..=4 => DataType::UInt32,
                _ => DataType::UInt64,
            }),
            (Held::Float, Class::FloatingPoint(float)) => Self::Number(match size {
                2 if float.is_ieee(5, 10) => DataType::Float16,
                4 if float.is_ieee(8, 23) => DataType::Float32,
                _ => DataType::Float64,
            }),
            (Held::Value, Class::Opaque { .. }) if size > 0 => {
                Self::Bytes(i32::try_from(size).map_err(|_| format!("opaque values of {size} bytes"))?)
            }
            _ => return Err(format!("{} of {datatype} have no Arrow form", Kind::of(datatype))),
        })
    }

    /// The form of codes that count labels.
    pub(super) fn labels(codes: &Datatype, of: &Self, labels: Values) -> Made<Self> {
        if matches!(of, Self::Names { .. }) {
            return Err("labels that are an enumeration have no Arrow form".into());
        }
        let signed = matches!(&codes.class, Class::FixedPoint(n) if n.signed);
        let key = key_type(signed, usize::try_from(codes.size).unwrap_or(8));
        Ok(Self::Labels { key, labels: of.array(labels)? })
    }

    /// The form of lists.
    pub(super) fn lists(level: &ListLevel) -> Result<Made<Self>> {
        let (of, nullable, elements) = match &*level.values {
            Level::Lists(inner) => (Self::lists(inner)?, inner.nullable(), count(&inner.entries)),
            Level::Strings(strings) => (Ok(Self::Text), strings.nullable(), count(&strings.entries)),
            Level::Leaf(leaf) => (Self::of(leaf.datatype()), Missing::of(leaf)? != Missing::Never, leaf.len()),
        };
        Ok(of.map(|of| Self::Lists {
            large: i32::try_from(elements).is_err(),
            element: Arc::new(Field::new_list_field(of.data_type(), nullable)),
            of: Box::new(of),
        }))
    }

    /// The Arrow type.
    pub(super) fn data_type(&self) -> DataType {
        let by = |key: &DataType, values: &ArrayRef| {
            DataType::Dictionary(Box::new(key.clone()), Box::new(values.data_type().clone()))
        };
        match self {
            Self::Number(data_type) => data_type.clone(),
            Self::Boolean => DataType::Boolean,
            Self::Text => DataType::Utf8,
            Self::Bytes(size) => DataType::FixedSizeBinary(*size),
            Self::Names { key, names, .. } => by(key, names),
            Self::Labels { key, labels } => by(key, labels),
            Self::Lists { large: true, element, .. } => DataType::LargeList(element.clone()),
            Self::Lists { element, .. } => DataType::List(element.clone()),
        }
    }

    /// Values as an array.
    pub(super) fn array(&self, values: Values) -> Made {
        let Values { data, missing } = values;
        if data.len() != missing.len() {
            return Err(format!("{} values, of which {} are missing or not", data.len(), missing.len()));
        }
        let nulls = valid(&missing);
        match (self, data) {
            (Self::Number(of), data) => number(of, data, nulls),
            (Self::Boolean, Data::Boolean(values)) => Ok(booleans(values, nulls)),
            (Self::Text, Data::Text(values)) => {
                let there = values.iter().zip(&missing);
                text(there.map(|(value, missing)| if *missing { &[] } else { value.as_bytes() }), nulls)
            }
            (Self::Bytes(size), data) => opaque(*size, &data, &missing),
            (Self::Names { key, codes, names }, data) => {
                let place = |row| {
                    let stored = data.integer(row).ok_or("values that are no codes")?;
                    codes.get(&stored).copied().ok_or_else(|| format!("code {stored}, which has no name"))
                };
                keyed(key, &missing, nulls, place, names)
            }
            (Self::Labels { key, labels }, data) => {
                let place = |row| Ok(data.integer(row).ok_or("values that are no codes")?);
                keyed(key, &missing, nulls, place, labels)
            }
            (Self::Lists { large: false, element, of }, Data::List(lists)) => listed::<i32>(element, of, lists, nulls),
            (Self::Lists { large: true, element, of }, Data::List(lists)) => listed::<i64>(element, of, lists, nulls),
            (form, _) => Err(format!("values of another kind than {}", form.data_type())),
        }
    }
}

/// Elements of a level of lists or strings.
fn count(entries: &Entries) -> u64 {
    entries.offsets.len().saturating_sub(1)
}

/// The code of a member of an enumeration; `None` where its bits are not simply those of its bytes.
fn code(base: &Datatype, stored: &[u8]) -> Option<i128> {
    let Class::FixedPoint(number) = &base.class else { return None };
    let size = usize::try_from(base.size).ok().filter(|size| (1..=8).contains(size) && *size == stored.len())?;
    if number.bits.offset != 0 || usize::from(number.bits.precision) != 8 * size {
        return None;
    }
    let fold = |code: u64, byte: &u8| code << 8 | u64::from(*byte);
    let bits = match number.bits.order {
        ByteOrder::Little => stored.iter().rev().fold(0, fold),
        ByteOrder::Big => stored.iter().fold(0, fold),
        _ => return None,
    };
    let unused = 64 - 8 * size;
    Some(if number.signed { i128::from((bits << unused).cast_signed() >> unused) } else { i128::from(bits) })
}

fn number(of: &DataType, data: Data, nulls: Option<NullBuffer>) -> Made {
    match (of, data) {
        (DataType::Int8, Data::Signed(values)) => narrow::<Int8Type, _>(values, nulls),
        (DataType::Int16, Data::Signed(values)) => narrow::<Int16Type, _>(values, nulls),
        (DataType::Int32, Data::Signed(values)) => narrow::<Int32Type, _>(values, nulls),
        (DataType::Int64, Data::Signed(values)) => Ok(numbers::<Int64Type>(values, nulls)),
        (DataType::UInt8, Data::Unsigned(values)) => narrow::<UInt8Type, _>(values, nulls),
        (DataType::UInt16, Data::Unsigned(values)) => narrow::<UInt16Type, _>(values, nulls),
        (DataType::UInt32, Data::Unsigned(values)) => narrow::<UInt32Type, _>(values, nulls),
        (DataType::UInt64, Data::Unsigned(values)) => Ok(numbers::<UInt64Type>(values, nulls)),
        // They were made of what they become again.
        (DataType::Float16, Data::Float(values)) => {
            Ok(numbers::<Float16Type>(values.into_iter().map(f16::from_f64).collect(), nulls))
        }
        (DataType::Float32, Data::Float(values)) => {
            Ok(numbers::<Float32Type>(values.into_iter().map(|x| x as f32).collect(), nulls))
        }
        (DataType::Float64, Data::Float(values)) => Ok(numbers::<Float64Type>(values, nulls)),
        (of, _) => Err(format!("values of another kind than {of}")),
    }
}

/// Integers in the width that they were stored in.
fn narrow<P: ArrowPrimitiveType, T: Copy + std::fmt::Display>(values: Vec<T>, nulls: Option<NullBuffer>) -> Made
where
    P::Native: TryFrom<T>,
{
    let fit = |n: T| P::Native::try_from(n).map_err(|_| format!("{n} is no {}", P::DATA_TYPE));
    Ok(numbers::<P>(values.into_iter().map(fit).collect::<Made<_>>()?, nulls))
}

fn opaque(size: i32, data: &Data, missing: &[bool]) -> Made {
    let mut array = FixedSizeBinaryBuilder::with_capacity(missing.len(), size);
    for (row, missing) in missing.iter().enumerate() {
        match data.bytes(row) {
            _ if *missing => array.append_null(),
            Some(bytes) => array.append_value(bytes).map_err(|e| refused(&e))?,
            None => return Err("values that are no bytes".into()),
        }
    }
    Ok(Arc::new(array.finish()))
}

/// The places of rows in labels, and the labels.
fn keyed(
    key: &DataType,
    missing: &[bool],
    nulls: Option<NullBuffer>,
    place: impl Fn(usize) -> Made<i128>,
    labels: &ArrayRef,
) -> Made {
    let places =
        missing.iter().enumerate().map(|(row, missing)| if *missing { Ok(None) } else { place(row).map(Some) });
    match key {
        DataType::Int8 => keys::<Int8Type>(places, nulls, labels),
        DataType::Int16 => keys::<Int16Type>(places, nulls, labels),
        DataType::Int32 => keys::<Int32Type>(places, nulls, labels),
        _ => keys::<Int64Type>(places, nulls, labels),
    }
}

fn keys<K: ArrowDictionaryKeyType>(
    places: impl Iterator<Item = Made<Option<i128>>>,
    nulls: Option<NullBuffer>,
    labels: &ArrayRef,
) -> Made
where
    K::Native: TryFrom<i128>,
{
    let n = labels.len() as i128;
    let key = |place: Made<Option<i128>>| match place? {
        Some(place) if (0..n).contains(&place) => {
            K::Native::try_from(place).map_err(|_| format!("label {place} by {}", K::DATA_TYPE))
        }
        Some(place) => Err(format!("code {place}, and {n} labels")),
        None => Ok(K::Native::default()),
    };
    dictionary::<K>(places.map(key).collect::<Made<_>>()?, nulls, labels)
}

fn listed<O: OffsetSizeTrait + TryFrom<u64>>(
    element: &FieldRef,
    of: &Form,
    lists: Lists,
    nulls: Option<NullBuffer>,
) -> Made {
    let Lists { offsets, values } = lists;
    if offsets.first() != Some(&0) || offsets.windows(2).any(|pair| matches!(pair, [a, b] if a > b)) {
        return Err("offsets that do not begin at 0, or decrease".into());
    }
    let offset = |n: u64| O::try_from(n).map_err(|_| format!("{n} elements in one array: fewer rows at once do"));
    let offsets = offsets.into_iter().map(offset).collect::<Made<Vec<O>>>()?;
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    let array = GenericListArray::<O>::try_new(element.clone(), offsets, of.array(*values)?, nulls);
    Ok(Arc::new(array.map_err(|e| refused(&e))?))
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;

    use super::*;

    fn lists(offsets: Vec<u64>) -> Values {
        let values = Values { data: Data::Signed(vec![1, 2, 3]), missing: vec![false, true, false] };
        let missing = vec![false; offsets.len().saturating_sub(1)];
        Values { data: Data::List(Lists { offsets, values: Box::new(values) }), missing }
    }

    fn form(large: bool) -> Form {
        let of = Form::Number(DataType::Int8);
        Form::Lists { large, element: Arc::new(Field::new_list_field(of.data_type(), true)), of: Box::new(of) }
    }

    #[test]
    fn large_lists_are_lists() {
        let (small, large) = (form(false).array(lists(vec![0, 1, 3])), form(true).array(lists(vec![0, 1, 3])));
        let (small, large) = (small.expect("lists"), large.expect("lists"));
        assert_eq!(small.data_type(), &form(false).data_type());
        assert_eq!(large.data_type(), &form(true).data_type());
        assert!(small.as_list::<i32>().iter().eq(large.as_list::<i64>().iter()));
        for broken in [vec![], vec![1, 3], vec![0, 3, 1], vec![0, 4]] {
            assert!(form(true).array(lists(broken)).is_err());
        }
    }

    #[test]
    fn values_have_to_fit() {
        let values = |n| Values { data: Data::Signed(vec![n]), missing: vec![false] };
        let byte = Form::Number(DataType::Int8);
        assert!(byte.array(values(-128)).is_ok());
        assert_eq!(byte.array(values(128)).map(|_| ()), Err("128 is no Int8".into()));
        assert!(Form::Text.array(values(1)).is_err());
        let short = Values { data: Data::Signed(vec![1, 2]), missing: vec![false] };
        assert!(byte.array(short).is_err());
    }
}
