//! A limit of requests, and the bucket by which it is kept.

use std::time::Duration;

use apikey_core::{KeyEdit, Level, Peppers, RateLimit};
use proptest::prelude::*;

use crate::common::{draft, issued, now};

fn limit(requests: u32) -> RateLimit {
    RateLimit::per_minute(requests).unwrap()
}

const fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[test]
fn rate_limit_is_1_to_1000000_per_minute() {
    for good in [1, 60, 1_000_000] {
        assert_eq!(RateLimit::try_from(i64::from(good)), Ok(limit(good)));
        assert_eq!(i64::from(limit(good)), i64::from(good));
    }
    assert_eq!(limit(60).to_string(), "60 requests per minute");
    let refused = RateLimit::per_minute(0).unwrap_err();
    for bad in [i64::MIN, -1, 0, 1_000_001, i64::MAX] {
        assert_eq!(RateLimit::try_from(bad), Err(refused), "{bad}");
    }
    let words = "must be 1 to 1000000 requests per minute";
    assert_eq!(refused.to_string(), words);
}

#[test]
fn key_edit_sets_and_removes_rate_limit() {
    let (mut record, _) = issued(draft(), &Peppers::none());
    for set in [Some(limit(6)), Some(limit(7)), None] {
        let edit = KeyEdit::default().with_limit(set);
        record = edit.apply(&record, now()).unwrap();
        assert_eq!(record.limit, set);
        let other = KeyEdit::switch(false).apply(&record, now()).unwrap();
        assert_eq!(other.limit, set, "another edit leaves it");
    }
}

#[test]
fn rate_limit_allows_full_burst_then_refills_evenly() {
    let (mut level, six) = (Level::default(), limit(6));
    for remaining in (0..6).rev() {
        let drawn = level.draw(six, at(100)).unwrap();
        assert_eq!(drawn.remaining, remaining);
        assert_eq!(drawn.full_in, at(u64::from(6 - remaining) * 10));
        level = drawn.level;
    }
    assert_eq!(level.draw(six, at(100)).unwrap_err().retry_after, at(10));
    assert_eq!(level.draw(six, at(109)).unwrap_err().retry_after, at(1));
    let drawn = level.draw(six, at(110)).unwrap();
    assert_eq!(drawn.remaining, 0);
    assert!(!drawn.level.is_full(at(169)) && drawn.level.is_full(at(170)));
}

#[test]
fn bucket_debt_after_limit_change_never_exceeds_minute() {
    let (mut level, slow) = (Level::default(), limit(1));
    level = level.draw(slow, at(0)).unwrap().level;
    assert_eq!(level.draw(slow, at(0)).unwrap_err().retry_after, at(60));
    let fast = limit(60);
    assert_eq!(level.draw(fast, at(0)).unwrap_err().retry_after, at(1));
    // A clock that begins again, in a process that was restored from an image.
    let ahead = Level(u64::MAX);
    assert_eq!(ahead.draw(fast, at(5)).unwrap_err().retry_after, at(1));
    assert!(ahead.draw(fast, Duration::MAX).is_ok());
}

proptest! {
    /// For any arrival times, any period has at most the requests of a minute plus those that the
    /// period refills; and a caller who waits for the stated time gets through.
    #[test]
    fn limit_bounds_any_period_and_retry_after_suffices(
        requests in 1..200_u32,
        gaps in prop::collection::vec(0..20_000_u64, 1..400),
    ) {
        let (limit, mut level, mut now) = (limit(requests), Level::default(), Duration::ZERO);
        let mut passed = Vec::new();
        for gap in gaps {
            now += Duration::from_millis(gap);
            match level.draw(limit, now) {
                Ok(drawn) => {
                    prop_assert!(drawn.remaining < requests);
                    level = drawn.level;
                    passed.push(now);
                }
                Err(empty) => {
                    let then = now + empty.retry_after;
                    prop_assert!(level.draw(limit, then).is_ok());
                    prop_assert!(level.draw(limit, then - Duration::from_nanos(1)).is_err());
                }
            }
        }
        for (n, first) in passed.iter().enumerate() {
            for (m, last) in passed.iter().enumerate().skip(n) {
                let span = (*last - *first).as_secs_f64();
                let most = f64::from(requests) * (1.0 + span / 60.0) + 1e-3;
                prop_assert!((m - n + 1) as f64 <= most, "{} in {span} s", m - n + 1);
            }
        }
    }
}
