//! Key strings: `{prefix}_{id:16}_{secret:33}{check:6}`.
//!
//! - `prefix` identifies the platform, for people and secret scanners: [`Prefix`].
//! - `id` identifies the record and may be shown and logged: [`LookupId`].
//! - `secret` is known only to the holder: 33 base58 characters, 193 random bits.
//! - `check` is the CRC-32 of everything before it, in base58.
//!
//! [`KeyString`] is the owned form at creation, [`PresentedKey`] the borrowed form of a request.

mod imported;
mod layout;
mod lookup;
mod masked;
mod prefix;
mod presented;
mod scan;
mod string;

pub(crate) use layout::ID_SECRET_LEN;
pub use layout::MAX_KEY_LEN;
pub use lookup::{LookupId, LookupIdError};
pub use masked::{MaskedKey, MaskedKeyError};
pub use prefix::{Prefix, PrefixError};
pub use presented::{KeyFormatError, PresentedKey};
pub use scan::{Found, KEY_REGEX, Scan, scan, scan_words};
pub use string::{GeneratorError, KeyString};
