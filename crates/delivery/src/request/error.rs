//! Errors of requests that cannot be built.

#[cfg(feature = "sender")]
use crate::identity::ClientIdentityError;
use crate::sign::SigningKeyError;

/// The error for a request that could never be sent. No retry can help.
///
/// Texts name the field and the rule, and never a header's value.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum RequestError {
    /// The client certificate or its key cannot be used, or not with this URL.
    #[cfg(feature = "sender")]
    #[error("client certificate: {0}")]
    ClientIdentity(#[from] ClientIdentityError),
    /// The URL contains a user name or password; they belong in a header.
    #[error("url: must not carry a user name or a password")]
    Credentials,
    /// The delivery id is empty, longer than 256 bytes, not visible ASCII, or holds a dot, which
    /// separates what is signed.
    #[error("delivery id: must be 1 to 256 visible ASCII characters other than a dot")]
    DeliveryId,
    /// The header's name is not a token (RFC 9110 §5.6.2).
    #[error("header {0:?}: the name is not a valid header name")]
    HeaderName(String),
    /// The header's value holds a control character such as CR, LF or NUL (RFC 9110 §5.5).
    #[error("header {0:?}: the value holds a character that a header must not hold")]
    HeaderValue(String),
    /// The headers are longer than the target accepts over HTTP/2, as it announces. This is
    /// detected when the request is sent; nothing of it is written.
    #[error(
        "headers: longer than the {0} bytes that the target accepts over HTTP/2 \
         (SETTINGS_MAX_HEADER_LIST_SIZE, RFC 9113 §6.5.2)"
    )]
    HeadersBeyondTarget(u32),
    /// The method is `CONNECT`, which is not a delivery.
    #[error("method: CONNECT is not a delivery")]
    Method,
    /// The header belongs to the connection or to the framing of the message; the sender writes it.
    #[error("header {0:?}: is written by the sender itself")]
    ReservedHeader(String),
    /// The URL's scheme is not `http` or `https`.
    #[error("url: the scheme must be http or https")]
    Scheme,
    /// A signing secret cannot be read.
    #[error(transparent)]
    SigningKey(#[from] SigningKeyError),
    /// A signature needs a delivery id: it is part of what is signed.
    #[error("signing: a delivery id is needed")]
    SigningNeedsId,
    /// The budget is zero.
    #[error("timeout: must not be zero")]
    Timeout,
    /// There are more than 200 headers, or they are longer than 64 KiB in all.
    #[error("headers: at most 200, and 64 KiB in all")]
    TooManyHeaders,
    /// The URL has no host or cannot be written into a request line.
    #[error("url: has no host or cannot be sent")]
    Url,
}
