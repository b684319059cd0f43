//! What stands above the objects: superblock, driver information, superblock extension.

use super::{Context, Pass};
use crate::bytes::{Addr, Emit};
use crate::error::Structure;
use crate::format::driver_info::DriverInfo;
use crate::format::message::cache_image::CacheImageLocation;
use crate::format::message::file_space_info::FileSpaceInfo;
use crate::format::message::reference_count;
use crate::format::message::shared_message_table::SharedMessageTableLocation;
use crate::format::object_header::{MessageType, Prefix};

impl Pass<'_> {
    pub(super) fn file(&mut self) {
        let superblock = self.file.superblock;
        let length = Emit::count(superblock.widths, |to| superblock.encode(to));
        self.keep(Structure::Superblock, Addr(0), length as u64, Context::Plain);
        if let (Some(address), Some(info)) = (superblock.driver_info(), self.file.driver_info) {
            let length = DriverInfo::HEAD + info.info.len();
            self.keep(Structure::DriverInfo, address, length as u64, Context::Plain);
        }
        if let Some(address) = superblock.extension() {
            self.extension(address);
        }
    }

    fn extension(&mut self, address: Addr) -> Option<()> {
        let header = self.header(address)?;
        self.messages(&header);
        let references = match &*header.prefix {
            Prefix::V1(prefix) => prefix.reference_count,
            Prefix::V2(_) => match header.first(MessageType::REFERENCE_COUNT) {
                Some(message) => reference_count::decode(message.body.block()).unwrap_or(1),
                None => 1,
            },
        };
        let at = self.storage.position(address);
        self.equal(Structure::ObjectHeader, "object reference count", at, references.into(), 1);
        if let Some(run) = self.first(&header, MessageType::CACHE_IMAGE)
            && let Ok(CacheImageLocation { address: Some(address), length }) = CacheImageLocation::decode(run.block())
        {
            self.keep(Structure::CacheImage, address, length, Context::Plain);
        }
        if let Some(run) = self.first(&header, MessageType::SHARED_MESSAGE_TABLE)
            && let Ok(location) = SharedMessageTableLocation::decode(run.block())
        {
            self.shared_messages(location);
        }
        if let Some(run) = self.first(&header, MessageType::FILE_SPACE_INFO)
            && let Ok(FileSpaceInfo::Current { managers, .. }) = FileSpaceInfo::decode(run.block())
        {
            for manager in managers.into_iter().flatten() {
                self.free_space(manager, None);
            }
        }
        self.attributes(&header);
        Some(())
    }
}
