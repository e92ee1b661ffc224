//! What is known of a key that was presented, before its owner is asked for.

use std::sync::Arc;

use apikey_core::{Accepted, KeyRefusal};

use crate::entry::Entry;

/// A record was found, and this is what it says of the key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judged<'a> {
    pub(crate) entry: &'a Arc<Entry>,
    pub(crate) outcome: Result<Accepted, KeyRefusal>,
    /// Whether the record was read from the store for this request.
    pub(crate) is_cold: bool,
}

impl Judged<'_> {
    /// Whether whoever presents the key does not have it.
    #[inline]
    pub(crate) fn is_wrong_secret(&self) -> bool {
        is_wrong_secret(self.outcome)
    }
}

/// Whether whoever presents the key does not have it.
#[inline]
pub(crate) fn is_wrong_secret(outcome: Result<Accepted, KeyRefusal>) -> bool {
    use KeyRefusal::{Unknown, UnknownPepper, WrongSecret};
    matches!(outcome, Err(WrongSecret | UnknownPepper | Unknown))
}
