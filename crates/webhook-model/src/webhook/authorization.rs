//! The authorization of requests to a target (SPEC 2.2, SPEC 5.2).

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gatepost_ids::hidden_character;
use zeroize::Zeroizing;

use super::oauth2::{OAuth2, stored_client};
use crate::error::{Field, Invalid};
use crate::secret::Secret;

/// The maximum size of a value.
const MAX_BYTES: usize = 8192;

const KINDS: [AuthorizationKind; 5] = [
    AuthorizationKind::None,
    AuthorizationKind::Basic,
    AuthorizationKind::Bearer,
    AuthorizationKind::ApiKey,
    AuthorizationKind::OAuth2,
];

/// The type of an authorization, without its value.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[allow(clippy::exhaustive_enums, reason = "each has its own form and text")]
pub enum AuthorizationKind {
    /// No authorization is sent.
    #[default]
    None,
    /// `Authorization: Basic …`
    Basic,
    /// `Authorization: Bearer …`
    Bearer,
    /// A raw key in a separate header.
    ApiKey,
    /// `Authorization: Bearer …` with an access token, which is requested with a client's secret.
    /// An extension of the SPEC.
    OAuth2,
}

impl AuthorizationKind {
    /// Returns the word on the wire: `none`, `basic`, `bearer`, `apikey`, `oauth2`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Basic => "basic",
            Self::Bearer => "bearer",
            Self::ApiKey => "apikey",
            Self::OAuth2 => "oauth2",
        }
    }

    /// Parses the word on the wire.
    ///
    /// # Errors
    /// Any other word.
    pub fn parse(word: &str) -> Result<Self, Invalid> {
        KINDS
            .into_iter()
            .find(|kind| kind.as_str() == word)
            .ok_or_else(|| {
                Invalid::new(
                    Field::AuthorizationType,
                    "must be one of none, basic, bearer, apikey, oauth2",
                )
            })
    }
}

impl fmt::Display for AuthorizationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An authorization with its value. `Debug` shows no value.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Authorization {
    /// No authorization is sent.
    #[default]
    None,
    /// The token, without the word Bearer.
    Bearer(Secret),
    /// The raw key, without any prefix.
    ApiKey(Secret),
    /// A user and a password (RFC 7617).
    Basic {
        /// The user; must not contain a colon.
        user: String,
        /// The password; may contain colons, may be empty.
        password: Secret,
    },
    /// A client of a token endpoint (RFC 6749 §4.4).
    OAuth2(Box<OAuth2>),
}

impl Authorization {
    /// Creates a bearer token: characters of a `b64token` (RFC 6750 §2.1), at most 8 KiB.
    ///
    /// # Errors
    /// An empty token, one that begins with the word Bearer, or other characters.
    pub fn bearer(token: &str) -> Result<Self, Invalid> {
        present(token)?;
        let word = token.split(' ').next().unwrap_or_default();
        if word.eq_ignore_ascii_case("bearer") {
            return Err(refuse("must be only the token, without the word Bearer"));
        }
        let body = token.trim_end_matches('=');
        if body.is_empty()
            || !body
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-._~+/".contains(&b))
        {
            return Err(refuse(
                "must be a token of letters, digits and -._~+/ (RFC 6750)",
            ));
        }
        Ok(Self::Bearer(Secret::new(token)))
    }

    /// Creates a raw key: visible ASCII, spaces inside allowed, at most 8 KiB.
    ///
    /// # Errors
    /// An empty key, one that begins with a keyword such as `Bearer `, or other characters.
    pub fn api_key(key: &str) -> Result<Self, Invalid> {
        present(key)?;
        let scheme = key.split_once(' ').map(|(word, _)| word);
        if scheme.is_some_and(|word| {
            ["bearer", "basic", "apikey"]
                .iter()
                .any(|s| word.eq_ignore_ascii_case(s))
        }) {
            return Err(refuse("must be the raw key, without a prefix or keyword"));
        }
        let visible = key.bytes().all(|b| (b' '..=b'~').contains(&b));
        if !visible || key.starts_with(' ') || key.ends_with(' ') {
            return Err(refuse("must be visible ASCII without surrounding spaces"));
        }
        Ok(Self::ApiKey(Secret::new(key)))
    }

