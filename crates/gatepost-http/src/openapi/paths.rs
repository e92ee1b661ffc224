//! Paths and their responses.

use serde_json::{Map, Value, json};

use super::schemas;
use crate::schema::{Column, Table};

pub(super) fn system() -> Value {
    json!({"get": {
        "operationId": "system",
        "summary": "The login probe: what runs here",
        "parameters": [query("fields", "string", "Columns, separated by commas.")],
        "responses": responses(&[("200", list_of("System"))], &["401", "403", "422", "429", "500", "503"]),
    }})
}

pub(super) fn limits() -> Value {
    json!({"get": {
        "operationId": "limits",
        "summary": "How much of each limit is used: the caller's own, or those of a user that the caller administers",
        "parameters": [
            query("user", "integer", "The user; the caller, without."),
            query("fields", "string", "Columns, separated by commas."),
        ],
        "responses": responses(&[("200", list_of("Limits"))], &["401", "403", "404", "422", "429", "500", "503"]),
    }})
}

pub(super) fn whoami() -> Value {
    json!({"get": {
        "operationId": "whoami",
        "summary": "Who is calling, by which key, and what that key may do: an addition to the v4 wire, open to every key",
        "responses": responses(&[("200", reference("WhoAmI"))], &["401", "403", "429", "500", "503"]),
    }})
}

pub(super) fn leaked_keys() -> Value {
    let asked = json!({
        "type": "object", "required": ["text"], "additionalProperties": false,
        "properties": {
            "text": {"type": "string", "minLength": 1, "maxLength": 1_048_576, "description": "The text; at most 1 MiB and 1,000 keys."},
            "action": {"type": "string", "enum": ["report", "disable", "delete"], "description": "What becomes of the keys; their owners receive `api_keys/leaked` in any case. Without, nothing else."},
        },
    });
    json!({"post": {
        "operationId": "leaked_keys",
        "summary": "Which API keys are in a text, such as a commit or a log, whosever they are: for system administrators. Only a whole key that is right counts. Neither the text nor a key is kept. An addition to the v4 wire",
        "requestBody": body(&asked, true),
        "responses": responses(&[("200", list_of("LeakedKey"))], &["400", "401", "403", "413", "422", "429", "500", "503"]),
    }})
}

pub(super) fn webhook_counts() -> Value {
    let mut webhook = query("webhook_url", "integer", "The webhook.");
    webhook["required"] = json!(true);
    webhook["schema"]["minimum"] = json!(1);
    json!({"get": {
        "operationId": "webhook_counts",
        "summary": "What became of a webhook's deliveries, by the hour, newest first; kept longer than the deliveries",
        "parameters": [
            webhook,
            query("from", "integer", "The first hour: epoch seconds."),
            query("before", "integer", "Before this time: epoch seconds."),
            query("fields", "string", "Columns, separated by commas."),
            query("limit", "integer", "The most hours; 24, without; 0 for no limit."),
        ],
        "responses": responses(&[("200", list_of("WebhookCounts"))], &["401", "403", "404", "413", "422", "429", "500", "503"]),
    }})
}

pub(super) fn messages() -> Value {
    let mut after = query(
        "after",
        "string",
        "The cursor of an earlier page: acknowledges the messages which that page had. Without, nothing is acknowledged.",
    );
    after["schema"]["maxLength"] = json!(4096);
    let mut limit = query("limit", "integer", "The most messages; 100, without.");
    limit["schema"] = json!({"type": "integer", "minimum": 1, "maximum": 100});
    json!({
        "parameters": [key()],
        "get": {
            "operationId": "webhook_urls_messages",
            "summary": "The oldest messages that wait for the receiver of a webhook whose `delivery_mode` is `fetch`, in order, and a cursor. An addition to the v4 wire",
            "description": "Shown as `after` in the next request, the cursor acknowledges the messages that it came with; they are `sent` then. The same cursor again acknowledges nothing more and hands the same messages out again, so each is received at least once: `id` tells a repeated one. A page ends at 100 messages or with the one at which they come to 1 MiB. Needs a key that may change the table `webhooks`.",
            "parameters": [after, limit],
            "responses": responses(&[("200", reference("Messages"))], &["401", "403", "404", "409", "422", "429", "500", "503"]),
        },
    })
}

