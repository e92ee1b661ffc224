//! The paths of a table.

use serde_json::{Map, Value, json};

use super::operation::{About, body, key, list_of, operation, query, reference, responses};
use super::schemas;
use crate::schema::{Action, Column, Table};

/// The errors of a request that writes.
const WRITE: [&str; 10] = [
    "400", "401", "403", "404", "409", "413", "422", "429", "500", "503",
];
/// The errors of a change in a table that may be read-only.
const CHANGE: [&str; 11] = [
    "400", "401", "403", "404", "405", "409", "413", "422", "429", "500", "503",
];

/// Adds all paths of one table.
pub(super) fn add(paths: &mut Map<String, Value>, table: &Table) {
    let mut rows = Map::new();
    rows.insert("get".into(), list(table));
    if table.creatable {
        rows.insert("post".into(), create(table));
    }
    paths.insert(format!("/{}", table.name), Value::Object(rows));
    paths.insert(format!("/{}/{{key}}", table.name), row(table));
    for action in table.actions {
        let path = format!("/{}/{{key}}/{}", table.name, action.name);
        paths.insert(
            path,
            json!({"parameters": [key()], "post": act(table, action)}),
        );
    }
    if !table.actions.is_empty() {
        paths.insert(
            format!("/{}_actions", table.singular),
            json!({"post": endpoint(table)}),
        );
    }
}

fn list(table: &Table) -> Value {
    let about = About {
        tag: table.name,
        id: &format!("{}_list", table.name),
        summary: &format!("Lists {}", table.name),
        description: &format!("{} The rows that the caller may see.", table.doc),
    };
    let parameters = json!([
        query(
            "fields",
            "string",
            "Columns, joins and counts, separated by commas, each once; `all` for every column."
        ),
        query(
            "filter",
            "string",
            "`field op value`, joined by `and`/`or` from left to right; ops eq ne gt ge lt le bw ew cs ct rx. At most 8 patterns (rx), of 1,024 bytes and 64 characters of `[`, `\\` and `.` in all, which no text of more than 16 KiB matches."
        ),
        query("sort", "string", "`+name,-created`."),
        query("limit", "integer", "The most rows; 0 for no limit."),
        query("offset", "integer", "Rows to skip."),
    ]);
    let answers = responses(
        &[("200", list_of(table.name))],
        &["400", "401", "403", "413", "422", "429", "500", "503"],
    );
    operation(&about, [("parameters", parameters), ("responses", answers)])
}

fn create(table: &Table) -> Value {
    let once = match table.shown_once {
        true => " Its secret is in this response, and in no other.",
        false => "",
    };
    let about = About {
        tag: table.name,
        id: &format!("{}_create", table.name),
        summary: &format!("Creates a row of {}", table.name),
        description: &format!("The receipt names the new row.{once}"),
    };
    let asked = body(&reference(&schemas::create_name(table)), true);
    operation(
        &about,
        [("requestBody", asked), ("responses", created(table))],
    )
}

/// Describes the receipt, and the operations on the row that it names.
fn created(table: &Table) -> Value {
    let mut responses = responses(&[("201", receipt(table))], &WRITE);
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
    row.insert("get".into(), read(table));
    if table.updatable || !table.actions.is_empty() {
        row.insert("put".into(), update(table));
    }
    if table.deletable {
        row.insert("delete".into(), delete(table));
    }
    Value::Object(row)
}

fn read(table: &Table) -> Value {
    let about = About {
        tag: table.name,
        id: &format!("{}_read", table.name),
        summary: &format!("Reads a row of {}", table.name),
        description: "A row that the caller may not see answers as one that is not there.",
    };
    let fields = query(
        "fields",
        "string",
        "Columns, joins and counts, separated by commas, each once.",
    );
    let answers = responses(
        &[("200", reference(table.name))],
        &["400", "401", "403", "404", "422", "429", "500", "503"],
    );
    operation(
        &about,
        [("parameters", json!([fields])), ("responses", answers)],
    )
}

fn update(table: &Table) -> Value {
    let (does, says) = match table.updatable {
        true => (
            "Changes",
            "What is not named stays as it is. The response is the whole row, as it is then.",
        ),
        false => ("Carries out an action on", "The action is in the query."),
    };
    let about = About {
        tag: table.name,
        id: &format!("{}_update", table.name),
        summary: &format!("{does} a row of {}", table.name),
        description: says,
    };
    operation(
        &about,
        [
            ("parameters", action_parameter(table)),
            ("requestBody", body(&change(table), false)),
            ("responses", responses(&[("200", changed(table))], &CHANGE)),
        ],
    )
}

/// Describes the row; an object after an action, and the receipt of a row that the action created.
fn changed(table: &Table) -> Value {
    match (table.updatable, table.actions.iter().any(|a| a.makes)) {
        (false, _) => json!({"type": "object"}),
        (true, false) => reference(table.name),
        (true, true) => json!({"anyOf": [reference(table.name), receipt(table)]}),
    }
}

fn delete(table: &Table) -> Value {
    let about = About {
        tag: table.name,
        id: &format!("{}_delete", table.name),
        summary: &format!("Deletes a row of {}", table.name),
        description: "The response has no body.",
    };
    let answers = responses(
        &[("200", Value::Null)],
        &["401", "403", "404", "409", "422", "429", "500", "503"],
    );
    operation(&about, [("responses", answers)])
}

/// Describes `POST /T/{k}/NAME`.
fn act(table: &Table, action: &Action) -> Value {
    let about = About {
        tag: table.name,
        id: &format!("{}_{}", table.name, action.name),
        summary: &format!("Action {} on a row of {}", action.name, table.name),
        description: action.doc,
    };
    let answer = match action.makes {
        true => receipt(table),
        false => json!({"type": "object"}),
    };
    operation(
        &about,
        [
            ("requestBody", body(&schemas::params(action), false)),
            ("responses", responses(&[("200", answer)], &WRITE)),
        ],
    )
}

/// Describes `?action=NAME`, the only way to write to a row that cannot be changed otherwise.
fn action_parameter(table: &Table) -> Value {
    if table.actions.is_empty() {
        return json!([]);
    }
    json!([{
        "name": "action", "in": "query", "required": !table.updatable,
        "description": "Carries out this action instead, with its parameters as the body: under `params` or beside it, or `{}`.",
        "schema": reference(&schemas::action_name(table)),
    }])
}

/// Describes the body of a `PUT`: columns to change, or an action's parameters.
fn change(table: &Table) -> Value {
    match (table.updatable, table.actions.is_empty()) {
        (true, true) => reference(&schemas::update_name(table)),
        (true, false) => {
            json!({"anyOf": [reference(&schemas::update_name(table)), parameters(table)]})
        }
        (false, _) => parameters(table),
    }
}

/// Describes the parameters of any of the actions, under `params` or next to it.
fn parameters(table: &Table) -> Value {
    let columns: Vec<&Column> = table.actions.iter().flat_map(|a| a.params).collect();
    let mut schema = schemas::object(&columns, &[]);
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
    let about = About {
        tag: table.name,
        id: &format!("{}_actions", table.singular),
        summary: &format!("Carries out an action on a row of {}", table.name),
        description: "The row, the action, and its parameters under `params` or beside it: the same as the action's own path.",
    };
    operation(
        &about,
        [
            ("requestBody", body(&schema, true)),
            (
                "responses",
                responses(&[("200", json!({"type": "object"}))], &WRITE),
            ),
        ],
    )
}

/// Describes the response to a creation.
fn receipt(table: &Table) -> Value {
    reference(match table.shown_once {
        true => "KeyReceipt",
        false => "Receipt",
    })
}
