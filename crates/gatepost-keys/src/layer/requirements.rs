//! The requirements of a route for the grant of a key.

use apikey_core::{Access, Grant, NotGranted, ScopeName};
use http::{HeaderValue, Method};

/// By default no scope is required, and a key that names its tables or scopes is refused.
#[derive(Clone, Debug, Default)]
pub(super) struct Needs {
    pub(super) scope: Option<ScopeName>,
    /// The guarded service itself checks the grant.
    pub(super) judged_within: bool,
}

impl Needs {
    pub(super) fn check(&self, grant: &Grant, method: &Method) -> Result<(), NotGranted> {
        let touch = if method.is_safe() {
            Access::Read
        } else {
            Access::Write
        };
        if let Some(scope) = &self.scope {
            grant.allows_scope(scope)?;
        }
        match (&self.scope, self.judged_within) {
            (_, true) => Ok(()),
            (Some(_), false) => grant.allows_access(touch),
            (None, false) => grant.allows_elsewhere(touch),
        }
    }
}

/// Returns the challenge of RFC 6750 §3.1, with the scope if one is missing.
pub(super) fn challenge(why: &NotGranted) -> HeaderValue {
    let missing = r#"Bearer error="insufficient_scope""#;
    let named = match why {
        NotGranted::Scope(scope) => format!(r#"{missing}, scope="{scope}""#).try_into().ok(),
        _ => None,
    };
    named.unwrap_or(HeaderValue::from_static(missing))
}
