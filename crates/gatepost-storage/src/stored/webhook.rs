//! Webhooks, their secrets sealed.

use std::fmt;

use serde::{Deserialize, Serialize};
use webhook_model::{DeliveryOrder, OwnerId, Retries, Timeout, Webhook, WebhookId, WebhookName};

use super::field::{Wrong, base64, bytes, checked, time};
use crate::columns::{
    SealedSecrets, activity_word, parse_activity, parse_channels, parse_rate, parse_retry_schedule,
    retry_schedule_text,
};
use crate::error::{ErrorKind, StoreError};
use crate::page::{Revision, Row};
use crate::seal::SealingKeys;

/// A webhook as a row that may be stored: its URL, authorization, client certificate, headers and
/// signing secrets are sealed. `Webhook` itself has no `Serialize`, so that no secret is written by
/// mistake.
///
/// Sealed under no key ([`SealingKeys::none`]) they lie open in it.
#[derive(Clone, Deserialize, Serialize)]
pub struct SealedWebhook {
    id: i64,
    owner: OwnerId,
    revision: i64,
    created: i64,
    modified: i64,
    name: String,
    url: String,
    authorization_kind: String,
    authorization: Option<String>,
    client_identity: Option<String>,
    headers: String,
    signing: String,
    insecure: bool,
    timeout: u64,
    retries: u64,
    #[serde(default)]
    retry_schedule: String,
    activity: String,
    in_order: bool,
    rate: Option<i64>,
    #[serde(default)]
    channels: String,
}

impl SealedWebhook {
    /// The row, sealed under the current one of `keys`.
    ///
    /// # Errors
    /// As [`SealedSecrets::seal`].
    pub fn seal(row: &Row<WebhookId, Webhook>, keys: &SealingKeys) -> Result<Self, StoreError> {
        let webhook = &row.value;
        let sealed = SealedSecrets::seal(webhook, keys)?;
        Ok(Self {
            id: row.id.0,
            owner: row.owner,
            revision: row.revision.0,
            created: row.created.timestamp_micros(),
            modified: row.modified.timestamp_micros(),
            name: webhook.name.as_str().to_owned(),
            url: sealed.url,
            authorization_kind: webhook.authorization.kind().as_str().to_owned(),
            authorization: sealed.authorization.map(base64),
            client_identity: sealed.client_identity.map(base64),
            headers: base64(sealed.headers),
            signing: base64(sealed.signing),
            insecure: webhook.allow_insecure,
            timeout: webhook.timeout.as_secs(),
            retries: webhook.retries.get().into(),
            retry_schedule: retry_schedule_text(webhook.retry_schedule.as_ref()),
            activity: activity_word(webhook.activity, webhook.mode).to_owned(),
            in_order: webhook.order == DeliveryOrder::InOrder,
            rate: webhook.rate.map(|rate| rate.get().get().into()),
            channels: webhook.channels.to_string(),
        })
    }

    /// The row, opened.
    ///
    /// # Errors
    /// `Corrupt` when a field breaks a rule, or a secret opens under none of `keys`.
    pub fn open(&self, keys: &SealingKeys) -> Result<Row<WebhookId, Webhook>, StoreError> {
        let corrupt = |e: Wrong| StoreError::new(ErrorKind::Corrupt, "webhook").with_source(e);
        let sealed = self.sealed().map_err(corrupt)?;
        let secrets = sealed.open(&self.authorization_kind, keys)?;
        let (activity, mode) = parse_activity(&self.activity)?;
        Ok(Row {
            id: WebhookId(self.id),
            owner: self.owner,
            revision: Revision(self.revision),
            created: time("created", self.created).map_err(corrupt)?,
            modified: time("modified", self.modified).map_err(corrupt)?,
            value: Webhook {
                owner: self.owner,
                name: checked("name", WebhookName::stored(&self.name)).map_err(corrupt)?,
                url: secrets.url,
                authorization: secrets.authorization,
                client_identity: secrets.client_identity,
                headers: secrets.headers,
                allow_insecure: self.insecure,
                timeout: checked("timeout", Timeout::from_secs(self.timeout)).map_err(corrupt)?,
                retries: checked("retries", Retries::new(self.retries)).map_err(corrupt)?,
                retry_schedule: parse_retry_schedule(&self.retry_schedule)?,
                activity,
                mode,
                order: if self.in_order {
                    DeliveryOrder::InOrder
                } else {
                    DeliveryOrder::Unordered
                },
                signing: secrets.signing,
                rate: parse_rate(self.rate)?,
                channels: parse_channels(&self.channels)?,
            },
        })
    }

    fn sealed(&self) -> Result<SealedSecrets, Wrong> {
        let maybe = |field, text: &Option<String>| {
            let text = text.as_ref();
            text.map(|text| bytes(field, text)).transpose()
        };
        Ok(SealedSecrets {
            url: self.url.clone(),
            authorization: maybe("authorization", &self.authorization)?,
            client_identity: maybe("client_identity", &self.client_identity)?,
            headers: bytes("headers", &self.headers)?,
            signing: bytes("signing", &self.signing)?,
        })
    }
}

/// Without the fields: with no sealing key secrets are in plaintext.
impl fmt::Debug for SealedWebhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SealedWebhook")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
