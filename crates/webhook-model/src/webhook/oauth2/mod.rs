//! OAuth 2 client credentials (RFC 6749 §4.4): a type of ours beyond the four of SPEC 2.2. What is
//! sent to the target is an access token that a token endpoint gives out for a client's secret.

mod client;
mod stored;
#[cfg(test)]
mod tests;
mod token;

pub use client::{ClientAuthentication, OAuth2};
pub(super) use stored::stored_client;
pub use token::{AccessToken, TokenRequest, token_error};
