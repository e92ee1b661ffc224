//! SPEC 5.1 and 7: who is let in, who is not, and in which order the reasons count.

use std::net::IpAddr;

use apikey_core::{Accepted, ApiKey, Expiration, KeyRefusal, Peppers, PresentedKey, verify_key};
use chrono::{DateTime, TimeDelta, Utc};

use crate::common::{draft, issued, key, now, pepper, policy};

struct Door {
    record: ApiKey,
    key: String,
    peppers: Peppers,
}

impl Door {
    /// A key that expires in a day and may be used from 10.0.0.0/8.
    fn new() -> Self {
        let mut form = draft();
        form.expiration = Expiration::At(now() + TimeDelta::days(1));
        form.ip = policy("10.0.0.0/8", "");
        let peppers = Peppers::new(pepper(1));
        let (record, key) = issued(form, &peppers);
        Self {
            record,
            key,
            peppers,
        }
    }

    fn open(&self, key: &str, addr: &str, now: DateTime<Utc>) -> Result<Accepted, KeyRefusal> {
        let key = PresentedKey::parse(key).unwrap();
        let addr: IpAddr = addr.parse().unwrap();
        let checker = self.record.checker().unwrap();
        verify_key(&checker, &key, addr, now, &self.peppers)
    }
}

#[test]
fn valid_key_from_an_allowed_address_is_accepted() {
    let door = Door::new();
    assert!(
        !door
            .open(&door.key, "10.0.0.1", now())
            .unwrap()
            .needs_rehash
    );
}

#[test]
fn the_compact_form_says_when_its_key_expires() {
    let record = Door::new().record;
    let checker = record.checker().unwrap();
    assert_eq!(checker.expiration(), record.expiration);
}

#[test]
fn rule_5_expired_key_fails_from_exact_instant() {
    let door = Door::new();
    let at = now() + TimeDelta::days(1);
    let tick = TimeDelta::nanoseconds(1);
    assert!(door.open(&door.key, "10.0.0.1", at - tick).is_ok());
    assert_eq!(
        door.open(&door.key, "10.0.0.1", at),
        Err(KeyRefusal::Expired)
    );
    assert_eq!(
        door.open(&door.key, "10.0.0.1", at + tick),
        Err(KeyRefusal::Expired)
    );
}

#[test]
fn rule_4_wrong_address_is_refused_with_reason() {
    let door = Door::new();
    let refusal = door.open(&door.key, "11.0.0.1", now()).unwrap_err();
    assert_eq!(refusal, KeyRefusal::NotOnAllowList);
    assert!(refusal.is_ip());

    let mut door = Door::new();
    door.record.ip = policy("", "11.0.0.0/8");
    let refusal = door.open(&door.key, "11.0.0.1", now()).unwrap_err();
    assert_eq!(refusal, KeyRefusal::OnDenyList);
    assert!(refusal.is_ip());
}

#[test]
fn a_wrong_secret_learns_nothing_about_the_record() {
    let door = Door::new();
    let wrong = key("acme_live", 99);
    let late = now() + TimeDelta::days(2);
    for (addr, now) in [("10.0.0.1", now()), ("11.0.0.1", now()), ("11.0.0.1", late)] {
        let refusal = door.open(wrong.as_str(), addr, now).unwrap_err();
        assert_eq!(refusal, KeyRefusal::WrongSecret);
        assert!(!refusal.is_ip());
    }
}

#[test]
fn expired_key_from_wrong_address_reports_expiry() {
    // The client would receive the address; a key that has ended has no such right.
    let door = Door::new();
    let late = now() + TimeDelta::days(2);
    assert_eq!(
        door.open(&door.key, "11.0.0.1", late),
        Err(KeyRefusal::Expired)
    );
}

#[test]
fn old_pepper_digest_verifies_and_requests_rehash() {
    let mut door = Door::new();
    door.peppers = Peppers::new(pepper(2)).with_old(pepper(1)).unwrap();
    assert!(
        door.open(&door.key, "10.0.0.1", now())
            .unwrap()
            .needs_rehash
    );
    door.peppers = Peppers::new(pepper(2));
    let refusal = door.open(&door.key, "10.0.0.1", now()).unwrap_err();
    assert_eq!(refusal, KeyRefusal::UnknownPepper);
    assert!(!refusal.is_ip());
}

#[test]
fn refusal_reason_is_disclosed_only_for_ip_addresses() {
    use KeyRefusal::*;
    let all = [
        Disabled,
        Expired,
        NotOnAllowList,
        OnDenyList,
        Unknown,
        UnknownPepper,
        WrongSecret,
    ];
    let told: Vec<_> = all.into_iter().filter(|r| r.is_ip()).collect();
    assert_eq!(told, [NotOnAllowList, OnDenyList]);
    let words: std::collections::HashSet<_> = all.iter().map(|r| r.as_str()).collect();
    assert_eq!(words.len(), all.len());
}
