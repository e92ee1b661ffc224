//! Schemas of rows and requests.

use serde_json::{Map, Value, json};

use crate::schema::{Action, Column, Kind, LAST_SECOND, Table};

/// Returns the schemas that are not of one table: `shared.json`.
pub(super) fn shared() -> Map<String, Value> {
    serde_json::from_str(include_str!("shared.json")).unwrap_or_default()
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
