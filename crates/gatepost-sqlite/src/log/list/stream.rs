//! Several sources of row numbers, merged in order.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};

use rusqlite::{Connection, params};

use super::source::Source;
use super::time::Bounds;
use crate::error::Result;
use crate::sql::{Sql as _, value};

/// The number of row numbers that one statement reads: the first time, and at most.
const FIRST: i64 = 4;
const MOST: i64 = 512;

/// An iterator over the row numbers, in order, each once.
pub(crate) struct Merge {
    streams: Vec<Stream>,
    /// The next number of each stream, in the order of [`Stream::rank`].
    next: BinaryHeap<Reverse<(i64, usize)>>,
    started: bool,
    descending: bool,
    said: Option<i64>,
}

struct Stream {
    source: Source,
    bounds: Bounds,
    descending: bool,
    read: VecDeque<i64>,
    at_once: i64,
    ended: bool,
}

impl Merge {
    /// Merges all numbers of these sources up to `last`, oldest first.
    pub(crate) fn oldest(sources: Vec<Source>, last: i64) -> Self {
        let bounds = Bounds {
            first: i64::MIN,
            last,
        };
        Self::new(sources, bounds, None, false)
    }

    pub(super) fn new(
        sources: Vec<Source>,
        bounds: Bounds,
        after: Option<i64>,
        descending: bool,
    ) -> Self {
        let bounds = match (after, descending) {
            (None, _) => bounds,
            (Some(after), true) => Bounds {
                last: bounds.last.min(after.saturating_sub(1)),
                ..bounds
            },
            (Some(after), false) => Bounds {
                first: bounds.first.max(after.saturating_add(1)),
                ..bounds
            },
        };
        let stream = |source: Source| Stream {
            bounds: Bounds {
                first: bounds.first.max(source.beyond().saturating_add(1)),
                ..bounds
            },
            source,
            descending,
            read: VecDeque::new(),
            at_once: FIRST,
            ended: false,
        };
        Self {
            streams: sources.into_iter().map(stream).collect(),
            next: BinaryHeap::new(),
            started: false,
            descending,
            said: None,
        }
    }

    pub(crate) fn next(&mut self, c: &Connection) -> Result<Option<i64>> {
        if !self.started {
            self.started = true;
            for at in 0..self.streams.len() {
                self.refill(c, at)?;
            }
        }
        while let Some(Reverse((rank, at))) = self.next.pop() {
            self.refill(c, at)?;
            let id = if self.descending { !rank } else { rank };
            if self.said != Some(id) {
                self.said = Some(id);
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    fn refill(&mut self, c: &Connection, at: usize) -> Result<()> {
        if let Some(stream) = self.streams.get_mut(at)
            && let Some(id) = stream.next(c)?
        {
            let rank = if self.descending { !id } else { id };
            self.next.push(Reverse((rank, at)));
        }
        Ok(())
    }
}

impl Stream {
    fn next(&mut self, c: &Connection) -> Result<Option<i64>> {
        if self.read.is_empty() && !self.ended && self.bounds.first <= self.bounds.last {
            self.read(c)?;
        }
        Ok(self.read.pop_front())
    }

    fn read(&mut self, c: &Connection) -> Result<()> {
        let Bounds { first, last } = self.bounds;
        let ids: Vec<i64> = match &self.source {
            Source::These(ids) => {
                let own: BTreeSet<i64> = ids.iter().copied().collect();
                let own = own.range(first..=last).copied();
                self.ended = true;
                if self.descending {
                    own.rev().collect()
                } else {
                    own.collect()
                }
            }
            Source::Index { index, of, .. } => {
                let params = params![first, last, self.at_once, of];
                let ids = c.all(index.sql(self.descending), params, value)?;
                self.ended = ids.len() < usize::try_from(self.at_once).unwrap_or_default();
                ids
            }
        };
        if let Some(end) = ids.last() {
            if self.descending {
                self.bounds.last = end.saturating_sub(1);
            } else {
                self.bounds.first = end.saturating_add(1);
            }
        }
        self.at_once = (self.at_once * 8).min(MOST);
        self.read = ids.into();
        Ok(())
    }
}
