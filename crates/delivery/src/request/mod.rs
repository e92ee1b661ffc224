//! Requests: a URL, headers, a body, and a timeout.

mod builder;
mod delivery_id;
mod error;
mod headers;
mod origin;
mod ready;
mod redirect;
mod request_target;
mod trace;
mod trust;

pub use builder::RequestBuilder;
pub use error::RequestError;
#[cfg(feature = "sender")]
pub(crate) use headers::Header;
pub(crate) use origin::{Host, Origin};
pub use ready::Request;
pub use trust::Trust;

#[cfg(test)]
mod tests;
