//! Schemas of rows and requests.

use serde_json::{Map, Value, json};

use crate::schema::{Action, Column, Kind, LAST_SECOND, Table};

/// Returns the schemas that all tables use.
pub(super) fn shared() -> Map<String, Value> {
    let mut schemas = json!({});
    schemas["Error"] = object(&json!({
        "err": {"type": "string", "examples": ["Validation error on field: 'timeout' - 'must be 3 or greater'"]},
    }));
    schemas["Error"]["required"] = json!(["err"]);
    receipts(&mut schemas);
    schemas["Limits"] = object(&json!({
        "$key": {"type": "integer"},
        "user": {"anyOf": [{"type": "integer"}, {"type": "string"}], "description": "Whose: an integer from 2^53 on is a string."},
        "name": {"type": "string", "description": "What is limited.", "examples": ["webhooks"]},
        "used": {"type": "integer", "description": "How much of it there is; of waiting deliveries and the log an estimate of a second ago."},
        "limit": {"type": ["integer", "null"], "description": "How much there may be; null for no limit."},
        "rejected": {"type": "integer", "description": "Deliveries that were not stored in the last 24 hours because this limit was reached: of `waiting` and `runs_per_minute`. The table `rejected_deliveries` has all."},
    }));
    schemas["WebhookCounts"] = object(&json!({
        "$key": {"type": "integer"},
        "webhook_url": {"type": "integer", "description": "The webhook."},
        "hour": {"type": "integer", "description": "The beginning of the hour: epoch seconds."},
        "sent": {"type": "integer", "description": "Deliveries that were sent."},
        "error": {"type": "integer", "description": "Deliveries that ended in error."},
        "retried": {"type": "integer", "description": "Attempts after which another was to follow."},
        "duration_ms": {"type": "integer", "description": "How long all attempts took together."},
        "bytes": {"type": "integer", "description": "Bytes of the messages and responses that were stored."},
    }));
    schemas["RejectedDeliveries"] = object(&json!({
        "$key": {"type": "integer"},
        "webhook_url": {"type": "integer", "description": "The webhook."},
        "minute": {"type": "integer", "description": "The beginning of the hour: epoch seconds."},
        "reason": {"type": "string", "enum": ["waiting", "occurrence", "rate"], "description": "Which limit was reached: of what waits, of what one occurrence may make, of what runs in a minute by what the owner causes."},
        "count": {"type": "integer", "description": "Deliveries that were not stored, and are not sent."},
    }));
    schemas["MessagePage"] = object(&json!({
        "messages": {"type": "array", "items": {"$ref": "#/components/schemas/Message"}},
        "cursor": {"type": "string", "description": "Acknowledges these messages as `after` of the next request; also where there is none."},
        "acknowledged": {"type": "integer", "description": "How many messages this request acknowledged."},
        "held": {"type": ["string", "null"], "description": "Why none is handed out although some may wait: the webhook is paused or disabled. Acknowledgements count all the same."},
    }));
    schemas["Message"] = object(&json!({
        "$key": {"type": "integer", "description": "Its delivery: the row in `webhooks`."},
        "id": {"type": "string", "description": "The message id: the same when it is handed out again, or replayed."},
        "created": {"type": "integer", "description": "When it was queued: epoch seconds."},
        "task": {"type": ["integer", "null"], "description": "The task that made it."},
        "table": {"type": ["string", "null"], "description": "The type of the event."},
        "event": {"type": ["string", "null"], "description": "The event."},
        "content_type": {"type": ["string", "null"]},
        "headers": {
            "type": "array", "description": "What its request would have had, signed again: without headers of the connection, and without those that authenticate the platform to its target.",
            "items": {"type": "object", "properties": {"name": {"type": "string"}, "value": {"type": "string"}}},
        },
        "body": {"type": "string", "description": "The message, byte for byte."},
    }));
    schemas["LeakedKey"] = object(&json!({
        "$key": {"type": "integer", "description": "The key."},
        "user": {"type": "integer", "description": "Its owner."},
        "name": {"type": "string"},
        "hint": {"type": "string", "description": "What may be shown of it."},
        "done": {"type": "string", "enum": ["reported", "disabled", "deleted"], "description": "What was done; an expired key is not disabled."},
    }));
    schemas["KeyUses"] = json!({
        "type": "object",
        "description": "A day. `$key`, the place in the list, is there, too, and is not declared: generated clients make one name of `$key` and `key`.",
        "properties": {
            "key": {"type": "integer", "description": "The key."},
            "day": {"type": "integer", "description": "The beginning of the day in UTC: epoch seconds."},
            "used": {"type": "integer", "description": "How often the key let its caller in."},
            "refused": {"type": "integer", "description": "How often it was refused although its secret was right: expired, from an address that its lists refuse, used too often, or of a user who is disabled or gone. Wrong secrets count nowhere: anybody can present one."},
        },
    });
    schemas["WhoAmI"] = object(&json!({
        "user": {"type": "integer", "description": "The user."},
        "user_name": {"type": ["string", "null"], "description": "What the platform calls the user, where the caller may know."},
        "access": {"type": "string", "enum": ["user", "tenant_administrator", "system_administrator", "other"], "description": "How far the user's powers go."},
        "tenant": {"type": ["integer", "null"], "description": "The user's tenant."},
        "via": {"type": "string", "enum": ["key", "login"], "description": "By what the caller proved who it is."},
        "key": {"type": ["integer", "null"], "description": "The API key that is used: its row in `user_api_keys`. This and what follows of it is null for a login."},
        "key_name": {"type": ["string", "null"], "description": "The name of the key."},
        "masked_key": {"type": ["string", "null"], "description": "The part of the key string that may be shown."},
        "expires": {"type": ["integer", "null"], "description": "When the key stops being valid: epoch seconds, 0 for never."},
        "read_only": {"type": "boolean", "description": "Whether the key may only read."},
        "tables": {"type": "string", "description": "The tables that the key names, comma-joined."},
        "scopes": {"type": "string", "description": "The scopes that the key names, comma-joined; a key that names no tables and no scopes may use everything."},
        "requests_per_minute": {"type": "integer", "description": "How many requests a minute the key may make in each process of the platform; 0 for no limit."},
        "user_requests_per_minute": {"type": "integer", "description": "How many all keys of the user may make together in each process; 0 for no limit, and for a login that is no key."},
    }));
    schemas["System"] = object(&json!({
        "$key": {"type": "integer"}, "yb_version": {"type": "string"}, "os_version": {"type": "string"}, "cloud_name": {"type": "string"},
    }));
    match schemas {
        Value::Object(schemas) => schemas,
        _ => Map::new(),
    }
}