pub(super) fn key_uses() -> Value {
    let mut key = query("key", "integer", "The key: its row in `user_api_keys`.");
    key["required"] = json!(true);
    key["schema"]["minimum"] = json!(1);
    json!({"get": {
        "operationId": "user_api_key_uses",
        "summary": "How often a key was used, by the day in UTC, newest first: how often it let its caller in, and how often it was refused although its secret was right (expired, address, used too often, owner). An addition of Gatepost's; 400 days are kept",
        "parameters": [
            key,
            query("from", "integer", "Days that begin at this time or later: epoch seconds."),
            query("before", "integer", "Days that begin before this time: epoch seconds."),
            query("fields", "string", "Columns, separated by commas."),
            query("limit", "integer", "The most days; 30, without; 0 for no limit."),
        ],
        "responses": responses(&[("200", list_of("KeyUses"))], &["401", "403", "404", "413", "422", "429", "500", "503"]),
    }})
}

/// All paths of one table.
pub(super) fn add(paths: &mut Map<String, Value>, table: &Table) {
    let mut rows = Map::new();
    rows.insert("get".into(), json!({
        "operationId": format!("{}_list", table.name),
        "summary": format!("Lists {}", table.name),
        "description": table.doc,
        "parameters": [
            query("fields", "string", "Columns, joins and counts, separated by commas, each once; `all` for every column."),
            query("filter", "string", "`field op value`, joined by `and`/`or` from left to right; ops eq ne gt ge lt le bw ew cs ct rx. At most 8 patterns (rx), which no text of more than 16 KiB matches."),
            query("sort", "string", "`+name,-created`."),
            query("limit", "integer", "The most rows; 0 for no limit."),
            query("offset", "integer", "Rows to skip."),
        ],
        "responses": responses(&[("200", list_of(table.name))], &["400", "401", "403", "413", "422", "429", "500", "503"]),
    }));
    if table.creatable {
        rows.insert("post".into(), json!({
            "operationId": format!("{}_create", table.name),
            "summary": format!("Creates a row of {}", table.name),
            "requestBody": body(&json!({"$ref": format!("#/components/schemas/{}", schemas::create_name(table))}), true),
            "responses": created(table),
        }));
    }
    paths.insert(format!("/{}", table.name), Value::Object(rows));
    paths.insert(format!("/{}/{{key}}", table.name), row(table));
    for action in table.actions {
        let params: Vec<&Column> = action.params.iter().collect();
        let required: Vec<&str> = params
            .iter()
            .filter(|c| c.required)
            .map(|c| c.name)
            .collect();
        paths.insert(format!("/{}/{{key}}/{}", table.name, action.name), json!({
            "parameters": [key()],
            "post": {
                "operationId": format!("{}_{}", table.name, action.name),
                "summary": action.doc,
                "requestBody": body(&schemas::object(&params, &required), false),
                "responses": responses(&[("200", json!({"type": "object"}))], &["400", "401", "403", "404", "409", "413", "422", "429", "500", "503"]),
            },
        }));
    }
    if !table.actions.is_empty() {
        paths.insert(format!("/{}_actions", table.singular), endpoint(table));
    }
}

/// The receipt, and what can be done with the row that it names.
fn created(table: &Table) -> Value {
    let mut responses = responses(
        &[("201", reference("Receipt"))],
        &[
            "400", "401", "403", "404", "409", "413", "422", "429", "500", "503",
        ],
    );
    let mut operations = vec!["read"];
    operations.extend(table.updatable.then_some("update"));
    operations.extend(table.deletable.then_some("delete"));
    let link = |operation: &str| {
        let id = format!("{}_{operation}", table.name);
        (
            operation.to_owned(),
            json!({"operationId": id, "parameters": {"key": "$response.body#/$row"}}),
        )
    };
    let links: Map<String, Value> = operations.into_iter().map(link).collect();
    responses["201"]["links"] = Value::Object(links);
    responses
}

fn row(table: &Table) -> Value {
    let mut row = Map::new();
    row.insert("parameters".into(), json!([key()]));
    row.insert("get".into(), json!({
        "operationId": format!("{}_read", table.name),
        "summary": format!("Reads a row of {}", table.name),
        "parameters": [query("fields", "string", "Columns, joins and counts, separated by commas, each once.")],
        "responses": responses(&[("200", reference(table.name))], &["400", "401", "403", "404", "422", "429", "500", "503"]),
    }));
    if table.updatable || !table.actions.is_empty() {
        row.insert("put".into(), json!({
            "operationId": format!("{}_update", table.name),
            "summary": format!("Changes a row of {}, or carries out an action", table.name),
            "parameters": action_parameter(table),
            "requestBody": body(&change(table), false),
            "responses": responses(&[("200", json!({"type": "object"}))], &["400", "401", "403", "404", "405", "409", "413", "422", "429", "500", "503"]),
        }));
    }
    if !table.deletable {
        return Value::Object(row);
    }
    row.insert("delete".into(), json!({
        "operationId": format!("{}_delete", table.name),
        "summary": format!("Deletes a row of {}", table.name),
        "responses": responses(&[("200", Value::Null)], &["401", "403", "404", "409", "422", "429", "500", "503"]),
    }));
    Value::Object(row)
}

