//! Which lanes have something to send, and what may be claimed from them.

use std::collections::BTreeSet;
use std::ops::Bound::{Excluded, Included};

use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place};
use gatepost_storage::Revision;
use gatepost_storage::webhooks::{
    DeliveryId, DeliveryRow, DueLane, DuePoint, FoundQueues, Lane, Queues, WebhookRoute,
};
use redb::{ReadOnlyTable, ReadTransaction, ReadableTable};

use super::codec::{Fields, corrupt, micros};
use super::delivery::{CLASSES, class_number, lane, slot};
use super::error::{Answer, failed};
use super::owner_rows::owner;
use super::tables::{DELIVERIES, DUE, OPEN, OWNERS, QUEUED, SENDING, Tx, WEBHOOKS};

/// A webhook that sends.
pub(super) struct Sending {
    pub(super) owner: OwnerId,
    pub(super) place: Place,
    pub(super) revision: Revision,
    pub(super) in_order: bool,
}

/// The tables that a claim looks at.
pub(super) struct Queue<Owners, Rows, Waiting, Ids> {
    owners: Owners,
    webhooks: Rows,
    deliveries: Rows,
    queued: Waiting,
    sending: Ids,
    open: Ids,
}

type ReadOnly = Queue<
    ReadOnlyTable<u128, &'static str>,
    ReadOnlyTable<i64, &'static str>,
    ReadOnlyTable<(i64, u8, i64, i64), ()>,
    ReadOnlyTable<(i64, i64), ()>,
>;

type Writable<'t> = Queue<
    redb::Table<'t, u128, &'static str>,
    redb::Table<'t, i64, &'static str>,
    redb::Table<'t, (i64, u8, i64, i64), ()>,
    redb::Table<'t, (i64, i64), ()>,
>;

pub(super) fn to_read(tx: &ReadTransaction) -> Answer<ReadOnly> {
    Ok(Queue {
        owners: tx.open_table(OWNERS).map_err(failed)?,
        webhooks: tx.open_table(WEBHOOKS).map_err(failed)?,
        deliveries: tx.open_table(DELIVERIES).map_err(failed)?,
        queued: tx.open_table(QUEUED).map_err(failed)?,
        sending: tx.open_table(SENDING).map_err(failed)?,
        open: tx.open_table(OPEN).map_err(failed)?,
    })
}

pub(super) fn to_write(tx: &Tx) -> Answer<Writable<'_>> {
    Ok(Queue {
        owners: tx.open(OWNERS)?,
        webhooks: tx.open(WEBHOOKS)?,
        deliveries: tx.open(DELIVERIES)?,
        queued: tx.open(QUEUED)?,
        sending: tx.open(SENDING)?,
        open: tx.open(OPEN)?,
    })
}

