//! The names of rows and the rows to choose from, as far as the caller may know them.

use std::collections::BTreeMap;

use async_trait::async_trait;
use gatepost_keys::Principal;
use gatepost_manage::{Choice, Directory};
use serde::Deserialize as _;
use serde_json::{Value, json};
use webhook_model::ObjectId;

use super::users::TENANTS;
use super::{Platform, machines, users};

impl Platform {
    /// Returns the rows of a table that the caller may see, or `None` if there is no such table.
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

/// Returns the caller's own tenant; all tenants for a system administrator.
fn tenants(caller: &Principal) -> Vec<Value> {
    let all = caller.access == gatepost_keys::AccessLevel::SystemAdministrator;
    let seen = TENANTS
        .iter()
        .filter(|(key, _)| all || Some(*key) == caller.tenant);
    seen.map(|(key, name)| json!({"$key": key, "name": name}))
        .collect()
}

/// Returns the id of a row.
fn id(row: &Value) -> Option<ObjectId> {
    ObjectId::deserialize(&row["$key"]).ok()
}

#[async_trait]
impl Directory for Platform {
    async fn name(&self, caller: &Principal, table: &str, key: ObjectId) -> Option<String> {
        let rows = Self::rows(caller, table)?;
        let row = rows.into_iter().find(|row| id(row) == Some(key))?;
        Some(row["name"].as_str()?.to_owned())
    }

    async fn names(
        &self,
        caller: &Principal,
        table: &str,
        keys: &[ObjectId],
    ) -> BTreeMap<ObjectId, String> {
        let rows = Self::rows(caller, table).unwrap_or_default().into_iter();
        let named = rows.filter_map(|row| {
            let key = id(&row).filter(|key| keys.contains(key))?;
            Some((key, row["name"].as_str()?.to_owned()))
        });
        named.collect()
    }

    async fn choices(&self, caller: &Principal, table: &str, limit: usize) -> Vec<Choice> {
        let rows = Self::rows(caller, table).unwrap_or_default().into_iter();
        let choices = rows.filter_map(|row| Some(Choice::new(id(&row)?, row["name"].as_str()?)));
        choices.take(limit).collect()
    }
}
