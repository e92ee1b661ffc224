//! Faults of a key store.

use apikey_core::{ApiKey, Grant, KeyId};
use chrono::{DateTime, NaiveDate, SubsecRound, Utc};
use gatepost_storage::keys::{
    ChangedKeys, KeyChanges, KeyGeneration, KeyQuery, KeyRow, KeySelector, KeyShard, KeyUse, Login,
};
use gatepost_storage::{ErrorKind, KeyStore, Scope};

use super::mutant::{Mutant, Result, passed_on};

passed_on! { KeyStore {}
    async fn insert_key(&self, key: &ApiKey, at_most: u64) -> Result<KeyRow> {
        let mut key = key.clone();
        if self.is(&["k13"]) {
            key.created = key.created.trunc_subsecs(3);
        }
        if self.is(&["k28"]) {
            key.grant = Grant::all();
        }
        if self.is(&["k30"]) {
            key.limit = None;
        }
        let at_most = if self.is(&["k19"]) { u64::MAX } else { at_most };
        let mut answer = self.inner.insert_key(&key, at_most).await;
        if self.is(&["k17"]) {
            let digest = format!("{:?}", String::from_utf8_lossy(&key.digest.bytes));
            let hex: String = key
                .digest
                .bytes
                .iter()
                .map(|b| format!("{b:02x}"))
                .collect();
            answer = answer.map_err(|e| e.with_source(digest + &hex));
        }
        if self.is(&["k02", "k03", "k04"]) && answer.is_err() {
            answer = Ok(self.inner.key(KeyId(1)).await?.unwrap());
        }
        if self.is(&["k08"]) {
            answer = answer.map(|row| KeyRow {
                id: KeyId(1),
                ..row
            });
        }
        answer
    }

    async fn find_key(&self, selector: KeySelector) -> Result<Option<KeyRow>> {
        let mut row = self.inner.find_key(selector).await?;
        if let KeySelector::Lookup(_) = selector {
            return Ok(row.filter(|_| !self.is(&["k01"])));
        }
        let last = self.notes().login;
        if let (Some(row), Some(last)) = (&mut row, last) {
            if self.is(&["k11"]) {
                row.key.last_login = Some(last);
            }
            if self.is(&["k14"]) {
                row.revision = row.revision.next();
            }
        }
        Ok(row)
    }

    async fn list_keys(&self, query: &KeyQuery) -> Result<Vec<KeyRow>> {
        let mut query = query.clone();
        if self.is(&["k12"]) {
            query.page.after = query.page.after.map(|id| KeyId(id.0 + 1));
        }
        if self.is(&["k15"]) {
            query.name = None;
        }
        if self.is(&["k21"]) && query.name.is_some() {
            query.scope = Scope::All;
        }
        self.inner.list_keys(&query).await
    }

    async fn expiring_keys(
        &self,
        after: (DateTime<Utc>, KeyId),
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<KeyRow>> {
        let (at, mut id) = after;
        if self.is(&["k29"]) {
            // It names only the first page of the keys that expire at one moment.
            id = KeyId(if id == KeyId(0) { 0 } else { i64::MAX });
        }
        let after = (at, id);
        self.inner.expiring_keys(after, before, limit).await
    }

    async fn update_key(&self, row: &KeyRow, now: DateTime<Utc>) -> Result<KeyRow> {
        let mut shown = row.clone();
        if self.is(&["k05"]) {
            shown.revision = self.inner.key(row.id).await?.unwrap().revision;
        }
        if self.is(&["k28-edit"]) {
            shown.key.grant = Grant::all();
        }
        if self.is(&["k28-enabled"]) {
            shown.key.enabled = true;
        }
        if self.is(&["k30-edit"]) {
            shown.key.limit = self.inner.key(row.id).await?.unwrap().key.limit;
        }
        match self.inner.update_key(&shown, now).await {
            Ok(mut new) => {
                if self.is(&["k06"]) {
                    new.key.owner = row.key.owner;
                }
                if self.is(&["k31-edit"]) {
                    new.rolled = row.rolled;
                }
                Ok(new)
            }
            Err(e) if self.is(&["k16"]) && e.kind() == ErrorKind::NotFound => {
                self.inner.insert_key(&row.key, u64::MAX).await
            }
            Err(e) => Err(e),
        }
    }

    async fn roll_key(
        &self,
        old: &KeyRow,
        new: &ApiKey,
        at_most: u64,
        now: DateTime<Utc>,
    ) -> Result<(KeyRow, KeyRow)> {
        if self.is(&["k31"]) {
            // Two separate calls.
            let new = self.inner.insert_key(new, at_most).await?;
            return Ok((new, self.inner.update_key(old, now).await?));
        }
        let answer = self.inner.roll_key(old, new, at_most, now).await;
        if self.is(&["k32"]) && answer.is_err() {
            // Its effects before the refusal stay.
            let _ = self.inner.update_key(old, now).await;
        }
        answer
    }

    async fn delete_key(&self, id: KeyId, now: DateTime<Utc>) -> Result<()> {
        if self.is(&["k07"]) {
            return Ok(());
        }
        self.inner.delete_key(id, now).await
    }

    async fn record_activity(&self, logins: &[Login], uses: &[KeyUse]) -> Result<()> {
        if let Some(last) = logins.last() {
            self.notes().login = Some(last.login);
        }
        if self.is(&["k24-lost"]) && uses.len() > 2 {
            return self.inner.record_activity(logins, &uses[1..]).await;
        }
        if self.is(&["k24-both"]) && !logins.is_empty() {
            return self.inner.record_logins(logins).await;
        }
        if self.is(&["k27"])
            && let Some(used) = uses.first()
            && let Some(row) = self.inner.key(used.key).await?
        {
            self.inner.update_key(&row, DateTime::UNIX_EPOCH).await?;
        }
        self.notes().uses.extend(uses);
        self.inner.record_activity(logins, uses).await
    }

    async fn key_uses(
        &self,
        key: KeyId,
        from: NaiveDate,
        before: NaiveDate,
        limit: u32,
    ) -> Result<Vec<KeyUse>> {
        let mut found = self.inner.key_uses(key, from, before, limit).await?;
        if self.is(&["k24"]) {
            found.reverse();
        }
        if self.is(&["k25", "k26"]) {
            // No reported use is ever forgotten.
            found.clone_from(&self.notes().uses);
            found.retain(|day| day.key == key);
            found.reverse();
            found.dedup_by_key(|day| day.day);
        }
        Ok(found)
    }

    fn key_generation(&self, shard: KeyShard) -> Option<KeyGeneration> {
        if self.is(&["k09", "k22-generation"]) {
            return Some(KeyGeneration(0));
        }
        if self.is(&["k20"]) {
            let all = (0..=u8::MAX).map(KeyShard);
            return all.filter_map(|shard| self.inner.key_generation(shard)).max();
        }
        self.inner.key_generation(shard)
    }

    async fn key_changes(&self, shard: KeyShard, since: KeyGeneration) -> Result<KeyChanges> {
        let mut changes = self.inner.key_changes(shard, since).await?;
        if self.is(&["k10", "k22-changes", "k33"]) {
            changes.changed = ChangedKeys::These(Vec::new());
        }
        if self.is(&["forgets"]) {
            changes.changed = ChangedKeys::All;
        }
        Ok(changes)
    }
}
