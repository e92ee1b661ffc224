//! OAuth 2 client credentials (RFC 6749 §4.4), an extension of the four types of SPEC 2.2. The
//! target gets an access token that a token endpoint issues for a client's secret.

mod client;
mod stored;
#[cfg(test)]
mod tests;
mod token;

pub use client::{ClientAuthentication, OAuth2};
pub(super) use stored::stored_client;
pub use token::{AccessToken, TokenRequest, token_error};
