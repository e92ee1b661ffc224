//! What all operations of the document have.

use serde_json::{Map, Value, json};

/// What a person reads of an operation.
pub(super) struct About<'a> {
    /// What it belongs to: one of the document's tags.
    pub tag: &'a str,
    /// Its name in generated clients, once in the document.
    pub id: &'a str,
    /// A few words.
    pub summary: &'a str,
    /// What it does, and what its caller should know.
    pub description: &'a str,
}

/// An operation with these further members.
pub(super) fn operation<const N: usize>(about: &About<'_>, members: [(&str, Value); N]) -> Value {
    let mut operation = json!({
        "tags": [about.tag],
        "operationId": about.id,
        "summary": about.summary,
        "description": about.description,
    });
    for (name, value) in members {
        operation[name] = value;
    }
    operation
}

/// The row of a path.
pub(super) fn key() -> Value {
    json!({"name": "key", "in": "path", "required": true, "description": "The row number.", "schema": {"type": "integer", "minimum": 1}})
}

/// A parameter of the query that may be left out.
pub(super) fn query(name: &str, kind: &str, doc: &str) -> Value {
    let schema = if kind == "integer" {
        json!({"type": "integer", "minimum": 0})
    } else {
        json!({"type": kind})
    };
    json!({"name": name, "in": "query", "required": false, "description": doc, "schema": schema})
}

/// A schema of the document.
pub(super) fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

pub(super) fn list_of(name: &str) -> Value {
    json!({"type": "array", "items": reference(name)})
}

/// The body of a request. That `null` is none where none is required is said in words: a schema
/// that allows it has generators give the parameters another name.
pub(super) fn body(schema: &Value, required: bool) -> Value {
    let mut body =
        json!({"required": required, "content": {"application/json": {"schema": schema}}});
    if !required {
        body["description"] = json!("May be left out; `null` is none, too.");
    }
    body
}

/// Responses by status: those that hold something, and refusals.
pub(super) fn responses(good: &[(&str, Value)], bad: &[&str]) -> Value {
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
            "409" => {
                "A row with that name exists, the row is in use, or whether it was stored is not known"
            }
            "413" => {
                "The request is too large, or the response would be; the text says which limit would fit"
            }
            "422" => "A field breaks a rule, or a column is named twice; the text names both",
            "429" => {
                "Too often in a minute, more requests than the API key or its user may make, more lists of the user at once than may wait, or too many failed logins from this address; Retry-After says when it may be sent again"
            }
            "500" => "An error of the service",
            _ => "Temporarily unavailable; the same request may be sent again",
        };
        responses.insert((*status).into(), json!({"description": meaning, "content": {"application/json": {"schema": reference("Error")}}}));
    }
    Value::Object(responses)
}
