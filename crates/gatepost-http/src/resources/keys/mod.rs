//! `user_api_keys`.

mod columns;

use std::str::FromStr;

use apikey_core::{
    Description, Expiration, Grant, IpList, IpPolicy, KeyDraft, KeyEdit, KeyId, KeyName, Names,
    NamesError, Overlap, RateLimit,
};
use async_trait::async_trait;
use gatepost_manage::Actor;
use gatepost_storage::Scope;
use gatepost_storage::keys::{KeyQuery, KeyRow};
use serde_json::{Value, json};
use webhook_model::ObjectId;

use super::row::{epoch, moment, page, row, scanned};
use crate::error::ApiError;
use crate::resource::{Created, Resource, Scan, Scanned};
use crate::schema::{Input, RowMap, Table, id, number};

/// The default overlap of a rolled key, in seconds.
const DAY: i64 = 24 * 60 * 60;

#[derive(Debug)]
pub(super) struct Keys;

#[async_trait]
impl Resource for Keys {
    fn table(&self) -> &'static Table {
        &columns::TABLE
    }

    async fn scan(&self, caller: &Actor, scan: Scan<'_>) -> Result<Scanned, ApiError> {
        let query = KeyQuery {
            scope: match scan.equal.user("user") {
                Some(user) => Scope::Owner(user),
                None => Scope::All,
            },
            name: scan.equal.text("name").map(str::to_owned),
            page: page(&scan, KeyId),
        };
        let found = caller.keys(query).await?;
        Ok(scanned(found, key_row, |id| id.0).await)
    }

    async fn get(&self, caller: &Actor, key: ObjectId) -> Result<RowMap, ApiError> {
        let key = number(key)?;
        Ok(key_row(&caller.key(KeyId(key)).await?))
    }

    async fn create(&self, caller: &Actor, input: Input) -> Result<Created, ApiError> {
        if input.bool("enabled") == Some(false) {
            return Err(ApiError::field("enabled", "must be true for a new key"));
        }
        let draft = KeyDraft::new(
            input.user("user").unwrap_or(caller.principal().owner),
            name(&input)?.ok_or_else(|| ApiError::field("name", "is required"))?,
        )
        .with_description(description(&input)?.unwrap_or_default())
        .with_expiration(expiration(&input, Expiration::Never)?)
        .with_ip(IpPolicy {
            allow: list(&input, "ip_allow_list")?.unwrap_or_default(),
            deny: list(&input, "ip_deny_list")?.unwrap_or_default(),
        })
        .with_grant(Grant::new(
            input.bool("read_only").unwrap_or_default(),
            names(&input, "tables")?.unwrap_or_default(),
            names(&input, "scopes")?.unwrap_or_default(),
        ))
        .with_limit(limit(&input)?.flatten());
        let (row, reveal) = caller.create_key(draft).await?;
        Ok(Created {
            key: row.id.0,
            secret: Some(reveal.reveal()),
        })
    }

    async fn update(
        &self,
        caller: &Actor,
        key: ObjectId,
        input: Input,
    ) -> Result<RowMap, ApiError> {
        let key = number(key)?;
        let row = caller.stored_key(KeyId(key)).await?.key;
        let (present, grant) = (row.expiration, row.grant);
        let expiration = expiration(&input, present)?;
        let mut edit = KeyEdit::default();
        edit.name = name(&input)?;
        edit.description = description(&input)?;
        // A row that is sent back as a whole does not set its date again, nor new tables or scopes.
        edit.expiration = Some(expiration).filter(|new| epoch_of(*new) != epoch_of(present));
        edit.ip_allow = list(&input, "ip_allow_list")?;
        edit.ip_deny = list(&input, "ip_deny_list")?;
        edit.read_only = input.bool("read_only");
        edit.tables = names(&input, "tables")?.filter(|new| new != grant.tables());
        edit.scopes = names(&input, "scopes")?.filter(|new| new != grant.scopes());
        edit.limit = limit(&input)?;
        edit.enabled = input.bool("enabled");
        Ok(key_row(&caller.edit_key(KeyId(key), edit).await?))
    }

    async fn delete(&self, caller: &Actor, key: ObjectId) -> Result<(), ApiError> {
        let key = number(key)?;
        Ok(caller.delete_key(KeyId(key)).await?)
    }

    async fn act(
        &self,
        caller: &Actor,
        key: ObjectId,
        action: &'static str,
        params: Input,
    ) -> Result<Value, ApiError> {
        let key = number(key)?;
        if action != "roll" {
            return Err(ApiError::not_permitted());
        }
        let overlap = Overlap::seconds(params.int("overlap").unwrap_or(DAY));
        let overlap = overlap.map_err(|error| ApiError::field("overlap", error))?;
        let (row, reveal) = caller.roll_key(KeyId(key), overlap).await?;
        let created = Created {
            key: row.id.0,
            secret: Some(reveal.reveal()),
        };
        Ok(created.receipt(columns::TABLE.name))
    }

    async fn join(
        &self,
        caller: &Actor,
        row: &RowMap,
        through: &str,
        _column: &str,
    ) -> Result<Option<Value>, ApiError> {
        let Some(key) = row.get(through).and_then(id) else {
            return Ok(None);
        };
        Ok(caller.name("users", key).await.map(Value::from))
    }
}

