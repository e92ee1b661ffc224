//! Webhooks that authenticate by OAuth 2 client credentials (RFC 6749 §4.4): a type of ours.

mod clients;
mod host;
