//! The credentials for a proxy.

use zeroize::Zeroizing;

use super::error::ProxyError;

/// The maximum length of the user name and of the password, in bytes (RFC 1929 §2).
const MAX_LEN: usize = 255;

/// A user and a password that can be sent.
pub(super) struct Login {
    pub(super) user: Zeroizing<String>,
    pub(super) password: Zeroizing<String>,
}

impl Login {
    /// Returns the user and the password of a URL; `None` if it has neither.
    pub(super) fn of(url: &url::Url) -> Result<Option<Self>, ProxyError> {
        if url.username().is_empty() && url.password().is_none() {
            return Ok(None);
        }
        let user = percent_decoded(url.username())?;
        let password = percent_decoded(url.password().unwrap_or_default())?;
        let fits = |text: &str| text.len() <= MAX_LEN && !text.contains(char::is_control);
        // RFC 7617 §2: no colon in the user name.
        if user.is_empty() || user.contains(':') || !fits(&user) || !fits(&password) {
            return Err(ProxyError::Credentials);
        }
        Ok(Some(Self { user, password }))
    }
}

fn percent_decoded(text: &str) -> Result<Zeroizing<String>, ProxyError> {
    let mut out = Zeroizing::new(Vec::with_capacity(text.len()));
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let mut digit = || bytes.next().and_then(|b| char::from(b).to_digit(16));
        let (Some(hi), Some(lo)) = (digit(), digit()) else {
            return Err(ProxyError::Credentials);
        };
        out.push(u8::try_from(hi * 16 + lo).map_err(|_| ProxyError::Credentials)?);
    }
    let text = std::str::from_utf8(&out).map_err(|_| ProxyError::Credentials)?;
    Ok(Zeroizing::new(text.to_owned()))
}
