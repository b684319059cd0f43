use std::fmt;

/// Valid HDF5 that is refused by name. `docs/limitations.md` lists this enum.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unsupported {
    /// A filter that no decoder is known for: its registered number.
    Filter(u16),
    /// A filter whose cargo feature is off: its number and the feature.
    FilterFeature(u16, &'static str),
    /// Writing with a filter that is only read: its number.
    FilterEncoding(u16),
    /// Compressing with BloscLZ, which is only read.
    BloscLzEncoding,
    /// A codec of Blosc2 that is a plugin of it: its number.
    Blosc2Codec(u8),
    /// A filter within Blosc2 that is a plugin of it: its number.
    Blosc2Filter(u8),
    /// Version 3 of the filter pipeline message, of which two drafts exist.
    FilterPipelineVersion3,
    /// Scale-offset of floats by a variable number of bits ("E-scale"), which libhdf5 never had either.
    ScaleOffsetExponent,
    /// An address or length of more than 64 bits.
    WideValue,
    /// A message that must be understood and is not: its type.
    Message(u16),
    /// A user-defined link: its class.
    UserDefinedLink(u8),
    /// A virtual file driver other than family and multi.
    Driver([u8; 8]),
    /// Floating-point numbers of a layout that has no value here.
    FloatLayout,
    /// Complex numbers in another form than rectangular.
    ComplexForm,
    /// A virtual dataset of variable-length elements that are in another file.
    VirtualHeapData,
    /// A file as long as this does not fit the address space of this machine.
    AddressSpace,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Filter(id) => match super::registered_filter_name(*id) {
                Some(name) => match super::registered_filter_page(*id) {
                    Some(page) => write!(f, "filter {id} ({name}, see {page})"),
                    None => write!(f, "filter {id} ({name})"),
                },
                None => write!(f, "filter {id} (not a registered number)"),
            },
            Self::FilterFeature(id, feature) => write!(f, "filter {id} without h5kit's `{feature}` feature"),
            Self::FilterEncoding(id) => match super::registered_filter_name(*id) {
                Some(name) => write!(f, "writing with filter {id} ({name})"),
                None => write!(f, "writing with filter {id}"),
            },
            Self::BloscLzEncoding => f.write_str("compressing with BloscLZ"),
            Self::Blosc2Codec(id) => write!(f, "the plugin codec {id} of Blosc2 ({})", blosc2_codec(*id)),
            Self::Blosc2Filter(id) => write!(f, "the plugin filter {id} of Blosc2 ({})", blosc2_filter(*id)),
            Self::FilterPipelineVersion3 => f.write_str("version 3 of the filter pipeline message"),
            Self::ScaleOffsetExponent => f.write_str("scale-offset with a variable exponent"),
            Self::WideValue => f.write_str("an address or length of more than 64 bits"),
            Self::Message(id) => write!(f, "message type {id:#06x}, which must be understood,"),
            Self::UserDefinedLink(class) => write!(f, "a user-defined link of class {class}"),
            Self::Driver(id) => write!(f, "the file driver `{}`", id.escape_ascii()),
            Self::FloatLayout => f.write_str("this layout of floating-point numbers"),
            Self::ComplexForm => f.write_str("complex numbers that are not rectangular"),
            Self::VirtualHeapData => {
                f.write_str("a virtual dataset of variable-length elements or references in another file")
            }
            Self::AddressSpace => f.write_str("an object larger than this machine's address space"),
        }
    }
}

/// What Blosc2 calls its plugins that compress (`include/blosc2/codecs-registry.h`).
fn blosc2_codec(id: u8) -> &'static str {
    match id {
        32 => "NDLZ",
        33 => "ZFP with fixed accuracy",
        34 => "ZFP with fixed precision",
        35 => "ZFP with fixed rate",
        36 => "OpenHTJ2K",
        37 => "Grok, JPEG 2000",
        38 => "OpenZL",
        39 => "J2K",
        40 => "HTJ2K",
        _ => "not a registered number",
    }
}

/// What Blosc2 calls its plugins that filter (`include/blosc2/filters-registry.h`).
fn blosc2_filter(id: u8) -> &'static str {
    match id {
        32 => "NDCELL",
        33 => "NDMEAN",
        34 => "BYTEDELTA, the version with a mistake",
        _ => "not a registered number",
    }
}
