//! The header `Authorization: Bearer <key>`, parsed as strictly as SPEC 5.1 rule 1 requires: the
//! header contains only the key string, with no extra spaces and no truncation (RFC 6750 section
//! 2.1).

/// The maximum length of a token in bytes: far above our own keys, with space for those of an older
/// system.
pub const MAX_TOKEN_LEN: usize = 512;

const SCHEME: &[u8] = b"bearer";

/// Extracts the token from a request's `Authorization` header values (pass all of them: a second
/// one is an error).
///
/// The scheme is case-insensitive (RFC 9110 section 11.1) and followed by exactly one space and the
/// token: 1 to 512 visible ASCII characters.
///
/// # Errors
/// [`BearerError`] contains the reason, for the log. A client must only get the information that
/// authentication failed.
///
/// ```
/// use apikey_core::bearer::{BearerError, token_of};
///
/// assert_eq!(token_of([b"Bearer abc".as_slice()]), Ok("abc"));
/// assert_eq!(token_of([b"Bearer  abc".as_slice()]), Err(BearerError::ExtraSpace));
/// assert_eq!(token_of([]), Err(BearerError::Missing));
/// ```
#[inline]
pub fn token_of<'a>(values: impl IntoIterator<Item = &'a [u8]>) -> Result<&'a str, BearerError> {
    let mut values = values.into_iter();
    let value = values.next().ok_or(BearerError::Missing)?;
    if values.next().is_some() {
        return Err(BearerError::Repeated);
    }
    if value.len() > SCHEME.len() + 1 + MAX_TOKEN_LEN {
        return Err(BearerError::TooLong);
    }
    let Some((scheme, rest)) = value.split_at_checked(SCHEME.len()) else {
        return Err(other_scheme(value));
    };
    if !scheme.eq_ignore_ascii_case(SCHEME) {
        return Err(other_scheme(value));
    }
    let token = match rest {
        [] | [b' '] => return Err(BearerError::NoToken),
        [b' ', token @ ..] => token,
        [b'\t', ..] => return Err(BearerError::Tab),
        _ => return Err(BearerError::OtherScheme),
    };
    visible_ascii(token)?;
    // Visible ASCII is UTF-8.
    std::str::from_utf8(token).map_err(|_| BearerError::NotAscii)
}

/// The reason why a request has no valid token.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BearerError {
    /// The header contains a control character.
    #[error("Authorization header holds a control character")]
    Control,
    /// There is a space before the scheme, two after it, or one inside or after the token.
    #[error("Authorization header holds an extra space")]
    ExtraSpace,
    /// There is no `Authorization` header.
    #[error("Authorization header is missing")]
    Missing,
    /// There is only the scheme.
    #[error("Authorization header holds no token")]
    NoToken,
    /// The header contains a byte beyond ASCII.
    #[error("Authorization header holds a character beyond ASCII")]
    NotAscii,
    /// The scheme is another one, such as Basic, or missing.
    #[error("Authorization scheme is not Bearer")]
    OtherScheme,
    /// There are two `Authorization` headers, or more.
    #[error("Authorization header is given more than once")]
    Repeated,
    /// The header contains a tab.
    #[error("Authorization header holds a tab")]
    Tab,
    /// The header is longer than any token.
    #[error("Authorization header is too long")]
    TooLong,
}

#[inline]
fn visible_ascii(token: &[u8]) -> Result<(), BearerError> {
    if token.iter().fold(true, |ok, b| ok & b.is_ascii_graphic()) {
        return Ok(());
    }
    let first = token.iter().find(|b| !b.is_ascii_graphic());
    Err(match first {
        Some(b' ') => BearerError::ExtraSpace,
        Some(b'\t') => BearerError::Tab,
        Some(0x80..) => BearerError::NotAscii,
        _ => BearerError::Control,
    })
}

/// Distinguishes a blank before the scheme from another scheme.
#[cold]
fn other_scheme(value: &[u8]) -> BearerError {
    match value.first() {
        Some(b' ') => BearerError::ExtraSpace,
        Some(b'\t') => BearerError::Tab,
        _ => BearerError::OtherScheme,
    }
}
