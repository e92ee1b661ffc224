#![doc = include_str!("../README.md")]

mod accounts;
mod authority;
mod cache;
mod denied;
mod guesses;
mod layer;
mod principal;
mod service;

// The public interface is:

pub use accounts::{AccessLevel, Account, AccountAnswer, Accounts, AccountsError, TenantId};
pub use authority::Authority;
pub use denied::{Denied, KeyError};
pub use guesses::GuessLimit;
pub use layer::{AuthLayer, AuthService, ForwardedHeader, HostAnswer, HostLogin, TrustedProxies};
pub use principal::{Principal, Via};
pub use service::{KeyPage, KeyService, KeyServiceBuilder};
