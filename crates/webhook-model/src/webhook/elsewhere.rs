//! An edit that sends a webhook's requests elsewhere: its secrets stay behind, so that whoever may
//! edit a webhook does not read what it keeps by pointing it at a receiver of their own.

use super::authorization::Authorization;
use super::headers::Header;
use super::record::Webhook;
use crate::error::{Field, Invalid};
use crate::secret::Secret;

/// Which secrets came along with an edit, typed by whoever edits. They may go wherever the webhook
/// now leads, also where their values are those that were stored.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct Entered {
    /// The value of the authorization: token, key, or user and password.
    pub authorization: bool,
    /// The private key of the client certificate.
    pub client_key: bool,
    /// The values of all headers.
    pub headers: bool,
    /// The signing secrets.
    pub signing: bool,
}

gatepost_ids::setters!(Entered {
    /// Says whether the value of the authorization came along.
    with_authorization(authorization: bool) => authorization,
    /// Says whether the private key of the client certificate came along.
    with_client_key(client_key: bool) => client_key,
    /// Says whether the values of all headers came along.
    with_headers(headers: bool) => headers,
    /// Says whether the signing secrets came along.
    with_signing(signing: bool) => signing,
});

impl Webhook {
    /// Whether this webhook, edited from `before`, may reach another receiver. It may if its URL is
    /// another one: a service may give each of its users a path or a query of one origin. A default
    /// port equals none. It may also if it accepts any certificate over https and did not before:
    /// then whoever is on the way can be the receiver.
    #[must_use]
    pub fn leads_elsewhere(&self, before: &Self) -> bool {
        let trusts_anyone = self.allow_insecure && !before.allow_insecure;
        self.url != before.url || (trusts_anyone && self.url.as_url().scheme() == "https")
    }

    /// Whether the secret of the authorization may reach another receiver than that of `before`: an
    /// OAuth 2 client's goes to its token endpoint, every other to the target.
    fn asks_elsewhere(&self, before: &Self) -> bool {
        let endpoint = |webhook: &Self| match &webhook.authorization {
            Authorization::OAuth2(client) => Some(client.token_url().clone()),
            _ => None,
        };
        endpoint(self) != endpoint(before)
    }

    /// The secrets of `before` that this webhook would send elsewhere although they did not come
    /// along with the edit. Each has to be entered again or removed. Nothing where it leads where
    /// it did.
    ///
    /// The secret of an OAuth 2 client counts also if its token endpoint has another URL, and if
    /// the webhook leads elsewhere: its access tokens would go there.
    ///
    /// A header counts if its name tells that its value is a credential
    /// ([`Header::is_sensitive`]).
    #[must_use]
    pub fn carried_elsewhere(&self, before: &Self, entered: Entered) -> Vec<Field> {
        let leads = self.leads_elsewhere(before);
        let asks = leads || self.asks_elsewhere(before);
        let carried = [
            (
                Field::AuthorizationValue,
                asks && !entered.authorization && self.keeps_authorization(before),
            ),
            (
                Field::ClientKey,
                leads && !entered.client_key && self.keeps_client_key(before),
            ),
            (
                Field::Headers,
                leads && !entered.headers && self.keeps_headers(before),
            ),
            (
                Field::SigningSecrets,
                leads && !entered.signing && self.keeps_signing(before),
            ),
        ];
        let fields = carried.into_iter().filter(|(_, is_carried)| *is_carried);
        fields.map(|(field, _)| field).collect()
    }

    /// Refuses an edit by which a secret would go elsewhere that did not come along with it.
    ///
    /// # Errors
    /// Names the first field of [`carried_elsewhere`](Self::carried_elsewhere), and in the rule the
    /// others.
    pub fn check_elsewhere(&self, before: &Self, entered: Entered) -> Result<(), Invalid> {
        let fields = self.carried_elsewhere(before, entered);
        let Some((first, others)) = fields.split_first() else {
            return Ok(());
        };
        let others: Vec<_> = others.iter().map(|field| field.as_str()).collect();
        let also = match others.as_slice() {
            [] => String::new(),
            others => format!("; so must {}", others.join(" and ")),
        };
        Err(Invalid::new(
            *first,
            format!(
                "must be sent again or cleared, for the webhook would send it to another URL \
                 or under any certificate{also}"
            ),
        ))
    }

    fn keeps_authorization(&self, before: &Self) -> bool {
        let stored = secret_of(&before.authorization);
        stored.is_some() && secret_of(&self.authorization) == stored
    }

    fn keeps_client_key(&self, before: &Self) -> bool {
        let key = |of: &Self| {
            of.client_identity
                .as_ref()
                .map(|identity| identity.key().clone())
        };
        let stored = key(before);
        stored.is_some() && key(self) == stored
    }

    fn keeps_headers(&self, before: &Self) -> bool {
        let secrets = || before.headers.iter().filter(|header| header.is_sensitive());
        let kept = |header: &Header| {
            !header.value().is_empty()
                && !header.holds_api_key()
                && secrets().any(|old| old.value() == header.value())
        };
        self.headers.iter().any(kept)
    }

    fn keeps_signing(&self, before: &Self) -> bool {
        let stored = || before.signing.iter();
        self.signing
            .iter()
            .any(|new| stored().any(|old| old == new))
    }
}

/// What is not to be read: of a user and a password the password, or the user where that is empty,
/// as services have it that take a key for a user.
fn secret_of(authorization: &Authorization) -> Option<Secret> {
    match authorization {
        Authorization::None => None,
        Authorization::Bearer(secret) | Authorization::ApiKey(secret) => Some(secret.clone()),
        Authorization::Basic { user, password } if password.expose().is_empty() => {
            Some(Secret::new(user))
        }
        Authorization::Basic { password, .. } => Some(password.clone()),
        Authorization::OAuth2(client) => Some(client.client_secret().clone()),
    }
}
