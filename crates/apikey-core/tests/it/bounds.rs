//! The limits of a key compared with the key that creates or edits it.

use apikey_core::{ExceedsCaller, Expiration, KeyDraft, RateLimit};
use chrono::TimeDelta;

use crate::common::{draft, now, policy};

fn until(days: i64) -> Expiration {
    Expiration::At(now() + TimeDelta::days(days))
}

fn reaching(expiration: Expiration, allow: &str, deny: &str) -> KeyDraft {
    let mut form = draft();
    (form.expiration, form.ip) = (expiration, policy(allow, deny));
    form
}

fn beyond(mine: &KeyDraft, others: &KeyDraft) -> Option<ExceedsCaller> {
    mine.bounds().check_within(&others.bounds()).err()
}

#[test]
fn new_key_expiration_cannot_exceed_creating_key() {
    let (never, later) = (Expiration::Never, Some(ExceedsCaller::Expiration));
    for (mine, others, refused) in [
        (never, never, None),
        (until(9), never, None),
        (never, until(2), later),
        (until(3), until(2), later),
        (until(2), until(2), None),
        (until(1), until(2), None),
    ] {
        let [mine, others] = [mine, others].map(|end| reaching(end, "", ""));
        assert_eq!(beyond(&mine, &others), refused);
    }
}

#[test]
fn exceeding_addresses_error_names_allow_or_deny_list() {
    let never = Expiration::Never;
    let of = |allow, deny| reaching(never, allow, deny);
    let (allow, deny) = (Some(ExceedsCaller::Allow), Some(ExceedsCaller::Deny));
    for (mine, others, refused) in [
        (of("10.0.0.1", ""), of("10.0.0.0/8", ""), None),
        (of("", ""), of("10.0.0.0/8", ""), allow),
        (of("10.0.0.1", ""), of("", "10.0.0.0/8"), allow),
        (of("", "10.0.0.1"), of("", "10.0.0.0/8"), deny),
        (of("", "10.0.0.0/8"), of("", "192.0.2.0/24"), deny),
        (of("", "192.0.2.0/24"), of("", "10.0.0.0/8"), deny),
        (of("", "10.0.0.0/8"), of("", "10.0.0.1"), None),
    ] {
        assert_eq!(beyond(&mine, &others), refused, "{:?}", mine.ip);
    }
}

#[test]
fn new_key_rate_limit_cannot_exceed_creating_key() {
    let limit = |requests| Some(RateLimit::per_minute(requests).unwrap());
    let more = Some(ExceedsCaller::Requests);
    for (mine, others, refused) in [
        (None, None, None),
        (limit(6), None, None),
        (None, limit(6), more),
        (limit(7), limit(6), more),
        (limit(6), limit(6), None),
    ] {
        let (mut form, mut other) = (draft(), draft());
        (form.limit, other.limit) = (mine, others);
        assert_eq!(beyond(&form, &other), refused);
    }
}
