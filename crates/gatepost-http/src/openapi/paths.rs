//! The paths of a table.

use serde_json::{Map, Value, json};

use super::operation::{Operation, key, list_of, number, reference, text};
use super::schemas;
use crate::schema::{Action, Table};

/// The refusals of a request that writes.
const WRITE: &str = "400 401 403 404 409 413 422 429 500 503";
/// The refusals of a change in a table that may be read-only.
const CHANGE: &str = "400 401 403 404 405 409 413 422 429 500 503";

/// Adds all paths of one table.
pub(super) fn add(paths: &mut Map<String, Value>, table: &Table) {
    let mut rows = Map::new();
    rows.insert("get".into(), list(table));
    if table.editable {
        rows.insert("post".into(), create(table));
    }
    paths.insert(format!("/{}", table.name), Value::Object(rows));
    paths.insert(format!("/{}/{{key}}", table.name), row(table));
    for action in table.actions {
        let path = format!("/{}/{{key}}/{}", table.name, action.name);
        let operations = json!({"parameters": [key()], "post": act(table, action)});
        paths.insert(path, operations);
    }
    if !table.actions.is_empty() {
        paths.insert(
            format!("/{}", table.endpoint()),
            json!({"post": endpoint(table)}),
        );
    }
}

/// Begins an operation of a table, with a summary that ends with the table's name.
fn operation(table: &Table, verb: &str, summary: &str, description: &str) -> Operation {
    let id = format!("{}_{verb}", table.name);
    let summary = format!("{summary} {}", table.name);
    Operation::new(table.name, &id, &summary, description)
}

fn list(table: &Table) -> Value {
    let parameters = json!([
        text(
            "fields",
            "Columns, joins and counts, separated by commas, each once; `all` for every column."
        ),
        text(
            "filter",
            "`field op value`, joined by `and`/`or` from left to right; ops eq ne gt ge lt le bw ew cs ct rx. At most 8 patterns (rx), of 1,024 bytes and 64 characters of `[`, `\\` and `.` in all, which no text of more than 16 KiB matches."
        ),
        text("sort", "`+name,-created`."),
        number("limit", "The most rows; 0 for no limit."),
        number("offset", "Rows to skip."),
    ]);
    let description = format!("{} The rows that the caller may see.", table.doc);
    operation(table, "list", "Lists", &description)
        .parameters(parameters)
        .answers(
            "200",
            &list_of(table.name),
            "400 401 403 413 422 429 500 503",
        )
}

fn create(table: &Table) -> Value {
    let once = match table.shown_once {
        true => " Its secret is in this response, and in no other.",
        false => "",
    };
    let description = format!("The receipt names the new row.{once}");
    let mut create = operation(table, "create", "Creates a row of", &description)
        .body(&reference(&schemas::create_name(table)), true)
        .answers("201", &receipt(table), WRITE);
    create["responses"]["201"]["links"] = links(table);
    create
}

/// Describes the operations on the row that a receipt names.
fn links(table: &Table) -> Value {
    let mut operations = vec!["read"];
    operations.extend(table.editable.then_some("update"));
    operations.extend(table.deletable.then_some("delete"));
    let link = |operation: &str| {
        let id = format!("{}_{operation}", table.name);
        let link = json!({"operationId": id, "parameters": {"key": "$response.body#/$row"}});
        (operation.to_owned(), link)
    };
    Value::Object(operations.into_iter().map(link).collect())
}

fn row(table: &Table) -> Value {
    let mut row = Map::new();
    row.insert("parameters".into(), json!([key()]));
    row.insert("get".into(), read(table));
    if table.editable || !table.actions.is_empty() {
        row.insert("put".into(), update(table));
    }
    if table.deletable {
        row.insert("delete".into(), delete(table));
    }
    Value::Object(row)
}

fn read(table: &Table) -> Value {
    let columns = "Columns, joins and counts, separated by commas, each once.";
    let description = "A row that the caller may not see answers as one that is not there.";
    operation(table, "read", "Reads a row of", description)
        .parameters(json!([text("fields", columns)]))
        .answers(
            "200",
            &reference(table.name),
            "400 401 403 404 422 429 500 503",
        )
}

fn update(table: &Table) -> Value {
    let (does, says) = match table.editable {
        true => (
            "Changes a row of",
            "What is not named stays as it is. The response is the whole row, as it is then.",
        ),
        false => (
            "Carries out an action on a row of",
            "The action is in the query.",
        ),
    };
    operation(table, "update", does, says)
        .parameters(action_parameter(table))
        .body(&change(table), false)
        .answers("200", &changed(table), CHANGE)
}

/// Describes the row; an object after an action, and the receipt of a row that the action created.
fn changed(table: &Table) -> Value {
    match (table.editable, table.actions.iter().any(|a| a.makes)) {
        (false, _) => json!({"type": "object"}),
        (true, false) => reference(table.name),
        (true, true) => json!({"anyOf": [reference(table.name), receipt(table)]}),
    }
}

fn delete(table: &Table) -> Value {
    operation(
        table,
        "delete",
        "Deletes a row of",
        "The response has no body.",
    )
    .answers("200", &Value::Null, "401 403 404 409 422 429 500 503")
}

/// Describes `POST /T/{k}/NAME`.
fn act(table: &Table, action: &Action) -> Value {
    let answer = match action.makes {
        true => receipt(table),
        false => json!({"type": "object"}),
    };
    let does = format!("Action {} on a row of", action.name);
    operation(table, action.name, &does, action.doc)
        .body(&schemas::params(action), false)
        .answers("200", &answer, WRITE)
}

/// Describes `?action=NAME`, the only way to write to a row that cannot be changed otherwise.
fn action_parameter(table: &Table) -> Value {
    if table.actions.is_empty() {
        return json!([]);
    }
    json!([{
        "name": "action", "in": "query", "required": !table.editable,
        "description": "Carries out this action instead, with its parameters as the body: under `params` or beside it, or `{}`.",
        "schema": reference(&schemas::action_name(table)),
    }])
}

/// Describes the body of a `PUT`: columns to change, or an action's parameters.
fn change(table: &Table) -> Value {
    match (table.editable, table.actions.is_empty()) {
        (true, true) => reference(&schemas::update_name(table)),
        (true, false) => {
            json!({"anyOf": [reference(&schemas::update_name(table)), parameters(table)]})
        }
        (false, _) => parameters(table),
    }
}

/// Describes the parameters of any of the actions, under `params` or next to it.
fn parameters(table: &Table) -> Value {
    let mut schema = schemas::input(table.actions.iter().flat_map(|action| action.params));
    schema["required"] = json!([]);
    schema["properties"]["params"] = json!({"type": ["object", "null"]});
    let takes_any = table.actions.iter().any(|action| action.others.is_some());
    schema["additionalProperties"] = json!(takes_any);
    schema
}

/// Describes `POST /{singular}_actions`.
fn endpoint(table: &Table) -> Value {
    let mut schema = parameters(table);
    schema["required"] = json!([table.singular, "action"]);
    schema["properties"][table.singular] = schemas::row_number();
    schema["properties"]["action"] = reference(&schemas::action_name(table));
    let description = "The row, the action, and its parameters under `params` or beside it: the same as the action's own path.";
    let summary = format!("Carries out an action on a row of {}", table.name);
    Operation::new(table.name, &table.endpoint(), &summary, description)
        .body(&schema, true)
        .answers("200", &json!({"type": "object"}), WRITE)
}

/// Describes the response to a creation.
fn receipt(table: &Table) -> Value {
    reference(match table.shown_once {
        true => "KeyReceipt",
        false => "Receipt",
    })
}
