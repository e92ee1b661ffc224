//! The fields of an API key. None is sealed: only a digest of the key is stored.

use apikey_core::{
    ApiKey, Description, Digest, Expiration, Grant, IpPolicy, KeyId, KeyName, LastLogin, RateLimit,
};
use gatepost_ids::OwnerId;

use super::field::Field;
use super::reader::{Column, ReadRecord, Reader};
use super::record::Record;
use super::value::Value;
use crate::error::StoreError;
use crate::keys::{KeyRow, Rolled};
use crate::page::Revision;

/// The first field is the row number.
impl Record for KeyRow {
    type Id = KeyId;
    const NAME: &'static str = "key";
    const FIELDS: &'static [Field] = &[
        Field::fixed("id"),
        Field::fixed("revision"),
        Field::fixed("lookup"),
        Field::fixed("masked"),
        Field::new("digest_scheme"),
        Field::bytes("digest"),
        Field::new("name"),
        Field::new("description"),
        Field::new("expires"),
        Field::new("ip_allow"),
        Field::new("ip_deny"),
        Field::fixed("created"),
        Field::fixed("last_login"),
        Field::fixed("last_login_from"),
        Field::new("enabled"),
        Field::new("locked"),
        Field::new("read_only"),
        Field::new("tables"),
        Field::new("scopes"),
        Field::new("requests_per_minute"),
        Field::fixed("rolled_from"),
        Field::fixed("rolled_to"),
    ];

    fn values(&self) -> Result<Vec<Value>, StoreError> {
        let Self {
            id,
            revision,
            key,
            rolled,
        } = self;
        let ApiKey {
            owner: _,
            lookup,
            masked,
            digest,
            name,
            description,
            expiration,
            ip,
            grant,
            limit,
            enabled,
            locked,
            created,
            last_login,
        } = key;
        let expires = match expiration {
            Expiration::Never => None,
            Expiration::At(at) => Some(*at),
        };
        Ok(vec![
            Value::Number(id.0),
            Value::Number(revision.0),
            Value::text(lookup.as_str()),
            Value::text(masked.as_str()),
            Value::text(digest.scheme.to_string()),
            Value::Bytes(digest.bytes.to_vec()),
            Value::text(name.as_str()),
            Value::text(description.as_str()),
            expires.into(),
            Value::text(ip.allow.to_string()),
            Value::text(ip.deny.to_string()),
            Value::Time(*created),
            last_login.map(|login| login.at).into(),
            last_login.map(|login| login.from.to_string()).into(),
            Value::Bool(*enabled),
            Value::Bool(*locked),
            Value::Bool(grant.is_read_only()),
            Value::text(grant.tables().to_string()),
            Value::text(grant.scopes().to_string()),
            limit.map(i64::from).into(),
            rolled.from.map(|id| id.0).into(),
            rolled.to.map(|id| id.0).into(),
        ])
    }
}

impl ReadRecord for KeyRow {
    fn read(owner: OwnerId, fields: &mut Reader<'_>) -> Result<Self, StoreError> {
        Ok(Self {
            id: fields.column()?.id()?,
            revision: Revision(fields.column()?.id()?),
            key: ApiKey {
                owner,
                lookup: fields.column()?.parsed()?,
                masked: fields.column()?.parsed()?,
                digest: Digest {
                    scheme: fields.column()?.parsed()?,
                    bytes: fields.column()?.bytes()?,
                },
                name: fields.column()?.text(KeyName::stored)?,
                description: fields.column()?.text(Description::stored)?,
                expiration: match fields.maybe()? {
                    Some(at) => Expiration::At(at.time()?),
                    None => Expiration::Never,
                },
                ip: IpPolicy {
                    allow: fields.column()?.parsed()?,
                    deny: fields.column()?.parsed()?,
                },
                created: fields.column()?.time()?,
                last_login: last_login(fields.maybe()?, fields.maybe()?)?,
                enabled: fields.column()?.flag()?,
                locked: fields.column()?.flag()?,
                grant: Grant::new(
                    fields.column()?.flag()?,
                    fields.column()?.parsed()?,
                    fields.column()?.parsed()?,
                ),
                limit: fields
                    .maybe()?
                    .map(|column| column.number(|limit: i64| RateLimit::try_from(limit)))
                    .transpose()?,
            },
            rolled: Rolled {
                from: fields.maybe()?.map(Column::id).transpose()?,
                to: fields.maybe()?.map(Column::id).transpose()?,
            },
        })
    }
}

fn last_login(at: Option<Column>, from: Option<Column>) -> Result<Option<LastLogin>, StoreError> {
    let Some(at) = at else { return Ok(None) };
    let from = from.ok_or_else(|| StoreError::corrupt("last_login_from", "missing"))?;
    Ok(Some(LastLogin {
        at: at.time()?,
        from: from.parsed()?,
    }))
}
