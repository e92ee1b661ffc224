//! `GET /api/v4/whoami`: the caller, its key with the grant, and its request limits.

use apikey_core::{Expiration, RateLimit};
use axum::Json;
use gatepost_manage::{AccessLevel, Via};
use serde_json::{Value, json};

use crate::error::Result;
use crate::state::Caller;

/// Returns one object; open to every key. A service behind a proxy calls it with the header that it
/// received.
pub(crate) async fn whoami(Caller(caller): Caller) -> Result<Json<Value>> {
    let principal = caller.principal();
    let acting = caller.acting_key().await?;
    let key = acting.as_ref().map(|row| &row.key);
    let expires = key.map(|key| match key.expiration {
        Expiration::Never => 0,
        Expiration::At(at) => at.timestamp(),
    });
    let limits = caller.request_limits();
    let limit = key.and_then(|key| limits.of_key(key.limit));
    let together = key.and(limits.per_owner);
    Ok(Json(json!({
        "user": principal.owner,
        "user_name": caller.name("users", principal.owner.into()).await,
        "access": level(principal.access),
        "tenant": principal.tenant,
        "via": match principal.via { Via::Key(_) => "key", _ => "login" },
        "key": acting.as_ref().map(|row| row.id.0),
        "key_name": key.map(|key| key.name.as_str()),
        "masked_key": key.map(|key| key.masked.as_str()),
        "expires": expires,
        "read_only": principal.grant.is_read_only(),
        "tables": principal.grant.tables().to_string(),
        "scopes": principal.grant.scopes().to_string(),
        "requests_per_minute": limit.map_or(0, RateLimit::requests),
        "user_requests_per_minute": together.map_or(0, RateLimit::requests),
    })))
}

fn level(access: AccessLevel) -> &'static str {
    match access {
        AccessLevel::User => "user",
        AccessLevel::TenantAdministrator => "tenant_administrator",
        AccessLevel::SystemAdministrator => "system_administrator",
        _ => "other",
    }
}
