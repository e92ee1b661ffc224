//! The error classes of hyper's errors.

use std::error::Error as StdError;
use std::io;

use crate::meter::HeadTooLarge;
use crate::outcome::{ErrorClass, TlsFault};
use crate::tls::tls_fault;

/// The class of an exchange that ended without a head.
pub(super) fn hyper_class(error: &hyper::Error) -> ErrorClass {
    let mut cause: Option<&(dyn StdError + 'static)> = error.source();
    while let Some(inner) = cause {
        if let Some(io) = inner.downcast_ref::<io::Error>() {
            return io_class(io);
        }
        cause = inner.source();
    }
    if error.is_parse() {
        // hyper distinguishes the two in its text only.
        return if error.to_string().contains("too large") {
            ErrorClass::TooLarge
        } else {
            ErrorClass::Protocol
        };
    }
    if error.is_incomplete_message() || error.is_canceled() || error.is_closed() {
        return ErrorClass::Reset;
    }
    ErrorClass::Protocol
}

/// Returns whether an HTTP/2 connection ended before a response's head was complete, or did not
/// accept the request (RFC 9113 §8.7). Such an error has no relation to the request.
pub(super) fn is_connection_lost(error: &hyper::Error) -> bool {
    let mut cause: Option<&(dyn StdError + 'static)> = error.source();
    while let Some(inner) = cause {
        if inner.is::<io::Error>() {
            return true;
        }
        if let Some(inner) = inner.downcast_ref::<h2::Error>() {
            let is_refused = inner.reason() == Some(h2::Reason::REFUSED_STREAM);
            return inner.is_go_away() || (inner.is_remote() && is_refused);
        }
        cause = inner.source();
    }
    error.is_canceled() || error.is_closed()
}

fn io_class(error: &io::Error) -> ErrorClass {
    let inner = error.get_ref();
    if inner.is_some_and(|inner| inner.is::<HeadTooLarge>()) {
        return ErrorClass::TooLarge;
    }
    if inner.is_some_and(|inner| inner.is::<rustls::Error>()) {
        return ErrorClass::Tls(tls_fault(error));
    }
    if error.kind() == io::ErrorKind::InvalidData {
        // A TLS message that exceeds rustls's limit, for which it has no separate error.
        return ErrorClass::Tls(TlsFault::Protocol);
    }
    ErrorClass::Reset
}
