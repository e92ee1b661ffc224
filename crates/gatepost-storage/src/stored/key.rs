//! Keys.

use apikey_core::{
    ApiKey, Description, Digest, Expiration, Grant, IpPolicy, KeyId, KeyName, LastLogin, OwnerId,
    RateLimit,
};
use serde::{Deserialize, Serialize};

use super::field::{Wrong, base64, bytes, checked, maybe_time, parsed, stored_as, time};
use crate::keys::{KeyRow, Rolled};
use crate::page::Revision;

stored_as!(KeyRow, StoredKey);

#[derive(Deserialize, Serialize)]
struct StoredKey {
    id: i64,
    revision: i64,
    owner: OwnerId,
    lookup: String,
    hint: String,
    scheme: String,
    digest: String,
    name: String,
    description: String,
    expires: Option<i64>,
    enabled: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    locked: bool,
    read_only: bool,
    tables: String,
    scopes: String,
    limit: Option<i64>,
    allow: String,
    deny: String,
    created: i64,
    login: Option<i64>,
    login_from: Option<String>,
    rolled_from: Option<i64>,
    rolled_to: Option<i64>,
}

impl From<&KeyRow> for StoredKey {
    fn from(row: &KeyRow) -> Self {
        let KeyRow {
            id,
            revision,
            key,
            rolled,
        } = row;
        Self {
            id: id.0,
            revision: revision.0,
            owner: key.owner,
            lookup: key.lookup.to_string(),
            hint: key.hint.to_string(),
            scheme: key.digest.scheme.to_string(),
            digest: base64(key.digest.bytes),
            name: key.name.as_str().to_owned(),
            description: key.description.as_str().to_owned(),
            expires: match key.expiration {
                Expiration::Never => None,
                Expiration::At(at) => Some(at.timestamp_micros()),
            },
            enabled: key.enabled,
            locked: key.locked,
            read_only: key.grant.is_read_only(),
            tables: key.grant.tables().to_string(),
            scopes: key.grant.scopes().to_string(),
            limit: key.limit.map(i64::from),
            allow: key.ip.allow.to_string(),
            deny: key.ip.deny.to_string(),
            created: key.created.timestamp_micros(),
            login: key.last_login.map(|login| login.at.timestamp_micros()),
            login_from: key.last_login.map(|login| login.from.to_string()),
            rolled_from: rolled.from.map(|id| id.0),
            rolled_to: rolled.to.map(|id| id.0),
        }
    }
}

impl TryFrom<StoredKey> for KeyRow {
    type Error = Wrong;

    fn try_from(row: StoredKey) -> Result<Self, Wrong> {
        let digest = bytes("digest", &row.digest)?;
        Ok(Self {
            id: KeyId(row.id),
            revision: Revision(row.revision),
            rolled: Rolled {
                from: row.rolled_from.map(KeyId),
                to: row.rolled_to.map(KeyId),
            },
            key: ApiKey {
                owner: row.owner,
                lookup: parsed("lookup", &row.lookup)?,
                hint: parsed("hint", &row.hint)?,
                digest: Digest {
                    scheme: parsed("scheme", &row.scheme)?,
                    bytes: digest
                        .try_into()
                        .map_err(|_| Wrong::new("digest", "is not 32 bytes"))?,
                },
                name: checked("name", KeyName::stored(&row.name))?,
                description: checked("description", Description::stored(&row.description))?,
                expiration: maybe_time("expires", row.expires)?
                    .map_or(Expiration::Never, Expiration::At),
                ip: IpPolicy {
                    allow: parsed("allow", &row.allow)?,
                    deny: parsed("deny", &row.deny)?,
                },
                grant: Grant::new(
                    row.read_only,
                    parsed("tables", &row.tables)?,
                    parsed("scopes", &row.scopes)?,
                ),
                limit: checked("limit", row.limit.map(RateLimit::try_from).transpose())?,
                enabled: row.enabled,
                locked: row.locked,
                created: time("created", row.created)?,
                last_login: login(row.login, row.login_from.as_deref())?,
            },
        })
    }
}

fn login(at: Option<i64>, from: Option<&str>) -> Result<Option<LastLogin>, Wrong> {
    let Some(at) = maybe_time("login", at)? else {
        return Ok(None);
    };
    let from = from.ok_or_else(|| Wrong::new("login_from", "is missing"))?;
    let from = parsed("login_from", from)?;
    Ok(Some(LastLogin { at, from }))
}
