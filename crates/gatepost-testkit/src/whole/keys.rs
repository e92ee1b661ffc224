//! Every field of a key.

use std::sync::Arc;

use apikey_core::{ApiKey, KeyId, LastLogin, LookupId, OwnerId};
use async_trait::async_trait;
use gatepost_storage::keys::{KeyQuery, KeyRow, Login, Rolled};
use gatepost_storage::{KeyStore, Page, Revision};

use super::edits::{Table, is_read, is_same, prove, same};
use crate::fields::{Field, Rule, of_key};
use crate::fixtures::{at, key};
use crate::harness::Harness;
use crate::outcome::Outcome;

struct Keys(Arc<dyn KeyStore>);

/// Every field of a key is stored with it, separately and exactly. An edit of one field must change
/// that field and no other, and fields that no edit or roll may change must stay, whatever the
/// caller passes. Every read must return the same, also when the store is opened again.
pub async fn f01_every_field_of_a_key_is_kept(
    place: Arc<dyn Harness<Arc<dyn KeyStore>>>,
) -> Outcome {
    let store = place.fresh().await;
    let table = Keys(store);
    let mut rows = rolled(&table).await;
    rows.extend(prove(&table).await);
    if let Some(store) = place.reopen(table.0).await {
        same(&Keys(store), &rows).await;
    }
    Outcome::Held
}

/// Rolls keys one after the other, in every field: the new key is stored as it was passed, and of
/// the old one only the expiration changes. Then edits each.
async fn rolled(table: &Keys) -> Vec<KeyRow> {
    let mut full = table.base(50_000);
    let fields = of_key(&full);
    for field in fields.iter().filter(|field| stored(field)) {
        field.copy(&field.values()[0], &mut full);
    }
    // No value may come from another key.
    let plain = table.insert(&table.base(50_001)).await;
    // Values that no two keys may have in common.
    full.key.lookup = LookupId::of_imported(&[90; 32]);
    full.key.name = "rolled-0".parse().unwrap();
    let mut old = table.insert(&full).await;
    full.id = old.id;
    is_same(table, &full, &old, || "inserted".to_owned());
    let mut rows = vec![plain];
    for number in 1..=2 {
        let mut asked = old.clone();
        for field in fields.iter().filter(|field| field.rule() != Rule::Shown) {
            field.copy(&field.values()[1], &mut asked);
        }
        let key = ApiKey {
            lookup: LookupId::of_imported(&[90 + number; 32]),
            name: format!("rolled-{number}").parse().unwrap(),
            ..full.key.clone()
        };
        let done = table.0.roll_key(&asked, &key, u64::MAX, at(1)).await;
        let (new, ended) = done.expect("F1 a key is rolled");
        let from = Rolled {
            from: Some(old.id),
            to: None,
        };
        let expected = KeyRow {
            id: new.id,
            revision: Revision::FIRST,
            key,
            rolled: from,
        };
        is_same(table, &expected, &new, || {
            "rolled: the new one, returned".to_owned()
        });
        is_read(table, &expected, "rolled: the new one").await;
        old.revision = old.revision.next();
        old.key.expiration = asked.key.expiration;
        old.rolled.to = Some(new.id);
        is_same(table, &old, &ended, || {
            "rolled: the old one, returned".to_owned()
        });
        is_read(table, &old, "rolled: the old one").await;
        rows.push(std::mem::replace(&mut old, expected));
    }
    rows.push(old);
    for row in &mut rows {
        let found = table.update(row, 2).await;
        table.edited(row, 2);
        is_same(table, row, &found, || "rolled, and edited".to_owned());
        is_read(table, row, "rolled, and edited").await;
    }
    rows
}

fn stored(field: &Field<KeyRow>) -> bool {
    matches!(field.rule(), Rule::Edited | Rule::Kept)
}

#[async_trait]
impl Table for Keys {
    type Row = KeyRow;

    const CONTRACT_TEST: &'static str = "F1";

    fn fields(&self, base: &KeyRow) -> Vec<Field<KeyRow>> {
        of_key(base)
    }

    fn base(&self, number: i64) -> KeyRow {
        KeyRow {
            id: KeyId(0),
            revision: Revision::FIRST,
            key: ApiKey {
                owner: OwnerId::try_from(number + 1).unwrap(),
                created: at(number),
                ..key(1, &format!("k{number}"))
            },
            rolled: Rolled::default(),
        }
    }

    async fn insert(&self, row: &KeyRow) -> KeyRow {
        let inserted = self.0.insert_key(&row.key, u64::MAX).await;
        inserted.expect("F1 a new key is stored")
    }

    async fn update(&self, row: &KeyRow, second: i64) -> KeyRow {
        let updated = self.0.update_key(row, at(second)).await;
        updated.expect("F1 an edit is stored")
    }

    fn inserted(&self, asked: &mut KeyRow, found: &KeyRow) {
        asked.id = found.id;
    }

    fn edited(&self, stored: &mut KeyRow, _second: i64) {
        stored.revision = stored.revision.next();
    }

    async fn used(&self, row: &KeyRow) -> KeyRow {
        let login = LastLogin {
            at: at(9_999),
            from: "2001:db8::9".parse().unwrap(),
        };
        let used = [Login { key: row.id, login }];
        self.0
            .record_logins(&used)
            .await
            .expect("F1 a login is stored");
        let mut row = row.clone();
        row.key.last_login = Some(login);
        row
    }

    async fn reads(&self, row: &KeyRow) -> Vec<(&'static str, Option<KeyRow>)> {
        let by_number = self.0.key(row.id).await.expect("F1 by number");
        let by_lookup = self.0.key_by_lookup(row.key.lookup).await;
        let query = KeyQuery::of_owner(row.key.owner, Page::first(99));
        let listed = self.0.list_keys(&query).await.expect("F1 listed");
        let mut ways = vec![
            ("by number", by_number),
            ("by lookup id", by_lookup.expect("F1 by lookup id")),
            (
                "in a list",
                listed.into_iter().find(|found| found.id == row.id),
            ),
        ];
        if let apikey_core::Expiration::At(end) = row.key.expiration {
            let (after, before) = ((at(-1), KeyId(0)), end + chrono::TimeDelta::seconds(1));
            let expiring = self.0.expiring_keys(after, before, 999).await;
            let mut expiring = expiring.expect("F1 as it expires").into_iter();
            ways.push(("as it expires", expiring.find(|found| found.id == row.id)));
        }
        ways
    }
}
