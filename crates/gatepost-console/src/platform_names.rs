//! What the platform's rows are called that a page speaks of: one question for each table.

use std::collections::{BTreeMap, BTreeSet};

use chrono::TimeDelta;
use webhook_model::ObjectId;

use crate::context::PageContext;

/// A platform that takes longer for the names of one table is asked for no other.
const SLOW: TimeDelta = TimeDelta::seconds(1);

/// Names of users, objects and tags, as the caller knows them.
#[derive(Debug, Default)]
pub(crate) struct PlatformNames(BTreeMap<String, BTreeMap<ObjectId, String>>);

impl PlatformNames {
    /// The names of these rows, each given by its table and id. Those of a page, at most.
    pub(crate) async fn of(
        ctx: &PageContext,
        rows: impl IntoIterator<Item = (String, ObjectId)>,
    ) -> Self {
        let mut asked: BTreeMap<String, BTreeSet<ObjectId>> = BTreeMap::new();
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
    pub(crate) fn get(&self, table: &str, key: ObjectId) -> Option<&str> {
        Some(self.0.get(table)?.get(&key)?.as_str())
    }
}
