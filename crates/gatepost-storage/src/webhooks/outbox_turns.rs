//! Whose rows of the outbox come next, where more are due than are asked for.

use chrono::{DateTime, Utc};

/// Which audiences come now, and how many rows of each.
///
/// Whoever has many rows in the outbox keeps nobody else's waiting: each audience has the same
/// share of an answer. Where there are more audiences than rows asked for, it depends on the time
/// which of them come.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct OutboxTurns<A> {
    /// These.
    pub audiences: Vec<A>,
    /// Of each, the oldest due.
    pub rows_of_each: u32,
}

impl<A: Copy> OutboxTurns<A> {
    /// More audiences than this need not be looked for.
    pub const MOST: u32 = 1_000;

    /// Of these, which have something that is due.
    #[must_use]
    pub fn of(due: &[A], limit: u32, now: DateTime<Utc>) -> Self {
        let all = u32::try_from(due.len()).unwrap_or(u32::MAX).max(1);
        let first = usize::try_from(scattered(now) % u64::from(all)).unwrap_or_default();
        let in_turn = due.iter().cycle().skip(if all > limit { first } else { 0 });
        Self {
            audiences: in_turn
                .take(due.len().min(limit as usize))
                .copied()
                .collect(),
            rows_of_each: (limit / all).max(1),
        }
    }
}

/// Two times near each other are far from each other here.
fn scattered(now: DateTime<Utc>) -> u64 {
    const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
    now.timestamp_micros().cast_unsigned().wrapping_mul(GOLDEN) >> 32
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn all_share_what_is_asked_for_and_too_many_come_by_turns() {
        let now = DateTime::UNIX_EPOCH;
        let of = |due: &[u32], limit| OutboxTurns::of(due, limit, now);
        let none = of(&[], 100);
        assert_eq!((none.audiences.len(), none.rows_of_each), (0, 100));
        let three = of(&[1, 2, 3], 100);
        assert_eq!((three.audiences, three.rows_of_each), (vec![1, 2, 3], 33));
        let many: Vec<u32> = (0..1_000).collect();
        let mut seen = BTreeSet::new();
        for n in 0..100 {
            let now = now + TimeDelta::milliseconds(250 * n);
            let turns = OutboxTurns::of(&many, 100, now);
            assert_eq!((turns.audiences.len(), turns.rows_of_each), (100, 1));
            seen.extend(turns.audiences);
        }
        assert_eq!(seen.len(), 1_000);
    }
}
