//! Webhooks: target and transport settings (SPEC 2.2).

mod authorization;
mod client_identity;
mod headers;
mod limits;
mod oauth2;
mod record;
mod request;
mod retry_schedule;
mod secret_carry_over;
mod signing;
mod url;

pub use authorization::{Authorization, AuthorizationKind};
pub use client_identity::ClientIdentity;
pub use headers::{Header, Headers, MAX_HEADERS};
pub use limits::{RateLimit, Retries, Timeout};
pub use oauth2::{AccessToken, ClientAuthentication, OAuth2, TokenRequest, token_error};
pub use record::{Activity, DeliveryMode, DeliveryOrder, Webhook};
pub use request::RequestHeader;
pub use retry_schedule::{MAX_RETRY_DELAYS, RetrySchedule};
pub use secret_carry_over::ResubmittedSecrets;
pub use signing::{SigningSecret, SigningSecrets};
pub use url::TargetUrl;
