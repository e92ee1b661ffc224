//! What the platform's rows are called that a page speaks of: one question for each table.

use std::collections::{BTreeMap, BTreeSet};

use chrono::TimeDelta;

use crate::context::PageContext;

/// A platform that takes longer for the names of one table is asked for no other.
const SLOW: TimeDelta = TimeDelta::seconds(1);

/// Names of users, objects and tags, as the caller knows them.
#[derive(Debug, Default)]
pub(crate) struct PlatformNames(BTreeMap<String, BTreeMap<i64, String>>);

impl PlatformNames {
    /// The names of these rows, each given by its table and number. Those of a page, at most.
    pub(crate) async fn of(
        ctx: &PageContext,
        rows: impl IntoIterator<Item = (String, i64)>,
    ) -> Self {
        let mut asked: BTreeMap<String, BTreeSet<i64>> = BTreeMap::new();
        for (table, key) in rows {
            asked.entry(table).or_default().insert(key);
        }
        let mut names = BTreeMap::new();
        for (table, keys) in asked {
            let began = ctx.now();
            let found = ctx.actor.names(&table, keys).await;
            names.insert(table, found);
            if ctx.now() - began > SLOW {
                break;
            }
        }
        Self(names)
    }

    /// The name of a row; `None` where the platform told none.
    pub(crate) fn get(&self, table: &str, key: i64) -> Option<&str> {
        Some(self.0.get(table)?.get(&key)?.as_str())
    }
}
