//! The parts of a webhook that are sealed at rest: URL, authorization, client certificate with its
//! key, headers, signing secrets.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use webhook_model::{
    Authorization, AuthorizationKind, ClientIdentity, Headers, SigningSecret, SigningSecrets,
    TargetUrl, Webhook,
};
use zeroize::Zeroizing;

use crate::error::{ErrorKind, StoreError};
use crate::seal::SealingKeys;

const AUTHORIZATION: &str = "webhook.authorization";
const CLIENT_IDENTITY: &str = "webhook.client_identity";
const HEADERS: &str = "webhook.headers";
const SIGNING: &str = "webhook.signing";
const URL: &str = "webhook.url";
/// Begins a column of text that is sealed; no URL that is accepted begins so.
const SEALED: &str = "sealed:";

/// The five sealed columns of a webhook. Each is bound to its column: a value that was moved to
/// another does not open.
///
/// A backend also stores the kind of the authorization, as a word, which is not secret.
#[derive(Clone, Eq, PartialEq)]
pub struct SealedSecrets {
    /// The URL: `sealed:` and base64, or the URL itself where there is no key, or was none when it
    /// was stored. Paths such as those of chat services are credentials.
    pub url: String,
    /// The secret of the authorization, sealed; `None` where its kind has none.
    pub authorization: Option<Vec<u8>>,
    /// The client certificate with its key, sealed; `None` where it has none, as in rows of before.
    pub client_identity: Option<Vec<u8>>,
    /// The header lines, sealed.
    pub headers: Vec<u8>,
    /// The signing secrets, one in a line, sealed.
    pub signing: Vec<u8>,
}

/// What [`SealedSecrets`] hold, opened.
#[derive(Clone, Debug, PartialEq)]
pub struct WebhookSecrets {
    /// The endpoint.
    pub url: TargetUrl,
    /// The authorization.
    pub authorization: Authorization,
    /// The client certificate with its key.
    pub client_identity: Option<ClientIdentity>,
    /// The headers, in their order.
    pub headers: Headers,
    /// The signing secrets, in their order.
    pub signing: SigningSecrets,
}

impl SealedSecrets {
    /// Seals the secret parts of `webhook` under the current one of `keys`, or stores them in
    /// plaintext where there is none.
    ///
    /// # Errors
    /// `Invalid` when a secret is too long to seal.
    pub fn seal(webhook: &Webhook, keys: &SealingKeys) -> Result<Self, StoreError> {
        let secret = webhook.authorization.secret_text();
        let identity = webhook.client_identity.as_ref();
        let headers = Zeroizing::new(webhook.headers.to_string());
        let signing: Vec<&str> = webhook.signing.iter().map(SigningSecret::expose).collect();
        let signing = Zeroizing::new(signing.join("\n"));
        Ok(Self {
            url: seal_text(keys, webhook.url.as_str(), URL)?,
            authorization: secret
                .map(|s| seal(keys, s.expose().as_bytes(), AUTHORIZATION))
                .transpose()?,
            client_identity: identity
                .map(|i| seal(keys, i.to_text().expose().as_bytes(), CLIENT_IDENTITY))
                .transpose()?,
            headers: seal(keys, headers.as_bytes(), HEADERS)?,
            signing: seal(keys, signing.as_bytes(), SIGNING)?,
        })
    }

    /// Opens the columns. `kind` is the stored word for the kind of the authorization.
    ///
    /// # Errors
    /// `Corrupt` when a column opens under none of `keys`, or holds what a webhook cannot have.
    pub fn open(&self, kind: &str, keys: &SealingKeys) -> Result<WebhookSecrets, StoreError> {
        let kind =
            AuthorizationKind::parse(kind).map_err(|e| StoreError::corrupt(AUTHORIZATION, e))?;
        let secret = self
            .authorization
            .as_ref()
            .map(|sealed| open_text(keys, sealed, AUTHORIZATION))
            .transpose()?;
        let secret = secret.as_ref().map(|s| s.as_str());
        let signing = open_text(keys, &self.signing, SIGNING)?
            .lines()
            .map(SigningSecret::imported)
            .collect::<Result<_, _>>()
            .map_err(|e| StoreError::corrupt(SIGNING, e))?;
        Ok(WebhookSecrets {
            url: unseal_text(keys, &self.url, URL)?
                .parse()
                .map_err(|e| StoreError::corrupt(URL, e))?,
            authorization: Authorization::stored(kind, secret)
                .map_err(|e| StoreError::corrupt(AUTHORIZATION, e))?,
            client_identity: self
                .client_identity
                .as_ref()
                .map(|sealed| open_identity(keys, sealed))
                .transpose()?,
            headers: Headers::stored(&open_text(keys, &self.headers, HEADERS)?)
                .map_err(|e| StoreError::corrupt(HEADERS, e))?,
            signing: SigningSecrets::new(signing).map_err(|e| StoreError::corrupt(SIGNING, e))?,
        })
    }

