//! Row actions, in the three spellings that existing clients use.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use gatepost_manage::Actor;
use serde_json::Value;
use webhook_model::ObjectId;

use super::body::{Body, Parts, key};
use crate::error::{ApiError, Result};
use crate::resource::Resource;
use crate::schema::{Input, id, members};
use crate::state::{Caller, Served};

/// Handles `POST /T/{k}/NAME`.
pub(super) async fn by_path(
    State(Served { resource, .. }): State<Served>,
    Caller(caller): Caller,
    Parts((row, action)): Parts<(String, String)>,
    body: Body,
) -> Result<Response> {
    act(&resource, &caller, key(&row)?, &action, body.or_none()).await
}

/// Handles `POST /{singular}_actions {"{singular}": k, "action": "NAME", "params": {…}}`.
/// Parameters may also be next to the action.
pub(super) async fn by_endpoint(
    State(Served { resource, .. }): State<Served>,
    Caller(caller): Caller,
    mut body: Body,
) -> Result<Response> {
    let singular = resource.table().singular;
    let Value::Object(members) = body.value_mut() else {
        return Err(ApiError::malformed("The body must be a JSON object"));
    };
    let row = members.remove(singular);
    let row = row
        .as_ref()
        .and_then(id)
        .ok_or_else(|| ApiError::field(singular, "must be a row number"))?;
    let Some(Value::String(action)) = members.remove("action") else {
        return Err(ApiError::field("action", "is required"));
    };
    act(&resource, &caller, row, &action, body).await
}

/// Returns the action that the query of `PUT /T/{k}?action=NAME` names.
pub(super) fn named_in(query: &str) -> Option<String> {
    url::form_urlencoded::parse(query.as_bytes())
        .find(|(name, _)| name == "action")
        .map(|(_, value)| value.into_owned())
}

pub(super) async fn act(
    resource: &Arc<dyn Resource>,
    caller: &Actor,
    row: ObjectId,
    action: &str,
    body: Body,
) -> Result<Response> {
    let declared = resource
        .table()
        .action(action)
        .ok_or_else(|| ApiError::field("action", "is not an action of this table"))?;
    let input = body.checked(|body, text| {
        let input = match declared.others {
            None => Input::params(declared.params, &params(body)?),
            Some(_) => Input::any(params(body)?),
        };
        Ok(input?.with_texts(texts(text)))
    });
    let input = input.await?;
    let done = resource.act(caller, row, declared.name, input).await?;
    Ok(Json(done).into_response())
}

/// Returns the parameters, under `params` or next to it.
fn params(body: Value) -> Result<Value> {
    let Value::Object(mut params) = body else {
        return Err(ApiError::malformed("The body must be a JSON object"));
    };
    match params.remove("params") {
        None | Some(Value::Null) => {}
        Some(Value::Object(inner)) => params.extend(inner),
        Some(_) => return Err(ApiError::field("params", "must be a JSON object")),
    }
    Ok(Value::Object(params))
}

/// Returns their texts in order; of two with one name the last counts.
fn texts(body: &str) -> Vec<(String, &str)> {
    let mut texts = members(body);
    let inner = texts.iter().rev().find(|(name, _)| name == "params");
    let inner = inner.map(|(_, params)| members(params));
    texts.extend(inner.into_iter().flatten());
    texts
}
