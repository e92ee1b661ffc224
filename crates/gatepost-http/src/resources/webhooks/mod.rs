//! `webhook_urls`.

mod authorization;
mod client_identity;
mod columns;
mod retries;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_manage::{Actor, ManageError};
use gatepost_storage::webhooks::{Cascade, WebhookQuery};
use gatepost_storage::{Row, Scope};
use serde_json::{Value, json};
use webhook_model::{
    Activity, DeliveryMode, DeliveryOrder, Headers, Invalid, Message, ObjectId, RateLimit,
    ResubmittedSecrets, SigningSecret, SigningSecrets, Timeout, Webhook, WebhookId, trim_pasted,
};

use super::row::{epoch, key_of, moment, page, row, scanned};
use super::unreadable;
use crate::error::{ApiError, Result};
use crate::granted::may_read;
use crate::resource::{Created, Resource, Scan, Scanned};
use crate::schema::{Input, RowMap, Table, number};

#[derive(Debug)]
pub(super) struct Webhooks;

#[async_trait]
impl Resource for Webhooks {
    fn table(&self) -> &'static Table {
        &columns::TABLE
    }

    async fn scan(&self, caller: &Actor, scan: Scan<'_>) -> Result<Scanned> {
        if unreadable::asked_for(&scan) {
            return unreadable::scan(caller, &scan, columns::TABLE.name).await;
        }
        let query = WebhookQuery {
            scope: whose(&scan),
            name: scan.equal.text("name").map(str::to_owned),
            page: page(&scan, WebhookId),
        };
        let found = caller.webhooks(&query).await?;
        Ok(scanned(found, webhook_row, |id| id.0).await)
    }

    async fn get(&self, caller: &Actor, key: ObjectId) -> Result<RowMap> {
        let key = number(key)?;
        let found = caller.webhook(WebhookId(key)).await;
        unreadable::or_placeholder(found, key, |row| webhook_row(&row))
    }

    async fn create(&self, caller: &Actor, input: Input) -> Result<Created> {
        let (name, url) = (
            input.text("name").unwrap_or_default().parse()?,
            input.text("url").unwrap_or_default().parse()?,
        );
        retries::check_new(&input)?;
        let mut webhook = Webhook::new(caller.principal().owner, name, url);
        apply(&mut webhook, &input)?;
        Ok(Created::row(caller.create_webhook(webhook).await?.id.0))
    }

    async fn update(&self, caller: &Actor, key: ObjectId, input: Input) -> Result<RowMap> {
        let id = WebhookId(number(key)?);
        // An empty key keeps the stored one.
        let client_key = input.text("client_key");
        let entered = ResubmittedSecrets::default()
            .with_authorization(input.text("authorization_value").is_some())
            .with_client_key(client_key.is_some_and(|key| !trim_pasted(key).is_empty()))
            .with_headers(input.text("headers").is_some())
            .with_signing(input.text("signing_secrets").is_some());
        let edit = move |webhook: &mut Webhook| apply(webhook, &input);
        let row = caller.edit_webhook_with(id, entered, edit).await?;
        Ok(webhook_row(&row))
    }

    async fn delete(&self, caller: &Actor, key: ObjectId) -> Result<()> {
        let id = WebhookId(number(key)?);
        match caller.delete_webhook(id, Cascade::Refuse).await {
            // A key that may not read tasks does not get their names.
            Err(ManageError::InUse { .. }) if !may_read(caller, "tasks") => {
                let (tasks, more) = (Vec::new(), 0);
                Err(ManageError::InUse { tasks, more }.into())
            }
            other => Ok(other?),
        }
    }

    async fn act(&self, caller: &Actor, key: ObjectId, name: &str, input: Input) -> Result<Value> {
        let id = WebhookId(number(key)?);
        match name {
            "send" => {
                // A missing webhook takes precedence over an invalid message.
                caller.webhook(id).await?;
                let message = input.parsed::<Message>("message")?;
                caller.send(id, message).await?;
            }
            "roll_signing_secret" => {
                let keep = input.int("keep").map_or(Ok(1), usize::try_from);
                let keep = keep.map_err(|_| ApiError::field("keep", "must be 0 or greater"))?;
                let (_, secret) = caller.rotate_signing_secret(id, keep).await?;
                return Ok(json!({"response": {"signing_secret": secret.expose()}}));
            }
            "pause" => drop(caller.pause_webhook(id).await?),
            "resume" => drop(caller.resume_webhook(id).await?),
            "replay_failed" => {
                let from = time(&input, "from")?.unwrap_or_default();
                let before = time(&input, "before")?.unwrap_or(DateTime::<Utc>::MAX_UTC);
                let replayed = caller.replay_failed(id, from, before).await?;
                return Ok(json!({"replayed": replayed}));
            }
            _ => return Err(ApiError::not_permitted()),
        }
        Ok(json!({}))
    }

    async fn count(&self, caller: &Actor, row: &RowMap, _table: &str) -> Result<u64> {
        Ok(caller.count_tasks(WebhookId(key_of(row))).await?)
    }
}

