//! List, read, create, change and delete rows of any table.

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::http::header::ALLOW;
use axum::response::{IntoResponse, Response};

use super::actions;
use super::body::{Body, Parts, key};
use crate::error::{ApiError, Result};
use crate::json_pieces::JsonPieces;
use crate::list;
use crate::query::fields::Fields;
use crate::schema::{Input, Table, members};
use crate::state::{Caller, Served};

pub(super) async fn list(
    State(Served { shared, resource }): State<Served>,
    Caller(caller): Caller,
    RawQuery(query): RawQuery,
) -> Result<JsonPieces> {
    let query = shared.asked(query.as_deref(), &caller).await?;
    list::list(resource.as_ref(), &caller, query, &shared).await
}

pub(super) async fn read(
    State(Served { shared, resource }): State<Served>,
    Caller(caller): Caller,
    Parts(row): Parts<String>,
    RawQuery(query): RawQuery,
) -> Result<JsonPieces> {
    let query = shared.asked(query.as_deref(), &caller).await?;
    let row = resource.get(&caller, key(&row)?).await?;
    list::one(resource.as_ref(), &caller, &row, &query.fields).await
}

pub(super) async fn create(
    State(Served { resource, .. }): State<Served>,
    Caller(caller): Caller,
    body: Body,
) -> Result<Response> {
    let table = resource.table();
    let input = body.checked(|body, text| {
        let input = Input::create(table, &body)?;
        Ok(input.with_texts(members(text)))
    });
    let input = input.await?;
    let created = resource.create(&caller, input).await;
    let created = created.map_err(ApiError::of_creation)?;
    let receipt = created.receipt(resource.table().name);
    Ok((StatusCode::CREATED, Json(receipt)).into_response())
}

pub(super) async fn update(
    State(Served { resource, .. }): State<Served>,
    Caller(caller): Caller,
    Parts(row): Parts<String>,
    RawQuery(query): RawQuery,
    body: Body,
) -> Result<Response> {
    let (row, body) = (key(&row)?, body.or_none());
    if let Some(action) = actions::named_in(query.as_deref().unwrap_or("")) {
        return actions::act(&resource, &caller, row, &action, body).await;
    }
    if !resource.table().editable {
        return Ok(not_without_action(resource.table()));
    }
    let present = resource.get(&caller, row).await?;
    let table = resource.table();
    let input = body.checked(move |body, text| {
        let input = Input::update(table, &present, &body)?;
        Ok(input.with_texts(members(text)))
    });
    let input = input.await?;
    let updated = resource.update(&caller, row, input).await?;
    let whole = list::one(resource.as_ref(), &caller, &updated, &Fields::Default);
    Ok(whole.await?.into_response())
}

pub(super) async fn delete(
    State(Served { resource, .. }): State<Served>,
    Caller(caller): Caller,
    Parts(row): Parts<String>,
) -> Result<StatusCode> {
    resource.delete(&caller, key(&row)?).await?;
    Ok(StatusCode::OK)
}

/// Returns 405 for a `PUT` that names no action on a table whose rows cannot be changed, with the
/// allowed methods (RFC 9110 §15.5.6).
fn not_without_action(table: &Table) -> Response {
    let allowed = if table.deletable {
        "GET,HEAD,PUT,DELETE"
    } else {
        "GET,HEAD,PUT"
    };
    ([(ALLOW, allowed)], ApiError::not_permitted()).into_response()
}
