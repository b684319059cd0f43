//! The filter pipeline message, type 0x000b (IV.A.2.l), versions 1 and 2.

use crate::bytes::parse::{array, counted, fail, field, padding_to_8, take, u8, u16, u32};
use crate::bytes::{Block, Emit, Text};
use crate::error::{Corrupt, Fault, Structure, Unsupported};

/// Most filters of a pipeline.
const MAX_FILTERS: u8 = 32;

/// The filters that a chunk went through, in the order in which they were applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterPipeline {
    /// 1 or 2.
    pub version: u8,
    /// Reserved: version 1.
    pub reserved: [u8; 6],
    /// The filters.
    pub filters: Vec<FilterDescription>,
}

/// One filter of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterDescription {
    /// Registered number.
    pub id: u16,
    /// Name, where the message has one; its bytes as stored, NUL and padding included.
    pub stored_name: Vec<u8>,
    /// Flags; bit 0: a chunk may be stored without this filter.
    pub flags: u16,
    /// Client data values.
    pub values: Vec<u32>,
}

impl FilterDescription {
    /// The name, where the message has one.
    #[must_use]
    pub fn name(&self) -> Option<Text> {
        let name = self.stored_name.split(|b| *b == 0).next().filter(|name| !name.is_empty())?;
        Some(name.into())
    }

    /// True where a chunk may be stored without this filter.
    #[must_use]
    pub fn is_optional(&self) -> bool {
        self.flags & 1 != 0
    }
}

impl FilterPipeline {
    /// Decodes a message body.
    ///
    /// # Errors
    /// An unknown version, more than 32 filters, or a filter that leaves the body.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        block.run(Structure::FilterPipeline, |start| {
            let (i, version) = field("version", u8)(start)?;
            match version {
                1 | 2 => {}
                3 => {
                    return field("version", |i| fail(i, Fault::Unsupported(Unsupported::FilterPipelineVersion3)))(
                        start,
                    );
                }
                _ => return field("version", |i| fail(i, Fault::Version(version)))(start),
            }
            let (after, n) = field("number of filters", u8)(i)?;
            if n > MAX_FILTERS {
                return field("number of filters", |i| fail(i, Fault::Value(n.into())))(i);
            }
            let (mut i, reserved) = if version == 1 { field("reserved", array::<6>)(after)? } else { (after, [0; 6]) };
            let mut filters = Vec::new();
            for _ in 0..n {
                let (after, id) = field("filter identification value", u16)(i)?;
                let named = version == 1 || id >= 256;
                let (after, name_length) = if named { field("name length", u16)(after)? } else { (after, 0) };
                let (after, flags) = field("flags", u16)(after)?;
                let (after, count) = field("number of client data values", u16)(after)?;
                let (after, name) = field("name", take(name_length.into()))(after)?;
                let (after, ()) = padding_to_8(if version == 1 { name_length.into() } else { 0 })(after)?;
                let (after, values) = field("client data", counted(count.into(), 4, u32))(after)?;
                let (after, _) =
                    if version == 1 && count % 2 == 1 { take(after.len().min(4))(after)? } else { (after, &[][..]) };
                filters.push(FilterDescription { id, stored_name: name.to_vec(), flags, values });
                i = after;
            }
            Ok((i, Self { version, reserved, filters }))
        })
    }

    /// Encodes the message body.
    pub fn encode(&self, to: &mut Emit) {
        to.u8(self.version);
        to.uint(1, self.filters.len() as u64);
        if self.version == 1 {
            to.bytes(&self.reserved);
        }
        for filter in &self.filters {
            to.u16(filter.id);
            if self.version == 1 || filter.id >= 256 {
                to.uint(2, filter.stored_name.len() as u64);
            }
            to.u16(filter.flags);
            to.uint(2, filter.values.len() as u64);
            let start = to.len();
            to.bytes(&filter.stored_name);
            if self.version == 1 {
                to.pad_to_8(start);
            }
            filter.values.iter().for_each(|n| to.u32(*n));
            if self.version == 1 && filter.values.len() % 2 == 1 {
                to.u32(0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Widths;
    use crate::format::testing::both_ways;

    #[test]
    fn version_1_has_names_and_padding() {
        #[rustfmt::skip]
        let bytes = [
            1, 1, 0, 0, 0, 0, 0, 0,
            1, 0,  8, 0,  1, 0,  1, 0,                     // deflate, name length, optional, one value
            b'd', b'e', b'f', b'l', b'a', b't', b'e', 0,
            6, 0, 0, 0, 0, 0, 0, 0,
        ];
        let widths = Widths::default();
        let pipeline = FilterPipeline::decode(Block::new(&bytes, 0, widths)).expect("it decodes");
        assert_eq!(pipeline.filters[0].name(), Some("deflate".into()));
        assert!(pipeline.filters[0].is_optional());
        assert_eq!(pipeline.filters[0].values, [6]);
        assert_eq!(Emit::encode(widths, |to| pipeline.encode(to)).expect("it fits"), bytes);
    }

    #[test]
    fn version_2_names_only_registered_filters() {
        let bytes = [2, 2, 2, 0, 0, 0, 1, 0, 8, 0, 0, 0, 0, 0x7d, 3, 0, 1, 0, 0, 0, b'l', b'z', b'f'];
        let pipeline = both_ways(&bytes, 8, FilterPipeline::decode, FilterPipeline::encode);
        assert_eq!((pipeline.filters[0].id, pipeline.filters[0].name()), (2, None));
        assert_eq!((pipeline.filters[1].id, pipeline.filters[1].name()), (32000, Some("lzf".into())));
    }

    #[test]
    fn version_3_is_refused_by_name() {
        let fault = FilterPipeline::decode(Block::new(&[3, 0], 0, Widths::default())).expect_err("refused");
        assert_eq!(crate::Error::from(fault).unsupported(), Some(Unsupported::FilterPipelineVersion3));
    }
}