    /// Creates a user and a password.
    ///
    /// # Errors
    /// An empty user, a colon in the user, control characters (RFC 7617 §2), hidden characters in
    /// the user ([`hidden_character`]).
    pub fn basic(user: &str, password: &str) -> Result<Self, Invalid> {
        if hidden_character(user).is_some() {
            return Err(refuse("must not have hidden characters in the user"));
        }
        Self::stored_basic(user, password)
    }

    fn stored_basic(user: &str, password: &str) -> Result<Self, Invalid> {
        if user.is_empty() {
            return Err(refuse("must name a user"));
        }
        if user.contains(':') {
            return Err(refuse("must not have a colon in the user (RFC 7617)"));
        }
        if user.chars().chain(password.chars()).any(char::is_control) {
            return Err(refuse("must not contain control characters"));
        }
        if user.len() + password.len() > MAX_BYTES {
            return Err(refuse("must be at most 8192 bytes"));
        }
        Ok(Self::Basic {
            user: user.to_owned(),
            password: Secret::new(password),
        })
    }

    /// Creates an authorization from its type and its value as one text: the token, the raw key,
    /// `user:password`, or an OAuth 2 client as [`secret_text`](Self::secret_text) writes it.
    ///
    /// # Errors
    /// A value with the type none, no value with another type, and the errors of the constructors.
    pub fn from_parts(kind: AuthorizationKind, value: Option<&str>) -> Result<Self, Invalid> {
        let value = value.unwrap_or_default();
        match kind {
            AuthorizationKind::None if value.is_empty() => Ok(Self::None),
            AuthorizationKind::None => {
                Err(refuse("must be empty with the authorization type none"))
            }
            AuthorizationKind::Bearer => Self::bearer(value),
            AuthorizationKind::ApiKey => Self::api_key(value),
            AuthorizationKind::Basic => match value.split_once(':') {
                Some((user, password)) => Self::basic(user, password),
                None => Err(refuse("must be user:password")),
            },
            AuthorizationKind::OAuth2 => Ok(Self::OAuth2(Box::new(stored_client(value)?))),
        }
    }

    /// Parses a stored authorization as [`from_parts`](Self::from_parts) does. Hidden characters in
    /// the user are allowed, since earlier versions accepted them.
    ///
    /// # Errors
    /// The errors of [`from_parts`](Self::from_parts).
    pub fn stored(kind: AuthorizationKind, value: Option<&str>) -> Result<Self, Invalid> {
        match (kind, value.and_then(|value| value.split_once(':'))) {
            (AuthorizationKind::Basic, Some((user, password))) => {
                Self::stored_basic(user, password)
            }
            _ => Self::from_parts(kind, value),
        }
    }

    /// Returns the type.
    #[must_use]
    pub fn kind(&self) -> AuthorizationKind {
        match self {
            Self::None => AuthorizationKind::None,
            Self::Bearer(_) => AuthorizationKind::Bearer,
            Self::ApiKey(_) => AuthorizationKind::ApiKey,
            Self::Basic { .. } => AuthorizationKind::Basic,
            Self::OAuth2(_) => AuthorizationKind::OAuth2,
        }
    }

    /// Returns the value as one text, as [`from_parts`](Self::from_parts) reads it; a backend seals
    /// and stores it.
    #[must_use]
    pub fn secret_text(&self) -> Option<Secret> {
        match self {
            Self::None => None,
            Self::Bearer(secret) | Self::ApiKey(secret) => Some(secret.clone()),
            Self::Basic { user, password } => {
                Some(Secret::new(format!("{user}:{}", password.expose())))
            }
            Self::OAuth2(client) => Some(client.to_text()),
        }
    }

    /// Returns the value of the header, if it is known before the attempt.
    pub(super) fn header_value(&self) -> Option<Secret> {
        match self {
            Self::None | Self::OAuth2(_) => None,
            Self::Bearer(token) => Some(Secret::new(format!("Bearer {}", token.expose()))),
            Self::ApiKey(key) => Some(key.clone()),
            Self::Basic { .. } => {
                let credentials = self.secret_text()?;
                Some(Secret::new(format!(
                    "Basic {}",
                    *Zeroizing::new(STANDARD.encode(credentials.expose()))
                )))
            }
        }
    }
}

fn present(value: &str) -> Result<(), Invalid> {
    match value.len() {
        0 => Err(refuse("is required with this authorization type")),
        1..=MAX_BYTES => Ok(()),
        _ => Err(refuse("must be at most 8192 bytes")),
    }
}

fn refuse(rule: &'static str) -> Invalid {
    Invalid::new(Field::AuthorizationValue, rule)
}
