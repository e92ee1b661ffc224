//! Common parts of all operations of the document.

use serde_json::{Map, Value, json};

/// The description of an operation for readers.
pub(super) struct About<'a> {
    /// One of the document's tags.
    pub tag: &'a str,
    /// Its unique name in generated clients.
    pub id: &'a str,
    /// A short summary.
    pub summary: &'a str,
    /// Its behaviour, and notes for callers.
    pub description: &'a str,
}

/// Creates an operation with these further members.
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

/// Describes the row of a path.
pub(super) fn key() -> Value {
    json!({"name": "key", "in": "path", "required": true, "description": "The row number.", "schema": {"type": "integer", "minimum": 1}})
}

/// Describes an optional query parameter.
pub(super) fn query(name: &str, kind: &str, doc: &str) -> Value {
    let schema = if kind == "integer" {
        json!({"type": "integer", "minimum": 0})
    } else {
        json!({"type": kind})
    };
    json!({"name": name, "in": "query", "required": false, "description": doc, "schema": schema})
}

/// Refers to a schema of the document.
pub(super) fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

pub(super) fn list_of(name: &str) -> Value {
    json!({"type": "array", "items": reference(name)})
}

/// Describes the body of a request. The text states that `null` means no body if none is required:
/// with a schema that allows it, generators would rename the parameters.
pub(super) fn body(schema: &Value, required: bool) -> Value {
    let mut body =
        json!({"required": required, "content": {"application/json": {"schema": schema}}});
    if !required {
        body["description"] = json!("May be left out; `null` is none, too.");
    }
    body
}

/// Describes responses by status: those with content, and refusals.
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
