#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "sender")]
mod connect;
mod egress;
#[cfg(feature = "sender")]
mod identity;
#[cfg(feature = "sender")]
mod meter;
mod outcome;
#[cfg(feature = "sender")]
mod pool;
#[cfg(feature = "sender")]
mod progress;
#[cfg_attr(not(feature = "sender"), allow(dead_code, unused_imports))]
mod request;
mod retry;
#[cfg(feature = "sender")]
mod sender;
#[cfg(feature = "sender")]
mod setup_error;
mod sign;
#[cfg(feature = "sender")]
mod tls;
#[cfg(feature = "verify")]
mod verify;

#[cfg(feature = "sender")]
pub use connect::{
    Dial, DialFuture, IoStream, Proxy, ProxyError, Resolve, ResolveFuture, SystemResolver,
};
pub use egress::{HostPattern, HostPatternError, SpecialPurpose, TargetPolicy, TargetRefusal};
pub use http::Method;
#[cfg(feature = "sender")]
pub use identity::{
    ClientCertificate, ClientIdentity, ClientIdentityError, MAX_CERTIFICATES, MAX_IDENTITY,
};
pub use outcome::{
    Attempt, AttemptOutcome, CapturedBody, CapturedHead, ConnectFault, DnsFault, ErrorClass, Phase,
    Protocol, ProxyFault, Timings, TlsFault, TokenFault,
};
pub use request::{Request, RequestBuilder, RequestError, Trust};
pub use retry::{MAX_DELAY, RetryPolicy, Retryable, Schedule, ScheduleError, parse_retry_after};
/// The type of rustls that [`SenderBuilder::crypto_provider`] takes.
#[cfg(feature = "sender")]
pub use rustls::crypto::CryptoProvider;
#[cfg(feature = "sender")]
pub use sender::{Delivered, HeaderNames, Preview, Sender, SenderBuilder};
#[cfg(feature = "sender")]
pub use setup_error::SetupError;
pub use sign::{SigningKey, SigningKeyError, SigningKeys};
#[cfg(feature = "sender")]
pub use tls::{MinTls, Roots};
#[cfg(feature = "verify")]
pub use verify::{Verified, Verifier, VerifyError, VerifyKey};
