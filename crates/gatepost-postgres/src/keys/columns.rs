//! What is written of a key.

use apikey_core::{ApiKey, Expiration};
use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::db::Param;

/// The columns of a key's record, as parameters take them.
pub(super) struct Columns<'a> {
    key: &'a ApiKey,
    pub(super) owner: Uuid,
    lookup: &'a str,
    hint: &'a str,
    pub(super) scheme: String,
    pub(super) digest: &'a [u8],
    pub(super) name: &'a str,
    pub(super) description: &'a str,
    pub(super) expires: Option<DateTime<Utc>>,
    pub(super) allow: String,
    pub(super) deny: String,
    login: Option<DateTime<Utc>>,
    login_from: Option<String>,
    pub(super) read_only: bool,
    pub(super) tables: String,
    pub(super) scopes: String,
    pub(super) limit: Option<i64>,
}

impl<'a> Columns<'a> {
    pub(super) fn of(key: &'a ApiKey) -> Self {
        Self {
            key,
            owner: key.owner.into(),
            lookup: key.lookup.as_str(),
            hint: key.hint.as_str(),
            scheme: key.digest.scheme.to_string(),
            digest: key.digest.bytes.as_slice(),
            name: key.name.as_str(),
            description: key.description.as_str(),
            expires: match key.expiration {
                Expiration::At(at) => Some(at),
                Expiration::Never => None,
            },
            allow: key.ip.allow.to_string(),
            deny: key.ip.deny.to_string(),
            login: key.last_login.map(|login| login.at),
            login_from: key.last_login.map(|login| login.from.to_string()),
            read_only: key.grant.is_read_only(),
            tables: key.grant.tables().to_string(),
            scopes: key.grant.scopes().to_string(),
            limit: key.limit.map(i64::from),
        }
    }

    /// All of them, in the order of an insert: `$1` to `$18`.
    pub(super) fn params(&self) -> Vec<Param<'_>> {
        vec![
            &self.owner,
            &self.lookup,
            &self.hint,
            &self.scheme,
            &self.digest,
            &self.name,
            &self.description,
            &self.expires,
            &self.allow,
            &self.deny,
            &self.key.created,
            &self.login,
            &self.login_from,
            &self.key.enabled,
            &self.read_only,
            &self.tables,
            &self.scopes,
            &self.limit,
        ]
    }
}
