//! Keys of the measurements.
#![allow(
    clippy::unwrap_used,
    reason = "a measurement stops where it cannot be taken"
)]

use apikey_core::{ApiKey, KeyDraft, OwnerId, Peppers, Prefix};

use crate::platform::now;

/// Returns a key with all permissions, and its string; it is stored nowhere yet.
///
/// # Panics
/// If the name is not valid.
#[must_use]
pub fn issued(owner: OwnerId, name: &str) -> (ApiKey, String) {
    let draft = KeyDraft::new(owner, name.parse().unwrap());
    let new = draft.issue(
        &Prefix::default(),
        &Peppers::none(),
        &mut rand::rng(),
        now(),
    );
    let (record, reveal) = new.unwrap().into_parts();
    (record, reveal.reveal().as_str().to_owned())
}
