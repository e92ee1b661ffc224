//! Common parts of all operations of the document.

use serde_json::{Value, json};

/// An operation of the document.
pub(super) struct Operation(pub Value);

impl Operation {
    /// Begins an operation with its tag, its unique name in generated clients, a short summary, and
    /// its behaviour with notes for callers.
    pub(super) fn new(tag: &str, id: &str, summary: &str, description: &str) -> Self {
        Self(json!({
            "tags": [tag],
            "operationId": id,
            "summary": summary,
            "description": description,
        }))
    }

    pub(super) fn parameters(mut self, parameters: Value) -> Self {
        self.0["parameters"] = parameters;
        self
    }

    /// Sets the schema of the body. The text states that `null` means no body if none is required:
    /// with a schema that allows it, generators would rename the parameters.
    pub(super) fn body(mut self, schema: &Value, required: bool) -> Self {
        let content = json!({"application/json": {"schema": schema}});
        self.0["requestBody"] = json!({"required": required, "content": content});
        if !required {
            let text = "May be left out; `null` is none, too.";
            self.0["requestBody"]["description"] = json!(text);
        }
        self
    }

    /// Returns the operation with its responses: the one with content, if its schema is not null,
    /// and refusals with these statuses, separated by spaces.
    pub(super) fn answers(mut self, status: &str, schema: &Value, refusals: &str) -> Value {
        let mut good = json!({"description": "Done"});
        if !schema.is_null() {
            good["content"] = json!({"application/json": {"schema": schema}});
        }
        self.0["responses"] = json!({status: good});
        let error = json!({"application/json": {"schema": reference("Error")}});
        for status in refusals.split(' ') {
            let refusal = json!({"description": meaning(status), "content": error});
            self.0["responses"][status] = refusal;
        }
        self.0
    }
}

/// Describes the row of a path.
pub(super) fn key() -> Value {
    json!({"name": "key", "in": "path", "required": true, "description": "The row number.", "schema": {"type": "integer", "minimum": 1}})
}

/// Describes an optional parameter of the query that is a number.
pub(super) fn number(name: &str, doc: &str) -> Value {
    let mut number = text(name, doc);
    number["schema"] = json!({"type": "integer", "minimum": 0});
    number
}

/// Describes an optional parameter of the query.
pub(super) fn text(name: &str, doc: &str) -> Value {
    json!({"name": name, "in": "query", "required": false, "description": doc, "schema": {"type": "string"}})
}

/// Refers to a schema of the document.
pub(super) fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

pub(super) fn list_of(name: &str) -> Value {
    json!({"type": "array", "items": reference(name)})
}

fn meaning(status: &str) -> &'static str {
    match status {
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
    }
}