/// Adds the responses to creations.
fn receipts(schemas: &mut Value) {
    schemas["Receipt"] = object(&json!({
        "location": {"type": "string", "examples": ["/v4/webhook_urls/5"]},
        "dbpath": {"type": "string", "examples": ["webhook_urls/5"]},
        "$row": {"type": "integer", "examples": [5]},
        "$key": {"type": "string", "examples": ["5"]},
    }));
    schemas["Receipt"]["required"] = json!(["location", "dbpath", "$row", "$key"]);
    // Generated clients make one name of `$key` and `key`, and lose one of them: it must not be the
    // key string. `$row` has the same number.
    schemas["KeyReceipt"] = json!({
        "type": "object", "required": ["location", "dbpath", "$row", "key", "response"], "additionalProperties": true,
        "description": "The receipt of a new API key, and its key string: shown here, this once. `$key`, the row number as a string, is there, too, and is not declared: `$row` has it.",
        "properties": {
            "location": {"type": "string", "examples": ["/v4/user_api_keys/5"]},
            "dbpath": {"type": "string", "examples": ["user_api_keys/5"]},
            "$row": {"type": "integer", "examples": [5]},
            "key": {"type": "string", "description": "The key string."},
            "response": {
                "type": "object", "required": ["private_key", "token"], "description": "The key string again, where existing clients look for it.",
                "properties": {"private_key": {"type": "string"}, "token": {"type": "string"}},
            },
        },
    });
    schemas["Subscription"] = object(&json!({
        "webhook_url": {"type": "integer", "description": "The webhook, new or not."},
        "task": {"type": "integer", "description": "The task."},
        "task_events": {"type": "array", "items": {"type": "integer"}, "description": "The events, in the order of the request."},
        "response": {
            "type": "object", "description": "There if a signing secret was asked for.",
            "properties": {"signing_secret": {"type": "string", "description": "The secret: shown here, this once."}},
        },
    }));
    schemas["Subscription"]["required"] = json!(["webhook_url", "task", "task_events"]);
}

/// Describes an object with these members.
fn object(members: &Value) -> Value {
    json!({"type": "object", "properties": members})
}

