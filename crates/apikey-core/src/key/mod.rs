//! Key strings: `{prefix}_{id:16}_{secret:33}{check:6}`.
//!
//! - `prefix` is the host's, for people and secret scanners: [`Prefix`].
//! - `id` finds the record and may be shown and logged: [`LookupId`].
//! - `secret` is what only the holder knows: 33 base58 characters, 193 random bits.
//! - `check` is the CRC-32 of everything before it, in base58.
//!
//! [`KeyString`] is the owned form at creation, [`PresentedKey`] the borrowed form of a request.

mod hint;
mod imported;
mod lookup;
mod prefix;
mod presented;
mod scan;
mod string;

pub use hint::{HintError, KeyHint};
pub use lookup::{LookupId, LookupIdError};
pub use prefix::{Prefix, PrefixError};
pub use presented::{KeyFormatError, PresentedKey};
pub use scan::{Found, KEY_REGEX, Scan, scan};
pub use string::{GeneratorError, KeyString};

pub(crate) const ID_LEN: usize = 16;
pub(crate) const SECRET_LEN: usize = 33;
pub(crate) const CHECK_LEN: usize = 6;
/// `{id}_{secret}`: what the digest covers. With its padding it fits one block of SHA-256.
pub(crate) const ID_SECRET_LEN: usize = ID_LEN + 1 + SECRET_LEN;
/// `{id}_{secret}{check}`: the part of fixed length, from the right.
pub(crate) const TAIL_LEN: usize = ID_SECRET_LEN + CHECK_LEN;
pub(crate) const MAX_PREFIX_LEN: usize = 19;

/// The length in bytes of the longest key string: a prefix of 19, `_`, and 56 fixed characters.
pub const MAX_KEY_LEN: usize = MAX_PREFIX_LEN + 1 + TAIL_LEN;
