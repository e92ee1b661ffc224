#![doc = include_str!("../README.md")]

mod ask;
mod authority;
mod cache;
mod denied;
mod guesses;
mod layer;
mod principal;
mod service;

// The public interface is:

pub use authority::Authority;
pub use denied::{Denied, KeyError};
pub use gatepost_ids::{
    AccessLevel, Account, AccountAnswer, Accounts, AccountsError, OwnerId, TenantId,
};
pub use guesses::FailureLimit;
pub use layer::{
    AuthLayer, AuthService, ForwardedHeader, PlatformAnswer, PlatformLogin, TrustedProxies,
};
pub use principal::{Principal, Via};
pub use service::{KeyPage, KeyService, KeyServiceBuilder};
