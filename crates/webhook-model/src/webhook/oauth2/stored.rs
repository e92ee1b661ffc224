//! A client as one text, which a backend seals.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::client::{ClientAuthentication, OAuth2};
use crate::error::{Field, Invalid};
use crate::secret::Secret;

#[derive(Deserialize, Serialize)]
struct Stored<'a> {
    #[serde(borrow)]
    token_url: Cow<'a, str>,
    client_id: Cow<'a, str>,
    client_secret: Cow<'a, str>,
    scope: Cow<'a, str>,
    authentication: Cow<'a, str>,
}

impl OAuth2 {
    /// Returns everything as one JSON text.
    pub(in crate::webhook) fn to_text(&self) -> Secret {
        let stored = Stored {
            token_url: self.token_url().as_str().into(),
            client_id: self.client_id().into(),
            client_secret: self.client_secret().expose().into(),
            scope: self.scope().into(),
            authentication: self.authentication().as_str().into(),
        };
        // All members are texts: it cannot fail, and an empty text would not be read back.
        Secret::new(serde_json::to_string(&stored).unwrap_or_default())
    }
}

/// Parses the output of [`OAuth2::to_text`]. An error repeats nothing of it.
pub(in crate::webhook) fn stored_client(text: &str) -> Result<OAuth2, Invalid> {
    let unreadable = |_| Invalid::new(Field::AuthorizationValue, "is no OAuth 2 client");
    let stored: Stored<'_> = serde_json::from_str(text).map_err(unreadable)?;
    let authentication = ClientAuthentication::parse(&stored.authentication)?;
    let client = OAuth2::new(&stored.token_url, &stored.client_id, &stored.client_secret)?;
    Ok(client
        .with_scope(&stored.scope)?
        .with_authentication(authentication))
}
