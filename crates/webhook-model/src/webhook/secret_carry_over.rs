//! Secrets and changed receivers: an edit that sets another receiver must not send stored secrets
//! to it. Otherwise a user who may edit a webhook could read its secrets at their own receiver.

use super::authorization::Authorization;
use super::headers::Header;
use super::record::Webhook;
use crate::error::{Field, Invalid};
use crate::secret::Secret;

/// The secrets that the user entered in an edit. They may be sent to the new receiver, even if they
/// equal the stored ones.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct ResubmittedSecrets {
    /// The value of the authorization: token, key, or user and password.
    pub authorization: bool,
    /// The private key of the client certificate.
    pub client_key: bool,
    /// The values of all headers.
    pub headers: bool,
    /// The signing secrets.
    pub signing: bool,
}

gatepost_ids::setters!(ResubmittedSecrets {
    /// Sets whether the value of the authorization was entered.
    with_authorization(authorization: bool) => authorization,
    /// Sets whether the private key of the client certificate was entered.
    with_client_key(client_key: bool) => client_key,
    /// Sets whether the values of all headers were entered.
    with_headers(headers: bool) => headers,
    /// Sets whether the signing secrets were entered.
    with_signing(signing: bool) => signing,
});

impl Webhook {
    /// Returns whether this webhook, edited from `before`, may reach another receiver. It may if
    /// its URL differs, even only in path or query, since a service may give each of its users a
    /// path on one origin. An explicit default port is no difference. It may also if it accepts any
    /// certificate over https and did not before, because anybody on the network path can then be
    /// the receiver.
    #[must_use]
    pub fn leads_elsewhere(&self, before: &Self) -> bool {
        let trusts_anyone = self.allow_insecure && !before.allow_insecure;
        self.url != before.url || (trusts_anyone && self.url.as_url().scheme() == "https")
    }

    /// Returns whether the secret of the authorization may reach another receiver than before: the
    /// secret of an OAuth 2 client is sent to its token endpoint, all others to the target.
    fn asks_elsewhere(&self, before: &Self) -> bool {
        let endpoint = |webhook: &Self| match &webhook.authorization {
            Authorization::OAuth2(client) => Some(client.token_url().clone()),
            _ => None,
        };
        endpoint(self) != endpoint(before)
    }

    /// Returns the secrets of `before` that this webhook would send to another receiver although
    /// they were not entered in the edit. Each must be entered again or removed. The list is empty
    /// if the receiver is the same.
    ///
    /// The secret of an OAuth 2 client counts also if its token endpoint has another URL, and if
    /// the webhook has another receiver, which would get its access tokens.
    ///
    /// A header counts if its name indicates that its value is a credential
    /// ([`Header::is_sensitive`]).
    #[must_use]
    pub fn carried_elsewhere(&self, before: &Self, entered: ResubmittedSecrets) -> Vec<Field> {
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

    /// Refuses an edit that would send a secret to another receiver without the secret being
    /// entered.
    ///
    /// # Errors
    /// Names the first field of [`carried_elsewhere`](Self::carried_elsewhere), and the others in
    /// the rule.
    pub fn check_elsewhere(
        &self,
        before: &Self,
        entered: ResubmittedSecrets,
    ) -> Result<(), Invalid> {
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

/// Returns the secret part of an authorization: of a user and a password the password, or the user
/// if that is empty, since some services use a key as the user.
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
