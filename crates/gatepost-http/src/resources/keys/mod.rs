//! `user_api_keys`.

mod columns;

use std::fmt::Display;
use std::str::FromStr;

use apikey_core::{
    Expiration, Grant, IpPolicy, KeyDraft, KeyEdit, KeyId, Names, Overlap, RateLimit, RevealOnce,
};
use async_trait::async_trait;
use gatepost_manage::Actor;
use gatepost_storage::Scope;
use gatepost_storage::keys::{KeyQuery, KeyRow};
use serde_json::{Value, json};
use webhook_model::ObjectId;

pub(crate) use self::columns::LEAKED;
use super::row::{epoch, moment, page, row, scanned};
use crate::error::{ApiError, Result};
use crate::resource::{Created, Resource, Scan, Scanned};
use crate::schema::{Input, RowMap, Table, number};

/// The default overlap of a rolled key, in seconds.
const DAY: i64 = 24 * 60 * 60;

#[derive(Debug)]
pub(super) struct Keys;

#[async_trait]
impl Resource for Keys {
    fn table(&self) -> &'static Table {
        &columns::TABLE
    }

    async fn scan(&self, caller: &Actor, scan: Scan<'_>) -> Result<Scanned> {
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

    async fn get(&self, caller: &Actor, key: ObjectId) -> Result<RowMap> {
        Ok(key_row(&caller.key(KeyId(number(key)?)).await?))
    }

    async fn create(&self, caller: &Actor, input: Input) -> Result<Created> {
        if input.bool("enabled") == Some(false) {
            return Err(ApiError::field("enabled", "must be true for a new key"));
        }
        let draft = KeyDraft::new(
            input.user("user").unwrap_or(caller.principal().owner),
            read(&input, "name")?.ok_or_else(|| ApiError::field("name", "is required"))?,
        )
        .with_description(read(&input, "description")?.unwrap_or_default())
        .with_expiration(expiration(&input, Expiration::Never)?)
        .with_ip(IpPolicy {
            allow: read(&input, "ip_allow_list")?.unwrap_or_default(),
            deny: read(&input, "ip_deny_list")?.unwrap_or_default(),
        })
        .with_grant(Grant::new(
            input.bool("read_only").unwrap_or_default(),
            read(&input, "tables")?.unwrap_or_default(),
            read(&input, "scopes")?.unwrap_or_default(),
        ))
        .with_limit(limit(&input)?.flatten());
        Ok(created(caller.create_key(draft).await?))
    }

    async fn update(&self, caller: &Actor, key: ObjectId, input: Input) -> Result<RowMap> {
        let id = KeyId(number(key)?);
        let row = caller.stored_key(id).await?.key;
        let (present, grant) = (row.expiration, row.grant);
        let expiration = expiration(&input, present)?;
        let mut edit = KeyEdit::default();
        edit.name = read(&input, "name")?;
        edit.description = read(&input, "description")?;
        // A row that is sent back as a whole does not set its date again, nor new tables or scopes.
        edit.expiration = Some(expiration).filter(|new| epoch_of(*new) != epoch_of(present));
        edit.ip_allow = read(&input, "ip_allow_list")?;
        edit.ip_deny = read(&input, "ip_deny_list")?;
        edit.read_only = input.bool("read_only");
        edit.tables = read::<Names<_>>(&input, "tables")?.filter(|new| new != grant.tables());
        edit.scopes = read::<Names<_>>(&input, "scopes")?.filter(|new| new != grant.scopes());
        edit.limit = limit(&input)?;
        edit.enabled = input.bool("enabled");
        Ok(key_row(&caller.edit_key(id, edit).await?))
    }

    async fn delete(&self, caller: &Actor, key: ObjectId) -> Result<()> {
        Ok(caller.delete_key(KeyId(number(key)?)).await?)
    }

    async fn act(&self, caller: &Actor, key: ObjectId, name: &str, input: Input) -> Result<Value> {
        if name != "roll" {
            return Err(ApiError::not_permitted());
        }
        let overlap = Overlap::seconds(input.int("overlap").unwrap_or(DAY));
        let overlap = overlap.map_err(|error| ApiError::field("overlap", error))?;
        let rolled = caller.roll_key(KeyId(number(key)?), overlap).await?;
        Ok(created(rolled).receipt(columns::TABLE.name))
    }
}

fn created((row, reveal): (KeyRow, RevealOnce)) -> Created {
    let (key, secret) = (row.id.0, Some(reveal.reveal()));
    Created { key, secret }
}

fn key_row(stored: &KeyRow) -> RowMap {
    let key = &stored.key;
    let expires_type = match key.expiration {
        Expiration::Never => "never",
        Expiration::At(_) => "date",
    };
    let login = key.last_login.as_ref();
    let login_from = login.map(|login| login.from.to_string());
    let requests = key.limit.map_or(0, RateLimit::requests);
    let number = |id: Option<KeyId>| id.map_or(0, |id| id.0);
    row(
        stored.id.0,
        [
            ("user", json!(key.owner)),
            ("name", key.name.as_str().into()),
            ("description", key.description.as_str().into()),
            ("created", epoch(Some(key.created))),
            ("expires_type", expires_type.into()),
            ("expires", epoch_of(key.expiration).into()),
            ("lastlogin_stamp", epoch(login.map(|login| login.at))),
            ("lastlogin_ip", login_from.unwrap_or_default().into()),
            ("ip_allow_list", key.ip.allow.to_string().into()),
            ("ip_deny_list", key.ip.deny.to_string().into()),
            ("enabled", key.enabled.into()),
            ("read_only", key.grant.is_read_only().into()),
            ("tables", key.grant.tables().to_string().into()),
            ("scopes", key.grant.scopes().to_string().into()),
            ("requests_per_minute", requests.into()),
            ("rolled_from", number(stored.rolled.from).into()),
            ("rolled_to", number(stored.rolled.to).into()),
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
fn expiration(input: &Input, present: Expiration) -> Result<Expiration> {
    let wrong = |rule| Err(ApiError::field("expires", rule));
    match (input.text("expires_type"), input.int("expires")) {
        (None, None) => Ok(present),
        (Some("never"), None | Some(0)) | (None, Some(0)) => Ok(Expiration::Never),
        (Some("never"), Some(_)) => wrong("must be 0 when expires_type is never"),
        (Some(_), None) if present != Expiration::Never => Ok(present),
        (Some(_), None | Some(0)) => wrong("is required when expires_type is date"),
        // A row that is sent back as a whole sets no date.
        (_, Some(seconds)) if seconds == epoch_of(present) => Ok(present),
        (_, Some(seconds)) => moment("expires", seconds).map(Expiration::At),
    }
}

/// Parses a column of text.
fn read<T: FromStr<Err: Display>>(input: &Input, field: &str) -> Result<Option<T>> {
    let value = input.parsed(field);
    value.map_err(|error| ApiError::field(field, error))
}

/// Parses the request limit: `Some(None)` for 0, which removes it.
fn limit(input: &Input) -> Result<Option<Option<RateLimit>>> {
    let limit = |requests| match requests {
        0 => Ok(None),
        requests => RateLimit::try_from(requests).map(Some),
    };
    let limit = input.int("requests_per_minute").map(limit).transpose();
    limit.map_err(|error| ApiError::field("requests_per_minute", error))
}
