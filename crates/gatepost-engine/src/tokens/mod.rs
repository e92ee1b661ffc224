//! Access tokens of OAuth 2 clients (RFC 6749 §4.4): fetched from the token endpoint, and kept for
//! one revision of a webhook in this process.

mod fetch;
mod slot;

pub(crate) use fetch::{Call, NoToken};
pub(crate) use slot::TokenSlot;
