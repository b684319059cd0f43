use super::damaged_btree::DamagedTree;
use super::{ChunkBox, ChunkGrid, StoredChunks, cells};
use crate::bytes::Addr;
use crate::error::{Error, ErrorKind, Result};
use crate::format::message::data_layout::ChunkIndex;
use crate::walk::{Storage, each};

/// Chunks of a box that is searched in halves: with more, all of them might have to be looked up one by one.
const MOST_HALVED: u64 = 1 << 20;

/// Takes the place of a chunk that cannot be looked up, and why.
pub(crate) type Lost<'l> = dyn FnMut(&[u64], Error) -> Result<()> + 'l;

impl ChunkGrid {
    /// The chunks of a box that are in the file, as [`find`](Self::find) gives them. Of a version 1 B-tree that is damaged those
    /// are taken that can be relied on. Where another index is damaged the box is searched in halves, so that nodes that are
    /// sound are used. What is left are chunks that cannot be looked up.
    ///
    /// # Errors
    /// What is no damage, damage in a box of too many chunks, and what `lost` says.
    pub(crate) fn find_past_damage(
        &self,
        storage: &Storage,
        wanted: &ChunkBox,
        lost: &mut Lost<'_>,
    ) -> Result<StoredChunks> {
        if let (ChunkIndex::BTreeV1, Some(root)) = (&self.layout.index, self.layout.address) {
            return self.find_in_tree(storage, root, wanted, lost);
        }
        let mut found = StoredChunks::of(self);
        self.find_in_halves(storage, wanted, &mut found, lost)?;
        Ok(found)
    }

    fn find_in_tree(
        &self,
        storage: &Storage,
        root: Addr,
        wanted: &ChunkBox,
        lost: &mut Lost<'_>,
    ) -> Result<StoredChunks> {
        match self.find(storage, wanted) {
            Err(e) if e.kind() == ErrorKind::Corrupt && cells(wanted) <= MOST_HALVED => {}
            found => return found,
        }
        let mut tree = DamagedTree::walk(self, storage, root, wanted)?;
        tree.lost().try_for_each(|(place, error)| lost(&place, error))?;
        Ok(tree.found)
    }

    fn find_in_halves(
        &self,
        storage: &Storage,
        wanted: &ChunkBox,
        found: &mut StoredChunks,
        lost: &mut Lost<'_>,
    ) -> Result<()> {
        let error = match self.find(storage, wanted) {
            Ok(chunks) => {
                found.append(chunks);
                return Ok(());
            }
            Err(e) if e.kind() != ErrorKind::Corrupt || cells(wanted) > MOST_HALVED => return Err(e),
            Err(e) => e,
        };
        // Nodes hold what follows one another in row-major order.
        let Some(d) = wanted.iter().position(|range| range.end - range.start > 1) else {
            let place: Vec<u64> = wanted.iter().map(|range| range.start).collect();
            return lost(&place, error);
        };
        let middle = wanted[d].start + (wanted[d].end - wanted[d].start) / 2;
        let mut halves = [wanted.to_vec(), wanted.to_vec()];
        (halves[0][d].end, halves[1][d].start) = (middle, middle);
        each(halves, |half| self.find_in_halves(storage, &half, found, lost))
    }
}
