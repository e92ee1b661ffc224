//! `webhook_urls`.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_keys::Principal;
use gatepost_storage::Row;
use gatepost_storage::webhooks::{Cascade, Replay, TaskQuery, WebhookQuery};
use serde_json::{Value, json};
use webhook_model::{
    Activity, Authorization, AuthorizationKind, DeliveryOrder, Headers, Invalid, Message, Retries,
    Timeout, Webhook, WebhookId,
};

use super::{Services, epoch, managed, next, page, row, webhooks_table};
use crate::error::ApiError;
use crate::resource::{Created, Resource, Scan, Scanned};
use crate::table::{Input, RowMap, Table};

#[derive(Debug)]
pub(crate) struct Webhooks(pub(super) Services);

impl Webhooks {
    /// The webhook, if it is the caller's to see.
    pub(super) async fn visible(
        services: &Services,
        caller: &Principal,
        key: i64,
    ) -> Result<Option<Row<WebhookId, Webhook>>, ApiError> {
        let Some(row) = services.engine.webhook(WebhookId(key)).await? else {
            return Ok(None);
        };
        let owner = row.value.owner;
        Ok(services
            .keys
            .authority(caller)
            .may_manage(owner)
            .await?
            .then_some(row))
    }

    async fn own(&self, caller: &Principal, key: i64) -> Result<Row<WebhookId, Webhook>, ApiError> {
        Self::visible(&self.0, caller, key)
            .await?
            .ok_or_else(ApiError::not_found)
    }
}

#[async_trait]
impl Resource for Webhooks {
    fn table(&self) -> &'static Table {
        &webhooks_table::TABLE
    }

    async fn scan(&self, caller: &Principal, scan: Scan<'_>) -> Result<Scanned, ApiError> {
        let mut authority = self.0.keys.authority(caller);
        let query = WebhookQuery {
            owner: authority.only(),
            name: scan.equal.text("name").map(str::to_owned),
            page: page(&scan, WebhookId),
        };
        let found = self.0.engine.list_webhooks(&query).await?;
        let next = next(&scan, found.len(), found.last().map(|row| row.id.0));
        let owner = |row: &Row<WebhookId, Webhook>| row.value.owner;
        let rows = managed(&mut authority, found, owner).await?;
        let rows = rows.iter().map(columns).collect();
        Ok(Scanned { rows, next })
    }

    async fn get(&self, caller: &Principal, key: i64) -> Result<Option<RowMap>, ApiError> {
        Ok(Self::visible(&self.0, caller, key)
            .await?
            .as_ref()
            .map(columns))
    }

    async fn create(&self, caller: &Principal, input: &Input) -> Result<Created, ApiError> {
        let (name, url) = (
            input.text("name").unwrap_or_default().parse()?,
            input.text("url").unwrap_or_default().parse()?,
        );
        let mut webhook = Webhook::new(caller.owner, name, url);
        apply(&mut webhook, input)?;
        let row = self.0.engine.create_webhook(&webhook).await?;
        Ok(Created {
            key: row.id.0,
            secret: None,
        })
    }

    async fn update(
        &self,
        caller: &Principal,
        key: i64,
        input: &Input,
    ) -> Result<RowMap, ApiError> {
        self.own(caller, key).await?;
        let row = self
            .0
            .engine
            .edit_webhook(WebhookId(key), |webhook| apply(webhook, input))
            .await?;
        Ok(columns(&row))
    }

    async fn delete(&self, caller: &Principal, key: i64) -> Result<(), ApiError> {
        self.own(caller, key).await?;
        Ok(self
            .0
            .engine
            .delete_webhook(WebhookId(key), Cascade::Refuse)
            .await?)
    }

    async fn act(
        &self,
        caller: &Principal,
        key: i64,
        action: &str,
        params: &Input,
    ) -> Result<Value, ApiError> {
        self.own(caller, key).await?;
        let (engine, id) = (&self.0.engine, WebhookId(key));
        match action {
            "send" => {
                let message: Option<Message> =
                    params.text("message").map(str::parse).transpose()?;
                engine.send(id, message.as_ref()).await?;
            }
            "pause" => drop(engine.pause_webhook(id).await?),
            "resume" => drop(engine.resume_webhook(id).await?),
            "replay_failed" => {
                let time = |field: &str| {
                    params
                        .int(field)
                        .filter(|n| *n > 0)
                        .and_then(|n| DateTime::<Utc>::from_timestamp(n, 0))
                };
                let (from, before) = (
                    time("from").unwrap_or_default(),
                    time("before").unwrap_or(DateTime::<Utc>::MAX_UTC),
                );
                let replayed = engine
                    .replay(&Replay::Failed {
                        webhook: id,
                        from,
                        before,
                    })
                    .await?;
                return Ok(json!({"replayed": replayed}));
            }
            _ => return Err(ApiError::not_permitted()),
        }
        Ok(json!({}))
    }

    async fn join(
        &self,
        caller: &Principal,
        row: &RowMap,
        through: &str,
        _column: &str,
    ) -> Result<Option<Value>, ApiError> {
        let key = row
            .get(through)
            .and_then(Value::as_str)
            .and_then(|text| text.rsplit_once('/')?.1.parse().ok());
        match key {
            Some(key) => Ok(self.0.named(caller, "users", key).await),
            None => Ok(None),
        }
    }

    async fn count(
        &self,
        _caller: &Principal,
        row: &RowMap,
        _table: &str,
    ) -> Result<u64, ApiError> {
        let webhook = row
            .get(crate::table::KEY)
            .and_then(Value::as_i64)
            .map(WebhookId);
        let mut query = TaskQuery {
            creator: None,
            webhook,
            name: None,
            page: gatepost_storage::Page::first(500),
        };
        let mut count = 0;
        loop {
            let found = self.0.engine.list_tasks(&query).await?;
            count += found.len() as u64;
            match found.last() {
                Some(last) if found.len() == 500 => query.page = query.page.beyond(last.id),
                _ => return Ok(count),
            }
        }
    }
}

