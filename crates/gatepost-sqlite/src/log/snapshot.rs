//! A snapshot of the log for one call: the visible deliveries and their states.

use std::cell::RefCell;
use std::collections::HashMap;

use gatepost_ids::{OwnerId, TenantId};
use gatepost_storage::webhooks::{Delivery, DeliveryState};
use rusqlite::{Connection, Row};

use crate::batch::{Member, running};
use crate::column::{maybe_tenant, owner};
use crate::deliveries::history::History;
use crate::deliveries::row::{Stands, told};
use crate::deliveries::waiting;
use crate::error::Result;
use crate::named::Named;
use crate::sql::Sql as _;

const FACTS: &str = sql!("queue/facts");
/// The same without the message.
const BODILESS: &str = sql!("log/facts");

/// The deliveries of running batches: the last claim of each, and the end of its lease.
type Running = HashMap<i64, (Member, i64)>;

/// The rows that were read for one call; all its statements see the same state.
pub(crate) struct Look<'c> {
    pub(super) c: &'c Connection,
    created_before: i64,
    /// Deliveries up to this one have index entries for lists.
    pub(crate) indexed: i64,
    webhooks: RefCell<HashMap<i64, Option<Shown>>>,
    running: RefCell<Option<Running>>,
}

/// The properties of a webhook that is not deleted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown {
    pub(crate) owner: OwnerId,
    /// Ended deliveries up to this one are hidden.
    hidden_to: i64,
}

/// The columns by which a delivery is found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    pub(crate) id: i64,
    pub(crate) webhook: i64,
    pub(crate) task: Option<i64>,
    pub(crate) tenant: Option<TenantId>,
    pub(crate) created: i64,
    pub(crate) message_kept: bool,
}

/// A visible delivery.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) key: Key,
    pub(crate) owner: OwnerId,
    pub(crate) stands: Stands,
    pub(crate) history: History,
}

impl Found {
    pub(crate) fn state(&self) -> DeliveryState {
        match self.stands {
            Stands::Waits(_) => DeliveryState::Queued,
            Stands::Runs(..) => DeliveryState::Running,
            Stands::Ended => self.history.state(),
        }
    }

    /// Returns the class of the last attempt; empty before the first.
    pub(crate) fn class(&self) -> &str {
        self.history.made.as_ref().map_or("", |made| &made.class)
    }
}

impl<'c> Look<'c> {
    pub(crate) fn new(c: &'c Connection) -> Result<Self> {
        let sql = "SELECT created_before, indexed FROM gatepost_log";
        let (created_before, indexed) = c.one(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(Self {
            c,
            created_before,
            indexed,
            webhooks: RefCell::default(),
            running: RefCell::default(),
        })
    }

    /// Returns the delivery with this number, if it is visible.
    pub(crate) fn find(&self, id: i64) -> Result<Option<Found>> {
        let key = self.c.first(sql!("log/key"), [id], |row| key(id, row))?;
        let Some(key) = key else { return Ok(None) };
        let Some(shown) = self.webhook(key.webhook)? else {
            return Ok(None);
        };
        let hidden = key.id <= shown.hidden_to || key.created < self.created_before;
        let waits = waiting::get(self.c, id)?;
        if hidden && waits.is_none() && self.claim(id)?.is_none() {
            return Ok(None);
        }
        let history = History::of(self.c, id)?;
        let stands = match waits {
            Some(member) => Stands::Waits(member),
            // An ended delivery has its end as the last outcome; a running one was claimed after
            // its last outcome.
            None if history.has_ended() => Stands::Ended,
            None => self.claim(id)?.unwrap_or(Stands::Ended),
        };
        if hidden && matches!(stands, Stands::Ended) {
            return Ok(None);
        }
        Ok(Some(Found {
            key,
            owner: shown.owner,
            stands,
            history,
        }))
    }

    /// Returns the delivery, with its message if `whole`.
    pub(crate) fn delivery(&self, found: &Found, whole: bool) -> Result<Delivery> {
        let facts = if whole { FACTS } else { BODILESS };
        self.c.one(facts, [found.key.id], |row| {
            told(row, found.owner, found.stands, &found.history)
        })
    }

    /// Returns a webhook; `None` if it is deleted.
    pub(crate) fn webhook(&self, id: i64) -> Result<Option<Shown>> {
        if let Some(known) = self.webhooks.borrow().get(&id) {
            return Ok(*known);
        }
        let shown = self.c.first(sql!("log/shown"), [id], shown)?;
        self.webhooks.borrow_mut().insert(id, shown);
        Ok(shown)
    }

    /// Returns the deliveries of running batches, including settled ones.
    pub(crate) fn claimed(&self) -> Result<Vec<i64>> {
        self.with_running(|running| running.keys().copied().collect())
    }

    /// Returns the last claim of a delivery, if its batch still runs.
    fn claim(&self, id: i64) -> Result<Option<Stands>> {
        let claim = self.with_running(|running| running.get(&id).copied())?;
        Ok(claim.map(|(member, until)| Stands::Runs(member, until)))
    }

    fn with_running<T>(&self, read: impl FnOnce(&Running) -> T) -> Result<T> {
        let mut running = self.running.borrow_mut();
        let running = match &mut *running {
            Some(running) => running,
            none => none.insert(all_running(self.c)?),
        };
        Ok(read(running))
    }
}

fn key(id: i64, row: &Row<'_>) -> Result<Key> {
    let row = &Named::of(row);
    Ok(Key {
        id,
        webhook: row.get("webhook")?,
        task: row.get("task")?,
        tenant: maybe_tenant(row, "tenant")?,
        created: row.get("created")?,
        message_kept: row.get("message_kept")?,
    })
}

fn shown(row: &Row<'_>) -> Result<Shown> {
    let row = &Named::of(row);
    Ok(Shown {
        owner: owner(row, "owner")?,
        hidden_to: row.get("hidden_to")?,
    })
}

fn all_running(c: &Connection) -> Result<Running> {
    let mut all = Running::new();
    for batch in running(c, i64::MAX)? {
        // The later token applies.
        for member in batch.members {
            all.insert(member.delivery, (member, batch.lease_until));
        }
    }
    Ok(all)
}
