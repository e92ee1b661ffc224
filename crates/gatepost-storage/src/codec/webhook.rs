//! The fields of a webhook. URL, authorization, client certificate with its key, headers and
//! signing secrets are sealed.

use gatepost_ids::{OwnerId, WebhookId};
use webhook_model::{
    Activity, Authorization, AuthorizationKind, ClientIdentity, DeliveryMode, DeliveryOrder,
    Headers, Invalid, RateLimit, Retries, RetrySchedule, SigningSecret, SigningSecrets, Timeout,
    Webhook, WebhookName,
};

use super::field::Field;
use super::reader::{ReadRecord, Reader};
use super::record::Record;
use super::value::Value;
use crate::error::StoreError;

const SENDS: &str = "active";

const ACTIVITIES: [Activity; 3] = [Activity::Active, Activity::Paused, Activity::Disabled];

impl Record for Webhook {
    type Id = WebhookId;
    const NAME: &'static str = "webhook";
    const FIELDS: &'static [Field] = &[
        Field::new("activity"),
        Field::new("name"),
        // The paths of chat services, for example, are credentials.
        Field::sealed("url", "webhook.url"),
        Field::sealed("credentials", "webhook.authorization"),
        Field::sealed("client_identity", "webhook.client_identity"),
        Field::sealed("headers", "webhook.headers"),
        Field::new("allow_insecure"),
        Field::new("timeout_s"),
        Field::new("retries"),
        Field::new("retry_schedule"),
        Field::new("in_order"),
        Field::sealed("signing", "webhook.signing"),
        Field::new("rate"),
        Field::new("channels"),
    ];

    fn values(&self) -> Result<Vec<Value>, StoreError> {
        let Self {
            owner: _,
            name,
            url,
            authorization,
            client_identity,
            headers,
            allow_insecure,
            timeout,
            retries,
            retry_schedule,
            activity,
            mode,
            order,
            signing,
            rate,
            channels,
        } = self;
        let identity = client_identity.as_ref().map(ClientIdentity::to_text);
        let signing: Vec<&str> = signing.iter().map(SigningSecret::expose).collect();
        Ok(vec![
            Value::text(activity_word(*activity, *mode)),
            Value::text(name.as_str()),
            Value::text(url.as_str()),
            Value::text(authorization_text(authorization)),
            identity.map(|text| text.expose().to_owned()).into(),
            Value::text(headers.to_string()),
            Value::Bool(*allow_insecure),
            Value::Number(i64::try_from(timeout.as_secs()).unwrap_or(i64::MAX)),
            Value::Number(retries.get().into()),
            retry_schedule
                .as_ref()
                .map(RetrySchedule::as_seconds)
                .into(),
            Value::Bool(*order == DeliveryOrder::InOrder),
            Value::text(signing.join("\n")),
            rate.map(|rate| i64::from(rate.get().get())).into(),
            Value::text(channels.to_string()),
        ])
    }
}

impl ReadRecord for Webhook {
    fn read(owner: OwnerId, fields: &mut Reader<'_>) -> Result<Self, StoreError> {
        let (activity, mode) = fields.column()?.text(parse_activity)?;
        Ok(Self {
            owner,
            activity,
            mode,
            name: fields.column()?.text(WebhookName::stored)?,
            url: fields.column()?.parsed()?,
            authorization: fields.column()?.text(parse_authorization)?,
            client_identity: fields
                .maybe()?
                .map(|column| column.text(ClientIdentity::stored))
                .transpose()?,
            headers: fields.column()?.text(Headers::stored)?,
            allow_insecure: fields.column()?.flag()?,
            timeout: fields.column()?.number(Timeout::from_secs)?,
            retries: fields.column()?.number(Retries::new)?,
            retry_schedule: fields.maybe()?.map(|column| column.parsed()).transpose()?,
            order: if fields.column()?.flag()? {
                DeliveryOrder::InOrder
            } else {
                DeliveryOrder::Unordered
            },
            signing: fields.column()?.text(parse_signing)?,
            rate: fields
                .maybe()?
                .map(|column| column.number(RateLimit::per_second))
                .transpose()?,
            channels: fields.column()?.parsed()?,
        })
    }
}

/// Returns a webhook's activity combined with its delivery mode: `active`, `paused` or `disabled`,
/// and for the mode *fetch* `fetched`, `fetched paused` or `fetched disabled`. It is one column, so
/// that a search for [`SENDS`] skips fetched webhooks as well as paused ones.
fn activity_word(activity: Activity, mode: DeliveryMode) -> &'static str {
    match (mode, activity) {
        (DeliveryMode::Push, Activity::Active) => SENDS,
        (DeliveryMode::Push, Activity::Paused) => "paused",
        (DeliveryMode::Push, Activity::Disabled) => "disabled",
        (DeliveryMode::Fetch, Activity::Active) => "fetched",
        (DeliveryMode::Fetch, Activity::Paused) => "fetched paused",
        (DeliveryMode::Fetch, Activity::Disabled) => "fetched disabled",
    }
}

fn parse_activity(word: &str) -> Result<(Activity, DeliveryMode), &'static str> {
    let both = |mode| ACTIVITIES.map(|activity| (activity, mode));
    let mut found = DeliveryMode::ALL.into_iter().flat_map(both);
    found
        .find(|(activity, mode)| activity_word(*activity, *mode) == word)
        .ok_or("unknown word")
}

/// Returns the kind of an authorization, and its secret in a second line.
fn authorization_text(authorization: &Authorization) -> String {
    let kind = authorization.kind().as_str();
    match authorization.secret_text() {
        None => kind.to_owned(),
        Some(secret) => format!("{kind}\n{}", secret.expose()),
    }
}

fn parse_authorization(text: &str) -> Result<Authorization, Invalid> {
    let (kind, secret) = match text.split_once('\n') {
        None => (text, None),
        Some((kind, secret)) => (kind, Some(secret)),
    };
    Authorization::stored(AuthorizationKind::parse(kind)?, secret)
}

fn parse_signing(text: &str) -> Result<SigningSecrets, Invalid> {
    let secrets = text.lines().map(SigningSecret::imported);
    SigningSecrets::new(secrets.collect::<Result<_, _>>()?)
}