fn columns(stored: &Row<WebhookId, Webhook>) -> RowMap {
    let webhook = &stored.value;
    row(
        stored.id.0,
        [
            ("name", webhook.name.as_str().into()),
            ("type", "custom".into()),
            ("url", webhook.url.as_str().into()),
            ("headers", webhook.headers.to_string().into()),
            (
                "authorization_type",
                webhook.authorization.kind().as_str().into(),
            ),
            ("allow_insecure", webhook.allow_insecure.into()),
            ("timeout", webhook.timeout.as_secs().into()),
            ("retries", webhook.retries.get().into()),
            ("enabled", (webhook.activity != Activity::Disabled).into()),
            ("paused", (webhook.activity == Activity::Paused).into()),
            ("in_order", (webhook.order == DeliveryOrder::InOrder).into()),
            ("owner", format!("users/{}", webhook.owner.0).into()),
            ("created", epoch(Some(stored.created))),
            ("modified", epoch(Some(stored.modified))),
        ],
    )
}

/// Writes what the client wrote into the record.
fn apply(webhook: &mut Webhook, input: &Input) -> Result<(), Invalid> {
    if let Some(name) = input.text("name") {
        webhook.name = name.parse()?;
    }
    if let Some(url) = input.text("url") {
        webhook.url = url.parse()?;
    }
    if let Some(headers) = input.text("headers") {
        webhook.headers = Headers::parse_lines(headers)?;
    }
    if let Some(seconds) = input.int("timeout") {
        webhook.timeout = Timeout::try_from(seconds)?;
    }
    if let Some(retries) = input.int("retries") {
        webhook.retries = Retries::try_from(retries)?;
    }
    webhook.allow_insecure = input
        .bool("allow_insecure")
        .unwrap_or(webhook.allow_insecure);
    match input.bool("enabled") {
        Some(false) => webhook.activity = Activity::Disabled,
        Some(true) if webhook.activity == Activity::Disabled => webhook.activity = Activity::Active,
        _ => {}
    }
    match input.bool("in_order") {
        Some(true) => webhook.order = DeliveryOrder::InOrder,
        Some(false) => webhook.order = DeliveryOrder::Unordered,
        None => {}
    }
    authorize(webhook, input)
}

/// The type and the value travel in two columns, and either may be missing: a value alone belongs
/// to the type that is there, a type alone keeps the value if it is the same type.
fn authorize(webhook: &mut Webhook, input: &Input) -> Result<(), Invalid> {
    let present = webhook.authorization.kind();
    let kind = input
        .text("authorization_type")
        .map_or(Ok(present), AuthorizationKind::parse)?;
    match input.text("authorization_value") {
        None if kind == present => {}
        value => webhook.authorization = Authorization::from_parts(kind, value)?,
    }
    Ok(())
}
