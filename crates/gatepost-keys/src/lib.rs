#![doc = include_str!("../README.md")]

mod authority;
mod cache;
mod cached_key;
mod denial;
mod error;
mod guesses;
mod key_decision;
mod layer;
mod observer;
mod platform_calls;
mod presence;
mod principal;
mod request_context;
mod service;
mod thread;
mod throttle;
mod use_notes;

// The public interface is:

// Types in its signatures:
pub use apikey_core::{Grant, NotGranted, RateLimit, RateLimitError, ScopeName};
pub use authority::Authority;
pub use denial::Denied;
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
pub use observer::{KeyNotice, KeyNoticeKind, KeyObserver, NotForwarded};
pub use presence::Visit;
pub use principal::{Principal, Via};
pub use service::{KeyPage, KeyService, KeyServiceBuilder, OnLeak};
pub use throttle::{RateOf, RateState, RequestLimits};
