use super::info::{ObjectInfo, object_methods};
use crate::error::{Result, Structure};
use crate::format::message::datatype::Datatype;
use crate::format::object_header::MessageType;

/// A committed datatype: one that has a name, and that datasets and attributes may share.
#[derive(Clone, Debug)]
pub struct NamedDatatype {
    info: ObjectInfo,
    datatype: Datatype,
}

object_methods!(NamedDatatype);

impl NamedDatatype {
    pub(super) fn open(info: ObjectInfo) -> Result<Self> {
        let storage = info.file().storage();
        let run = info.header().needed(storage, MessageType::DATATYPE, Structure::Datatype)?;
        let datatype = Datatype::decode(run.block(), storage.limits().datatype_depth)?;
        drop(run);
        Ok(Self { info, datatype })
    }

    /// The datatype.
    #[must_use]
    pub fn datatype(&self) -> &Datatype {
        &self.datatype
    }
}
