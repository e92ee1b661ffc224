//! What rows are called and which there are to choose from, as far as the caller may know.

use std::collections::BTreeMap;

use async_trait::async_trait;
use gatepost_keys::Principal;
use gatepost_manage::{Choice, Directory};
use serde_json::{Value, json};

use super::users::TENANTS;
use super::{Platform, machines, users};

impl Platform {
    /// The rows of a table that the caller may see, or nothing if there is no such table.
    #[must_use]
    pub fn rows(caller: &Principal, table: &str) -> Option<Vec<Value>> {
        match table {
            "tags" => Some(machines::tags()),
            "tenants" => Some(tenants(caller)),
            "users" => Some(users::rows(caller)),
            "vms" => Some(machines::machines(caller)),
            _ => None,
        }
    }
}

/// A caller's own tenant; all of them for a system administrator.
fn tenants(caller: &Principal) -> Vec<Value> {
    let all = caller.access == gatepost_keys::AccessLevel::SystemAdministrator;
    let own = caller.tenant.map(|tenant| tenant.0);
    let seen = TENANTS.iter().filter(|(key, _)| all || Some(*key) == own);
    seen.map(|(key, name)| json!({"$key": key, "name": name}))
        .collect()
}

#[async_trait]
impl Directory for Platform {
    async fn name(&self, caller: &Principal, table: &str, key: i64) -> Option<String> {
        let rows = Self::rows(caller, table)?;
        let row = rows.into_iter().find(|row| row["$key"] == key)?;
        Some(row["name"].as_str()?.to_owned())
    }

    async fn names(&self, caller: &Principal, table: &str, keys: &[i64]) -> BTreeMap<i64, String> {
        let rows = Self::rows(caller, table).unwrap_or_default().into_iter();
        let named = rows.filter_map(|row| {
            let key = row["$key"].as_i64().filter(|key| keys.contains(key))?;
            Some((key, row["name"].as_str()?.to_owned()))
        });
        named.collect()
    }

    async fn choices(&self, caller: &Principal, table: &str, limit: usize) -> Vec<Choice> {
        let rows = Self::rows(caller, table).unwrap_or_default().into_iter();
        let choices =
            rows.filter_map(|row| Some(Choice::new(row["$key"].as_i64()?, row["name"].as_str()?)));
        choices.take(limit).collect()
    }
}