/// `?action=NAME`; the only way to write to a row that is not changed otherwise.
fn action_parameter(table: &Table) -> Value {
    if table.actions.is_empty() {
        return json!([]);
    }
    json!([{
        "name": "action", "in": "query", "required": !table.updatable,
        "description": "Carries out this action instead, with `{}` or `{\"params\": {…}}` as the body.",
        "schema": {"type": "string", "enum": action_names(table)},
    }])
}

/// The body of a `PUT`: columns to change, or an action's parameters.
fn change(table: &Table) -> Value {
    let params = json!({
        "type": "object", "properties": {"params": {"type": ["object", "null"]}}, "additionalProperties": false,
    });
    match (table.updatable, table.actions.is_empty()) {
        (true, true) => reference(&schemas::update_name(table)),
        (true, false) => json!({"anyOf": [reference(&schemas::update_name(table)), params]}),
        (false, _) => params,
    }
}

fn action_names(table: &Table) -> Vec<&str> {
    table.actions.iter().map(|action| action.name).collect()
}

/// `POST /{singular}_actions`. Parameters are in `params`, or beside it.
fn endpoint(table: &Table) -> Value {
    let params: Vec<&Column> = table.actions.iter().flat_map(|a| a.params).collect();
    let mut schema = schemas::object(&params, &[]);
    schema["required"] = json!([table.singular, "action"]);
    schema["properties"][table.singular] = schemas::row_number();
    schema["properties"]["action"] = json!({"type": "string", "enum": action_names(table)});
    schema["properties"]["params"] = json!({"type": ["object", "null"]});
    json!({"post": {
        "operationId": format!("{}_actions", table.singular),
        "summary": format!("Carries out an action on a row of {}", table.name),
        "requestBody": body(&schema, true),
        "responses": responses(&[("200", json!({"type": "object"}))], &["400", "401", "403", "404", "409", "413", "422", "429", "500", "503"]),
    }})
}

fn key() -> Value {
    json!({"name": "key", "in": "path", "required": true, "description": "The row number.", "schema": {"type": "integer", "minimum": 1}})
}

fn query(name: &str, kind: &str, doc: &str) -> Value {
    let schema = if kind == "integer" {
        json!({"type": "integer", "minimum": 0})
    } else {
        json!({"type": kind})
    };
    json!({"name": name, "in": "query", "required": false, "description": doc, "schema": schema})
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn list_of(name: &str) -> Value {
    json!({"type": "array", "items": reference(name)})
}

fn body(schema: &Value, required: bool) -> Value {
    json!({"required": required, "content": {"application/json": {"schema": schema}}})
}

fn responses(good: &[(&str, Value)], bad: &[&str]) -> Value {
    let mut responses = Map::new();
    for (status, schema) in good {
        let mut response = json!({"description": "Done"});
        if !schema.is_null() {
            response["content"] = json!({"application/json": {"schema": schema}});
        }
        responses.insert((*status).into(), response);
    }
    for status in bad {
        let meaning = match *status {
            "400" => "The request cannot be read",
            "401" => "Not authenticated",
            "403" => {
                "Not allowed; the text says in words what may not be watched, of what there is as much as allowed, or what the API key that is used was not granted"
            }
            "404" => "No such row, or none that the caller may know of",
            "405" => "Not permitted on this table",
            "409" => "A row with that name exists, or the row is in use",
            "413" => {
                "The request is too large, or the response would be; the text says which limit would fit"
            }
            "422" => "A field breaks a rule, or a column is named twice; the text names both",
            "429" => {
                "Too often in a minute, more requests than the API key or its user may make, or too many failed logins from this address; Retry-After says when it may be sent again"
            }
            "500" => "An error of the service",
            _ => "Temporarily unavailable; the same request may be sent again",
        };
        responses.insert((*status).into(), json!({"description": meaning, "content": {"application/json": {"schema": reference("Error")}}}));
    }
    Value::Object(responses)
}
