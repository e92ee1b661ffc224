//! The calls on a key store, and one of the two stores with the known state of its rows.

use std::collections::BTreeSet;
use std::sync::Arc;

use apikey_core::{ApiKey, Expiration, Grant, KeyId, LastLogin, OwnerId, RateLimit};
use chrono::Days;
use gatepost_storage::keys::{
    ChangedKeys, KeyGeneration, KeyQuery, KeyRow, KeyShard, KeyUse, Login, Rolled,
};
use gatepost_storage::{KeyStore, Page, Revision, Scope, StoreError};
use proptest::prelude::*;

use super::whole::{change, text};
use crate::fields::{Field, of_key};
use crate::fixtures::{at, full_grant, key};

/// The text for changes that the store has forgotten.
pub(super) const ALL_CHANGED: &str = "all";

#[derive(Clone, Debug)]
pub(super) enum Call {
    Insert {
        owner: u8,
        name: u8,
    },
    InsertTwin(u8),
    Edit {
        key: u8,
        name: u8,
        expires: bool,
        narrow: bool,
    },
    /// Sets any field to any value, whether an edit may store it or not.
    Change {
        key: u8,
        field: u8,
        value: u8,
    },
    Roll {
        key: u8,
        name: u8,
        stale: bool,
    },
    StaleEdit(u8),
    Delete(u8),
    Login {
        key: u8,
        at: u8,
    },
    Use {
        key: u8,
        day: u16,
        used: u8,
    },
    List {
        owner: Option<u8>,
        name: Option<u8>,
        page: u8,
        newest: bool,
    },
    Changes(u8),
}

pub(super) fn calls() -> impl Strategy<Value = Call> {
    let n = || 0..12_u8;
    let maybe = |top: u8| proptest::option::of(0..top);
    prop_oneof![
        6 => (0..3_u8, 0..4_u8).prop_map(|(owner, name)| Call::Insert { owner, name }),
        1 => n().prop_map(Call::InsertTwin),
        4 => (n(), 0..4_u8, any::<bool>(), any::<bool>())
            .prop_map(|(key, name, expires, narrow)| Call::Edit { key, name, expires, narrow }),
        6 => (n(), 0..40_u8, 0..4_u8)
            .prop_map(|(key, field, value)| Call::Change { key, field, value }),
        2 => (n(), 0..4_u8, any::<bool>())
            .prop_map(|(key, name, stale)| Call::Roll { key, name, stale }),
        2 => n().prop_map(Call::StaleEdit),
        2 => n().prop_map(Call::Delete),
        4 => (n(), n()).prop_map(|(key, at)| Call::Login { key, at }),
        4 => (n(), 0..500_u16, n()).prop_map(|(key, day, used)| Call::Use { key, day, used }),
        3 => (maybe(3), maybe(4), 1..5_u8, any::<bool>())
            .prop_map(|(owner, name, page, newest)| Call::List { owner, name, page, newest }),
        3 => n().prop_map(Call::Changes),
    ]
}

/// A store, and the rows that were inserted into it. Both sides are given the same records, which
/// the first makes.
pub(super) struct Side {
    store: Arc<dyn KeyStore>,
    rows: Vec<(KeyId, ApiKey)>,
    generations: Vec<KeyGeneration>,
    fields: Vec<Field<KeyRow>>,
}

fn name(n: u8) -> String {
    format!("n{n}")
}

fn kind<T>(answer: &Result<T, StoreError>) -> String {
    format!("{:?}", answer.as_ref().err().map(StoreError::kind))
}

impl Side {
    pub(super) fn new(store: Arc<dyn KeyStore>) -> Self {
        let plain = KeyRow {
            id: KeyId(0),
            revision: Revision::FIRST,
            key: key(1, "plain"),
            rolled: Rolled::default(),
        };
        Self {
            store,
            rows: Vec::new(),
            generations: vec![KeyGeneration(0)],
            fields: of_key(&plain),
        }
    }

    fn row(&self, n: u8) -> Option<&(KeyId, ApiKey)> {
        let n = usize::from(n).checked_rem(self.rows.len())?;
        self.rows.get(n)
    }

    async fn read(&self, n: u8) -> Option<KeyRow> {
        let (id, _) = self.row(n)?;
        self.store.key(*id).await.unwrap()
    }

    /// Returns the part of a row that two stores must have in common: neither its number nor random
    /// values.
    fn show(&self, row: &KeyRow) -> String {
        let place = |id| self.rows.iter().position(|(known, _)| *known == id);
        let made = place(row.id).map(|n| &self.rows[n].1);
        let drawn = made.is_some_and(|made| {
            let key = &row.key;
            (made.lookup, &made.masked) == (key.lookup, &key.masked)
        });
        let digest = made.is_some_and(|made| made.digest.bytes == row.key.digest.bytes);
        let own = [
            ("row.key.lookup", drawn.to_string()),
            ("row.key.masked", drawn.to_string()),
            ("row.key.digest.bytes", digest.to_string()),
            (
                "row.rolled.from",
                format!("{:?}", row.rolled.from.map(place)),
            ),
            ("row.rolled.to", format!("{:?}", row.rolled.to.map(place))),
        ];
        format!("{:?} {}", place(row.id), text(&self.fields, row, &own))
    }

    pub(super) async fn carry_out(&mut self, call: &Call) -> String {
        let text = self.answer(call).await;
        let shard = KeyShard(0);
        let changes = self.store.key_changes(shard, KeyGeneration(0)).await;
        self.generations.push(changes.unwrap().generation);
        text
    }