impl<Owners, Rows, Waiting, Ids> Queue<Owners, Rows, Waiting, Ids>
where
    Owners: ReadableTable<u128, &'static str>,
    Rows: ReadableTable<i64, &'static str>,
    Waiting: ReadableTable<(i64, u8, i64, i64), ()>,
    Ids: ReadableTable<(i64, i64), ()>,
{
    /// The webhook, if it sends and its owner may send. Its secrets are not read.
    pub(super) fn sending(&self, webhook: i64) -> Answer<Option<Sending>> {
        let Some(row) = super::tables::row(&self.webhooks, webhook)? else {
            return Ok(None);
        };
        let f = Fields(&row);
        let id = f.owner("owner")?;
        let owner = owner(&self.owners, id)?;
        let sends = f.text("activity")? == WebhookRoute::SENDS && !owner.is_held();
        let in_order = f.is("in_order")?;
        let revision = Revision(f.int("revision")?);
        Ok(sends.then_some(Sending {
            owner: id,
            place: owner.place,
            revision,
            in_order,
        }))
    }

    /// What may be claimed from a lane now, oldest due first.
    pub(super) fn claimable(
        &self,
        lane: Lane,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Answer<Vec<DeliveryRow>> {
        let webhook = lane.webhook.0;
        let Some(sending) = self.sending(webhook)? else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        if sending.in_order {
            let own = || (webhook, i64::MIN)..=(webhook, i64::MAX);
            let under_way = self.sending.range(own()).map_err(failed)?.next();
            let head = self.open.range(own()).map_err(failed)?.next();
            if let (None, Some(head)) = (under_way, head) {
                found.extend(slot(&self.deliveries, head.map_err(failed)?.0.value().1)?);
            }
            found.retain(|slot| slot.lane() == lane && slot.delivery.due <= now);
            found.truncate(limit as usize);
            return Ok(found);
        }
        let class = class_number(lane.class);
        let due = (webhook, class, i64::MIN, i64::MIN)..=(webhook, class, micros(now), i64::MAX);
        for entry in self.queued.range(due).map_err(failed)?.take(limit as usize) {
            found.extend(slot(&self.deliveries, entry.map_err(failed)?.0.value().3)?);
        }
        Ok(found)
    }

    /// The lane, if something may be claimed from it now.
    fn due_lane(&self, lane: Lane, now: DateTime<Utc>) -> Answer<Option<DueLane>> {
        let Some(sending) = self.sending(lane.webhook.0)? else {
            return Ok(None);
        };
        let head = self.claimable(lane, 1, now)?;
        Ok(head.first().map(|head| DueLane {
            lane,
            due: head.delivery.due,
            owner: sending.owner,
            place: sending.place,
            revision: sending.revision,
        }))
    }

    /// Those of these lanes from which something may be claimed now, in order.
    fn due_among(&self, lanes: &BTreeSet<Lane>, now: DateTime<Utc>) -> Answer<Vec<DueLane>> {
        let due = lanes.iter().map(|lane| self.due_lane(*lane, now));
        due.filter_map(Answer::transpose).collect()
    }

    /// At most `limit` lanes in which something waits.
    fn beyond(&self, after: Option<Lane>, limit: u32) -> Answer<Looked> {
        let mut looked_at = BTreeSet::new();
        let mut last = after;
        while looked_at.len() < limit as usize
            && let Some(next) = self.next_lane(last)?
        {
            looked_at.insert(next);
            last = Some(next);
        }
        let more = self.next_lane(last)?.map(|_| Queues::Beyond(last));
        Ok((looked_at, more))
    }

    /// The first lane beyond this one in which something waits.
    fn next_lane(&self, after: Option<Lane>) -> Answer<Option<Lane>> {
        let end = (i64::MAX, u8::MAX, i64::MAX, i64::MAX);
        let first = after.map_or((i64::MIN, 0, i64::MIN, i64::MIN), |lane| {
            let class = class_number(lane.class);
            (lane.webhook.0, class, i64::MAX, i64::MAX)
        });
        let beyond = (Excluded(first), Included(end));
        let next = self.queued.range(beyond).map_err(failed)?.next();
        let next = next.transpose().map_err(failed)?;
        let next = next.map(|(key, _)| key.value());
        next.map(|(webhook, class, ..)| lane(webhook, class))
            .transpose()
    }
}

/// Lanes, and where the next are.
type Looked = (BTreeSet<Lane>, Option<Queues>);

pub(super) fn find(
    tx: &ReadTransaction,
    which: &Queues,
    limit: u32,
    now: DateTime<Utc>,
) -> Answer<FoundQueues> {
    let queue = to_read(tx)?;
    let (lanes, more) = match which {
        Queues::Due(after) => due(tx, *after, now, limit)?,
        Queues::Of(webhooks) => {
            let webhooks = webhooks.iter().copied();
            let lanes = webhooks.flat_map(|webhook| CLASSES.map(|class| Lane { webhook, class }));
            (lanes.collect(), None)
        }
        Queues::Beyond(after) => queue.beyond(*after, limit)?,
    };
    Ok(FoundQueues {
        due: queue.due_among(&lanes, now)?,
        more,
        next_due: next_due(tx, now)?,
    })
}

/// The lanes of what became due in a span.
fn due(tx: &ReadTransaction, after: DuePoint, until: DateTime<Utc>, limit: u32) -> Answer<Looked> {
    let start = (micros(after.due), after.delivery.0);
    let end = (micros(until), i64::MAX);
    let mut lanes = BTreeSet::new();
    let (mut looked_at, mut last) = (0, None);
    if start < end {
        let waiting = tx.open_table(DUE).map_err(failed)?;
        let span = waiting.range((Excluded(start), Included(end)));
        for entry in span.map_err(failed)?.take(limit as usize) {
            let (point, waits_in) = entry.map_err(failed)?;
            let (webhook, class) = waits_in.value();
            lanes.insert(lane(webhook, class)?);
            last = Some(point.value());
            looked_at += 1;
        }
    }
    let more = last.filter(|_| looked_at == limit);
    let more = more.map(|(due, id)| {
        let due = DateTime::from_timestamp_micros(due);
        let delivery = DeliveryId(id);
        due.map(|due| Queues::Due(DuePoint { due, delivery }))
            .ok_or_else(|| corrupt("due"))
    });
    Ok((lanes, more.transpose()?))
}

/// When the first of what waits is due after this time.
fn next_due(tx: &ReadTransaction, now: DateTime<Utc>) -> Answer<Option<DateTime<Utc>>> {
    let waiting = tx.open_table(DUE).map_err(failed)?;
    let later = (
        Excluded((micros(now), i64::MAX)),
        Included((i64::MAX, i64::MAX)),
    );
    let next = waiting.range(later).map_err(failed)?.next();
    let next = next.transpose().map_err(failed)?;
    Ok(next.and_then(|(key, _)| DateTime::from_timestamp_micros(key.value().0)))
}
