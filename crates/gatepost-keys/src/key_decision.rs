//! The decision about a presented key before its owner is looked up.

use std::sync::Arc;

use apikey_core::{Accepted, KeyRefusal};

use crate::cached_key::Entry;

/// The decision about a key whose record was found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judged<'a> {
    pub(crate) entry: &'a Arc<Entry>,
    pub(crate) outcome: Result<Accepted, KeyRefusal>,
    /// Whether the record was read from the store for this request.
    pub(crate) is_cold: bool,
}

impl Judged<'_> {
    /// Returns whether the presented secret is wrong.
    #[inline]
    pub(crate) fn is_wrong_secret(&self) -> bool {
        is_wrong_secret(self.outcome)
    }
}

/// Returns whether the presented secret is wrong.
#[inline]
pub(crate) fn is_wrong_secret(outcome: Result<Accepted, KeyRefusal>) -> bool {
    use KeyRefusal::{Unknown, UnknownPepper, WrongSecret};
    matches!(outcome, Err(WrongSecret | UnknownPepper | Unknown))
}
