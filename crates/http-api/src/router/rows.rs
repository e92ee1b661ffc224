//! List, read, create, change and delete rows of any table.

use std::sync::Arc;

use apikey_auth::Principal;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use serde_json::{Value, json};

use super::Shared;
use super::actions;
use super::body::{Body, Parts, key};
use crate::audit::{Audited, Operation};
use crate::error::ApiError;
use crate::query::ListQuery;
use crate::resource::{Created, Resource};
use crate::table::{Input, RowMap};

type Caller = Extension<Principal>;

pub(super) async fn list(
    State(shared): State<Shared>,
    Extension(caller): Caller,
    Parts(table): Parts<String>,
    RawQuery(query): RawQuery,
) -> Result<Json<Vec<RowMap>>, ApiError> {
    let resource = shared.tables.named(&table)?;
    let query = ListQuery::parse(query.as_deref().unwrap_or(""), &shared.limits.filter())?;
    crate::list::list(resource.as_ref(), &caller, &query, shared.limits.rows)
        .await
        .map(Json)
}

pub(super) async fn read(
    State(shared): State<Shared>,
    Extension(caller): Caller,
    Parts((table, row)): Parts<(String, String)>,
    RawQuery(query): RawQuery,
) -> Result<Json<RowMap>, ApiError> {
    let resource = shared.tables.named(&table)?;
    let query = ListQuery::parse(query.as_deref().unwrap_or(""), &shared.limits.filter())?;
    let row = current(resource, &caller, key(&row)?).await?;
    crate::list::one(resource.as_ref(), &caller, &row, &query.fields)
        .await
        .map(Json)
}

pub(super) async fn create(
    State(shared): State<Shared>,
    Extension(caller): Caller,
    Parts(table): Parts<String>,
    Body(body): Body,
) -> Result<Response, ApiError> {
    if let Some(resource) = shared.tables.acted_on_by(&table) {
        return actions::by_endpoint(&shared, resource, &caller, body).await;
    }
    let resource = shared.tables.named(&table)?;
    if !resource.table().creatable {
        return Err(ApiError::not_permitted());
    }
    let input = Input::create(resource.table(), &body)?;
    let created = resource.create(&caller, &input).await?;
    shared.audit.record(&Audited {
        actor: &caller,
        table: resource.table().name,
        row: Some(created.key),
        operation: Operation::Create,
    });
    Ok(receipt(resource.table().name, &created))
}

pub(super) async fn update(
    State(shared): State<Shared>,
    Extension(caller): Caller,
    Parts((table, row)): Parts<(String, String)>,
    RawQuery(query): RawQuery,
    Body(body): Body,
) -> Result<Response, ApiError> {
    let resource = shared.tables.named(&table)?;
    let row = key(&row)?;
    if let Some(action) = actions::named_in(query.as_deref().unwrap_or("")) {
        return actions::act(&shared, resource, &caller, row, &action, &body).await;
    }
    if !resource.table().updatable {
        return Err(ApiError::not_permitted());
    }
    let present = current(resource, &caller, row).await?;
    let input = Input::update(resource.table(), &present, &body)?;
    let updated = resource.update(&caller, row, &input).await?;
    shared.audit.record(&Audited {
        actor: &caller,
        table: resource.table().name,
        row: Some(row),
        operation: Operation::Update,
    });
    Ok(Json(updated).into_response())
}

pub(super) async fn delete(
    State(shared): State<Shared>,
    Extension(caller): Caller,
    Parts((table, row)): Parts<(String, String)>,
) -> Result<StatusCode, ApiError> {
    let resource = shared.tables.named(&table)?;
    if !resource.table().deletable {
        return Err(ApiError::not_permitted());
    }
    let row = key(&row)?;
    resource.delete(&caller, row).await?;
    shared.audit.record(&Audited {
        actor: &caller,
        table: resource.table().name,
        row: Some(row),
        operation: Operation::Delete,
    });
    Ok(StatusCode::OK)
}

async fn current(
    resource: &Arc<dyn Resource>,
    caller: &Principal,
    key: i64,
) -> Result<RowMap, ApiError> {
    resource
        .get(caller, key)
        .await?
        .ok_or_else(ApiError::not_found)
}

/// The answer to a creation. A secret stands in the three places where existing clients look for it,
/// and in no other answer ever.
fn receipt(table: &str, created: &Created) -> Response {
    let key = created.key;
    let mut receipt = json!({
        "location": format!("/v4/{table}/{key}"),
        "dbpath": format!("{table}/{key}"),
        "$row": key,
        "$key": key.to_string(),
    });
    if let (Some(secret), Value::Object(receipt)) = (&created.secret, &mut receipt) {
        receipt.insert("key".into(), secret.as_str().into());
        receipt.insert(
            "response".into(),
            json!({"private_key": secret.as_str(), "token": secret.as_str()}),
        );
    }
    let mut response = (StatusCode::CREATED, Json(receipt)).into_response();
    if created.secret.is_some() {
        let no_store = http::HeaderValue::from_static("no-store");
        response
            .headers_mut()
            .insert(http::header::CACHE_CONTROL, no_store);
    }
    response
}
