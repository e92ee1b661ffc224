//! Row actions, in the three spellings that existing clients use.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use gatepost_keys::Principal;
use gatepost_manage::{Audited, Operation};
use serde_json::{Map, Value};

use super::body::{Body, Parts, key};
use super::{Served, Shared};
use crate::error::ApiError;
use crate::resource::Resource;
use crate::table::{Input, int};

/// `POST /T/{k}/NAME`
pub(super) async fn by_path(
    State(Served { shared, resource }): State<Served>,
    Extension(caller): Extension<Principal>,
    Parts((row, action)): Parts<(String, String)>,
    Body(body): Body,
) -> Result<Response, ApiError> {
    act(&shared, &resource, &caller, key(&row)?, &action, &body).await
}

/// `POST /{singular}_actions {"{singular}": k, "action": "NAME", "params": {…}}`. Parameters may
/// also stand beside the action.
pub(super) async fn by_endpoint(
    State(Served { shared, resource }): State<Served>,
    Extension(caller): Extension<Principal>,
    Body(body): Body,
) -> Result<Response, ApiError> {
    let singular = resource.table().singular;
    let Value::Object(mut body) = body else {
        return Err(ApiError::malformed("The body must be a JSON object"));
    };
    let row = body.remove(singular);
    let row = row
        .as_ref()
        .and_then(int)
        .filter(|k| *k > 0)
        .ok_or_else(|| ApiError::field(singular, "must be a row number"))?;
    let Some(Value::String(action)) = body.remove("action") else {
        return Err(ApiError::field("action", "is required"));
    };
    let body = Value::Object(body);
    act(&shared, &resource, &caller, row, &action, &body).await
}

/// `PUT /T/{k}?action=NAME`: the action that a query names.
pub(super) fn named_in(query: &str) -> Option<String> {
    url::form_urlencoded::parse(query.as_bytes())
        .find(|(name, _)| name == "action")
        .map(|(_, value)| value.into_owned())
}

pub(super) async fn act(
    shared: &Shared,
    resource: &Arc<dyn Resource>,
    caller: &Principal,
    row: i64,
    action: &str,
    body: &Value,
) -> Result<Response, ApiError> {
    let declared = resource
        .table()
        .action(action)
        .ok_or_else(|| ApiError::field("action", "is not an action of this table"))?;
    let input = Input::params(declared.params, &params(body)?)?;
    let answer = resource.act(caller, row, declared.name, &input).await?;
    shared.audit.record(&Audited {
        actor: caller,
        table: resource.table().name,
        row: Some(row),
        operation: Operation::Act(declared.name),
    });
    Ok(Json(answer).into_response())
}

/// The parameters, under `params` or beside it.
fn params(body: &Value) -> Result<Value, ApiError> {
    let Value::Object(body) = body else {
        return Err(ApiError::malformed("The body must be a JSON object"));
    };
    let mut params: Map<String, Value> = body.clone();
    match params.remove("params") {
        None | Some(Value::Null) => {}
        Some(Value::Object(inner)) => params.extend(inner),
        Some(_) => return Err(ApiError::field("params", "must be a JSON object")),
    }
    Ok(Value::Object(params))
}
