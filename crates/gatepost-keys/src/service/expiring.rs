//! Tells which keys expire, one process at a time.
//!
//! What was said is not stored: whoever passes a notice on recognises one that was given before.
//! A process that begins goes back a day, and then goes on where it was.

use apikey_core::{Expiration, KeyId};
use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::StoreError;
use gatepost_storage::keys::KeyRow;

use super::key_service::Parts;
use crate::observe::KeyNews;

/// How many days before it expires a key is reported.
const STEPS: [u32; 3] = [14, 3, 0];
/// What could not be reported for this time is not reported any more.
const LATE: TimeDelta = TimeDelta::days(1);
/// Keys read at a time.
const PAGE: u32 = 200;
/// Under which one process at a time tells, and for how long it has that for itself: for a round
/// and the next.
const LEASE: &str = "tell of expiring keys";
const LEASED: TimeDelta = TimeDelta::seconds(150);

/// A moment, and the last key of it.
type Point = (DateTime<Utc>, KeyId);

/// How far this process has come.
#[derive(Debug)]
pub(super) struct Expiring {
    holder: u128,
    /// Of each step; `None` at first, and when another process was the one.
    told: [Option<Point>; STEPS.len()],
}

impl Expiring {
    pub(super) fn new() -> Self {
        Self {
            holder: rand::random(),
            told: Default::default(),
        }
    }

    /// Tells of what has become due.
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
        // It never had that much time: its owner has just chosen that.
        return true;
    }
    let news = KeyNews::Expiring { expires, days };
    parts.teller.tell(row, news).await
}

fn step(days: u32) -> TimeDelta {
    TimeDelta::days(days.into())
}
