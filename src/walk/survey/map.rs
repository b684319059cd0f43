//! What covers which bytes, once everything has been visited.

use std::ops::Range;

use super::{Finding, Pass, Survey};
use crate::error::{Corrupt, Fault, Result, Structure};
use crate::format::driver_info::DriverInfo;

impl Pass<'_> {
    /// Sorts the extents, finds those that overlap and the bytes that none covers.
    pub(super) fn finish(mut self) -> Result<Survey> {
        if let Some(error) = self.stopped {
            return Err(error);
        }
        // Of those that begin together the longer one is taken to be there rightly.
        self.survey.extents.sort_by_key(|extent| (extent.at, u64::MAX - extent.used));
        self.overlaps();
        self.listed_as_free();
        self.unused();
        Ok(self.survey)
    }

    /// Notes every extent whose used bytes begin inside those of one before it.
    fn overlaps(&mut self) {
        let mut findings = Vec::new();
        let mut reach: Option<(u64, Structure, u64)> = None;
        for extent in self.survey.extents.iter().filter(|extent| extent.used > 0) {
            if let Some((_, other, at)) = reach.filter(|(end, ..)| extent.at < *end) {
                let fault = Fault::Overlap { other, at };
                let error = Corrupt::new(extent.structure, "address", extent.at, fault).into();
                findings.push(Finding { object: extent.object, error });
            }
            let end = extent.at.saturating_add(extent.used);
            if reach.is_none_or(|(furthest, ..)| end > furthest) {
                reach = Some((end, extent.structure, extent.at));
            }
        }
        self.survey.findings.append(&mut findings);
    }

    /// Notes free space that is in use: a writer would hand it out again.
    fn listed_as_free(&mut self) {
        self.free.sort_unstable_by_key(|(range, _)| range.start);
        let mut extents = self.survey.extents.iter().filter(|extent| extent.used > 0).peekable();
        let mut findings = Vec::new();
        for (range, list) in &self.free {
            while extents.peek().is_some_and(|extent| extent.at.saturating_add(extent.used) <= range.start) {
                extents.next();
            }
            if let Some(extent) = extents.peek().filter(|extent| extent.at < range.end) {
                let fault = Fault::Overlap { other: extent.structure, at: extent.at };
                let error = Corrupt::new(Structure::FreeSpaceSections, "section offset", *list, fault).into();
                findings.push(Finding { object: None, error });
            }
        }
        self.survey.findings.append(&mut findings);
    }

    fn unused(&mut self) {
        let (begin, length) = (self.file.position, self.storage.source().len());
        // The end of file address is absolute and moves with the superblock.
        let superblock = self.file.superblock;
        let base = superblock.base.map_or(0, |base| base.0);
        let end = superblock.end_of_file.map_or(length, |end| end.0.wrapping_sub(base).wrapping_add(begin));
        // It says nothing of a file in parts, of which each has an end of its own.
        let whole = self.storage.source().available(0) == length;
        let end = if whole { end.min(length) } else { length };
        self.survey.user_block = begin;
        self.survey.trailing = self.stretches(end, length).into_iter().map(|stretch| stretch.end - stretch.start).sum();
        let mut covered = begin;
        let extents = std::mem::take(&mut self.survey.extents);
        for extent in extents.iter().take_while(|extent| extent.at < end) {
            let unused = self.stretches(covered, extent.at);
            self.survey.unused.extend(unused);
            covered = covered.max(extent.at.saturating_add(extent.length));
        }
        self.survey.extents = extents;
        let unused = self.stretches(covered, end);
        self.survey.unused.extend(unused);
    }

    /// The bytes from `from` to `to` as far as they exist: a file in parts has holes between them.
    fn stretches(&self, from: u64, to: u64) -> Vec<Range<u64>> {
        let members = self.file.driver_info.and_then(DriverInfo::multi_members).unwrap_or_default();
        let mut begins: Vec<u64> = members.into_iter().map(|member| member.start).collect();
        begins.retain(|begin| (from..to).contains(begin));
        begins.push(from);
        begins.sort_unstable();
        begins.dedup();
        let ends = begins.iter().skip(1).copied().chain([to]);
        let stretch = |(begin, end): (&u64, u64)| {
            let available = self.storage.source().available(*begin);
            *begin..end.min(begin.saturating_add(available))
        };
        begins.iter().zip(ends).map(stretch).filter(|stretch| !stretch.is_empty()).collect()
    }
}
