//! API keys.

mod find;
mod row;
mod uses;
mod write;

use apikey_core::{ApiKey, KeyId};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
#[cfg(test)]
use gatepost_storage::Page;
use gatepost_storage::Scope;
use gatepost_storage::keys::{
    KeyChanges, KeyGeneration, KeyQuery, KeyRow, KeySelector, KeyShard, KeyStore, KeyUse, Login,
    Rolled,
};
use rusqlite::params;

use self::find::{expiring, find};
use crate::column::micros;
use crate::error::Answer;
use crate::generations;
use crate::list::List;
use crate::store::SqliteStore;

#[async_trait]
impl KeyStore for SqliteStore {
    async fn insert_key(&self, key: &ApiKey, at_most: u64) -> Answer<KeyRow> {
        let key = key.clone();
        self.write(move |c| write::insert(c, &key, at_most, Rolled::default()))
            .await
    }

    async fn find_key(&self, selector: KeySelector) -> Answer<Option<KeyRow>> {
        self.read(move |c| match selector {
            KeySelector::Id(id) => find(c, "k.id =", id.0),
            KeySelector::Lookup(lookup) => find(c, "k.lookup =", lookup.as_str().to_owned()),
        })
        .await
    }

    async fn list_keys(&self, query: &KeyQuery) -> Answer<Vec<KeyRow>> {
        let query = query.clone();
        self.read(move |c| list(&query).page(c, &row::SQL.select, &query.page, |id| id.0, row::key))
            .await
    }

    async fn expiring_keys(
        &self,
        after: (DateTime<Utc>, KeyId),
        before: DateTime<Utc>,
        limit: u32,
    ) -> Answer<Vec<KeyRow>> {
        self.read(move |c| expiring(c, after, before, limit)).await
    }

    async fn update_key(&self, row: &KeyRow, _now: DateTime<Utc>) -> Answer<KeyRow> {
        let row = row.clone();
        self.write(move |c| write::update(c, &row)).await
    }

    async fn roll_key(
        &self,
        old: &KeyRow,
        new: &ApiKey,
        at_most: u64,
        _now: DateTime<Utc>,
    ) -> Answer<(KeyRow, KeyRow)> {
        let (old, new) = (old.clone(), new.clone());
        self.write(move |c| write::roll(c, &old, &new, at_most))
            .await
    }

    async fn delete_key(&self, id: KeyId, _now: DateTime<Utc>) -> Answer<()> {
        self.write(move |c| write::delete(c, id)).await
    }

    async fn record_activity(&self, logins: &[Login], uses: &[KeyUse]) -> Answer<()> {
        let (logins, uses) = (logins.to_vec(), uses.to_vec());
        self.write(move |c| {
            let mut record = c.prepare_cached(sql!("keys/record_login"))?;
            for Login { key, login } in logins {
                record.execute(params![key.0, micros(login.at), login.from.to_string()])?;
            }
            uses::add(c, &uses)
        })
        .await
    }

    async fn key_uses(
        &self,
        key: KeyId,
        from: NaiveDate,
        before: NaiveDate,
        limit: u32,
    ) -> Answer<Vec<KeyUse>> {
        let days = (from, before);
        self.read(move |c| uses::list(c, key, days, limit)).await
    }

    fn key_generation(&self, shard: KeyShard) -> Option<KeyGeneration> {
        self.watch().key_generation(shard)
    }

    async fn key_changes(&self, shard: KeyShard, since: KeyGeneration) -> Answer<KeyChanges> {
        let forgotten = |c: &_| generations::changes(c, shard, since);
        self.watch().key_changes(shard, since, forgotten)
    }
}

fn list(query: &KeyQuery) -> List {
    let list = match query.scope {
        Scope::All if query.name.is_some() => {
            List::of("gatepost_key r INDEXED BY gatepost_key_of_name")
        }
        Scope::All => List::of("gatepost_key r"),
        Scope::Owner(owner) => List::of("gatepost_key r INDEXED BY gatepost_key_of_owner")
            .filter("r.owner =", owner.to_bytes().to_vec()),
        Scope::Tenant(tenant) => List::of_tenant(tenant, "gatepost_key", "gatepost_key_of_owner"),
    };
    list.and("r.id > (SELECT g.gone_keys FROM gatepost_owner g WHERE g.owner = r.owner)")
        .maybe("r.name =", query.name.clone())
}

/// Returns the statements of lists, with the index that each must use.
#[cfg(test)]
pub(crate) fn plans(page: &Page<i64>) -> Vec<(&'static str, String, &'static str)> {
    use gatepost_ids::{OwnerId, TenantId};
    let all = KeyQuery::all(Page::first(1));
    let in_scope = |scope| KeyQuery {
        scope,
        ..all.clone()
    };
    let named = KeyQuery {
        name: Some("n".to_owned()),
        ..all.clone()
    };
    let owner = in_scope(Scope::Owner(OwnerId(1)));
    let tenant = in_scope(Scope::Tenant(TenantId(1)));
    [
        ("keys of an owner", owner, "gatepost_key_of_owner (owner=?"),
        ("keys of a tenant", tenant, "gatepost_key_of_owner (owner=?"),
        ("keys of a name", named, "gatepost_key_of_name (name=?"),
    ]
    .map(|(name, query, index)| (name, list(&query).plan(&row::SQL.select, page), index))
    .into()
}
