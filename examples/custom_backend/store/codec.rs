//! Records as JSON and back. Secrets are sealed first.

use std::fmt::Display;
use std::str::FromStr;

use apikey_core::{
    ApiKey, Digest, Expiration, Grant, IpPolicy, KeyId, KeyName, LastLogin, RateLimit,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use gatepost_storage::columns::{
    OutboxColumns, SealedSecrets, activity_word, left, left_columns, parse_activity,
    parse_channels, parse_rate, parse_retry_schedule, parse_target, retry_schedule_text,
    target_ids,
};
use gatepost_storage::keys::{KeyRow, Rolled};
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{NewOutbox, OutboxId, OutboxRow, TaskRow, Unreadable};
use gatepost_storage::{ErrorKind, Revision, Row, StoreError};
use serde_json::{Value, json};
use webhook_model::{
    Action, DeliveryOrder, Description, Event, EventLabel, Filter, JsonObject, Occurrence, OwnerId,
    Retries, Task, TaskId, TaskName, Timeout, Webhook, WebhookId, WebhookName,
};

use super::error::Answer;

/// Microseconds since 1970: what times are kept to.
pub(super) fn micros(time: DateTime<Utc>) -> i64 {
    time.timestamp_micros()
}

pub(super) fn corrupt(field: &'static str) -> StoreError {
    StoreError::new(ErrorKind::Corrupt, field)
}

/// Reads the fields of a row; what is missing or of another kind is `Corrupt` and names the field.
pub(super) struct Fields<'a>(pub(super) &'a Value);

impl<'a> Fields<'a> {
    pub(super) fn maybe_int(&self, field: &'static str) -> Option<i64> {
        self.0[field].as_i64()
    }

    pub(super) fn int(&self, field: &'static str) -> Answer<i64> {
        self.maybe_int(field).ok_or_else(|| corrupt(field))
    }

    /// An integer of a smaller kind.
    pub(super) fn number<N: TryFrom<i64>>(&self, field: &'static str) -> Answer<N> {
        N::try_from(self.int(field)?).map_err(|_| corrupt(field))
    }

    pub(super) fn is(&self, field: &'static str) -> Answer<bool> {
        self.0[field].as_bool().ok_or_else(|| corrupt(field))
    }

