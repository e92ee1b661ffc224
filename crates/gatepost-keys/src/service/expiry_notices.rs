//! Notices about expiring keys, sent by one process at a time.
//!
//! Sent notices are not stored: the recipient recognizes repeats. A process that starts goes back a
//! day, and then continues from its last position.

use apikey_core::{Expiration, KeyId};
use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::StoreError;
use gatepost_storage::keys::KeyRow;

use super::key_service::Parts;
use crate::observer::KeyNoticeKind;

/// The numbers of days before expiration at which a key is reported.
const STEPS: [u32; 3] = [14, 3, 0];
/// A notice that could not be sent for this time is dropped.
const LATE: TimeDelta = TimeDelta::days(1);
/// The number of keys read at a time.
const PAGE: u32 = 200;
/// The lease under which one process at a time sends notices, and its duration: a round and the
/// next.
const LEASE: &str = "announce expiring keys";
const LEASED: TimeDelta = TimeDelta::seconds(150);

/// A time, and the last key with that time.
type Point = (DateTime<Utc>, KeyId);

/// The progress of this process.
#[derive(Debug)]
pub(super) struct Expiring {
    holder: u128,
    /// The position for each step; `None` at first, and while another process sends the notices.
    told: [Option<Point>; STEPS.len()],
}

impl Expiring {
    pub(super) fn new() -> Self {
        Self {
            holder: rand::random(),
            told: Default::default(),
        }
    }

    /// Sends the notices that have become due.
    pub(super) async fn round(
        &mut self,
        parts: &Parts,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        for (days, told) in STEPS.into_iter().zip(&mut self.told) {
            let before = now + step(days);
            let back = (before - LATE, KeyId(0));
            let mut point = told.map_or(back, |told| told.max(back));
            let mut all_taken = true;
            loop {
                let store = &parts.keys.store;
                let until = parts.keys.clock.now() + LEASED;
                if !store.lease(LEASE, self.holder, until, now).await? {
                    *told = None;
                    break;
                }
                let rows = store.expiring_keys(point, before, PAGE).await?;
                for row in &rows {
                    let Expiration::At(expires) = row.key.expiration else {
                        continue;
                    };
                    all_taken &= tell(parts, row, expires, days).await;
                    point = (expires, row.id);
                    if all_taken {
                        *told = Some(point);
                    }
                }
                if rows.len() < PAGE as usize {
                    break;
                }
            }
        }
        Ok(())
    }
}

async fn tell(parts: &Parts, row: &KeyRow, expires: DateTime<Utc>, days: u32) -> bool {
    if row.key.created > expires - step(days) {
        // The key never had that much time left: its owner has just chosen its expiration.
        return true;
    }
    let news = KeyNoticeKind::Expiring { expires, days };
    parts.teller.tell(row, news).await
}

fn step(days: u32) -> TimeDelta {
    TimeDelta::days(days.into())
}
