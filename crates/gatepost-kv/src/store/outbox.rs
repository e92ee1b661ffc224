//! Occurrences that wait for their fan-out.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::StoreError;
use gatepost_storage::stored::StoredOccurrence;
use gatepost_storage::webhooks::{
    NewOutbox, OpenOutbox, OutboxAudience, OutboxId, OutboxRow, OutboxStore, OutboxTaken, PutBack,
    RemainingTasks,
};

use super::audience_turns::{self, audience_key};
use super::error::Outcome;
use super::key::{Parts, last_number};
use super::kv_store::KvStore;
use super::numbers;
use super::rows::{Index, Rows};
use super::tables::{OUTBOX, OUTBOX_DUE, OUTBOX_OPEN};
use super::tx::{Tx, keys_in};
use crate::contract::View;
use crate::key_range::KeyRange;

/// The counter of row numbers.
pub(super) const IDS: &str = "outbox";

const ROWS: Rows<StoredOccurrence> = Rows {
    table: OUTBOX,
    fixed: &[],
    indexes: &[
        Index::of(OUTBOX_DUE, |row| {
            Some(audience_key(row.audience()).number(row.waits_until()?))
        }),
        Index::of(OUTBOX_OPEN, |row| {
            row.waits_until().map(|_| audience_key(row.audience()))
        }),
    ],
};

#[async_trait]
impl OutboxStore for KvStore {
    async fn take_outbox(
        &self,
        holder: u128,
        limit: u32,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Option<OutboxTaken>, StoreError> {
        self.write(move |tx| {
            let Some(audience) = audience_turns::take(tx, holder, until, now)? else {
                return Ok(None);
            };
            let rows = due(tx, audience, limit as usize, now)?;
            Ok(Some(OutboxTaken { audience, rows }))
        })
        .await
    }

    async fn give_back_outbox(
        &self,
        audience: OutboxAudience,
        holder: u128,
    ) -> Result<(), StoreError> {
        self.write(move |tx| audience_turns::give_back(tx, audience, holder))
            .await
    }

    async fn open_outbox(
        &self,
        audience: OutboxAudience,
        before: OutboxId,
        limit: u32,
    ) -> Result<Vec<OpenOutbox>, StoreError> {
        self.read(move |view| {
            let end = audience_key(audience).number(before.0);
            let range = KeyRange::between(audience_key(audience), end);
            let mut rows = Vec::new();
            for key in keys_in(view, OUTBOX_OPEN, &range, limit as usize)? {
                let id = OutboxId(last_number(&key)?);
                rows.extend(ROWS.get(view, id.0)?.and_then(|row| row.open(id)));
            }
            Ok(rows)
        })
        .await
    }

    async fn outbox_arrived(&self) {
        self.others_may_have_written().await;
    }

    fn outbox_written(&self) {
        // Other processes poll.
    }

    async fn put_back(&self, id: OutboxId, turn: u32, how: PutBack) -> Result<(), StoreError> {
        self.write(move |tx| match (ROWS.get(tx, id.0)?, &how) {
            (Some(row), PutBack::Until(due)) if row.is_at(turn) => {
                move_on(tx, id, &row, None, *due)
            }
            (Some(row), PutBack::Aside(reason)) if row.waits_until().is_some() => {
                let mut aside = row.clone();
                aside.reject(reason);
                put(tx, id, &aside, Some(&row))
            }
            _ => Ok(()),
        })
        .await
    }
}

pub(super) fn push(tx: &mut Tx<'_>, new: &NewOutbox, now: DateTime<Utc>) -> Outcome<OutboxId> {
    let id = OutboxId(numbers::next(tx, IDS)?);
    put(tx, id, &StoredOccurrence::pushed(new, now), None)?;
    Ok(id)
}

/// Returns the row, if it waits at this turn.
pub(super) fn at_turn(
    view: &dyn View,
    id: OutboxId,
    turn: u32,
) -> Outcome<Option<StoredOccurrence>> {
    Ok(ROWS.get(view, id.0)?.filter(|row| row.is_at(turn)))
}

/// Stores a row at its next turn, with its remaining tasks if these change.
pub(super) fn move_on(
    tx: &mut Tx<'_>,
    id: OutboxId,
    old: &StoredOccurrence,
    left: Option<&RemainingTasks>,
    due: DateTime<Utc>,
) -> Outcome<()> {
    let mut new = old.clone();
    new.move_on(left, due);
    put(tx, id, &new, Some(old))
}

pub(super) fn remove(tx: &mut Tx<'_>, id: OutboxId, old: &StoredOccurrence) -> Outcome<()> {
    ROWS.delete(tx, id.0, old)?;
    set_head(tx, old.audience())
}

/// Returns the due rows of an audience, the oldest due first, at most `limit`.
fn due(
    view: &dyn View,
    audience: OutboxAudience,
    limit: usize,
    now: DateTime<Utc>,
) -> Outcome<Vec<OutboxRow>> {
    let end = audience_key(audience).time(now).number(i64::MAX);
    let range = KeyRange::between(audience_key(audience), end);
    let mut rows = Vec::new();
    for key in keys_in(view, OUTBOX_DUE, &range, limit)? {
        let id = OutboxId(last_number(&key)?);
        rows.extend(ROWS.get(view, id.0)?.map(|row| row.row(id)));
    }
    Ok(rows)
}

fn put(
    tx: &mut Tx<'_>,
    id: OutboxId,
    new: &StoredOccurrence,
    old: Option<&StoredOccurrence>,
) -> Outcome<()> {
    ROWS.put(tx, id.0, new, old)?;
    set_head(tx, new.audience())
}

/// Updates the oldest waiting row of an audience, which may be another, or none.
fn set_head(tx: &mut Tx<'_>, audience: OutboxAudience) -> Outcome<()> {
    let own = KeyRange::prefix(audience_key(audience));
    let head = keys_in(tx, OUTBOX_DUE, &own, 1)?.pop();
    let due = |key: Vec<u8>| {
        let mut parts = Parts::of(&key);
        let (_, _) = (parts.wide()?, parts.wide()?);
        parts.number::<i64>()
    };
    let head = head.map(due).transpose()?;
    audience_turns::set_head(tx, audience, head)
}