    pub(super) fn maybe_text(&self, field: &'static str) -> Option<&'a str> {
        self.0[field].as_str()
    }

    pub(super) fn text(&self, field: &'static str) -> Answer<&'a str> {
        self.maybe_text(field).ok_or_else(|| corrupt(field))
    }

    pub(super) fn parse<T: FromStr<Err: Display>>(&self, field: &'static str) -> Answer<T> {
        self.stored(field, str::parse)
    }

    /// A text that may hold what is no longer accepted.
    pub(super) fn stored<T, E: Display>(
        &self,
        field: &'static str,
        read: fn(&str) -> Result<T, E>,
    ) -> Answer<T> {
        read(self.text(field)?).map_err(|e| corrupt(field).with_source(e.to_string()))
    }

    pub(super) fn maybe_time(&self, field: &'static str) -> Option<DateTime<Utc>> {
        self.maybe_int(field)
            .and_then(DateTime::from_timestamp_micros)
    }

    pub(super) fn time(&self, field: &'static str) -> Answer<DateTime<Utc>> {
        self.maybe_time(field).ok_or_else(|| corrupt(field))
    }

    pub(super) fn bytes(&self, field: &'static str) -> Answer<Vec<u8>> {
        STANDARD
            .decode(self.text(field)?)
            .map_err(|_| corrupt(field))
    }

    fn limit(&self) -> Answer<Option<RateLimit>> {
        let limit = self.0["limit"].as_i64().map(RateLimit::try_from);
        limit.transpose().map_err(|_| corrupt("limit"))
    }

    fn object(&self, field: &'static str) -> Answer<JsonObject> {
        let object = self.0[field]
            .as_object()
            .cloned()
            .ok_or_else(|| corrupt(field))?;
        JsonObject::new(object).map_err(|_| corrupt(field))
    }

    fn filter(&self, field: &'static str) -> Answer<Filter> {
        Filter::stored(&self.0[field].to_string()).map_err(|_| corrupt(field))
    }
}

pub(super) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

pub(super) fn from_key(row: &KeyRow) -> Value {
    let key = &row.key;
    json!({
        "revision": row.revision.0, "owner": key.owner.0, "lookup": key.lookup.to_string(), "hint": key.hint.to_string(),
        "scheme": key.digest.scheme.to_string(), "digest": base64(&key.digest.bytes),
        "name": key.name.as_str(), "description": key.description.as_str(),
        "expires": match key.expiration { Expiration::Never => None, Expiration::At(at) => Some(micros(at)) },
        "enabled": key.enabled, "read_only": key.grant.is_read_only(),
        "tables": key.grant.tables().to_string(), "scopes": key.grant.scopes().to_string(),
        "limit": key.limit.map(i64::from), "rolled_from": row.rolled.from.map(|id| id.0), "rolled_to": row.rolled.to.map(|id| id.0),
        "allow": key.ip.allow.to_string(), "deny": key.ip.deny.to_string(), "created": micros(key.created),
        "login": key.last_login.map(|login| micros(login.at)),
        "login_from": key.last_login.map(|login| login.from.to_string()),
    })
}

pub(super) fn key(id: i64, row: &Value) -> Answer<KeyRow> {
    let f = Fields(row);
    let last_login = match f.maybe_time("login") {
        Some(at) => Some(LastLogin {
            at,
            from: f.parse("login_from")?,
        }),
        None => None,
    };
    Ok(KeyRow {
        id: KeyId(id),
        revision: Revision(f.int("revision")?),
        key: ApiKey {
            owner: OwnerId(f.int("owner")?),
            lookup: f.parse("lookup")?,
            hint: f.parse("hint")?,
            digest: Digest {
                scheme: f.parse("scheme")?,
                bytes: f
                    .bytes("digest")?
                    .try_into()
                    .map_err(|_| corrupt("digest"))?,
            },
            name: f.stored("name", KeyName::stored)?,
            description: f.stored("description", apikey_core::Description::stored)?,
            expiration: f
                .maybe_time("expires")
                .map_or(Expiration::Never, Expiration::At),
            ip: IpPolicy {
                allow: f.parse("allow")?,
                deny: f.parse("deny")?,
            },
            grant: Grant::new(f.is("read_only")?, f.parse("tables")?, f.parse("scopes")?),
            limit: f.limit()?,
            enabled: f.is("enabled")?,
            created: f.time("created")?,
            last_login,
        },
        rolled: Rolled {
            from: row["rolled_from"].as_i64().map(KeyId),
            to: row["rolled_to"].as_i64().map(KeyId),
        },
    })
}

/// What every record has beside its content.
fn with_head<I, T>(row: &Row<I, T>, mut content: Value) -> Value {
    content["owner"] = row.owner.0.into();
    content["revision"] = row.revision.0.into();
    content["created"] = micros(row.created).into();
    content["modified"] = micros(row.modified).into();
    content
}

fn head<I, T>(id: I, f: &Fields<'_>, value: T) -> Answer<Row<I, T>> {
    Ok(Row {
        id,
        owner: OwnerId(f.int("owner")?),
        revision: Revision(f.int("revision")?),
        created: f.time("created")?,
        modified: f.time("modified")?,
        value,
    })
}

pub(super) fn from_webhook(row: &Row<WebhookId, Webhook>, keys: &SealingKeys) -> Answer<Value> {
    let w = &row.value;
    let sealed = SealedSecrets::seal(w, keys)?;
    Ok(with_head(
        row,
        json!({
            "name": w.name.as_str(), "url": sealed.url,
            "authorization_kind": w.authorization.kind().as_str(), "authorization": sealed.authorization.as_deref().map(base64),
            "client_identity": sealed.client_identity.as_deref().map(base64),
            "headers": base64(&sealed.headers),
            "insecure": w.allow_insecure, "timeout": w.timeout.as_secs(), "retries": w.retries.get(),
            "activity": activity_word(w.activity, w.mode), "in_order": w.order == DeliveryOrder::InOrder,
            "signing": base64(&sealed.signing), "rate": w.rate.map(|r| r.get().get()),
            "channels": w.channels.to_string(), "retry_schedule": retry_schedule_text(w.retry_schedule.as_ref()),
        }),
    ))
}

pub(super) fn webhook(id: i64, row: &Value, keys: &SealingKeys) -> Answer<Row<WebhookId, Webhook>> {
    let f = Fields(row);
    let sealed = SealedSecrets {
        url: f.text("url")?.to_owned(),
        authorization: f
            .maybe_text("authorization")
            .map(|_| f.bytes("authorization"))
            .transpose()?,
        client_identity: f
            .maybe_text("client_identity")
            .map(|_| f.bytes("client_identity"))
            .transpose()?,
        headers: f.bytes("headers")?,
        signing: f.bytes("signing")?,
    };
    let secrets = sealed.open(f.text("authorization_kind")?, keys)?;
    let (activity, mode) = parse_activity(f.text("activity")?)?;
    let value = Webhook {
        owner: OwnerId(f.int("owner")?),
        name: f.stored("name", WebhookName::stored)?,
        url: secrets.url,
        authorization: secrets.authorization,
        client_identity: secrets.client_identity,
        headers: secrets.headers,
        allow_insecure: f.is("insecure")?,
        timeout: Timeout::from_secs(f.number("timeout")?).map_err(|_| corrupt("timeout"))?,
        retries: Retries::new(f.number("retries")?).map_err(|_| corrupt("retries"))?,
        activity,
        mode,
        order: if f.is("in_order")? {
            DeliveryOrder::InOrder
        } else {
            DeliveryOrder::Unordered
        },
        signing: secrets.signing,
        rate: parse_rate(f.maybe_int("rate"))?,
        // Rows of before have neither.
        channels: parse_channels(f.maybe_text("channels").unwrap_or_default())?,
        retry_schedule: parse_retry_schedule(f.maybe_text("retry_schedule").unwrap_or_default())?,
    };
    head(WebhookId(id), &f, value)
}

pub(super) fn from_task(row: &TaskRow) -> Answer<Value> {
    let Action::Send { webhook, message } = &row.task.action else {
        return Err(StoreError::new(
            ErrorKind::Unsupported,
            "an action that this version does not know",
        ));
    };
    let t = &row.task;
    Ok(json!({
        "revision": row.revision.0, "created": micros(row.created), "modified": micros(row.modified),
        "owner": row.owner.0, "last_run": row.last_run.map(micros), "creator": t.creator.0, "name": t.name.as_str(),
        "description": t.description.as_str(), "enabled": t.enabled, "once": t.delete_after_run,
        "webhook": webhook.0, "message": message.as_str(),
    }))
}

pub(super) fn task(id: i64, row: &Value) -> Answer<TaskRow> {
    let f = Fields(row);
    Ok(TaskRow {
        id: TaskId(id),
        owner: OwnerId(f.int("owner")?),
        revision: Revision(f.int("revision")?),
        created: f.time("created")?,
        modified: f.time("modified")?,
        last_run: f.maybe_time("last_run"),
        task: Task {
            creator: OwnerId(f.int("creator")?),
            name: f.stored("name", TaskName::stored)?,
            description: f.stored("description", Description::stored)?,
            enabled: f.is("enabled")?,
            delete_after_run: f.is("once")?,
            action: Action::Send {
                webhook: WebhookId(f.int("webhook")?),
                message: f.parse("message")?,
            },
        },
    })
}

pub(super) fn from_event(row: &Row<webhook_model::EventId, Event>) -> Value {
    let e = &row.value;
    let (instance, tag) = target_ids(e.target);
    with_head(
        row,
        json!({
            "type": e.event_type.as_str(), "event": e.event.as_str(), "instance": instance, "tag": tag, "task": e.task.0,
            "enabled": e.enabled, "filters": e.filters.to_map(), "context": e.context.as_map(), "label": e.label.as_str(),
        }),
    )
}

pub(super) fn event(id: i64, row: &Value) -> Answer<Row<webhook_model::EventId, Event>> {
    let f = Fields(row);
    let value = Event {
        event_type: f.parse("type")?,
        event: f.parse("event")?,
        target: parse_target(f.maybe_int("instance"), f.maybe_int("tag"))?,
        task: TaskId(f.int("task")?),
        enabled: f.is("enabled")?,
        filters: f.filter("filters")?,
        context: f.object("context")?,
        label: f.stored("label", EventLabel::stored)?,
    };
    head(webhook_model::EventId(id), &f, value)
}

pub(super) fn from_occurrence(new: &NewOutbox, now: DateTime<Utc>) -> Value {
    let c = OutboxColumns::of(&new.occurrence);
    let (after_task, tasks) = left_columns(&new.left);
    json!({
        "turn": 0, "created": micros(now), "due": micros(new.due), "after_task": after_task, "tasks": tasks,
        "tenant": c.tenant, "owner": c.owner, "operators": c.operators,
        "event_type": c.event_type, "event": c.event, "object_id": c.object_id, "object_name": c.object_name,
        "tags": c.tags, "variables": c.variables, "data": c.data, "occurrence_id": c.occurrence_id,
        "webhooks": c.webhooks, "channel": c.channel, "trace": c.trace,
    })
}

pub(super) fn outbox_row(id: i64, row: &Value) -> Answer<OutboxRow> {
    let f = Fields(row);
    Ok(OutboxRow {
        id: OutboxId(id),
        occurrence: occurrence(row),
        left: left(f.int("after_task")?, f.maybe_text("tasks")).map_err(|_| corrupt("tasks"))?,
        turn: f.number("turn")?,
        created: f.time("created")?,
    })
}

/// The occurrence, or why the row cannot be used.
fn occurrence(row: &Value) -> Result<Occurrence, Unreadable> {
    let text = |column: &str| row[column].as_str();
    OutboxColumns {
        event_type: text("event_type").unwrap_or_default(),
        event: text("event").unwrap_or_default(),
        object_id: row["object_id"].as_i64(),
        object_name: text("object_name"),
        tags: text("tags").unwrap_or_default().into(),
        variables: text("variables").unwrap_or_default().into(),
        data: text("data"),
        occurrence_id: text("occurrence_id"),
        webhooks: text("webhooks").map(Into::into),
        channel: text("channel"),
        tenant: row["tenant"].as_i64(),
        owner: row["owner"].as_i64(),
        operators: row["operators"].as_bool().unwrap_or_default(),
        trace: text("trace").map(Into::into),
    }
    .occurrence()
}