fn key_row(stored: &KeyRow) -> RowMap {
    let key = &stored.key;
    let expires_type = if key.expiration == Expiration::Never {
        "never"
    } else {
        "date"
    };
    row(
        stored.id.0,
        [
            ("user", json!(key.owner)),
            ("name", key.name.as_str().into()),
            ("description", key.description.as_str().into()),
            ("created", epoch(Some(key.created))),
            ("expires_type", expires_type.into()),
            ("expires", epoch_of(key.expiration).into()),
            (
                "lastlogin_stamp",
                epoch(key.last_login.map(|login| login.at)),
            ),
            (
                "lastlogin_ip",
                key.last_login
                    .map_or_else(String::new, |login| login.from.to_string())
                    .into(),
            ),
            ("ip_allow_list", key.ip.allow.to_string().into()),
            ("ip_deny_list", json!(key.ip.deny.to_string())),
            ("enabled", key.enabled.into()),
            ("read_only", key.grant.is_read_only().into()),
            ("tables", key.grant.tables().to_string().into()),
            ("scopes", key.grant.scopes().to_string().into()),
            (
                "requests_per_minute",
                key.limit.map_or(0, RateLimit::requests).into(),
            ),
            (
                "rolled_from",
                stored.rolled.from.map_or(0, |id| id.0).into(),
            ),
            ("rolled_to", stored.rolled.to.map_or(0, |id| id.0).into()),
        ],
    )
}

fn epoch_of(expiration: Expiration) -> i64 {
    match expiration {
        Expiration::Never => 0,
        Expiration::At(at) => at.timestamp(),
    }
}

/// Parses `expires_type` and `expires`, either of which may be missing; `present` is the value if
/// both are.
fn expiration(input: &Input, present: Expiration) -> Result<Expiration, ApiError> {
    match (input.text("expires_type"), input.int("expires")) {
        (None, None) => Ok(present),
        (Some("never"), None | Some(0)) | (None, Some(0)) => Ok(Expiration::Never),
        (Some("never"), Some(_)) => Err(ApiError::field(
            "expires",
            "must be 0 when expires_type is never",
        )),
        (Some(_), None) if present != Expiration::Never => Ok(present),
        (Some(_), None | Some(0)) => Err(ApiError::field(
            "expires",
            "is required when expires_type is date",
        )),
        // A row that is sent back as a whole sets no date.
        (_, Some(seconds)) if seconds == epoch_of(present) => Ok(present),
        (_, Some(seconds)) => moment("expires", seconds).map(Expiration::At),
    }
}

fn name(input: &Input) -> Result<Option<KeyName>, ApiError> {
    input
        .text("name")
        .map(str::parse)
        .transpose()
        .map_err(|error| ApiError::field("name", error))
}

fn description(input: &Input) -> Result<Option<Description>, ApiError> {
    input
        .text("description")
        .map(str::parse)
        .transpose()
        .map_err(|error| ApiError::field("description", error))
}

fn list(input: &Input, field: &'static str) -> Result<Option<IpList>, ApiError> {
    input
        .text(field)
        .map(str::parse)
        .transpose()
        .map_err(|error| ApiError::field(field, error))
}

/// Parses the request limit: `Some(None)` for 0, which removes it.
fn limit(input: &Input) -> Result<Option<Option<RateLimit>>, ApiError> {
    let limit = match input.int("requests_per_minute") {
        None => return Ok(None),
        Some(0) => None,
        Some(requests) => Some(RateLimit::try_from(requests)),
    };
    let limit = limit.transpose().map(Some);
    limit.map_err(|error| ApiError::field("requests_per_minute", error))
}

fn names<N: Ord>(input: &Input, field: &'static str) -> Result<Option<Names<N>>, ApiError>
where
    Names<N>: FromStr<Err = NamesError>,
{
    let names = input.text(field).map(str::parse).transpose();
    names.map_err(|error| ApiError::field(field, error))
}