    async fn answer(&mut self, call: &Call) -> String {
        match call {
            Call::Insert { owner, name: n } => {
                let made = key(u128::from(*owner) + 1, &name(*n));
                let row = self.store.insert_key(&made, u64::MAX).await;
                let kind = kind(&row);
                if let Ok(row) = row {
                    self.rows.push((row.id, made));
                }
                kind
            }
            Call::InsertTwin(n) => {
                let Some((_, twin)) = self.row(*n) else {
                    return String::new();
                };
                let mut twin = twin.clone();
                twin.name = "twin".parse().unwrap();
                let row = self.store.insert_key(&twin, u64::MAX).await;
                let kind = kind(&row);
                if let Ok(row) = row {
                    self.rows.push((row.id, twin));
                }
                kind
            }
            Call::Edit {
                key,
                name: n,
                expires,
                narrow,
            } => {
                let Some(mut row) = self.read(*key).await else {
                    return "none".to_owned();
                };
                row.key.name = name(*n).parse().unwrap();
                row.key.owner = OwnerId(77);
                row.key.expiration = if *expires {
                    Expiration::At(at(500))
                } else {
                    Expiration::Never
                };
                let grant = if *narrow { full_grant() } else { Grant::all() };
                (row.key.grant, row.key.enabled) = (grant, !narrow);
                row.key.limit = narrow.then(|| RateLimit::per_minute(60).unwrap());
                let edited = self.store.update_key(&row, at(1)).await;
                edited.map_or_else(|e| format!("{:?}", e.kind()), |row| self.show(&row))
            }
            Call::Change { key, field, value } => self.change(*key, (*field, *value)).await,
            Call::Roll {
                key: old,
                name: n,
                stale,
            } => {
                let Some(mut row) = self.read(*old).await else {
                    return "none".to_owned();
                };
                let made = key(row.key.owner.0, &name(*n));
                row.key.expiration = Expiration::At(at(600));
                if *stale {
                    row.revision = row.revision.next();
                }
                match self.store.roll_key(&row, &made, 6, at(1)).await {
                    Err(error) => format!("{:?}", error.kind()),
                    Ok((new, ended)) => {
                        self.rows.push((new.id, made));
                        self.show(&new) + &self.show(&ended)
                    }
                }
            }
            Call::StaleEdit(n) => {
                let Some(row) = self.read(*n).await else {
                    return "none".to_owned();
                };
                let first = kind(&self.store.update_key(&row, at(1)).await);
                first + &kind(&self.store.update_key(&row, at(1)).await)
            }
            Call::Delete(n) => {
                let Some((id, _)) = self.row(*n) else {
                    return String::new();
                };
                kind(&self.store.delete_key(*id, at(1)).await)
            }
            Call::Login { key, at: when } => {
                let Some((id, _)) = self.row(*key) else {
                    return String::new();
                };
                let login = LastLogin {
                    at: at(i64::from(*when)),
                    from: [192, 0, 2, *when].into(),
                };
                let logins = [Login { key: *id, login }];
                self.store.record_logins(&logins).await.unwrap();
                let row = self.read(*key).await;
                format!("{:?}", row.map(|row| self.show(&row)))
            }
            Call::Use { key, day, used } => self.used(*key, *day, *used).await,
            Call::List {
                owner,
                name: n,
                page,
                newest,
            } => {
                let limit = u32::from(*page);
                let query = KeyQuery {
                    scope: owner.map_or(Scope::All, |o| Scope::Owner(OwnerId(u128::from(o) + 1))),
                    name: n.map(name),
                    page: if *newest {
                        Page::newest(limit)
                    } else {
                        Page::first(limit)
                    },
                };
                let rows = self.store.list_keys(&query).await.unwrap();
                rows.iter().map(|row| self.show(row) + "\n").collect()
            }
            Call::Changes(n) => self.changes(*n).await,
        }
    }

    async fn change(&self, key: u8, with: (u8, u8)) -> String {
        let Some(mut row) = self.read(key).await else {
            return "none".to_owned();
        };
        change(&self.fields, with, &mut row);
        let edited = self.store.update_key(&row, at(1)).await;
        edited.map_or_else(|e| format!("{:?}", e.kind()), |row| self.show(&row))
    }

    /// Counts uses of a key on two days, and returns its stored counts.
    async fn used(&self, n: u8, on: u16, used: u8) -> String {
        let Some((key, _)) = self.row(n) else {
            return String::new();
        };
        let first = at(0).date_naive();
        let day = |on: u16| first + Days::new(on.into());
        let uses = [on, on / 2].map(|on| KeyUse {
            key: *key,
            day: day(on),
            used: used.into(),
            refused: 1,
        });
        self.store.record_uses(&uses).await.unwrap();
        let kept = self.store.key_uses(*key, first, day(999), 7).await;
        let shown = |kept: KeyUse| format!("{} {} {}\n", kept.day, kept.used, kept.refused);
        kept.unwrap().into_iter().map(shown).collect()
    }

    /// Returns the keys that changed since an earlier generation; a store that has forgotten names
    /// all.
    async fn changes(&self, n: u8) -> String {
        let Some(since) = usize::from(n).checked_rem(self.generations.len()) else {
            return String::new();
        };
        let since = self.generations[since];
        let mut named = BTreeSet::new();
        for shard in 0..=u8::MAX {
            let changes = self.store.key_changes(KeyShard(shard), since).await;
            let ChangedKeys::These(lookups) = changes.unwrap().changed else {
                return ALL_CHANGED.to_owned();
            };
            let known = |l| self.rows.iter().position(|(_, key)| key.lookup == l);
            named.extend(lookups.into_iter().map(known));
        }
        format!("{named:?}")
    }
}
