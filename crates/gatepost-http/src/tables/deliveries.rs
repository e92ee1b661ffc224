//! `webhooks`: the delivery log.

use std::collections::HashMap;

use async_trait::async_trait;
use gatepost_keys::Principal;
use gatepost_storage::webhooks::{Delivery, DeliveryId, DeliveryQuery, DeliveryState, Replay};
use serde_json::{Value, json};
use webhook_model::WebhookId;

use super::{Services, Webhooks, deliveries_table, epoch, next, page, row};
use crate::error::ApiError;
use crate::resource::{Created, Resource, Scan, Scanned};
use crate::table::{Input, RowMap, Table};

#[derive(Debug)]
pub(crate) struct Deliveries(pub(super) Services);

impl Deliveries {
    async fn own(&self, caller: &Principal, key: i64) -> Result<Delivery, ApiError> {
        let delivery = self
            .0
            .engine
            .delivery(DeliveryId(key))
            .await?
            .ok_or_else(ApiError::not_found)?;
        let webhook = Webhooks::visible(&self.0, caller, delivery.webhook.0).await?;
        webhook.map(|_| delivery).ok_or_else(ApiError::not_found)
    }

    async fn with_answer(&self, delivery: &Delivery) -> Result<RowMap, ApiError> {
        let mut row = columns(delivery);
        let last = self.0.engine.attempts(delivery.id).await?.pop();
        let body = last.map(|attempt| String::from_utf8_lossy(&attempt.response_body).into_owned());
        row.insert("response_body".into(), body.unwrap_or_default().into());
        Ok(row)
    }
}

#[async_trait]
impl Resource for Deliveries {
    fn table(&self) -> &'static Table {
        &deliveries_table::TABLE
    }

    async fn scan(&self, caller: &Principal, scan: Scan<'_>) -> Result<Scanned, ApiError> {
        if let Some(key) = scan.equal.key(crate::table::KEY) {
            let row = if scan.after.is_some() {
                None
            } else {
                self.get(caller, key).await?
            };
            return Ok(Scanned {
                rows: row.into_iter().collect(),
                next: None,
            });
        }
        let query = DeliveryQuery {
            webhook: scan.equal.key("webhook_url").map(WebhookId),
            task: scan
                .equal
                .key("task")
                .filter(|key| *key > 0)
                .map(webhook_model::TaskId),
            states: scan
                .equal
                .text("status")
                .and_then(DeliveryState::from_word)
                .into_iter()
                .collect(),
            ..DeliveryQuery::all(page(&scan, DeliveryId))
        };
        let found = self.0.engine.list_deliveries(&query).await?;
        let next = next(
            &scan,
            found.len(),
            found.last().map(|delivery| delivery.id.0),
        );
        let mut visible: HashMap<WebhookId, bool> = HashMap::new();
        let mut rows = Vec::with_capacity(found.len());
        for delivery in &found {
            let may = match visible.get(&delivery.webhook) {
                Some(may) => *may,
                None => Webhooks::visible(&self.0, caller, delivery.webhook.0)
                    .await?
                    .is_some(),
            };
            visible.insert(delivery.webhook, may);
            if may {
                rows.push(if scan.costly {
                    self.with_answer(delivery).await?
                } else {
                    columns(delivery)
                });
            }
        }
        Ok(Scanned { rows, next })
    }

    async fn get(&self, caller: &Principal, key: i64) -> Result<Option<RowMap>, ApiError> {
        match self.own(caller, key).await {
            Ok(delivery) => self.with_answer(&delivery).await.map(Some),
            Err(error) if error == ApiError::not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn create(&self, _caller: &Principal, _input: &Input) -> Result<Created, ApiError> {
        Err(ApiError::not_permitted())
    }

    async fn update(
        &self,
        _caller: &Principal,
        _key: i64,
        _input: &Input,
    ) -> Result<RowMap, ApiError> {
        Err(ApiError::not_permitted())
    }

    async fn delete(&self, caller: &Principal, key: i64) -> Result<(), ApiError> {
        let delivery = self.own(caller, key).await?;
        Ok(self.0.engine.delete_delivery(delivery.id).await?)
    }

    async fn act(
        &self,
        caller: &Principal,
        key: i64,
        action: &str,
        _params: &Input,
    ) -> Result<Value, ApiError> {
        let delivery = self.own(caller, key).await?;
        let done = match action {
            "replay" => {
                self.0
                    .engine
                    .replay(&Replay::Ids(vec![delivery.id]))
                    .await?
            }
            "cancel" => self.0.engine.cancel(&[delivery.id]).await?,
            _ => return Err(ApiError::not_permitted()),
        };
        if done == 0 {
            Err(ApiError::conflict(
                "The delivery is not in a state for that",
            ))
        } else {
            Ok(json!({}))
        }
    }

    async fn join(
        &self,
        caller: &Principal,
        row: &RowMap,
        through: &str,
        _column: &str,
    ) -> Result<Option<Value>, ApiError> {
        let Some(key) = row.get(through).and_then(Value::as_i64) else {
            return Ok(None);
        };
        Ok(Webhooks::visible(&self.0, caller, key)
            .await?
            .map(|row| row.value.name.as_str().into()))
    }

    async fn count(
        &self,
        _caller: &Principal,
        _row: &RowMap,
        _table: &str,
    ) -> Result<u64, ApiError> {
        Ok(0)
    }
}

fn columns(delivery: &Delivery) -> RowMap {
    let waits = delivery.state == DeliveryState::Queued;
    row(
        delivery.id.0,
        [
            ("webhook_url", delivery.webhook.0.into()),
            ("message", (*delivery.body).into()),
            ("status", delivery.state.as_str().into()),
            ("status_info", delivery.status_info.as_str().into()),
            ("last_attempt", epoch(delivery.last_attempt)),
            ("created", epoch(Some(delivery.created))),
            ("attempts", delivery.attempts.into()),
            ("next_attempt", epoch(Some(delivery.due).filter(|_| waits))),
            ("task", delivery.task.map_or(0, |task| task.0).into()),
            (
                "response_status",
                delivery.response_status.unwrap_or_default().into(),
            ),
            (
                "duration_ms",
                delivery
                    .duration
                    .map_or(0, |d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX))
                    .into(),
            ),
            ("message_id", delivery.message_id.as_str().into()),
        ],
    )
}