/// Adds the schemas of one table: its rows, its creation, its change.
pub(super) fn add(schemas: &mut Map<String, Value>, table: &Table) {
    let readable = table
        .all_readable()
        .map(|c| (c.name.to_owned(), response(c)));
    let key = (
        "$key".to_owned(),
        json!({"type": "integer", "description": "The row number."}),
    );
    let properties: Map<String, Value> = std::iter::once(key).chain(readable).collect();
    schemas.insert(
        table.name.into(),
        json!({"type": "object", "description": table.doc, "properties": properties}),
    );
    if !table.actions.is_empty() {
        // A separate schema: generated clients have one type for it, wherever it is used.
        let names: Vec<_> = table.actions.iter().map(|action| action.name).collect();
        schemas.insert(action_name(table), json!({"type": "string", "enum": names}));
    }
    if table.editable {
        let columns = table.columns.iter();
        let created = input(columns.clone().filter(|c| c.access.at_creation()));
        let mut changed = input(columns.filter(|c| c.access.by_edit()));
        changed["required"] = json!([]);
        schemas.insert(create_name(table), created);
        schemas.insert(update_name(table), changed);
    }
}

/// Returns the name of the schema of an action's name: `task_action`.
pub(super) fn action_name(table: &Table) -> String {
    format!("{}_action", table.singular)
}

pub(super) fn create_name(table: &Table) -> String {
    format!("{}_create", table.name)
}

pub(super) fn update_name(table: &Table) -> String {
    format!("{}_update", table.name)
}

/// Describes the parameters of an action.
pub(super) fn params(action: &Action) -> Value {
    let mut schema = input(action.params);
    if let Some(others) = action.others {
        schema["description"] = others.into();
        schema["additionalProperties"] = json!(true);
    }
    schema
}

/// Describes the input of a client.
pub(super) fn input<'c>(columns: impl IntoIterator<Item = &'c Column>) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for column in columns {
        properties.insert(column.name.to_owned(), request(column));
        required.extend(column.required.then_some(column.name));
    }
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn described(column: &Column, mut schema: Value) -> Value {
    if let Value::Object(schema) = &mut schema {
        schema.insert("description".into(), column.doc.into());
        if let Ok(example) = serde_json::from_str::<Value>(column.example) {
            schema.insert("examples".into(), json!([example]));
        }
    }
    schema
}

/// Describes the type of a column in a response.
fn response(column: &Column) -> Value {
    let schema = match column.kind {
        Kind::Int(..) | Kind::Key(_) | Kind::User | Kind::Time => json!({"type": "integer"}),
        Kind::Bool => json!({"type": "boolean"}),
        Kind::Text(..) => json!({"type": "string"}),
        Kind::Word(words) => json!({"type": "string", "enum": words}),
        Kind::Reference(_) => json!({"type": ["string", "null"]}),
        Kind::Object => json!({"type": "object"}),
    };
    described(column, schema)
}

/// Describes the types that a request may use for a column.
fn request(column: &Column) -> Value {
    let schema = match column.kind {
        Kind::Int(min, max) => json!({"type": "integer", "minimum": min, "maximum": max}),
        Kind::Time => json!({"type": "integer", "minimum": 0, "maximum": LAST_SECOND}),
        Kind::Key(_) | Kind::User => row_number(),
        // Some clients of the v4 API send 0 and 1.
        Kind::Bool => json!({"type": ["boolean", "integer"], "minimum": 0, "maximum": 1}),
        // Null clears a text that may be empty.
        Kind::Text(0, max) => json!({"type": ["string", "null"], "maxLength": max}),
        Kind::Text(min, max) => json!({"type": "string", "minLength": min, "maxLength": max}),
        Kind::Word(words) => json!({"type": "string", "enum": words}),
        Kind::Reference(table) => {
            json!({"type": ["string", "null"], "pattern": format!("^{}/[1-9][0-9]{{0,17}}$", table.unwrap_or("[a-z][a-z0-9_]{0,63}"))})
        }
        Kind::Object => json!({"type": ["object", "null"]}),
    };
    described(column, schema)
}

/// Describes a row number, which may be sent as a string of digits.
pub(super) fn row_number() -> Value {
    // A choice of two types, since generators that make one of `type: [integer, string]` lose the
    // integer's size.
    json!({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": "^[1-9][0-9]{0,17}$"}]})
}
