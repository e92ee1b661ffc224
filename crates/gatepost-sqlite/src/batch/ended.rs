//! What retention has to know of deliveries that end.

use std::collections::HashSet;

use rusqlite::{Connection, params};

use super::numbers::Numbers;
use crate::error::Result;

/// Webhooks that were noted in a round of retention, so that each is noted once.
#[derive(Debug, Default)]
pub(super) struct Ended {
    pass: i64,
    webhooks: HashSet<i64>,
}

impl Ended {
    /// A delivery has ended: retention is to look at its webhook, and at itself if it has passed.
    pub(super) fn ended(
        &mut self,
        c: &Connection,
        numbers: &mut Numbers,
        (delivery, webhook): (i64, i64),
    ) -> Result<()> {
        let row = *numbers.row(c)?;
        if row.pass != self.pass {
            *self = Self {
                pass: row.pass,
                webhooks: HashSet::new(),
            };
        }
        if self.webhooks.insert(webhook) {
            note(c, webhook)?;
        }
        if delivery <= row.walked {
            leave_behind(c, delivery)?;
        }
        Ok(())
    }
}

/// As `Batch::ended`, for a command that has no batch.
pub(crate) fn ended(c: &Connection, delivery: i64, webhook: i64) -> Result<()> {
    note(c, webhook)?;
    leave_behind(c, delivery)
}

fn note(c: &Connection, webhook: i64) -> Result<()> {
    c.prepare_cached(include_str!("../sql/batch/note_ended.sql"))?
        .execute([webhook])?;
    Ok(())
}

fn leave_behind(c: &Connection, delivery: i64) -> Result<()> {
    c.prepare_cached(include_str!("../sql/batch/leave_behind.sql"))?
        .execute(params![delivery])?;
    Ok(())
}
