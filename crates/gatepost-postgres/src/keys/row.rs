//! A key and its columns.

use apikey_core::{
    ApiKey, Description, Digest, Expiration, Grant, IpPolicy, KeyId, KeyName, LastLogin, LookupId,
    RateLimit,
};
use chrono::{DateTime, Utc};
use gatepost_storage::Revision;
use gatepost_storage::keys::{KeyRow, Rolled};
use tokio_postgres::Row;

use crate::column::{owner, parse, stored};
use crate::error::{Failure, Result};

/// What is read of a key that is there.
pub(super) const SELECT: &str = "r.id, r.revision, r.owner, r.lookup, r.hint, r.digest_scheme, r.digest, r.name, r.description, \
     r.expires, r.ip_allow, r.ip_deny, r.created, r.last_login, r.last_login_from, \
     r.enabled, r.locked, r.read_only, r.tables, r.scopes, r.requests_per_minute, r.rolled_from, r.rolled_to \
     FROM :schema.gatepost_key r JOIN :schema.gatepost_owner o ON o.owner = r.owner WHERE NOT o.gone";

pub(super) fn key(row: &Row) -> Result<KeyRow> {
    let digest: &[u8] = row.try_get("digest")?;
    let bytes = digest
        .try_into()
        .map_err(|_| Failure::corrupt("key", "the digest is not 32 bytes long"))?;
    let last_login = match row.try_get::<_, Option<DateTime<Utc>>>("last_login")? {
        Some(at) => Some(LastLogin {
            at,
            from: parse(row, "last_login_from")?,
        }),
        None => None,
    };
    Ok(KeyRow {
        id: KeyId(row.try_get("id")?),
        revision: Revision(row.try_get("revision")?),
        key: ApiKey {
            owner: owner(row, "owner")?,
            lookup: parse(row, "lookup")?,
            hint: parse(row, "hint")?,
            digest: Digest {
                scheme: parse(row, "digest_scheme")?,
                bytes,
            },
            name: stored(row, "name", KeyName::stored)?,
            description: stored(row, "description", Description::stored)?,
            expiration: row
                .try_get::<_, Option<DateTime<Utc>>>("expires")?
                .map_or(Expiration::Never, Expiration::At),
            ip: IpPolicy {
                allow: parse(row, "ip_allow")?,
                deny: parse(row, "ip_deny")?,
            },
            grant: Grant::new(
                row.try_get("read_only")?,
                parse(row, "tables")?,
                parse(row, "scopes")?,
            ),
            limit: limit(row)?,
            enabled: row.try_get("enabled")?,
            locked: row.try_get("locked")?,
            created: row.try_get("created")?,
            last_login,
        },
        rolled: Rolled {
            from: row.try_get::<_, Option<i64>>("rolled_from")?.map(KeyId),
            to: row.try_get::<_, Option<i64>>("rolled_to")?.map(KeyId),
        },
    })
}

fn limit(row: &Row) -> Result<Option<RateLimit>> {
    let limit: Option<i64> = row.try_get("requests_per_minute")?;
    let limit = limit.map(RateLimit::try_from).transpose();
    limit.map_err(|e| Failure::corrupt("requests_per_minute", e))
}

/// The lookup id of a row of changes, if it has one.
pub(super) fn lookup(row: &Row) -> Result<Option<LookupId>> {
    let text: Option<&str> = row.try_get("lookup")?;
    text.map(|text| text.parse().map_err(|e| Failure::corrupt("changed key", e)))
        .transpose()
}