    /// The same secrets sealed under the current key; `None` when all of them are already.
    ///
    /// # Errors
    /// `Corrupt` when a column opens under none of `keys`; `Invalid` as [`seal`](Self::seal).
    pub fn reseal(&self, keys: &SealingKeys) -> Result<Option<Self>, StoreError> {
        let columns = [
            self.authorization.as_ref(),
            self.client_identity.as_ref(),
            Some(&self.headers),
            Some(&self.signing),
        ];
        let mut columns = columns.into_iter().flatten();
        if columns.all(|sealed| keys.is_current(sealed)) && is_current_text(keys, &self.url) {
            return Ok(None);
        }
        let again = |sealed: &[u8], column| seal(keys, &open(keys, sealed, column)?, column);
        Ok(Some(Self {
            url: seal_text(keys, &unseal_text(keys, &self.url, URL)?, URL)?,
            authorization: self
                .authorization
                .as_ref()
                .map(|sealed| again(sealed, AUTHORIZATION))
                .transpose()?,
            client_identity: self
                .client_identity
                .as_ref()
                .map(|sealed| again(sealed, CLIENT_IDENTITY))
                .transpose()?,
            headers: again(&self.headers, HEADERS)?,
            signing: again(&self.signing, SIGNING)?,
        }))
    }
}

/// Without the columns: with no sealing key they are in plaintext.
impl fmt::Debug for SealedSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SealedSecrets").finish_non_exhaustive()
    }
}

fn seal(keys: &SealingKeys, plaintext: &[u8], column: &str) -> Result<Vec<u8>, StoreError> {
    keys.seal(plaintext, column)
        .map_err(|_| StoreError::new(ErrorKind::Invalid, "a secret is too long to seal"))
}

fn open(
    keys: &SealingKeys,
    sealed: &[u8],
    column: &'static str,
) -> Result<Zeroizing<Vec<u8>>, StoreError> {
    keys.open(sealed, column)
        .map_err(|e| StoreError::corrupt(column, e))
}

/// A text for a column of text; as it is where there is no key.
fn seal_text(keys: &SealingKeys, plaintext: &str, column: &str) -> Result<String, StoreError> {
    if keys.is_none() {
        return Ok(plaintext.to_owned());
    }
    let sealed = seal(keys, plaintext.as_bytes(), column)?;
    Ok(format!("{SEALED}{}", STANDARD_NO_PAD.encode(sealed)))
}

fn unseal_text(
    keys: &SealingKeys,
    stored: &str,
    column: &'static str,
) -> Result<Zeroizing<String>, StoreError> {
    let Some(encoded) = stored.strip_prefix(SEALED) else {
        return Ok(Zeroizing::new(stored.to_owned()));
    };
    let sealed = STANDARD_NO_PAD.decode(encoded);
    let sealed = sealed.map_err(|e| StoreError::corrupt(column, e))?;
    open_text(keys, &sealed, column)
}

fn is_current_text(keys: &SealingKeys, stored: &str) -> bool {
    match stored.strip_prefix(SEALED) {
        None => keys.is_none(),
        Some(encoded) => {
            let sealed = STANDARD_NO_PAD.decode(encoded);
            sealed.is_ok_and(|sealed| keys.is_current(&sealed))
        }
    }
}

fn open_text(
    keys: &SealingKeys,
    sealed: &[u8],
    column: &'static str,
) -> Result<Zeroizing<String>, StoreError> {
    let bytes = open(keys, sealed, column)?;
    let text = std::str::from_utf8(&bytes).map_err(|e| StoreError::corrupt(column, e))?;
    Ok(Zeroizing::new(text.to_owned()))
}

fn open_identity(keys: &SealingKeys, sealed: &[u8]) -> Result<ClientIdentity, StoreError> {
    let text = open_text(keys, sealed, CLIENT_IDENTITY)?;
    ClientIdentity::stored(&text).map_err(|e| StoreError::corrupt(CLIENT_IDENTITY, e))
}

#[cfg(test)]
mod tests {
    use webhook_model::{OAuth2, OwnerId};

    use super::*;
    use crate::seal::SealingKey;

    const SECRETS: [&str; 5] = [
        "canary-bearer-8d1f",
        "canary-header-77ab",
        "whsec_Y2FuYXJ5LXNpZ25pbmctc2VjcmV0LTQ0Y2M=",
        "canary-path-5b0c",
        "canary-key-91e7",
    ];

    fn webhook() -> Webhook {
        let url = format!("https://example.com/{}", SECRETS[3]);
        let url = url.parse().unwrap();
        Webhook {
            authorization: Authorization::bearer(SECRETS[0]).unwrap(),
            client_identity: Some(identity()),
            headers: Headers::from_pairs([("B", SECRETS[1]), ("A", "1"), ("B", "2")]).unwrap(),
            signing: SigningSecrets::new(vec![
                SigningSecret::parse(SECRETS[2]).unwrap(),
                SigningSecret::imported(&format!("whsec_{}", "A".repeat(100))).unwrap(),
            ])
            .unwrap(),
            ..Webhook::new(OwnerId(1), "w".parse().unwrap(), url)
        }
    }

