//! What one occurrence does to the queue.

use chrono::{DateTime, Utc};
use gatepost_ids::Place;

use super::slot::Slot;
use super::store::Tables;
use crate::error::{ErrorKind, StoreError};
use crate::page::Revision;
use crate::webhooks::{
    Basis, ClaimToken, DeliveryId, DeliveryRow, Enqueue, Enqueued, NewDelivery, Origin, RecordId,
    RoutesVersion, StoredDelivery,
};

impl Tables {
    pub(super) fn enqueue(
        &mut self,
        batch: Enqueue,
        now: DateTime<Utc>,
    ) -> Result<Enqueued, StoreError> {
        if self.is_used(&batch.origin) {
            return Ok(Enqueued::AlreadyKnown);
        }
        if let Some(changed) = self.changed_basis(&batch) {
            return Ok(changed);
        }
        self.check_deliveries(&batch.deliveries)?;
        self.use_up(batch.origin, now);
        let deliveries = batch.deliveries.into_iter();
        let deliveries = deliveries.filter_map(|new| self.insert_delivery(new, now));
        let deliveries = deliveries.collect();
        let later = batch.later.into_iter();
        let later = later.map(|new| self.outbox.push(new, now)).collect();
        let mut moved: Vec<(Place, RoutesVersion)> = Vec::new();
        for (place, version) in batch.consume.iter().filter_map(|id| self.delete_task(*id)) {
            moved.retain(|(other, _)| *other != place);
            moved.push((place, version));
        }
        Ok(Enqueued::Stored {
            deliveries,
            later,
            moved,
        })
    }

    /// Whether the origin was used before. A row of the outbox whose occurrence was is used up.
    fn is_used(&mut self, origin: &Origin) -> bool {
        let known = |place, id: &_| self.deliveries.seen.contains(place, id);
        match origin {
            Origin::Direct => false,
            Origin::Occurrence { place, id } => known(*place, id),
            Origin::Outbox {
                row,
                turn,
                occurrence,
                ..
            } => {
                let used = !self.outbox.is_at(*row, *turn);
                let known = (occurrence.as_ref()).is_some_and(|(place, id)| known(*place, id));
                if !used && known {
                    self.outbox.remove(*row);
                }
                used || known
            }
        }
    }

    fn changed_basis(&self, batch: &Enqueue) -> Option<Enqueued> {
        let gone = batch.consume.iter();
        let gone = gone.filter(|id| !self.records.tasks.contains_key(id));
        let gone = gone.map(|id| RecordId::Task(*id));
        match &batch.basis {
            Basis::Rows(rows) => {
                let moved = rows.iter().filter(|row| !self.stands(row));
                let mut changed: Vec<RecordId> = moved.map(|(id, _)| *id).chain(gone).collect();
                changed.sort_unstable();
                changed.dedup();
                (!changed.is_empty()).then_some(Enqueued::RowsChanged(changed))
            }
            Basis::Places(places) => {
                let moved = |(place, version): &_| self.places.version(*place) != *version;
                let changed = places.iter().any(moved) || gone.count() > 0;
                changed.then_some(Enqueued::RoutesChanged)
            }
            Basis::Nothing => (gone.count() > 0).then_some(Enqueued::RoutesChanged),
        }
    }

    /// Whether a row is as it was read, and may be matched.
    fn stands(&self, (id, revision): &(RecordId, Revision)) -> bool {
        let records = &self.records;
        let stored = match id {
            RecordId::Webhook(id) => records
                .webhooks
                .get(id)
                .map(|row| (row.owner, row.revision)),
            RecordId::Task(id) => records.tasks.get(id).map(|row| (row.owner, row.revision)),
            RecordId::Event(id) => records.events.get(id).map(|row| (row.owner, row.revision)),
        };
        stored.is_some_and(|(owner, stored)| {
            let moving = self.owners.moving.contains_key(&owner);
            stored == *revision && !self.owners.is_held(owner) && !moving
        })
    }

    fn check_deliveries(&self, deliveries: &[NewDelivery]) -> Result<(), StoreError> {
        let webhooks = &self.records.webhooks;
        if !deliveries.iter().all(|d| webhooks.contains_key(&d.webhook)) {
            return Err(StoreError::new(
                ErrorKind::Invalid,
                "the delivery's webhook does not exist",
            ));
        }
        Ok(())
    }

    fn use_up(&mut self, origin: Origin, now: DateTime<Utc>) {
        let occurrence = match origin {
            Origin::Direct => None,
            Origin::Occurrence { place, id } => Some((place, id)),
            Origin::Outbox {
                row,
                occurrence,
                left,
                ..
            } => {
                match left {
                    None => self.outbox.remove(row),
                    Some((left, due)) => self.outbox.move_on(row, Some(left), due),
                }
                occurrence
            }
        };
        if let Some((place, id)) = occurrence {
            self.deliveries.seen.add(place, id, now);
        }
    }

    fn insert_delivery(&mut self, new: NewDelivery, now: DateTime<Utc>) -> Option<StoredDelivery> {
        let owner = self.records.webhooks.get(&new.webhook)?.owner;
        let tokens = &mut self.deliveries.tokens;
        let token = new.lease_until.map(|_| ClaimToken(tokens.next()));
        let id = DeliveryId(self.deliveries.ids.next());
        let tenant = self.owners.place(owner).tenant();
        let row = DeliveryRow::enqueued(id, new, (owner, tenant), token, now);
        self.deliveries.insert(Slot::new(row));
        Some(StoredDelivery { id, token })
    }
}
