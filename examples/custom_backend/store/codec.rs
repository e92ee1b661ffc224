//! Records as JSON and back. Secrets are sealed first.

use std::fmt::Display;
use std::str::FromStr;

use apikey_core::{ApiKey, Digest, Expiration, IpPolicy, KeyId, LastLogin};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use gatepost_storage::keys::KeyRow;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::TaskRow;
use gatepost_storage::{ErrorKind, Revision, Row, StoreError};
use serde_json::{Value, json};
use webhook_model::{
    Action, Activity, Authorization, AuthorizationKind, DeliveryOrder, Event, Headers, JsonObject,
    Object, ObjectId, Occurrence, OwnerId, RateLimit, Retries, SigningSecret, SigningSecrets,
    TagId, Target, Task, TaskId, Timeout, Webhook, WebhookId,
};

use super::Answer;

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
        let parsed = self.text(field)?.parse();
        parsed.map_err(|e: T::Err| corrupt(field).with_source(e.to_string()))
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

    fn list(&self, field: &'static str) -> Answer<&'a Vec<Value>> {
        self.0[field].as_array().ok_or_else(|| corrupt(field))
    }

    fn object(&self, field: &'static str) -> Answer<JsonObject> {
        let object = self.0[field]
            .as_object()
            .cloned()
            .ok_or_else(|| corrupt(field))?;
        JsonObject::new(object).map_err(|_| corrupt(field))
    }

    fn sealed(&self, field: &'static str, keys: &SealingKeys) -> Answer<String> {
        let clear = keys
            .open(&self.bytes(field)?, field)
            .map_err(|e| corrupt(field).with_source(e))?;
        String::from_utf8(clear.to_vec()).map_err(|_| corrupt(field))
    }
}

pub(super) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

fn seal(text: &str, field: &'static str, keys: &SealingKeys) -> Answer<String> {
    let sealed = keys.seal(text.as_bytes(), field);
    let too_long = |_| StoreError::new(ErrorKind::Invalid, "a secret is too long to seal");
    Ok(base64(&sealed.map_err(too_long)?))
}

pub(super) fn from_key(row: &KeyRow) -> Value {
    let key = &row.key;
    json!({
        "revision": row.revision.0, "owner": key.owner.0, "lookup": key.lookup.to_string(), "hint": key.hint.to_string(),
        "scheme": key.digest.scheme.to_string(), "digest": base64(&key.digest.bytes),
        "name": key.name.as_str(), "description": key.description.as_str(),
        "expires": match key.expiration { Expiration::Never => None, Expiration::At(at) => Some(micros(at)) },
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
            name: f.parse("name")?,
            description: f.parse("description")?,
            expiration: f
                .maybe_time("expires")
                .map_or(Expiration::Never, Expiration::At),
            ip: IpPolicy {
                allow: f.parse("allow")?,
                deny: f.parse("deny")?,
            },
            created: f.time("created")?,
            last_login,
        },
    })
}

/// What every record has beside its content.
fn with_head<I, T>(row: &Row<I, T>, mut content: Value) -> Value {
    content["revision"] = row.revision.0.into();
    content["created"] = micros(row.created).into();
    content["modified"] = micros(row.modified).into();
    content
}

fn head<I, T>(id: I, f: &Fields<'_>, value: T) -> Answer<Row<I, T>> {
    Ok(Row {
        id,
        revision: Revision(f.int("revision")?),
        created: f.time("created")?,
        modified: f.time("modified")?,
        value,
    })
}

const ACTIVITIES: [(Activity, &str); 3] = [
    (Activity::Active, "active"),
    (Activity::Paused, "paused"),
    (Activity::Disabled, "disabled"),
];

pub(super) fn from_webhook(row: &Row<WebhookId, Webhook>, keys: &SealingKeys) -> Answer<Value> {
    let w = &row.value;
    let signing: Vec<&str> = w.signing.iter().map(SigningSecret::expose).collect();
    let secret = w.authorization.secret_text();
    let secret = secret
        .map(|s| seal(s.expose(), "authorization", keys))
        .transpose()?;
    let activity = ACTIVITIES
        .iter()
        .find(|(a, _)| *a == w.activity)
        .map(|(_, word)| *word);
    Ok(with_head(
        row,
        json!({
            "owner": w.owner.0, "name": w.name.as_str(), "url": w.url.as_str(),
            "authorization_kind": w.authorization.kind().as_str(), "authorization": secret,
            "headers": seal(&w.headers.to_string(), "headers", keys)?,
            "insecure": w.allow_insecure, "timeout": w.timeout.as_secs(), "retries": w.retries.get(),
            "activity": activity, "in_order": w.order == DeliveryOrder::InOrder,
            "signing": seal(&signing.join("\n"), "signing", keys)?, "rate": w.rate.map(|r| r.get().get()),
        }),
    ))
}

