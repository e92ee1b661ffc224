//! What processes tell each other.

use std::ops::Sub;
use std::sync::atomic::{AtomicI64, Ordering};

use rusqlite::{Connection, Row};

use crate::error::Result;

pub(super) const SAID: &str = "SELECT arrived, stirred FROM gatepost_log";

/// What commits told other processes of: counters of `gatepost_log`.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Said {
    /// Something waits.
    pub(crate) arrived: i64,
    /// Something that waits may be claimable now.
    pub(crate) stirred: i64,
}

impl Sub for Said {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            arrived: self.arrived - other.arrived,
            stirred: self.stirred - other.stirred,
        }
    }
}

pub(super) fn row(row: &Row<'_>) -> rusqlite::Result<Said> {
    Ok(Said {
        arrived: row.get(0)?,
        stirred: row.get(1)?,
    })
}

/// What all processes said so far.
pub(crate) fn said(c: &Connection) -> Result<Said> {
    Ok(c.prepare_cached(SAID)?.query_row([], row)?)
}

/// Something waits: other processes should look at what is due.
pub(crate) fn arrived(c: &Connection) -> Result<()> {
    c.prepare_cached("UPDATE gatepost_log SET arrived = arrived + 1")?
        .execute([])?;
    Ok(())
}

/// What was due long ago may be claimable now: other processes should look at every lane.
pub(crate) fn stirred(c: &Connection) -> Result<()> {
    c.prepare_cached("UPDATE gatepost_log SET stirred = stirred + 1")?
        .execute([])?;
    Ok(())
}

/// What this store's own writer said, which it need not hear.
#[derive(Debug, Default)]
pub(crate) struct Own {
    arrived: AtomicI64,
    stirred: AtomicI64,
}

impl Own {
    pub(crate) fn says(&self, said: Said) {
        self.arrived.fetch_add(said.arrived, Ordering::AcqRel);
        self.stirred.fetch_add(said.stirred, Ordering::AcqRel);
    }

    pub(crate) fn takes_back(&self, said: Said) {
        self.says(Said::default() - said);
    }

    pub(super) fn so_far(&self) -> Said {
        Said {
            arrived: self.arrived.load(Ordering::Acquire),
            stirred: self.stirred.load(Ordering::Acquire),
        }
    }
}
