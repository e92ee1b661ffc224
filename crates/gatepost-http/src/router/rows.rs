//! List, read, create, change and delete rows of any table.

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::http::header::{ALLOW, CACHE_CONTROL};
use axum::response::{IntoResponse, Response};
use http::HeaderValue;
use serde_json::{Value, json};

use super::actions;
use super::body::{Body, Parts, key};
use crate::error::ApiError;
use crate::query::ListQuery;
use crate::resource::Created;
use crate::schema::{Input, RowMap, Table};
use crate::state::{Caller, Served};

pub(super) async fn list(
    State(Served { shared, resource }): State<Served>,
    Caller(caller): Caller,
    RawQuery(query): RawQuery,
) -> Result<Json<Vec<RowMap>>, ApiError> {
    let query = ListQuery::parse(query.as_deref().unwrap_or(""), &shared.limits.filter())?;
    crate::list::list(resource.as_ref(), &caller, &query, shared.limits.rows)
        .await
        .map(Json)
}

pub(super) async fn read(
    State(Served { shared, resource }): State<Served>,
    Caller(caller): Caller,
    Parts(row): Parts<String>,
    RawQuery(query): RawQuery,
) -> Result<Json<RowMap>, ApiError> {
    let query = ListQuery::parse(query.as_deref().unwrap_or(""), &shared.limits.filter())?;
    let row = resource.get(&caller, key(&row)?).await?;
    crate::list::one(resource.as_ref(), &caller, &row, &query.fields)
        .await
        .map(Json)
}

pub(super) async fn create(
    State(Served { resource, .. }): State<Served>,
    Caller(caller): Caller,
    Body(body): Body,
) -> Result<Response, ApiError> {
    let input = Input::create(resource.table(), &body)?;
    let created = resource.create(&caller, input).await?;
    Ok(receipt(resource.table().name, &created))
}

pub(super) async fn update(
    State(Served { resource, .. }): State<Served>,
    Caller(caller): Caller,
    Parts(row): Parts<String>,
    RawQuery(query): RawQuery,
    Body(body): Body,
) -> Result<Response, ApiError> {
    let row = key(&row)?;
    if let Some(action) = actions::named_in(query.as_deref().unwrap_or("")) {
        return actions::act(&resource, &caller, row, &action, &body).await;
    }
    if !resource.table().updatable {
        return Ok(not_without_action(resource.table()));
    }
    let present = resource.get(&caller, row).await?;
    let input = Input::update(resource.table(), &present, &body)?;
    let updated = resource.update(&caller, row, input).await?;
    Ok(Json(updated).into_response())
}

pub(super) async fn delete(
    State(Served { resource, .. }): State<Served>,
    Caller(caller): Caller,
    Parts(row): Parts<String>,
) -> Result<StatusCode, ApiError> {
    resource.delete(&caller, key(&row)?).await?;
    Ok(StatusCode::OK)
}

/// 405 for a `PUT` that names no action on a table whose rows are not changed; RFC 9110 §15.5.6
/// wants the response to say what is.
fn not_without_action(table: &Table) -> Response {
    let allowed = if table.deletable {
        "GET,HEAD,PUT,DELETE"
    } else {
        "GET,HEAD,PUT"
    };
    ([(ALLOW, allowed)], ApiError::not_permitted()).into_response()
}

/// The response to a creation. A secret is in the three places where existing clients look for it,
/// and in no other response ever.
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
        let no_store = HeaderValue::from_static("no-store");
        response.headers_mut().insert(CACHE_CONTROL, no_store);
    }
    response
}
