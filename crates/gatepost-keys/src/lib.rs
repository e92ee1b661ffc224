#![doc = include_str!("../README.md")]

mod ask;
mod authority;
mod cache;
mod denied;
mod error;
mod failure_limiter;
mod judged;
mod layer;
mod principal;
mod service;

// The public interface is:

pub use authority::Authority;
pub use denied::Denied;
pub use error::KeyError;
pub use failure_limiter::FailureLimit;
pub use gatepost_ids::{
    AccessLevel, Account, AccountAnswer, Accounts, AccountsError, OwnerId, Place, Quota, Quotas,
    TenantId,
};
pub use layer::{
    AuthLayer, AuthService, ForwardedHeader, PlatformAnswer, PlatformLogin, TrustedProxies,
};
pub use principal::{Principal, Via};
pub use service::{KeyPage, KeyService, KeyServiceBuilder};
