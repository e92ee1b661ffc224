//! A key and its columns.

use apikey_core::{
    ApiKey, Description, Digest, Expiration, Grant, IpPolicy, KeyId, KeyName, LastLogin, RateLimit,
};
use gatepost_storage::Revision;
use gatepost_storage::keys::{KeyRow, Rolled};
use rusqlite::Row;

use crate::column::{maybe_time, owner, parse, stored, time};
use crate::error::{Failure, Result};
use crate::named::Named;

pub(super) const COLUMNS: &str = "id, revision, owner, lookup, hint, digest_scheme, digest, name, description, expires, \
     ip_allow, ip_deny, created, last_login, last_login_from, enabled, locked, read_only, tables, scopes, \
     requests_per_minute, rolled_from, rolled_to FROM gatepost_key k";

/// The key's owner was not removed since it was made.
pub(super) const LIVE: &str =
    "k.id > (SELECT o.gone_keys FROM gatepost_owner o WHERE o.owner = k.owner)";

pub(super) fn key(row: &Row<'_>) -> Result<KeyRow> {
    let row = &Named::of(row);
    let digest = row.get_ref("digest")?;
    let bytes = digest
        .as_blob()
        .ok()
        .and_then(|bytes| bytes.try_into().ok())
        .ok_or_else(|| Failure::corrupt("key", "the digest is not 32 bytes long"))?;
    let last_login = match maybe_time(row, "last_login")? {
        Some(at) => Some(LastLogin {
            at,
            from: parse(row, "last_login_from")?,
        }),
        None => None,
    };
    Ok(KeyRow {
        id: KeyId(row.get("id")?),
        revision: Revision(row.get("revision")?),
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
            expiration: maybe_time(row, "expires")?.map_or(Expiration::Never, Expiration::At),
            ip: IpPolicy {
                allow: parse(row, "ip_allow")?,
                deny: parse(row, "ip_deny")?,
            },
            grant: Grant::new(
                row.get("read_only")?,
                parse(row, "tables")?,
                parse(row, "scopes")?,
            ),
            limit: limit(row)?,
            enabled: row.get("enabled")?,
            locked: row.get("locked")?,
            created: time(row, "created")?,
            last_login,
        },
        rolled: Rolled {
            from: row.get::<Option<i64>>("rolled_from")?.map(KeyId),
            to: row.get::<Option<i64>>("rolled_to")?.map(KeyId),
        },
    })
}

fn limit(row: &Named<'_>) -> Result<Option<RateLimit>> {
    let limit: Option<i64> = row.get("requests_per_minute")?;
    let limit = limit.map(RateLimit::try_from).transpose();
    limit.map_err(|e| Failure::corrupt("requests_per_minute", e))
}
