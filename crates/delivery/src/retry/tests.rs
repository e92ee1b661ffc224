use std::time::Duration;

use chrono::DateTime;
use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::*;

#[test]
fn default_retry_schedule_rises_from_5s_to_hourly() {
    let schedule = Schedule::default();
    let secs: Vec<u64> = (1..=8).map(|n| schedule.base(n).as_secs()).collect();
    assert_eq!(secs, [5, 30, 120, 600, 1800, 3600, 3600, 3600]);
}

#[test]
fn jitter_reaches_both_ends_of_twenty_percent() {
    let mut rng = StdRng::seed_from_u64(7);
    let drawn: Vec<_> = (0..20_000)
        .map(|_| Schedule::default().delay(2, &mut rng))
        .collect();
    assert_eq!(drawn.iter().min(), Some(&Duration::from_secs(24)));
    assert_eq!(drawn.iter().max(), Some(&Duration::from_secs(36)));
}

#[test]
fn retries_are_reattempts_after_the_first() {
    let mut rng = StdRng::seed_from_u64(1);
    for retries in [0, 1, 3, 100] {
        let policy = RetryPolicy::new(retries);
        let attempts = 1
            + (1..)
                .take_while(|made| policy.next_delay(*made, Retryable::Yes, &mut rng).is_some())
                .count();
        assert_eq!(attempts, retries as usize + 1);
    }
}

#[test]
fn nothing_follows_what_no_retry_can_help() {
    let mut rng = StdRng::seed_from_u64(1);
    assert_eq!(
        RetryPolicy::new(100).next_delay(1, Retryable::No, &mut rng),
        None
    );
}

#[test]
fn retry_after_parses_seconds_and_three_date_forms() {
    let now = DateTime::from_timestamp(784_111_777, 0).unwrap();
    let secs = |text: &str| parse_retry_after(text.as_bytes(), now).map(|d| d.as_secs());
    assert_eq!(secs("0"), Some(0));
    assert_eq!(secs("007"), Some(7));
    assert_eq!(secs("86400"), Some(86_400));
    assert_eq!(secs("86401"), Some(86_400));
    assert_eq!(secs("99999999999999999999999999"), Some(86_400));
    assert_eq!(secs("Sun, 06 Nov 1994 08:49:38 GMT"), Some(1));
    assert_eq!(secs("Sunday, 06-Nov-94 08:49:38 GMT"), Some(1));
    assert_eq!(secs("Sun Nov  6 08:49:38 1994"), Some(1));
    assert_eq!(secs("Fri, 31 Dec 9999 23:59:59 GMT"), Some(86_400));
    for garbage in [
        "",
        " ",
        "-1",
        "+5",
        "1.5",
        "1e3",
        "5 ",
        " 5",
        "5,6",
        "0x10",
        "soon",
        "٣",
        "Sun, 06 Nov 1994 08:49:36 GMT",
        "Sunday, 06-Nov-94 08:49:36 GMT",
        "Sun Nov  6 08:49:36 1994",
        "06 Nov 1994 08:49:38 GMT",
        "Mon, 06 Nov 1994 08:49:37 GMT",
        "sun, 06 nov 1994 08:49:37 gmt",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 +0000",
        "Sun, 06 Nov 1994 24:49:37 GMT",
        "Sun, 36 Nov 1994 08:49:37 GMT",
        "1994-11-06T08:49:37Z",
    ] {
        assert_eq!(secs(garbage), None, "{garbage:?}");
    }
}

proptest! {
    #[test]
    fn retry_delay_meets_schedule_and_wish_within_day(
        made in 1u32..200, wish in 0u64..200_000, seed: u64,
    ) {
        let policy = RetryPolicy::new(1000);
        let wish = Duration::from_secs(wish);
        let delay = policy.next_delay(made, Retryable::After(wish), &mut StdRng::seed_from_u64(seed)).unwrap();
        let plain = policy.next_delay(made, Retryable::Yes, &mut StdRng::seed_from_u64(seed)).unwrap();
        prop_assert_eq!(delay, plain.max(wish).min(MAX_DELAY));
        let base = policy.schedule().base(made);
        prop_assert!(plain >= base * 8 / 10 && plain <= base * 12 / 10);
    }

    #[test]
    fn retry_after_of_any_bytes_stays_within_day(value: Vec<u8>, now in -60_000_000_000i64..250_000_000_000) {
        let now = DateTime::from_timestamp(now, 0).unwrap();
        prop_assert!(parse_retry_after(&value, now).is_none_or(|wait| wait <= MAX_DELAY));
    }

    #[test]
    fn a_fixdate_is_read_back_to_the_second(now in 0u64..4_000_000_000, ahead in 0u64..86_400) {
        let at = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(now + ahead);
        let text = httpdate::fmt_http_date(at);
        let now = DateTime::from_timestamp(i64::try_from(now).unwrap(), 0).unwrap();
        prop_assert_eq!(parse_retry_after(text.as_bytes(), now), Some(Duration::from_secs(ahead)));
    }
}
