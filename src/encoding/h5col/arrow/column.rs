//! One column: its field, and how its rows are read.

use arrow_array::ArrayRef;
use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_schema::{DataType, Field};

use super::super::column::{Column, ScalarColumn, within};
use super::super::error::{Error, InColumn, Result};
use super::super::missing::Missing;
use super::super::rows::Rows;
use super::super::values::{Values, possible};
use super::form::Form;
use crate::element::Element;
use crate::encoding::arrow::{numbers, valid};

/// A column that is read as Arrow.
#[derive(Clone, Debug)]
pub(super) struct Source {
    column: Column,
    field: Field,
    form: Form,
}

impl Source {
    pub(super) fn open(column: Column) -> Result<Self> {
        let refuse = |detail| refused(&column, detail);
        let (form, nullable, ordered) = match &column {
            Column::Scalar(scalar) => {
                let nullable = scalar.missing()? != Missing::Never;
                match scalar.labels()? {
                    Some(labels) => {
                        let values = labels.read().in_column(&scalar.table, scalar.name.as_str())?;
                        let of = Form::of(labels.dataset().datatype()).map_err(refuse)?;
                        let form = Form::labels(scalar.dataset().datatype(), &of, values).map_err(refuse)?;
                        (form, nullable, labels.ordered()? == Some(true))
                    }
                    None => (Form::of(scalar.dataset().datatype()).map_err(refuse)?, nullable, false),
                }
            }
            Column::List(list) => {
                let level = list.level()?;
                let form = Form::lists(&level)?.map_err(refuse)?;
                (form, level.nullable(), false)
            }
        };
        let field = Field::new(column.name().to_string(), form.data_type(), nullable).with_dict_is_ordered(ordered);
        Ok(Self { column, field, form })
    }

    /// The name, the type, and whether values can be missing.
    pub(super) fn field(&self) -> &Field {
        &self.field
    }

    /// Values of the column as an array.
    pub(super) fn array(&self, values: Values) -> Result<ArrayRef> {
        self.form.array(values).map_err(|detail| refused(&self.column, detail))
    }

    /// Some rows.
    pub(super) fn read(&self, rows: &Rows) -> Result<ArrayRef> {
        match (&self.form, &self.column) {
            (Form::Number(data_type), Column::Scalar(column)) => {
                own_width(column, data_type, rows).in_column(&column.table, column.name.as_str())
            }
            _ => self.array(self.column.read_rows(rows)?),
        }
    }
}

fn refused(column: &Column, detail: String) -> Error {
    Error::Arrow { column: Some(column.name().to_string()), detail }
}

/// Numbers, read into what becomes the buffer.
fn own_width(column: &ScalarColumn, data_type: &DataType, rows: &Rows) -> Result<ArrayRef> {
    within(rows, column.nrows)?;
    possible(column.dataset().file(), rows.len(), column.dataset().datatype().size)?;
    match data_type {
        DataType::Int8 => integers::<Int8Type>(column, rows),
        DataType::Int16 => integers::<Int16Type>(column, rows),
        DataType::Int32 => integers::<Int32Type>(column, rows),
        DataType::Int64 => integers::<Int64Type>(column, rows),
        DataType::UInt8 => integers::<UInt8Type>(column, rows),
        DataType::UInt16 => integers::<UInt16Type>(column, rows),
        DataType::UInt32 => integers::<UInt32Type>(column, rows),
        DataType::UInt64 => integers::<UInt64Type>(column, rows),
        DataType::Float16 => floats::<Float16Type>(column, rows),
        DataType::Float32 => floats::<Float32Type>(column, rows),
        DataType::Float64 => floats::<Float64Type>(column, rows),
        other => Err(Error::Arrow { column: Some(column.name.to_string()), detail: format!("{other} is no number") }),
    }
}

fn integers<P: ArrowPrimitiveType>(column: &ScalarColumn, rows: &Rows) -> Result<ArrayRef>
where
    P::Native: Element + TryFrom<i128>,
{
    let values: Vec<P::Native> = column.dataset().read(rows)?;
    let fill = match column.missing()? {
        Missing::Integer(fill) => P::Native::try_from(fill).ok(),
        _ => None,
    };
    Ok(filled::<P, _>(values, fill, |value, fill| value == fill))
}

fn floats<P: ArrowPrimitiveType>(column: &ScalarColumn, rows: &Rows) -> Result<ArrayRef>
where
    P::Native: Element + Into<f64>,
{
    let values: Vec<P::Native> = column.dataset().read(rows)?;
    let fill = match column.missing()? {
        Missing::Float(fill) => Some(fill),
        Missing::NotANumber => Some(f64::NAN),
        _ => None,
    };
    let same = |value: P::Native, fill: f64| {
        let value: f64 = value.into();
        value == fill || (value.is_nan() && fill.is_nan())
    };
    Ok(filled::<P, _>(values, fill, same))
}

/// Values, null where they are the fill value.
fn filled<P: ArrowPrimitiveType, F: Copy>(
    values: Vec<P::Native>,
    fill: Option<F>,
    same: impl Fn(P::Native, F) -> bool,
) -> ArrayRef {
    let valid = fill.and_then(|fill| {
        let missing: Vec<bool> = values.iter().map(|value| same(*value, fill)).collect();
        valid(&missing)
    });
    numbers::<P>(values, valid)
}
