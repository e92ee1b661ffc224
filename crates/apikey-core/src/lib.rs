#![doc = include_str!("../README.md")]

mod base58;
pub mod bearer;
mod decide;
mod digest;
mod ip;
mod key;
mod record;
mod reveal;

// The public interface is:

pub use decide::{Checker, Grant, KeyRefusal, decide, reject_unknown};
pub use digest::{
    Digest, DigestMatch, DigestScheme, ImportedScheme, Pepper, PepperError, PepperId, Peppers,
    SchemeError,
};
pub use gatepost_ids::{KeyId, OwnerId};
pub use ip::{
    CompiledIpPolicy, Explanation, IpEntry, IpLint, IpList, IpListError, IpListName, IpPolicy,
    IpRange, IpRangeError, IpVerdict, MAX_IP_ENTRIES,
};
pub use key::{
    Found, GeneratorError, HintError, KEY_REGEX, KeyFormatError, KeyHint, KeyString, LookupId,
    LookupIdError, MAX_KEY_LEN, Prefix, PrefixError, PresentedKey, Scan, scan,
};
pub use record::{
    ApiKey, Description, DescriptionError, DraftError, EditError, Expiration, ExpirationError,
    IllegalMove, KeyDraft, KeyEdit, KeyMove, KeyName, KeyState, LastLogin, NameError,
};
pub use reveal::{NewKey, Pak, RevealOnce, RevealedKey};
