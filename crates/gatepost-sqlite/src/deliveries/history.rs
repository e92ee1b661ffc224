//! The outcomes of a delivery that are shown with it.

use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::DeliveryState;
use rusqlite::{Connection, Row};

use crate::batch::Member;
use crate::column::{maybe_time, span};
use crate::error::{Failure, Result};
use crate::named::Named;

#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    pub(crate) last: Option<Last>,
    pub(crate) made: Option<Made>,
}

/// The outcome that determines the state.
#[derive(Clone, Debug)]
pub(crate) struct Last {
    state: i64,
    /// The delivery after this outcome, without the class of its queue and its webhook.
    pub(crate) after: Member,
    pub(crate) status_info: String,
}

/// The last attempt.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) started: DateTime<Utc>,
    pub(crate) class: String,
    pub(crate) status: Option<u16>,
    pub(crate) duration: Option<Duration>,
}

impl History {
    pub(crate) fn of(c: &Connection, delivery: i64) -> Result<Self> {
        let mut history = Self::default();
        let mut find = c.prepare_cached(sql!("log/history"))?;
        let mut rows = find.query([delivery])?;
        while history.made.is_none()
            && let Some(row) = rows.next()?
        {
            if history.last.is_none() {
                history.last = Some(last(row, delivery)?);
            }
            history.made = made(row)?;
        }
        Ok(history)
    }

    /// Returns whether the last outcome is an end.
    pub(crate) fn has_ended(&self) -> bool {
        self.state().is_final()
    }

    /// Returns the state of a delivery that does not wait.
    pub(crate) fn state(&self) -> DeliveryState {
        match self.last.as_ref().map(|last| last.state) {
            Some(2) => DeliveryState::Sent,
            Some(3) => DeliveryState::Error,
            _ => DeliveryState::Running,
        }
    }
}

fn last(row: &Row<'_>, delivery: i64) -> Result<Last> {
    let row = &Named::of(row);
    Ok(Last {
        state: row.get("state")?,
        after: Member {
            delivery,
            webhook: 0,
            due: row.get("due")?,
            attempts: row.get("attempts")?,
            tries: row.get("tries")?,
            lost: row.get("lost")?,
            class: 0,
        },
        status_info: row.get("status_info")?,
    })
}

fn made(row: &Row<'_>) -> Result<Option<Made>> {
    let row = &Named::of(row);
    let Some(started) = maybe_time(row, "started")? else {
        return Ok(None);
    };
    let status: Option<i64> = row.get("status")?;
    Ok(Some(Made {
        started,
        class: row.get("class")?,
        status: status
            .map(u16::try_from)
            .transpose()
            .map_err(|e| Failure::corrupt("status", e))?,
        duration: span(row, "duration_us")?,
    }))
}
