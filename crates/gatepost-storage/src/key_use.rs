//! Daily usage counts of keys.

use std::collections::BTreeMap;

use apikey_core::KeyId;
use chrono::{DateTime, Days, NaiveDate, Utc};

/// The usage of a key on one day.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct KeyUse {
    /// The key.
    pub key: KeyId,
    /// The day, in UTC.
    pub day: NaiveDate,
    /// The number of successful authentications. Below 2^63, as is `refused`.
    pub used: u64,
    /// The number of refusals in spite of a correct secret: the key was expired, its address lists
    /// refused the client, it was used too often, or its owner is disabled or deleted. A wrong
    /// secret is not counted, because anybody can present one.
    pub refused: u64,
}

impl KeyUse {
    /// The number of days for which the usage of a key is kept: the newest day on which it was
    /// used, and the days before.
    pub const DAYS: u64 = 400;

    /// Returns the usage as a backend must add it: one value for each key and day, in order of key
    /// and day, without days that are no longer [kept](Self::kept_after).
    #[must_use]
    pub fn merged(uses: &[Self]) -> Vec<Self> {
        let mut days = BTreeMap::new();
        let mut newest = BTreeMap::new();
        for added in uses {
            let sum = days.entry((added.key, added.day)).or_insert(Self {
                used: 0,
                refused: 0,
                ..*added
            });
            sum.used = sum.used.saturating_add(added.used);
            sum.refused = sum.refused.saturating_add(added.refused);
            let day = newest.entry(added.key).or_insert(added.day);
            *day = added.day.max(*day);
        }
        let is_kept = |day: &Self| {
            let newest = newest.get(&day.key);
            newest.is_none_or(|newest| day.day > Self::kept_after(*newest))
        };
        days.into_values().filter(is_kept).collect()
    }

    /// Returns the last day whose usage is dropped when the key is used on `newest`.
    #[must_use]
    pub fn kept_after(newest: NaiveDate) -> NaiveDate {
        let dropped = newest.checked_sub_days(Days::new(Self::DAYS));
        dropped.unwrap_or(NaiveDate::MIN)
    }

    /// Returns the beginning of the day.
    #[must_use]
    pub fn begins(&self) -> DateTime<Utc> {
        self.day.and_time(chrono::NaiveTime::MIN).and_utc()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(key: i64, day: u32, used: u64) -> KeyUse {
        KeyUse {
            key: KeyId(key),
            day: NaiveDate::from_yo_opt(2026, 1).unwrap() + Days::new(day.into()),
            used,
            refused: 1,
        }
    }

    #[test]
    fn uses_merge_by_day_and_oldest_are_omitted() {
        let days = [
            on(2, 1, 3),
            on(1, 500, 1),
            on(2, 1, 4),
            on(1, 101, 9),
            on(1, 100, 9),
        ];
        let merged = KeyUse::merged(&days);
        let found: Vec<_> = merged
            .iter()
            .map(|d| (d.key.0, d.used, d.refused))
            .collect();
        assert_eq!(found, [(1, 9, 1), (1, 1, 1), (2, 7, 2)]);
        assert_eq!(merged[0].day, on(1, 101, 0).day, "the 400th day is kept");
    }
}
