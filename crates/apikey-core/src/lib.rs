#![doc = include_str!("../README.md")]

mod base58;
pub mod bearer;
mod digest;
mod grant;
mod ip;
mod key;
mod rate;
mod record;
mod refusal;
mod reveal;
mod verify_key;

// The public interface is:

pub use digest::{
    Digest, DigestMatch, DigestScheme, ImportedScheme, Pepper, PepperError, PepperId, Peppers,
    SchemeError,
};
pub use gatepost_ids::{KeyId, OwnerId};
pub use grant::{
    Access, Grant, GrantNameError, MAX_GRANTED, Names, NamesError, NotGranted, ScopeName,
    ScopeNames, TableName, TableNames,
};
pub use ip::{
    CompiledIpPolicy, Explanation, IpEntry, IpLint, IpList, IpListError, IpListName, IpPolicy,
    IpRange, IpRangeError, IpVerdict, MAX_IP_ENTRIES,
};
pub use key::{
    Found, GeneratorError, KEY_REGEX, KeyFormatError, KeyString, LookupId, LookupIdError,
    MAX_KEY_LEN, MaskedKey, MaskedKeyError, Prefix, PrefixError, PresentedKey, Scan, scan,
    scan_words,
};
pub use rate::{Drawn, Empty, Level, RateLimit, RateLimitError};
pub use record::{
    ApiKey, Bounds, Description, DescriptionError, DraftError, EditError, ExceedsCaller,
    Expiration, ExpirationError, InvalidTransition, KeyDraft, KeyEdit, KeyMove, KeyName, KeyState,
    LastLogin, NameError, Overlap, OverlapError, Successor,
};
pub use refusal::KeyRefusal;
pub use reveal::{NewKey, Pak, RevealOnce, RevealedKey};
pub use verify_key::{Accepted, Checker, reject_unknown, verify_key};
