use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::{Source, past_end};
use crate::error::Result;

/// Files of one size, one after the other; a short one is filled up with zeros. A member that was added later is not seen by
/// [`refresh`](Source::refresh).
#[derive(Debug)]
pub struct Family {
    members: Vec<Arc<dyn Source>>,
    member_size: u64,
}

impl Family {
    /// The members in order, each of which stands for `member_size` bytes (not zero).
    #[must_use]
    pub fn new(members: Vec<Arc<dyn Source>>, member_size: u64) -> Self {
        Self { members, member_size: member_size.max(1) }
    }
}

impl Source for Family {
    fn len(&self) -> u64 {
        self.member_size.saturating_mul(self.members.len() as u64)
    }

    fn refresh(&self) -> Result<()> {
        self.members.iter().try_for_each(|member| member.refresh())
    }

    fn keep_nothing(&self) {
        self.members.iter().for_each(|member| member.keep_nothing());
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        if range.start > range.end || range.end > self.len() {
            return Err(past_end(&range, self.len()));
        }
        let place = |at: u64| (usize::try_from(at / self.member_size).unwrap_or(usize::MAX), at % self.member_size);
        let (first, offset) = place(range.start);
        let length = range.end - range.start;
        if let Some(member) = self.members.get(first)
            && offset + length <= member.len().min(self.member_size)
        {
            return member.read(offset..offset + length);
        }
        let mut bytes = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let (member, offset) = place(at);
            let n = (self.member_size - offset).min(range.end - at);
            let Some(member) = self.members.get(member) else { break };
            let stored = member.len().saturating_sub(offset).min(n);
            if stored > 0 {
                bytes.extend_from_slice(&member.read(offset..offset + stored)?);
            }
            at += n;
            bytes.resize(usize::try_from(at - range.start).unwrap_or(usize::MAX), 0);
        }
        Ok(Cow::Owned(bytes))
    }
}

/// Files that hold stretches of one address space, each from an address of its own on.
#[derive(Debug)]
pub struct Multi {
    /// First address and file, sorted by address.
    members: Vec<(u64, Arc<dyn Source>)>,
}

impl Multi {
    /// The members by the first address that each holds.
    #[must_use]
    pub fn new(mut members: Vec<(u64, Arc<dyn Source>)>) -> Self {
        members.sort_by_key(|(start, _)| *start);
        Self { members }
    }
}

impl Source for Multi {
    fn len(&self) -> u64 {
        self.members.iter().map(|(start, member)| start.saturating_add(member.len())).max().unwrap_or(0)
    }

    fn available(&self, at: u64) -> u64 {
        let member = self.members.iter().rev().find(|(start, _)| *start <= at);
        member.map_or(0, |(start, member)| member.len().saturating_sub(at - start))
    }

    fn refresh(&self) -> Result<()> {
        self.members.iter().try_for_each(|(_, member)| member.refresh())
    }

    fn keep_nothing(&self) {
        self.members.iter().for_each(|(_, member)| member.keep_nothing());
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        match self.members.iter().rev().find(|(start, _)| *start <= range.start) {
            Some((start, member)) if range.start <= range.end && range.end - start <= member.len() => {
                member.read(range.start - start..range.end - start)
            }
            _ => Err(past_end(&range, self.len())),
        }
    }
}
