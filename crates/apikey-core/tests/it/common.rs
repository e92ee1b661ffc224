//! Helpers of several tests.

use apikey_core::{
    ApiKey, IpPolicy, KeyDraft, KeyString, NewKey, OwnerId, Pepper, PepperId, Peppers, Prefix,
};
use chrono::{DateTime, Utc};
use rand::SeedableRng;
use rand::rngs::StdRng;

pub(crate) fn rng(seed: u64) -> StdRng {
    StdRng::seed_from_u64(seed)
}

pub(crate) fn now() -> DateTime<Utc> {
    "2026-10-16T11:38:07Z".parse().unwrap()
}

pub(crate) fn key(prefix: &str, seed: u64) -> KeyString {
    KeyString::generate(&prefix.parse::<Prefix>().unwrap(), &mut rng(seed)).unwrap()
}

pub(crate) fn pepper(id: u16) -> Pepper {
    let byte = id.to_be_bytes()[1];
    Pepper::new(PepperId(id), &[byte; 32]).unwrap()
}

pub(crate) fn draft() -> KeyDraft {
    KeyDraft::new(OwnerId(7), "ci".parse().unwrap())
}

pub(crate) fn policy(allow: &str, deny: &str) -> IpPolicy {
    IpPolicy {
        allow: allow.parse().unwrap(),
        deny: deny.parse().unwrap(),
    }
}

pub(crate) fn issue(draft: KeyDraft, peppers: &Peppers) -> NewKey {
    let prefix = "acme_live".parse().unwrap();
    draft.issue(&prefix, peppers, &mut rng(1), now()).unwrap()
}

/// A record and the key string that opens it.
pub(crate) fn issued(draft: KeyDraft, peppers: &Peppers) -> (ApiKey, String) {
    let (record, once) = issue(draft, peppers).into_parts();
    (record, once.reveal().as_str().to_owned())
}
