//! Keys that were presented from forbidden addresses, until their owners are notified.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use apikey_core::KeyId;
use chrono::{DateTime, DurationRound as _, TimeDelta, Utc};

/// The period in which one key is reported once.
const QUIET: TimeDelta = TimeDelta::hours(1);
/// The maximum number of keys that are reported.
const MOST: usize = 100_000;

/// A key to report.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct RefusedKey {
    pub key: KeyId,
    /// The last of its addresses.
    pub from: IpAddr,
    pub count: u64,
    /// The hour of the report.
    pub hour: DateTime<Utc>,
}

#[derive(Debug, Default)]
pub(super) struct Refusals {
    /// Whether there is an observer.
    are_told: bool,
    keys: Mutex<HashMap<KeyId, Refusal>>,
}

#[derive(Debug)]
struct Refusal {
    from: IpAddr,
    /// Since the last report.
    count: u64,
    /// The earliest time of the next report.
    due: DateTime<Utc>,
}

impl Refusals {
    pub(super) fn new(are_told: bool) -> Self {
        Self {
            are_told,
            ..Self::default()
        }
    }

    pub(super) fn note(&self, key: KeyId, from: IpAddr) {
        if !self.are_told {
            return;
        }
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if keys.len() >= MOST && !keys.contains_key(&key) {
            return;
        }
        let refusal = keys.entry(key).or_insert(Refusal {
            from,
            count: 0,
            due: DateTime::<Utc>::MIN_UTC,
        });
        refusal.from = from;
        refusal.count = refusal.count.saturating_add(1);
    }

    /// Takes some of the due keys, and marks each as reported; keys without refusals for an hour
    /// are removed.
    pub(super) fn take(&self, at_most: usize, now: DateTime<Utc>) -> Vec<RefusedKey> {
        let hour = now.duration_trunc(QUIET).unwrap_or(now);
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        keys.retain(|_, refusal| refusal.count > 0 || refusal.due > now);
        let due = keys.iter_mut();
        let due = due.filter(|(_, refusal)| refusal.count > 0 && refusal.due <= now);
        let mut taken: Vec<_> = due
            .take(at_most)
            .map(|(key, refusal)| {
                refusal.due = hour + QUIET;
                RefusedKey {
                    key: *key,
                    from: refusal.from,
                    count: std::mem::take(&mut refusal.count),
                    hour,
                }
            })
            .collect();
        taken.sort_by_key(|refused| refused.key);
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn at(minutes: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::minutes(minutes)
    }

    #[test]
    fn refusals_are_reported_immediately_then_hourly_with_count() {
        let refusals = Refusals::new(true);
        let counts = |minutes| {
            let taken = refusals.take(9, at(minutes));
            taken
                .iter()
                .map(|refused| refused.count)
                .collect::<Vec<_>>()
        };
        (0..3).for_each(|_| refusals.note(KeyId(1), HERE));
        assert_eq!(counts(10), [3]);
        (0..5).for_each(|_| refusals.note(KeyId(1), HERE));
        assert_eq!(counts(59), [0; 0]);
        assert_eq!(counts(60), [5]);
        assert_eq!(counts(120), [0; 0]);
        assert_eq!(refusals.keys.lock().unwrap().len(), 0);
    }

    #[test]
    fn refusals_of_many_keys_stay_bounded() {
        let refusals = Refusals::default();
        refusals.note(KeyId(1), HERE);
        assert!(refusals.take(9, at(0)).is_empty());
        let refusals = Refusals::new(true);
        (0..2 * MOST as i64).for_each(|key| refusals.note(KeyId(key), HERE));
        assert_eq!(refusals.keys.lock().unwrap().len(), MOST);
        assert_eq!(refusals.take(7, at(0)).len(), 7);
    }
}