    fn identity() -> ClientIdentity {
        let block = |label: &str, body: &str| {
            format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n")
        };
        let key = block("PRIVATE KEY", SECRETS[4]);
        ClientIdentity::new(&block("CERTIFICATE", "MIIB"), &key).unwrap()
    }

    fn keys(id: u32) -> SealingKeys {
        SealingKeys::new(SealingKey::new(id, [3; 32]))
    }

    fn kind() -> &'static str {
        webhook().authorization.kind().as_str()
    }

    #[test]
    fn secrets_open_as_they_were_and_lie_sealed() {
        let sealed = SealedSecrets::seal(&webhook(), &keys(1)).unwrap();
        let opened = sealed.open(kind(), &keys(1)).unwrap();
        let wanted = webhook();
        assert_eq!(opened.authorization, wanted.authorization);
        assert_eq!(opened.client_identity, wanted.client_identity);
        assert_eq!(opened.headers, wanted.headers);
        assert_eq!(opened.url, wanted.url);
        assert_eq!(opened.signing, wanted.signing);
        let columns = [
            sealed.authorization.unwrap(),
            sealed.client_identity.unwrap(),
            sealed.headers,
            sealed.signing,
            sealed.url.into_bytes(),
        ]
        .concat();
        for secret in SECRETS {
            let lies_open = columns
                .windows(secret.len())
                .any(|w| w == secret.as_bytes());
            assert!(!lies_open, "{secret}");
        }
    }

    #[test]
    fn a_client_lies_sealed_with_its_token_url() {
        let url = "https://id.example.com/canary-path-77c1";
        let client = OAuth2::new(url, "canary-id-02ab", "canary-secret-9d4e").unwrap();
        let webhook = Webhook {
            authorization: Authorization::OAuth2(Box::new(client)),
            ..webhook()
        };
        let sealed = SealedSecrets::seal(&webhook, &keys(1)).unwrap();
        let opened = sealed.open("oauth2", &keys(1)).unwrap();
        assert_eq!(opened.authorization, webhook.authorization);
        let column = sealed.authorization.unwrap();
        assert!(!column.windows(6).any(|w| w == b"canary"));
        let damaged = SealedSecrets {
            authorization: Some(seal(&SealingKeys::none(), b"canary-{", AUTHORIZATION).unwrap()),
            ..SealedSecrets::seal(&webhook, &keys(1)).unwrap()
        };
        let error = damaged.open("oauth2", &keys(1)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert!(
            !format!("{error} {error:?}").contains("canary"),
            "{error:?}"
        );
    }

    #[test]
    fn a_column_that_was_moved_does_not_open() {
        let mut sealed = SealedSecrets::seal(&webhook(), &keys(1)).unwrap();
        std::mem::swap(&mut sealed.headers, &mut sealed.signing);
        let error = sealed.open(kind(), &keys(1)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
    }

    #[test]
    fn resealing_ends_a_rotation_and_leaves_what_is_current() {
        let plain = SealedSecrets::seal(&webhook(), &SealingKeys::none()).unwrap();
        let resealed = plain.reseal(&keys(2)).unwrap().unwrap();
        assert_eq!(
            resealed.open(kind(), &keys(2)).unwrap().headers,
            webhook().headers
        );
        let opened = resealed.open(kind(), &keys(2)).unwrap();
        assert_eq!(opened.client_identity, Some(identity()));
        assert_eq!(resealed.reseal(&keys(2)).unwrap(), None);
        let mixed = SealedSecrets {
            client_identity: plain.client_identity,
            ..resealed.clone()
        };
        assert!(mixed.reseal(&keys(2)).unwrap().is_some());
        let unknown = resealed.reseal(&keys(9)).unwrap_err();
        assert_eq!(unknown.kind(), ErrorKind::Corrupt);
    }

    #[test]
    fn debug_shows_no_secret() {
        let plain = SealedSecrets::seal(&webhook(), &SealingKeys::none()).unwrap();
        assert_eq!(format!("{plain:?}"), "SealedSecrets { .. }");
    }

    #[test]
    fn a_url_that_was_stored_before_there_was_a_key_opens_and_is_sealed_again() {
        let plain = SealedSecrets::seal(&webhook(), &SealingKeys::none()).unwrap();
        assert_eq!(plain.url, webhook().url.as_str());
        let mixed = SealedSecrets {
            url: plain.url,
            ..SealedSecrets::seal(&webhook(), &keys(1)).unwrap()
        };
        assert_eq!(mixed.open(kind(), &keys(1)).unwrap().url, webhook().url);
        let sealed = mixed.reseal(&keys(1)).unwrap().unwrap();
        assert!(sealed.url.starts_with(SEALED), "{}", sealed.url);
        assert_eq!(sealed.reseal(&keys(1)).unwrap(), None);
        let mut moved = sealed.clone();
        moved.url = seal_text(&keys(1), webhook().url.as_str(), HEADERS).unwrap();
        for (sealed, keys) in [(sealed, keys(2)), (moved, keys(1))] {
            let error = sealed.open(kind(), &keys).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt);
        }
    }
}
