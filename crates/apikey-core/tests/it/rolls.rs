//! The effects of a roll on a key.

use apikey_core::{
    ApiKey, EditError, ExceedsCaller, Expiration, ExpirationError, Grant, KeyEdit, Overlap,
    Peppers, RateLimit, ScopeNames,
};
use chrono::{DateTime, TimeDelta, Utc};

use crate::common::{draft, issued, now, policy};

const DAY: i64 = 24 * 60 * 60;

fn overlap(seconds: i64) -> Overlap {
    Overlap::seconds(seconds).unwrap()
}

fn key(expiration: Expiration) -> ApiKey {
    let mut draft = draft();
    draft.description = "nightly".parse().unwrap();
    draft.ip = policy("10.0.0.0/8", "!10.1.0.0/16");
    draft.grant = Grant::new(true, "tasks".parse().unwrap(), ScopeNames::none());
    draft.limit = Some(RateLimit::per_minute(60).unwrap());
    draft.expiration = expiration;
    issued(draft, &Peppers::none()).0
}

#[test]
fn an_overlap_is_0_to_30_days() {
    for good in [0, 1, 30 * DAY] {
        assert!(Overlap::seconds(good).is_ok());
    }
    for bad in [i64::MIN, -1, 30 * DAY + 1, i64::MAX] {
        let refused = Overlap::seconds(bad).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "must be 0 to 2592000 seconds (30 days)"
        );
    }
}

#[test]
fn new_key_after_roll_keeps_settings_except_name() {
    let old = key(Expiration::Never);
    let next = old.roll(overlap(DAY), now()).unwrap();
    assert_eq!(next.draft.name.as_str(), "ci (2)");
    assert_eq!(next.draft.description, old.description);
    assert_eq!((&next.draft.ip, &next.draft.grant), (&old.ip, &old.grant));
    assert_eq!((next.draft.owner, next.draft.limit), (old.owner, old.limit));
    let within: Result<(), ExceedsCaller> = next.draft.bounds().check_within(&old.bounds());
    assert_eq!(within, Ok(()));
}

#[test]
fn rolled_key_ends_with_overlap_or_earlier_expiration() {
    let begun = now();
    let at = |seconds: i64| begun + TimeDelta::seconds(seconds);
    for (ends, rolled, seconds, old_ends, new_ends) in [
        (None, at(5), DAY, at(5 + DAY), None),
        (None, at(5), 0, at(5), None),
        (
            Some(at(90 * DAY)),
            at(80 * DAY),
            DAY,
            at(81 * DAY),
            Some(at(170 * DAY)),
        ),
        (
            Some(at(90 * DAY)),
            at(89 * DAY),
            30 * DAY,
            at(90 * DAY),
            Some(at(179 * DAY)),
        ),
        // A clock that was set back.
        (Some(at(DAY)), at(-DAY), 0, at(-DAY), Some(at(DAY))),
    ] {
        let expiration = |at: Option<DateTime<Utc>>| at.map_or(Expiration::Never, Expiration::At);
        let mut old = key(Expiration::Never);
        old.expiration = expiration(ends);
        let next = old.roll(overlap(seconds), rolled).unwrap();
        assert_eq!(next.old_ends, Expiration::At(old_ends), "{ends:?} {rolled}");
        assert_eq!(
            next.draft.expiration,
            expiration(new_ends),
            "{ends:?} {rolled}"
        );
    }
}

#[test]
fn expired_key_cannot_be_rolled() {
    let mut old = key(Expiration::Never);
    old.expiration = Expiration::At(now());
    let refused = old.roll(overlap(0), now()).unwrap_err();
    let words = "an expired key cannot be edited: create a new key";
    assert_eq!(refused.to_string(), words);
}

/// Older versions accepted such a date: the key can be renamed, rolled, and given another date.
#[test]
fn stored_date_beyond_a_century_can_be_edited() {
    let mut old = key(Expiration::Never);
    old.expiration = Expiration::At(DateTime::from_timestamp(1_830_211_200_000, 0).unwrap());
    let renamed = KeyEdit::default().with_name("cd".parse().unwrap());
    let renamed = renamed.apply(&old, now()).unwrap();
    assert_eq!(renamed.expiration, old.expiration);
    let again = KeyEdit::default().with_expiration(old.expiration);
    let refused = EditError::Expiration(ExpirationError::TooLate);
    assert_eq!(again.apply(&old, now()), Err(refused));
    let draft = old.roll(overlap(0), now()).unwrap().draft;
    let masked = "old".parse().unwrap();
    assert!(draft.import_sha256([0; 32], masked, now(), now()).is_ok());
}

#[test]
fn the_ends_of_the_calendar_do_not_overflow() {
    let mut old = key(Expiration::Never);
    let last = DateTime::<Utc>::MAX_UTC;
    old.expiration = Expiration::At(last);
    let next = old.roll(overlap(0), now() + TimeDelta::days(1)).unwrap();
    let century = now() + TimeDelta::days(1 + 36_525);
    assert_eq!(next.draft.expiration, Expiration::At(century));
    let next = old.roll(overlap(30 * DAY), last - TimeDelta::days(1));
    assert_eq!(next.unwrap().old_ends, Expiration::At(last));
}
