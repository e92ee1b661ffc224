#![doc = include_str!("../README.md")]

mod ask;
mod authority;
mod cache;
mod circumstances;
mod denied;
mod entry;
mod error;
mod guesses;
mod judged;
mod layer;
mod noted;
mod observe;
mod principal;
mod service;
mod thread;
mod throttle;
mod visit;

// The public interface is:

// Types in its signatures:
pub use apikey_core::{Grant, NotGranted, RateLimit, RateLimitError, ScopeName};
pub use authority::Authority;
pub use denied::Denied;
pub use error::KeyError;
pub use gatepost_ids::{
    AccessLevel, Account, AccountAnswer, Accounts, AccountsError, OwnerId, Quota, Quotas, Realm,
    TenantId,
};
pub use guesses::{Attempt, FailureLimit, GuessLimiter, GuessLimits, RetryAfter};
pub use layer::{
    AuthLayer, AuthService, ForwardedHeader, PlatformAnswer, PlatformLogin, Presented, Refused,
    TrustedProxies,
};
pub use observe::{KeyNews, KeyNotice, KeyObserver, NotForwarded};
pub use principal::{Principal, Via};
pub use service::{KeyPage, KeyService, KeyServiceBuilder, OnLeak};
pub use throttle::{RateOf, RateStanding, RequestLimits};
pub use visit::Visit;
