//! The notifications between processes.

use std::ops::Sub;
use std::sync::atomic::{AtomicI64, Ordering};

use rusqlite::{Connection, Row};

use crate::error::Result;
use crate::sql::Sql as _;

pub(super) const SAID: &str = "SELECT arrived, stirred FROM gatepost_log";

/// The counters of notifications in `gatepost_log`.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Said {
    /// Deliveries have arrived.
    pub(crate) arrived: i64,
    /// Waiting deliveries may have become claimable.
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

pub(super) fn row(row: &Row<'_>) -> Result<Said> {
    Ok(Said {
        arrived: row.get(0)?,
        stirred: row.get(1)?,
    })
}

/// Returns the counters of all processes.
pub(crate) fn said(c: &Connection) -> Result<Said> {
    c.one(SAID, [], row)
}

/// Notifies other processes that something waits: they should check the due deliveries.
pub(crate) fn arrived(c: &Connection) -> Result<()> {
    c.run("UPDATE gatepost_log SET arrived = arrived + 1", [])
}

/// Notifies other processes that deliveries with an old due time may be claimable: they should
/// check every queue.
pub(crate) fn stirred(c: &Connection) -> Result<()> {
    c.run("UPDATE gatepost_log SET stirred = stirred + 1", [])
}

/// The notifications of this store's own writer, which it ignores.
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
