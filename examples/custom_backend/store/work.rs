//! What goes with each delivery: its place among what waits, runs or has not ended, and its bytes.

use gatepost_storage::columns::SealedAttempt;
use gatepost_storage::webhooks::{AttemptRecord, Claim, DeliveryId, DeliveryRow, DeliveryState};

use super::codec::{corrupt, decode, encode, micros};
use super::delivery::{class_number, is_gone, slot};
use super::error::{Answer, failed};
use super::tables::{ATTEMPTS, DELIVERIES, DUE, GONE, OPEN, QUEUED, RUNNING, SENDING, Tx};

/// The counter of the bytes that the log takes.
pub(super) const LOG_BYTES: &str = "log_bytes";

impl Tx {
    /// The delivery, unless its webhook is gone.
    pub(super) fn slot(&self, id: DeliveryId) -> Answer<Option<DeliveryRow>> {
        let slot = slot(&self.open(DELIVERIES)?, id.0)?;
        let gone = self.open(GONE)?;
        Ok(match slot {
            Some(slot) if !is_gone(&gone, &slot)? => Some(slot),
            _ => None,
        })
    }

    /// All deliveries whose webhooks are not gone, oldest first.
    pub(super) fn slots(&self) -> Answer<Vec<DeliveryRow>> {
        let gone = self.open(GONE)?;
        let mut slots = Vec::new();
        for (_, row) in self.rows(DELIVERIES)? {
            let slot = decode(&row)?;
            if !is_gone(&gone, &slot)? {
                slots.push(slot);
            }
        }
        Ok(slots)
    }

    /// Stores a new delivery.
    pub(super) fn insert(&self, slot: &DeliveryRow) -> Answer<()> {
        self.put(DELIVERIES, slot.delivery.id.0, &encode(slot)?)?;
        self.index(slot, true)
    }

    /// Stores the new state of a delivery and removes the entries of `old` from the indexes.
    pub(super) fn replace(&self, old: &DeliveryRow, new: &DeliveryRow) -> Answer<()> {
        self.index(old, false)?;
        self.insert(new)
    }

    /// Removes a delivery with its attempts.
    pub(super) fn remove_delivery(&self, slot: &DeliveryRow) -> Answer<()> {
        self.index(slot, false)?;
        let id = slot.delivery.id.0;
        self.remove(DELIVERIES, id)?;
        let mut attempts = self.open(ATTEMPTS)?;
        for number in 1..=i64::from(slot.delivery.attempts) {
            attempts.remove((id, number)).map_err(failed)?;
        }
        Ok(())
    }

    /// Logs an attempt, sealed for the claim under which it was made.
    pub(super) fn log(&self, claim: Claim, attempt: AttemptRecord) -> Answer<()> {
        let key = (claim.delivery.0, i64::from(attempt.number));
        let attempt = SealedAttempt::seal(attempt, claim, &self.sealing)?;
        let row = encode(&attempt)?.to_string();
        self.open(ATTEMPTS)?
            .insert(key, row.as_str())
            .map_err(failed)?;
        Ok(())
    }

    /// Adds a delivery to the indexes that its state asks for, or removes it from them.
    fn index(&self, slot: &DeliveryRow, add: bool) -> Answer<()> {
        let bytes = i64::try_from(slot.bytes()).unwrap_or(i64::MAX);
        let before = self.counter(LOG_BYTES)?;
        let after = if add { before + bytes } else { before - bytes };
        self.set_counter(LOG_BYTES, after)?;
        let d = &slot.delivery;
        let (webhook, id) = (d.webhook.0, d.id.0);
        match d.state {
            DeliveryState::Queued => {
                let (class, due) = (class_number(slot.lane().class), micros(d.due));
                set(&mut self.open(QUEUED)?, (webhook, class, due, id), (), add)?;
                set(&mut self.open(DUE)?, (due, id), (webhook, class), add)?;
            }
            DeliveryState::Running => {
                let end = d.lease_until.ok_or_else(|| corrupt("lease_until"))?;
                set(&mut self.open(RUNNING)?, (micros(end), id), (), add)?;
                set(&mut self.open(SENDING)?, (webhook, id), (), add)?;
            }
            DeliveryState::Sent | DeliveryState::Error => return Ok(()),
        }
        set(&mut self.open(OPEN)?, (webhook, id), (), add)
    }
}

fn set<'k, 'v, K: redb::Key + 'static, V: redb::Value + 'static>(
    index: &mut redb::Table<'_, K, V>,
    key: K::SelfType<'k>,
    value: V::SelfType<'v>,
    add: bool,
) -> Answer<()> {
    if add {
        index.insert(key, value).map_err(failed)?;
    } else {
        index.remove(key).map_err(failed)?;
    }
    Ok(())
}
