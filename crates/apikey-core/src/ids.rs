//! Row numbers as types of their own, so that a key's number cannot stand for an owner's.

use std::fmt;

macro_rules! row_number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

row_number!(
    /// The user account that owns a key (SPEC 2.1, *Owner*). The host gives it out.
    OwnerId
);
row_number!(
    /// The row number of a stored key. The storage backend gives it out; it says nothing about
    /// the key string, whose public part is the [`LookupId`](crate::LookupId).
    KeyId
);