pub(super) fn webhook(id: i64, row: &Value, keys: &SealingKeys) -> Answer<Row<WebhookId, Webhook>> {
    let f = Fields(row);
    let secret = f
        .maybe_text("authorization")
        .map(|_| f.sealed("authorization", keys))
        .transpose()?;
    let kind = AuthorizationKind::parse(f.text("authorization_kind")?)
        .map_err(|_| corrupt("authorization_kind"))?;
    let signing: Result<Vec<_>, _> = f
        .sealed("signing", keys)?
        .lines()
        .map(SigningSecret::parse)
        .collect();
    let word = f.text("activity")?;
    let rate = f
        .maybe_int("rate")
        .map(|n| u32::try_from(n).map(RateLimit::per_second));
    let value = Webhook {
        owner: OwnerId(f.int("owner")?),
        name: f.parse("name")?,
        url: f.parse("url")?,
        authorization: Authorization::from_parts(kind, secret.as_deref())
            .map_err(|_| corrupt("authorization"))?,
        headers: Headers::parse_lines(&f.sealed("headers", keys)?)
            .map_err(|_| corrupt("headers"))?,
        allow_insecure: f.is("insecure")?,
        timeout: Timeout::from_secs(f.number("timeout")?).map_err(|_| corrupt("timeout"))?,
        retries: Retries::new(f.number("retries")?).map_err(|_| corrupt("retries"))?,
        activity: ACTIVITIES
            .iter()
            .find(|(_, w)| *w == word)
            .map(|(a, _)| *a)
            .ok_or_else(|| corrupt("activity"))?,
        order: if f.is("in_order")? {
            DeliveryOrder::InOrder
        } else {
            DeliveryOrder::Unordered
        },
        signing: signing
            .and_then(SigningSecrets::new)
            .map_err(|_| corrupt("signing"))?,
        rate: match rate {
            None => None,
            Some(Ok(Ok(rate))) => Some(rate),
            Some(_) => return Err(corrupt("rate")),
        },
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
        "last_run": row.last_run.map(micros), "creator": t.creator.0, "name": t.name.as_str(),
        "description": t.description.as_str(), "enabled": t.enabled, "once": t.delete_after_run,
        "webhook": webhook.0, "message": message.as_str(),
    }))
}

pub(super) fn task(id: i64, row: &Value) -> Answer<TaskRow> {
    let f = Fields(row);
    Ok(TaskRow {
        id: TaskId(id),
        revision: Revision(f.int("revision")?),
        created: f.time("created")?,
        modified: f.time("modified")?,
        last_run: f.maybe_time("last_run"),
        task: Task {
            creator: OwnerId(f.int("creator")?),
            name: f.parse("name")?,
            description: f.parse("description")?,
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
    let (instance, tag) = match e.target {
        Target::Instance(id) => (Some(id.0), None),
        Target::Tag(id) => (None, Some(id.0)),
        Target::Generic => (None, None),
    };
    with_head(
        row,
        json!({
            "type": e.event_type.as_str(), "event": e.event.as_str(), "instance": instance, "tag": tag, "task": e.task.0,
            "enabled": e.enabled, "filters": e.filters.as_map(), "context": e.context.as_map(),
        }),
    )
}

pub(super) fn event(id: i64, row: &Value) -> Answer<Row<webhook_model::EventId, Event>> {
    let f = Fields(row);
    let value = Event {
        event_type: f.parse("type")?,
        event: f.parse("event")?,
        target: match (f.maybe_int("instance"), f.maybe_int("tag")) {
            (Some(id), _) => Target::Instance(ObjectId(id)),
            (None, Some(id)) => Target::Tag(TagId(id)),
            (None, None) => Target::Generic,
        },
        task: TaskId(f.int("task")?),
        enabled: f.is("enabled")?,
        filters: f.object("filters")?,
        context: f.object("context")?,
    };
    head(webhook_model::EventId(id), &f, value)
}

pub(super) fn from_occurrence(o: &Occurrence) -> Value {
    let tags: Vec<i64> = o.tags.iter().map(|tag| tag.0).collect();
    json!({
        "id": o.id.as_ref().map(webhook_model::OccurrenceId::as_str), "type": o.event_type.as_str(), "event": o.event.as_str(),
        "object": o.object.as_ref().map(|object| object.id.0), "object_name": o.object.as_ref().map(|object| &object.name),
        "tags": tags, "variables": o.variables,
    })
}

pub(super) fn occurrence(row: &Value) -> Answer<Occurrence> {
    let f = Fields(row);
    let tag = |tag: &Value| tag.as_i64().map(TagId).ok_or_else(|| corrupt("tags"));
    let pair =
        |pair: &Value| serde_json::from_value(pair.clone()).map_err(|_| corrupt("variables"));
    Ok(Occurrence {
        id: f.maybe_text("id").map(|_| f.parse("id")).transpose()?,
        event_type: f.parse("type")?,
        event: f.parse("event")?,
        object: match f.maybe_int("object") {
            Some(id) => Some(Object {
                id: ObjectId(id),
                name: f.text("object_name")?.to_owned(),
            }),
            None => None,
        },
        tags: f.list("tags")?.iter().map(tag).collect::<Answer<_>>()?,
        variables: f
            .list("variables")?
            .iter()
            .map(pair)
            .collect::<Answer<_>>()?,
    })
}