/// Returns the scope that a filter asks for; `Management` narrows it to the rows that the caller
/// may see.
fn whose(scan: &Scan<'_>) -> Scope {
    let named = scan.equal.text("owner");
    let owner = named.and_then(|owner| owner.strip_prefix("users/")?.parse().ok());
    match scan.equal.user("user").or(owner) {
        Some(owner) => Scope::Owner(owner),
        None => Scope::All,
    }
}

/// Parses a time parameter; 0 means none.
fn time(params: &Input, field: &str) -> Result<Option<DateTime<Utc>>> {
    let seconds = params.int(field).filter(|seconds| *seconds > 0);
    seconds.map(|seconds| moment(field, seconds)).transpose()
}

fn webhook_row(stored: &Row<WebhookId, Webhook>) -> RowMap {
    let webhook = &stored.value;
    let mut columns = row(
        stored.id.0,
        [
            ("name", webhook.name.as_str().into()),
            ("type", "custom".into()),
            ("url", webhook.url.as_str().into()),
            ("headers", webhook.headers.to_string().into()),
            ("allow_insecure", webhook.allow_insecure.into()),
            ("timeout", webhook.timeout.as_secs().into()),
            ("retries", webhook.reattempts().into()),
            ("retry_schedule", schedule_text(webhook).into()),
            (
                "rate",
                webhook.rate.map_or(0, |rate| rate.get().get()).into(),
            ),
            ("channels", webhook.channels.to_string().into()),
            ("delivery_mode", webhook.mode.as_str().into()),
            ("enabled", (webhook.activity != Activity::Disabled).into()),
            ("paused", (webhook.activity == Activity::Paused).into()),
            ("in_order", (webhook.order == DeliveryOrder::InOrder).into()),
            ("owner", format!("users/{}", webhook.owner).into()),
            ("user", json!(webhook.owner)),
            ("created", epoch(Some(stored.created))),
            ("modified", epoch(Some(stored.modified))),
            ("unreadable", false.into()),
        ],
    );
    columns.extend(authorization::columns(&webhook.authorization));
    columns.extend(client_identity::columns(webhook.client_identity.as_ref()));
    columns
}

/// Returns the schedule as text; empty for the platform's schedule.
fn schedule_text(webhook: &Webhook) -> String {
    let schedule = webhook.retry_schedule.as_ref();
    schedule.map(ToString::to_string).unwrap_or_default()
}

/// Applies the client's input to the record.
fn apply(webhook: &mut Webhook, input: &Input) -> Result<(), Invalid> {
    input.set("name", &mut webhook.name)?;
    input.set("url", &mut webhook.url)?;
    input.switch("allow_insecure", &mut webhook.allow_insecure);
    if let Some(headers) = input.text("headers") {
        webhook.headers = Headers::parse_lines(headers)?;
    }
    if let Some(secrets) = input.text("signing_secrets") {
        let secrets = trim_pasted(secrets).split_whitespace();
        let secrets = secrets.map(SigningSecret::parse);
        webhook.signing = SigningSecrets::new(secrets.collect::<Result<_, _>>()?)?;
    }
    if let Some(seconds) = input.int("timeout") {
        webhook.timeout = Timeout::try_from(seconds)?;
    }
    retries::apply(webhook, input)?;
    if let Some(rate) = input.int("rate") {
        let rate = u32::try_from(rate).unwrap_or(u32::MAX);
        let limit = (rate > 0).then(|| RateLimit::per_second(rate));
        webhook.rate = limit.transpose()?;
    }
    input.set("channels", &mut webhook.channels)?;
    match input.bool("enabled") {
        Some(false) => webhook.activity = Activity::Disabled,
        Some(true) if webhook.activity == Activity::Disabled => webhook.activity = Activity::Active,
        _ => {}
    }
    if let Some(mode) = input.text("delivery_mode") {
        webhook.mode = DeliveryMode::parse(mode)?;
    }
    match input.bool("in_order") {
        Some(true) => webhook.order = DeliveryOrder::InOrder,
        Some(false) => webhook.order = DeliveryOrder::Unordered,
        None => {}
    }
    client_identity::apply(webhook, input)?;
    authorization::apply(webhook, input)
}

#[cfg(test)]
mod tests;
