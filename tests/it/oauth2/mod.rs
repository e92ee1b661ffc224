//! Webhooks that authenticate by OAuth 2 client credentials (RFC 6749 §4.4), a type that v4 does
//! not have.

mod clients;
mod host;
