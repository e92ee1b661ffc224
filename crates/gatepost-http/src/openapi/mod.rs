//! The OpenAPI 3.1 document, generated from the declarations of the tables.

mod events;
mod fixed;
mod integers;
mod operation;
mod paths;
mod schemas;
mod text_ids;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};
use webhook_model::Catalog;

use crate::facts::VersionFacts;
use crate::schema::Table;
use crate::state::Shared;

/// Serves the document, to any caller that passes the guard of the API.
pub(crate) async fn serve(State(shared): State<Shared>) -> Response {
    (
        [(header::CONTENT_TYPE, "application/json")],
        text(&shared).clone(),
    )
        .into_response()
}

/// Returns the served document.
pub(crate) fn text(shared: &Shared) -> &Bytes {
    shared.openapi.get_or_init(|| {
        let (tables, catalog) = (shared.tables.declared(), shared.management.catalog());
        let mut document = document(&tables, catalog, &shared.facts);
        if shared.has_text_ids {
            text_ids::say_they_are_texts(&mut document);
        }
        document.to_string().into()
    })
}

/// Creates the document for these tables, and for the messages that the platform sends.
fn document(tables: &[&'static Table], catalog: &Catalog, facts: &VersionFacts) -> Value {
    let mut paths = Map::new();
    let mut schemas = schemas::shared();
    fixed::add(&mut paths);
    for table in tables {
        paths::add(&mut paths, table);
        schemas::add(&mut schemas, table);
    }
    let webhooks = events::add(&mut schemas, catalog);
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "API keys and outbound webhooks",
            "version": facts.version,
            "description": "Every table is listed, read, created, changed and deleted in the same way. Times are epoch seconds, 0 for never.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": "/api/v4"}],
        "security": [{"bearer": []}, {"basic": []}],
        "tags": tags(tables),
        "paths": paths,
        "webhooks": webhooks,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer", "description": "An API key: the key string only."},
                "basic": {"type": "http", "scheme": "basic", "description": "A user and a password, where the platform offers it."},
            },
        },
    });
    integers::say_their_size(&mut document);
    document
}

/// Returns the tags of operations: their table, or the system.
fn tags(tables: &[&'static Table]) -> Value {
    let tables = tables
        .iter()
        .map(|table| json!({"name": table.name, "description": table.doc}));
    let system =
        json!({"name": fixed::SYSTEM, "description": "What runs here, and who is calling."});
    let sent = json!({"name": events::SENT, "description": "What the platform sends to webhooks, by event."});
    tables.chain([system, sent]).collect()
}
