#![doc = include_str!("../README.md")]

mod base58;
pub mod bearer;
mod digest;
mod grant;
mod ip;
mod judge;
mod key;
mod rate;
mod record;
mod refusal;
mod reveal;

// The public interface is:

pub use digest::{
    Digest, DigestMatch, DigestScheme, ImportedScheme, Pepper, PepperError, PepperId, Peppers,
    SchemeError,
};
pub use gatepost_ids::{KeyId, OwnerId};
pub use grant::{
    Grant, GrantNameError, MAX_GRANTED, Names, NamesError, NotGranted, ScopeName, ScopeNames,
    TableName, TableNames, Touch,
};
pub use ip::{
    CompiledIpPolicy, Explanation, IpEntry, IpLint, IpList, IpListError, IpListName, IpPolicy,
    IpRange, IpRangeError, IpVerdict, MAX_IP_ENTRIES,
};
pub use judge::{Accepted, Checker, judge, reject_unknown};
pub use key::{
    Found, GeneratorError, HintError, KEY_REGEX, KeyFormatError, KeyHint, KeyString, LookupId,
    LookupIdError, MAX_KEY_LEN, Prefix, PrefixError, PresentedKey, Scan, scan, scan_words,
};
pub use rate::{Drawn, Empty, Level, RateLimit, RateLimitError};
pub use record::{
    ApiKey, BeyondBounds, Bounds, Description, DescriptionError, DraftError, EditError, Expiration,
    ExpirationError, IllegalMove, KeyDraft, KeyEdit, KeyMove, KeyName, KeyState, LastLogin,
    NameError, Overlap, OverlapError, Successor,
};
pub use refusal::KeyRefusal;
pub use reveal::{NewKey, Pak, RevealOnce, RevealedKey};
