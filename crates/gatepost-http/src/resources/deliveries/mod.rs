//! `webhooks`: the delivery log.

mod columns;
mod held;

use async_trait::async_trait;
use gatepost_manage::Actor;
use gatepost_storage::webhooks::{
    AttemptRecord, Cause, DataExcerpt, Delivery, DeliveryId, DeliveryQuery, DeliveryState,
};
use serde_json::{Value, json};
use webhook_model::{ObjectId, TaskId, WebhookId};

use self::held::Held;
use super::row::{epoch, if_there, page, row, scanned};
use crate::error::{ApiError, Result};
use crate::resource::{Resource, Scan, Scanned, Wanted};
use crate::schema::{Input, KEY, RowMap, Table, number};

/// Replaces a message or a response that was not kept, for clients that do not know `message_kept`.
const NOT_KEPT: &str = "not kept";

/// Columns of the last attempt, which is looked up for each row.
const LAST_ATTEMPT: [&str; 3] = ["request", "response_body", "response_kept"];
/// The size of messages that are read at a time, in bytes.
const MESSAGES: u64 = 1024 * 1024;

#[derive(Debug)]
pub(super) struct Deliveries;

#[async_trait]
impl Resource for Deliveries {
    fn table(&self) -> &'static Table {
        &columns::TABLE
    }

    async fn scan(&self, caller: &Actor, scan: Scan<'_>) -> Result<Scanned> {
        if let Some(key) = scan.equal.key(KEY) {
            return one(caller, key, &scan).await;
        }
        let state = scan.equal.text("status");
        let messages = scan.columns.bodies(&["message"], MESSAGES);
        let query = DeliveryQuery {
            webhook: scan.equal.key("webhook_url").map(WebhookId),
            task: scan.equal.key("task").filter(|key| *key > 0).map(TaskId),
            states: state
                .and_then(DeliveryState::from_word)
                .into_iter()
                .collect(),
            class: scan
                .equal
                .text("class")
                .filter(|class| !class.is_empty())
                .map(str::to_owned),
            ..DeliveryQuery::all(page(&scan, DeliveryId).with_bodies(messages))
        };
        if LAST_ATTEMPT.iter().any(|column| scan.columns.has(column)) {
            let found = caller.deliveries_with_responses(&query).await?;
            let deliveries = found.rows.iter().map(|(delivery, _)| delivery);
            let waiting = held::waiting(deliveries, scan.columns);
            let held = held::by(caller, waiting).await?;
            let row = |row: &_| row_with_response(row, &held);
            return Ok(scanned(found, row, |id| id.0).await);
        }
        let found = caller.deliveries(&query).await?;
        let held = held::by(caller, held::waiting(&found.rows, scan.columns)).await?;
        let row = |delivery: &_| delivery_row(delivery, &held);
        Ok(scanned(found, row, |id| id.0).await)
    }

    async fn get(&self, caller: &Actor, key: ObjectId) -> Result<RowMap> {
        let (delivery, _) = caller.delivery(DeliveryId(number(key)?)).await?;
        let last = caller.attempts(delivery.id, 1).await?.pop();
        let held = held::by(caller, held::waiting([&delivery], &Wanted::Every)).await?;
        Ok(row_with_response(&(delivery, last), &held))
    }

    async fn delete(&self, caller: &Actor, key: ObjectId) -> Result<()> {
        Ok(caller.delete_delivery(DeliveryId(number(key)?)).await?)
    }

    async fn act(&self, caller: &Actor, key: ObjectId, name: &str, _: Input) -> Result<Value> {
        let id = DeliveryId(number(key)?);
        match name {
            "replay" => caller.replay_delivery(id).await?,
            "retry" => caller.retry_delivery(id).await?,
            "cancel" => caller.cancel_delivery(id).await?,
            _ => return Err(ApiError::not_permitted()),
        }
        Ok(json!({}))
    }
}

/// Returns the one row that a filter names.
async fn one(caller: &Actor, key: i64, scan: &Scan<'_>) -> Result<Scanned> {
    if scan.after.is_some() {
        return Ok(Scanned::default());
    }
    let delivery = if_there(caller.delivery(DeliveryId(key)).await)?;
    let Some((delivery, _)) = delivery else {
        return Ok(Scanned::default());
    };
    let last = if_there(caller.attempts(delivery.id, 1).await)?;
    let last = last.and_then(|mut last| last.pop());
    let held = held::by(caller, held::waiting([&delivery], scan.columns)).await?;
    Ok(Scanned {
        rows: vec![row_with_response(&(delivery, last), &held)],
        next: None,
    })
}

/// Returns the row with the last attempt's request and response.
fn row_with_response((delivery, last): &(Delivery, Option<AttemptRecord>), held: &Held) -> RowMap {
    let mut row = delivery_row(delivery, held);
    let body = match last {
        Some(attempt) if !attempt.kept => NOT_KEPT.into(),
        Some(attempt) => String::from_utf8_lossy(&attempt.response_body).into_owned(),
        None => String::new(),
    };
    let sent = last
        .as_ref()
        .map_or(&[][..], |attempt| &attempt.request_head);
    let kept = last.as_ref().is_none_or(|attempt| attempt.kept);
    row.extend([
        ("request", String::from_utf8_lossy(sent).into()),
        ("response_body", body.into()),
        ("response_kept", kept.into()),
    ]);
    row
}

fn delivery_row(delivery: &Delivery, held: &Held) -> RowMap {
    let waits = delivery.state == DeliveryState::Queued;
    let message = if delivery.message_kept {
        &*delivery.body
    } else {
        NOT_KEPT
    };
    let cause = delivery.cause.as_ref();
    let word = |of: fn(&Cause) -> &str| cause.map_or("", of);
    let object = cause.and_then(|cause| cause.object);
    let by = cause.and_then(|cause| cause.by);
    let trace = cause.and_then(|cause| cause.trace.as_ref());
    let trace = trace.map(|trace| format!("{:032x}", trace.parent.trace_id()));
    let duration = delivery
        .duration
        .map(|d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX));
    row(
        delivery.id.0,
        [
            ("webhook_url", delivery.webhook.0.into()),
            ("message", message.into()),
            ("message_kept", delivery.message_kept.into()),
            ("status", delivery.state.as_str().into()),
            ("status_info", held.info(delivery).into()),
            ("class", delivery.class.as_str().into()),
            ("last_attempt", epoch(delivery.last_attempt)),
            ("created", epoch(Some(delivery.created))),
            ("attempts", delivery.attempts.into()),
            ("next_attempt", epoch(Some(delivery.due).filter(|_| waits))),
            ("task", delivery.task.map_or(0, |task| task.0).into()),
            ("cause_type", word(|cause| cause.event_type.as_str()).into()),
            ("cause_event", word(|cause| cause.event.as_str()).into()),
            ("cause_object", object.map_or(json!(0), |id| json!(id))),
            ("cause_user", by.map_or(json!(0), |id| json!(id))),
            (
                "cause_occurrence",
                word(|cause| cause.occurrence.as_ref().map_or("", |id| id.as_str())).into(),
            ),
            ("cause_trace", trace.unwrap_or_default().into()),
            (
                "cause_data",
                word(|cause| cause.data.as_ref().map_or("", DataExcerpt::as_str)).into(),
            ),
            (
                "response_status",
                delivery.response_status.unwrap_or_default().into(),
            ),
            ("duration_ms", duration.unwrap_or_default().into()),
            ("message_id", delivery.message_id.as_str().into()),
        ],
    )
}
