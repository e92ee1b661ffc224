//! The target URL of a webhook.

use std::fmt;
use std::str::FromStr;

use gatepost_ids::trim_pasted;
use url::Url;

use crate::error::{Field, Invalid};

/// The maximum length of a URL.
const MAX_BYTES: usize = 2048;

/// An absolute `http` or `https` URL with a host, without credentials and without a fragment.
///
/// It is parsed once, by the WHATWG rules of the `url` crate. All later steps use the parsed form,
/// so no two parsers can disagree about the target of a request. It cannot be constructed from a
/// literal, so every value is valid:
///
/// ```
/// assert!("file:///etc/passwd".parse::<webhook_model::TargetUrl>().is_err());
/// ```
/// ```compile_fail,E0423
/// let url = webhook_model::TargetUrl("file:///etc/passwd".parse().unwrap());
/// ```
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct TargetUrl(Url);

impl TargetUrl {
    /// Returns the parsed URL.
    #[must_use]
    pub fn as_url(&self) -> &Url {
        &self.0
    }

    /// Returns the URL as text, in its normal form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl FromStr for TargetUrl {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let refuse = |rule: &'static str| Err(Invalid::new(Field::Url, rule));
        let text = trim_pasted(text);
        if text.is_empty() {
            return refuse("is required");
        }
        if text.len() > MAX_BYTES {
            return refuse("must be at most 2048 bytes");
        }
        let url = match Url::parse(text) {
            Ok(url) => url,
            Err(url::ParseError::RelativeUrlWithoutBase) => {
                return refuse("must be absolute: http://… or https://…");
            }
            Err(error) => return Err(Invalid::new(Field::Url, format!("is not a URL: {error}"))),
        };
        if !matches!(url.scheme(), "http" | "https") {
            return refuse("must begin with http:// or https://");
        }
        if url.host_str().is_none_or(str::is_empty) {
            return refuse("must name a host");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return refuse("must not carry credentials: use the authorization type basic");
        }
        if url.fragment().is_some() {
            return refuse("must not have a fragment: it would never be sent");
        }
        if url.as_str().len() > MAX_BYTES {
            return refuse("must be at most 2048 bytes");
        }
        Ok(Self(url))
    }
}

impl fmt::Display for TargetUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str())
    }
}
